# Lab 16, attention: every size is right, older GPUs skip what they lack, and the handed-out lab says what to do.

load ../helpers

setup_file() {
    use_lab 16
}

@test "every size is right: one, parts of tiles, whole tiles and one more" {
    for size in 1 33 64 65 200; do
        solution --size $size
        assert_success
        assert_lines 8 -E '^ *[0-9]+ .* ok$'
    done
    solution --size 0
    assert_success
    assert_output --partial "an empty problem"
    refuses "leave it at 128" --block 256
}

@test "a step says what an older GPU lacks" {
    run -0 user_make lab16 DEVICE=sim FROM=solutions SIM_GPU=rtx2070 SIZE=33
    assert_lines 2 -E 'needs compute capability 8\.0$'
    assert_lines 6 -E ' ok$'
    run -0 user_make lab16 DEVICE=sim FROM=solutions SIM_GPU=gtx1060 SIZE=33
    assert_lines 3 -E 'tensor cores need compute capability 7\.0$'
    assert_lines 3 -E ' ok$'
}

@test "the handed-out lab: two steps are ok, the others to do" {
    run user_make lab16 DEVICE=sim SIZE=100
    assert_success
    assert_lines 2 -E ' ok$'
    assert_lines 6 -E ' todo( |$)'
    assert_ends "^next: labs/lab16-attention/attention\.cu:.*: softmaxTwoPasses"
}
