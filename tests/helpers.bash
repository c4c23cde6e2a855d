# helpers.bash: what the tests of the targets share.
# shellcheck disable=SC2154 # bats sets status, output and lines

# Every test starts in the project's folder, wherever bats was called.
cd "${BASH_SOURCE[0]%/*}/.." || exit

bats_require_minimum_version 1.5.0

# Python's compiled modules stay out of the tree.
export PYTHONDONTWRITEBYTECODE=1

# assert_equal GOT WANTED, assert_output, assert_line, assert_regex ...:
# https://github.com/bats-core/bats-assert. Not by their load.bash, which starts a program for each
# of its files, in every test.
for library in "${BATS_LIB_PATH:-/usr/lib/bats}"/bats-{support,assert}; do
    [ -d "$library/src" ] || { bats_load_library "${library##*/}" && continue; }
    # shellcheck disable=SC1090
    for file in "$library"/src/*.bash; do . "$file"; done
done
unset library file

# assert_stderr, refute_stderr ARGUMENT...: as assert_output and refute_output, after `run
# --separate-stderr`.
assert_stderr() {
    output=$stderr assert_output "$@"
}

refute_stderr() {
    output=$stderr refute_output "$@"
}

# assert_ends REGEX: the last line of the output matches. After it simt may name blocks that raced.
assert_ends() {
    local text
    text=$(grep -vE '^simt: blocks of [^ ]+\(.* raced: ' <<<"$output")
    assert_regex "$(tail -n 1 <<<"$text")" "$1"
}

# assert_lines COUNT [GREP-ARGUMENT...]: as many lines of the output match; without a pattern, are
# not empty.
assert_lines() {
    local count
    [ "$#" -gt 1 ] || set -- "$1" .
    count=$(grep -c "${@:2}" <<<"$output" || true)
    [ "$count" = "$1" ] ||
        batslib_print_kv_single_or_multi 8 grep "${*:2}" expected "$1" actual "$count" output \
            "$output" | batslib_decorate "count of lines differs" | fail
}

# assert_grep, refute_grep GREP-ARGUMENT... <FILE: a line of the file matches; none does.
assert_grep() {
    local text
    text=$(</dev/stdin)
    grep -q "$@" <<<"$text" || batslib_print_kv_single_or_multi 4 grep "$*" text "$text" |
        batslib_decorate "no line matches" | fail
}

refute_grep() {
    local found status=0
    found=$(grep "$@") || status=$?
    [ "$status" = 1 ] ||
        batslib_print_kv_single_or_multi 5 grep "$*" lines "$found" | batslib_decorate \
            "lines match" | fail
}

# cells FILE RECORD COLUMN...: of a timeline's rows of a record.
cells() {
    awk -F, -v record="$2" -v wanted="${*:3}" '
        BEGIN { n = split(wanted, name, " ") }
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        $1 == record {
            for (i = 1; i <= n; i++) printf "%s%s", $column[name[i]], i < n ? " " : "\n"
        }' "$1"
}

# ---- Stand-ins: programs of tests/stand-ins in the place of what is not on every machine ----

# They note their calls in $NOTES/calls, and find what they print in $STAND_INS.
export STAND_INS=$PWD/tests/stand-ins NOTES=${BATS_TEST_TMPDIR:-}

# stand_in FOLDER NAME...: these programs, in a folder that PATH is to name.
stand_in() {
    mkdir -p "$1"
    (cd "$STAND_INS" && cp "${@:2}" "$1")
}

# called GREP-ARGUMENT..., not_called GREP-ARGUMENT...: a stand-in was called so. A line is a call:
# the program's name and its arguments.
called() {
    assert_grep "$@" <"$NOTES/calls"
}

not_called() {
    [ ! -e "$NOTES/calls" ] || refute_grep "$@" "$NOTES/calls"
}

# ---- The project, and copies of it ----

# The project's files, new ones too, separated by zero bytes. The students' edition has no
# repository.
project_files() {
    if [ -e .git ]; then git ls-files -zco --exclude-standard
    else find . -path ./build -prune -o -type f -print0; fi
}

# copy_project [REGEX]: a copy of the project, build/ included, without the files whose paths begin
# so, in a folder whose name has a space in it. Tests may do there what they like. Objects and
# programs are links to those in build/, where the file system allows it: compilers and linkers
# write a new file. What else runs at the time may be writing results: they stay behind.
copy_project() {
    local build=${BUILD:-build} made=('(' -name '*.[oa]' -o -name '*.so.*' -o -perm -u+x ')') \
        link=-l
    tree="$BATS_FILE_TMPDIR/cuda labs"
    mkdir -p "$tree"
    project_files | grep -zvE "^(./)?(${1:-$})" | cp_list "$tree"
    if [ -d "$build" ]; then
        mkdir -p "$tree/build"
        cp -l "$build/nvcc-flags" "$BATS_FILE_TMPDIR/link" 2>/dev/null || link=-p
        built_files "${made[@]}" | (cd "$build" && cp_list "$tree/build" $link)
        built_files ! "${made[@]}" | (cd "$build" && cp_list "$tree/build")
        # What objects depend on names the build folder.
        [ "$build" = build ] || find "$tree/build" -name '*.d' -exec sed -i "s|^$build/|build/|" \
            {} +
    fi
    export tree
}

# built_files FIND-TEST...: the files in build/ that tests may take from there, separated by zero
# bytes.
built_files() {
    local part none=()
    for part in ./{sanitized*,programs,tests,obj/tests,handouts,browser,slides,see,explore} \
        ./solutions/{see,explore} \
        './*lab[0-9]*/*.csv*' './*lab[0-9]*/*.txt*'; do none+=(-path "$part" -o); done
    (cd "${BUILD:-build}" && find . '(' "${none[@]}" -false ')' -prune -o -type f "$@" -print0)
}

