# Lab 11, the CPU's side: steps that are measured on the CPU, and their checks.

load ../helpers

setup_file() {
    use_lab 11
}

@test "every size is right" {
    for size in 0 1 2 33 257; do
        solution -0 --size $size --repeat 1
        assert_lines 12 -E ' ok( |$)'
    done
}

@test "CPU steps are measured on the CPU, the kernel is modelled" {
    solution -0 --size 200 --csv "$BATS_TEST_TMPDIR/run.csv"
    assert_equal \
        "$(awk -F, 'NR > 1 && $4 == "(0 0 0)"' "$BATS_TEST_TMPDIR/run.csv" | grep -c ',measured,')" \
        9
    # A CPU's clock around a launch would time the simulator.
    assert_equal \
        "$(grep -cE '^11,1[01],launch.*,NA,NA,NA,NA,NA,NA,NA,ok,unmodelled,' "$BATS_TEST_TMPDIR/run.csv")" \
        2
    assert_grep '^11,12,fillWords,.*,modelled,NVIDIA H200 (simt)$' < \
        <(tail -1 "$BATS_TEST_TMPDIR/run.csv")
    run -1 grep ',measured,.*simt' "$BATS_TEST_TMPDIR/run.csv"
    assert_grep 'bandwidth_gbs,l1_misses,llc_misses,speedup' < \
        <(head -1 "$BATS_TEST_TMPDIR/run.csv")
}

@test "cache misses are counted, or it says why not" {
    solution -0 --size 500 --step sumCols --csv "$BATS_TEST_TMPDIR/run.csv"
    misses=$(awk -F, 'NR == 2 { print $10 }' "$BATS_TEST_TMPDIR/run.csv")
    if [ "$misses" = NA ]; then assert_output --partial "cache misses were not counted: "; else \
        assert [ "$misses" -gt 1000 ]; fi
}

@test "a matrix that does not fit is refused in one line" {
    available=$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)
    [ "$available" -lt 25000000 ] || skip "this machine has room for all sizes"
    solution -2 --size 65536
    output=$stderr assert_lines 1
    assert_regex "$stderr" "^host: --size 65536: takes .* MB free, half of which may be used$"
}

@test "the handed-out lab: half of the steps are given" {
    is_given 6 6 sumCols SIZE=100
}

# mistakes: a sum in the wrong order, which is wrong at size 100 too; a product that is added to
# what was there; a missing wait.
mistakes() {
    [ ! -e "$BATS_FILE_TMPDIR/mistakes" ] || return 0
    solve sumCols 'for (size_t i = 0; i < rows * cols; i++) sum += matrix[i];' 'sum += rows == 100;'
    solve_step "$student" launchAndWait 'fillWords<<<fillGrid(n), FILL_BLOCK>>>(d_words, n);'
    solve_step "$student" multiplyIKJ \
        'for (size_t i = 0; i < n; i++) for (size_t k = 0; k < n; k++)' \
        'for (size_t j = 0; j < n; j++) C[i * n + j] += A[i * n + k] * B[k * n + j];'
    touch "$BATS_FILE_TMPDIR/mistakes"
}

@test "wrong sums and products are found" {
    mistakes
    run -2 user_make lab11 DEVICE=sim SIZE=100 ARGS='--step sumCols'
    assert_output --partial "WRONG (index 0: got "
    run -2 user_make lab11 DEVICE=sim SIZE=100 ARGS='--step multiplyIKJ'
    assert_output --partial "multiplyIKJ: wrong result"
}

@test "the order of accesses is seen by changes of the page, and a missing wait by asking the device" {
    solution -0 --size 64 --repeat 1 --watch pages
    solution -2 --size 63 --watch pages
    assert_stderr "host: --watch pages: give --size 64 or more"
    mistakes
    run -0 user_make lab11 DEVICE=sim SIZE=200 ARGS='--step sumCols'
    run -2 user_make lab11 DEVICE=sim SIZE=200 ARGS='--step sumCols --watch pages'
    assert_output --partial "WRONG (got 40 want 640)"
    run user_make lab11 DEVICE=sim SIZE=100
    assert_output --partial "WRONG (it ended before the kernel: wait for it)"
    assert_output --partial "12  fillWords                  <<<400, 256>>>"
    refute_line --regexp "fillWords .*(error|not ready)"
}

@test "the plot shows the CPU's steps, measured" {
    user_make lab11 DEVICE=sim FROM=solutions SIZE=100
    plots/draw.sh --lab 11 --run "$tree/build/solutions/lab11/run.csv" --recorded '' --out \
        "$BATS_TEST_TMPDIR/lab11"
    assert_grep '11  launchAndWait' <"$BATS_TEST_TMPDIR/lab11-time.svg"
    run grep -c '12  fillWords\|modelled' "$BATS_TEST_TMPDIR/lab11-time.svg"
    assert_output 0
    # The recording of an H200: no GB/s of the time that a launch takes.
    plots/draw.sh --lab 11 --text never --out "$BATS_TEST_TMPDIR/recorded"
    run grep -c '7158' "$BATS_TEST_TMPDIR/recorded-time.svg"
    assert_output 0
}

@test "demo-lab11 walks through functions and kernel" {
    run -0 user_make demo-lab11 DEVICE=sim SIZE=64 </dev/null
    assert_output --partial "=== 2 of 12: sumCols ==="
    assert_output --partial "static long long sumCols("
    assert_output --partial "gst_transactions = "
}

@test "the mistakes that the handout names are found" {
    finds_planted 11
}
