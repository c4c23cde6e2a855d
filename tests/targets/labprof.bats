# labprof as a user meets it: nvprof's command line and tables, over a simt, an ncu and an nvprof that are stand-ins here, so that every back
# end and every way it can fail is tested on any machine. What the stand-ins print follows NVIDIA's formats.
load ../helpers

setup() {
    tree=$BATS_TEST_TMPDIR/tree fakes=$BATS_TEST_TMPDIR/fakes work=$BATS_TEST_TMPDIR/work
    mkdir -p "$tree/bin" "$tree/labprof" "$work" "$BATS_TEST_TMPDIR/dev" "$BATS_TEST_TMPDIR/tmp"
    cp "${BUILD:-build}/bin/labprof" "$tree/bin/labprof"
    cp common/labprof/metrics.tsv "$tree/labprof/metrics.tsv"
    export TMPDIR=$BATS_TEST_TMPDIR/tmp LABPROF_DEV=$BATS_TEST_TMPDIR/dev
    export PATH=$fakes:/usr/bin:/bin
    unset DEVICE SIM_GPU CUDA_VISIBLE_DEVICES LABPROF_METRICS COLUMNS
    stand_in "$tree/bin" simt
    cp "$STAND_INS/profile.csv" "$NOTES/profile.csv"
    cd "$work" || return 1
    script prog 'echo "out: $*"; echo "err" >&2; exit ${CODE:-0}'
}

# script NAME BODY: an executable in the working folder or at a path.
script() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

labprof() { "$tree/bin/labprof" "$@"; }

# The output with every process id as PID.
without_pid() { sed -E 's/==[0-9]+==/==PID==/; s/process [0-9]+/process PID/'; }

# A GPU of that name and compute capability.
fake_gpu() {
    touch "$LABPROF_DEV/nvidia0"
    export GPU_NAME=$1 GPU_CC=$2
    stand_in "$fakes" nvidia-smi
}

# ---- Tables -----------------------------------------------------------------------------------------------------------

@test "metrics are printed as nvprof prints them" {
    run --separate-stderr labprof --metrics branch_efficiency,inst_per_warp,gld_efficiency ./prog 32 32
    assert_success
    assert_output "out: 32 32"
    expected='==PID== NVPROF is profiling process PID, command: ./prog 32 32
err
==PID== Profiling application: ./prog 32 32
==PID== labprof: back end simt (NVIDIA H200 (simt)); times are modelled
==PID== Warning: launch 4 of reduceNeighbored(int*, int*, unsigned int) failed (cudaErrorInvalidConfiguration) and is left out
==PID== Profiling result:
==PID== Metric result:
Invocations                               Metric Name                        Metric Description         Min         Max         Avg
Device "NVIDIA H200 (simt) (0)"
    Kernel: reduceNeighbored(int*, int*, unsigned int)
          2                         branch_efficiency                         Branch Efficiency      83.33%      83.33%      83.33%
          2                             inst_per_warp                     Instructions per warp  361.656250  361.656250  361.656250
          2                            gld_efficiency             Global Memory Load Efficiency      25.01%      25.01%      25.01%
    Kernel: void reduceCompleteUnroll<unsigned int=1024>(int*, int*, unsigned int)
          1                         branch_efficiency                         Branch Efficiency     100.00%     100.00%     100.00%
          1                             inst_per_warp                     Instructions per warp  100.000000  100.000000  100.000000
          1                            gld_efficiency             Global Memory Load Efficiency       0.00%       0.00%       0.00%'
    diff <(echo "$expected") <(without_pid <<<"$stderr")
}

@test "events are printed with their total" {
    run --separate-stderr labprof --events branch,divergent_branch ./prog
    assert_success
    expected='==PID== Event result:
Invocations                                Event Name         Min         Max         Avg       Total
Device "NVIDIA H200 (simt) (0)"
    Kernel: reduceNeighbored(int*, int*, unsigned int)
          2                                    branch          12          12          12          24
          2                          divergent_branch           2           2           2           4
    Kernel: void reduceCompleteUnroll<unsigned int=1024>(int*, int*, unsigned int)
          1                                    branch           0           0           0           0
          1                          divergent_branch           0           0           0           0'
    diff <(echo "$expected") <(without_pid <<<"$stderr" | sed -n '/Event result/,$p')
}

