# Lab 15, histogram: every size, block and kind of data is right, beside CUB, and the handed-out lab
# says what to do.

load ../helpers

setup_file() {
    use_lab 15
}

@test "every size is right: one, a warp and one more, parts of quads and blocks" {
    for size in 1 3 33 4097 300001; do
        solution --size $size
        all_ok $((3 * (5 + cub)))
    done
    solution --size 0
    assert_success
    assert_output --partial "an empty problem"
}

@test "every block of whole warps is right" {
    for block in 32 96 1024; do
        solution --size 40001 --block $block
        all_ok $((3 * (5 + cub)))
    done
    refuses "a multiple of 32" --block 48
}

@test "the handed-out lab: the first step is ok, the others to do" {
    run user_make lab15 DEVICE=sim SIZE=1000
    assert_success
    assert_lines $((3 * (1 + cub))) -E ' ok$'
    assert_lines 12 -E ' todo( |$)'
    assert_ends "^next: labs/lab15-histogram/histogram\.cu:.*: countShared"
}
