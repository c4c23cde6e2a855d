# The labs without NVIDIA's toolkit: clang in nvcc's place (common/front), our headers
# (common/simt/include).

load ../helpers

setup_file() {
    command -v clang++ >/dev/null || skip "there is no clang here"
    copy_project
    # clang's programs have a folder of their own, as in front-labN, so that nvcc's need not be
    # built again. One simulator runs both.
    mkdir -p "$tree/build/front/solutions"
    cp -a "$tree"/build/{bin,simt,labprof,setup} "$tree/build/front/"
    export HOST_OPTIMISE=-O0 # of C++ what clang takes it for, as a user does
}

setup() {
    work=$BATS_TEST_TMPDIR
    front=(env "BUILD=$tree/build" "$tree/common/front/cudac")
}

# clang_make ARGUMENT...: make what clang compiles.
clang_make() {
    user_make BUILD=build/front "$@"
}

# compile [-STATUS] TEXT [OPTION...]: a program whose kernel has this body; it can call nothing but
# what our headers have.
compile() {
    local wanted=()
    [[ $1 != -[0-9] ]] || { wanted=("$1") && shift; }
    printf '%s\n' '#include <cstdio>' "__global__ void kernel(float *x) { $1 }" \
        'int main() { kernel<<<1, 1>>>(nullptr); }' >"$work/program.cu"
    run "${wanted[@]}" "${front[@]}" "${@:2}" "$work/program.cu" -o "$work/program"
}

# What is handed out is part of what solves it. Lab 3 is also compiled as handed out, below.
@test "every solution compiles, and is right" {
    mapfile -t all < <(awk -F'\t' 'NR > 1 { printf "build/front/solutions/lab%s/%s\n", $1, $3 }' \
        labs/labs.tsv)
    run -0 clang_make FRONT=clang "${all[@]}"
    # Else they were built before.
    ! with_nvcc || assert_output --partial "CLANG   solutions/lab3-reduction/reduction.cu"
    for program in "${all[@]}"; do
        run -0 env STRICT=1 "$tree/build/bin/simt" "$tree/$program" --size 300
        assert_output --partial " ok"
        refute_output --partial "WRONG"
    done
}

@test "lab 2's bounded kernels have the registers that they are held to" {
    clang_make FRONT=clang build/front/solutions/lab2/occupancy
    for step in "registersBounded 64" "registersCapped 32"; do
        run "$tree/build/bin/simt" "$tree/build/front/solutions/lab2/occupancy" --size 64 --step \
            "${step% *}"
        assert_success
        assert_output --partial "times modelled, registers estimated"
        assert_output --partial "about ${step#* } registers: an estimate)"
    done
}

@test "make takes clang where there is no nvcc, and says that there is no GPU then" {
    unset FRONT # make is to choose
    run -0 clang_make lab3 NVCC= SIZE=5000
    assert_output --partial "9  reduceCompleteUnroll"
    assert_line --partial "times are modelled, and instructions estimated, from PTX alone"
    assert_ends "^next: labs/lab3-reduction/reduction\.cu:"
    run -2 clang_make lab3 NVCC= DEVICE=gpu
    assert_output --partial "DEVICE=gpu needs nvcc"
    run -2 clang_make lab3 NVCC= CLANG=/nowhere/clang++ NO_INSTALL=1
    assert_output --partial "neither nvcc nor clang is here"
}

@test "sectors, requests and conflicts are those of nvcc's program" {
    command -v nvcc >/dev/null || skip "there is no nvcc here"
    run -0 user_make FRONT=nvcc SIZE=100 front-lab4
    assert_output --partial "sectors, requests and conflicts all"
}

@test "where the compiler changes, what grading links is compiled again; else it is not" {
    command -v nvcc >/dev/null || skip "there is no nvcc here"
    host=build/front/grade/lab0/host.o
    clang_make FRONT=nvcc $host
    for front in clang nvcc; do
        run clang_make FRONT=$front $host
        assert_line --regexp "^ +${front^^} +$host$"
        run clang_make FRONT=$front $host
        refute_output --partial "host.o"
    done
}