@test "events and metrics together make two tables, events first" {
    run --separate-stderr labprof -m inst_executed -e branch ./prog
    assert_success
    assert [ "$(grep -n 'Event result' <<<"$stderr" | cut -d: -f1)" -lt "$(grep -n 'Metric result' <<<"$stderr" | cut -d: -f1)" ]
}

@test "modelled metrics are named as such" {
    run --separate-stderr labprof --metrics gld_throughput,achieved_occupancy,gld_transactions ./prog
    assert_stderr --partial "labprof: modelled, not counted: gld_throughput, achieved_occupancy"$'\n'
    assert_stderr --partial "  1.8787TB/s  1.8787TB/s  1.8787TB/s"
}

@test "what the profile lacks is NA with the reason" {
    run --separate-stderr labprof --metrics stall_sync ./prog
    assert_success
    assert_stderr --partial "labprof: stall_sync is NA: the time model was off"
    assert_stderr --partial "Issue Stall Reasons (Synchronization)          NA          NA          NA"
}

@test "all metrics and all events" {
    run --separate-stderr labprof --metrics all --events all ./prog
    assert_success
    output=$stderr assert_lines "$(grep -cE $'\t(metric|event)\t' "$tree/labprof/metrics.tsv")" '^ *2 '
}

@test "CSV as nvprof writes it" {
    run --separate-stderr labprof --csv --metrics gst_efficiency,dram_utilization --events branch ./prog
    assert_success
    assert_grep -xF '"Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total"' <<<"$stderr"
    assert_grep -xF '"NVIDIA H200 (simt) (0)","reduceNeighbored(int*, int*, unsigned int)",2,"branch",12,12,12,24' <<<"$stderr"
    assert_grep -xF '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"' <<<"$stderr"
    assert_grep -xF '"NVIDIA H200 (simt) (0)","reduceNeighbored(int*, int*, unsigned int)",2,"gst_efficiency","Global Memory Store Efficiency",25.000000%,25.000000%,25.000000%' <<<"$stderr"
    assert_grep -F '"dram_utilization","Device Memory Utilization","Low (1)","Low (1)","Low (1)"' <<<"$stderr"
}

@test "the summary without options, and --print-gpu-summary" {
    for option in "" --print-gpu-summary; do
        run --separate-stderr labprof $option ./prog
        assert_success
        expected='            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:   95.18%  519.30us         2  259.65us  259.65us  259.65us  reduceNeighbored(int*, int*, unsigned int)
                    4.82%  26.272us         1  26.272us  26.272us  26.272us  void reduceCompleteUnroll<unsigned int=1024>(int*, int*, unsigned int)'
        diff <(echo "$expected") <(sed -n '/Time(%)/,$p' <<<"$stderr")
        assert_stderr --partial "labprof: memory copies and API calls are not recorded by this back end"
    done
}

@test "-u chooses the unit of time" {
    run --separate-stderr labprof -u ms ./prog
    assert_stderr --partial "0.51930ms         2  0.25965ms"
    run --separate-stderr labprof --csv -u us ./prog
    assert_stderr --partial $'\n,%,us,,us,us,us,\n'
    assert_grep '"GPU activities",95\.184.*,519\.296000,2,259\.648000,259\.648000,259\.648000,"reduceNeighbored' <<<"$stderr"
}

