# The driver API: libcuda.so.1 beside the runtime of each version, NVRTC, and what is missing.

load ../helpers

setup_file() {
    BUILD=$(realpath "${BUILD:-build}")
    work="$BATS_FILE_TMPDIR/with space"
    mkdir -p "$work"
    # What programs are linked with: a library that has the names alone, as NVIDIA's stub is.
    nm -D --defined-only "$BUILD/simt/libcudart.so.13" | sed -n \
        's/.* \(cu[A-Z][^@]*\)@.*/void \1(void) {}/p' >"$work/stub.c"
    gcc -shared -fno-builtin -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so" "$work/stub.c"
    for version in 11.0 12 13; do
        build "$version" -isystem common/simt/include "$BUILD/simt/libcudart.so.$version"
    done
    export BUILD work
}

# build NAME ARGUMENT...: the program, linked with the driver.
build() {
    gcc -o "$work/$1" tests/data/driver.c "${@:2}" -L"$work" -lcuda
}

simt() {
    to_run "$BUILD/bin/simt" -- "$@"
}

# with_nvrtc NAME: the program with NVIDIA's compiler, where that is.
with_nvrtc() {
    local toolkit
    command -v nvcc >/dev/null || skip "there is no NVRTC here"
    toolkit=$(dirname "$(realpath "$(command -v nvcc)")")/..
    [ -e "$toolkit/include/nvrtc.h" ] || skip "there is no NVRTC here"
    build "$1" -DWITH_NVRTC -I"$toolkit/include" "$BUILD/simt/libcudart.so.13" \
        -L"$toolkit/lib64" -lnvrtc -Wl,-rpath,"$toolkit/lib64"
}

@test "a program may use the driver beside the runtime of any version" {
    for version in 11.0 12 13; do
        simt -0 "$work/$version" mix
        assert_line "context 1, start 1, 1000 bytes"
        refute_output --partial note:
    done
}

@test "a function that is missing names itself once, and --supports lists it" {
    simt -0 "$work/13" lack
    assert_line "801 801"
    assert_line "simt: cuMemRetainAllocationHandle is not supported by the simulator"
    assert_lines 2
    simt -1 --supports "$work/13"
    assert_line --regexp '^function cuMemRetainAllocationHandle +-  +host code$'
    refute_output --partial cuMemAlloc
}

@test "the grid's barrier is there for kernels of other compilers" {
    simt -0 "$work/13" meet
    assert_line "met 1 2 3 0"
}

@test "what NVRTC compiles runs, also what a program takes as machine code" {
    with_nvrtc nvrtc
    for form in ptx cubin; do
        simt -0 "$work/nvrtc" "$form"
        assert_line "23 0"
    done
}

@test "such kernels are checked, profiled and in the timeline by the driver's names" {
    with_nvrtc checked
    simt -1 --check --profile "$work/profile.csv" --timeline "$work/timeline.csv" "$work/checked" \
        cubin
    assert_line --regexp \
        '^=+ Error: Race reported between Write access at neighbours\(int\*\) in .*/neighbours.cu:3$'
    assert_line --regexp '^=+     and Read access at neighbours\(int\*\) in .*/neighbours.cu:4 \['
    assert_line --regexp '^=+ Leaked 256 bytes .*, allocated in compile: cuMemFree\(\) gives them back$'
    assert_grep '^1,[^,]*,_Z10neighboursPi,(1 1 1),(64 1 1),' <"$work/profile.csv"
    assert_equal "$(cells "$work/timeline.csv" kernel name)" _Z10neighboursPi
    assert_grep -x cuLaunchKernel < <(cells "$work/timeline.csv" api name)
    refute_grep cuda <(cells "$work/timeline.csv" api name)
    run -0 "$BUILD/bin/labprof" "$work/checked" cubin
    assert_line --partial neighbours
    assert_line --partial cuLaunchKernel
}