@test "a table that differs in what must be the same is found out" {
    printf 'lab,step,kernel,grid,block,metric,value\n3,1,k,1,1,gld_requests,10\n3,1,k,1,1,ipc,2\n' \
        >"$work/nvcc.csv"
    sed 's/,2$/,3/' "$work/nvcc.csv" >"$work/clang.csv"
    run -0 "${BUILD:-build}/bin/compare" compilers --output "$work/table.txt" "$work/nvcc.csv" \
        "$work/clang.csv"
    assert_output --partial "1 of 2 values are the same"
    sed 's/,ipc,/,inst_per_warp,/' "$work/nvcc.csv" >"$work/nvcc-warp.csv"
    sed 's/,ipc,/,inst_per_warp,/' "$work/clang.csv" >"$work/clang-warp.csv"
    run -0 "${BUILD:-build}/bin/compare" compilers --overview "$work/all.md" --versions \
        'clang 14, nvcc 13.0' "$work/nvcc-warp.csv" "$work/clang-warp.csv"
    assert_grep -F 'check sizes; clang 14, nvcc 13.0.' <"$work/all.md"
    assert_grep -F '| 3 | `k` | 2 / 3 |' <"$work/all.md"
    sed -i 's/,10$/,11/' "$work/clang.csv"
    run -1 "${BUILD:-build}/bin/compare" compilers --output "$work/table.txt" "$work/nvcc.csv" \
        "$work/clang.csv"
    assert_output --partial "MUST BE THE SAME"
    # each has a row that the other lacks
    sed '$s/ipc/branch_efficiency/' "$work/nvcc.csv" >"$work/clang.csv"
    run -1 "${BUILD:-build}/bin/compare" compilers "$work/nvcc.csv" "$work/clang.csv"
    assert_output --partial "1 of 3 values are the same"
    assert_lines 2 MISSING
}

@test "all metrics that the source decides must be the same, and equal launches are compared by their turn" {
    compare=$(realpath "${BUILD:-build}/bin/compare")
    cd "$work" || return 1
    for metric in g{ld,st}_{transactions,requests,transactions_per_request,efficiency} \
        shared_{ld,st}_bank_conflict shared_{load,store}{,_transactions_per_request}; do
        printf 'lab,step,kernel,grid,block,metric,value\n3,1,k,1,1,%s,10\n3,1,k,1,1,%s,20.0\n' \
            "$metric" "$metric" >nvcc.csv
        sed 's/20.0/20/' nvcc.csv >clang.csv
        run -0 "$compare" compilers nvcc.csv clang.csv
        assert_output "nvcc.csv: 2 of 2 values are the same; sectors, requests and conflicts all"
        sed -e 's/,10$/,x/' -e 's/,20.0$/,10/' -e 's/,x$/,20/' nvcc.csv >clang.csv
        run -1 "$compare" compilers nvcc.csv clang.csv
        assert_lines 2 "MUST BE THE SAME"
    done
    run -2 "$compare" compilers nvcc.csv none.csv
    assert_output "compare: none.csv: No such file or directory"
    run -2 "$compare" compilers --overview all.md nvcc.csv clang.csv
    assert_output --partial "Usage: compare compilers"
}

