# The targets of the Makefile, as a user meets them: what they print, how they fail, what they leave
# behind.

load ../helpers

setup_file() {
    copy_project
    labs_compiler=$(with_nvcc && echo NVCC || echo CLANG) # as make says it
    student=$tree/labs/lab3-reduction/reduction.cu
    export labs_compiler student
}

setup() {
    as_handed_out
    rm -f "$student".[0-9]*
}

@test "nothing is compiled before the compiler is installed" {
    # make's own list of what each object and program waits for, in a build folder that is not there
    # yet.
    build=$BATS_TEST_TMPDIR/build
    run user_make -pn BUILD="$build" all
    compiled=$(grep -E "^$build/(obj|lab[0-9]+|solutions)/[^ ]*: [^:]" <<<"$output" | grep -vE '^[^ ]*(\.d|/\.): |: [A-Z_]+ :?= ?')
    assert [ "$(grep -c '\.o: ' <<<"$compiled")" -gt 100 ]
    early=$(grep -v 'build/setup/build' <<<"$compiled" || true)
    assert_equal "$early" ""
}

@test "make alone helps" {
    run -0 user_make
    assert_output --partial "profile-labN"
    assert_output --partial "DEVICE=auto"
}

@test "list names the labs" {
    run -0 user_make list
    assert_output --partial "labs/lab3-reduction/reduction.cu"
}

@test "a lab that does not exist" {
    for target in lab99 profile-lab99 reset-lab99 lab; do
        run -2 user_make $target
        assert_output --partial "there is no such lab"
    done
}

@test "settings that do not exist" {
    run -2 user_make lab3 SIM_GPU=gtx9999
    assert_output --partial "SIM_GPU=gtx9999: give one of:"
    assert_output --partial "h200"
    run -2 user_make lab3 DEVICE=cloud
    assert_output --partial "DEVICE=cloud: give one of: auto gpu sim"
    run -2 user_make lab3 FROM=scratch
    run -2 user_make lab3 ARCH=ampere
    for devices in 0 17 abc 2x; do
        run -2 user_make lab3 SIM_DEVICES="$devices"
        assert_output --partial "SIM_DEVICES=$devices: give how many GPUs to simulate, from 1 to 16"
    done
}

# A program of one's own, in a folder and a file with spaces and an apostrophe in their names. It
# says what argument it got, and includes a header beside it.
own_program() {
    own="$BATS_TEST_TMPDIR/Anna's folder/my sum.cu"
    mkdir -p "$(dirname "$own")"
    echo '#define THREADS 64' >"$(dirname "$own")/threads.h"
    cp tests/data/own_sum.cu "$own"
}

@test "one's own program is run, with arguments and flags, and profiled" {
    own_program
    rm -f "$tree/build/bin/labprof"
    export HOST_OPTIMISE=-O0 # it is compiled as C++17, as a user's is
    printf '%s\n' '#include <cmath>' '#if __cplusplus >= 201703L' \
        'double besides(double x) { return std::cyl_bessel_j(0, x); }' '#endif' >>"$own"
    run -0 user_make run DEVICE=sim FILE="$own" FLAGS=-DFLAG=3 ARGS=seven
    assert_output --partial "argument seven, flag 3, devices 1"
    run -2 user_make run DEVICE=sim FILE="$own" FLAGS=-DFLAG=3 ARGS="seven eight"
    run -0 user_make profile DEVICE=sim FILE="$own" FLAGS='-G -DFLAG=4' SIM_DEVICES=3
    assert_output --partial "argument none, flag 4, devices 3"
    assert_output --partial "Kernel: sum(int const *, int*)"
    assert_grep -E ' gst_efficiency .* 100.00%$' <<<"$output"
    run user_make profile DEVICE=sim FILE="$own" FLAGS=-DFLAG=4 METRICS=gld_efficiency
    # Each of the two warps reads one word of a sector, and 32 words of four.
    assert_grep -E ' gld_efficiency .* 82.50%$' <<<"$output"
    refute_output --partial gst_efficiency
}

@test "one's own program is compiled by clang, too" {
    command -v clang++ >/dev/null || skip "there is no clang"
    own_program
    run -0 user_make run DEVICE=sim FRONT=clang FILE="$own" FLAGS=-DFLAG=5
    assert_output --partial "argument none, flag 5"
}

