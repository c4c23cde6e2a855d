# simt compiled to WebAssembly: the launches of a page, run again in node, count and take what the
# program's do. On request: the compiler takes a minute for the module.

load ../helpers

setup_file() {
    export build=${BUILD:-build}
    make -s DEVICE=sim all explore-page programs
}

# again LAB PROGRAM ARGUMENT...: all launches of the lab's program, in node; and the recording in
# the page $see, if that is set.
again() {
    local page=$BATS_TEST_TMPDIR/page.html profile=$BATS_TEST_TMPDIR/profile.csv
    # On the page, too, each launch finds an empty L2.
    SIMT_COLD=1 SIMT_PTX_COUNTS='' "$build/bin/simt" --quiet --explore "$page" --profile "$profile" \
        "$build/solutions/lab$1/$2" --profile "${@:3}" >"$BATS_TEST_TMPDIR/log"
    run node tests/see/explore.js "$page" "$profile" ${see:+"$see"}
    assert_success
    assert_output --regexp ' launches, 0 differ$'
}

@test "lab 0 on a page" { again 0 device --size 100; }
@test "lab 1 on a page" { again 1 divergence --size 5000; }
@test "lab 2 on a page" {
    again 2 occupancy --size 100 --step sumMatrix
    again 2 occupancy --size 100 --step sumShared
}
@test "lab 3 on a page" { again 3 reduction --size 50000; }
@test "lab 4 on a page" { again 4 transpose --size 130; }
@test "lab 5 on a page" { again 5 nested --size 1024; }
@test "lab 6 on a page" { again 6 shared_reduction --size 5000; }
@test "lab 7 on a page" { again 7 memory --size 5000; }
@test "lab 8 on a page" { again 8 banks --size 3; }
@test "lab 9 on a page" { again 9 matmul --size 64; }
@test "lab 10 on a page" { again 10 matvec --size 100; }

@test "the stage of --see on a page is that of the command" {
    for step in copyRow smem; do
        SIMT_COLD=1 "$build/bin/simt" --quiet --see "$BATS_TEST_TMPDIR/see.html" --see-kernel $step \
            --see-block 1 "$build/solutions/lab4/transpose" --profile --size 130 --step $step
        see=$BATS_TEST_TMPDIR/see.html again 4 transpose --size 130 --step $step
    done
}

@test "the page is small, and names no address in the network" {
    assert [ "$(stat -c %s "$build/simt/explore.html")" -le 700000 ]
    run grep -oE 'https?://[^"'"'"' ]*' "$build/simt/explore.html"
    assert_equal "$(sort -u <<<"$output" | grep -v www.w3.org/2000/svg)" ""
}

@test "explore-lab3 has each size and block once" {
    run make explore-lab3 DEVICE=sim FROM=solutions
    assert_success
    page=$build/solutions/explore/lab3.html
    assert [ "$(grep -o '"run":"size [0-9]*, block [0-9]*"' "$page" | sort -u | wc -l)" = 20 ]
    assert_equal "$(grep '^{"blob"' "$page" | sort | uniq -d)" ""
}
