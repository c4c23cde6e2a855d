# labprof over the real simt: kernels whose counts are known by hand.
load ../helpers

setup_file() {
    compile_cuda -lineinfo -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' -o \
        "$BATS_FILE_TMPDIR/profiled" tests/data/profiled.cu
}

setup() {
    unset SIM_GPU LABPROF_METRICS
    export DEVICE=sim
    program=$BATS_FILE_TMPDIR/profiled
}

labprof() { "${BUILD:-build}/bin/labprof" "$@"; }

# counted KERNEL METRIC VALUE: in the CSV of the last run.
counted() {
    assert_grep -E "\"$1.*,$3,$3,$3(,|\$)" < <(grep -F ",\"$2\"," <<<"$stderr")
}

@test "small kernels of each kind are counted as on an H200, but for what has a reason" {
    compile_cuda -std=c++17 -lineinfo -cudart shared -gencode \
        'arch=compute_75,code=[compute_75,sm_90]' -o "$BATS_TEST_TMPDIR/counts" tests/data/counts.cu
    run -0 --separate-stderr labprof --csv --gpu h200 --metrics all --events all \
        "$BATS_TEST_TMPDIR/counts"
    run -0 awk -f tests/data/counts.awk plots/reference/nvprof-reasons.tsv \
        plots/reference/h200/nvprof.csv - <<<"$stderr"
    refute_output --regexp 'UNEXPLAINED|UNUSED'
    assert_line "1473 equal, 0 missing" # handouts/nvprof.md has the number, too
}

@test "products by tensor cores and passes of ldmatrix are counted as on an H200" {
    compile_cuda -cudart shared -gencode arch=compute_75,code=compute_75 -o \
        "$BATS_TEST_TMPDIR/tensor" tests/data/tensor.cu
    run -0 --separate-stderr labprof --csv --gpu h200 --metrics inst_executed_tensor --events \
        shared_ld_bank_conflict,shared_load "$BATS_TEST_TMPDIR/tensor"
    assert_output cudaSuccess
    counted 'multiply\(float\*\)",1' inst_executed_tensor 12800
    counted 'loadRows' inst_executed_tensor 0
    counted 'loadRows' shared_ld_bank_conflict 22400
    counted 'loadRows' shared_load 0
}

@test "requests and sectors of textures and surfaces are those of an H200, in 51 patterns" {
    needs_nvcc
    local \
        counts=tex_requests,tex_sectors,surf_ld_requests,surf_ld_sectors,surf_st_requests,surf_st_sectors
    compile_cuda -cudart shared -gencode arch=compute_75,code=compute_75 -o \
        "$BATS_TEST_TMPDIR/texels" tests/data/texture_counts.cu
    run -0 "${BUILD:-build}/bin/simt" --quiet --gpu h200 --profile "$BATS_TEST_TMPDIR/profile.csv" \
        "$BATS_TEST_TMPDIR/texels"
    assert_equal "${#lines[@]}" 51
    run -0 diff <(cut -d, -f4- <<<"$output") <(awk -F, -v names="$counts" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; n = split(names, name, ","); next }
        { for (i = 1; i <= n; i++) printf "%s%s", $column[name[i]], i < n ? ", " : "\n" }' "$BATS_TEST_TMPDIR/profile.csv")
}

@test "counts known by hand" {
    run -0 --separate-stderr labprof --csv --gpu h200 --metrics all --events all "$program"
    assert_output $'refused: cudaErrorInvalidValue\ncudaSuccess'
    counted 'coalesced\(int const \*, int\*\)",2' gld_requests 4
    counted 'coalesced' gld_transactions 16
    counted 'coalesced' gst_transactions 16
    counted 'coalesced' gld_transactions_per_request 4.000000
    counted 'coalesced' gld_efficiency 100.000000%
    counted 'coalesced' warp_execution_efficiency 100.000000%
    counted 'coalesced' branch_efficiency 100.000000%
    counted 'void strided<unsigned int=8>\(int const \*, int\*\)",1' gld_transactions 128
    counted 'void strided<unsigned int=8>' gld_efficiency 12.500000%
    counted 'void strided<unsigned int=8>' gst_efficiency 100.000000%
    counted 'conflicts\(int\*\)",1' shared_store_transactions_per_request 32.000000
    counted 'conflicts' shared_load_transactions_per_request 32.000000
    counted 'conflicts' shared_ld_bank_conflict 124
    counted 'conflicts' shared_efficiency 3.125000%
    counted 'conflicts' gld_efficiency 0.000000%
    counted 'broadcast\(int const \*, int\*\)",1' gld_efficiency 12.500000%
    counted 'product\(int const \*, int\*\)",1' gld_efficiency 56.250000%
    counted 'product' gst_efficiency 100.000000%
}

