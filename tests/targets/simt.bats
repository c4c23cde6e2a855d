# The launcher bin/simt and what the runtime library does around a program: options, refusals, exit
# statuses, the profile, the leak report.
# needs nvcc

load ../helpers

setup_file() {
    BUILD=$(realpath "${BUILD:-build}")
    work="$BATS_FILE_TMPDIR/with space"
    mkdir -p "$work"
    cp tests/data/launcher.cu "$work/program.cu"
    compile_cuda -c -lineinfo -gencode arch=compute_75,code=compute_75 "$work/program.cu" -o \
        "$work/program.o"
    nvcc -cudart shared "$work/program.o" -o "$work/program"
    nvcc -cudart static "$work/program.o" -o "$work/static"
    compile_cuda -cudart shared -gencode arch=compute_90,code=compute_90 \
        "$work/program.cu" -o "$work/newer"
    lacking
    models
    export BUILD work
}

simt() {
    to_run "$BUILD/bin/simt" -- "$@"
}

# lacking: a program with a kernel that never runs, whose instruction no GPU has, which needs a
# library that simt lacks; and the same with the static runtime.
lacking() {
    cp tests/data/lacking.cu "$work/lacking.cu"
    compile_cuda -c -lineinfo -gencode arch=compute_75,code=compute_75 "$work/lacking.cu" -o \
        "$work/lacking.o"
    echo 'void cublasCreate_v2(void) {}' >"$work/blas.c"
    gcc -shared -Wl,-soname,libcublas.so.13 -o "$work/libcublas.so" "$work/blas.c"
    nvcc -cudart shared "$work/lacking.o" -o "$work/lacking"
    nvcc -cudart shared "$work/lacking.o" -L"$work" -Xlinker --no-as-needed -lcublas -o \
        "$work/lacking-blas"
    nvcc -cudart static "$work/lacking.o" -o "$work/lacking-static"
}

# models: a program with two kernels whose time is modelled from machine code, and the same without
# its lines.
models() {
    local flag
    cp tests/data/models.cu "$work/models.cu"
    for flag in -lineinfo -DNO_LINES; do
        compile_cuda -cudart shared $flag -gencode 'arch=compute_75,code=[compute_75,sm_90]' \
            "$work/models.cu" -o "$work/models$flag"
    done
}

@test "--supports lists what a program uses that simt lacks, without running it" {
    simt -0 --supports "$work/models-lineinfo"
    assert_output --regexp \
        '^simt has all that .*/models-lineinfo uses: 16 kernels, [0-9]+ functions of CUDA$'
    for file in "$work/lacking-blas" lacking-blas; do # as the shell would find it
        PATH="$work:$PATH" simt -1 --supports "$file"
        assert_line --regexp \
            '^instruction frobnicate\.b32 +.*lacking\.cu:8  void future<int>\(int\*\)$'
        assert_line --regexp '^function cudaVDPAUGetDevice +-  +host code$'
        assert_line --regexp '^library libcublas\.so\.13 +-  +linked with the program'
        refute_output --partial twice
    done
    compile_cuda -cudart shared -rdc=true -gencode arch=compute_75,code=compute_75 \
        tests/programs/nested_refused.cu -o "$BATS_TEST_TMPDIR/nested"
    simt -1 --supports "$BATS_TEST_TMPDIR/nested"
    assert_line --regexp \
        '^device function __cudaCDP2Memset2DAsync +PTX:[0-9]+ +parent\(int\*, bool\)$'
    simt -1 --supports "$work/lacking-static"
    assert_line --regexp '^instruction frobnicate'
    refute_output --partial runtime
    strip -o "$BATS_TEST_TMPDIR/stripped" "$work/lacking-static"
    simt -1 --supports "$BATS_TEST_TMPDIR/stripped"
    assert_line --regexp '^the CUDA runtime .* without -s$'
    # no kernel, no PTX needed
    echo 'int main() { return cudaFree(nullptr); }' >"$BATS_TEST_TMPDIR/host.cu"
    compile_cuda -cudart shared -gencode arch=compute_75,code=sm_75 "$BATS_TEST_TMPDIR/host.cu" -o \
        "$BATS_TEST_TMPDIR/host"
    simt -0 --supports "$BATS_TEST_TMPDIR/host"
    simt -1 --gpu v100 --supports "$work/newer"
    assert_line --regexp '^PTX for this GPU '
    simt -2 --supports "$work/lacking.cu"
    assert_output --regexp '^simt: .*lacking\.cu: neither a program nor PTX$'
    run -127 "$BUILD/bin/simt" --supports nowhere
}

