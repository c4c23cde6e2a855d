# Lab 13, faults: the mended steps are right and clean at every size; each fault that is handed out is
# found, and only where it is.

load ../helpers

setup_file() {
    use_lab 13 build/lab13/faults
    simt="$tree/build/bin/simt"
    export simt
}

@test "every size is right when all is mended: one, parts of quads and blocks, no power of two" {
    for size in 1 3 33 1003 4098 800001; do
        solution -0 --size $size
        assert_lines 13 -E '^ *[0-9]+ .* ok( |$)'
    done
    solution -0 --size 0
    assert_output --partial "an empty problem"
    refuses "leave it at 256" --block 128
}

@test "the checker finds nothing in the mended steps" {
    run -0 user_make check-lab13 DEVICE=sim FROM=solutions
    assert_lines 5 'clean'
}

@test "what finds which fault is as recorded, and each fault is found" {
    recorded=$(cut -f 1-5 plots/reference/lab13-found.tsv)
    run -0 --separate-stderr "$tree/common/dev/found.sh" simt "$tree/build/lab13/faults" "$simt"
    assert_output "$recorded"
    assert_line $'doubleAll\t0\t0\t0\t0'
    refute_line --regexp $'^[a-ce-z][A-Za-z]+\t0\t0\t0\t0$'
}

@test "the checker names lines of the faulty step only, or the kernel that it misleads" {
    for step in $(tail -n +3 plots/reference/lab13-found.tsv | cut -f 1); do
        run env LABS_CHECKING=1 "$simt" --check "$tree/build/lab13/faults" --step "$step" \
            --profile --size 1003
        while read -r kernel; do
            case $step:$kernel in "$step:$step" | lookUp:takeSquares) ;; *) fail "$step: $output" ;; esac
        done < <(grep -oP '(?<= at )\w+(?=\(.*faults\.cu:)' <<<"$output")
    done
}

@test "the table as it is handed out: no fault takes the steps after it with it" {
    run user_make lab13 DEVICE=sim
    assert_lines 13 -E '^ *[0-9]+  [a-z]'
    refute_output --partial "not run"
    assert_line --regexp ' 1  doubleAll .* ok$'
    assert_line --regexp ' sumNeighbours .* ok, but: race at faults.cu:[0-9]+$'
    assert_line --regexp ' gatherStrided .* ok$'
    assert_line --regexp ' addRowBelow .* WRONG .*; invalid __shared__ write at faults.cu:[0-9]+$'
    assert_line --regexp ' lookUp .* an illegal memory access was encountered'
    assert_output --regexp 'next: labs/lab13-faults/faults.cu:[0-9]+: sumNeighbours: ok, but: race'
}
