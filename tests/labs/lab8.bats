# Lab 8, banks: the rule of banks holds for every stride and width, and what the compiler removes is
# not measured.

load ../helpers

setup_file() {
    use_lab 8
}

banks() {
    run "$tree/build/bin/simt" "$solution" --all "$@"
}

# all_ok: every launch of the table.
all_ok() {
    assert_success
    assert_lines 114 -E '>>> .* ok '
}

@test "any number of rounds and of warps is right" {
    for flags in "--size 0" "--size 1" "--size 3" "--size 17 --block 32" \
        "--size 2 --block 96 --seed 7"; do
        banks $flags
        all_ok
    done
    banks --block 48
    assert_failure 2
    assert_output --partial "give a multiple of 32"
}

@test "what is counted is what the rule predicts, for every launch" {
    user_make profile-lab8 DEVICE=sim FROM=solutions SIZE=4 >/dev/null
    banks --size 4
    all_ok
    # The passes after each row, against the counted ones.
    awk -F, 'NR > 1 && ($6 ~ /^shared_(load|store)_transactions_per_request$/) { kind[$3 $6] = $7 }
        END { for (k in kind) print k, kind[k] }' "$tree/build/solutions/lab8/metrics.csv" >"$BATS_TEST_TMPDIR/counted"
    awk 'NR == FNR { counted[$1] = $2; next }
        match($0, /[0-9]+ pass(es)? predicted/) {
            split(substr($0, RSTART, RLENGTH), words, " ")
            what = $2 ~ /^write/ ? "shared_store_transactions_per_request" : "shared_load_transactions_per_request"
            rows++
            if (counted[$2 what] != words[1]) { print $2, counted[$2 what], "predicted", words[1]; bad = 1 }
        }
        END { exit bad || rows != 114 }' "$BATS_TEST_TMPDIR/counted" - <<<"$output"
}

@test "every load that a step should make is made: the compiler has removed none" {
    user_make profile-lab8 DEVICE=sim FROM=solutions SIZE=4 METRICS=shared_load,shared_store \
        >/dev/null
    awk -F, '$6 == "shared_load" && $3 ~ /^(read|broadcast|column)/ && $7 != 32 * 4 * 8 { print; bad = 1 }
        $6 == "shared_load" && $3 ~ /^chase/ && $7 != 4 * 64 { print; bad = 1 }
        $6 == "shared_store" && $3 ~ /^write/ && $7 != 4 * (1 + 4 * 8) { print; bad = 1 }
        END { exit bad }' "$tree/build/solutions/lab8/metrics.csv"
}

@test "the handed-out lab: the first step is ok, the others to do" {
    is_given 1 14 'write32\(1\)' SIZE=3
    assert_lines 1 -E '33 launches .* ok '
    assert_equal "$(grep -c ',ok,' "$tree/build/lab8/run.csv")" 33
    assert_equal "$(grep -c ',todo,' "$tree/build/lab8/run.csv")" 81
}

@test "a sweep is one line: from the fastest launch to the slowest; the CSV file has every launch" {
    run -0 "$tree/build/bin/simt" "$solution" --size 3 --csv "$BATS_TEST_TMPDIR/run.csv"
    assert_lines 15 -E '^ *[0-9]+  '
    times=$(awk -F, '$3 ~ /^chase32/ { print $6 }' "$BATS_TEST_TMPDIR/run.csv" | sort -n | awk 'NR == 1 { first = $1 } END { printf "%.4f-%.4f", first, $1 }')
    assert_grep -E \
        "^ 6  chase32\(1\.\.\.33\) +33 launches +${times%-*} +$times .* ok  fastest: \(1\), slowest: \(32\)$" \
        <<<"$output"
    assert_output --partial "\`make lab8 ARGS=--all\` prints every launch"
    assert_equal "$(grep -c ',ok,' "$BATS_TEST_TMPDIR/run.csv")" 114
}

@test "lanes that write into each other's words are wrong" {
    # Without the stride all lanes of a warp write to one word.
    sed 's/+ lane \* stride;/+ lane \/ 2 * stride;/' solutions/lab8-banks/banks.cu \
        >"$tree/labs/lab8-banks/banks.cu"
    run -2 user_make lab8 DEVICE=sim SIZE=3 ARGS='--step write32'
    assert_output --partial "WRONG (index "
}

@test "the plots show every stride and every width" {
    user_make profile-lab8 DEVICE=sim FROM=solutions SIZE=4 >/dev/null
    for picture in stride width; do
        assert_grep '</svg>' <"$tree/build/solutions/plots/lab8-$picture.svg"
        assert_grep 'modelled' <"$tree/build/solutions/plots/lab8-$picture.svg"
    done
}

@test "demo-lab8 walks through all kernels" {
    run -0 user_make demo-lab8 DEVICE=sim SIZE=4 </dev/null
    assert_output --partial "=== 10 of 10: chase128 ==="
}