@test "what would stop a kernel is named before the first one runs, and stops no other" {
    run -0 --separate-stderr "$BUILD/bin/simt" "$work/lacking"
    assert_output 0
    assert_stderr --regexp \
        '^simt: note: simt does not have frobnicate\.b32, of void future<int>\(int\*\) in .*lacking\.cu:8\. '
    simt --quiet "$work/lacking"
    assert_output 0
    simt --quiet "$work/lacking" launch
    assert_output --partial 'does not support the instruction "frobnicate.b32"'
}

@test "every function of the toolkit's runtime is there" {
    toolkit=$(dirname "$(realpath "$(command -v nvcc)")")/../lib64/libcudart.so.13
    [ -e "$toolkit" ] || skip "no libcudart.so.13 to compare with"
    functions() { nm -D --defined-only "$1" | awk '$2 == "T" { print $3 }' | sort; }
    run comm -23 <(functions "$toolkit") <(functions "$BUILD/simt/libcudart.so.13")
    refute_output # what is missing
}

@test "arguments reach the program, and it sees the GPU that was asked for" {
    simt -0 --gpu t4 --threads 1 "$work/program" --help
    assert_output --partial "NVIDIA T4 (simt)"
    assert_output --partial "argument --help"
}

@test "the exit status is the program's, signals included" {
    simt -7 "$work/program" exit
    simt -139 "$work/program" segv
}

@test "a program in PATH is found, a missing one is not" {
    PATH="$work:$PATH" simt -0 program
    run -127 "$BUILD/bin/simt" no-such-program
    assert_output --partial "no-such-program: command not found"
    simt -126 "$work"
    simt -126 "$work/program.cu"
    assert_output --partial "Permission denied"
}

@test "bad options end with 2 and one line" {
    for arguments in "--gpu nosuch x" "--threads 0 x" "--threads many x" "--devices 0 x" \
        "--devices 17 x" "--devices abc x" "--nonsense x" ""; do
        # shellcheck disable=SC2086
        simt -2 $arguments
        assert_lines 1
    done
    simt --gpu nosuch x
    assert_output --partial "h200"
    simt --devices 17 x
    assert_output "simt: --devices must be a number from 1 to 16, not '17'"
}

@test "a number of devices that cannot be, in the environment, ends the program's first call" {
    for devices in 0 17 abc; do
        SIMT_DEVICES=$devices simt "$work/program"
        assert_failure
        assert_output --partial "simt: SIMT_DEVICES must be a number from 1 to 16, not '$devices'"
    done
}

# The program ignores what cudaMalloc and its like return; all else that lacks memory ends it.
@test "memory that is not there ends the interpreter with one sentence, wherever it is asked for" {
    local at ended=0 passed=0
    gcc -shared -fPIC tests/stand-ins/no-memory.c -o "$BATS_TEST_TMPDIR/no-memory.so"
    for at in $(seq 1 60); do
        run --separate-stderr env FAIL_AT="$at" LD_PRELOAD="$BATS_TEST_TMPDIR/no-memory.so" \
            "$BUILD/bin/simt" "$work/program" leak
        [ "$status" != 0 ] || continue
        assert_failure 2
        assert_equal "$stderr" "simt: out of memory"
        ended=$((ended + 1))
    done
    assert [ "$ended" -ge 25 ]
}

# table EXPRESSION: the table of GPUs changed by sed, as SIMT_GPUS.
table() {
    sed "$1" common/simt/gpus.tsv >"$work/gpus.tsv"
    run -2 env SIMT_GPUS="$work/gpus.tsv" "$BUILD/bin/simt" --list-gpus
}

