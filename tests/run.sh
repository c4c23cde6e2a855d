#!/usr/bin/env bash
# run.sh: build what the tests need, run every suite, count, and end with "N passed, N failed".
#
#   ONLY='lab3 lint'    these parts alone: a file's name without .bats (a glob, too), unit, sanitized, programs or claims.
#                       With a lab's number come the pitfalls that are planted into it.
#
# Every suite prints a line for each test that begins with "ok", "not ok" or "FAIL", as TAP has it or nearly so. What fails is shown at
# once. A suite that ends with an error without having named a failed test, or that names no test at all, counts as one failure itself.
#
# Suites belong to parts. One more part runs at a time than there are processors, because tests of time limits wait. A part's suites
# run one after the other. What is quick and breaks easily comes first, and what failed the last time comes before that.
set -uo pipefail
build=${BUILD:-build}
front=${FRONT:-nvcc}
unset MAKEFLAGS MAKELEVEL MFLAGS # tests that call make are users of it, not parts of this one
export CMOCKA_MESSAGE_OUTPUT=TAP

# in_memory: a folder in memory, if there are 4 GB and programs may start from there. The tests make and remove a hundred thousand
# files, and file systems on disks take the more time for each the more were just removed.
in_memory() {
    local type room options
    read -r type room options < <(findmnt -nbo FSTYPE,AVAIL,OPTIONS -T /dev/shm) &&
        [[ $type = tmpfs && $room -gt 4000000000 && $options != *noexec* ]] && mktemp -d -p /dev/shm
}
work=$(in_memory || mktemp -d)
trap 'jobs -p | xargs -r kill 2>/dev/null; rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
chmod o+x "$work"
exec 3>"$work/counts" # a line for each suite: passed, failed, skipped, processor seconds
: >"$work/failed"

# count TITLE LOG STATUS SECONDS PROCESSOR: one line for a suite that has ended, and its output if it failed.
count() {
    local title=$1 log=$2 status=$3 good bad skip
    skip=$(grep -ciE '^ok .*# skip' "$log")
    good=$(($(grep -cE '^ok ' "$log") - skip))
    bad=$(grep -cE '^(not ok|FAIL) ' "$log")
    if [ "$bad" = 0 ] && { [ "$status" != 0 ] || [ $((good + skip)) = 0 ]; }; then bad=1; fi
    echo "$good $bad $skip $5" >&3
    printf '  %-34s %4d passed, %d failed%s, %d s, processor %.0f s\n' "$title" "$good" "$bad" "$([ "$skip" = 0 ] || echo ", $skip skipped")" "$4" "$5"
    [ "$bad" = 0 ] || { echo "--- $title (exit code $status)"; cat "$log"; echo "---"; }
    [ "$bad" = 0 ]
}

# timed LOG COMMAND...: run it with its output in the log, and name a failed test when it fails. Sets status and processor, in seconds.
# cmocka says "not ok" of a test that it skips.
timed() {
    local log=$1 TIMEFORMAT='%U %S'
    shift
    { time {
        "$@" </dev/null 2>&1
        echo $? >"$log.status"
    } | sed -uE 's/^not (ok [0-9]+ # SKIP)/\1/' | tee "$log" | sed -nuE "s#^(not ok|FAIL) #  $title: &#p"; } 2>"$log.time"
    status=$(<"$log.status")
    processor=$(awk '{ print $1 + $2 }' "$log.time")
}

# suite TITLE COMMAND...: run it and say how it ended, with nothing of another suite in between.
suite() {
    local title=$1 start=$SECONDS log status processor
    log=$(mktemp -p "$work")
    timed "$log" "${@:2}"
    { flock 9 && count "$title" "$log" "$status" $((SECONDS - start)) "$processor"; } 9>"$work/lock" || echo "$part" >>"$work/failed"
}

# built TITLE ARGUMENT...: what make builds with these arguments. A failure is a failed test.
built() {
    local title=$1 start=$SECONDS log status processor
    log=$(mktemp -p "$work")
    timed "$log" make --no-print-directory BUILD="$build" DEVICE=sim "${@:2}"
    if [ "$status" = 0 ]; then
        echo "0 0 0 $processor" >&3
        printf '  %-34s built, %d s, processor %.0f s\n' "$title" $((SECONDS - start)) "$processor"
    else
        { flock 9 && count "$title" "$log" "$status" $((SECONDS - start)) "$processor"; } 9>"$work/lock"
        echo "$part" >>"$work/failed"
        return 1
    fi
}

