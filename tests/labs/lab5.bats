# Lab 5, nested launches: trees, what the profile says about them, sizes, and wrong kernels. And
# what simt makes of launches in kernels, however many host threads it has.

load ../helpers

setup_file() {
    use_lab 5
}

# profile THREADS ARGUMENT...: run with a profile, in $tree/profile.THREADS.
profile() {
    SIMT_PROFILE="$tree/profile.$1" "$tree/build/bin/simt" --threads "$1" "$solution" --profile \
        "${@:2}"
}

# column NAME: its number in the profile.
column() {
    head -1 "$tree/profile.1" | tr , '\n' | grep -nx "$1" | cut -d: -f1
}

@test "every size and block is right" {
    for size in 1 2 511 513 100003 0; do
        solution -0 --size $size
        assert_lines 11 ' ok$'
    done
    for block in 2 32 1024; do
        solution -0 --size 5000 --block $block
        assert_lines 11 ' ok$'
    done
    solution -2 --block 48
}

@test "the tree of nestedHelloWorld is what its threads noted" {
    solution -0 --step nestedHelloWorld
    assert_output --partial "depth 0:    1 grid,     64 threads"
    assert_output --partial "depth 1:   32 grids,  1024 threads"
    assert_output --partial "depth 6:   32 grids,    32 threads"
    assert_output --partial "in all:   193 grids,  2080 threads"
}

@test "a chain of launches ends when it is long enough" {
    solution -0 --step nestedChain
    assert_output --partial \
        "nestedChain: 64 grids, each launched by the one before; then it was long enough"
}

@test "a longer chain ends where more would be pending than may be: after the host's kernel and 2048 more" {
    solution -0 --step nestedChain --links 3000
    assert_output --partial \
        "nestedChain: 2049 grids, each launched by the one before; then cudaErrorLaunchPendingCountExceeded"
    solution -2 --links 0
}

@test "the profile has a row for each grid, with its parent, whatever the number of host threads" {
    profile 1 --step nestedHelloWorld
    profile 4 --step nestedHelloWorld
    diff "$tree/profile.1" "$tree/profile.4"
    parent=$(column parent) launches=$(column device_launches)
    assert_equal "$(tail -n +2 "$tree/profile.1" | wc -l)" 193
    assert_equal "$(awk -F, -v p="$parent" 'NR > 1 && $p == 1' "$tree/profile.1" | wc -l)" 32
    assert_equal "$(awk -F, -v p="$parent" 'NR > 1 && $p == 0' "$tree/profile.1" | wc -l)" 1
    # The host's kernel counts for the whole tree: its launches are all others.
    assert_equal \
        "$(awk -F, -v p="$parent" -v n="$launches" '$p == 0 { print $n }' "$tree/profile.1")" 192
    # Every parent comes with its own number, smaller than its child's.
    awk -F, -v p="$parent" \
        'NR > 1 { seen[$1] = 1; of[$1] = $p } END { for (i in of) if (of[i] && (!seen[of[i]] || of[i] + 0 >= i + 0)) exit 1 }' \
        "$tree/profile.1"
}

@test "labprof shows a kernel with all that it launched as one" {
    run -0 "$tree/build/bin/labprof" --metrics inst_executed --csv "$solution" --profile --step \
        nestedTree
    assert_output --partial '"nestedTree(int, int, int*)",1,'
}

@test "the handed-out lab: the given steps are ok, the others to do" {
    is_given 3 8 nestedTree SIZE=5000
}

@test "a tree that lacks a launch, one with a wrong launcher, and a chain that gives up early are wrong" {
    solve nestedTree 'int me = 2 * launcher + 1 + threadIdx.x;' \
        'launchedBy[me] = me == 1 ? me : launcher;' \
        'if (threadIdx.x == 0 && depth + 1 < TREE_LEVELS) nestedTree<<<1, 2>>>(depth + 1, me, launchedBy);'
    solve_step "$student" nestedChain 'chain[depth] = depth;' \
        'if (depth < 5) nestedChain<<<1, 1>>>(depth + 1, links, chain);' \
        'else chain[links] = cudaErrorInvalidValue;'
    run -2 user_make lab5 DEVICE=sim SIZE=64
    assert_output --partial "WRONG (index 64: got 1 want 69; 1 of 65 wrong)"
    # One has a wrong launcher, 240 were never launched.
    assert_output --partial "WRONG (index 1: got 1 want 0; 241 of 255 wrong)"
}

@test "demo-lab5 walks through all kernels" {
    run -0 user_make demo-lab5 DEVICE=sim SIZE=5000 </dev/null
    assert_output --partial "=== 11 of 11: reduceOneChild ==="
}

@test "nvcc compiles a kernel that waits for its children for older GPUs, on request" {
    needs_nvcc
    printf '%s\n' '__global__ void child() {}' \
        '__global__ void parent() { child<<<1, 1>>>(); cudaDeviceSynchronize(); }' \
        >"$BATS_TEST_TMPDIR/wait.cu"
    waits() { run nvcc -rdc=true -ptx -o "$BATS_TEST_TMPDIR/wait.ptx" "$BATS_TEST_TMPDIR/wait.cu" \
        "$@"; }
    waits -arch=sm_75 -DCUDA_FORCE_CDP1_IF_SUPPORTED
    assert_success
    for flags in -arch=sm_75 '-arch=sm_90 -DCUDA_FORCE_CDP1_IF_SUPPORTED'; do
        # shellcheck disable=SC2086 # several flags
        waits $flags
        assert_failure # with these flags
        assert_output --partial \
            'calling a __host__ function("cudaDeviceSynchronize") from a __global__ function("parent") is not allowed'
    done
}

@test "a program without the device runtime's library runs, and what simt lacks is named" {
    needs_nvcc
    nvcc -cudart shared -rdc=true -cudadevrt none -gencode arch=compute_75,code=compute_75 \
        tests/data/parent.cu -o "$tree/parent"
    run -0 "$tree/build/bin/simt" "$tree/parent"
    assert_output --partial "7 cudaSuccess"
    run "$tree/build/bin/simt" "$tree/parent" lacking
    assert_output --partial "simt does not support the device function __cudaCDP2Memset2DAsync"
}

@test "a compiler of CUDA 11 is told that this lab needs a newer one" {
    echo '#define CUDART_VERSION 11080' >"$BATS_TEST_TMPDIR/common.h"
    mkdir "$BATS_TEST_TMPDIR/harness"
    touch "$BATS_TEST_TMPDIR/harness/lab.h"
    run -1 gcc -x c++ -E -I "$BATS_TEST_TMPDIR" "$tree/solutions/lab5-nested/nested.cu"
    assert_output --partial "this lab needs nvcc of CUDA 12 or newer"
}

@test "the mistakes that the handout names are found" {
    finds_planted 5
}