# Is it nvcc that make compiles the labs with here?
with_nvcc() {
    [ "${FRONT:-$(command -v nvcc >/dev/null && echo nvcc)}" = nvcc ] || return 1
}

# compile_cuda NVCC-OPTION...: with that compiler; as C++14, which takes nvcc half the time, unless
# the options name another.
compile_cuda() {
    [[ "$*" == *-std=* ]] || set -- -std=c++14 "$@"
    if with_nvcc; then nvcc "$@"; else BUILD="${BUILD:-build}" common/front/cudac "$@"; fi
}

# For a test of what only nvcc makes.
needs_nvcc() {
    with_nvcc || skip "it is nvcc's"
}

# cp_list FOLDER [OPTION-OF-CP...]: copy the files named on standard input, separated by zero bytes,
# with their folders and times.
cp_list() {
    xargs -0 cp --preserve=mode,timestamps --parents -t "$@"
}

# make in the copy, as a user would: not as part of the make that runs the tests.
user_make() {
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD make -C "$tree" --no-print-directory "$@"
}

# ---- The tests of one lab ----

. common/tools/labs.bash

# use_lab NUMBER [TARGET...]: for setup_file: a copy of the project, with the lab's complete program
# and these targets built. $solution is that program, $handed_out the file that students get,
# $student the same file in the copy.
use_lab() {
    local folder program
    folder=$(lab_field "$1" folder)
    program=$(lab_field "$1" program)
    copy_project 'tests/[^r]|notebooks|handouts/img'
    handed_out=labs/$folder/$program.cu
    student=$tree/$handed_out
    solution=$tree/build/solutions/lab$1/$program
    lab_number=$1
    cub=$(with_nvcc && echo 1 || echo 0) # CUB comes with the toolkit
    export handed_out student solution lab_number cub
    user_make DEVICE=sim FROM=solutions "build/solutions/lab$1/$program" "${@:2}"
}

# is_given OK TODO NEXT [SETTING...]: in the lab as it is handed out, so many steps are ok and to do,
# its first TODO comes next, and it is in step with the solution.
is_given() {
    run -0 "$tree/build/bin/skeleton" check "solutions/${handed_out#labs/}" "$handed_out"
    run -0 user_make "lab$lab_number" DEVICE=sim "${@:4}"
    assert_lines "$1" -E ' ok( |$)'
    assert_lines "$2" -E ' todo( |$)'
    assert_ends "^next: $handed_out:$(grep -n -m 1 'TODO(' "$handed_out" | cut -d: -f1): $3: "
}

# as_handed_out: for setup: lab 3's file in the copy as students get it, and the program that was
# built from it.
as_handed_out() {
    local built="$BATS_FILE_TMPDIR/handed out"
    cp -p labs/lab3-reduction/reduction.cu "$student"
    [ -d "$built" ] || { user_make DEVICE=sim build/lab3/reduction >/dev/null && cp -rp \
        "$tree/build/lab3" "$built"; }
    cp -p --remove-destination "$built"/reduction* "$tree/build/lab3/"
}