@test "what is no program of one's own is refused before anything is built" {
    own_program
    refused() {
        run -2 user_make run "$@"
        assert_output --partial "$wanted"
        assert_lines 1
    }
    wanted="give the program: make run FILE=own.cu" refused
    wanted="this is a folder; name the .cu file in it" refused FILE="$(dirname "$own")"
    wanted="there is no such file; there is $own" refused FILE="${own%.cu}"
    wanted="there is no such file (looked in " refused FILE=none.cu
    wanted="its name must end in .cu" refused FILE=README.md
    run -2 user_make check-lab3 FILE="$own"
    assert_output --partial "goes with run and profile, not with check-lab3"
    echo 'int main() { undeclared(); }' >"$own"
    run -2 user_make run DEVICE=sim FILE="$own"
    assert_output --partial "my sum.cu: does not compile"
    # Without a file, profile is the profile of all labs.
    run user_make -n profile DEVICE=sim
    assert [ "$(grep -c -- '--lab-table' <<<"$output")" -ge 12 ]
}

@test "a misspelt setting is named, a bad size refused" {
    run -0 user_make list CARD=t4 SIZE=5 NO_INSTALL=1 PAUSE=0 UNSAFE=1 BLOCK=64
    assert_output --partial "CARD=t4: nothing reads a setting of this name"
    assert_lines 1 "nothing reads"
    for size in abc -5 77x 1e6; do
        run -2 user_make lab3 SIZE=$size
        assert_output --partial \
            "SIZE=$size: give a whole number such as 5000, or for a matrix 77x131"
    done
}

@test "the solutions are all right, and have a folder of their own" {
    run -0 user_make lab3 DEVICE=sim FROM=solutions SIZE=100000 BLOCK=256
    assert_lines 9 ' ok$'
    assert [ -f "$tree/build/solutions/lab3/run.csv" ]
}

@test "a step still to do shows on request what the solution reached on the same device, and on no other" {
    user_make lab3 DEVICE=sim FROM=solutions SIZE=60000
    cp -r "$tree/plots/reference/h200-simt" "$BATS_TEST_TMPDIR/"
    cp "$tree/build/solutions/lab3/run.csv" "$tree/plots/reference/h200-simt/lab3.csv"
    time=$(awk -F, '$3 == "reduceUnroll8" { printf "(%.4f)", $6 }' "$tree/build/solutions/lab3/run.csv")
    run user_make lab3 DEVICE=sim SIZE=60000
    refute_output --partial "the solution's figures"
    run user_make lab3 DEVICE=sim SIZE=60000 REFERENCE=1
    assert_line --regexp "reduceUnroll8.*$time.*todo"
    assert_output --partial "the solution's figures on this device"
    run user_make lab3 DEVICE=sim SIZE=50000 REFERENCE=1
    refute_output --partial "the solution's figures"
    # of the same compute capability: nothing is compiled again
    run user_make lab3 DEVICE=sim SIZE=60000 REFERENCE=1 SIM_GPU=h100
    refute_output --partial "the solution's figures"
    cp "$BATS_TEST_TMPDIR/h200-simt/lab3.csv" "$tree/plots/reference/h200-simt/"
}

@test "code under a kept TODO: the line to delete is named" {
    sed -i '/BEGIN SOLUTION reduceInterleaved/a\    if (threadIdx.x == 0) g_odata[0] = 0; // code' \
        "$student"
    sed -i '/BEGIN SOLUTION reduceNeighboredLess/a\    // a remark\n    /* and\n another */' \
        "$student"
    line=$(grep -n 'TODO("Begin with stride' "$student" | cut -d: -f1)
    run -0 user_make lab3 DEVICE=sim SIZE=1000
    assert_lines 1 "delete the TODO"
    assert_line --regexp "reduceInterleaved .* todo  delete the TODO, line $line"
    run user_make lab3 DEVICE=sim SIZE=1000 ARGS='--step reduceInterleaved'
    assert_ends \
        "^next: labs/lab3-reduction/reduction\.cu:$line: reduceInterleaved: delete the TODO line, "
}

# Right sums and a race beside them, a read after the end, wrong sums and a race.
plant_pitfalls() {
    local \
        sum=('for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {' '__syncthreads();' '}' 'if (threadIdx.x == 0) g_odata[blockIdx.x] = idata[0];')
    local \
        begin='int *idata = g_idata + blockIdx.x * blockDim.x; unsigned int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + tid;'
    local race='volatile __shared__ unsigned int last; last = tid; // race'
    solve_step "$student" reduceNeighboredLess "$begin" "$race" "${sum[0]}" \
        'if (tid < stride && idx + stride < n) idata[tid] += idata[tid + stride];' "${sum[@]:1}"
    solve_step "$student" reduceInterleaved "$begin" "${sum[0]}" \
        'if (tid < stride) idata[tid] += idata[tid + stride] + 0 * idx; // after the end' \
        "${sum[@]:1}"
    solve_step "$student" reduceUnroll2 "${begin#*; }" \
        '__shared__ int first; first = 7 * (tid > 0); // wrong' \
        'if (idx < n) g_odata[blockIdx.x] = first;'
}