# ---- Parts: one function each, but for those that are a file of bats ----

# programs_in FOLDER: the unit tests that were built there.
programs_in() {
    for program in "$1"/tests/test_*; do
        [ -x "$program" ] && [ -f "$program" ] && suite "${program#"$build"/}" "$program"
    done
}

unit() { programs_in "$build"; }

# A second build in a folder of its own, in which stray accesses and undefined behaviour end a test.
sanitized() {
    built sanitized BUILD="$build/sanitized" SANITIZE="$SANITIZERS" unit-tests && programs_in "$build/sanitized"
}

# The tests of the notes run some of what is built here.
after_programs=(tests/targets/notes.bats)
programs() {
    suite tests/programs/run tests/programs/run
    suite "tests/programs, checked" env CHECK=1 tests/programs/run -r
    for file in "${after_programs[@]}"; do bats_file "$file"; done
}

# What the tests of the labs take from build/ instead of building it again. With every warning: the solutions as C++11, what is handed out as
# today's C++. No program of the handed-out labs is there to be fast.
labs() {
    built "the labs" LAB_BUILD=strict programs
    HOST_OPTIMISE=-O0 built "the labs, handed out" LAB_BUILD=strict handed-out
}

programs_by_clang() { suite "tests/programs, by clang" tests/front/programs.sh; }

# The tests of the ladders' order and of the pages look at what the claims measured.
after_claims=(tests/targets/{order,pages}.bats)
claims() {
    [ ! -d solutions ] || suite "claims of the handouts" make --no-print-directory BUILD="$build" DEVICE=sim claims
    for file in "${after_claims[@]}"; do [ ! -e "$file" ] || bats_file "$file"; done
}

# Each has a copy of the project of its own. What it builds there is small problems' programs.
bats_file() { HOST_OPTIMISE=-O0 suite "$1" bats --tap --print-output-on-failure "${filter[@]}" "$1"; }

# run_part PART
run_part() {
    local part=$1 filter=()
    case $part in
    */pitfalls.bats) [ -z "$pitfalls" ] || filter=(-f "lab ($pitfalls):") ;;&
    *.bats) bats_file "$part" ;;
    *) "$part" ;;
    esac
}

# start PART: in the background, when there is room.
start() {
    while [ "$(jobs -rp | wc -l)" -gt "$(nproc)" ]; do wait -n; done
    run_part "$1" &
}

# ---- Which parts, in which order ----

