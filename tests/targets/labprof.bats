# labprof as a user meets it: nvprof's command line and tables, over a simt, an ncu and an nvprof
# that are stand-ins here, so that every back end and every way it can fail is tested on any
# machine. What the stand-ins print follows NVIDIA's formats.
load ../helpers

golden=$PWD/tests/golden
data=$PWD/tests/data

# What every test begins with.
setup_file() {
    labprof=$(realpath "${BUILD:-build}/bin/labprof") metrics=$(realpath common/labprof/metrics.tsv)
    mkdir -p "$BATS_FILE_TMPDIR"/{tree/bin,tree/labprof,work,dev,tmp}
    cd "$BATS_FILE_TMPDIR" || return 1
    cp "$labprof" tree/bin/labprof
    cp "$metrics" tree/labprof/metrics.tsv
    stand_in "$PWD/tree/bin" simt
    cp "$STAND_INS/profile.csv" "$STAND_INS/timeline.csv" .
    script work/prog 'echo "out: $*"; echo "err" >&2; exit ${CODE:-0}'
}

setup() {
    tree=$BATS_TEST_TMPDIR/tree fakes=$BATS_TEST_TMPDIR/fakes work=$BATS_TEST_TMPDIR/work
    cp -r "$BATS_FILE_TMPDIR/." "$BATS_TEST_TMPDIR"
    export TMPDIR=$BATS_TEST_TMPDIR/tmp LABPROF_DEV=$BATS_TEST_TMPDIR/dev
    export PATH=$fakes:/usr/bin:/bin
    unset DEVICE SIM_GPU CUDA_VISIBLE_DEVICES LABPROF_METRICS COLUMNS
    cd "$work" || return 1
}

# script NAME BODY: an executable in the working folder or at a path.
script() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

labprof() { "$tree/bin/labprof" "$@"; }

# profiled [-STATUS] ARGUMENT...: what it prints, in $output and $stderr.
profiled() { to_run --separate-stderr labprof -- "$@"; }

# The output with every process id as PID.
without_pid() { sed -E 's/==[0-9]+==/==PID==/; s/process [0-9]+/process PID/'; }

# A GPU of that name and compute capability.
fake_gpu() {
    touch "$LABPROF_DEV/nvidia0"
    export GPU_NAME=$1 GPU_CC=$2
    stand_in "$fakes" nvidia-smi
}

h200_with_ncu() {
    fake_gpu "NVIDIA H200" 9.0
    stand_in "$fakes" ncu
}

# A library that can be loaded in the place of the recorder, and a program that writes the timeline
# as the recorder would.
fake_recorder() {
    gcc -shared -o "$tree/labprof/librecorder.so" -x c - \
        <<<'int InitializeInjection(void) { return 1; }'
    script prog 'echo "library: $CUDA_INJECTION64_PATH"
        [ ! -e "$NOTES/timeline.csv" ] || cp "$NOTES/timeline.csv" "${LABPROF_TIMELINE/\%p/$$}"
        exit ${CODE:-0}'
}

# ---- Tables ----

@test "metrics are printed as nvprof prints them" {
    profiled -0 --metrics branch_efficiency,inst_per_warp,gld_efficiency ./prog 32 32
    assert_output "out: 32 32"
    diff "$golden/labprof-metrics.txt" <(without_pid <<<"$stderr")
}

@test "events are printed with their total" {
    profiled -0 --events branch,divergent_branch ./prog
    diff "$golden/labprof-events.txt" <(without_pid <<<"$stderr" | sed -n '/Event result/,$p')
}

@test "events and metrics together make two tables, events first" {
    profiled -0 -m inst_executed -e branch ./prog
    assert [ "$(grep -n 'Event result' <<<"$stderr" | cut -d: -f1)" -lt \
        "$(grep -n 'Metric result' <<<"$stderr" | cut -d: -f1)" ]
}

@test "modelled metrics are named as such" {
    profiled --metrics gld_throughput,achieved_occupancy,gld_transactions ./prog
    assert_stderr --partial \
        "labprof: modelled, not counted: gld_throughput, achieved_occupancy"$'\n'
    assert_stderr --partial "  1.8787TB/s  1.8787TB/s  1.8787TB/s"
}

@test "what the profile lacks is NA with the reason" {
    profiled -0 --metrics stall_sync ./prog
    assert_stderr --partial "labprof: stall_sync is NA: the time model was off"
    assert_stderr --partial \
        "Issue Stall Reasons (Synchronization)          NA          NA          NA"
}

@test "all metrics and all events" {
    profiled -0 --metrics all --events all ./prog
    there=$(awk -F'\t' '($2 == "metric" || $2 == "event") && $7 != "NA"' "$tree/labprof/metrics.tsv" |
        wc -l)
    output=$stderr assert_lines "$there" '^ *2 '
    refute_stderr --partial nvlink
    profiled -0 --metrics all,nvlink_receive_throughput ./prog
    assert_stderr --partial \
        "labprof: nvlink_receive_throughput is NA: links between GPUs are not counted"
}

@test "a metric and an event of one name" {
    profiled -0 --metrics inst_executed ./prog
    assert_stderr --partial "Instructions Executed"
    refute_stderr --partial "Event result"
    profiled -0 --events inst_executed ./prog
    assert_stderr --partial "Event result"
    refute_stderr --partial "Metric result"
}