# marked WORD: the line that ends in this comment.
marked() {
    grep -n "// $1\$" "$student" | cut -d: -f1
}

@test "a right result with a mistake after it is ok, but the checker's line stands beside it, and comes next; check-lab3 names it" {
    plant_pitfalls
    lab=labs/lab3-reduction/reduction.cu
    run -0 user_make lab3 DEVICE=sim SIZE=16384 ARGS='--step reduceNeighboredLess'
    assert_output --partial " ok, but: race at reduction.cu:$(marked race)"
    run user_make hint-lab3
    assert_line --regexp \
        '^reduceNeighboredLess \(.*: right in the last run, with a mistake beside it$'
    run user_make progress
    assert_line --regexp '^lab3 .* 3 +0 of +8  ok, but: reduceNeighboredLess:[0-9]+$'
    run -0 user_make lab3 DEVICE=sim SIZE=16384 ARGS='--step reduceInterleaved'
    assert_output --partial \
        " ok, but: invalid __global__ read at reduction.cu:$(marked 'after the end')"
    assert_ends \
        "^next: $lab:$(marked 'after the end'): reduceInterleaved: ok, but: invalid __global__ read; \`make check-lab3 SIZE=1000\` shows it$"
    assert_grep ',reduceInterleaved,.*,ok,modelled,.*,invalid __global__ read$' \
        <"$tree/build/lab3/run.csv"
    run -2 user_make lab3 DEVICE=sim SIZE=16384 ARGS='--step reduceUnroll2'
    line=$(marked wrong)
    # in clang's order the load after it is the second of the racing accesses
    with_nvcc || line=$((line + 1))
    assert_output --partial \
        "WRONG (index 0: got 7 want 255032; 8 of 8 wrong); race at reduction.cu:$line"
    assert_output --partial \
        "next: $lab:$line: reduceUnroll2: wrong result, race; \`make check-lab3 SIZE=1000\` shows it"
    run user_make profile-lab3 DEVICE=sim SIZE=16384 PLOT=0 ARGS='--step reduceInterleaved' \
        METRICS=gld_efficiency
    refute_output --partial "ok, but"
    # check-lab3 names the line, without a table, and does not send to itself.
    run -2 user_make check-lab3 DEVICE=sim SIZE=1000
    assert_output --partial "Invalid __global__ read of size 4 bytes"
    assert_output --partial "$(marked 'after the end')"
    for unwanted in todo next: "make check-lab3\`" "kernel  "; do refute_output --partial \
        "$unwanted"; done
    run -2 user_make check-lab3 DEVICE=sim SIZE=1000 ARGS='--step reduceUnroll2'
    assert_output --partial "reduceUnroll2 <<<1, 1024>>>: WRONG (index 0: got 7"
}

@test "an empty problem does not solve a step" {
    run -0 user_make lab3 DEVICE=sim SIZE=0
    assert_line --regexp '^ 1  reduceNeighbored .* ok$'
    assert_line --regexp '^ 2  reduceNeighboredLess .* todo$'
    assert_ends \
        "^next: labs/lab3-reduction/reduction\.cu:[0-9]+: reduceNeighboredLess: Do the sums of step 1 .* \(handouts/lab3\.md#reduceneighboredless\)$"
}

@test "the table fits a terminal of 80 columns" {
    export -f user_make
    run -0 env SHELL="$BASH" NO_COLOR=1 script -qec \
        'stty cols 80; user_make lab3 DEVICE=sim FROM=solutions SIZE=1000' /dev/null
    output=$(tr -d '\r' <<<"$output" | grep -E '^ *[#0-9]+ ')
    assert_lines 10
    refute_output --regexp $'[^\n]{81}'
    assert_output --regexp \
        ' 2 reduceNeighboredLess +<<<1, 1024>>> +[0-9.]+ +[0-9.]+ +[0-9.]+[<~]? +[0-9.]+ ok'
}

@test "STRICT=1 makes a TODO fail" {
    STRICT=1 run -2 user_make lab3 DEVICE=sim SIZE=1000
}

@test "a compile error in the student's file is shown, with the file's name" {
    echo "this is no CUDA" >>"$student"
    run -2 user_make lab3 DEVICE=sim
    assert_output --partial "error"
    assert_output --partial "labs/lab3-reduction/reduction.cu: does not compile"
}