@test "a table of GPUs that cannot be used is refused with the place" {
    local line
    line=$(grep -n ^l2_bytes common/simt/gpus.tsv | head -1 | cut -d: -f1)
    table 's/^l2_bytes\tbytes\t[0-9]*/l2_bytes\tbytes\tmany/'
    assert_output --partial "simt: $work/gpus.tsv:$line: l2_bytes of gtx1060 is not a whole number"
    table 's/^l2_bytes\tbytes\t[0-9]*/l2_bytes\tbytes\t1.5/'
    assert_output --partial "$work/gpus.tsv:$line: l2_bytes of gtx1060 is not a whole number"
    table 's/^l2_bytes\tbytes/l2_bytes\tMB/'
    assert_output --partial \
        "$work/gpus.tsv:$line: this row should be l2_bytes with the unit bytes, not l2_bytes with MB"
    table '/^l2_bytes\t/d'
    assert_output --partial \
        "$work/gpus.tsv:$line: this row should be l2_bytes with the unit bytes, not persisting_l2_bytes with bytes"
    table 's/^\(l2_bytes\t.*\t\).*/\1/'
    assert_output --partial "$work/gpus.tsv:$line: l2_bytes has no source"
    table '/^kernel_read_bytes/d'
    assert_output --partial "$work/gpus.tsv: no row for kernel_read_bytes"
    table '$p'
    assert_output --partial "a row too many: kernel_read_bytes"
    table '/^constant/s/h100/h200/'
    assert_output --partial "$work/gpus.tsv: two columns are named h200"
    table 's/^constant/name/'
    assert_output --partial \
        "$work/gpus.tsv: the columns must be constant, unit, one for each GPU, source"
    table '1,$d'
    assert_output --partial "$work/gpus.tsv"
    run -2 env SIMT_GPUS="$work/none.tsv" "$BUILD/bin/simt" --list-gpus
    assert_output --partial \
        "cannot read the GPU table $work/none.tsv: No such file or directory (SIMT_GPUS names another)"
}