# solution [-STATUS] FLAG...: run the complete program on the simulator.
solution() {
    to_run --separate-stderr "$tree/build/bin/simt" "$solution" -- "$@"
}

# to_run WORDS-OF-RUN... -- [-STATUS] ARGUMENT...: run the command with these arguments, which must
# end with that status.
to_run() {
    local words=() wanted=()
    while [ "$1" != -- ]; do words+=("$1") && shift; done
    [[ ${2-} != -[0-9]* ]] || { wanted=("$2") && shift; }
    run "${wanted[@]}" "${words[@]}" "${@:2}"
}

# refuses TEXT FLAG...: the complete program prints one line with this text on standard error, and
# ends with exit code 2.
refuses() {
    solution -2 "${@:2}"
    refute_output
    output=$stderr assert_lines 1
    assert_stderr --partial -- "$1"
}

# all_ok COUNT: so many rows are ok; those with a shape as argument do not count.
all_ok() {
    assert_success
    assert_equal "$(grep -E '^ *[0-9]+ ' <<<"$output" | grep -v '(.*x' | grep -c ' ok')" "$1"
}

# solve STEP LINE...: the student's file is the handed-out one, with these lines in the place of the
# step's TODO.
solve() {
    cp "$handed_out" "$student"
    solve_step "$student" "$@"
}

# solve_step FILE STEP LINE...: the same in a file that stays what it is elsewhere.
solve_step() {
    printf '    %s\n' "${@:3}" >"$BATS_TEST_TMPDIR/body"
    awk -v step="$2" -v file="$BATS_TEST_TMPDIR/body" '
        $0 ~ "BEGIN SOLUTION " step "$" {
            print
            while ((getline line < file) > 0) print line
            skip = 1
            next
        }
        /END SOLUTION/ { skip = 0 }
        !skip' "$1" >"$BATS_TEST_TMPDIR/solved"
    cp "$BATS_TEST_TMPDIR/solved" "$1"
}

# finds_planted LAB: each mistake that tests/planted/wrong.tsv plants into the lab is found, and
# named.
finds_planted() {
    local lab step run says change file before sizes
    file=$(ls "$tree"/labs/lab"$1"-*/*.cu)
    cp solutions/lab"$1"-*/*.cu "$file"
    while IFS=$'\t' read -r lab step run says change; do
        [ "$lab" = "$1" ] && [ "$change" != - ] || continue
        before=$(cksum <"$file")
        case $change in
        given:*) sed -i "${change#given: }" "$file" ;;
        *) sed -i "/BEGIN SOLUTION $step\$/,/END SOLUTION/{$change}" "$file" ;;
        esac
        assert_not_equal "$(cksum <"$file")" "$before" # nothing to plant at
    done <tests/planted/wrong.tsv
    sizes=$(lab_field "$1" "check sizes")
    : "${sizes:=$(sed -n 's/^readonly SIM_SIZES="\(.*\)"$/\1/p' common/tools/check.sh)}"
    while IFS=$'\t' read -r lab step run says change; do
        [ "$lab" = "$1" ] || continue
        [[ $run != check\ * ]] || assert_grep -wF -e "${run#check }" <<<"$sizes"
        run=${run/#check /check-lab$1 SIZE=}
        read -ra words <<<"${run%% --*}"
        run user_make "${words[@]}" DEVICE=sim ARGS="--step $step${run#"${words[*]}"}"
        if [ "$says" = clean ]; then assert_success; else assert_failure; fi
        grep -qiE "$says" <<<"$output" || fail "lab $1, $step: no '$says' in: $output"
    done <tests/planted/wrong.tsv
}

# Profile a lab's complete program on the simulator, into $tree/metrics.csv and $tree/run.csv:
# measure LAB PROGRAM METRICS FLAG...
measure() {
    DEVICE=sim "$tree/build/bin/labprof" --log-file "$tree/profile.txt" \
        --lab-metrics "$tree/metrics.csv" --lab "$1" --steps "$tree/run.csv" --metrics "$3" \
        "$tree/build/solutions/lab$1/$2" --profile "${@:4}" --csv "$tree/run.csv" >/dev/null
}

# counted KERNEL METRIC: what the profile says.
counted() {
    awk -F, -v kernel="$1" -v metric="$2" '$3 == kernel && $6 == metric { print $7 }' \
        "$tree/metrics.csv"
}

# is KERNEL METRIC NUMBER: the profile says so.
is() {
    assert_equal "$1: $2 is $(counted "$1" "$2")" "$1: $2 is $3"
}