@test "a brace too few is found in its step; the compiler's messages come once, with the student's file" {
    solve_step "$student" reduceInterleaved 'if (n > 1) { // }' \
        'if (n > 2) { g_odata[0] = "}"[0]; }' 'int unused;'
    run -2 user_make lab3 DEVICE=sim
    assert_line --regexp \
        "^labs/lab3-reduction/reduction.cu\([0-9]+\): error: reduceInterleaved: not allowed: a \`\{\` is not closed"
    refute_output --partial "compiled.cu"
    solve_step "$student" reduceNeighboredLess 'int unused = 0;'
    solve_step "$student" reduceInterleaved 'g_odata[0] = 0;'
    NVCC_APPEND_FLAGS='-Xcompiler -Wall' run user_make lab3 DEVICE=sim SIZE=1000
    ! with_nvcc || assert_lines 1 'reduction.cu([0-9]*): warning .*"unused"'
}

# How often nvcc was called for more than its steps.
compiled() {
    grep -cv -e --dryrun calls || true
}

# halves OPTION...: compile a program that adds what each half has.
halves() {
    rm -f calls program list
    run "$root/common/make/halves.sh" ./nvcc -std=c++14 -O0 -cudart shared \
        -gencode 'arch=compute_75,code=[compute_75,sm_75]' -MMD -MP -MF list -MT program \
        -o program "$@" sum.cu
    compiled=$(compiled)
}

@test "nvcc's halves make its program; nvcc makes what they cannot, and says what is wrong" {
    needs_nvcc
    local root=$PWD
    cd "$BATS_TEST_TMPDIR"
    printf '#!/bin/sh\necho "$@" >>calls\nexec %s "$@"\n' "$(command -v nvcc)" >nvcc
    chmod +x nvcc
    echo '#define HALF 40' >gpu.h
    echo '#define HALF 2' >cpu.h
    cat >given.cu <<'END'
#include <cstdio>
#ifdef __CUDA_ARCH__
#include "gpu.h"
#else
#include "cpu.h"
#endif
static __device__ int half;
static __global__ void halve() { half = HALF; }
int main() {
    int got = 0;
    halve<<<1, 1>>>();
    cudaMemcpyFromSymbol(&got, half, sizeof got);
    printf("%d\n", got + HALF);
}
END
    cp given.cu sum.cu
    halves -nodlink
    assert_equal "$status $compiled" "0 0"
    run -0 "$root/build/bin/simt" ./program
    assert_output 42
    assert_grep '^program:' <list
    assert_grep cpu.h <list
    assert_grep gpu.h <list
    # Steps that are not known.
    halves -rdc=true
    assert_equal "$status $compiled" "0 1"
    run -0 "$root/build/bin/simt" ./program
    assert_output 42
    # A mistake in the source; one that only the assembler finds.
    echo 'int a = b;' >>sum.cu
    halves -nodlink
    assert_equal "$status $compiled" "2 0"
    assert_lines 1 'identifier "b" is undefined'
    sed '$a__global__ void wrong() { asm("wrong;"); }' given.cu >sum.cu
    halves -nodlink
    assert_equal "$status $compiled" "255 1"
    assert_output --partial "ptxas"
    # compile.sh makes it so where only the source has changed.
    cp given.cu sum.cu
    "$root/common/make/compile.sh" new '' sum.cu program ./nvcc -cudart shared -nodlink
    assert_equal "$(compiled)" 2
    echo >>sum.cu
    "$root/common/make/compile.sh" '' '' sum.cu program ./nvcc -cudart shared -nodlink
    assert_equal "$(compiled)" 2
}

