# Lab 10, matrix and vector: shapes of every kind, sector counts against arithmetic of the tests'
# own, and wrong kernels.

load ../helpers

setup_file() {
    use_lab 10 build/bin/labprof
}

METRICS=gld_transactions,gld_requests,gst_transactions,shared_ld_bank_conflict

@test "every shape is right: one word, ragged, tall, flat, empty" {
    for shape in "1 1" "31 33" "77 131" "16 16" "600 3" "3 600" "513 17" "0 5" "5 0"; do
        solution -0 --rows "${shape% *}" --cols "${shape#* }"
        assert_lines 11 -E ' ok( |$)'
    done
    solution -0 --rows 1000 --cols 40 --block 1024
}

@test "a block that is no whole number of warps is refused" {
    solution -2 --block 16
    assert_stderr --partial -- "--block 16: the lab speaks of whole warps"
}

@test "sectors are what the arithmetic says, ragged rows and all" {
    R=77 K=131
    measure 10 matvec $METRICS --rows $R --cols $K
    naive=$(awk -v R=$R -v K=$K 'BEGIN { for (w = 0; 32 * w < R; w++) for (i = 0; i < K; i++) { split("", seen)
        for (r = 32 * w; r < 32 * w + 32 && r < R; r++) seen[int((r * K + i) / 8)] = 1
        for (s in seen) sum++; sum++ } print sum }')
    is mvNaive gld_transactions "$naive"
    is mvNaive gld_requests $((2 * K * 3))
    # 16 lanes: those beyond the matrix read word 0.
    staged=$(awk -v R=$R -v K=$K 'function touch(there, word) { seen[there ? int(word / 8) : 0] = 1 }
        function count(s) { for (s in seen) sum++; split("", seen) }
        BEGIN { for (first = 0; first < R; first += 16) for (i = 0; i < K; i += 16) {
            for (t = 0; t < 16; t++) touch(i + t < K, i + t); count()
            for (l = 0; l < 16; l++) { for (t = 0; t < 16; t++) touch(first + l < R && i + t < K, (first + l) * K + i + t); count() } }
            print sum }')
    is mvStaged gld_transactions "$staged"
    is mvStaged gld_requests $((5 * 9 * 17))
    row=$(awk -v R=$R -v K=$K 'BEGIN { for (r = 0; r < R; r++) for (i = 0; i < K; i += 32) { end = i + 32 < K ? i + 32 : K
            sum += int((r * K + end - 1) / 8) - int((r * K + i) / 8) + 1 + int((end - 1) / 8) - int(i / 8) + 1 } print sum }')
    is mvWarpRow gld_transactions "$row"
    is mvWarpRow gst_transactions $R
}

@test "sectors of whole tiles are what the handout says, and no bank conflicts" {
    R=512 K=64
    measure 10 matvec $METRICS --rows $R --cols $K
    is mvNaive gld_transactions $((33 * K * R / 32))
    is mvStaged gld_transactions $((34 * R / 16 * K / 16))
    is mvBlockMerge gld_transactions $((258 * R / 128 * K / 16))
    is mvThreadMerge gld_transactions $((514 * R / 256 * K / 16))
    is mvPartitionOffset gld_transactions $((514 * R / 256 * K / 16))
    is mvWarpRow gld_transactions $((8 * R * K / 32))
    is mmNaive gld_transactions $((4 * K * R * R / 32))
    is mmStaged gld_transactions $((34 * (R * R / 16) * K / 16))
    is mmBlockMerge gld_transactions $((258 * (R * R / 128) * K / 16))
    is mmThreadMerge gld_transactions $((288 * (R * R / 128 / 16) * K / 16))
    for kernel in mvStaged mvBlockMerge mvThreadMerge mvPartitionOffset mmThreadMerge; do is \
        $kernel shared_ld_bank_conflict 0; done
    plots/draw.sh --lab 10 --run "$tree/run.csv" --metrics "$tree/metrics.csv" --recorded '' --out \
        "$BATS_TEST_TMPDIR/lab10"
    for picture in time metrics; do assert [ -s "$BATS_TEST_TMPDIR/lab10-$picture.svg" ]; done
}

@test "the handed-out lab: the naive kernels are ok, the others to do" {
    is_given 2 9 mvStaged SIZE=77x131
}

@test "kernels that forget a product, a row, the edge or the way round are wrong, and a forgotten barrier is found" {
    student=$tree/labs/lab10-matvec/matvec.cu
    cp -p solutions/lab10-matvec/matvec.cu "$student"
    # Each mistake in the region of its own step; the first loses one product of 500.
    edit() { sed -i "/BEGIN SOLUTION $1\$/,/END SOLUTION/{$2}" "$student"; }
    edit mvWarpRow 's/unsigned int i = lane; i < cols/unsigned int i = lane; i + (row == 5) < cols/'
    edit mvThreadMerge 's/r < MV_ROWS; r++) {/r < 1; r++) {/'
    edit mvPartitionOffset 's/(step + offset) % across \* TILE/(step + offset) * TILE/'
    edit mmStaged 's/i < inner; i += TILE/i + TILE <= inner; i += TILE/'
    edit mvBlockMerge /__syncthreads/d
    edit mmThreadMerge \
        's/(first + r) \* cols + col\] = sums/(first + r) * cols + col] = sums[0] + 0 * sums/'
    user_make DEVICE=sim build/lab10/matvec
    run -1 env -C "$tree" build/bin/simt build/lab10/matvec --rows 300 --cols 500
    for kernel in mvWarpRow mvThreadMerge mvPartitionOffset mmStaged mmThreadMerge; do
        assert_grep 'WRONG (index ' < <(grep " $kernel " <<<"$output")
    done
    for kernel in mvStaged mmBlockMerge; do assert_line --regexp " $kernel .* ok( |\$)"; done
    assert_grep 'WRONG (index 5: ' < <(grep ' mvWarpRow ' <<<"$output")
    run ! env -C "$tree" build/bin/simt --check build/lab10/matvec --rows 200 --cols 40 --step \
        mvBlockMerge
    assert_output --partial "Race reported"
}

@test "demo-lab10 walks through all kernels" {
    run -0 user_make demo-lab10 DEVICE=sim SIZE=64 </dev/null
    assert_output --partial "=== 10 of 10: mmThreadMerge ==="
}

@test "the mistakes that the handout names are found" {
    finds_planted 10
}
