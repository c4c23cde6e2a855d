# Lab 9, the matrix product: widths of every kind, the check of its reference, and mistakes that
# powers of two hide.

load ../helpers

setup_file() {
    use_lab 9
}

@test "every width is right, and whole tiles are refused the others" {
    for size in 1 15 33 77 130; do
        solution -0 --size $size
        assert_lines 6 ' ok '
        assert_lines 3 'whole tiles only'
    done
    for size in 128 256; do
        solution -0 --size $size
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

# make in the copy without SIM_GPU in the environment.
make_default() {
    (unset SIM_GPU && user_make DEVICE=sim "$@")
}

@test "the simulator plays a GTX 1060 unless SIM_GPU says otherwise; what is compared with recordings plays the H200" {
    for target in lab9 profile-lab9; do
        run -0 make_default $target FROM=solutions SIZE=16 PLOT=0
        assert_output --partial "Device: NVIDIA GeForce GTX 1060 6GB (simt)"
        run -0 user_make $target FROM=solutions DEVICE=sim SIM_GPU=h200 SIZE=16 PLOT=0
        assert_output --partial "Device: NVIDIA H200 (simt)"
    done
    for target in check-lab9 demo-lab9; do
        assert_equal "$(make_default -n $target | grep -oE -- '--gpu [a-z0-9]+' | sort -u)" \
            "--gpu gtx1060"
    done
    # Of the H200's compute capability: nothing is compiled again.
    run env SIM_GPU=h100 make -C "$tree" lab9 DEVICE=sim SIZE=16
    assert_output --partial "Device: NVIDIA H100 80GB HBM3 (simt)"
    for target in record-lab9 compare-lab9 measured-lab9 front-lab9; do
        run make_default -n $target
        assert_output --partial " SIM_GPU=h200 "
        refute_output --partial -- "--gpu gtx1060"
    done
    run make_default -n lab8
    assert_output --partial -- "--gpu h200"
}

# times SIZE RUN.csv: kernel and time of each step at this size.
times() {
    awk -F, -v size="($1)" \
        '$3 ~ /^MatMul/ && index($3, size) { sub(/\(.*/, "", $3); print $3, $6 }' "$2"
}

@test "at 512 on the virtual GPU of this lab a step gains or loses over the one before as on an H200 at 4096" {
    needs_nvcc
    make_default lab9 FROM=solutions
    times 4096 plots/reference/h200/lab9.csv >"$BATS_TEST_TMPDIR/h200"
    times 512 "$tree/build/solutions/lab9/run.csv" >"$BATS_TEST_TMPDIR/simt"
    run paste -d ' ' "$BATS_TEST_TMPDIR/h200" "$BATS_TEST_TMPDIR/simt"
    assert_lines 9 -E '^(MatMul[A-Za-z]+) [0-9.]+ \1 [0-9.]+$'
    # Neighbours that differ by more than 10 % on the H200.
    run awk 'NR > 1 { h200 = before / $2; simt = simt_before / $4 }
        NR > 1 && (h200 > 1.1 || h200 < 1 / 1.1) { compared++; if ((h200 > 1) != (simt > 1)) print $1, h200, simt }
        { before = $2; simt_before = $4 } END { print compared " compared" }' <<<"$output"
    assert_output "6 compared"
    # the last
    assert_equal "$(sort -k 2,2 -g -r "$BATS_TEST_TMPDIR/simt" | head -n 1 | cut -d ' ' -f 1)" \
        MatMulBlockMerge
    # Within 5 %: another compiler's code may differ a little.
    times 512 plots/reference/gtx1060-simt/lab9.csv >"$BATS_TEST_TMPDIR/recorded"
    run awk 'NR == FNR { recorded[$1] = $2; next } { off = $2 / recorded[$1] }
        off > 1.05 || off < 0.95 { print $1, $2, "recorded:", recorded[$1] ": make record-lab9 DEVICE=sim SIM_GPU=gtx1060 handouts-update" }' \
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
        'for (int k = Width == 512; k < Width; k++) Pvalue += Md[Row % Width * Width + k] * Nd[k * Width + Col % Width];' \
        'if ((Width == 512 || Row < Width / TILE * TILE) && Col < Width) Pd[Row * Width + Col] = Pvalue;'
    run -2 user_make lab9 DEVICE=sim SIZE=512 ARGS='--step MatMulAnyWidth'
    assert_output --partial "WRONG (row 0, column 0: got "
    run -0 user_make lab9 DEVICE=sim SIZE=64 ARGS='--step MatMulAnyWidth'
    run -2 user_make lab9 DEVICE=sim SIZE=77 ARGS='--step MatMulAnyWidth'
    assert_output --partial "nothing was written here"
}

@test "the plots have a roofline" {
    user_make lab9 profile-lab9 DEVICE=sim FROM=solutions SIZE=64
    for picture in time metrics roofline; do assert [ -s \
        "$tree/build/solutions/plots/lab9-$picture.svg" ]; done
    assert_grep 'arithmetic: 4372 GFLOP/s' <"$tree/build/solutions/plots/lab9-roofline.svg"
    assert_grep '4372 GFLOP/s' <"$tree/build/solutions/plots/lab9-time.svg"
}

@test "demo-lab9 walks through all kernels" {
    run -0 user_make demo-lab9 DEVICE=sim SIZE=64 </dev/null
    assert_output --partial "=== 9 of 9: MatMulAhead ==="
    assert_output --partial "gld_transactions = "
}

@test "the mistakes that the handout names are found" {
    finds_planted 9
}
