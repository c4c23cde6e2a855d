# A lab program's flags: a bad one gives one clear line and exit code 2, before any work.

load ../helpers

setup_file() {
    copy_project
    user_make DEVICE=sim FROM=solutions build/solutions/lab3/reduction
}

reduction() {
    run --separate-stderr "$tree/build/bin/simt" "$tree/build/solutions/lab3/reduction" "$@"
}

# refuses EXIT_CODE TEXT FLAG...: one line on stderr with this text, nothing on stdout.
refuses() {
    local code=$1 text=$2
    shift 2
    reduction "$@"
    assert_failure "$code"
    refute_output
    output=$stderr assert_lines 1
    assert_stderr --partial "$text"
}

bats_require_minimum_version 1.5.0

@test "sizes that are none" {
    refuses 2 "--size abc: not a whole number" --size abc
    refuses 2 "--size -1: negative" --size -1
    refuses 2 "--size 1e6: not a whole number" --size 1e6
    refuses 2 "--size : not a whole number" --size ""
    refuses 2 "--size 99999999999999: too large" --size 99999999999999
    refuses 2 "--size 99999999999999999999999: too large" --size 99999999999999999999999
    refuses 2 "--size 268435457: too large" --size 268435457
}

@test "blocks that are none" {
    refuses 2 "--block 0: too small" --block 0
    refuses 2 "--block 2048: too large; the limit is 1024" --block 2048
    refuses 2 "--block 48: a reduction by halves needs a power of two" --block 48
    refuses 2 "--block 16: a reduction by halves needs a power of two" --block 16
}

@test "other flags" {
    refuses 2 "--step reduceFaster: no such step" --step reduceFaster
    refuses 2 "--step 10: no such step" --step 10
    refuses 2 "--repeat 0: too small" --repeat 0
    refuses 2 "--seed x: not a whole number" --seed x
    refuses 2 "--fast: no such flag" --fast
    refuses 2 "--rows: this lab has no matrix; give it a number, --size N or SIZE=N" --rows 77 --cols 131
    refuses 2 "--size needs a value" --size
}

@test "a CSV file that cannot be written" {
    refuses 1 "cannot write /nowhere/run.csv: No such file or directory" --csv /nowhere/run.csv
    refuses 1 "cannot write $BATS_TEST_TMPDIR: Is a directory" --csv "$BATS_TEST_TMPDIR"
}

@test "a CSV file that is a link, a device or a pipe stays what it is" {
    csv="$BATS_TEST_TMPDIR/run.csv"
    ln -s behind.csv "$csv"
    for _ in 1 2; do # the first time there is nothing behind the link
        reduction --size 100 --step 1 --csv "$csv"
        assert_success
        assert [ -L "$csv" ]
        assert_grep '^3,1,reduceNeighbored,' <"$BATS_TEST_TMPDIR/behind.csv"
    done
    assert_equal "$(find "$BATS_TEST_TMPDIR" -name '*.csv.*')" "" # no temporary file
    mkfifo "$BATS_TEST_TMPDIR/pipe"
    cat "$BATS_TEST_TMPDIR/pipe" >"$BATS_TEST_TMPDIR/out" &
    reduction --size 100 --step 1 --csv "$BATS_TEST_TMPDIR/pipe"
    wait
    assert [ -p "$BATS_TEST_TMPDIR/pipe" ]
    assert_grep '^3,1,reduceNeighbored,' <"$BATS_TEST_TMPDIR/out"
    reduction --size 100 --step 1 --csv /dev/full
    assert_failure 1
    assert_stderr --partial "cannot write /dev/full: No space left on device"
    assert [ -c /dev/full ]
}

@test "--list and --help need no device" {
    run "$tree/build/solutions/lab3/reduction" --list
    assert_success
    assert_lines 9
    run "$tree/build/solutions/lab3/reduction" --help
    assert_success
    assert_output --partial -- "--size N"
}

@test "awkward sizes and blocks are right" {
    for size in 0 1 31 33 1000 8193 100003; do
        for block in 32 64 128 1024; do
            reduction --size $size --block $block
            assert_success
            assert_output --partial "$([ "$size" = 0 ] && echo "Nothing was run. next: \`make lab3 FROM=solutions\` with a larger SIZE" || echo "All right.")"
        done
    done
}

@test "an empty problem launches nothing and says so" {
    reduction --size 0 --csv "$BATS_TEST_TMPDIR/run.csv"
    assert_success
    assert_output --partial "a grid of 0 blocks is illegal, so nothing was launched"
    assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/run.csv")" 10
}

@test "run.csv has its columns, and one row a step" {
    folder=$BATS_TEST_TMPDIR/out
    mkdir "$folder"
    reduction --size 5000 --block 64 --csv "$folder/run.csv"
    assert_success
    assert_equal "$(head -1 "$folder/run.csv")" \
        "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,device"
    assert_grep -E '^3,1,reduceNeighbored,\(79 1 1\),\(64 1 1\),[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,1\.000000,ok,modelled,NVIDIA H200 \(simt\)$' \
        <"$folder/run.csv"
    assert_equal "$(wc -l <"$folder/run.csv")" 10
    assert_equal "$(ls "$folder")" run.csv
}

@test "the same seed gives the same sum, another seed another" {
    reduction --size 1000 --step 1
    first=$(head -1 <<<"$output")
    reduction --size 1000 --step 1 --seed 1
    assert_equal "$(sed 's/takes.*//' <<<"$first")" "$(head -1 <<<"$output" | sed 's/takes.*//')"
    reduction --size 1000 --step 1 --seed 2
    assert_not_equal "$(sed 's/takes.*//' <<<"$first")" "$(head -1 <<<"$output" | sed 's/takes.*//')"
}

@test "no colours where the output is no terminal" {
    reduction --size 1000
    refute_output --partial $'\033'
}