@test "CSV as nvprof writes it" {
    profiled -0 --csv --metrics gst_efficiency,dram_utilization --events branch ./prog
    assert_grep -xF '"Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total"' \
        <<<"$stderr"
    assert_grep -xF \
        '"NVIDIA H200 (simt) (0)","reduceNeighbored(int*, int*, unsigned int)",2,"branch",12,12,12,24' \
        <<<"$stderr"
    assert_grep -xF \
        '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"' \
        <<<"$stderr"
    assert_grep -xF \
        '"NVIDIA H200 (simt) (0)","reduceNeighbored(int*, int*, unsigned int)",2,"gst_efficiency","Global Memory Store Efficiency",25.000000%,25.000000%,25.000000%' \
        <<<"$stderr"
    assert_grep -F '"dram_utilization","Device Memory Utilization","Low (1)","Low (1)","Low (1)"' \
        <<<"$stderr"
}


# The summary of the last run, without the calls of a microsecond.
summary() {
    sed -n '/Time(%)/,$p' <<<"$stderr" | grep -v ' 1.0000us  cuda'
}

# summary_has PART...: it has these parts.
summary_has() {
    for part; do cat "$golden/labprof-$part.txt"; done | diff - <(summary)
}

@test "the summary: GPU activities and API calls, either, or both" {
    for option in "" --print-summary "--print-gpu-summary --print-api-summary"; do
        # shellcheck disable=SC2086
        profiled -0 $option ./prog
        summary_has head gpu api
    done
    profiled --print-gpu-summary ./prog
    summary_has head gpu
    profiled --print-api-summary ./prog
    summary_has head api
    profiled --profile-api-trace none ./prog
    summary_has head gpu
}

@test "-u chooses the unit of time" {
    profiled -u ms ./prog
    assert_stderr --partial "0.51930ms         2  0.25965ms"
    profiled --csv -u us ./prog
    assert_stderr --partial $'\n,%,us,,us,us,us,\n'
    assert_grep -xF \
        '"GPU activities",24.668425,519.296000,2,259.648000,259.648000,259.648000,"reduceNeighbored(int*, int*, unsigned int)"' \
        <<<"$stderr"
    assert_grep -xF \
        '"GPU activities",36.706975,772.720000,2,386.360000,100.000000,672.720000,"[CUDA memcpy HtoD]"' \
        <<<"$stderr"
    assert_grep -xF \
        '"API calls",0.440786,800.000000,1,800.000000,800.000000,800.000000,"cudaMemcpy"' \
        <<<"$stderr"
    profiled --csv ./prog
    assert_stderr --partial $'\n,%,ms,,ms,ms,ms,\n'
}

@test "--print-gpu-trace: a line for each kernel, copy and fill, in order of start, as text and as CSV" {
    profiled -0 --print-gpu-trace ./prog
    diff "$golden/labprof-gpu-trace.txt" \
        <(sed -n '/   Start  Duration/,/^$/p' <<<"$stderr" | grep .)
    assert_stderr --partial "Regs: Number of registers used per CUDA thread."
    profiled --print-gpu-trace --csv ./prog
    assert_grep -xF 'ms,us,,,,,,,,B,B,B,GB/s,,,,,,,' <<<"$stderr"
    assert_grep -xF \
        '181.730000,259.648000,16384,1,1,1024,1,1,16,4096,0,,,,,"NVIDIA H200 (simt) (0)","1","7","reduceNeighbored(int*, int*, unsigned int)",5' \
        <<<"$stderr"
    assert_grep -xF \
        '181.010000,672.720000,,,,,,,,,,4194304,5.806651,"Pinned","Device","NVIDIA H200 (simt) (0)","1","7","[CUDA memcpy HtoD]",2' \
        <<<"$stderr"
    assert_grep -xF \
        '181.703000,2.048000,,,,,,,,,,4096,1.862645,"Device","","NVIDIA H200 (simt) (0)","1","7","[CUDA memset]",3' \
        <<<"$stderr"
    assert_grep -F '"NVIDIA H200 (simt) (1)","2","14","[CUDA memcpy PtoP]",11' <<<"$stderr"
}

@test "--print-api-trace: a line for each call, which names the kernel that it launched" {
    profiled -0 --print-api-trace ./prog
    diff "$golden/labprof-api-trace.txt" <(sed -n '/   Start  Duration/,$p' <<<"$stderr")
    profiled --print-api-trace --csv -u us ./prog
    assert_stderr --partial \
        $'"Start","Duration","Name","Correlation_ID"\nus,us,,\n0.000000,180550.000000,"cudaMalloc",1\n'
    profiled --profile-api-trace none --print-api-trace ./prog
    assert_regex "$stderr" "No API activities were profiled\.$"
    profiled --profile-api-trace driver --print-api-trace ./prog
    diff <(echo '180.90ms     164ns  cuDeviceGetAttribute') \
        <(sed '1,/   Start  Duration/d' <<<"$stderr")
    profiled --profile-api-trace runtime ./prog
    assert_stderr --partial cudaMalloc
    refute_stderr --partial cuDevice
}