@test "the simulator compiles against our headers, and they have CUDA 13's values and layouts" {
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -Icommon -isystem \
        common/simt/include common/simt/api/*.c common/simt/api/{launch,memory}/*.c \
        common/simt/extra/*/*.c
    command -v nvcc >/dev/null || skip "there is no nvcc here"
    toolkit=$(nvcc --dryrun -E -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')/include
    nvcc --version | grep -q 'release 13' || skip "the toolkit is not CUDA 13"
    tests/front/layout.sh common/simt/include >"$work/ours"
    tests/front/layout.sh "$toolkit" >"$work/theirs"
    assert [ "$(wc -l <"$work/ours")" -gt 300 ]
    diff "$work/ours" "$work/theirs"
}

@test "mathematical functions are within CUDA's bounds" {
    "${front[@]}" -O0 tests/front/math.cu -o "$work/math"
    run -0 "$work/math"
    assert [ "${#lines[@]}" -gt 35 ]
}

@test "groups of threads are as nvcc's" {
    "${front[@]}" -O0 -arch=sm_80 tests/front/groups.cu -o "$work/groups"
    run -0 "$work/groups"
    assert_output --partial "0 wrong"
}

@test "device code of several objects is linked" {
    for part in separate part_separate; do
        "${front[@]}" -O0 -dc tests/programs/$part.cu -o "$work/$part.o"
    done
    "${front[@]}" "$work/separate.o" "$work/part_separate.o" -o "$work/program"
    run -0 "$work/program"
}

@test "a barrier keeps the loads after it after it" {
    "${front[@]}" -O0 -std=c++17 tests/programs/linear_algebra.cu -o "$work/program"
    run -0 "$work/program"
}

@test "what this front end lacks is named when a program is compiled" {
    compile -1 'x[0] = erfcinvf(x[1]);'
    assert_output --partial "device code calls what this front end does not have: erfcinvf"
    compile 'x[0] = curand_uniform(x); cublasCreate(x);'
    assert_failure 1
    assert_output --partial \
        "does not have cuRAND; nvcc has, also on the simulator: make setup CUDA=1"
    assert_output --partial "does not have cuBLAS, nor does the simulator"
    compile 'cudaFancy();'
    assert_failure 1
    assert_output --partial "does not have cudaFancy"
    compile -1 '' -Xptxas -O1
    assert_output --partial -- "-Xptxas -O1 is for NVIDIA's assembler"
    compile -1 '' --default-stream none
    assert_output --partial -- "--default-stream none: neither legacy nor per-thread"
    compile -1 '' -dopt=on
    assert_output --partial -- "-dopt=on: this front end lacks this option of nvcc"
    compile -1 '' -cudart static
    assert_output --partial "only the shared runtime"
}

@test "an instruction that the simulator lacks is named with its line when a program is compiled" {
    compile -1 'asm volatile("tensormap.cp_fenceproxy.global [%0], 4;" : : "l"(x));' -lineinfo
    assert_output --regexp 'instruction tensormap\.cp_fenceproxy\.global .*program\.cu:2 '
    assert_output --partial "program.cu: the simulator cannot run it"
}

@test "a variable that is used before it is set is warned of once, as by nvcc" {
    compile -0 'float sum; x[0] = sum + x[1];'
    assert_lines 1 "variable 'sum' is uninitialized when used here"
}

@test "options for the host's compiler are clang's own" {
    compile -0 'int unused = 1;' -Xcompiler -Wall,-Wextra
    assert_output --partial "unused variable 'unused'"
    compile -1 'int unused = 1;' -Xcompiler=-Wall -Werror all-warnings
    assert_output --partial "error: unused variable 'unused'"
}

@test "a clang whose own headers have __ldcg and its like compiles programs, too" {
    cat >"$work/__clang_cuda_intrinsics.h" <<'END'
#include_next <__clang_cuda_intrinsics.h>
#if __clang_major__ < 21
inline __device__ float __ldcg(const float *from) { return *(volatile float *)from; }
inline __device__ float4 __ldcs(const float4 *from) { return *from; }
inline __device__ void __stwt(float *to, float value) { *(volatile float *)to = value; }
#endif
END
    for clang in $(clangs); do
        export CLANG=$clang
        assert_equal "$(accesses 'x[9] = __ldcs(f).y; __stwt(x, __ldcg(x + 1));' -I"$work")" \
            "ld.global.cs.v4.f32 st.global.f32 ld.global.cg.f32 st.global.wt.f32"
    done
}

# clangs: the clangs that are here, one of each version.
clangs() {
    local clang
    for clang in $(compgen -c clang++ | grep -E '^clang\+\+(-(1[4-9]|[2-9][0-9]))?$' | sort -u); do
        echo "$("$clang" -dumpversion) $clang"
    done | sort -uk 1,1 | cut -d ' ' -f 2
}

# accesses TEXT [OPTION...]: how the device code of a kernel with this body reads and writes global
# memory. Newer clangs move a float as b32.
accesses() {
    compile -0 "float4 *f = (float4 *)x; $1" -fatbin "${@:2}"
    grep -aoE '(ld|st)\.(global|local)[.a-z0-9]*' "$work/program" | sed 's/b32$/f32/' | paste -sd \
        ' '
}

@test "memory is read and written as widely as nvcc does it" {
    assert_equal "$(accesses 'float4 v = f[threadIdx.x]; x[9] = v.x + v.z;')" \
        "ld.global.v4.f32 st.global.f32"
    assert_equal "$(accesses 'f[threadIdx.x] = f[threadIdx.x + 1];')" \
        "ld.global.v4.u32 st.global.v4.u32"
    # Neighbours in an array are apart, for each clang that is here.
    for clang in $(clangs); do
        export CLANG=$clang
        assert_equal \
            "$(accesses 'float sum = 0; for (int i = 0; i < 2; i++) { float4 v = f[threadIdx.x + 8 * i]; sum += v.x + v.z; } x[9] = sum;')" \
            "ld.global.v4.f32 ld.global.v4.f32 st.global.f32"
    done
    unset CLANG
    # One part alone is read alone; so are parts with a barrier between them.
    assert_equal "$(accesses 'x[9] = f[threadIdx.x].y;')" "ld.global.f32 st.global.f32"
    assert_equal \
        "$(accesses 'float y = f[threadIdx.x].x; __syncthreads(); x[8] = y + f[threadIdx.x].z;')" \
        "ld.global.f32 ld.global.f32 st.global.f32"
    # A structure of four floats that is not aligned to its size: no wide access would be legal.
    assert_equal \
        "$(accesses 'struct S { float x, y, z, w; } *s = (S *)x; S v = s[threadIdx.x]; x[9] = v.x + v.z;')" \
        "ld.global.f32 ld.global.f32 st.global.f32"
}

@test "launches in device code are rewritten, those of the host and in comments are not" {
    cat >"$work/nested.cu" <<'END'
template <class T> __global__ void child(T *x) { *x = 1; }
__global__ void parent(int *x) {
    // child<int><<<1, 1>>>(x);
    child<int><<<1, 1>>>(x); const char *text = "a<<<b>>>(c)";
}
void host(int *x) { parent<<<1, 1>>>(x); }
END
    run -0 "$tree/build/bin/launches" "$work/nested.cu"
    assert_output --partial "    // child<int><<<1, 1>>>(x);"
    assert_output --partial '    simtLaunch<child<int>>(1, 1)(x); const char *text = "a<<<b>>>(c)";'
    assert_output --partial "void host(int *x) { parent<<<1, 1>>>(x); }"
    "${front[@]}" -rdc=true -MMD -MF "$work/list" -MT nested "$work/nested.cu" -o "$work/nested" \
        2>"$work/messages" || true
    assert_grep "$work/nested.cu" <"$work/list"
    run -1 "$tree/build/bin/launches" "$work/none.cu"
    assert_output --partial "none.cu: No such file or directory"
}

# bounds: each kernel of the program with the bounds that its PTX has, "NAME BOUND..." a line.
bounds() {
    grep -aoE '^\.visible \.entry [^(]*\(|^\.(maxnreg|maxntid|minnctapersm) [0-9]+' \
        "$work/program" |
        awk \
            '/entry/ { printf "%s%s", newline, $3; newline = "\n"; next } { printf " %s", $0 } END { print "" }' \
            | sort
}

@test "registers are estimated, and bounded as nvcc bounds them" {
    for clang in $(clangs); do
        CLANG=$clang "${front[@]}" -maxrregcount 24 -fatbin tests/data/bounds.cu -o "$work/program"
        diff <(bounds) - <<'END'
_Z5plainPf( .maxnreg 24
_Z6cappedILi40EEvPf( .maxnreg 40
_Z6cappedILi50EEvPf( .maxnreg 50
_Z7boundedPf( .maxntid 256 .minnctapersm 4
END
    done
    compile -1 '' -maxrregcount many
}