@test "floating-point operations are counted, a fused one as two" {
    run -0 --separate-stderr labprof --csv --metrics flop_count_sp "$program"
    counted 'flops\(float\*\)",1' flop_count_sp 256
    counted 'coalesced' flop_count_sp 0
}

@test "simt gives every metric" {
    run -0 --separate-stderr labprof --csv --metrics all --events all "$program"
    assert_stderr --partial '"stall_sync"'
    refute_stderr --partial ",NA,NA,NA"
}

@test "a forked child that does not exec is recorded, if it forked before the first call" {
    run -0 --separate-stderr labprof --csv --metrics gld_requests "$program" fork
    assert_line "forked: 0"
    counted 'broadcast' gld_requests 4
    assert_grep -F '"flops(float*)",3,"gld_requests",' <<<"$stderr"
    run -0 --separate-stderr labprof --csv --print-gpu-summary "$program" fork
    assert_grep -E '^"GPU activities",[0-9.]+,[0-9.]+,3,.*"flops' <<<"$stderr"
    run -0 --separate-stderr "${BUILD:-build}/bin/simt" --quiet \
        --profile "$BATS_TEST_TMPDIR/profile.csv" "$program" fork
    assert_stderr --partial "lacks what a forked process does: a %p in its name"
    assert_grep flops <"$BATS_TEST_TMPDIR/profile.csv"
}

@test "with %p in the name of the log, each process has a file" {
    run -0 --separate-stderr labprof --csv --log-file "$BATS_TEST_TMPDIR/log.%p" \
        --metrics gld_requests "$program" fork
    cd "$BATS_TEST_TMPDIR"
    run -0 ls log.*
    assert_equal "${#lines[@]}" 2
    parent=$(grep -l broadcast log.*) child=$(grep -L broadcast log.*)
    assert_not_equal "$parent" "$child"
    assert_grep -F '"flops(float*)",1,"gld_requests"' <"$parent"
    assert_grep -F '"flops(float*)",2,"gld_requests"' <"$child"
    assert_grep "^==${child#log.}== NVPROF is profiling process ${child#log.}," <"$child"
    refute_grep "processes launched" <"$parent"
}

@test "ranges and names by NVTX's header: what was called in each, and what that made a GPU do" {
    needs_nvcc
    compile_cuda -cudart shared -gencode arch=compute_75,code=compute_75 -o \
        "$BATS_TEST_TMPDIR/nvtx" tests/data/nvtx.cu
    run -0 "${BUILD:-build}/bin/simt" --quiet "$BATS_TEST_TMPDIR/nvtx"
    assert_output "-4 -2 cudaSuccess" # as without a tool
    run -0 --separate-stderr labprof --csv --export-trace "$BATS_TEST_TMPDIR/trace.json" \
        "$BATS_TEST_TMPDIR/nvtx"
    assert_output "1 -1 cudaSuccess" # depths that NVTX defines
    assert_grep -F '"name":"NVTX ranges of thread 1, solver thread"' <"$BATS_TEST_TMPDIR/trace.json"
    assert_grep -F '"name":"Stream 13, copies"' <"$BATS_TEST_TMPDIR/trace.json"
    assert_stderr --partial 'Thread "solver thread" (id = 1)'
    # domain, range, and of each row: type, calls, name
    run -0 awk -F'[",]+' '/NVTX result/ { on = 1 } !on { next }
        /Domain|Range "/ { print $2; next } /^"(Range|GPU|API)/ { print $2, $5, $9 }' <<<"$stderr"
    assert_output '<unnamed>
step
Range 2 step
GPU activities 2 first(int*)
API calls 2 cudaLaunchKernel
API calls 1 cudaDeviceSynchronize
API calls 1 cudaPeekAtLastError
<unnamed>
inner
Range 1 inner
GPU activities 1 first(int*)
API calls 1 cudaLaunchKernel
solver
solve
Range 1 solve
GPU activities 1 second(int*)
API calls 1 cudaDeviceSynchronize
API calls 1 cudaLaunchKernel
<unnamed>
all
Range 1 all'
    # a stream's name selects, as that of --stream-name does
    for metrics in '' '--metrics=gld_requests'; do
        run -0 --separate-stderr labprof --csv --print-gpu-trace ${metrics:+"$metrics"} \
            --kernels :cop:: "$BATS_TEST_TMPDIR/nvtx"
        assert_equal "$(grep -c 'first(int' <<<"$stderr")" 1
        assert_equal "$(grep -c '"copies",.*first(int' <<<"$stderr")" 1
    done
}

