# Lab 7, memory: sizes of every kind, sector counts against arithmetic of the tests' own, and wrong
# kernels.

load ../helpers

setup_file() {
    use_lab 7 build/bin/labprof
}

memory() {
    solution "$@" --all
}

METRICS=gld_transactions,gst_transactions,gld_requests,gst_requests,gld_transactions_per_request,gst_transactions_per_request
METRICS+=,inst_executed_global_reductions

# sectors THREADS WORD: the sectors of one load of all warps of this many threads, the words of each
# thread t being an awk expression.
sectors() {
    awk -v threads="$1" "BEGIN { for (t = 0; t < threads; t++) { if (t % 32 == 0) split(\"\", seen)
        s = int(($2) / 8); if (!(s in seen)) { seen[s] = 1; sum++ } } print sum + 0 }"
}

@test "every size and block is right" {
    for size in 0 1 2 31 33 1000 100003; do
        memory -0 --size $size
        assert_lines 56 ' ok$'
    done
    for block in 32 96 1024; do
        memory -0 --size 5000 --block $block
        assert_lines 56 ' ok$'
    done
}

@test "a launch is compared with the one of the step before that has the same argument" {
    memory -0 --size 5000 --csv "$BATS_TEST_TMPDIR/run.csv"
    awk -F, \
        '{ time[$3] = $6 } END { printf "%.2f", time["lookupReadOnly(8)"] / time["lookupConstant(8)"] }' \
        "$BATS_TEST_TMPDIR/run.csv" >"$BATS_TEST_TMPDIR/times"
    assert_equal \
        "$(awk '$2 == "lookupConstant(8)" { print $(NF - 2) }' <<<"$output" | tr -d '<~')" \
        "$(cat "$BATS_TEST_TMPDIR/times")"
    # Nothing is faster than another offset of its own, or than a step of another group.
    assert_equal "$(awk '$2 == "offsetLoad(8)" { print $(NF - 2) }' <<<"$output")" -
    assert_equal "$(awk '$2 == "structPacked" { print $(NF - 2) }' <<<"$output")" 1.00
}

@test "a block that is no whole number of warps is refused" {
    memory -2 --block 48
    assert_stderr --partial -- "--block 48: the lab speaks of whole warps"
}

@test "sectors are what the arithmetic says, tails and all" {
    n=10007
    measure 7 memory $METRICS --size $n
    for offset in 0 1 4 7 8 9 16 31 32; do
        is "offsetLoad($offset)" gld_transactions "$(sectors $n "t + $offset")"
        is "offsetStore($offset)" gst_transactions "$(sectors $n "t + $offset")"
    done
    for stride in 1 2 3 4 5 6 7 8 16 32; do
        threads=$(((n + stride - 1) / stride))
        is "strideLoad($stride)" gld_transactions "$(sectors $threads "t * $stride")"
        is "strideLoad($stride)" gld_requests $(((threads + 31) / 32))
        is "strideStore($stride)" gst_transactions "$(sectors $threads "t * $stride")"
    done
    points=$((n / 4))
    is structPacked gld_transactions \
        $(($(sectors $points "3 * t") + $(sectors $points "3 * t + 1") + $(sectors $points "3 * t + 2")))
    is structPadded gld_transactions $((3 * $(sectors $points "4 * t")))
    is structAligned gld_transactions "$(sectors $points "4 * t")"
    is fieldArrays gld_transactions $((3 * $(sectors $points "t")))
    # Pairs and fours, and what is left over, one word at a time.
    is copyFloat2 gld_transactions $(((n / 2 * 2 + 7) / 8 + n % 2))
    is copyFloat4 gld_transactions $(((n / 4 * 4 + 7) / 8 + n % 4))
    is histogramGlobal inst_executed_global_reductions $(((n + 31) / 32))
    is histogramShared inst_executed_global_reductions 8
}

