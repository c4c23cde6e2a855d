# A lab program's flags: a bad one gives one clear line and exit code 2, before any work.

load ../helpers

setup_file() {
    use_lab 3
}

@test "sizes that are none" {
    refuses "--size abc: not a whole number" --size abc
    refuses "--size -1: negative" --size -1
    refuses "--size 1e6: not a whole number" --size 1e6
    refuses "--size : not a whole number" --size ""
    refuses "--size 99999999999999: too large" --size 99999999999999
    refuses "--size 99999999999999999999999: too large" --size 99999999999999999999999
    refuses "--size 268435457: too large" --size 268435457
}

@test "blocks that are none" {
    refuses "--block 0: too small" --block 0
    refuses "--block 2048: too large; the limit is 1024" --block 2048
}

@test "other flags" {
    refuses "--step reduceFaster: no such step" --step reduceFaster
    refuses "--step 10: no such step" --step 10
    refuses "--repeat 0: too small" --repeat 0
    refuses "--seed x: not a whole number" --seed x
    refuses "--fast: no such flag" --fast
    refuses "--size needs a value" --size
}

@test "a CSV file that cannot be written" {
    for text in "/nowhere/run.csv: No such file or directory" "$BATS_TEST_TMPDIR: Is a directory"; \
        do
        solution -1 --csv "${text%%: *}"
        refute_output
        assert_stderr --partial "cannot write $text"
    done
}

@test "a CSV file that is a link, a device or a pipe stays what it is" {
    csv="$BATS_TEST_TMPDIR/run.csv"
    ln -s after.csv "$csv"
    for _ in 1 2; do # the first time there is nothing after the link
        solution -0 --size 100 --step 1 --csv "$csv"
        assert [ -L "$csv" ]
        assert_grep '^3,1,reduceNeighbored,' <"$BATS_TEST_TMPDIR/after.csv"
    done
    assert_equal "$(find "$BATS_TEST_TMPDIR" -name '*.csv.*')" "" # no temporary file
    mkfifo "$BATS_TEST_TMPDIR/pipe"
    cat "$BATS_TEST_TMPDIR/pipe" >"$BATS_TEST_TMPDIR/out" &
    solution --size 100 --step 1 --csv "$BATS_TEST_TMPDIR/pipe"
    wait
    assert [ -p "$BATS_TEST_TMPDIR/pipe" ]
    assert_grep '^3,1,reduceNeighbored,' <"$BATS_TEST_TMPDIR/out"
    solution -1 --size 100 --step 1 --csv /dev/full
    assert_stderr --partial "cannot write /dev/full: No space left on device"
    assert [ -c /dev/full ]
}

@test "--list and --help need no device" {
    run -0 "$solution" --list
    assert_lines 9
    run -0 "$solution" --help
    assert_output --partial -- "--size N"
}

@test "run.csv has its columns, and one row a step" {
    folder=$BATS_TEST_TMPDIR/out
    mkdir "$folder"
    solution -0 --size 5000 --block 64 --csv "$folder/run.csv"
    assert_equal "$(head -1 "$folder/run.csv")" \
        "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,device"
    assert_grep -E \
        '^3,1,reduceNeighbored,\(79 1 1\),\(64 1 1\),[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,1\.000000,ok,modelled,NVIDIA H200 \(simt\)$' \
        <"$folder/run.csv"
    assert_equal "$(wc -l <"$folder/run.csv")" 10
    assert_equal "$(ls "$folder")" run.csv
}

@test "the same seed gives the same sum, another seed another" {
    solution --size 1000 --step 1
    first=$(head -1 <<<"$output")
    solution --size 1000 --step 1 --seed 1
    assert_equal "$(sed 's/takes.*//' <<<"$first")" "$(head -1 <<<"$output" | sed 's/takes.*//')"
    solution --size 1000 --step 1 --seed 2
    assert_not_equal "$(sed 's/takes.*//' <<<"$first")" \
        "$(head -1 <<<"$output" | sed 's/takes.*//')"
}

@test "no colours where the output is no terminal" {
    solution --size 1000
    refute_output --partial $'\033'
}
