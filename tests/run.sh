#!/usr/bin/env bash
# run.sh: run every suite that `make test` has built, count, and end with "N passed, N failed".
#
# Every suite prints a line for each test that begins with "ok", "not ok" or "FAIL", as TAP has it or nearly so. A suite that ends with an error without having
# named a failed test, or that names no test at all, counts as one failure itself.
#
# Suites belong to parts. One more part runs at a time than there are processors, because tests of time limits wait. A part's suites
# run one after the other.
set -uo pipefail
build=${BUILD:-build}
front=${FRONT:-nvcc}
unset MAKEFLAGS MAKELEVEL MFLAGS # tests that call make are users of it, not parts of this one
export CMOCKA_MESSAGE_OUTPUT=TAP
work=$(mktemp -d)
trap 'jobs -p | xargs -r kill 2>/dev/null; rm -rf "$work"' EXIT
exec 3>"$work/counts" # a line for each suite: passed, failed, skipped

# count TITLE LOG STATUS SECONDS: one line for a suite that has ended, and its output if it failed.
count() {
    local title=$1 log=$2 status=$3 good bad skip
    skip=$(grep -ciE '^ok .*# skip' "$log")
    good=$(($(grep -cE '^ok ' "$log") - skip))
    bad=$(grep -cE '^(not ok|FAIL) ' "$log")
    if [ "$bad" = 0 ] && { [ "$status" != 0 ] || [ "$good" = 0 ]; }; then bad=1; fi
    echo "$good $bad $skip" >&3
    printf '  %-34s %4d passed, %d failed%s, %d s\n' "$title" "$good" "$bad" "$([ "$skip" = 0 ] || echo ", $skip skipped")" "$4"
    [ "$bad" = 0 ] || { echo "--- $title (exit code $status)"; cat "$log"; echo "---"; }
}

# suite TITLE COMMAND...: run it and say how it ended, with nothing of another suite in between.
suite() {
    local title=$1 start=$SECONDS log status
    log=$(mktemp -p "$work")
    shift
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    { flock 9 && count "$title" "$log" "$status" $((SECONDS - start)); } 9>"$work/lock"
}

# ---- Parts: one function each, but for those that are a file of bats ----

unit_tests() {
    for folder in "$build" "$build/sanitized"; do
        for program in "$folder"/tests/test_*; do
            [ -x "$program" ] && [ -f "$program" ] && suite "${program#"$build"/}" "$program"
        done
    done
}

programs() {
    suite tests/programs/run tests/programs/run
    suite "tests/programs, checked" env CHECK=1 tests/programs/run -r
}

programs_by_clang() { suite "tests/programs, by clang" tests/front/programs.sh; }

# The tests of the ladders' order and of the pages look at what the claims measured.
after_claims=(tests/targets/{order,pages}.bats)
claims() {
    [ ! -d solutions ] || suite "claims of the handouts" make --no-print-directory BUILD="$build" DEVICE=sim claims
    for file in "${after_claims[@]}"; do [ ! -e "$file" ] || bats_file "$file"; done
}

# Each has a copy of the project of its own. What it builds there is small problems' programs.
bats_file() { HOST_OPTIMISE=-O0 suite "$1" bats --tap --print-output-on-failure "$1"; }

# run_part PART
run_part() {
    case $1 in
    *.bats) bats_file "$1" ;;
    *) "$1" ;;
    esac
}

# run_parts PART...: true when all have ended.
run_parts() {
    for part; do
        while [ "$(jobs -rp | wc -l)" -gt "$(nproc)" ]; do wait -n; done
        run_part "$part" &
    done
    wait
}

# Known to take long; of the others first the files that call make most often, as compiling takes most of the time. What counts
# instructions as nvcc makes them, or calls nvcc itself, has nothing to test where clang takes its place.
if [ "$front" = clang ]; then
    parts=(programs_by_clang unit_tests)
    mapfile -t files < <(grep -L '^# needs nvcc' tests/*/*.bats)
else
    parts=(claims programs)
    for file in tests/targets/{grade,targets,readme,front,lint}.bats tests/labs/pitfalls.bats; do [ ! -e "$file" ] || parts+=("$file"); done
    parts+=(unit_tests)
    mapfile -t files < <(printf '%s\n' tests/*/*.bats | grep -vxFf <(printf '%s\n' "${after_claims[@]}" "${parts[@]}"))
fi
mapfile -t files < <(grep -cHE 'user_make|use_lab|nvcc|compile_cuda' "${files[@]}" | sort -t : -k 2,2rn | cut -d : -f 1)

before=$(git status --porcelain 2>/dev/null)
run_parts "${parts[@]}" "${files[@]}"
read -r passed failed skipped < <(awk '{ good += $1; bad += $2; skip += $3 } END { print good + 0, bad + 0, skip + 0 }' "$work/counts")

if [ "$(git status --porcelain 2>/dev/null)" != "$before" ]; then
    echo "not ok: the tests have left something behind:"
    git status --short
    failed=$((failed + 1))
fi
[ "$skipped" = 0 ] || echo "$skipped skipped"
[ "$front" = nvcc ] || echo "without nvcc: left out $(grep -l "^# needs nvcc" tests/*/*.bats | xargs -n 1 basename -s .bats | paste -sd " "), claims"
echo "left out: make test-browser (see-labN's pages in a browser), make test-gpu, make test-bare"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
