#!/usr/bin/env bash
# run.sh: run every suite that `make test` has built, count, and end with "N passed, N failed".
#
# Every suite prints a line for each test that begins with "ok", "not ok" or "FAIL", as TAP has it or nearly so. A suite that ends with an error without having
# named a failed test, or that names no test at all, counts as one failure itself.
set -uo pipefail
build=${BUILD:-build}
passed=0 failed=0 skipped=0
unset MAKEFLAGS MAKELEVEL MFLAGS # tests that call make are users of it, not parts of this one
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# suite TITLE COMMAND...
suite() {
    local title=$1 status good bad skip
    shift
    "$@" >"$log" 2>&1
    status=$?
    skip=$(grep -ciE '^ok .*# skip' "$log")
    good=$(($(grep -cE '^ok ' "$log") - skip))
    bad=$(grep -cE '^(not ok|FAIL) ' "$log")
    if [ "$bad" = 0 ] && { [ "$status" != 0 ] || [ "$good" = 0 ]; }; then bad=1; fi
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skip))
    printf '  %-34s %4d passed, %d failed%s\n' "$title" "$good" "$bad" "$([ "$skip" = 0 ] || echo ", $skip skipped")"
    [ "$bad" = 0 ] || { echo "--- $title (exit code $status)"; cat "$log"; echo "---"; }
}

before=$(git status --porcelain 2>/dev/null)

export CMOCKA_MESSAGE_OUTPUT=TAP
for folder in "$build" "$build/sanitized"; do
    for program in "$folder"/tests/test_*; do
        [ -x "$program" ] && [ -f "$program" ] && suite "${program#"$build"/}" "$program"
    done
done
for runner in tests/*/run; do
    [ -x "$runner" ] && suite "$runner" "$runner"
done
suite "tests/programs, checked" env CHECK=1 tests/programs/run -r
suite "claims of the handouts" make --no-print-directory BUILD="$build" DEVICE=sim claims
for file in tests/*.bats; do suite "$file" bats --tap "$file"; done

if [ "$(git status --porcelain 2>/dev/null)" != "$before" ]; then
    echo "not ok: the tests have left something behind:"
    git status --short
    failed=$((failed + 1))
fi
[ "$skipped" = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
