# simt --sample N: counts and times of a part of a grid's blocks.
load ../helpers

setup_file() {
    compile_cuda -O3 -lineinfo -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' \
        -o "$BATS_FILE_TMPDIR/sampled" tests/data/sampled.cu
    # A sampled launch finds the L2 empty.
    SIMT_COLD=1 "${BUILD:-build}/bin/simt" --profile "$BATS_FILE_TMPDIR/whole.csv" \
        "$BATS_FILE_TMPDIR/sampled" \
        >"$BATS_FILE_TMPDIR/whole.txt"
}

setup() {
    to=$BATS_FILE_TMPDIR
}

simt() { "${BUILD:-build}/bin/simt" "$@"; }

@test "sample: counts and times are those of the whole grid, where blocks do alike" {
    run -0 --separate-stderr simt --sample 100 --profile "$to/part.csv" "$to/sampled"
    assert_output "no error"
    assert_stderr --partial \
        "simt: --sample 100: 3 kernel launches ran a part of their blocks, and 1 all."
    run -0 tests/data/sampled.py "$to/whole.csv" "$to/part.csv"
    assert_output "3 sampled launches"
    run cut -d, -f11 "$to/part.csv"
    assert_output $'status\nsampled 100 of 2048\nsampled 100 of 2048\nsampled 100 of 1024\nok'
}

@test "sample: of as many blocks as the grid has, it is the same, byte by byte; on any number of threads too" {
    for threads in 1 3; do
        run -0 --separate-stderr simt --threads "$threads" --sample 2048 --profile "$to/all.csv" \
            "$to/sampled"
        refute_stderr --partial "--sample"
        diff "$to/whole.csv" "$to/all.csv"
        simt --threads "$threads" --sample 200 --profile "$to/part$threads.csv" "$to/sampled" \
            >"$to/log"
    done
    diff "$to/part1.csv" "$to/part3.csv"
}

@test "sample: labprof's tables say it" {
    run --separate-stderr env DEVICE=sim SIMT_SAMPLE=100 "${BUILD:-build}/bin/labprof" --metrics \
        gld_transactions "$to/sampled"
    assert_success
    assert_stderr --partial \
        "Warning: SAMPLED: counts and times are scaled up from a part of the blocks (simt --sample)"
    assert_stderr --partial "Kernel: scale(float*, unsigned int)"
}

@test "sample: refused beside --check, --see and --source, and for no number" {
    for other in --check "--see $to/page.html" "--source $to/lines.csv"; do
        # shellcheck disable=SC2086 # an option and its file
        run ! simt --sample 100 $other "$to/sampled"
        assert_output --partial "simt: --sample and ${other%% *}: one at a time"
    done
    run ! simt --sample 0 "$to/sampled"
    assert_output --partial "--sample must be a number from 1 to"
}

@test "sample: refused by labs, which check their results" {
    run -0 make DEVICE=sim build/lab1/divergence
    run -2 simt --quiet --sample 100 build/lab1/divergence
    assert_output \
        "this program checks its results, and simt --sample leaves most of them out: run it without --sample"
}