@test "both traces in one table, and traces before summaries" {
    profiled -0 --print-gpu-trace --print-api-trace --print-gpu-summary ./prog
    diff "$golden/labprof-both-traces.txt" <(grep '^182.3[34]ms' <<<"$stderr")
    output=$stderr assert_lines 21 -E '^( +0ns|18[0-9.]+ms)'
    summary_has head gpu
    profiled --print-gpu-trace --print-api-trace --csv ./prog
    assert_grep -xF '182.330000,0.100000,,,,,,,,,,,,,,,,,"cudaMemcpyPeer",11' <<<"$stderr"
}

@test "--profile-from-start off keeps what lies between cudaProfilerStart and cudaProfilerStop" {
    profiled -0 --profile-from-start off ./prog
    diff "$golden/labprof-from-start.txt" <(summary)
    sed -i '/cudaProfilerStart/d' "$NOTES/timeline.csv"
    profiled -0 --profile-from-start off ./prog
    assert_stderr --partial $'No kernels were profiled.\nNo API activities were profiled.'
}

@test "a timeline that is damaged is refused with its line" {
    sed -i '4s/1000/x/' "$NOTES/timeline.csv"
    profiled -1 ./prog
    assert_regex "$stderr" \
        "labprof: .*/timeline\.[0-9%p]+\.csv:4: the cell in column .* is not valid$"
}


# ---- --export-trace ----

@test "--export-trace writes rows for threads, streams and copies, and arrows from calls to what they caused" {
    profiled -0 --export-trace trace.json ./prog
    summary_has head gpu api
    run -0 python3 "$data/check_trace.py" trace.json
    diff "$golden/labprof-export-trace.txt" \
        <(sed -E 's/(P|p)rocess [0-9]+/\1rocess PID/' <<<"$output")
    assert_grep -F \
        '"name":"[CUDA memcpy HtoD]","ts":181010.000,"dur":672.720,"args":{"correlation":2,"stream":7,"bytes":4194304,"GB/s":6.235,"source":"pinned","target":"device"}' \
        <trace.json
    assert_grep -F \
        '"args":{"correlation":6,"stream":13,"grid":"(2048 1 1)","block":"(1024 1 1)","registers per thread":26,"static shared bytes":4096,"dynamic shared bytes":1024}' \
        <trace.json
    assert_grep -F \
        '"name":"cudaLaunchKernel","ts":181735.000,"dur":3.000,"args":{"correlation":7,"status":9}' \
        <trace.json
}

@test "--export-trace with options that leave something out" {
    profiled -0 --quiet --profile-api-trace none --kernels Complete --export-trace %1 ./prog x
    output=$(sed 1d <<<"$output")
    echo "$output" >trace.json
    assert_equal "$(python3 "$data/check_trace.py" trace.json | grep -c 'Process\|->')" 0
    assert_equal "$(python3 "$data/check_trace.py" trace.json | grep -c 'reduceNeighbored')" 0
    rm "$NOTES/timeline.csv"
    profiled -0 --quiet --export-trace empty.json ./prog
    assert_equal "$(python3 "$data/check_trace.py" empty.json)" ""
}

@test "a trace that cannot be written is found out before the program runs; a full disk leaves none" {
    profiled -2 --export-trace /no/such/folder/t.json ./prog
    refute_output
    assert_stderr \
        "labprof: --export-trace: cannot write /no/such/folder/t.json: No such file or directory"
    [ -w /dev/full ] || skip "no /dev/full"
    profiled -1 --export-trace /dev/full ./prog
    assert_stderr --partial \
        "labprof: --export-trace: cannot write /dev/full: No space left on device"
    script crash 'kill -SEGV $$'
    profiled -139 --export-trace trace.json ./crash
    run -0 python3 "$data/check_trace.py" trace.json
}

# ---- Metrics launch by launch, and what is left out ---------------------------------------------------------------------

@test "the trace of metrics has one line a launch" {
    profiled --print-gpu-trace -m inst_per_warp -e branch --csv ./prog
    assert_grep -xF \
        '"Device","Context","Stream","Kernel","Correlation_ID","inst_per_warp","branch"' \
        <<<"$stderr"
    output=$stderr assert_lines 3 '^"NVIDIA H200'
    profiled --print-gpu-trace -m inst_per_warp ./prog
    output=$stderr assert_lines 2 '361.656250'
}

@test "--kernels picks by name and by invocation" {
    profiled --kernels Complete -m inst_executed ./prog
    assert_stderr --partial reduceCompleteUnroll
    refute_stderr --partial "Kernel: reduceNeighbored"
    profiled --kernels ::Neighbored:2 --print-gpu-trace ./prog
    assert_stderr --partial " [8]"
    refute_stderr --partial " [5]"
    assert_stderr --partial "[CUDA memset]"
    profiled --kernels nothing -m inst_executed ./prog
    assert_stderr --partial "No events/metrics were profiled."
    profiled -2 --kernels '(' ./prog
    assert_stderr --partial "is not a regular expression"
    refute_stderr --partial NVPROF
}

