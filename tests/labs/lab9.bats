# Lab 9, the matrix product: widths of every kind, the check of its reference, and mistakes that powers of two hide.

load ../helpers

setup_file() {
    use_lab 9
}

@test "every width is right, and whole tiles are refused the others" {
    for size in 1 15 33 77 130; do
        solution --size $size
        assert_success
        assert_lines 6 ' ok '
        assert_lines 2 'whole tiles only'
    done
    for size in 16 256; do
        solution --size $size
        assert_success
        assert_lines 8 ' ok '
    done
}

@test "no rows at all: nothing is launched" {
    solution --size 0
    assert_success
    assert_output --partial "an empty problem"
}

@test "bad sizes and blocks are refused in one line" {
    solution --size 8193
    assert_failure 2
    assert_stderr "matmul: --size 8193: too large; the limit is 8192"
    solution --block 128
    assert_failure 2
    assert_regex "$stderr" "leave it at 256$"
}

@test "rates are operations a second, in the table and in a column of their own" {
    solution --size 64 --csv "$BATS_TEST_TMPDIR/run.csv"
    assert_success
    assert_output --partial "GFLOP/s"
    assert_equal "$(head -1 "$BATS_TEST_TMPDIR/run.csv")" \
        "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,gflops,speedup,status,clock,device"
    awk -F, 'NR > 1 { want = 2 * 64 ^ 3 / $6 / 1e6; if ($10 / want > 1.001 || $10 / want < 0.999) exit 1 }' "$BATS_TEST_TMPDIR/run.csv"
}

@test "on a GPU of ten multiprocessors the last step is ahead at 512" {
    for step in MatMulUnrolled MatMulWarpTiles; do
        run --separate-stderr "$tree/build/bin/simt" --gpu gtx1060 "$solution" --size 512 --step $step \
            --csv "$BATS_TEST_TMPDIR/$step.csv"
        assert_success
    done
    ms() { awk -F, 'NR == 2 { print $6 }' "$BATS_TEST_TMPDIR/$1.csv"; }
    awk -v last="$(ms MatMulWarpTiles)" -v third="$(ms MatMulUnrolled)" 'BEGIN { print last, third; exit !(last < third / 2) }'
}

@test "without cuBLAS it says so and goes on" {
    solution --size 16
    assert_success
    assert_output --partial "without cuBLAS beside them: the simulator cannot run its machine code"
}

@test "the handed-out lab: the first kernel is ok, the others to do" {
    run user_make lab9 DEVICE=sim SIZE=32
    assert_success
    assert_lines 1 ' ok '
    assert_lines 7 ' todo$'
    assert_line --index -1 --regexp "^next: labs/lab9-matmul/matmul\.cu:.*: MatMulTiled\(32\): "
    run "$tree/build/bin/skeleton" check solutions/lab9-matmul/matmul.cu labs/lab9-matmul/matmul.cu
    assert_success
}

@test "a product that forgets one term, or the edge, is wrong" {
    solve MatMulAnyWidth 'int Row = blockIdx.y * TILE + threadIdx.y, Col = blockIdx.x * TILE + threadIdx.x;' \
        'float Pvalue = 0;' 'for (int k = 1; k < Width; k++) Pvalue += wordOf(Md, Row, k, Width) * wordOf(Nd, k, Col, Width);' \
        'if (Row < Width && Col < Width) Pd[Row * Width + Col] = Pvalue;'
    run user_make lab9 DEVICE=sim SIZE=512 ARGS='--step MatMulAnyWidth'
    assert_failure 2
    assert_output --partial "WRONG (index "
    solve MatMulAnyWidth 'int Row = blockIdx.y * TILE + threadIdx.y, Col = blockIdx.x * TILE + threadIdx.x;' \
        'float Pvalue = 0;' 'for (int k = 0; k < Width; k++) Pvalue += Md[Row % Width * Width + k] * Nd[k * Width + Col % Width];' \
        'if (Row < Width / TILE * TILE && Col < Width) Pd[Row * Width + Col] = Pvalue;'
    run user_make lab9 DEVICE=sim SIZE=64 ARGS='--step MatMulAnyWidth'
    assert_success
    run user_make lab9 DEVICE=sim SIZE=77 ARGS='--step MatMulAnyWidth'
    assert_failure 2
    assert_output --partial "nothing was written here"
}

@test "the plots have a roofline" {
    user_make lab9 profile-lab9 DEVICE=sim FROM=solutions SIZE=64
    for picture in time metrics roofline; do assert [ -s "$tree/build/solutions/plots/lab9-$picture.svg" ]; done
    assert_grep 'arithmetic: 66908 GFLOP/s' <"$tree/build/solutions/plots/lab9-roofline.svg"
    assert_grep '66908 GFLOP/s' <"$tree/build/solutions/plots/lab9-time.svg"
}

@test "demo-lab9 walks through all kernels" {
    run user_make demo-lab9 DEVICE=sim SIZE=64 </dev/null
    assert_success
    assert_output --partial "=== 8 of 8: MatMulWarpTiles ==="
    assert_output --partial "gld_transactions = "
}