@test "a kernel of the student's that is wrong, never ends or writes out of bounds is named, hints are offered the second time; the profile of a wrong one is drawn, and fails" {
    solve_step "$student" reduceNeighboredLess 'if (threadIdx.x == 0) g_odata[blockIdx.x] = 7;' \
        'while (n == 1001 && atomicAdd(g_odata, 0) != 1234567) {}' \
        'if (n == 5002) g_odata[n + 100000000 + blockIdx.x] = 1;'
    rm -f "$tree/build/lab3/run.csv"
    run -2 user_make lab3 DEVICE=sim SIZE=5000
    refute_output --partial "hint-lab3"
    assert_output --partial "WRONG (index 0: got 7 want "
    assert_output --partial "labs/lab3-reduction/reduction.cu:"
    assert_output --partial "reduceNeighboredLess: wrong result"
    run user_make lab3 DEVICE=sim SIZE=5000
    assert_line --regexp "^next: .* reduceNeighboredLess: wrong result.*; \`make hint-lab3\` helps$"
    rm -f "$tree"/build/plots/lab3-*
    run -2 user_make profile-lab3 DEVICE=sim SIZE=5000
    assert_output --partial "WRONG (index 0: got 7 want "
    assert [ "$(grep -c ',gld_efficiency,' "$tree/build/lab3/metrics.csv")" -ge 2 ]
    assert [ -s "$tree/build/plots/lab3-metrics.svg" ]
    # A run that measures nothing draws nothing again.
    rm -f "$tree"/build/plots/lab3-*
    run -2 user_make profile-lab3 DEVICE=sim SIZE=5000 METRICS=no_such_metric
    assert [ ! -e "$tree/build/plots/lab3-metrics.svg" ]
    SIMT_TIMEOUT=0.2 run -2 user_make lab3 DEVICE=sim SIZE=1001
    assert_output --partial "the launch timed out and was terminated"
    run -2 user_make lab3 DEVICE=sim SIZE=5002
    assert_output --partial "an illegal memory access was encountered"
    line=$(grep -n 'n + 100000000' "$student" | cut -d: -f1)
    assert_output --partial "reduction.cu:$line"
}

@test "skeletons never overwrite work; reset keeps it" {
    echo "// mine" >>"$student"
    run -2 user_make skeletons
    assert_output --partial "has been edited"
    assert_equal "$(tail -1 "$student")" "// mine"
    run -0 user_make reset-lab3
    diff "$student" labs/lab3-reduction/reduction.cu
    assert_equal "$(tail -1 "$student.1")" "// mine"
    echo "// more" >>"$student"
    run user_make reset-lab3
    assert_equal "$(tail -1 "$student.2")" "// more"
    run user_make reset-lab3
    assert_output --partial "as it was handed out"
    assert [ ! -e "$student.3" ]
}

@test "an unedited lab follows its solution" {
    sed -i 's/Add up n integers/Add n integers up/' "$tree/solutions/lab3-reduction/reduction.cu"
    run -0 user_make skeletons
    assert_grep "Add n integers up" <"$student"
    cp -p solutions/lab3-reduction/reduction.cu "$tree/solutions/lab3-reduction/"
}

@test "diff-lab3 tells the regions apart" {
    solve_step "$student" reduceNeighboredLess 'g_odata[0] = 0;'
    mapfile -t lines < \
        <(sed -n '/BEGIN SOLUTION reduceUnroll8$/,/END SOLUTION/p' solutions/lab3-reduction/reduction.cu | sed '1d;$d;/TODO(/,/);/d; s/^    //')
    solve_step "$student" reduceUnroll8 "${lines[@]}"
    sed -i 's/BEGIN SOLUTION reduceUnroll4/BEGIN SOLUTION gone/' "$student"
    run -0 user_make diff-lab3
    assert_output --partial "1 same, 1 changed, 5 todo, 1 missing"
}

@test "a program that is saved again as it was is not built again; one with another time is not missed" {
    user_make DEVICE=sim build/lab3/reduction
    touch "$student"
    run user_make DEVICE=sim build/lab3/reduction
    refute_output --partial "$labs_compiler"
    sed -i 's/Add up/Sum up/' "$student"
    touch -d 2001-01-01 "$student"
    run user_make DEVICE=sim build/lab3/reduction
    assert_output --partial "$(printf %-7s $labs_compiler) labs/lab3-reduction/reduction.cu"
}

@test "a program that has to wait for another says for which" {
    printf '%s\n' 'int main() { return getchar() < 0; }' | cat <(echo '#include <cstdio>') - \
        >"$BATS_TEST_TMPDIR/endless.cu"
    mkfifo "$BATS_TEST_TMPDIR/input"
    user_make run DEVICE=sim FILE="$BATS_TEST_TMPDIR/endless.cu" <"$BATS_TEST_TMPDIR/input" \
        >/dev/null 3>&- &
    exec 7>"$BATS_TEST_TMPDIR/input"
    for ((i = 0; i < 300; i++)); do
        ! grep -q build/own/endless "$tree/build/run.lock" 2>/dev/null || break
        sleep 0.1
    done
    user_make lab3 DEVICE=sim SIZE=1000 >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- 7>&- &
    for ((i = 0; i < 300; i++)); do
        ! grep -q waiting "$BATS_TEST_TMPDIR/log" || break
        sleep 0.1
    done
    echo >&7
    wait
    run cat "$BATS_TEST_TMPDIR/log"
    assert_line --regexp \
        "^waiting, .* for process [0-9]+: build/bin/simt --gpu h200 build/own/endless$"
    assert_line --regexp '^ 1  reduceNeighbored .* ok$'
}

