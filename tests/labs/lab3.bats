# Lab 3, reduction: every size and block, loads and stores against arithmetic of the tests' own, and
# wrong kernels.

load ../helpers

setup_file() {
    use_lab 3
}

setup() {
    as_handed_out
}

@test "every size and block is right" {
    for size in 0 1 31 33 1000 8193 100003; do
        for block in 32 64 128 1024; do
            solution -0 --size $size --block $block
            assert_output --partial \
                "$([ "$size" = 0 ] && echo "Nothing was run. next: \`make lab3 FROM=solutions\` with a larger SIZE" || echo "All right.")"
        done
    done
}

@test "an empty problem launches nothing and says so" {
    solution -0 --size 0 --csv "$BATS_TEST_TMPDIR/run.csv"
    assert_output --partial "a grid of 0 blocks is illegal, so nothing was launched"
    assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/run.csv")" 10
}

@test "blocks that cannot be halved to one thread are refused, and a matrix" {
    refuses "--block 48: a reduction by halves needs a power of two" --block 48
    refuses "--block 16: a reduction by halves needs a power of two" --block 16
    refuses "--rows: this lab has no matrix; give it a number, --size N or SIZE=N" --rows 77 \
        --cols 131
}

# accesses THREAD-OF-INDEX CHUNKS BLOCKS: requests and sectors of stores and of loads, of BLOCKS
# blocks of 128 threads. In a round, thread t adds the word at `at`, an awk expression of t and
# stride, and the one a stride further on; before that it adds up CHUNKS chunks.
accesses() {
    awk -v chunks="$2" -v blocks="$3" "
        function warps_access(first, further,    t, seen) { # one access by each warp with a thread at work; its sectors
            for (t = 0; t < 128; t++) {
                if (t % 32 == 0) split(\"\", seen)
                at = $1
                if (first >= 0) at = first + t
                if (at < 0) continue
                if (!(\"warp\" in seen)) { seen[\"warp\"] = 1; requests++ }
                sector = int((at + further) / 8)
                if (!(sector in seen)) { seen[sector] = 1; sectors++ }
            }
        }
        BEGIN {
            for (c = 0; chunks > 1 && c < chunks; c++) warps_access(128 * c, 0)
            for (stride = 1; stride < 128; stride *= 2) { warps_access(-1, 0); warps_access(-1, stride) }
            loads = requests + 1; load_sectors = sectors + 1 # the block's sum, by one thread
            requests = sectors = 0
            if (chunks > 1) warps_access(0, 0)
            for (stride = 1; stride < 128; stride *= 2) warps_access(-1, 0)
            print (requests + 1) * blocks, (sectors + 1) * blocks, loads * blocks, load_sectors * blocks
        }"
}

@test "loads and stores are what the rounds ask for, and their sectors" {
    measure 3 reduction gst_requests,gst_transactions,gld_requests,gld_transactions --size 4096 \
        --block 128
    interleaved='t < stride ? t : -1'
    while IFS='|' read -r kernel index chunks blocks; do
        read -r stores store_sectors loads load_sectors < <(accesses "$index" "$chunks" "$blocks")
        is "$kernel" gst_requests "$stores"
        is "$kernel" gst_transactions "$store_sectors"
        is "$kernel" gld_requests "$loads"
        is "$kernel" gld_transactions "$load_sectors"
    done <<END
reduceNeighbored|t % (2 * stride) == 0 ? t : -1|1|32
reduceNeighboredLess|2 * stride * t < 128 ? 2 * stride * t : -1|1|32
reduceInterleaved|$interleaved|1|32
reduceUnroll2|$interleaved|2|16
reduceUnroll4|$interleaved|4|8
reduceUnroll8|$interleaved|8|4
END
}

@test "the handed-out lab: first step ok, the others to do" {
    is_given 1 8 reduceNeighboredLess SIZE=100000
}

@test "sums that only some sizes show to be wrong, and an answer that is none" {
    local loop='for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {' \
        sum='if (threadIdx.x == 0) g_odata[blockIdx.x] = idata[0];'
    local \
        add='if (threadIdx.x < stride) idata[threadIdx.x] += idata[threadIdx.x + stride]; __syncthreads(); }'
    cp "$handed_out" "$student"
    # It drops words that have no partner; the words after the end are no zeros, to those that add
    # them.
    solve_step "$student" reduceNeighboredLess 'int *idata = g_idata + blockIdx.x * blockDim.x;' \
        'if ((blockIdx.x + 1) * blockDim.x <= n) {' "$loop" "$add" '}' "$sum"
    solve_step "$student" reduceUnroll2 'int *idata = g_idata + blockIdx.x * blockDim.x * 2;' \
        'unsigned int idx = blockIdx.x * blockDim.x * 2 + threadIdx.x;' \
        'if (idx + blockDim.x < n) g_idata[idx] += g_idata[idx + blockDim.x];' '__syncthreads();' \
        "$loop" \
        'if (threadIdx.x < stride && idx + stride + blockDim.x < n) idata[threadIdx.x] += idata[threadIdx.x + stride];' \
        '__syncthreads();' '}' "$sum"
    solve_step "$student" reduceUnroll8 'if (threadIdx.x == 0) g_odata[blockIdx.x] = 7;'
    user_make build/lab3/reduction DEVICE=sim
    run -1 env -C "$tree" build/bin/simt build/lab3/reduction --size 8192 --block 128
    assert_line --regexp "reduceNeighboredLess .* ok$"
    assert_line --regexp "reduceUnroll8 .* WRONG \(index 0: got 7 want "
    run -1 env -C "$tree" build/bin/simt build/lab3/reduction --size 8200 --block 128
    assert_line --regexp "reduceNeighboredLess .* WRONG \(index 64: "
    assert_line --regexp "reduceUnroll2 .* WRONG \("
}

@test "without a processor's own instructions, as on arm64, the interpreter counts and times the same" {
    for set in base avx2 avx512; do
        SIMT_ISA=$set run -0 "$tree/build/bin/simt" --quiet --profile "$BATS_TEST_TMPDIR/$set" \
            "$solution" --size 5000
        run -0 cmp "$BATS_TEST_TMPDIR/$set" "$BATS_TEST_TMPDIR/base"
    done
    assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/base")" 10 # launches and the names of columns
}

@test "x before has a mark where a step is slower, and where modelled times are too close" {
    solution -0 --size 100003 --csv "$BATS_TEST_TMPDIR/run.csv"
    marks=$(sed -nE 's/^ *[0-9]+ +(\w+) .* [0-9.]+([<~ ]) +[0-9.]+  ok.*/\1 \2/p' <<<"$output")
    assert_equal "$(wc -l <<<"$marks")" 9
    assert_equal "$marks" "$(awk -F, 'NR > 1 { ratio = NR > 2 ? was / $6 : 2; was = $6
        print $3, (ratio < 1.08 && ratio > 1 / 1.08 ? "~" : ratio < 1 ? "<" : " ") }' "$BATS_TEST_TMPDIR/run.csv")"
    # A sentence for each mark that is there.
    for mark in '<' '~'; do assert_equal "$(grep -c "^(x before$mark: " <<<"$output")" \
        "$(grep -c -- "$mark" <<<"$marks" | sed 's/[1-9]/1/')"; done
    assert_grep '[<~]' <<<"$marks"
    solution --step reduceUnroll8
    refute_output --partial "x before~"
}

@test "make lab3 says what the grader would refuse, in its words, and does not run the program" {
    solve reduceNeighboredLess 'static int kept;'
    run -2 user_make DEVICE=sim lab3 SIZE=5000
    assert_output --partial \
        "$handed_out($(($(grep -n 'BEGIN SOLUTION reduceNeighboredLess' "$student" | cut -d: -f1) + 1))): error: reduceNeighboredLess: not allowed: \`static\`: a variable that outlives the launch; see handouts/rules.md"
    refute_output --partial "Device:"
    solve reduceNeighboredLess '#define __syncwarp() n'
    run -2 user_make DEVICE=sim lab3 SIZE=5000
    assert_output --partial 'a `#define` or `#undef` changes the program outside of the region'
}