@test "each figure of each GPU has a source: published, measured or derived by a rule; each document that is named is described" {
    run awk -F'\t' '
        /^# \[[A-Z0-9]+\]/ { match($0, /\[[A-Z0-9]+\]/); described[substr($0, RSTART, RLENGTH)] = 1 }
        /^#/ { next }
        $1 == "constant" { for (i = 3; i < NF; i++) name[i] = $i; next }
        {
            delete has
            parts = split($NF, part, "; ")
            for (p = 1; p <= parts; p++) {
                if (!match(part[p], /^[a-z0-9, ]+: (published|measured|derived = )/)) print $1 ": what kind of source is: " part[p]
                if (part[p] ~ /: (published|measured)/ && part[p] !~ /\[/) print $1 ": which document: " part[p]
                gpus = split(substr(part[p], 1, index(part[p], ":") - 1), gpu, ", ")
                for (g = 1; g <= gpus; g++) if (has[gpu[g]]++) print $1 ": two sources for " gpu[g]
                for (rest = part[p]; match(rest, /\[[A-Z0-9]+\]/); rest = substr(rest, RSTART + RLENGTH)) {
                    used[substr(rest, RSTART, RLENGTH)] = 1
                    if (!(substr(rest, RSTART, RLENGTH) in described)) print $1 ": not described: " substr(rest, RSTART, RLENGTH)
                }
            }
            for (i in name) { known[name[i]] = 1; if (!has[name[i]] && !has["others"] && !has["all"]) print $1 ": no source for " name[i] }
            for (g in has) if (g != "others" && g != "all" && !(g in known)) print $1 ": no such GPU: " g
        }
        END { for (d in described) if (!(d in used)) print "nothing is from " d }' common/simt/gpus.tsv
    refute_output
}

@test "--list-gpus, --help and --version" {
    simt -0 --list-gpus
    assert_output --partial "NVIDIA H200"
    simt -0 --help
    assert_output --partial -- "--no-timing"
    simt -0 --version
}

@test "a program or a library with the static runtime runs, also by a script or a sanitizer" {
    cd "$BATS_TEST_TMPDIR"
    echo 'extern "C" int sum(int n); int main() { return sum(100) != 4950; }' >main.cpp
    compile_cuda -shared -Xcompiler -fPIC \
        "$OLDPWD/tests/data/static_runtime.cu" -o libsum.so
    g++ main.cpp -L. -lsum -Wl,-rpath,"$PWD" -o linked
    compile_cuda -Xcompiler -fsanitize=address,-no-pie main.cpp \
        "$OLDPWD/tests/data/static_runtime.cu" -o own
    simt -0 ./linked
    simt -0 ./own
    refute_output --partial clock
    simt -0 sh -c ./own
    simt -0 --gpu gtx1060 --profile own.csv ./own
    run -0 grep -F "NVIDIA GeForce GTX 1060" own.csv
    simt -0 "$BUILD/bin/simt" --profile shared.csv "$work/program" clock
    assert [ -s shared.csv ]
    cp -r "$BUILD/bin" "$BUILD/simt" "$work"
    run -0 "$work/bin/simt" ./own
}

@test "a library with kernels is loaded and unloaded again and again" {
    cd "$BATS_TEST_TMPDIR"
    compile_cuda -c -Xcompiler -fPIC "$OLDPWD/tests/data/static_runtime.cu" -o sum.o
    printf '%s\n' '#include <dlfcn.h>' 'int main(int n, char **arguments) {' \
        '    for (int i = 0; i < 100; i++) {' \
        '        void *library = dlopen(arguments[n - 1], RTLD_NOW);' \
        '        if (((int (*)(int))dlsym(library, "sum"))(100) != 4950) return 1;' \
        '        dlclose(library);' '    }' '}' >loads.c
    gcc loads.c -o loads
    for runtime in shared static; do
        nvcc -shared -cudart $runtime sum.o -o lib$runtime.so
        simt -0 ./loads ./lib$runtime.so
    done
}

@test "a static runtime that cannot be replaced is told how to build" {
    strip -o "$work/stripped" "$work/static"
    simt -126 "$work/stripped"
    assert_output --partial "stripped of its functions' names: rebuild it with nvcc -cudart shared"
    nvcc -Xcompiler -static "$work/program.o" -o "$work/whole"
    simt -126 "$work/whole"
    assert_output --partial "linked with -static: rebuild it with nvcc -cudart shared"
}

@test "a program for another major version of the runtime is told so" {
    # the name of the library it needs, changed in place
    sed 's/libcudart\.so\.13/libcudart.so.10/g' "$work/program" >"$work/other"
    chmod +x "$work/other"
    simt -126 "$work/other"
    assert_output --partial "CUDA 10"
}

@test "programs of CUDA 11 and 12 get the structures of theirs" {
    cp tests/data/older_properties.c "$work/older.c"
    gcc -DPROPERTIES=cudaGetDeviceProperties_v2 "$work/older.c" -o "$work/twelve" \
        "$BUILD/simt/libcudart.so.12"
    simt -0 --gpu t4 "$work/twelve"
    assert_output --partial \
        "12040: NVIDIA T4 (simt), 40 multiprocessors, 1590000 kHz, pools 1, after it x"
    gcc -DPROPERTIES=cudaGetDeviceProperties "$work/older.c" -o "$work/eleven" \
        "$BUILD/simt/libcudart.so.11.0"
    simt -0 --gpu t4 "$work/eleven"
    assert_output --partial "11080: NVIDIA T4 (simt), 40 multiprocessors, 1590000 kHz"
    assert_output --partial "no kernel: 98"
    assert_output --partial "after it x"
}

@test "the branches of a graph run beside each other, in separate streams, and belong to its launch" {
    simt -0 --timeline "$work/timeline.csv" "$work/program" branches
    # record, name, start, end, device, context, stream, correlation
    run awk -F, '$2 == "cudaGraphLaunch" { launch = $8 }
        $1 == "kernel" { start[$2] = $3; end[$2] = $4; stream[$2] = $7; call[$2] = $8; n++ }
        END { print n " kernels, " (start["_Z5righti"] < end["_Z4lefti"]) (start["_Z4lefti"] < end["_Z5righti"]) \
              (start["_Z4joinv"] >= end["_Z4lefti"]) (start["_Z4joinv"] >= end["_Z5righti"]) \
              (stream["_Z4lefti"] != stream["_Z5righti"]) (call["_Z4lefti"] == launch) (call["_Z4joinv"] == launch) }' \
        "$work/timeline.csv"
    assert_output "3 kernels, 1111111"
}

@test "programs of CUDA 11 and 12 make graphs by the functions of theirs" {
    cp tests/data/older_graphs.c "$work/older.c"
    for version in 11.0 12; do
        gcc -DVERSION=${version%.*} "$work/older.c" -o "$work/older" \
            "$BUILD/simt/libcudart.so.$version"
        simt -0 "$work/older"
        assert_output --partial \
            "errors 0, edge 2, status 0, result 0, log '$([ $version = 12 ] && echo unread)'"
    done
}

@test "PTX for a newer GPU, and none at all" {
    simt --gpu t4 "$work/newer"
    assert_output --partial "PTX for compute_90"
    assert_output --partial -- "-gencode arch=compute_75,code=compute_75"
    compile_cuda -cudart shared -gencode arch=compute_75,code=sm_75 \
        "$work/program.cu" -o "$work/binary"
    simt "$work/binary"
    assert_output --partial "only machine code"
}

@test "a call that is not simulated names itself once and fails" {
    simt "$work/program" library
    assert_output --partial "801 801"
    assert_lines 1 cudaLibraryGetKernelCount
}

@test "the profile has a row per launch, however the program ends" {
    for how in "" exit abort segv; do
        rm -f "$work/profile.csv"
        simt --profile "$work/profile.csv" "$work/program" "$how"
        assert_equal "$(wc -l <"$work/profile.csv")" 3
        assert_grep '^1,_Z7nothingv,_Z7nothingv,(2 1 1),(32 1 1),.*,NVIDIA H200 (simt),9.0,ok,' \
            <"$work/profile.csv"
        assert_grep '^2,.*,cudaErrorInvalidValue,NA,' <"$work/profile.csv"
        assert_equal "$(find "$work" -name 'profile.csv*' | wc -l)" 1
    done
}

@test "a profile that cannot be written stops the program" {
    simt -1 --profile /nonexistent/profile.csv "$work/program"
    assert_output --partial "cannot write the profile /nonexistent/profile.csv"
    refute_output --partial "argument"
}

@test "the timeline has kernels, fills and calls of the API, however the program ends" {
    for how in "" exit abort segv; do
        rm -f "$work/timeline.csv"
        simt --timeline "$work/timeline.csv" "$work/program" "$how"
        run cells "$work/timeline.csv" api name status
        assert_line "cudaMalloc 0"
        assert_line "cudaLaunchKernel 1"
        assert_line "cudaGetLastError 1"
        assert_equal "$(find "$work" -name 'timeline.csv*' | wc -l)" 1
    done
    simt --timeline "$work/timeline.csv" "$work/program"
    run cells "$work/timeline.csv" kernel name device context stream grid block registers
    assert_output --regexp '^_Z7nothingv 0 1 7 \(2 1 1\) \(32 1 1\) [0-9]+$'
    run cells "$work/timeline.csv" memset bytes target
    assert_output "1000 device"
    # An activity names its call, and begins with it or later.
    run awk -F, '$1 == "api" { begin[$8] = $3 } NR > 1 && $1 !~ /api|trust/ { call[++n] = $8; start[n] = $3 }
        END { for (i = 1; i <= n; i++) print !(call[i] in begin) || start[i] < begin[call[i]] }' "$work/timeline.csv"
    assert_output "0
0"
}

@test "a timeline that cannot be written stops the program, and one on a full disk is removed with a sentence" {
    simt -1 --timeline /nonexistent/timeline.csv "$work/program"
    assert_output \
        "simt: cannot write the timeline /nonexistent/timeline.csv: No such file or directory"
    simt -1 --timeline /dev/full "$work/program"
    assert_output "simt: cannot write the timeline /dev/full: No space left on device"
    (trap "" XFSZ && ulimit -f 1 && exec "$BUILD/bin/simt" --timeline "$work/limited.csv" "$work/program" many) \
        >"$work/out" 2>&1
    run cat "$work/out"
    assert_line "simt: cannot write the timeline $work/limited.csv: File too large"
    assert_line "argument many"
    assert_equal "$(find "$work" -name 'limited.csv*' | wc -l)" 0
}

@test "without timing there are counters and no times" {
    simt -0 --no-timing --profile "$work/untimed.csv" "$work/program"
    run awk -F, \
        'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i } NR == 2 { print $column["time_ns"], $column["blocks_launched"] }' \
        "$work/untimed.csv"
    assert_output "NA 2"
}

@test "--check lists memory never freed" {
    simt -1 --check "$work/program" leak
    assert_line --regexp \
        "========= Leaked 1000 bytes at 0x[0-9a-f]+ \(allocation [0-9]+\), allocated in main: cudaFree\(\) gives them back"
    assert_output --partial "LEAK SUMMARY: 1000 bytes leaked in 1 allocations"
    assert_output --partial "ERROR SUMMARY: 1 error"
    simt -0 --check "$work/program"
    assert_output --partial "ERROR SUMMARY: 0 errors"
}

@test "a program that reaches for device memory from the host is told so, and crashes as on a GPU" {
    simt -139 "$work/program" reach
    assert_line --regexp \
        "^simt: the host in main accesses device memory: address 0x[0-9a-f]+ is byte 12 of the 4096 bytes of allocation 1\. Copy .* cudaMemcpy\(\)"
}

@test "of what kernels print the last lines are kept, as many as a GPU's buffer holds" { # numbers of an H200
    simt -0 "$work/program" print 2048
    assert_output --partial "buffer 524288"
    assert_lines 2048 "^line"
    refute_output --partial "the buffer holds"
    simt "$work/program" print 50000
    assert_lines 2048 "^line"
    assert_line "line 49999"
    assert_line "line 47952"
    refute_output --partial "line 47951"
    assert_line --partial \
        "simt: kernels called printf 50000 times before the host waited, and the buffer holds the last 2048"
}

@test "a failed launch that the program never asks about is told at exit, and --check counts it" {
    simt -0 "$work/program" unasked
    assert_output --partial \
        "simt: 1 launch failed, and the program never asked (cudaGetLastError tells): nothing() <<<(2,1,1), (2000,1,1)>>>: cudaErrorInvalidValue (invalid argument: 2000 threads in a block, and 1024 is the most)"
    simt -1 --check "$work/program" unasked
    assert_output --partial "========= 1 launch failed, and the program never asked"
    assert_output --partial "ERROR SUMMARY: 1 error"
    simt "$work/program"
    refute_output --partial "never asked"
}

@test "a program that times itself by the CPU's clock is told the modelled time" {
    simt -0 "$work/program" clock
    assert_line --regexp \
        "simt: this program reads the CPU's clock, which has the time of the simulation\. Modelled time of its 1 kernel launch on NVIDIA H200: 0\.00[0-9]+ ms"
    assert_lines 1 "CPU's clock"
    simt --quiet "$work/program" clock
    refute_output --partial "CPU's clock"
    simt "$work/program" # it measures with events
    refute_output --partial "CPU's clock"
    run "$BUILD/bin/labprof" --backend simt "$work/program" clock
    assert_output --partial "nothing"
    refute_output --partial "CPU's clock"
}

@test "a kernel that takes long says on the terminal how far it is, and where" {
    line=$(grep -n 'while (\*flag' "$work/program.cu" | cut -d: -f1)
    run env SIMT_TIMEOUT=3 script -qec "'$BUILD/bin/simt' '$work/program' wait" /dev/null
    assert_output --partial "simt: 2 s, 0 of 1 blocks have ended: waits at program.cu:$line"
    assert_output --partial "no block ended for 3 seconds; it seems to loop forever"
    assert_output --partial "at waits(int volatile*) in $work/program.cu:$line"
}

@test "the simulator works from a folder whose name has a space, or what separates folders" {
    for name in "else where" "else:where" "else;where"; do
        mkdir -p "$work/$name/bin" "$work/$name/simt"
        cp "$BUILD/bin/simt" "$work/$name/bin/"
        cp "$BUILD/simt/libcudart.so.13" "$BUILD/simt/gpus.tsv" "$work/$name/simt/"
        run -0 "$work/$name/bin/simt" "$work/program"
        assert_output --partial "(simt)"
    done
}

@test "temporary files of killed programs are removed by the next one, those in use are not" {
    mkdir "$work/left"
    # killed by SIGXFSZ
    (ulimit -f 0 && "$BUILD/bin/simt" --profile "$work/left/p.csv" "$work/program") >/dev/null \
        2>&1 || true
    touch "$work/left/p.csv.AAAAAA.tmp" "$work/left/p.csv.BBBBBB.tmp" "$work/left/p.csv.backup"
    assert [ "$(find "$work/left" -name '*.tmp' | wc -l)" -ge 2 ]
    flock "$work/left/p.csv.BBBBBB.tmp" "$BUILD/bin/simt" --profile "$work/left/p.csv" \
        "$work/program"
    assert_equal "$(ls "$work/left")" $'p.csv\np.csv.BBBBBB.tmp\np.csv.backup'
}

@test "a tool whose output does not arrive says so and fails" {
    for command in "simt --list-gpus" "simt --help" "labprof --query-metrics"; do
        run bash -c "'$BUILD'/bin/$command >/dev/full"
        assert_failure # $command
        assert_output --partial "cannot write all of its output: No space left on device"
    done
}

@test "times and instructions follow the machine code where a table leads from it to the PTX, accesses never do" {
    for flag in -lineinfo -DNO_LINES; do
        run -0 --separate-stderr "$BUILD/bin/simt" --profile "$work/$flag.csv" "$work/models$flag" \
            wide
        if [ $flag = -DNO_LINES ]; then
            assert_equal "$stderr" \
                "simt: times are modelled, and instructions estimated, from PTX alone: the program has no machine code with line numbers; nvcc -lineinfo -gencode 'arch=compute_75,code=[compute_75,sm_90]' puts it there"
        else
            assert_equal "$stderr" ""
        fi
    done
    cell() { awk -F, -v name="$1" \
        'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i } NR == 2 { print $column }' \
        "$2"; }
    for column in time_ns inst_executed; do
        run awk -v ptx="$(cell $column "$work/-DNO_LINES.csv")" -v \
            machine="$(cell $column "$work/-lineinfo.csv")" \
            'BEGIN { print (machine < 0.8 * ptx ? "much less" : "no less than " ptx ": " machine) }'
        assert_output "much less"
    done
    for counter in shared_ld_requests shared_ld_wavefronts gst_sectors; do
        assert_equal "$(cell $counter "$work/-DNO_LINES.csv")" \
            "$(cell $counter "$work/-lineinfo.csv")"
    done
}

@test "blocks that race in place give the same results on any number of host threads, and are named at exit" {
    compile_cuda -Icommon -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' \
        tests/planted/races_between_blocks.cu -o "$work/races"
    for kernel in reduction stencil pointers none; do
        first=
        for threads in 1 2 2 2 2 2 3 3 4 4; do
            run -0 --separate-stderr "$BUILD/bin/simt" --threads $threads "$work/races" $kernel
            [ "$output" = "${first:=$output}" ] || fail \
                "$kernel on $threads threads: $output, not $first"
            if [ $kernel = none ]; then
                [[ "$stderr" != *raced* ]] || fail "$stderr"
            else
                [[ "$stderr" == \
                    *"simt: blocks of $kernel(float*, float*) raced: a block accessed what another block stored, "* \
                    ]] ||
                    fail "$kernel on $threads threads: $stderr"
            fi
        done
    done
}

@test "loops without accesses, and cases of a switch, take about as long by machine code as by PTX" {
    for kernel in integers long roots cases; do
        for flag in -lineinfo -DNO_LINES; do
            "$BUILD/bin/simt" --profile "$work/$flag.csv" "$work/models$flag" $kernel 2>/dev/null
        done
        run awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ns") column = i } FNR == 2 { time[++n] = $column }
            END { ratio = time[1] / time[2]; print (ratio > 0.4 && ratio < 1.4 ? "near" : ratio) }' \
            "$work/-lineinfo.csv" "$work/-DNO_LINES.csv"
        assert_output near
    done
}

@test "no kernel ends before its instructions can have been issued, and none is without" {
    for kernel in selections stairs; do
        "$BUILD/bin/simt" --profile "$work/$kernel.csv" "$work/models-lineinfo" $kernel
        run awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR == 2 { least = $at["inst_executed"] / (132 * 4) / 1.98 # ns; multiprocessors, schedulers, GHz
                whole = $at["inst_executed"] > $at["ptx_executed"] / 3
                print (whole && $at["time_ns"] > least ? "later" : $at["time_ns"] " ns, not " least) }' \
            "$work/$kernel.csv"
        assert_output later # $kernel
    done
}

# within KERNEL LEAST MOST [BLOCKS]: the model's time of it is between these ns.
within() {
    "$BUILD/bin/simt" --quiet ${SAMPLE:+--sample "$SAMPLE"} --profile "$work/$1.csv" \
        "$work/models-lineinfo" "$1" "${@:4}"
    run awk -F, -v least="$2" -v most="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { ns = $at["time_ns"]; print (ns > least && ns < most ? "within" : ns " ns") }' \
        "$work/$1.csv"
    assert_output within # $1
}

@test "a kernel lasts as long as its longest block, and stores as far apart as they are" {
    within apart 54000 84000      # 67.2 us on an H200
    within cases 182000 285000    # 228.1 us on an H200
    within uneven 1170000 1830000 # 1,466.3 us on an H200
    within traced 1010000 1520000 # 1,470 us on an H200
    within host 530000 800000     # 33.6 MB each way, at 63 GB/s at most
}

@test "halves of 64 bits are no copies, a small array is no memory, and a sector takes a line's place" {
    within both_halves 34000 53000 # 42.3 us on an H200
    within kept 10500 17500        # 13.7 us
    within one_a_line 48000 97000  # 76.5 us
    run awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["local_ld_requests"] }' "$work/kept.csv"
    assert_output 0
}

