# Lab 11, the CPU's side: steps that are measured on the CPU, and their checks.

bats_require_minimum_version 1.5.0
load ../helpers

setup_file() {
    copy_project
    user_make DEVICE=sim FROM=solutions build/solutions/lab11/host
}

host() {
    run --separate-stderr "$tree/build/bin/simt" "$tree/build/solutions/lab11/host" "$@"
}

# Put a function's body in the place of a TODO: solve STEP LINE...
solve() {
    printf '    %s\n' "${@:2}" >"$tree/body"
    awk -v step="$1" -v file="$tree/body" '
        $0 ~ "BEGIN SOLUTION " step "$" { print; while ((getline line < file) > 0) print line; skip = 1; next }
        /END SOLUTION/ { skip = 0 }
        !skip' labs/lab11-host/host.cu >"$tree/labs/lab11-host/host.cu"
}

@test "every size is right" {
    for size in 0 1 2 33 257; do
        host --size $size --repeat 1
        ended_with 0
        [ "$(grep -cE ' ok( |$)' <<<"$output")" -eq 12 ]
    done
}

@test "CPU steps are measured on the CPU, the kernel is modelled" {
    host --size 200 --csv "$BATS_TEST_TMPDIR/run.csv"
    ended_with 0
    [ "$(awk -F, 'NR > 1 && $4 == "(0 0 0)"' "$BATS_TEST_TMPDIR/run.csv" | grep -c ',measured,')" -eq 11 ]
    tail -1 "$BATS_TEST_TMPDIR/run.csv" | grep -q '^11,12,fillWords,.*,modelled,NVIDIA H200 (simt)$'
    run grep ',measured,.*simt' "$BATS_TEST_TMPDIR/run.csv"
    ended_with 1
    head -1 "$BATS_TEST_TMPDIR/run.csv" | grep -q 'bandwidth_gbs,l1_misses,llc_misses,speedup'
}

@test "cache misses are counted, or it says why not" {
    host --size 500 --step sumCols --csv "$BATS_TEST_TMPDIR/run.csv"
    ended_with 0
    misses=$(awk -F, 'NR == 2 { print $10 }' "$BATS_TEST_TMPDIR/run.csv")
    if [ "$misses" = NA ]; then printed "cache misses were not counted: "; else [ "$misses" -gt 1000 ]; fi
}

@test "a matrix that does not fit is refused in one line" {
    available=$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)
    [ "$available" -lt 25000000 ] || skip "this machine has room for all sizes"
    host --size 65536
    ended_with 2
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "host: --size 65536: takes "*" MB free, half of which may be used" ]]
}

@test "the handed-out lab: half of the steps are given" {
    run user_make lab11 DEVICE=sim SIZE=100
    ended_with 0
    [ "$(grep -cE ' ok( |$)' <<<"$output")" -eq 6 ]
    [ "$(grep -cE ' todo( |$)' <<<"$output")" -eq 6 ]
    [[ $(last_line) == "next: labs/lab11-host/host.cu:"*": sumCols: "* ]]
    run "$tree/build/bin/skeleton" check solutions/lab11-host/host.cu labs/lab11-host/host.cu
    ended_with 0
}

@test "wrong sums and products are found" {
    solve sumCols 'sum = sumRows(matrix, rows, cols) + (rows == 100);'
    run user_make lab11 DEVICE=sim SIZE=100 ARGS='--step sumCols'
    ended_with 2
    printed "WRONG (index 0: got "
    solve multiplyIKJ 'for (size_t i = 0; i < n; i++) for (size_t k = 0; k < n; k++)' \
        'for (size_t j = 0; j < n; j++) C[i * n + j] += A[i * n + k] * B[k * n + j];'
    run user_make lab11 DEVICE=sim SIZE=100 ARGS='--step multiplyIKJ'
    ended_with 2
    printed "multiplyIKJ: wrong result"
}

@test "the order of accesses is seen by changes of the page, and a missing wait by asking the device" {
    host --size 64 --repeat 1 --watch pages
    ended_with 0
    host --size 63 --watch pages
    ended_with 2
    [ "$stderr" = "host: --watch pages: give --size 64 or more" ]
    solve sumCols 'for (size_t i = 0; i < rows * cols; i++) sum += matrix[i];'
    run user_make lab11 DEVICE=sim SIZE=200 ARGS='--step sumCols'
    ended_with 0
    run user_make lab11 DEVICE=sim SIZE=200 ARGS='--step sumCols --watch pages'
    ended_with 2
    printed "WRONG (index 0: got 40 want 640)"
    solve launchAndWait 'fillWords<<<fillGrid(n), FILL_BLOCK>>>(d_words, n);'
    run user_make lab11 DEVICE=sim SIZE=100
    printed "WRONG (index 0: got 0 want 1)"
    printed "12  fillWords                  <<<400, 256>>>"
    ! grep -E "fillWords .*(error|not ready)" <<<"$output"
}

@test "the plot shows the CPU's steps, measured" {
    user_make lab11 DEVICE=sim FROM=solutions SIZE=100
    plots/draw.sh --lab 11 --run "$tree/build/solutions/lab11/run.csv" --recorded '' --out "$BATS_TEST_TMPDIR/lab11"
    grep -q '11  launchAndWait' "$BATS_TEST_TMPDIR/lab11-time.svg"
    run grep -c '12  fillWords\|modelled' "$BATS_TEST_TMPDIR/lab11-time.svg"
    [ "$output" = 0 ]
}

@test "demo-lab11 walks through functions and kernel" {
    run user_make demo-lab11 DEVICE=sim SIZE=64 </dev/null
    ended_with 0
    printed "=== 2 of 12: sumCols ==="
    printed "static long long sumCols("
    printed "gst_transactions = "
}