@test "make lab3 says what the grader would not take, and takes marks that are written otherwise" {
    cp "$handed_out" "$student"
    sed -i -e 's|// BEGIN SOLUTION reduceInterleaved|/* begin  solution: reduceInterleaved */|' -e \
        '/BEGIN SOLUTION reduceUnroll2$/d' -e '/ On the CPU /a constexpr int MINE = 3;' "$student"
    run -0 user_make DEVICE=sim lab3 SIZE=5000
    assert_output --partial \
        "$handed_out: the grader does not find reduceUnroll2: the marks around it"
    assert_output --partial \
        "$handed_out:$(grep -n MINE "$student" | cut -d: -f1): the grader does not take this line"
    refute_output --partial "find reduceInterleaved"
    solve reduceNeighboredLess '#define WORD(x) x' '#if 0' '}' '#endif' \
        'static const int two = WORD(2);' 'g_odata[0] = two;'
    run user_make DEVICE=sim lab3 SIZE=5000
    refute_output --partial "the grader"
    refute_output --partial "not allowed"
}

@test "make lab3 takes functions of one's own from the place for them, and refuses what they would keep" {
    solve reduceNeighboredLess 'g_odata[blockIdx.x] = sumOfTwo(g_idata[0], 1);'
    sed -i '/BEGIN HELPERS/a __device__ int sumOfTwo(int a, int b) { return a + b; }' "$student"
    run user_make DEVICE=sim lab3 SIZE=5000
    refute_output --partial "the grader"
    refute_output --partial "not allowed"
    assert_output --partial "reduceNeighboredLess: wrong result"
    sed -i '/BEGIN HELPERS/a __device__ int kept;' "$student"
    run -2 user_make DEVICE=sim lab3 SIZE=5000
    assert_output --partial "helpers: not allowed: \`kept\`: a variable that outlives the launch"
    sed -i '/int kept;/s/.*/__device__ int addInWarp(int a) { return a; }/' "$student"
    run -2 user_make DEVICE=sim lab3 SIZE=5000
    assert_output --partial \
        "helpers: not allowed: \`addInWarp\`: the program has this name; choose another"
}

@test "the mistakes that the handout names are found" {
    finds_planted 3
}
