# check-labN on a GPU: what compute-sanitizer is asked, as NVIDIA's toolkit installs it and as
# Debian's. A stand-in, so that every machine can test it.

load ../helpers

setup() {
    toolkit=$BATS_TEST_TMPDIR/toolkit
    stand_in "$toolkit/bin" compute-sanitizer
    printf '#!/bin/sh\n' >"$toolkit/reduction" # a lab's program, on a machine with a GPU
    chmod +x "$toolkit/reduction"
}

# check SIZES: as make calls it on a GPU.
check() {
    run env PATH="$toolkit/bin:$PATH" common/tools/check.sh "" "" "$toolkit/reduction" "$1"
}

@test "every tool looks at every size" {
    check "7 77x131"
    assert_success
    assert_lines 8 'clean'
    assert_output --partial "  clean   racecheck, size 77x131"
    sort "$NOTES/calls" | head -n 1 |
        diff - \
            <(echo "compute-sanitizer --tool initcheck --error-exitcode 1 $toolkit/reduction --profile --rows 77 --cols 131")
    FOUND=1 check 7
    assert_failure 1
    assert_output --partial "  FOUND   memcheck, size 7: see above"
    assert_output --partial "check: 4 of the runs above found something"
}

@test "Debian's is told where its libraries are" {
    mkdir -p "$toolkit/lib/nvidia-cuda-toolkit/compute-sanitizer"
    check 7
    assert_success
    output=$(<"$NOTES/calls") assert_lines 4 -- \
        "--injection-path $toolkit/bin/../lib/nvidia-cuda-toolkit/compute-sanitizer --tool"
}

@test "none: said, with what to do" {
    for tool in bash env mktemp dirname rm cat grep sort sh nproc; do ln -s "$(command -v $tool)" \
        "$toolkit/bin/"; done
    rm "$toolkit/bin/compute-sanitizer"
    run -1 env PATH="$toolkit/bin" common/tools/check.sh "" "" "$toolkit/reduction" 7
    assert_output --partial "check: compute-sanitizer is missing"
}

@test "no GPU: said once" {
    printf '#!/bin/sh\necho "reduction: no GPU here (no driver). Use the simulator"\nexit 1\n' \
        >"$toolkit/reduction"
    run -1 env PATH="$toolkit/bin:$PATH" common/tools/check.sh "" "" "$toolkit/reduction" "7 8"
    assert_output "check: no GPU here (no driver). Use the simulator"
}