@test "several --kernels: each is for the metrics after it" {
    profiled -0 --csv -m branch_efficiency --kernels Complete -m inst_executed \
        --kernels ::Neighbored:2 -m gld_transactions,branch_efficiency -e branch ./prog
    assert_equal "$(sed -nE 's/.*\(0\)",("(void )?[a-zA-Z]+).*",([0-9]+,"[a-z_]+").*/\1 \3/p' <<<"$stderr")" \
        '"reduceNeighbored 1,"branch"
"reduceNeighbored 2,"branch_efficiency"
"reduceNeighbored 1,"gld_transactions"
"void reduceCompleteUnroll 1,"branch_efficiency"
"void reduceCompleteUnroll 1,"inst_executed"'
    profiled -0 --print-gpu-trace --kernels Complete -m inst_executed --kernels Neigh -m ipc ./prog
    assert_regex "$stderr" "void reduceCompleteUnrol +2 +[0-9]+ +-"$'\n'
}

@test "contexts, streams and devices select" {
    local neighbored="reduceNeighbored(int*, int*, unsigned int) ["
    profiled -0 --print-gpu-trace ./prog
    assert_stderr --partial "$neighbored"
    profiled -0 --kernels :13:: --print-gpu-trace ./prog
    assert_stderr --partial "reduceCompleteUnroll"
    refute_stderr --partial "$neighbored"
    profiled -0 --stream-name 'queue %i' --kernels ':^queue 13$::' --print-gpu-trace ./prog
    assert_stderr --partial "reduceCompleteUnroll"
    refute_stderr --partial "$neighbored"
    profiled -2 --kernels ::a:0 ./prog
    assert_stderr --partial '"0" is not the number of an invocation'
    profiled -0 --devices 1 --print-gpu-trace ./prog
    refute_stderr --partial "$neighbored"
    assert_stderr --partial "[CUDA memcpy PtoP]"
    profiled -0 --devices 1 -m inst_executed ./prog
    assert_stderr --partial "No events/metrics were profiled."
}

@test "--trace, --demangling, names, and the summary of each GPU" {
    profiled -0 --trace gpu ./prog
    assert_stderr --partial "GPU activities:"
    refute_stderr --partial "API calls:"
    profiled -0 --trace api ./prog
    assert_stderr --partial "API calls:"
    refute_stderr --partial "GPU activities:"
    profiled -0 --demangling off --kernels '^reduceC' -m inst_executed ./prog
    assert_stderr --partial "Kernel: _Z20reduceCompleteUnrollILj1024EEvPiS0_j"
    refute_stderr --partial "Kernel: _Z16"
    # shellcheck disable=SC2016
    RANK=3 profiled -0 --context-name 'rank %q{RANK}' --stream-name 's%i' --print-gpu-trace --csv ./prog
    assert_stderr --partial '"rank 3","s13","void reduceComplete'
    profiled -0 --process-name solver --export-trace trace.json ./prog
    assert_grep -F '"name":"solver"' <trace.json
    profiled -0 --print-summary-per-gpu ./prog
    assert_regex "$stderr" 'Device "NVIDIA H200 \(simt\) \(0\)"
 +Type.*reduceNeighbored.*Device "NVIDIA H200 \(simt\) \(1\)"
 +Type.*PtoP.*
 +Type.*
 +API calls:'
}

@test "what changes nothing here is noted, and the program runs" {
    profiled -0 --replay-mode application --device-buffer-size 8 --cpu-profiling off ./prog x
    assert_output "out: x"
    assert_stderr --partial "labprof: --replay-mode application changes nothing here: labprof's back end chooses how it counts"
    assert_stderr --partial "labprof: --device-buffer-size 8 changes nothing here: the back end chooses its buffers"
    profiled -2 --cpu-profiling on ./prog
    assert_stderr "labprof: --cpu-profiling on: labprof does not profile the CPU; use perf"
}

@test "--timeout ends the program and the processes that it started; its results are printed" {
    script sleeper 'sleep 60 & sleep 60'
    local before=$SECONDS
    profiled -143 -t 1 -m inst_executed ./sleeper
    assert [ $((SECONDS - before)) -lt 30 ]
    assert_stderr --partial "======== Warning: Application ended after the timeout of 1 s"
    assert_stderr --partial "Kernel: reduceNeighbored"
    profiled -0 -t 60 ./prog
    refute_stderr --partial timeout
}

@test "--quiet prints nothing, and the program's output stays" {
    profiled -0 --quiet -m inst_executed ./prog x
    assert_output "out: x"
    assert_stderr err
}

# ---- Where the output goes ----

@test "--log-file takes everything, with %p for the process id" {
    profiled -0 --csv --log-file 'log.%p.csv' --metrics gld_efficiency,gst_efficiency ./prog
    assert_output "out: "
    assert_stderr err
    log=$(echo log.*.csv)
    pid=${log#log.} pid=${pid%.csv}
    assert_grep -F "==$pid== NVPROF is profiling process $pid" <"$log"
    assert_grep -F '"gst_efficiency"' <"$log"
}

@test "--log-file %1 is stdout" {
    profiled --log-file %1 -m inst_executed ./prog
    assert_output --partial "Metric result"
    assert_stderr err
}

@test "a log that cannot be written is found out before the program runs" {
    profiled -2 --log-file /no/such/folder/log ./prog
    refute_output
    assert_stderr "labprof: --log-file: cannot write /no/such/folder/log: No such file or directory"
    profiled -2 --log-file 'x%z' ./prog
    refute_output
}

@test "a full disk leaves no half-written log" {
    [ -w /dev/full ] || skip "no /dev/full"
    profiled -1 --log-file /dev/full -m all ./prog
    assert_stderr --partial "cannot write /dev/full: No space left on device"
}

# ---- The program's fate ----

@test "the program's exit status is labprof's, and its results are printed" {
    CODE=7 profiled -7 -m inst_executed ./prog
    assert_regex "$stderr" \
        "Kernel: reduceNeighbored.*======== Error: Application returned non-zero code 7$"
}

@test "a program that crashes: its launches are printed, then the signal" {
    script crash 'kill -SEGV $$'
    profiled -139 -m inst_executed ./crash
    assert_regex "$stderr" \
        "Kernel: reduceNeighbored.*======== Error: Application received signal 139$"
}

@test "a program that is not there, and one that cannot be run" {
    run -127 --separate-stderr labprof -m inst_executed ./missing
    assert_failure 127
    assert_stderr "labprof: cannot run ./missing: No such file or directory"
    touch plain
    profiled -126 ./plain
    assert_stderr "labprof: cannot run ./plain: Permission denied"
}

@test "a program without kernels" {
    sed -i '2,$d' "$NOTES/profile.csv" "$NOTES/timeline.csv"
    profiled -0 ./prog
    assert_regex "$stderr" \
        "Profiling result:"$'\n'"No kernels were profiled\."$'\n'"No API activities were profiled\.$"
    profiled --print-gpu-trace ./prog
    assert_regex "$stderr" "Profiling result:"$'\n'"No kernels were profiled\.$"
    profiled -m inst_executed ./prog
    assert_regex "$stderr" "No events/metrics were profiled\.$"
    rm "$NOTES/profile.csv"
    profiled -0 ./prog
    assert_stderr --partial "simt saw no kernel launch"
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
    run ! kill -0 "$(cat pid)"
}

@test "no temporary file stays, whatever happens" {
    labprof -m inst_executed ./prog >/dev/null 2>&1
    labprof -m nonsense ./prog >/dev/null 2>&1 || true
    CODE=3 labprof ./prog >/dev/null 2>&1 || true
    DEVICE=gpu labprof ./prog >/dev/null 2>&1 || true
    assert_equal "$(ls -A "$TMPDIR")" ""
    TMPDIR=/no/such/folder profiled -1 ./prog
    assert_regex "$stderr" "^labprof: cannot make a temporary folder /no/such/folder/"
}

# ---- Options ----

@test "an unknown metric is refused by name before anything runs" {
    profiled -2 --metrics branch_eficiency ./prog
    refute_output
    assert_stderr 'labprof: unknown metric "branch_eficiency"; did you mean branch_efficiency?'
    profiled -2 --events branchy ./prog
    assert_stderr 'labprof: unknown event "branchy"; did you mean branch?'
}

@test "wrong options are refused in one line" {
    while read -r words; do
        # shellcheck disable=SC2086
        profiled -2 $words
        refute_output
        output=$stderr assert_lines 1
        assert_regex "$stderr" "^labprof:"
    done <<'WORDS'

--metrics
--nonsense ./prog
-o file ./prog
--print-api-trace -m branch ./prog
--export-trace t.json -m branch ./prog
--profile-from-start maybe ./prog
--profile-api-trace some ./prog
--export-trace
-u year ./prog
--devices x ./prog
--replay-mode
--dependency-analysis ./prog
--lab-metrics f ./prog
WORDS
    profiled -o file.nvvp ./prog
    assert_regex "$stderr" "use --csv --log-file FILE$"
}

@test "--query-metrics and --query-events list what there is" {
    profiled -0 --query-metrics
    assert_output --partial \
        "Available Metrics:"$'\n'"                            Name   Description"$'\n'"Device 0 (simt):"$'\n'
    assert_output --partial "                   inst_per_warp:  "
    refute_output --partial divergent_branch:
    profiled --query-events
    assert_line --index 0 "Available Events:"
    assert_output --partial "divergent_branch:"
    refute_output --partial inst_per_warp
}

@test "an efficiency means the same on every back end, and where nvprof counts it otherwise that is said" {
    meaning="gld_efficiency:  Different bytes that a warp asked for as a share of the bytes in the sectors moved for it by global loads; 100 is perfectly coalesced, a warp that reads one word has 12.5"
    difference="nvprof counts the bytes of each thread, so a word that several threads of a warp want counts several times, and the value may be above 100"
    profiled --query-metrics
    assert_output --partial " $meaning"$'\n'
    h200_with_ncu
    profiled --query-metrics
    assert_output --partial " $meaning"$'\n'
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    stand_in "$fakes" nvprof
    profiled --query-metrics
    assert_output --partial " $meaning ($difference)"$'\n'
    profiled -m gld_efficiency ./prog
    assert_stderr --partial "labprof: gld_efficiency: $difference"
}

@test "--help and --version" {
    profiled -0 --help
    assert_regex "$output" "--lab-metrics"
    profiled -0 --version
    assert_regex "$output" "^labprof "
}

# ---- A lab's metrics ----

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
    profiled -0 --lab-metrics metrics.csv --lab 3 --steps run.csv --metrics \
        inst_per_warp,stall_sync,branch ./lab
    assert_output ran
    diff "$golden/labprof-lab-metrics.txt" metrics.csv
}

@test "--lab-table prints kernels by metrics, as wide as the terminal" {
    steps
    COLUMNS=60 profiled -0 --quiet --lab-table --steps run.csv -m \
        inst_per_warp,branch_efficiency,gld_throughput ./lab
    diff "$golden/labprof-lab-table.txt" <(echo "$output")
}

@test "a steps file of an earlier run is not taken, nor an unwritable metrics file" {
    steps
    ./lab
    script lab 'true'
    profiled -1 --lab-metrics metrics.csv --lab 3 --steps run.csv -m inst_executed ./lab
    assert_stderr --partial "did not write run.csv in this run"
    assert [ ! -e metrics.csv ]
    steps
    profiled -1 --lab-metrics /no/such/m.csv --lab 3 --steps run.csv -m inst_executed ./lab
    assert_stderr --partial -- "--lab-metrics: cannot write /no/such/m.csv"
}

@test "a lab of an empty problem has no metrics, and that is no error" {
    script lab \
        'echo lab,step,kernel,grid,block,time_ms,status >run.csv; echo "3,1,reduceNeighbored,(0 1 1),(1024 1 1),NA,ok (nothing to do)" >>run.csv'
    profiled -0 --quiet --lab-table --lab-metrics metrics.csv --lab 3 --steps run.csv -m \
        inst_executed ./lab
    assert_output --partial "No step launched a kernel."
    assert_equal "$(cat metrics.csv)" lab,step,kernel,grid,block,metric,value,unit,backend,device
}

@test "a lab whose run fails still gets its metrics, and its exit status" {
    steps
    CODE=1 profiled -1 --lab-metrics metrics.csv --lab 3 --steps run.csv -m inst_executed ./lab
    assert_equal "$(wc -l <metrics.csv)" 3
}

# ---- Which back end ----

@test "without metrics, CUPTI on every GPU" {
    fake_recorder
    for capability in 6.1 7.0 9.0; do
        fake_gpu "NVIDIA GPU" "$capability"
        profiled -0 ./prog
        assert_output "library: $(realpath "$tree")/bin/../labprof/librecorder.so"
        assert_stderr --partial "labprof: back end cupti (NVIDIA GPU)"$'\n'
        refute_stderr --partial modelled
        summary_has head gpu api
    done
    profiled -0 --backend cupti --print-gpu-trace --csv ./prog
    assert_stderr --partial '"NVIDIA GPU (1)","2","14","[CUDA memcpy PtoP]"'
    CODE=3 profiled -3 ./prog
    assert_regex "$stderr" "======== Error: Application returned non-zero code 3$"
    assert_equal "$(ls -A "$TMPDIR")" ""
}

@test "CUPTI: a program without CUDA, several processes, no library, one that cannot be loaded" {
    fake_gpu "NVIDIA H200" 9.0
    fake_recorder
    mv "$NOTES/timeline.csv" "$NOTES/kept"
    profiled -0 ./prog
    assert_stderr --partial "Warning: nothing was recorded: the program made no CUDA call"
    assert_stderr --partial "No kernels were profiled."
    mv "$NOTES/kept" "$NOTES/timeline.csv"
    script killed \
        'sed 15q "$NOTES/timeline.csv" >"${LABPROF_TIMELINE/\%p/$$}.XyZ123.tmp"; kill -KILL $$'
    profiled -137 ./killed
    assert_stderr --partial \
        "Warning: a process was killed, or left by _exit: its last activities are missing"
    assert_stderr --partial "519.30us         2  259.65us  259.65us  259.65us  reduceNeighbored"
    profiled -0 --export-trace trace.json sh -c './prog; ./prog'
    assert_stderr --partial \
        "Warning: 2 processes made CUDA calls; the tables have all of them together"
    # 2 in each
    assert_stderr --partial "1.0386ms         4  259.65us  259.65us  259.65us  reduceNeighbored"
    assert_equal "$(python3 "$data/check_trace.py" trace.json | grep -c ' -> ')" 18
    echo "no library" >"$tree/labprof/librecorder.so"
    profiled -1 ./prog
    refute_output
    assert_regex "$stderr" \
        "^labprof: cannot record what the GPU does: .*/librecorder.so: file too short$"
    rm "$tree/labprof/librecorder.so"
    profiled -1 ./prog
    refute_output
    assert_stderr --partial \
        "librecorder.so; run make labprof on a machine whose CUDA toolkit has CUPTI (NVIDIA's package cuda-cupti-dev)"
    assert_equal "$(ls -A "$TMPDIR")" ""
}

@test "routing by compute capability" {
    stand_in "$fakes" ncu
    stand_in "$fakes" nvprof
    while read -r capability backend; do
        fake_gpu GPU "$capability"
        profiled -0 -m branch_efficiency ./prog
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
    profiled -m branch_efficiency ./prog
    assert_stderr --partial "labprof: back end ncu "
}

@test "no GPU, no driver or DEVICE=sim: simt" {
    stand_in "$fakes" ncu
    profiled -m branch ./prog
    assert_stderr --partial "back end simt"
    touch "$LABPROF_DEV/nvidia0"
    profiled -m branch ./prog
    assert_stderr --partial "back end simt"
    fake_gpu GPU 9.0
    DEVICE=sim profiled -m branch ./prog
    assert_stderr --partial "back end simt"
    profiled --backend simt -m branch ./prog
    assert_stderr --partial "back end simt"
    CUDA_VISIBLE_DEVICES='' profiled -m branch ./prog
    assert_stderr --partial "back end simt"
}

@test "DEVICE=gpu without a GPU, wrong words, and a driver that does not tell" {
    DEVICE=gpu profiled -1 ./prog
    assert_regex "$stderr" "^labprof: DEVICE=gpu, but there is no GPU here"
    DEVICE=tpu profiled -1 ./prog
    assert_stderr "labprof: DEVICE=tpu: auto, gpu or sim"
    profiled -1 --backend nsys ./prog
    assert_stderr "labprof: --backend nsys: simt, ncu, nvprof or cupti"
    profiled -1 --backend cupti -m branch ./prog
    assert_stderr \
        "labprof: --backend cupti: ncu and nvprof give --metrics and --events, cupti the summary and the traces"
    profiled -1 --backend ncu ./prog
    assert_stderr --partial "cupti the summary and the traces"
    fake_gpu "Old GPU" ""
    profiled -1 -m branch ./prog
    assert_stderr --partial \
        "does not tell the compute capability of Old GPU; name the back end: --backend nvprof"
}

@test "CUDA_VISIBLE_DEVICES chooses the GPU that is asked about" {
    stand_in "$fakes" ncu
    fake_gpu GPU 9.0
    CUDA_VISIBLE_DEVICES=2,3 profiled -m branch ./prog
    called '^nvidia-smi .*-i 2$'
}

@test "simt gets the GPU to play" {
    SIM_GPU=a100 run labprof ./prog
    called -x 'simt --gpu a100 ./prog'
    SIM_GPU=a100 run labprof --gpu t4 ./prog x
    called -x 'simt --gpu t4 ./prog x'
    rm "$tree/bin/simt"
    profiled -1 ./prog
    assert_regex "$stderr" "^labprof: the simulator is not built:"
}

# ---- ncu ----

@test "ncu is called as its manual says, for what the metrics need" {
    h200_with_ncu
    profiled -0 --kernels '^reduce' -m branch_efficiency ./prog a
    assert_output "out: a"
    called \
        "^LC_ALL=C ncu --csv --page raw --print-units base --metrics .* --print-kernel-base mangled --clock-control none --target-processes all -k regex:^reduce \./prog a$"
    called -F smsp__sass_branch_targets.sum
}

@test "ncu's values become nvprof's" {
    h200_with_ncu
    profiled -0 -e branch,divergent_branch -m \
        branch_efficiency,achieved_occupancy,gld_throughput,dram_read_throughput,dram_utilization,stall_sync,warp_execution_efficiency,gld_efficiency,inst_per_warp \
        ./prog
    diff "$golden/labprof-ncu.txt" <(sed -n '/Metric result/,$p' <<<"$stderr" | sed -n '3,15p')
    assert_stderr --partial "    branch    11010048    11010048    11010048    11010048"
    assert_stderr --partial \
        "stall_sync: nvprof gives the share of all stalls, ncu the share of the warps' active cycles"
    assert_stderr --partial "gld_efficiency is NA: ncu does not count it on this GPU"
}

@test "ncu's durations are read in whatever unit" {
    h200_with_ncu
    profiled --csv -m gpu_time ./prog
    assert_stderr --partial '"gpu_time","GPU Time",259648,'
    TIME_UNIT=us profiled --csv -m gpu_time ./prog
    assert_stderr --partial '"gpu_time","GPU Time",259648000,'
}

@test "what ncu really wrote on an H200 is read" {
    fake_gpu GPU 9.0
    script "$fakes/ncu" \
        'while [ "$1" != --log-file ]; do shift; done; cp "$STAND_INS/ncu-h200-lab3.csv" "$2"'
    profiled -0 --csv --metrics all --events all ./prog
    while IFS=: read -r name value; do
        assert_grep -E \
            "^\"NVIDIA H200 \(0\)\",\"reduceNeighbored\(int\*, int\*, unsigned int\)\",1,\"$name\",.*,$value,$value,$value(,|$)" \
            <<<"$stderr"
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
}

@test "all metrics are those without links, which ncu counts or fails" {
    h200_with_ncu
    profiled -0 --metrics all ./prog
    run ! grep nvl "$NOTES/calls"
    profiled -0 --metrics all,nvlink_receive_throughput ./prog
    called nvlrx
}

@test "a metric that this ncu does not know is NA" {
    h200_with_ncu
    profiled -0 -m ipc ./prog
    assert_stderr --partial "ipc is NA: ncu does not count it"
    assert_stderr --partial "Executed IPC          NA          NA          NA"
}

@test "counters for administrators only: the documented fix, and no success" {
    h200_with_ncu
    NCU=permission profiled -1 --log-file log -m branch ./prog
    assert_stderr --partial ERR_NVGPUCTRPERM
    assert_stderr --partial NVreg_RestrictProfilingToAdminUsers=0
    assert [ ! -e log ]
    assert_equal "$(ls -A "$TMPDIR")" ""
}

@test "ncu failing, ncu missing, a program failing under ncu" {
    h200_with_ncu
    NCU=broken profiled -1 -m branch ./prog
    assert_stderr --partial "labprof: ncu failed: Failed to load the driver library"
    CODE=5 profiled -5 -m branch ./prog
    assert_regex "$stderr" "======== Error: Application returned non-zero code 5$"
    NCU=none profiled -0 -m branch ./prog
    assert_regex "$stderr" "No events/metrics were profiled\.$"
    rm "$fakes/ncu"
    [ -e /usr/local/cuda/bin/ncu ] || compgen -G '/opt/nvidia/nsight-compute/*/ncu' >/dev/null &&
        skip "this machine has an ncu"
    profiled -1 -m branch ./prog
    assert_stderr --partial \
        "there is no ncu (looked in PATH, /usr/local/cuda/bin, /opt/nvidia/nsight-compute/*)"
}

# ---- nvprof ----

@test "nvprof's metrics and events are printed again as they were" {
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    stand_in "$fakes" nvprof
    profiled -0 -m branch_efficiency,gld_throughput,gld_requests,dram_utilization -e branch ./prog
    called -e \
        "--csv --metrics branch_efficiency,gld_throughput,global_load_requests,dram_utilization --events branch \./prog$"
    diff "$golden/labprof-nvprof.txt" <(without_pid <<<"$stderr" | sed -n '/Event result/,$p')
}

@test "nvprof gets the filter, and its report of the program's exit status is read" {
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    stand_in "$fakes" nvprof
    CODE=4 profiled -4 --kernels a -e branch ./prog
    assert_stderr --partial "labprof: back end nvprof (NVIDIA GeForce GTX 1060 6GB)"
    output=$stderr assert_lines 1 'NVPROF is profiling'
    output=$stderr assert_lines 1 'non-zero code 4'
    called -e "--csv --kernels a --events branch \./prog$"
}

@test "a metric nvprof does not have is NA, a GPU it does not profile is said, and that there is none" {
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    stand_in "$fakes" nvprof
    profiled -0 -m branch_efficiency,gpu_time ./prog
    assert_stderr --partial "gpu_time is NA: nvprof does not have it"
    NVPROF=skip profiled -1 -m branch_efficiency ./prog
    assert_stderr --partial "profiling is not supported on devices with compute capability 7.5"
    # Without a driver nvprof 11.8 writes no log where it is asked for metrics, and a warning where
    # it is not.
    rm "$LABPROF_DEV/nvidia0"
    NVPROF=internal profiled -1 --backend nvprof -m branch_efficiency ./prog
    assert_regex "$stderr" \
        "labprof: nvprof wrote no results and ended with exit status 4: there is no GPU here that nvidia-smi knows; DEVICE=sim simulates one$"
    NVPROF=driverless profiled -1 --backend nvprof -m branch_efficiency ./prog
    assert_regex "$stderr" \
        "labprof: nvprof: ======== Warning: unable to locate cuda driver library, GPU profiling skipped$"
    fake_gpu "NVIDIA GeForce GTX 1060 6GB" 6.1
    rm "$fakes/nvprof"
    [ ! -e /usr/local/cuda/bin/nvprof ] || skip "this machine has an nvprof"
    profiled -1 -m branch ./prog
    assert_stderr --partial "this GPU needs nvprof, and there is none"
}

# ---- Lines of the source ----

@test "on a GPU --source has the columns of ncu's source page, by line" {
    h200_with_ncu
    profiled -0 --source --csv ./prog
    assert_grep -- \
        "--page source --print-source cuda,sass --import-source yes --section SourceCounters --metrics branch_inst_executed" \
        "$NOTES/calls"
    assert_stderr --partial \
        '"Kernel Name","File Path","Line No","Instructions Executed","Thread Instructions Executed",'
    assert_stderr --partial \
        '"strided(int const *, int*, int)","/x/probe.cu",5,851968,27262976,1048576,917504,0,0,NA,0,75,"wait"'
    assert_stderr --partial \
        '"strided(int const *, int*, int)","/x/probe.cu",6,196608,6291456,0,0,65536,32768,NA,0,248,"long_scoreboard"'
    assert_stderr --partial '"plain(int const *, int*, int)","/x/probe.cu",16,360448,'
    assert_stderr --partial \
        '"reduceNeighbored(int*, int*, unsigned int)","/x/reduction.cu",59,7536640,241172480,0,0,0,0,327680,195584,'
}

@test "the instructions of --source as collapsed stacks have the log file for themselves" {
    h200_with_ncu
    profiled -0 --source --source-format collapsed --kernels plain --log-file lines.txt ./prog
    assert_stderr --partial "Profiling application"
    diff lines.txt \
        <(printf 'plain(int const *, int*, int);probe.cu:%s\n' "14 32768" "15 131072" "16 360448" "17 32768")
}

@test "--source excludes what needs another run" {
    run -2 labprof --source --metrics ipc ./prog
    assert_output "labprof: --source counts by line; metrics and times need a run without it"
    run -2 labprof --source-format collapsed ./prog
    assert_output "labprof: --source-format is for --source"
    run -2 labprof --source --source-format flame ./prog
    assert_output "labprof: --source-format: table or collapsed"
}

@test "--source names what it needs where only nvprof serves" {
    fake_gpu "Tesla P100" 6.0
    stand_in "$fakes" nvprof
    run ! labprof --source ./prog
    assert_output --partial \
        "--source needs ncu, for GPUs from compute capability 7.0 on, or the simulator: DEVICE=sim"
}
