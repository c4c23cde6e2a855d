# Lab 1, divergence: what the compiler leaves of a branch, in both builds; awkward sizes; wrong
# kernels.

load ../helpers

setup_file() {
    use_lab 1 build/solutions/lab1/divergence-debug
}

# counted BUILD: the solution's metrics, in $tree/metrics, for `metric`. BUILD: "" or -debug.
counted() {
    "$tree/build/bin/labprof" --quiet --lab 1 --lab-metrics "$tree/metrics" --steps "$tree/steps" \
        --log-file "$tree/log" --metrics \
        branch,divergent_branch,branch_efficiency,warp_execution_efficiency,inst_per_warp \
        "$tree/build/solutions/lab1/divergence$1" --profile --size 4096 --csv "$tree/steps"
}

# as_nvcc METRIC KERNEL NUMBER: so it is in nvcc's program. How often clang's branches for the same
# source is clang's affair.
as_nvcc() {
    [ "${FRONT:-nvcc}" != nvcc ] || assert_equal "$(metric "$2" "$1")" "$3"
}

# metric KERNEL NAME: its value, as counted.
metric() {
    awk -F, -v kernel="$1" -v name="$2" '$3 == kernel && $6 == name { print $7 }' "$tree/metrics"
}

# holds EXPRESSION: in awk's terms.
holds() {
    awk "BEGIN { exit !($1) }" || { echo "not so: $1"; return 1; }
}

# attempt STEP: of the student's version, which must be wrong.
attempt() {
    run -1 env -C "$tree" build/bin/simt build/lab1/divergence --size 1000 --step "$1"
}

@test "modelled times are the same in every run, wherever the system puts the program" {
    for name in first second third; do
        solution -0 --step tripsSorted --size 100000 --csv "$tree/$name.csv"
        diff "$tree/first.csv" "$tree/$name.csv"
    done
}

@test "every size and block is right" {
    for size in 0 1 33 1000 4099; do
        solution -0 --size $size
        assert_lines 10 ' ok$'
    done
    for block in 32 96 1024; do
        solution -0 --size 1000 --block $block
        assert_lines 10 ' ok$'
    done
}

@test "a block of part of a warp is refused" {
    solution -2 --block 48
    output=$stderr assert_lines 1
    assert_stderr --partial "give a multiple of 32"
}

@test "optimised, the textbook's kernels have no branch; long bodies diverge, or agree by the warp" {
    counted ""
    for kernel in mathKernel1 mathKernel2 mathKernel3; do assert_equal \
        "$kernel $(metric $kernel branch)" "$kernel 0"; done
    assert_equal "$(metric mathKernel4Parity divergent_branch)" 128 # every warp
    assert_equal "$(metric mathKernel4Warp divergent_branch)" 0
    holds \
        "$(metric mathKernel4Parity warp_execution_efficiency) < 0.56 * $(metric mathKernel4Warp warp_execution_efficiency)"
    holds \
        "$(metric mathKernel4Warp inst_per_warp) < 0.6 * $(metric mathKernel4Parity inst_per_warp)"
    # Each division in brightness has a branch to a slow path: three in each body.
    as_nvcc branch quadBranch $((128 * 7))
    as_nvcc branch quadHoisted $((128 * 3))
    holds "$(metric quadBranch branch) > $(metric quadHoisted branch)"
    assert_equal "$(metric quadHoisted divergent_branch)" 0
}

@test "with -G they diverge as the textbook says, and count far more instructions" {
    counted ""
    optimised=$(metric mathKernel4Parity inst_per_warp)
    counted -debug
    for kernel in mathKernel1 mathKernel3; do
        as_nvcc branch $kernel $((128 * 7))
        assert_equal "$(metric $kernel divergent_branch)" 128
    done
    assert_equal "$(metric mathKernel2 divergent_branch)" 0
    holds "$(metric mathKernel4Parity inst_per_warp) > 5 * $optimised"
}

@test "the handed-out lab: one step ok, nine to do" {
    is_given 1 9 mathKernel2 SIZE=1000
    refute_output --partial -- "-G"
}

@test "the build for debugging is run on request" {
    run -0 user_make lab1 DEVICE=sim SIZE=1000 FROM=solutions VARIANTS=1
    assert_output --partial "The same program built with -G:"
    assert_lines 20 ' ok$'
    assert [ -s "$tree/build/solutions/lab1/run-debug.csv" ]
}

@test "the wrong condition, no guard, and one round too few are wrong" {
    local tid='unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;'
    solve mathKernel2 "$tid" 'if (tid < n) c[tid] = tid % 2 == 0 ? 100.0f : 200.0f;'
    solve_step "$student" mathKernel3 "$tid" 'c[tid] = tid / warpSize % 2 == 0 ? 100.0f : 200.0f;'
    solve_step "$student" tripsAsGiven "$tid" 'if (tid >= n) return;' \
        'float goal = s[tid], x = 1.0f;' \
        'for (int i = 1; i < rounds[tid]; i++) x = rootRound(x, goal);' 'c[tid] = x;'
    user_make build/lab1/divergence DEVICE=sim
    attempt mathKernel2
    assert_output --partial "WRONG (index 1: got 200 want 100; "
    attempt mathKernel3
    assert_output --partial "mathKernel3: an illegal memory access was encountered"
    attempt tripsAsGiven
    assert_line --regexp 'tripsAsGiven .* WRONG'
}

@test "lab 1 can be profiled in both builds, checked and demonstrated" {
    run -0 user_make profile-lab1 DEVICE=sim FROM=solutions SIZE=1000
    for picture in lab1-time lab1-metrics lab1-debug-metrics; do assert [ -s \
        "$tree/build/solutions/plots/$picture.svg" ]; done
    run -0 user_make check-lab1 DEVICE=sim FROM=solutions SIZE=1000
    run -0 user_make demo-lab1 DEVICE=sim SIZE=1000 </dev/null
    assert_output --partial "=== 10 of 10: tripsSorted ==="
}

@test "the mistakes that the handout names are found" {
    finds_planted 1
}
