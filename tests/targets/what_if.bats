# What a kernel's time goes into: simt --without and --what-if, labprof --what-if, make whatif-labN.

load ../helpers

setup_file() {
    copy_project
    export built=$tree/build program=$tree/build/solutions/lab4/transpose
    user_make DEVICE=sim build/solutions/lab4/transpose
}

# costs KERNEL <WHAT-LABPROF-PRINTS: what is said of it, in one line.
costs() {
    awk '/^      / { printf " %s", $0; next } { printf "\n%s", $0 }' | grep -E "^$1: "
}

# profile ARGUMENT...: the profile of the lab's run under simt with these arguments.
profile() {
    "$built/bin/simt" --quiet --profile "$BATS_TEST_TMPDIR/profile.csv" "$@" \
        "$program" --profile --size 256 --csv "$BATS_TEST_TMPDIR/run.csv" >/dev/null &&
        cat "$BATS_TEST_TMPDIR/profile.csv"
}

# column NAME <CSV
column() {
    awk -F, -v wanted="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == wanted) c = i; next }
        { print $c }'
}

@test "whatif-lab4 names what each kernel lacks" {
    COLUMNS=80 run -0 user_make whatif-lab4 DEVICE=sim FROM=solutions SIZE=2048
    assert_output --partial "What the time goes into, modelled"
    assert_regex "$(costs smem <<<"$output")" '^smem: [0-9.]+ us, of it bank conflicts [3-7][0-9] %,'
    assert_regex "$(costs copyCol <<<"$output")" 'us, of it uncoalesced sectors [6-9][0-9] %'
    refute_regex "$(costs smemPad <<<"$output")" 'bank conflicts'
    refute_regex "$(costs copyRow <<<"$output")" 'uncoalesced|conflicts'
    assert_equal "$(grep -E '^(      |[a-zA-Z]+: )' <<<"$output" | grep -cE '.{81}')" 0
    run user_make whatif-lab4 DEVICE=sim FROM=solutions SIZE=256 STEP=smem
    assert_lines 1 -E '^[A-Za-z]+: [0-9.]+ us'
}

@test "profile-lab4 ends with it, and its metrics have the times" {
    run -0 user_make profile-lab4 DEVICE=sim FROM=solutions SIZE=256 STEP=smem PLOT=0
    assert_line --regexp '^smem: [0-9.]+ us'
    run awk -F, '$6 == "time_without_conflicts" && $7 > 0 { print $3 }' \
        "$tree/build/solutions/lab4/metrics.csv"
    assert_output smem
}

@test "counters and results stay, whatever is removed" {
    before=$(profile)
    after=$(profile --without \
        conflicts,sectors,divergence,barriers,latency,dram,l1,l2,atomics,issue,launch,tail,occupancy)
    counters=$(head -n 1 <<<"$before" | cut -d, -f12-)
    assert_regex "$counters" '^inst_executed,.*device_launches,time_ns,'
    last=$(($(head -n 1 <<<"$before" | tr ',' '\n' | grep -n '^time_ns$' | cut -d: -f1) - 1))
    assert_equal "$(cut -d, -f"1-$last" <<<"$after")" "$(cut -d, -f"1-$last" <<<"$before")"
    paste -d' ' <(column time_ns <<<"$before") <(column time_ns <<<"$after") |
        while read -r slow fast; do assert [ "${fast%.*}" -lt "${slow%.*}" ]; done
    assert_equal "$(grep -c ',ok,' "$BATS_TEST_TMPDIR/run.csv")" 10
}

@test "the time without one thing is that of --without" {
    what_if=$(profile --what-if)
    for name in conflicts sectors divergence; do
        assert_equal "$(profile --without $name | column time_ns)" \
            "$(column without_${name}_ns <<<"$what_if")"
    done
    assert_equal "$(column time_ns <<<"$what_if")" "$(profile | column time_ns)"
}

@test "a wrong name lists the right ones; a GPU cannot leave anything out" {
    run -2 "$built/bin/simt" --without conflict "$program"
    assert_output --partial "nothing is called 'conflict'; there are conflicts, sectors, divergence"
    SIMT_WITHOUT=banks run ! env LD_LIBRARY_PATH="$built/simt" "$program" --size 64
    assert_output --partial "nothing is called 'banks'"
    PATH="$PWD/tests/stand-ins:$PATH" run ! "$built/bin/labprof" --what-if --backend ncu "$program"
    assert_output --partial "only the simulator can leave something out"
    run -2 user_make whatif-lab4 DEVICE=gpu
    assert_output --partial "needs the simulator"
}

@test "labprof --what-if explains any program, also as CSV" {
    run -0 --separate-stderr "$built/bin/labprof" --what-if --csv --log-file %1 --backend simt \
        "$program" --profile --size 256 --step smem --csv "$BATS_TEST_TMPDIR/run.csv"
    assert_line --regexp '"smem\(.*\)",1,"time_without_conflicts","bank conflicts",[0-9.]+'
}

# The recordings are of the default sizes. Median at most 15 %, no wrong direction.
@test "the predictions agree with an H200" {
    run -0 make -s --no-print-directory DEVICE=sim what-if-report
    assert_output "$(cat plots/reference/what-if.md)"
    assert_line --regexp '^Of these 2[0-9] the median error is [0-9]+ %'
    # A prediction that points the wrong way is told.
    sed 's/time_without_conflicts,/time_without_conflicts,9/' \
        plots/reference/h200-simt/lab8-metrics.csv >"$BATS_TEST_TMPDIR/lab8-metrics.csv"
    run ! awk -v gpu=h200 -f common/compare/what-if.awk plots/reference/what-if.tsv \
        plots/reference/h200/lab8.csv "$BATS_TEST_TMPDIR/lab8-metrics.csv"
}
