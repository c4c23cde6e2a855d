# Lab 14, scan: every size and block is right, beside CUB, and the handed-out lab says what to do.

load ../helpers

setup_file() {
    use_lab 14
}

@test "every size is right: one, a warp and one more, parts of quads and tiles, many tiles" {
    for size in 1 3 33 4095 4097 300001; do
        solution --size $size
        all_ok $((8 + cub))
    done
    solution --size 0
    assert_success
    assert_output --partial "an empty problem"
}

@test "every block is right" {
    for block in 32 64 512 1024; do
        solution --size 40001 --block $block
        all_ok $((8 + cub))
    done
    refuses "a power of two from 32 to 1024" --block 96
}

@test "a block that looks back waits for those before it, whatever the threads" {
    for threads in 1 3; do
        SIMT_THREADS=$threads solution --size 300001 --block 32 --step scanOnePass
        assert_success
        assert_lines 1 -E ' scanOnePass .* ok$'
    done
}

@test "the handed-out lab: the first step is ok, the others to do" {
    run user_make lab14 DEVICE=sim SIZE=1000
    assert_success
    assert_lines $((1 + cub)) -E ' ok$'
    assert_lines 7 -E ' todo( |$)'
    assert_ends "^next: labs/lab14-scan/scan\.cu:.*: scanTree"
}