@test "stride s moves min(s, 8) times the sectors, and a table costs what its spread says" {
    measure 7 memory $METRICS --size 65536
    for stride in 1 2 4 8 16 32; do
        is "strideLoad($stride)" gld_transactions_per_request $((4 * (stride < 8 ? stride : 8)))
        is "strideStore($stride)" gst_transactions_per_request $((4 * (stride < 8 ? stride : 8)))
    done
    for kernel in lookupGlobal lookupReadOnly; do
        is "$kernel(0)" gld_transactions_per_request 1
        is "$kernel(1)" gld_transactions_per_request 4.875
        is "$kernel(8)" gld_transactions_per_request 32
    done
    is "lookupConstant(1)" gld_transactions 0
    plots/draw.sh --lab 7 --run "$tree/run.csv" --metrics "$tree/metrics.csv" --recorded '' --out \
        "$BATS_TEST_TMPDIR/lab7"
    for picture in sectors time; do assert [ -s "$BATS_TEST_TMPDIR/lab7-$picture.svg" ]; done
}

@test "the handed-out lab: all is to do, and its skeleton is in step" {
    user_make DEVICE=sim build/lab7/memory
    run -0 env -C "$tree" build/bin/simt build/lab7/memory --size 1000 --all
    assert_lines 56 ' todo$'
    assert_ends "^next: labs/lab7-memory/memory\.cu:.*: offsetLoad.*: "
    run "$tree/build/bin/skeleton" check solutions/lab7-memory/memory.cu labs/lab7-memory/memory.cu
    assert_success
    run -0 user_make profile-lab7 DEVICE=sim SIZE=1000
    assert_output --partial "plotted nothing for lab7"
}

@test "kernels that ignore their offset or stride, write too much, forget the rest or count wrongly are wrong" {
    student=$tree/labs/lab7-memory/memory.cu
    i='unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;'
    solve_step "$student" offsetLoad "$i" 'if (i < n) out[i] = in[i]; (void)offset;'
    solve_step "$student" offsetStore "$i" 'if (i < n) out[i] = out[i + offset] = in[i];'
    solve_step "$student" strideLoad "$i" 'if (i * stride < n) out[i] = in[i];'
    solve_step "$student" strideStore "$i" \
        'if (i * stride < n) out[i * stride] = out[i * stride + 1] = in[i];'
    solve_step "$student" structPadded "$i" 'if (i < count) sums[i] = points[i].x + points[i].y;'
    solve_step "$student" copyFloat4 "$i" \
        'if (i < n / 4) ((float4 *)out)[i] = ((const float4 *)in)[i];'
    solve_step "$student" lookupConstant "$i" \
        'if (i < count) out[i] = constantTable[firstLookup(i, spread) % TABLE];'
    solve_step "$student" histogramGlobal "$i" 'if (i < n) bins[binOf(in[i])]++;'
    solve_step "$student" histogramShared '(void)in, (void)bins, (void)n;'
    user_make DEVICE=sim build/lab7/memory
    run -1 env -C "$tree" build/bin/simt build/lab7/memory --size 10007 --all
    assert_ends "^next: labs/lab7-memory/memory\.cu:.*: offsetLoad\(1\): wrong result"
    for launch in 'offsetLoad(1)' 'offsetStore(8)' 'strideLoad(2)' 'strideStore(3)' structPadded \
        copyFloat4 'lookupConstant(0)' histogramGlobal histogramShared; do
        assert_grep 'WRONG (index ' < <(grep -F " $launch " <<<"$output")
    done
    for launch in 'offsetLoad(0)' 'strideLoad(1)'; do assert_grep ' ok$' < \
        <(grep -F " $launch " <<<"$output"); done
}

@test "demo-lab7 names each launch" {
    run -0 user_make demo-lab7 DEVICE=sim SIZE=1000 </dev/null
    assert_output --partial "=== 16 of 16: histogramShared ==="
    assert_output --partial "strideLoad(4): gld_transactions_per_request = "
}

@test "the mistakes that the handout names are found" {
    finds_planted 7
}
