# Lab 9, the matrix product: widths of every kind, the check of its reference, and mistakes that
# powers of two hide.

load ../helpers

setup_file() {
    use_lab 9
}

@test "every width is right, and whole tiles are refused the others" {
    for shape in 1x1 15x15 33x33 77x31 31x77 130x130 128x40; do
        solution -0 --rows ${shape%x*} --cols ${shape#*x}
        assert_lines 6 ' ok '
        assert_lines 3 'whole tiles only'
    done
    for shape in 128x128 128x16 256x64; do
        solution -0 --rows ${shape%x*} --cols ${shape#*x}
        assert_lines 9 ' ok '
    done
}

@test "no rows at all: nothing is launched" {
    solution -0 --size 0
    assert_output --partial "an empty problem"
}

@test "bad sizes and blocks are refused in one line" {
    solution -2 --size 8193
    assert_stderr "matmul: --size 8193: too large; the limit is 8192"
    solution -2 --rows 8193 --cols 1
    assert_stderr "matmul: --rows 8193: too large; the limit is 8192"
    solution -2 --block 128
    assert_regex "$stderr" "leave it at 256$"
}

@test "rates are operations a second, in the table and in a column of their own" {
    solution -0 --size 64 --csv "$BATS_TEST_TMPDIR/run.csv"
    assert_output --partial "GFLOP/s"
    assert_equal "$(head -1 "$BATS_TEST_TMPDIR/run.csv")" \
        "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,gflops,speedup,status,clock,device"
    awk -F, \
        'NR > 1 && $6 != "NA" { want = 2 * 64 ^ 3 / $6 / 1e6; if ($10 / want > 1.001 || $10 / want < 0.999) exit 1 }' \
        "$BATS_TEST_TMPDIR/run.csv"
}

# times SIZE RUN.csv: kernel and time of each step at this size.
times() {
    awk -F, -v size="($1)" \
        '$3 ~ /^MatMul/ && index($3, size) { sub(/\(.*/, "", $3); print $3, $6 }' "$2"
}

@test "on simt a step gains or loses over the one before as on an H200 at 4096" {
    needs_nvcc
    (unset SIM_GPU && user_make lab9 DEVICE=sim FROM=solutions)
    times 4096 plots/reference/h200/lab9.csv >"$BATS_TEST_TMPDIR/h200"
    times 1408 "$tree/build/solutions/lab9/run.csv" >"$BATS_TEST_TMPDIR/simt"
    run paste -d ' ' "$BATS_TEST_TMPDIR/h200" "$BATS_TEST_TMPDIR/simt"
    assert_lines 9 -E '^(MatMul[A-Za-z]+) [0-9.]+ \1 [0-9.]+$'
    # Neighbours that differ by more than 10 % on the H200.
    run awk 'NR > 1 { h200 = before / $2; simt = simt_before / $4 }
        NR > 1 && (h200 > 1.1 || h200 < 1 / 1.1) { compared++; if ((h200 > 1) != (simt > 1)) print $1, h200, simt }
        { before = $2; simt_before = $4 } END { print compared " compared" }' <<<"$output"
    assert_output "6 compared"
    # Within 5 %: another compiler's code may differ a little.
    times 1408 plots/reference/h200-simt/lab9.csv >"$BATS_TEST_TMPDIR/recorded"
    run awk 'NR == FNR { recorded[$1] = $2; next } { off = $2 / recorded[$1] }
        off > 1.05 || off < 0.95 { print $1, $2, "recorded:", recorded[$1] ": make record-lab9 DEVICE=sim handouts-update" }' \
        "$BATS_TEST_TMPDIR/recorded" "$BATS_TEST_TMPDIR/simt"
    refute_output
}

@test "without cuBLAS it says so and goes on" {
    solution -0 --size 16
    assert_output --partial "without cuBLAS beside them: the simulator cannot run its machine code"
}

@test "the handed-out lab: the first kernel is ok, the others to do" {
    is_given 1 8 'MatMulTiled\(128\)' SIZE=128
}

@test "a product that forgets one term, or the edge, is wrong" {
    # At 512 the first, at other widths the second.
    solve MatMulAnyWidth \
        'int Row = blockIdx.y * TILE + threadIdx.y, Col = blockIdx.x * TILE + threadIdx.x;' \
        'float Pvalue = 0;' \
        'for (int k = Width == 512; k < Inner; k++) Pvalue += Md[Row % Width * Inner + k] * Nd[k * Width + Col % Width];' \
        'if ((Width == 512 || Row < Width / TILE * TILE) && Col < Width) Pd[Row * Width + Col] = Pvalue;'
    run -2 user_make lab9 DEVICE=sim SIZE=512x16 ARGS='--step MatMulAnyWidth'
    assert_output --partial "WRONG (row 0, column 0: got "
    run -0 user_make lab9 DEVICE=sim SIZE=64 ARGS='--step MatMulAnyWidth'
    run -2 user_make lab9 DEVICE=sim SIZE=77 ARGS='--step MatMulAnyWidth'
    assert_output --partial "nothing was written here"
}

@test "the plots have a roofline" {
    user_make lab9 profile-lab9 DEVICE=sim FROM=solutions SIZE=64
    for picture in time metrics roofline; do assert [ -s \
        "$tree/build/solutions/plots/lab9-$picture.svg" ]; done
    assert_grep 'arithmetic: 66908 GFLOP/s' <"$tree/build/solutions/plots/lab9-roofline.svg"
    assert_grep '66908 GFLOP/s' <"$tree/build/solutions/plots/lab9-time.svg"
}

@test "demo-lab9 walks through all kernels" {
    run -0 user_make demo-lab9 DEVICE=sim SIZE=64 </dev/null
    assert_output --partial "=== 9 of 9: MatMulAhead ==="
    assert_output --partial "gld_transactions = "
}

@test "the mistakes that the handout names are found" {
    finds_planted 9
}