@test "the refused launch is named, and the device" {
    run -0 --separate-stderr labprof --gpu rtx3090 --print-gpu-summary "$program"
    assert_regex "$stderr" "labprof: back end simt \(.*3090 \(simt\)\)"
    assert_stderr --partial \
        "Warning: launch 6 of coalesced(int const *, int*) failed (cudaErrorInvalidValue) and is left out"
    output=$stderr assert_lines 7 -E '^ GPU activities:|^ {19}' # 6 kernels and a fill
}

@test "the summary, the traces and the exported timeline have what a program did" {
    compile_cuda -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' -o \
        "$BATS_TEST_TMPDIR/timeline" tests/data/timeline.cu
    run -0 tests/data/timeline.sh "${BUILD:-build}/bin/labprof" "$BATS_TEST_TMPDIR/timeline"
    refute_output
}

# trusted WORDS KIND: the last run's line has these words, and the kind's figure, of machine code.
trusted() {
    within=$(sed -nE "s/^TRUST\($2, .*, ([0-9.]+), [0-9.]+\)/\1/p" common/simt/api/trust.def)
    line=$(grep -h 'exact: ' <<<"$output$stderr")
    assert_equal "${line#*exact: }" "sectors of global memory; estimated: instructions; modelled:\
 times, $1 9 of 10 within $(printf %.1f "$within") times of an H200's"
}

@test "one line says how far the times of such kernels were off, in simt's words and labprof's" {
    needs_nvcc
    compile_cuda -lineinfo -cudart shared -Icommon \
        -gencode 'arch=compute_75,code=[compute_75,sm_90]' -o "$BATS_TEST_TMPDIR/trust" \
        tests/data/trust.cu
    local worst kinds="PLAIN of such kernels
LOCAL with local arrays
ATOMIC with atomics
GATHER with scattered loads
SHARED with shared memory"
    while read -r kind words; do
        run --separate-stderr "${BUILD:-build}/bin/simt" "$BATS_TEST_TMPDIR/trust" "${kind,,}"
        trusted "$words" "$kind"
        run --separate-stderr labprof "$BATS_TEST_TMPDIR/trust" plain "${kind,,}"
        trusted "$words" "$kind"
    done <<<"$kinds"
    run --separate-stderr labprof "$BATS_TEST_TMPDIR/trust" shared gather local
    worst=$(grep -oE '(SHARED|GATHER|LOCAL),.*' common/simt/api/trust.def |
        sort -t, -k4,4nr | sed 's/,.*//;q')
    trusted "$(sed -n "s/^$worst //p" <<<"$kinds")" "$worst"
    for quiet in "--quiet $BATS_TEST_TMPDIR/trust plain" "$BATS_TEST_TMPDIR/trust"; do
        # shellcheck disable=SC2086 # no space in it
        run --separate-stderr "${BUILD:-build}/bin/simt" $quiet
        refute_stderr --partial exact # no kernel ran, or nobody wants to know
    done
}

# The counts are those that NVIDIA's nvprof shows of such a program on a P100, a V100 and an RTX 2060.
@test "the summary has how pages of managed memory moved, as nvprof counts them" {
    compile_cuda -cudart shared -Icommon -gencode 'arch=compute_75,code=[compute_75,sm_75]' -o \
        "$BATS_TEST_TMPDIR/sum" tests/data/managed_sum.cu
    run -0 --separate-stderr labprof "$BATS_TEST_TMPDIR/sum"
    run sed -n '/Unified Memory/,$ { s/^==[0-9]*== //; s/[0-9.]*[mu]s/TIME/; /labprof:/!p; }' <<<"$stderr"
    assert_output 'Unified Memory profiling result:
Device "NVIDIA H200 (simt) (0)"
   Count  Avg Size  Min Size  Max Size  Total Size  Total Time  Name
      48  170.67KB  4.0000KB  0.9961MB  8.000000MB  TIME  Host To Device
      24  170.67KB  4.0000KB  0.9961MB  4.000000MB  TIME  Device To Host
      12         -         -         -           -  TIME  Gpu page fault groups
Total CPU Page faults: 36'
    run --separate-stderr labprof --csv "$BATS_TEST_TMPDIR/sum"
    assert_stderr --regexp \
        '"NVIDIA H200 \(simt\) \(0\)",48,174763,4096,1044480,8388608,[0-9]+,"Host To Device"'
    run --separate-stderr labprof --print-api-summary "$BATS_TEST_TMPDIR/sum"
    refute_stderr --partial "Unified Memory"
    run --separate-stderr labprof "$program"
    refute_stderr --partial "Unified Memory"
}