@test "the trace, as text and as CSV" {
    run --separate-stderr labprof --print-gpu-trace ./prog
    assert_success
    expected='   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*      Size  Throughput  SrcMemType  DstMemType           Device   Context    Stream  Name
       -  259.65us          (16384 1 1)      (1024 1 1)        16  4.0000KB        0B         -           -           -           -  NVIDIA H200 (si         1         7  reduceNeighbored(int*, int*, unsigned int) [1]'
    diff <(echo "$expected") <(grep -A1 '   Start  Duration' <<<"$stderr")
    assert_stderr --partial "Regs: Number of registers used per CUDA thread."
    run --separate-stderr labprof --print-gpu-trace --csv ./prog
    assert_grep -xF ',259.648000,16384,1,1,1024,1,1,16,4096,0,,,,,"NVIDIA H200 (simt) (0)","1","7","reduceNeighbored(int*, int*, unsigned int)",1' <<<"$stderr"
}

@test "the trace of metrics has one line a launch" {
    run --separate-stderr labprof --print-gpu-trace -m inst_per_warp -e branch --csv ./prog
    assert_grep -xF '"Device","Context","Stream","Kernel","Correlation_ID","inst_per_warp","branch"' <<<"$stderr"
    output=$stderr assert_lines 3 '^"NVIDIA H200'
    run --separate-stderr labprof --print-gpu-trace -m inst_per_warp ./prog
    output=$stderr assert_lines 2 '361.656250'
}

@test "--kernels picks by name and by invocation" {
    run --separate-stderr labprof --kernels Complete -m inst_executed ./prog
    assert_stderr --partial reduceCompleteUnroll
    refute_stderr --partial "Kernel: reduceNeighbored"
    run --separate-stderr labprof --kernels ::Neighbored:2 --print-gpu-trace ./prog
    assert_stderr --partial " [3]"
    refute_stderr --partial " [1]"
    run --separate-stderr labprof --kernels nothing -m inst_executed ./prog
    assert_stderr --partial "No events/metrics were profiled."
    run --separate-stderr labprof --kernels '(' ./prog
    assert_failure 2
    assert_stderr --partial "is not a regular expression"
    refute_stderr --partial NVPROF
}

@test "--quiet prints nothing, and the program's output stays" {
    run --separate-stderr labprof --quiet -m inst_executed ./prog x
    assert_success
    assert_output "out: x"
    assert_stderr err
}

# ---- Where the output goes --------------------------------------------------------------------------------------------

@test "--log-file takes everything, with %p for the process id" {
    run --separate-stderr labprof --csv --log-file 'log.%p.csv' --metrics gld_efficiency,gst_efficiency ./prog
    assert_success
    assert_output "out: "
    assert_stderr err
    log=$(echo log.*.csv)
    pid=${log#log.} pid=${pid%.csv}
    assert_grep -F "==$pid== NVPROF is profiling process $pid" <"$log"
    assert_grep -F '"gst_efficiency"' <"$log"
}

@test "--log-file %1 is stdout" {
    run --separate-stderr labprof --log-file %1 -m inst_executed ./prog
    assert_output --partial "Metric result"
    assert_stderr err
}

@test "a log that cannot be written is found out before the program runs" {
    run --separate-stderr labprof --log-file /no/such/folder/log ./prog
    assert_failure 2
    refute_output
    assert_stderr "labprof: --log-file: cannot write /no/such/folder/log: No such file or directory"
    run --separate-stderr labprof --log-file 'x%z' ./prog
    assert_failure 2
    refute_output
}

@test "a full disk leaves no half-written log" {
    [ -w /dev/full ] || skip "no /dev/full"
    run --separate-stderr labprof --log-file /dev/full -m all ./prog
    assert_failure 1
    assert_stderr --partial "cannot write /dev/full: No space left on device"
}

# ---- The program's fate -----------------------------------------------------------------------------------------------

@test "the program's exit status is labprof's, and its results are printed" {
    CODE=7 run --separate-stderr labprof -m inst_executed ./prog
    assert_failure 7
    assert_regex "$stderr" "Kernel: reduceNeighbored.*======== Error: Application returned non-zero code 7$"
}

@test "a program that crashes: its launches are printed, then the signal" {
    script crash 'kill -SEGV $$'
    run --separate-stderr labprof -m inst_executed ./crash
    assert_failure 139
    assert_regex "$stderr" "Kernel: reduceNeighbored.*======== Error: Application received signal 139$"
}

@test "a program that is not there, and one that cannot be run" {
    run -127 --separate-stderr labprof -m inst_executed ./missing
    assert_failure 127
    assert_stderr "labprof: cannot run ./missing: No such file or directory"
    touch plain
    run --separate-stderr labprof ./plain
    assert_failure 126
    assert_stderr "labprof: cannot run ./plain: Permission denied"
}

@test "a program without kernels" {
    head -1 "$NOTES/profile.csv" >"$NOTES/empty"
    mv "$NOTES/empty" "$NOTES/profile.csv"
    run --separate-stderr labprof ./prog
    assert_success
    assert_regex "$stderr" "Profiling result:"$'\n'"No kernels were profiled\.$"
    run --separate-stderr labprof -m inst_executed ./prog
    assert_regex "$stderr" "No events/metrics were profiled\.$"
    rm "$NOTES/profile.csv"
    run --separate-stderr labprof ./prog
    assert_success
    assert_stderr --partial "a program for it is built with nvcc -cudart shared"
}

@test "Ctrl-C ends the program and leaves nothing behind" {
    script slow 'trap "" INT; echo $$ >pid; sleep 60 & wait; sleep 60'
    "$tree/bin/labprof" --log-file log --metrics inst_executed ./slow >out 2>err 3>&- &
    job=$!
    for _ in {1..300}; do [ -s pid ] && break; sleep 0.1; done
    kill -INT $job
    status=0
    wait $job || status=$?
    assert_equal $status 130
    assert_grep -x 'labprof: interrupted; nothing is written' <err
    assert [ ! -e log ]
    assert_equal "$(ls -A "$TMPDIR")" ""
    assert_equal "$(ls)" "$(printf 'err\nout\npid\nprog\nslow')"
    run kill -0 "$(cat pid)"
    assert_failure
}

@test "no temporary file stays, whatever happens" {
    labprof -m inst_executed ./prog >/dev/null 2>&1
    labprof -m nonsense ./prog >/dev/null 2>&1 || true
    CODE=3 labprof ./prog >/dev/null 2>&1 || true
    DEVICE=gpu labprof ./prog >/dev/null 2>&1 || true
    assert_equal "$(ls -A "$TMPDIR")" ""
    TMPDIR=/no/such/folder run --separate-stderr labprof ./prog
    assert_failure 1
    assert_regex "$stderr" "^labprof: cannot make a temporary folder /no/such/folder/"
}

# ---- Options ----------------------------------------------------------------------------------------------------------

@test "an unknown metric is refused by name before anything runs" {
    run --separate-stderr labprof --metrics branch_eficiency ./prog
    assert_failure 2
    refute_output
    assert_stderr 'labprof: unknown metric "branch_eficiency"; did you mean branch_efficiency?'
    run --separate-stderr labprof --events branchy ./prog
    assert_failure 2
    assert_stderr 'labprof: unknown event "branchy"; did you mean branch?'
}

@test "wrong options are refused in one line" {
    while read -r words; do
        # shellcheck disable=SC2086
        run --separate-stderr labprof $words
        assert_failure 2
        refute_output
        output=$stderr assert_lines 1
        assert_regex "$stderr" "^labprof:"
    done <<'WORDS'

--metrics
--nonsense ./prog
-o file ./prog
--print-api-trace ./prog
-u year ./prog
--devices 3 ./prog
--lab-metrics f ./prog
WORDS
    run --separate-stderr labprof -o file.nvvp ./prog
    assert_regex "$stderr" "use --csv --log-file FILE$"
}

@test "--query-metrics and --query-events list what there is" {
    run --separate-stderr labprof --query-metrics
    assert_success
    assert_output --partial "Available Metrics:"$'\n'"                            Name   Description"$'\n'"Device 0 (simt):"$'\n'
    assert_output --partial "                   inst_per_warp:  "
    refute_output --partial divergent_branch:
    run --separate-stderr labprof --query-events
    assert_line --index 0 "Available Events:"
    assert_output --partial "divergent_branch:"
    refute_output --partial inst_per_warp
}

@test "an efficiency means the same on every back end, and where nvprof counts it otherwise that is said" {
    meaning="gld_efficiency:  Different bytes that a warp asked for as a share of the bytes in the sectors moved for it by global loads; 100 is perfectly coalesced, a warp that reads one word has 12.5"
    difference="nvprof counts the bytes of each thread, so a word that several threads of a warp want counts several times, and the value may be above 100"
    run --separate-stderr labprof --query-metrics
    assert_output --partial " $meaning"$'\n'
    fake_gpu "NVIDIA H200" 9.0
    stand_in "$fakes" ncu
    run --separate-stderr labprof --query-metrics
    assert_output --partial " $meaning"$'\n'
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    stand_in "$fakes" nvprof
    run --separate-stderr labprof --query-metrics
    assert_output --partial " $meaning ($difference)"$'\n'
    run --separate-stderr labprof -m gld_efficiency ./prog
    assert_stderr --partial "labprof: gld_efficiency: $difference"
}

@test "--help and --version" {
    run --separate-stderr labprof --help
    assert_success
    assert_regex "$output" "--lab-metrics"
    run --separate-stderr labprof --version
    assert_success
    assert_regex "$output" "^labprof "
}

# ---- A lab's metrics --------------------------------------------------------------------------------------------------

steps() {
    script lab 'cat >run.csv <<CSV
lab,step,kernel,grid,block,time_ms,status
3,0,recursiveReduce,NA,NA,5,ok
3,1,reduceNeighbored,(16384 1 1),(1024 1 1),1,ok
3,2,reduceInterleaved,(16384 1 1),(1024 1 1),1,todo
3,9,reduceCompleteUnroll<1024>,(2048 1 1),(1024 1 1),1,ok
CSV
echo ran; exit ${CODE:-0}'
}

@test "--lab-metrics writes a row for each step and metric" {
    steps
    run --separate-stderr labprof --lab-metrics metrics.csv --lab 3 --steps run.csv --metrics inst_per_warp,stall_sync,branch ./lab
    assert_success
    assert_output ran
    expected='lab,step,kernel,grid,block,metric,value,unit,backend,device
3,1,reduceNeighbored,(16384 1 1),(1024 1 1),inst_per_warp,361.65625,inst/warp,simt,NVIDIA H200 (simt)
3,1,reduceNeighbored,(16384 1 1),(1024 1 1),stall_sync,NA,%,simt,NVIDIA H200 (simt)
3,1,reduceNeighbored,(16384 1 1),(1024 1 1),branch,12,branches,simt,NVIDIA H200 (simt)
3,9,reduceCompleteUnroll<1024>,(2048 1 1),(1024 1 1),inst_per_warp,100,inst/warp,simt,NVIDIA H200 (simt)
3,9,reduceCompleteUnroll<1024>,(2048 1 1),(1024 1 1),stall_sync,NA,%,simt,NVIDIA H200 (simt)
3,9,reduceCompleteUnroll<1024>,(2048 1 1),(1024 1 1),branch,0,branches,simt,NVIDIA H200 (simt)'
    diff <(echo "$expected") metrics.csv
}

@test "--lab-table prints kernels by metrics, as wide as the terminal" {
    steps
    COLUMNS=60 run --separate-stderr labprof --quiet --lab-table --steps run.csv -m inst_per_warp,branch_efficiency,gld_throughput ./lab
    assert_success
    expected='ran

Metrics from simt on NVIDIA H200 (simt)

step  kernel                      inst_per_warp
                                      inst/warp
   1  reduceNeighbored                   361.66
   9  reduceCompleteUnroll<1024>         100.00

step  kernel                      branch_efficiency
                                                  %
   1  reduceNeighbored                        83.33
   9  reduceCompleteUnroll<1024>             100.00

step  kernel                      gld_throughput
                                            GB/s
   1  reduceNeighbored                   2065.67
   9  reduceCompleteUnroll<1024>            0.00

modelled, not counted: gld_throughput'
    diff <(echo "$expected") <(echo "$output")
}

@test "a steps file of an earlier run is not taken, nor an unwritable metrics file" {
    steps
    ./lab
    script lab 'true'
    run --separate-stderr labprof --lab-metrics metrics.csv --lab 3 --steps run.csv -m inst_executed ./lab
    assert_failure 1
    assert_stderr --partial "did not write run.csv in this run"
    assert [ ! -e metrics.csv ]
    steps
    run --separate-stderr labprof --lab-metrics /no/such/m.csv --lab 3 --steps run.csv -m inst_executed ./lab
    assert_failure 1
    assert_stderr --partial -- "--lab-metrics: cannot write /no/such/m.csv"
}

@test "a lab of an empty problem has no metrics, and that is no error" {
    script lab 'echo lab,step,kernel,grid,block,time_ms,status >run.csv; echo "3,1,reduceNeighbored,(0 1 1),(1024 1 1),NA,ok (nothing to do)" >>run.csv'
    run --separate-stderr labprof --quiet --lab-table --lab-metrics metrics.csv --lab 3 --steps run.csv -m inst_executed ./lab
    assert_success
    assert_output --partial "No step launched a kernel."
    assert_equal "$(cat metrics.csv)" lab,step,kernel,grid,block,metric,value,unit,backend,device
}

@test "a lab whose run fails still gets its metrics, and its exit status" {
    steps
    CODE=1 run --separate-stderr labprof --lab-metrics metrics.csv --lab 3 --steps run.csv -m inst_executed ./lab
    assert_failure 1
    assert_equal "$(wc -l <metrics.csv)" 3
}

# ---- Which back end ---------------------------------------------------------------------------------------------------

@test "routing by compute capability" {
    stand_in "$fakes" ncu
    stand_in "$fakes" nvprof
    while read -r capability backend; do
        fake_gpu GPU "$capability"
        run --separate-stderr labprof -m branch_efficiency ./prog
        assert_success
        assert_stderr --partial "labprof: back end $backend "
    done <<'CASES'
6.1 nvprof
7.0 nvprof
7.2 nvprof
7.5 ncu
9.0 ncu
10.0 ncu
CASES
    rm "$fakes/nvprof"
    fake_gpu GPU 7.0
    run --separate-stderr labprof -m branch_efficiency ./prog
    assert_stderr --partial "labprof: back end ncu "
}

@test "no GPU, no driver or DEVICE=sim: simt" {
    stand_in "$fakes" ncu
    run --separate-stderr labprof -m branch ./prog
    assert_stderr --partial "back end simt"
    touch "$LABPROF_DEV/nvidia0"
    run --separate-stderr labprof -m branch ./prog
    assert_stderr --partial "back end simt"
    fake_gpu GPU 9.0
    DEVICE=sim run --separate-stderr labprof -m branch ./prog
    assert_stderr --partial "back end simt"
    run --separate-stderr labprof --backend simt -m branch ./prog
    assert_stderr --partial "back end simt"
    CUDA_VISIBLE_DEVICES='' run --separate-stderr labprof -m branch ./prog
    assert_stderr --partial "back end simt"
}

@test "DEVICE=gpu without a GPU, wrong words, and a driver that does not tell" {
    DEVICE=gpu run --separate-stderr labprof ./prog
    assert_failure 1
    assert_regex "$stderr" "^labprof: DEVICE=gpu, but there is no GPU here"
    DEVICE=tpu run --separate-stderr labprof ./prog
    assert_failure 1
    assert_stderr "labprof: DEVICE=tpu: auto, gpu or sim"
    run --separate-stderr labprof --backend cupti ./prog
    assert_failure 1
    assert_stderr "labprof: --backend cupti: simt, ncu or nvprof"
    fake_gpu "Old GPU" ""
    run --separate-stderr labprof ./prog
    assert_failure 1
    assert_stderr --partial "does not tell the compute capability of Old GPU; name the back end: --backend nvprof"
}

@test "CUDA_VISIBLE_DEVICES chooses the GPU that is asked about" {
    stand_in "$fakes" ncu
    fake_gpu GPU 9.0
    CUDA_VISIBLE_DEVICES=2,3 run --separate-stderr labprof -m branch ./prog
    called '^nvidia-smi .*-i 2$'
}

@test "simt gets the GPU to play" {
    SIM_GPU=a100 run labprof ./prog
    called -x 'simt --gpu a100 ./prog'
    SIM_GPU=a100 run labprof --gpu t4 ./prog x
    called -x 'simt --gpu t4 ./prog x'
    rm "$tree/bin/simt"
    run --separate-stderr labprof ./prog
    assert_failure 1
    assert_regex "$stderr" "^labprof: the simulator is not built:"
}

# ---- ncu --------------------------------------------------------------------------------------------------------------

@test "ncu is called as its manual says, for what the metrics need" {
    fake_gpu "NVIDIA H200" 9.0
    stand_in "$fakes" ncu
    run --separate-stderr labprof --kernels '^reduce' -m branch_efficiency ./prog a
    assert_success
    assert_output "out: a"
    called "^LC_ALL=C ncu --csv --page raw --print-units base --metrics .* --print-kernel-base mangled --clock-control none -k regex:^reduce \./prog a$"
    called -F gpu__time_duration.sum
    called -F smsp__sass_branch_targets.sum
}

@test "ncu's values become nvprof's" {
    fake_gpu "NVIDIA H200" 9.0
    stand_in "$fakes" ncu
    run --separate-stderr labprof -e branch,divergent_branch -m branch_efficiency,achieved_occupancy,gld_throughput,dram_read_throughput,dram_utilization,stall_sync,warp_execution_efficiency,gld_efficiency,inst_per_warp ./prog
    assert_success
    expected='Device "NVIDIA H200 (0)"
    Kernel: reduceNeighbored(int*, int*, unsigned int)
          1                         branch_efficiency                         Branch Efficiency      71.58%      71.58%      71.58%
          1                        achieved_occupancy                        Achieved Occupancy    0.954300    0.954300    0.954300
          1                            gld_throughput                    Global Load Throughput  1.8787TB/s  1.8787TB/s  1.8787TB/s
          1                      dram_read_throughput             Device Memory Read Throughput  240.73GB/s  240.73GB/s  240.73GB/s
          1                          dram_utilization                 Device Memory Utilization     Low (1)     Low (1)     Low (1)
          1                                stall_sync     Issue Stall Reasons (Synchronization)      18.95%      18.95%      18.95%
          1                 warp_execution_efficiency                 Warp Execution Efficiency      88.72%      88.72%      88.72%
          1                            gld_efficiency             Global Memory Load Efficiency      25.01%      25.01%      25.01%
          1                             inst_per_warp                     Instructions per warp  318.940000  318.940000  318.940000
    Kernel: void reduceCompleteUnroll<unsigned int=1024>(int*, int*, unsigned int)
          1                         branch_efficiency                         Branch Efficiency     100.00%     100.00%     100.00%'
    diff <(echo "$expected") <(sed -n '/Metric result/,$p' <<<"$stderr" | sed -n '3,15p')
    assert_stderr --partial "    branch    11010048    11010048    11010048    11010048"
    assert_stderr --partial "stall_sync: nvprof gives the share of all stalls, ncu the share of the warps' active cycles"
    assert_stderr --partial "gld_efficiency is NA: ncu has no such counter on this GPU"
}

@test "ncu's durations make the summary, in whatever unit" {
    fake_gpu "NVIDIA H200" 9.0
    stand_in "$fakes" ncu
    run --separate-stderr labprof ./prog
    assert_stderr --partial "GPU activities:   90.81%  259.65us         1  259.65us  259.65us  259.65us  reduceNeighbored"
    TIME_UNIT=us run --separate-stderr labprof ./prog
    assert_stderr --partial "90.81%  259.65ms "
    run --separate-stderr labprof --print-gpu-trace ./prog
    assert_stderr --partial "26.272us           (2048 1 1)      (1024 1 1)        26  4.0000KB        0B"
}

@test "what ncu really wrote on an H200 is read" {
    fake_gpu GPU 9.0
    script "$fakes/ncu" 'while [ "$1" != --log-file ]; do shift; done; cp "$STAND_INS/ncu-h200-lab3.csv" "$2"'
    run --separate-stderr labprof --csv --metrics all --events all ./prog
    assert_success
    while IFS=: read -r name value; do
        assert_grep -E "^\"NVIDIA H200 \(0\)\",\"reduceNeighbored\(int\*, int\*, unsigned int\)\",1,\"$name\",.*,$value,$value,$value(,|$)" <<<"$stderr"
    done <<'VALUES'
branch_efficiency:71.580000%
inst_per_warp:337.940000
inst_executed:177176576
gld_transactions:16760832
gst_transactions:8388608
gld_requests:6275072
gst_requests:3145728
gld_transactions_per_request:2.670000
gld_efficiency:25.010000%
gst_efficiency:25.000000%
gld_throughput:1.795088TB/s
dram_read_throughput:230.010794GB/s
dram_write_throughput:147.069127GB/s
dram_utilization:"Low \(1\)"
achieved_occupancy:0.956200
warp_execution_efficiency:89.375000%
stall_sync:18.870000%
stall_memory_dependency:10.720000%
stall_exec_dependency:24.570000%
shared_load_transactions_per_request:0.000000
shared_efficiency:0.000000%
shared_ld_bank_conflict:0
shared_load_throughput:NA
l2_read_throughput:344.556780GB/s
ipc:2.530000
sm_efficiency:99.040000%
eligible_warps_per_cycle:11.920000
flop_count_sp:0
branch:11010048
divergent_branch:3129344
gpu_time:271744
VALUES
    run --separate-stderr labprof --print-gpu-trace ./prog
    assert_stderr --partial "271.74us          (16384 1 1)      (1024 1 1)        16        0B        0B"
}

@test "a metric that this ncu does not know is NA" {
    fake_gpu "NVIDIA H200" 9.0
    stand_in "$fakes" ncu
    run --separate-stderr labprof -m ipc ./prog
    assert_success
    assert_stderr --partial "ipc is NA: ncu has no such counter"
    assert_stderr --partial "Executed IPC          NA          NA          NA"
}

@test "counters for administrators only: the documented fix, and no success" {
    fake_gpu "NVIDIA H200" 9.0
    stand_in "$fakes" ncu
    NCU=permission run --separate-stderr labprof --log-file log -m branch ./prog
    assert_failure 1
    assert_stderr --partial ERR_NVGPUCTRPERM
    assert_stderr --partial NVreg_RestrictProfilingToAdminUsers=0
    assert [ ! -e log ]
    assert_equal "$(ls -A "$TMPDIR")" ""
}

@test "ncu failing, ncu missing, a program failing under ncu" {
    fake_gpu "NVIDIA H200" 9.0
    stand_in "$fakes" ncu
    NCU=broken run --separate-stderr labprof -m branch ./prog
    assert_failure 1
    assert_stderr --partial "labprof: ncu failed: Failed to load the driver library"
    CODE=5 run --separate-stderr labprof -m branch ./prog
    assert_failure 5
    assert_regex "$stderr" "======== Error: Application returned non-zero code 5$"
    NCU=none run --separate-stderr labprof -m branch ./prog
    assert_success
    assert_regex "$stderr" "No events/metrics were profiled\.$"
    rm "$fakes/ncu"
    [ -e /usr/local/cuda/bin/ncu ] || compgen -G '/opt/nvidia/nsight-compute/*/ncu' >/dev/null && skip "this machine has an ncu"
    run --separate-stderr labprof -m branch ./prog
    assert_failure 1
    assert_stderr --partial "there is no ncu (looked in PATH, /usr/local/cuda/bin, /opt/nvidia/nsight-compute/*)"
}

# ---- nvprof -----------------------------------------------------------------------------------------------------------

@test "nvprof's metrics and events are printed again as they were" {
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    stand_in "$fakes" nvprof
    run --separate-stderr labprof -m branch_efficiency,gld_throughput,gld_requests,dram_utilization -e branch ./prog
    assert_success
    called -e "--csv --metrics branch_efficiency,gld_throughput,global_load_requests,dram_utilization --events branch \./prog$"
    expected='==PID== Event result:
Invocations                                Event Name         Min         Max         Avg       Total
Device "NVIDIA GeForce GTX 1060 6GB (0)"
    Kernel: mathKernel1(float*)
          2                                    branch          12          14          13          26

==PID== Metric result:
Invocations                               Metric Name                        Metric Description         Min         Max         Avg
Device "NVIDIA GeForce GTX 1060 6GB (0)"
    Kernel: mathKernel1(float*)
          2                         branch_efficiency                         Branch Efficiency      83.33%      83.33%      83.33%
          2                            gld_throughput                    Global Load Throughput  987.92MB/s  61.836GB/s  31.400GB/s
          2                              gld_requests                      Global Load Requests           4           4           4
          2                          dram_utilization                 Device Memory Utilization     Low (1)     Mid (5)     Low (3)'
    diff <(echo "$expected") <(without_pid <<<"$stderr" | sed -n '/Event result/,$p')
}

@test "nvprof's own summary is passed on" {
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    stand_in "$fakes" nvprof
    CODE=4 run --separate-stderr labprof --csv -u ms --kernels a ./prog
    assert_failure 4
    assert_stderr --partial "labprof: back end nvprof (NVIDIA GeForce GTX 1060 6GB)"
    assert_stderr --partial " GPU activities:  100.00%  what nvprof says"
    output=$stderr assert_lines 1 'NVPROF is profiling'
    output=$stderr assert_lines 1 'non-zero code 4'
    called -e "--kernels a --csv -u ms \./prog$"
}

@test "a metric nvprof does not have is NA, a GPU it does not profile is said, and that there is none" {
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    stand_in "$fakes" nvprof
    run --separate-stderr labprof -m branch_efficiency,gpu_time ./prog
    assert_success
    assert_stderr --partial "gpu_time is NA: nvprof has no such thing"
    NVPROF=skip run --separate-stderr labprof -m branch_efficiency ./prog
    assert_failure 1
    assert_stderr --partial "profiling is not supported on devices with compute capability 7.5"
    # Without a driver nvprof 11.8 writes no log where it is asked for metrics, and a warning where it is not.
    rm "$LABPROF_DEV/nvidia0"
    NVPROF=internal run --separate-stderr labprof --backend nvprof -m branch_efficiency ./prog
    assert_failure 1
    assert_regex "$stderr" "labprof: nvprof wrote no results and ended with exit status 4: there is no GPU here that nvidia-smi knows; DEVICE=sim simulates one$"
    NVPROF=driverless run --separate-stderr labprof --backend nvprof -m branch_efficiency ./prog
    assert_failure 1
    assert_regex "$stderr" "labprof: nvprof: ======== Warning: unable to locate cuda driver library, GPU profiling skipped$"
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    rm "$fakes/nvprof"
    [ ! -e /usr/local/cuda/bin/nvprof ] || skip "this machine has an nvprof"
    run --separate-stderr labprof ./prog
    assert_failure 1
    assert_stderr --partial "this GPU needs nvprof, and there is none"
}
