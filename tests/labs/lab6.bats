# Lab 6, sums in shared memory: every type, size and block, the flags of its own, and mistakes that
# only some of them show.

load ../helpers

setup_file() {
    use_lab 6
}

shared_reduction() {
    solution "$@" --all
}

@test "every size is right: one, a warp and one more, parts of quads and tiles" {
    for size in 1 3 33 1000 8191 8193 100003; do
        shared_reduction --size $size
        all_ok $((11 + cub))
    done
    shared_reduction --size 0
    all_ok 11 # CUB's too is not launched
    assert_output --partial "an empty problem"
}

@test "every block and every type is right" {
    for block in 32 64 512 1024; do
        shared_reduction --size 20001 --block $block
        all_ok $((11 + cub))
    done
    for type in float double; do
        shared_reduction --size 20001 --type $type
        all_ok $((10 + cub))
        assert_output --partial "for integers only"
    done
}

@test "the CPU may add the last sums" {
    for threshold in 2 100 1000000; do
        shared_reduction --size 70001 --cpu-final-threshold $threshold
        all_ok $((11 + cub))
    done
}

@test "a sum in a tree is far nearer to the truth than one number after the other" {
    shared_reduction -0 --type float --step reduceVector
    awk '/^On the CPU/ { split($0, part, "off by "); plain = part[2] + 0; compensated = part[3] + 0 }
        / reduceVector / { sub(/.*off by /, ""); kernel = $1 + 0 }
        END { print plain, compensated, kernel; exit !(plain > 1e-5 && kernel < plain / 1000 && compensated < 1e-7) }' <<<"$output"
}

@test "flags of its own that make no sense" {
    refuses "--type long: give one of int, float, double" --type long
    refuses "--cpu-final-threshold 0: too small" --cpu-final-threshold 0
    refuses "--block 48: a reduction by halves" --block 48
    shared_reduction --help
    assert_output --partial -- "--cpu-final-threshold T"
}

@test "a race has a winner at each size, and its results are kept whole" {
    needs_nvcc
    user_make DEVICE=sim build/race/lab6
    race() {
        run --separate-stderr "$tree/build/bin/simt" "$tree/build/race/lab6" "$@"
    }
    race --csv "$BATS_TEST_TMPDIR/race.csv" --size 1048576
    assert_success
    assert_output --partial "2^20: "
    assert_equal "$(grep -c 'ok,modelled' "$BATS_TEST_TMPDIR/race.csv")" 4
    race --csv /nowhere/race.csv --size 1048576
    assert_failure 1
    assert_stderr --partial "cannot write /nowhere/race.csv"
    race --size 1048576
    assert_failure 2
    assert_stderr "race: name the file for the results: --csv FILE"
    run -2 user_make race-lab6 DEVICE=sim
    assert_output --partial "run it where there is a GPU"
}

@test "the race recorded on an H200 was won at every size, near the memory's peak" {
    race=plots/reference/h200/lab6-race.csv
    [ -f "$race" ] || skip "not recorded yet"
    awk -F, 'NR > 1 { split($3, name, "[(p)]+"); power = name[2] + 0; if (name[1] != "cubDeviceReduce" && $10 > best[power]) best[power] = $10
            if ($9 > rate[power]) rate[power] = $9 }
        END { for (p = 20; p <= 30; p += 2) if (!(best[p] >= 1) || (p >= 28 && !(rate[p] >= 0.9 * 4800))) { print p, best[p], rate[p]; bad = 1 }
            exit bad }' "$race"
}

# The race above compiles the lab's file and the harness as one.
@test "compiled alone it runs without CUB, and says so" {
    needs_nvcc
    compile_cuda -O0 -Icommon -cudart shared -gencode \
        arch=compute_75,code=compute_75 solutions/lab6-shared-reduction/shared_reduction.cu -o \
        "$BATS_TEST_TMPDIR/alone"
    run -0 "$tree/build/bin/simt" "$BATS_TEST_TMPDIR/alone" --size 1000
    assert_output --partial "not linked with CUB"
}

@test "the handed-out lab: the first step is ok, the others to do, and nothing is swept" {
    is_given $((1 + cub)) 10 reduce1 SIZE=1000
    refute_output --partial "reduce6("
}

@test "conflicts in reduce1 and nowhere else; a map of reduce6" {
    user_make profile-lab6 DEVICE=sim FROM=solutions SIZE=65536
    awk -F, \
        '$6 == "shared_ld_bank_conflict" && ($7 > 0) != ($3 == "reduce1") { print; bad = 1 } END { exit bad }' \
        "$tree/build/solutions/lab6/metrics.csv"
    for picture in time metrics shapes; do assert [ -s \
        "$tree/build/solutions/plots/lab6-$picture.svg" ]; done
    assert_grep '>1024<' <"$tree/build/solutions/plots/lab6-shapes.svg"
}

@test "demo-lab6 walks through all kernels" {
    run -0 user_make demo-lab6 DEVICE=sim SIZE=4096 </dev/null
    assert_output --partial "=== 11 of 11: reduceOneAtomic ==="
}

@test "the mistakes that the handout names are found" {
    finds_planted 6
}