@test "STEP=3 runs this step alone, by number or name" {
    for step in 3 reduceInterleaved; do
        for target in lab3 profile-lab3; do
            run -0 user_make "$target" DEVICE=sim FROM=solutions SIZE=1000 PLOT=0 \
                METRICS=gld_efficiency STEP="$step"
            refute_line --regexp '^ *[0-9]+  (reduceInterleaved[^ ]|reduce[^I])'
            assert_line --regexp '^ 3  reduceInterleaved '
        done
    done
    run -2 user_make lab3 DEVICE=sim STEP=33
    assert_output --partial "--step 33: no such step"
    for setting in "STEP=3 4" STEPS=3 STEPS=1,2,3; do
        run -2 user_make see-lab3 DEVICE=sim "$setting"
        assert_output --partial "$setting: give "
    done
}

@test "profile-lab3 measures and plots" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    run -0 user_make profile-lab3 DEVICE=sim FROM=solutions SIZE=50000
    assert_equal "$(head -1 "$tree/build/solutions/lab3/metrics.csv")" \
        "lab,step,kernel,grid,block,metric,value,unit,backend,device"
    assert_equal "$(grep -c ',gld_efficiency,' "$tree/build/solutions/lab3/metrics.csv")" 9
    for picture in "$tree"/build/solutions/plots/lab3-*.svg; do assert [ -s "$picture" ]; done
    assert_grep 'modelled, size 50000' <"$tree/build/solutions/plots/lab3-time.svg"
    assert_output --partial "All right."
    refute_output --partial "make profile-lab3"
    run user_make lab3 DEVICE=sim FROM=solutions SIZE=5000
    assert_ends \
        "^All right\. next: \`make profile-lab3 FROM=solutions\` shows the metrics that explain these times$"
    run -0 user_make profile-lab3 DEVICE=sim FROM=solutions SIZE=0
    refute_output --partial "All right"
    assert_output --partial "plotted nothing for lab3"
}

@test "a handed-out lab can be profiled too" {
    run -0 user_make profile-lab3 DEVICE=sim SIZE=50000
}

@test "an empty problem can be profiled too" {
    run -0 user_make profile-lab3 DEVICE=sim FROM=solutions SIZE=0
}

@test "demo-lab3 walks through all kernels without waiting" {
    run -0 user_make demo-lab3 DEVICE=sim SIZE=50000 </dev/null
    assert_output --partial "=== 9 of 9: reduceCompleteUnroll ==="
    assert_output --partial "Question:"
    assert_output --partial "gld_efficiency ="
}

@test "demo-lab3 goes back, to a step and to the end" {
    user_make DEVICE=sim build/bin/demo build/solutions/lab3/reduction
    cd "$tree"
    run -0 script -qec "build/bin/demo --lab 3 --source solutions/lab3-reduction/reduction.cu \
        --folder build --profiler false \
        --program 'build/bin/simt --quiet build/solutions/lab3/reduction' --replay h200" /dev/null <<<$'\n\nb\n4\n\n\n99\nq'
    assert_equal "$(grep -o "=== [0-9] of 9" <<<"$output" | cut -c5 | tr -d '\n')" 12145
    assert_equal "$(grep -oF $'\033[H\033[2J' <<<"$output" | wc -l)" 5 # each on a clear screen
    # Another answer is asked for again, without the step once more.
    assert_output --partial '"99" is not an answer: Enter goes on, b back, 1 to 9 to that step, q ends.'
}

@test "a demo of each lab fits 80 columns, and its chart is of one size" {
    for lab in $(awk -F'\t' 'NR > 1 { print $1 }' labs/labs.tsv); do
        local program
        program=$(lab_field "$lab" program)
        user_make DEVICE=sim build/bin/demo "build/solutions/lab$lab/$program"
        (cd "$tree" && build/bin/demo --lab "$lab" --folder build --profiler false --replay h200 \
            --source "solutions/$(lab_field "$lab" folder)/$program.cu" \
            --program "build/bin/simt --quiet build/solutions/lab$lab/$program") \
            >"$BATS_TEST_TMPDIR/lab$lab" </dev/null
        assert_equal \
            "lab $lab: $(LC_ALL=C.UTF-8 awk 'length > 80' "$BATS_TEST_TMPDIR/lab$lab" | head -3)" \
            "lab $lab: "
    done
    assert_regex "$(sed -n '/=== 5 of/,/=== 6 of/p' "$BATS_TEST_TMPDIR/lab4")" \
        'in the model of an H200: bank conflicts [3-6][0-9] %'
    local last
    last=$(awk -F, '/MatMulAhead\(4096\)/ { printf "%.4f", $6 }' plots/reference/h200/lab9.csv)
    assert_equal "$(tail -n 1 <(grep -o '#* [0-9.]* ms$' "$BATS_TEST_TMPDIR/lab9"))" "#### $last ms"
    refute grep -F 'GB/s' "$BATS_TEST_TMPDIR/lab9"
}