read -ra only <<<"${ONLY:-}"
pitfalls=
for word in "${only[@]}"; do [[ ! $word =~ ^lab[0-9]+$ ]] || pitfalls+=${pitfalls:+|}${word#lab}; done
lint=tests/targets/lint.bats

# selected PART...: those of them that ONLY asks for, in the order given, but first what failed the last time.
selected() {
    local part word name
    for part; do
        name=$(basename "$part" .bats)
        [ ${#only[@]} -gt 0 ] || echo "$part"
        # shellcheck disable=SC2053 # a pattern
        for word in "${only[@]}"; do
            if [[ $name == $word ]]; then echo "$part" && break; fi
            if [ "$name" = pitfalls ] && [ -n "$pitfalls" ]; then echo "$part" && break; fi
        done
    done >"$work/selected"
    grep -xFf "$build/tests/failed" "$work/selected" 2>/dev/null
    grep -vxFf "$build/tests/failed" "$work/selected" 2>/dev/null || [ -e "$build/tests/failed" ] || cat "$work/selected"
}

# What counts instructions as nvcc makes them, or calls nvcc itself, has nothing to test where clang takes its place.
files=(tests/*/*.bats)
[ "$front" = nvcc ] || mapfile -t files < <(grep -L '^# needs nvcc' tests/*/*.bats)
mapfile -t after_claims < <(printf '%s\n' "${files[@]}" | grep -xFf <(printf '%s\n' "${after_claims[@]}"))
mapfile -t after_programs < <(printf '%s\n' "${files[@]}" | grep -xFf <(printf '%s\n' "${after_programs[@]}"))
# A cluster on this machine, with its daemons, is test-cluster's.
[ ${#only[@]} -gt 0 ] || mapfile -t files < <(printf '%s\n' "${files[@]}" | grep -vx tests/targets/slurm.bats)
# without PART...: the files but these.
without() { printf '%s\n' "${files[@]}" | grep -vxFf <(printf '%s\n' "$@"); }

# Those that work on labs' programs wait until these are built. Known to take long: so they begin before the others.
long=()
for file in tests/targets/{grade,front,targets,readme}.bats tests/labs/pitfalls.bats; do [ ! -e "$file" ] || long+=("$file"); done
mapfile -t on_labs < <(without "${after_claims[@]}" "$lint" "${long[@]}" | xargs grep -lE 'user_make|use_lab|make .*DEVICE')
mapfile -t others < <(without "${after_claims[@]}" "${after_programs[@]}" "$lint" "${long[@]}" "${on_labs[@]}")
# ONLY=pages: the pages without the claims before them. ONLY=notes: the notes without the programs.
[ "${#only[@]} $front" = "0 nvcc" ] || [[ " ${only[*]} " == *" claims "* ]] || long+=("${after_claims[@]}")
[ "${#only[@]} $front" = "0 nvcc" ] || [[ " ${only[*]} " == *" programs "* ]] || long+=("${after_programs[@]}")
if [ "$front" = nvcc ]; then
    early=(unit "${others[@]}" programs sanitized) late=(claims "${long[@]}" "${on_labs[@]}")
else
    early=(unit "${others[@]}" programs_by_clang sanitized) late=("${long[@]}" "${on_labs[@]}")
fi

before=$(git status --porcelain 2>/dev/null)
mkdir -p "$build/tests"
mapfile -t early < <(selected "${early[@]}")
mapfile -t late < <(selected "${late[@]}")
first=()
[ ! -e "$lint" ] || mapfile -t first < <(selected "$lint")
for word in "${only[@]}"; do
    # shellcheck disable=SC2053 # a pattern
    for part in "${first[@]}" "${early[@]}" "${late[@]}" "${after_claims[@]}" "${after_programs[@]}"; do [[ $(basename "$part" .bats) != $word ]] || continue 2; done
    echo "ONLY=$ONLY: no part of the tests is called $word; tests/run.sh says what is" >&2
    exit 2
done

for part in "${first[@]}"; do start "$part"; done
goals=(all)
[[ " ${early[*]} " != *" unit "* ]] || goals+=(unit-tests)
if part=build built "the programs" "${goals[@]}"; then
    labs=
    if [ ${#late[@]} -gt 3 ]; then
        run_part labs &
        labs=$!
    fi
    for part in "${early[@]}"; do start "$part"; done
    [ -z "$labs" ] || wait "$labs"
    for part in "${late[@]}"; do start "$part"; done
fi
wait
cp "$work/failed" "$build/tests/failed"
read -r passed failed skipped processor < <(awk '{ good += $1; bad += $2; skip += $3; cpu += $4 } END { print good + 0, bad + 0, skip + 0, int(cpu) }' "$work/counts")

if [ "$(git status --porcelain 2>/dev/null)" != "$before" ]; then
    echo "not ok: the tests have left something after:"
    git status --short
    failed=$((failed + 1))
fi
[ "$skipped" = 0 ] || echo "$skipped skipped"
[ "$front" = nvcc ] || echo "without nvcc: left out $(grep -l "^# needs nvcc" tests/*/*.bats | xargs -n 1 basename -s .bats | paste -sd " "), claims"
echo "left out: make test-browser (see-labN's pages in a browser), make test-gpu, make test-bare, make test-container, make test-notebook$(
    [ ! -d solutions ] || echo ", make test-platforms, make test-cluster (ENGINE=slurm, on nodes that fail too)")"
echo "took $((SECONDS / 60)):$(printf %02d $((SECONDS % 60))), and the processors $((processor / 60)):$(printf %02d $((processor % 60)))"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