@test "an operation under a predicate counts for the threads that do it" {
    for flag in -lineinfo -DNO_LINES; do
        "$BUILD/bin/simt" --quiet --profile "$work/fewer.csv" "$work/models$flag" fewer
        run awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR == 2 { print $at["flop_sp_add"] }' "$work/fewer.csv"
        assert_output $((4 * 127)) # $flag
    done
}

@test "instructions count as an H200 counts them: where threads part, loops unroll and atomics combine" {
    local seen=plots/reference/h200/random.csv
    for kernel in branch_97 branch_113 call_1741 call_2189 atomic_2231 gather_1892 mixture_2058 \
        long_942 stream_1187; do
        "$BUILD/bin/random-kernels" ${kernel#*_} 1 >"$work/random.cu"
        compile_cuda -lineinfo -cudart shared -arch=sm_90 "$work/random.cu" -o "$work/random"
        "$BUILD/bin/simt" --quiet --gpu h200 --profile "$work/random.csv" "$work/random"
        run awk -F, -v kernel="$kernel" '
            FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            $1 == kernel && FILENAME ~ /reference/ { want = $at["inst_executed"] }
            index($0, kernel) && FILENAME !~ /reference/ { have = $at["inst_executed"] }
            END { print (have > 0.98 * want && have < 1.02 * want ? "equal" : have " for " want) }' \
            $seen "$work/random.csv"
        assert_output equal # $kernel
    done
}

@test "blocks that load in step wait less for DRAM, and those of later rounds find it in the L2" {
    within chain 580000 1000000 63 # 773.5 us on an H200
    SAMPLE=128 within chain 1950000 4100000 4224 # 2,735.4 us
}

@test "the L1 keeps all that fits: an eighth of the first pass misses, none of the second" {
    within chain 0 1500000 L1
    run awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["l1_hit_rate"] }' "$work/chain.csv"
    assert_output 93.75
}

