# labncu over the real simt: ncu's messages and forms, as an H200's Nsight Compute 2025.3 prints
# them; and ncu itself, which is a stand-in, where there is a GPU.
load ../helpers

setup_file() {
    compile_cuda -lineinfo -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' -o \
        "$BATS_FILE_TMPDIR/profiled" tests/data/profiled.cu
}

setup() {
    unset SIM_GPU LABPROF_METRICS
    export DEVICE=sim
    program=$BATS_FILE_TMPDIR/profiled
    cd "$BATS_TEST_TMPDIR" || return 1
    labncu=$BATS_TEST_DIRNAME/../../${BUILD:-build}/bin/labncu
    [[ ${BUILD:-} != /* ]] || labncu=$BUILD/bin/labncu
}

labncu() { "$labncu" "$@"; }

@test "wrong words get ncu's messages" {
    run -1 labncu --nosuch "$program"
    assert_output "==ERROR== unrecognised option '--nosuch'. Use --help for further details."
    run -1 labncu ./nosuch
    assert_output "==ERROR== './nosuch' does not exist or is not an executable. Please make sure to specify the absolute path to './nosuch' if the executable is not in the local directory."
    run -1 labncu --section NoSuch "$program"
    assert_output "==ERROR== Option '--section NoSuch' did not match any section.
==ERROR== Use --list-sections to see the list of available sections."
    run -1 labncu --metrics nosuch__metric "$program"
    assert_output \
        '==ERROR== Failed to find metric regex:^nosuch__metric\.(sum|min|max|avg|pct|ratio|max_rate)$'
    run -0 labncu -k nosuch "$program"
    assert_line --partial "==WARNING== No kernels were profiled."
    assert_line "Available Kernels:"
    assert_line "1. broadcast"
}

@test "a section is printed as ncu prints it" {
    run -0 labncu --section InstructionStats -k regex:^coal -c 1 --apply-rules no "$program"
    run -0 sed -E '1,/Disconnected/d; s/^\[[0-9]+\]/[PID]/; /modelled|left out|back end/d' <<<"$output"
    assert_output '[PID] profiled@127.0.0.1
  coalesced(const int *, int *) (4, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
    Section: Instruction Statistics
    ---------------------------------------- ----------- ------------
    Metric Name                              Metric Unit Metric Value
    ---------------------------------------- ----------- ------------
    Avg. Executed Instructions Per Scheduler        inst         0.08
    Executed Instructions                           inst           40
    Avg. Issued Instructions Per Scheduler          inst         0.08
    Issued Instructions                             inst           40
    ---------------------------------------- ----------- ------------'
}

@test "a forked child that leaves by _exit is shown" {
    run -0 labncu --csv -k flops --metrics launch__grid_size "$program" fork
    assert_equal "$(grep -c '"launch__grid_size"' <<<"$output")" 3
}

@test "metrics by ncu's names, with base units and as CSV; what simt does not give is n/a" {
    run -0 labncu --csv --print-units base -k coalesced -s 1 -c 1 --metrics \
        l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,launch__block_size,smsp__inst_executed,gpu__time_duration.sum,lts__cycles_active.avg \
        "$program"
    values=$(sed -n 's/.*"Command line profiler metrics",//p' <<<"$output")
    assert_equal "$(grep -v time_duration <<<"$values")" \
        '"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","16"
"launch__block_size","","32"
"smsp__inst_executed.sum","inst","40"
"smsp__inst_executed.avg","inst","0.08"
"lts__cycles_active.avg","","n/a"'
    assert_line --regexp '"gpu__time_duration.sum","ns","[0-9,.]+"$'
    assert_line --partial "modelled, not counted: gpu__time_duration.sum"
    refute_line --partial "left out"
}

@test "each launch finds empty caches, unless --cache-control none" {
    local only=(--csv --apply-rules no --print-units base --metrics dram__bytes_read.sum -k strided)
    run -0 labncu "${only[@]}" "$program"
    cold=$(sed -n 's/.*"dram__bytes_read.sum","byte","\(.*\)"$/\1/p' <<<"$output")
    run -0 labncu "${only[@]}" --cache-control none "$program"
    warm=$(sed -n 's/.*"dram__bytes_read.sum","byte","\(.*\)"$/\1/p' <<<"$output")
    assert [ "${cold//,/}" -gt "${warm//,/}" ]
}

@test "the clock is that to which ncu locks an H200, unless --clock-control none" {
    local only=(--csv --apply-rules no --print-units base -k coalesced -c 1
        --metrics "gpc__cycles_elapsed.avg.per_second")
    run -0 labncu "${only[@]}" "$program"
    assert_line --regexp '"hz","1,500,000,000"$'
    run -0 labncu "${only[@]}" --clock-control none "$program"
    assert_line --regexp '"hz","1,980,000,000"$'
    run -1 labncu "${only[@]}" --clock-control fast "$program"
    assert_line --partial "--clock-control fast: the argument is invalid"
}

@test "the heading has the launch's stream and device; the attribute has the boost clock" {
    cat >two.cu <<'END'
#include <cstdio>
__global__ void kernel() {}
int main() {
    cudaStream_t stream;
    int khz;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    printf("%d kHz\n", khz);
    kernel<<<1, 32>>>();
    cudaSetDevice(1);
    cudaStreamCreate(&stream);
    kernel<<<1, 32, 0, stream>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
    compile_cuda -cudart shared -gencode arch=compute_75,code=compute_75 -o two two.cu
    SIMT_DEVICES=2 run -0 labncu --section LaunchStats ./two
    assert_line "  kernel() (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0"
    assert_line "1980000 kHz" # the lock is no matter of the program's
    assert_line --regexp '^  kernel\(\) .*, Stream (1[3-9]|[2-9][0-9]), Device 1, CC 9.0$'
}

@test "that the device runtime of a kernel that launches others is missing is said" {
    needs_nvcc
    cat >nested.cu <<'END'
__global__ void child() {}
__global__ void parent() { child<<<1, 32>>>(); }
int main() {
    parent<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
    compile_cuda -rdc=true -cudart shared -arch=sm_90 -o nested nested.cu -lcudadevrt
    run -0 labncu --section LaunchStats ./nested
    assert_lines 1 -F "Grid Size" # as ncu, which profiles what the host launches
    assert_line --partial "ncu counts the device runtime's instructions, too"
    run -0 labncu --section LaunchStats "$program"
    refute_line --partial "device runtime"
}

@test "results are kept in a file and read again, whole or not at all" {
    run -0 labncu --set full -o kept --nvtx -c 3 "$program"
    assert_line --partial "==PROF== Report: "
    assert_line --partial "==WARNING== --nvtx changes nothing here"
    run -1 labncu -o kept "$program"
    assert_line --partial "already exists. Use -f to overwrite it."
    run -0 labncu -i kept.labncu --set full --page raw --csv
    assert_lines 3 -E '^"[0-9]+","[0-9]+","profiled"'
    run -0 labncu -i kept.labncu --page source
    assert_line --regexp '^Kernel: coalesced'
    run -0 labncu -i kept.labncu --print-summary per-kernel --section LaunchStats
    assert_line --regexp 'coalesced\(const int \*, int \*\) .*, Device 0, CC 9.0, Invocations [0-9]'
    assert_line --regexp 'Block Size +32.00 +32.00 +32.00$'
    head -c 300 kept.labncu >cut.labncu
    run -1 labncu -i cut.labncu
    assert_output --partial "is no complete file of labncu -o"
}

@test "hints come from the model, in its words" {
    run -0 labncu --section LaunchStats -k conflicts "$program"
    assert_line --regexp '^    OPT   Est. Speedup: [0-9.]+% *$'
    assert_line --regexp '^          Modelled: [0-9.]+ us, and [0-9.]+ us without launch overhead\.'
    run -0 labncu --section LaunchStats -k conflicts --apply-rules no "$program"
    refute_line --partial "OPT"
}

@test "sections and sets are listed, and what simt does not give" {
    run -0 labncu --list-sections
    assert_line --regexp '^SpeedOfLight +GPU Speed Of Light Throughput +yes +10 of 10'
    run -0 labncu --list-sets
    assert_line --regexp '^basic +LaunchStats, Occupancy, SpeedOfLight, WorkloadDistribution +yes '
    run -0 labncu --query-metrics
    assert_line --regexp '^smsp__inst_executed.sum +inst '
    assert_line --regexp '^lts__t_sector_hit_rate.pct +MemoryWorkloadAnalysis: L2 Hit Rate: look-ups in'
    # each metric without a value has its reason, and no other one
    run -0 awk -F': ' '/^Metrics of sections/ { from = 1; next } from && NF != 3' <<<"$output"
    refute_output
    run -0 diff <(awk -F'\t' '!/^#/ && $5 != "" && $5 != "why" { print $3 }' "$BATS_TEST_DIRNAME/../../common/labncu/sections.tsv" | sort -u) \
        <(labncu --query-metrics | awk '/^Metrics of sections/ { from = 1; next } from { print $1 }' | sort -u)
}

@test "beside a GPU labncu is ncu, if that may read the counters" {
    mkdir dev fakes
    touch dev/nvidia0
    stand_in "$PWD/fakes" nvidia-smi ncu
    export LABPROF_DEV=$PWD/dev GPU_NAME="NVIDIA H200" GPU_CC=9.0 LABNCU_PARAMS=$PWD/params
    export PATH=$PWD/fakes:$PATH
    unset DEVICE
    echo "RmProfilingAdminOnly: 0" >params
    run labncu --set full --log-file log -c 1 /bin/true
    called -F -- " ncu --set full --log-file log -c 1 /bin/true"
    echo "RmProfilingAdminOnly: 1" >params
    rm "$NOTES/calls"
    run -0 labncu --section InstructionStats -c 1 "$program"
    assert_line "==WARNING== labncu: simt counts in place of ncu: the driver keeps the GPU's counters for administrators"
    assert_line --partial "Executed Instructions"
    not_called -F -- " ncu "
}

@test "make profile-labN makes labncu, which the handouts' next line calls" {
    run -0 make --no-print-directory -C "$BATS_TEST_DIRNAME/../.." -pn profile-lab3
    assert_line --regexp '^profile-lab3:.*/bin/labncu'
}
