# Lab 2, occupancy: sweeps of shapes, a refused one among them; limits by name; odd sizes; wrong
# kernels.

load ../helpers

setup_file() {
    use_lab 2
}

# occupancy GPU FLAG...: the complete program on that simulated GPU.
occupancy() {
    run --separate-stderr "$tree/build/bin/simt" --gpu "$1" "$solution" --all "${@:2}"
}

@test "every size is right in every shape, and the shape that is too large is refused" {
    # Small ones on a GPU of few multiprocessors, which has short waves.
    for each in gtx1060:1 gtx1060:33 gtx1060:77 h200:128; do
        occupancy "${each%:*}" --size "${each#*:}" --csv "$tree/run.csv"
        assert_success
        assert_equal "$(grep -c ',ok,' "$tree/run.csv")" 69
        assert_equal "$(grep -c ',(256 8 1),.*,invalid argument,' "$tree/run.csv")" 2
        assert_output --partial "invalid argument  as it should be"
    done
    occupancy h200 --size 0
    assert_success
    occupancy h200 --size 16385
    assert_failure 2
}

@test "what limits the occupancy is named, and the largest block of the highest is advised" {
    occupancy h200 --size 64
    assert_success
    assert_grep -E 'sumVector +<<<128, 32>>> .* 50 % of the warps, limit: block slots' <<<"$output"
    assert_grep -E 'sumVector +<<<6, 768>>> .* 75 % of the warps, limit: warp slots' <<<"$output"
    assert_grep -E 'sumShared +<<<16, 256>>> .* 50 % of the warps, limit: shared memory' \
        <<<"$output"
    assert_grep -E 'registersFree .* 25 % of the warps, limit: registers' <<<"$output"
    assert_grep -E 'sumVector +<<<16, 256>>> .* 100 % of the warps' <<<"$output"
    assert_grep -E 'sumVector +<<<4, 1024>>> .* 100 % of the warps' <<<"$output"
    assert_output --partial "cudaOccupancyMaxPotentialBlockSize advises 1024 threads"
}

@test "another GPU has other limits" {
    occupancy rtx3090 --size 64 --step sumVector
    assert_success
    # 16 block slots and 48 warp slots.
    assert_grep -E '<<<128, 32>>> .* 33 % of the warps, limit: block slots' <<<"$output"
    assert_grep -E '<<<4, 1024>>> .* 67 % of the warps, limit: warp slots' <<<"$output"
}

@test "waves end where the device is full" {
    occupancy rtx2070 --size 64 --step wave
    assert_success
    assert [ "$(grep -c '[.]00 waves$' <<<"$output")" -ge 3 ]
    assert_output --partial "the device holds 36 blocks of 1024 at once"
}

@test "the handed-out lab: all to do" {
    is_given 0 16 sumMatrix SIZE=64
    for step in 1 2 3 4 5 6 7 8 9; do assert_line --regexp "^ $step .* todo"; done
}

@test "lab 2 can be profiled as it is handed out" {
    run -0 user_make profile-lab2 DEVICE=sim SIZE=33
    assert_output --partial "plotted nothing for lab2"
}

@test "a sum that forgets its guard, and one that only copies, are wrong" {
    local \
        place='unsigned int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x, idx = row * num_x + col;'
    solve sumMatrix "$place" 'MatC[idx] = MatA[idx] + MatB[idx];'
    solve_step "$student" sumMatrixRow "$place" \
        'if (row < num_y && col < num_x) MatC[idx] = MatA[idx];' '(void)MatB;'
    run -2 user_make lab2 DEVICE=sim SIZE=33 ARGS='--step sumMatrix'
    assert_output --partial "an illegal memory access was encountered"
    run -2 user_make lab2 DEVICE=sim SIZE=33 ARGS='--step sumMatrixRow'
    assert_output --partial "WRONG (index "
    # What was measured of it is drawn all the same, and the failure is told.
    run -2 user_make profile-lab2 DEVICE=sim SIZE=33 ARGS='--step sumMatrixRow'
    assert_output --partial "WRONG (index "
    assert_output --partial "plotted build/plots/lab2-shapes.svg"
}

@test "lab 2 can be profiled and checked" {
    run -0 user_make profile-lab2 DEVICE=sim FROM=solutions SIZE=64
    for picture in shapes limits waves loads; do assert [ -s \
        "$tree/build/solutions/plots/lab2-$picture.svg" ]; done
    awk -F, \
        '$3 == "sumMatrix" && $5 == "(8 16 1)" && $6 == "gld_efficiency" { seen = $7 } END { exit seen != 50 }' \
        "$tree/build/solutions/lab2/metrics.csv"
    run -0 user_make check-lab2 DEVICE=sim FROM=solutions SIZE=33
}

@test "the demonstration says of each metric which launch it is about" {
    run -0 user_make demo-lab2 DEVICE=sim SIZE=64 </dev/null
    assert_output --partial "=== 9 of 9: sumLoads ==="
    assert_output --partial "  blocks of (8 16 1): gld_efficiency = 50.00 %"
    assert_output --partial "  blocks of (256 1 1): achieved_occupancy = "
    assert_output --partial "  grid of (264 1 1): achieved_occupancy = "
    # One launch needs no name.
    assert_grep '^  achieved_occupancy = 0.* of 1$' <<<"$output"
}

@test "the kernels swept over simulated GPUs take the time that is recorded" {
    needs_nvcc
    run -0 user_make build/solutions/lab3/reduction DEVICE=sim
    for gpu in t4 h200; do
        run -0 --separate-stderr "$tree/build/bin/simt" --gpu $gpu \
            "$tree/build/solutions/lab3/reduction" --step reduceUnroll8 --csv "$tree/run.csv"
        # Within 5 %: another compiler's code may differ a little.
        run -0 awk -F, -v name="reduceUnroll8($gpu)" \
            'NR == FNR { if ($3 == name) recorded = $6; next } FNR > 1 { print $6 / recorded }' \
            plots/reference/sweep.csv "$tree/run.csv"
        awk -v off="$output" 'BEGIN { exit !(off > 0.95 && off < 1.05) }' || fail \
            "$gpu: $output times the recorded time: make sweep-gpus handouts-update"
    done
}
