#!/usr/bin/env bash
# run.sh: run every suite that `make test` has built, count, and end with "N passed, N failed".
#
# Every suite prints a line for each test that begins with "ok", "not ok" or "FAIL", as TAP has it or nearly so. A suite that ends with an error without having
# named a failed test, or that names no test at all, counts as one failure itself.
set -uo pipefail
build=${BUILD:-build}
passed=0 failed=0 skipped=0
unset MAKEFLAGS MAKELEVEL MFLAGS # tests that call make are users of it, not parts of this one
work=$(mktemp -d)
trap 'jobs -p | xargs -r kill 2>/dev/null; rm -rf "$work"' EXIT

# count TITLE LOG STATUS SECONDS: one line for a suite that has ended, and its output if it failed.
count() {
    local title=$1 log=$2 status=$3 good bad skip
    skip=$(grep -ciE '^ok .*# skip' "$log")
    good=$(($(grep -cE '^ok ' "$log") - skip))
    bad=$(grep -cE '^(not ok|FAIL) ' "$log")
    if [ "$bad" = 0 ] && { [ "$status" != 0 ] || [ "$good" = 0 ]; }; then bad=1; fi
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skip))
    printf '  %-34s %4d passed, %d failed%s, %d s\n' "$title" "$good" "$bad" "$([ "$skip" = 0 ] || echo ", $skip skipped")" "$4"
    [ "$bad" = 0 ] || { echo "--- $title (exit code $status)"; cat "$log"; echo "---"; }
}

# suite TITLE COMMAND...: run it now, with nothing beside it.
suite() {
    local title=$1 start=$SECONDS
    shift
    "$@" >"$work/log" 2>&1
    count "$title" "$work/log" $? $((SECONDS - start))
}

# bats_file FILE: run it, and leave its output and how it ended in $work.
bats_file() {
    local name start=$SECONDS status
    name=$(basename "$1")
    bats --tap "$1" >"$work/$name.log" 2>&1 </dev/null
    status=$?
    echo "$status $((SECONDS - start))" >"$work/$name.part"
    mv "$work/$name.part" "$work/$name.end"
}

# bats_files FILE...: each has a copy of the project of its own, so as many run at a time as there are processors.
bats_files() {
    local file name status seconds
    {
        for file; do
            while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
            bats_file "$file" &
        done
        wait
    } &
    for file; do
        name=$(basename "$file")
        until [ -e "$work/$name.end" ]; do sleep 0.2; done
        read -r status seconds <"$work/$name.end"
        count "$file" "$work/$name.log" "$status" "$seconds"
    done
}

before=$(git status --porcelain 2>/dev/null)

export CMOCKA_MESSAGE_OUTPUT=TAP
for folder in "$build" "$build/sanitized"; do
    for program in "$folder"/tests/test_*; do
        [ -x "$program" ] && [ -f "$program" ] && suite "${program#"$build"/}" "$program"
    done
done
# What counts instructions as nvcc makes them, or calls nvcc itself, has nothing to test where clang takes its place.
if [ "${FRONT:-nvcc}" = clang ]; then
    suite "tests/programs, by clang" tests/front/programs.sh
    only=(grep -L '^# needs nvcc')
else
    for runner in tests/*/run; do
        [ -x "$runner" ] && suite "$runner" "$runner"
    done
    suite "tests/programs, checked" env CHECK=1 tests/programs/run -r
    [ ! -d solutions ] || suite "claims of the handouts" make --no-print-directory BUILD="$build" DEVICE=sim claims
    only=(ls)
fi
# Longest first, so that none is left alone at the end.
mapfile -t files < <("${only[@]}" tests/*.bats | xargs wc -l | sort -rn | awk '$2 != "total" { print $2 }')
bats_files "${files[@]}"

if [ "$(git status --porcelain 2>/dev/null)" != "$before" ]; then
    echo "not ok: the tests have left something behind:"
    git status --short
    failed=$((failed + 1))
fi
[ "$skipped" = 0 ] || echo "$skipped skipped"
[ "${FRONT:-nvcc}" = nvcc ] || echo "without nvcc: left out $(grep -l "^# needs nvcc" tests/*.bats | xargs -n 1 basename -s .bats | paste -sd " "), claims"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
