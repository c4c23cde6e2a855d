# How far a student is with the labs, and what helps: progress, hint-labN, watch-labN.

load ../helpers

setup_file() {
    copy_project
    student=$tree/labs/lab3-reduction/reduction.cu
    export student
}

setup() {
    cp labs/lab3-reduction/reduction.cu "$student"
    rm -rf "$tree/build/lab3/run.csv" "$tree/build/lab3/hints"
}

# solve STEP: put the solution's text of this step into the student's file.
solve() {
    awk -v step="$1" 'FNR == NR { if ($0 ~ "BEGIN SOLUTION " step "$") on = 1; if (on) text = text $0 "\n"; if (/END SOLUTION/) on = 0; next }
        $0 ~ "BEGIN SOLUTION " step "$" { printf "%s", text; off = 1 } !off { print } /END SOLUTION/ { off = 0 }' \
        solutions/lab3-reduction/reduction.cu "$student" >"$student.new"
    mv "$student.new" "$student"
}

@test "progress: each lab, what is to do first, and points" {
    run user_make progress
    assert_success
    assert_line --regexp '^lab3 .* 0 +0 of +8 +0 of +80  to do: reduceNeighboredLess, labs/lab3-reduction/reduction.cu:78$'
    assert_output --partial "0 of $(cat labs/*/*.cu | grep -c 'BEGIN SOLUTION') steps are right"
}

@test "progress: a step is new, then right; a wrong one is wrong" {
    solve reduceNeighboredLess
    run user_make progress
    assert_line --regexp '^lab3 .* 1 +0 of +8 +0 of +80  run it: reduceNeighboredLess, '
    user_make lab3 DEVICE=sim SIZE=1000
    run user_make progress
    assert_line --regexp '^lab3 .* 1 +1 of +8 +6 of +80  to do: reduceInterleaved, '
    sed -i 's/idata\[index\] += idata/idata[index] -= idata/' "$student"
    run user_make lab3 DEVICE=sim SIZE=1000
    assert_failure
    run user_make progress
    assert_line --regexp '^lab3 .* 1 +0 of +8 +0 of +80  wrong: reduceNeighboredLess, '
}

@test "progress: a file whose marks are damaged is named" {
    sed -i '0,/END SOLUTION/s///' "$student"
    run user_make progress
    assert_failure 2
    assert_output --partial "labs/lab3-reduction/reduction.cu:"
}

@test "hints: one more each time, and again from the first for the next step" {
    run user_make hint-lab3
    assert_success
    assert_output --partial "1. Read handouts/lab3.md#reduceneighboredless"
    assert_output --partial "1 of 4 hints"
    run user_make hint-lab3
    assert_output --partial "2. Thread tid works at index"
    run user_make hint-lab3
    run user_make hint-lab3
    run user_make hint-lab3
    assert_output --partial "4 of 4 hints: all there are."
    solve reduceNeighboredLess
    user_make lab3 DEVICE=sim SIZE=1000
    run user_make hint-lab3
    assert_line --partial "reduceInterleaved (labs/lab3-reduction/reduction.cu:"
    assert_output --partial "1 of "
}

@test "hints: each step of each lab has one that is more than where to read" {
    common/tools/hints.sh >"$BATS_TEST_TMPDIR/hints.tsv"
    for file in labs/*/*.cu; do
        for step in $(sed -n 's/.*BEGIN SOLUTION //p' "$file"); do
            [ "$(cut -f 2 "$BATS_TEST_TMPDIR/hints.tsv" | grep -cx "$step")" -ge 2 ] || fail "$file: no hint for $step"
        done
    done
}

@test "hints: none shows a line of a solution" {
    common/tools/hints.sh | cut -f 3 >"$BATS_TEST_TMPDIR/hints"
    sed 's/^ *//' solutions/*/*.cu | grep -E ';$' | grep -E '.{16,}' >"$BATS_TEST_TMPDIR/lines"
    run grep -Ff "$BATS_TEST_TMPDIR/lines" "$BATS_TEST_TMPDIR/hints"
    assert_failure 1
}

@test "watch: runs the lab, and again at a save" {
    user_make watch-lab3 DEVICE=sim SIZE=1000 >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
    times() { grep -c 'next: labs/lab3' "$BATS_TEST_TMPDIR/log" || true; }
    for ((i = 0; i < 300 && $(times) < 1; i++)); do sleep 0.2; done
    assert_equal "$(times)" 1
    solve reduceNeighboredLess
    for ((i = 0; i < 300 && $(times) < 2; i++)); do sleep 0.2; done
    # entr runs behind make.
    kill "$(pgrep -f "^entr -an .*lab3$" | head -n 1)"
    wait || true
    [ "$(times)" = 2 ] || fail "$(cat "$BATS_TEST_TMPDIR/log"; pgrep -af entr)"
    assert_grep -E 'reduceNeighboredLess .* ok$' <"$BATS_TEST_TMPDIR/log"
}