@test "the summary in the text is that of its program" {
    page=handouts/profiler.md
    awk '/^```cuda$/ { inside = 1; next } /^```$/ { inside = 0 } inside' $page \
        >"$BATS_TEST_TMPDIR/matrix.cu"
    compile_cuda -cudart shared -Icommon -gencode 'arch=compute_75,code=[compute_75,sm_75]' -o \
        "$BATS_TEST_TMPDIR/matrix" "$BATS_TEST_TMPDIR/matrix.cu"
    run -0 --separate-stderr labprof "$BATS_TEST_TMPDIR/matrix" 128
    refute_output --partial "do not match"
    # The columns Calls and Name; times differ with the size.
    calls() { sed -E 's/^( *GPU activities:| *API calls:)?//' | awk \
        '$1 ~ /%$/ { $1 = $2 = $4 = $5 = $6 = ""; print }' | sort; }
    shown=$(awk '/^```/ { block = ""; next } { block = block $0 "\n" } /simt/ && /back end/ { found = 1 } /^$/ && found { exit } found' $page | calls)
    diff <(echo "$shown") <(calls <<<"$stderr")
    header='            Type  Time(%)      Time     Calls       Avg       Min       Max  Name'
    assert_equal "$(grep -cxF -- "$header" $page)" 2
    assert_grep -xF -- "$header" <<<"$stderr"
}

@test "the program's exit status, and an unknown GPU" {
    run -9 --separate-stderr labprof -m branch "$program" 0
    run ! --separate-stderr labprof --gpu voodoo -m branch "$program"
    assert_stderr --partial voodoo
}

@test "a program that crashes or is killed: the launches before are printed" {
    for signal in 11 9; do
        run --separate-stderr labprof -m gld_requests "$program" $signal
        assert_failure $((128 + signal))
        assert_stderr --partial "    Kernel: flops(float*)"
        assert_regex "$stderr" "======== Error: Application received signal $((128 + signal))\$"
    done
}

@test "the simulator named on the command line is no program without CUDA" {
    run -0 --separate-stderr labprof --csv --metrics gld_efficiency "${BUILD:-build}/bin/simt" \
        "$program"
    counted 'coalesced' gld_efficiency 100.000000%
    refute_stderr --partial "does not use CUDA itself"
}

@test "the launches of all processes are in the tables, and it is said" {
    cp "$program" "$BATS_TEST_TMPDIR/again"
    run -0 --separate-stderr labprof --csv --metrics gld_requests sh -c '"$0"; "$1"' "$program" \
        "$BATS_TEST_TMPDIR/again"
    assert_stderr --partial \
        "Warning: 2 processes launched kernels; the tables have all of them together"
    counted 'coalesced\(int const \*, int\*\)",4' gld_requests 4
    run --separate-stderr labprof --csv --metrics gld_requests "$program"
    refute_stderr --partial "processes launched kernels"
}

# sum_of_lines KERNEL COLUMN: of --source's CSV in the last run; columns as $1 of awk, from the end,
# as names have commas.
sum_of_lines() { grep -F "\"$1" <<<"$stderr" | awk -F, -v c="$2" \
    '{ sum += $(NF - c) } END { print sum + 0 }'; }

@test "--source: what each line counts adds up to what is known by hand" {
    run -0 --separate-stderr labprof --source --csv --gpu h200 "$program"
    assert_stderr --partial \
        '"L2 Theoretical Sectors Global","L2 Theoretical Sectors Global Excessive"'
    # two launches: 16 sectors loaded, 16 stored each
    assert_equal "$(sum_of_lines 'coalesced(' 7)" 64
    assert_equal "$(sum_of_lines 'coalesced(' 6)" 0
    assert_equal "$(sum_of_lines 'void strided<unsigned int=8>' 6)" 112
    assert_equal "$(sum_of_lines 'conflicts(' 4)" 248
}

@test "--source: a table shows each line with its text and what warps wait for most" {
    text='out[i] = in[i * STRIDE];'
    line=$(grep -nF "$text" tests/data/profiled.cu | cut -d: -f1)
    run -0 --separate-stderr labprof --source --kernels strided "$program"
    assert_stderr --regexp " +$line +[0-9]+ +[0-9]+ +144 +112 .*long_scoreboard +out\[i\]"
    refute_stderr --partial "Kernel: conflicts"
}

@test "--source: lines count what they counted on an H200: sectors, wavefronts, branches" {
    [ -e solutions ] || skip "there are no solutions"
    needs_nvcc
    to=$BATS_TEST_TMPDIR
    stand_in "$to" ncu
    PATH=$to:$PATH DEVICE='' labprof --backend ncu --source --csv --log-file "$to/measured.csv" true
    make --no-print-directory BUILD="${BUILD:-build}" DEVICE=sim \
        "${BUILD:-build}/solutions/lab3/reduction"
    labprof --source --csv --gpu h200 --log-file "$to/simulated.csv" \
        "${BUILD:-build}/solutions/lab3/reduction" --profile --step 1 --size 1048576
    run -0 tests/see/same_lines.py "$to/measured.csv" "$to/simulated.csv" reduceNeighbored
    assert_output "4 lines"
}
