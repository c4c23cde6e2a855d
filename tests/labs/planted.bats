# Test the tester: every planted mistake must be caught, and named for what it is.

load ../helpers

setup_file() {
    copy_project
    build="$tree/build"
    user_make build/obj/common/harness/harness.o
    compile_cuda -DHARNESS_LINKED -Icommon -lineinfo -cudart shared -gencode \
        'arch=compute_75,code=[compute_75,sm_75]' tests/planted/planted.cu \
        "$build/obj/common/harness/harness.o" -o "$build/planted"
    export build SIMT_TIMEOUT=1
}

# Run one planted step on the simulator.
planted() {
    to_run "$build/bin/simt" "$build/planted" --step -- "$@"
}

@test "a right kernel passes" {
    planted -0 right
    assert_output --partial " ok"
}

@test "a kernel may take 20 seconds, unless the user says how long" {
    SIMT_TIMEOUT=3 planted right
    assert_line --partial "a kernel may take 3 s"
    unset SIMT_TIMEOUT
    planted right
    assert_line --partial "a kernel may take 20 s"
}

@test "each planted mistake is named for what it is" {
    while IFS='|' read -r step says; do
        planted -1 "$step"
        assert_output --regexp "$says"
    done <<'SAYS'
writesNothing|WRONG \(index 0: nothing was written here, want 29; 1000 of 1000 wrong\)
writesHalf|WRONG \(index 500: nothing was written here, want .*; 500 of 1000 wrong\)
writesNan|WRONG \(index 5: got nan want .*; 1 of 1000 wrong\)
wrongAtTheEnd|WRONG \(index 999: got 
trustsTheOutput|WRONG \(index 0: got nan want 
neverLaunched|WRONG \(index 0: nothing was written here, want 
blockTooLarge|invalid argument  2048 threads in a block, 1024 allowed
blockTooLarge|next: [^ ]*planted.cu: blockTooLarge: <<<1, 2048>>> was refused: 2048 threads in a block, 1024 allowed$
SAYS
}

@test "a store far out of bounds ends the run, and the rest is not run" {
    run -1 "$build/bin/simt" "$build/planted"
    assert_output --partial "an illegal memory access was encountered"
    assert_line --regexp "neverEnds.*not run"
    planted writesAstray
    line=$(grep -n 'out\[(size_t)1 << 40\]' tests/planted/planted.cu | cut -d: -f1)
    assert_line --index -1 \
        "next: tests/planted/planted.cu:$line: writesAstray: an illegal memory access was encountered"
}

@test "an endless loop" {
    # It stops at its limit, a second of processor time, however many blocks wait.
    run -1 bash -c 'ulimit -t 3; "$@"' _ "$build/bin/simt" "$build/planted" --step neverEnds
    assert_output --partial "no block ended for 1 second; it seems to loop forever"
    assert_output --partial "the launch timed out and was terminated"
    run env SIMT_TIMEOUT=0.5 "$build/bin/simt" "$build/planted" --step neverEnds --size 100
    assert_output --partial "no block ended for 0.5 seconds; it seems to loop forever"
}

@test "a step still to do is no mistake, unless STRICT=1 says so" {
    planted -0 stillTodo
    line=$(grep -n 'TODO("Double' tests/planted/planted.cu | cut -d: -f1)
    assert_ends \
        "^next: tests/planted/planted\.cu:$line: stillTodo: Double every number\. \(handouts/lab99\.md#double\)$"
    export STRICT=1
    planted -1 stillTodo
}

@test "a later run that is wrong (on a GPU: the simulator runs a kernel once)" {
    nvidia-smi -L >/dev/null 2>&1 || skip "no GPU"
    run -1 "$build/planted" --step rightOnlyOnce
    assert_output --partial "WRONG in a later run"
}

@test "an empty problem is refused where it makes no sense" {
    planted -2 right --size 0
}

@test "a lab whose output does not arrive says so and fails" {
    for flags in --list --help "--step right"; do
        run -1 bash -c "'$build/bin/simt' '$build/planted' $flags >/dev/full"
        assert_output --partial "planted: cannot write all of its output: No space left on device"
    done
}

@test "the table says when no constant of the simulated GPU is measured" {
    run -0 "$build/bin/simt" --gpu t4 "$build/planted" --step right
    assert_line --regexp \
        '^Device: NVIDIA T4 \(simt\), .*, times modelled(, registers estimated)?, constants derived$'
    run -0 "$build/bin/simt" --gpu h200 "$build/planted" --step right
    assert_line --regexp \
        '^Device: NVIDIA H200 \(simt\), .*, times modelled(, registers estimated)?$'
    run env SIMT_CONSTANTS_DERIVED=1 "$build/bin/simt" --gpu h200 "$build/planted" --step right
    assert_line --regexp '^Device: .*, times modelled(, registers estimated)?$'
}

@test "without modelled times the table has none" {
    run -0 "$build/bin/simt" --no-timing "$build/planted" --step right
    assert_output --partial "times not modelled (--no-timing)"
    assert_line --regexp 'right .*>>> +- +- +- +- +- +ok'
}