@test "Ctrl-C leaves no half-written file" {
    user_make DEVICE=sim build/solutions/lab3/reduction
    rm -f "$tree"/build/solutions/lab3/*.csv*
    (cd "$tree" && exec setsid timeout -s INT 0.5 build/bin/simt build/solutions/lab3/reduction --csv build/solutions/lab3/run.csv) \
        || true
    run ls "$tree/build/solutions/lab3"
    refute_output --partial "run.csv"
}

@test "no gnuplot: said, with what to do" {
    user_make lab3 DEVICE=sim SIZE=1000
    mkdir -p "$tree/bare"
    for tool in bash sh make awk sed grep find mkdir mv rm cp cat head tr dirname printf env touch \
        cmp tput date uname ls mktemp basename; do
        ln -sf "$(command -v $tool)" "$tree/bare/$tool"
    done
    PATH="$tree/bare" run -2 user_make plot-lab3 DEVICE=sim NO_INSTALL=1 NVCC="$(command -v nvcc)"
    assert_output --partial "gnuplot"
}

@test "setup does nothing where all is there, and with NO_INSTALL only names" {
    run -0 env NO_INSTALL=1 "$tree/common/tools/setup.sh" build
    printf 'package\twhat for\tgroup\nno-such-package-at-all\ttest\tbuild\n' \
        >"$tree/common/packages.tsv"
    run env NO_INSTALL=1 "$tree/common/tools/setup.sh" build
    cp -p common/packages.tsv "$tree/common/"
    assert_success
    assert_output --partial "no-such-package-at-all"
}

@test "check-lab3 is clean for the solutions, and finds a stray access and a missing barrier" {
    run -0 user_make check-lab3 DEVICE=sim FROM=solutions SIZE=5000
    assert_output --partial "clean   simt --check, size 5000"
    solve_step "$student" reduceInterleaved 'g_odata[n + 100000000 + blockIdx.x] = 1;'
    solve_step "$student" reduceNeighboredLess 'int *idata = g_idata + blockIdx.x * blockDim.x;' \
        'for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2)' \
        'if (threadIdx.x < stride && blockIdx.x * blockDim.x + threadIdx.x + stride < n) idata[threadIdx.x] += idata[threadIdx.x + stride];' \
        'if (threadIdx.x == 0) g_odata[blockIdx.x] = idata[0];'
    run -2 user_make check-lab3 DEVICE=sim SIZE=5000 ARGS='--step reduceInterleaved'
    assert_output --partial "FOUND"
    run -2 user_make check-lab3 DEVICE=sim SIZE=5000 ARGS='--step reduceNeighboredLess'
    assert_output --partial "Race reported between Write access at reduceNeighboredLess"
    assert_output --partial "ERROR SUMMARY: 1 error"
    assert_output --partial "FOUND"
}

@test "no CUDA compiler: said, with what to do" {
    unset FRONT # make is to choose
    run -2 user_make lab3 NVCC=/nowhere/nvcc
    assert_output --partial "/nowhere/nvcc is not here: install the CUDA toolkit"
    run -0 user_make list NVCC=/nowhere/nvcc
}

@test "the toolkit's folder is the one that nvcc names" {
    needs_nvcc
    local toolkit=$BATS_TEST_TMPDIR/toolkit says=$BATS_TEST_TMPDIR/says
    mkdir -p "$toolkit"/{bin,lib64}
    printf '#!/bin/sh\necho "#$ TOP=%s/bin/.."\n' "$toolkit" >"$says"
    chmod +x "$says"
    run -0 user_make -n -B build/lab3/reduction DEVICE=sim NVCC="$says"
    assert_output --partial "-rpath -Xlinker '$toolkit/lib64'"
}

@test "a folder that cannot be written is said once" {
    run -2 user_make lab3 BUILD=/proc/self/build
    assert_output --partial "the folder /proc/self/build cannot be written"
    assert_lines 1
}

@test "a folder whose name make or nvcc cannot take is said once, with the character to blame" {
    for folder in "a folder" "a:b" "a'b" 'a"b' "a#b" 'a\b'; do
        run -2 user_make lab3 BUILD="$folder"
        assert_output --partial "BUILD=$folder: "
        assert_lines 1
    done
    needs_nvcc
    for character in '"' '`'; do
        mkdir "$BATS_TEST_TMPDIR/a${character}b"
        project_files | xargs -0 cp --parents -t "$BATS_TEST_TMPDIR/a${character}b"
        run -2 env -u MAKEFLAGS -u MAKELEVEL -u BUILD make -C "$BATS_TEST_TMPDIR/a${character}b" \
            --no-print-directory lab3
        assert_output --partial "has $character in its path, at which nvcc stops: rename the folder"
        assert_lines 1
    done
}

@test "the profiler's table of metrics comes back where it was deleted" {
    user_make labprof
    rm "$tree/build/labprof/metrics.tsv"
    run -0 user_make -n profile-lab3 DEVICE=sim
    assert_output --partial "cp common/labprof/metrics.tsv build/labprof/metrics.tsv"
    user_make labprof
}

@test "DEVICE=gpu where there is none says what to do" {
    nvidia-smi -L >/dev/null 2>&1 && skip "there is a GPU"
    with_nvcc || skip "make asks for nvcc first: tests/targets/front.bats"
    run -2 user_make lab3 DEVICE=gpu ARCH=90 # as it is built
    assert_output --partial "no GPU here"
    assert_output --partial "DEVICE=sim"
}

@test "compile-commands writes how each file is compiled" {
    run -0 common/dev/compile-commands.sh "$BATS_TEST_TMPDIR/commands.json"
    run python3 -c \
        'import json, sys; print(*sorted(e["file"] for e in json.load(open(sys.argv[1]))), sep="\n")' \
        "$BATS_TEST_TMPDIR/commands.json"
    assert_output --partial common/simt/run/grid.c
    assert_output --partial labs/lab3-reduction/reduction.cu
}

@test "what programs take from the environment, make leaves as it is" {
    LABS='3 4' run -0 make -s --eval='show:; @echo "$$LABS"' show
    assert_output "3 4"
}

# occupancy_row THREADS: the row of the last output for such a block, with one blank between its
# cells.
occupancy_row() {
    grep -E "^ +$1 " <<<"$output" | head -n 1 | xargs
}

@test "occupancy counts blocks and warps as lab 2's exercises do, and refuses what no launch can have" {
    run -0 user_make occupancy GPU=h200
    assert_equal "$(occupancy_row 256)" "256 8 64 100 % warps"
    assert_equal "$(occupancy_row 32)" "32 32 32 50 % blocks"
    run user_make occupancy REGS=33 THREADS=512 GPU=h200 # a unit more for each warp
    assert_equal "$(occupancy_row 512)" "512 3 48 75 % registers"
    run user_make occupancy THREADS=96 SHARED=20000 GPU=gtx1060
    assert_equal "$(occupancy_row 96)" "96 4 12 19 % shared memory"
    run user_make occupancy REGS=128 THREADS=1024
    assert_equal "$(occupancy_row 1024)" "1024 0 0 0 % registers: CUDA refuses the launch"
    for wrong in REGS=256:1..255 REGS=x:1..255 THREADS=0:1..1024 THREADS=1025:1..1024 \
        SHARED=-1:0..232448 SHARED=1K:0..232448; do
        run -2 user_make occupancy "${wrong%:*}" GPU=h200
        range=${wrong#*:}
        assert_line "occupancy: ${wrong%:*}: give a whole number from ${range%..*} to ${range#*..}"
    done
    run -2 user_make occupancy GPU=h2000
    assert_line \
        "occupancy: no GPU named 'h2000'; choose one of: gtx1060 v100 rtx2070 t4 rtx3090 a100 rtx4090 h100 h200 rtx5090"
}

# The last: what it builds anew is newer than what the others begin with.
@test "nothing is built twice, and a header rebuilds what includes it" {
    user_make DEVICE=sim build/lab3/reduction
    run -0 user_make DEVICE=sim build/lab3/reduction
    refute_output --partial "$labs_compiler"
    touch "$tree/common/harness/lab.h"
    run user_make DEVICE=sim build/lab3/reduction all
    assert_output --partial "$(printf %-7s $labs_compiler) labs/lab3-reduction/reduction.cu"
    refute_output --partial "CC      common"
    touch -r common/harness/lab.h "$tree/common/harness/lab.h"
    touch "$tree/common/tools/lesson.h"
    run user_make DEVICE=sim build/lab3/reduction all
    assert_output --partial "CC      common/tools/hint.c"
    # clang's programs are linked anew: what compiles them was
    ! with_nvcc || refute_output --partial "$labs_compiler"
    refute_output --partial "common/simt"
}