@test "counts and times are the same bytes for any number of host threads, from machine code and from PTX" {
    for flag in -lineinfo -DNO_LINES; do
        for threads in 1 2 3 16; do
            run -0 "$BUILD/bin/simt" --quiet --threads $threads --profile \
                "$work/shares$flag.$threads" "$work/models$flag"
        done
        for threads in 2 3 16; do run -0 diff "$work/shares$flag.1" "$work/shares$flag.$threads"; \
            done
        # launches that repeat an earlier one do not run, and have its counts and time
        for rerun in "" --rerun; do
            SIMT_BENCH="$work/runs$flag$rerun" run -0 "$BUILD/bin/simt" --quiet $rerun --profile \
                "$work/again" "$work/models$flag"
            run -0 diff "$work/shares$flag.1" "$work/again"
        done
        run -0 awk 'END { print NR }' "$work/runs$flag--rerun"
        assert_output 12
        run -0 awk 'END { print NR }' "$work/runs$flag"
        assert_output 9 # of the five on the same memory, two ran
    done
    run -1 diff -q "$work/shares-lineinfo.1" "$work/shares-DNO_LINES.1" # two models
}

@test "a room of the simulator uses only symbols of its own and of the rooms above it in its README" {
    local obj=$BUILD/obj file object objects=()
    for file in $(git ls-files 'common/simt/*/*.c' 'common/lib/*.c'); do
        for object in "$obj/${file%.c}.o" "$obj/base/${file%.c}.o" "$obj/${file%.c}-12.o"; do [ ! \
            -e "$object" ] || break; done
        assert [ -e "$object" ]
        objects+=("$object")
    done
    run -0 awk -f tests/targets/layers.awk common/simt/README.md <(nm -A "${objects[@]}")
    refute_output
    run git grep -n 'define EXEC_ISA' -- common/simt
    refute_output
}
