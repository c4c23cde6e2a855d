# The calibration: the programs that measure the time model's constants, and the table they make.
load ../helpers

setup() {
    top=$PWD
    calibrate=$top/common/simt/measure
    cd "$BATS_TEST_TMPDIR" || return 1
    program one 'printf "alu_latency_cycles\t4\tcycles\t0.1\tone\n"'
    program two 'printf "dram_read_gbs\t900\tGB/s\t1\ttwo\n"'
    stand_in "$PWD" profiler
    gpus dram_gbs 1000 alu_latency_cycles 4 kernel_ns 1100
    export RUN='' LABPROF=./profiler EMPTY=./one STORES=./one NESTED=./two ABOUT='A GPU, today'
}

# gpus CONSTANT VALUE...: a table of GPUs with one called mine, beside another.
gpus() {
    printf '# a comment\nconstant\tunit\tother\tmine\tsource\n' >gpus.tsv
    printf '%s\t-\t7\t%s\tmine: measured\n' "$@" >>gpus.tsv
}

program() {
    printf '#!/bin/sh\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

@test "the figures of all programs become one table, the profiler's among them" {
    run -0 "$calibrate/run.sh" out/table.tsv ./one ./two
    assert_equal "$(head -1 out/table.tsv)" \
        '# Made by `make calibrate` (common/simt/measure); do not edit. A GPU, today'
    assert_equal "$(sed 1d out/table.tsv | cut -f1-4)" "$(printf 'name\tvalue\tunit\tspread\nalu_latency_cycles\t4\tcycles\t0.1\ndram_read_gbs\t900\tGB/s\t1\nkernel_ns\t1200\tns\t500\nkernel_read_bytes\t2300\tbytes\t700'
        printf '\nl2_partial_kept_share\t0.1\tshare\t0.25\nl2_filled_kept_share\t0.3\tshare\t0.125'
        printf '\nnested_first_bytes\t10000\tbytes\t0\nnested_chain_bytes\t%g\tbytes\t0\nnested_in_turn_bytes\t%g\tbytes\t0\nnested_at_once_bytes\t%g\tbytes\t0' \
            161.29 78.7402 78.7402
        printf '\nnested_first_cycles\t800\tcycles\t0\nnested_chain_cycles\t%g\tcycles\t0\nnested_at_once_cycles\t%g\tcycles\t0' 45.1613 708561
        printf '\nnested_sync_share\t0.035\tshare\t0\nnested_memory_share\t0.205\tshare\t0\nnested_exec_share\t0.305\tshare\t0')"
}

@test "launches by kernels that a profiler did not see are missed by name" {
    PROFILER=blind run -1 --separate-stderr "$calibrate/run.sh" table.tsv ./one
    assert_regex "$stderr" \
        "calibrate: 1 launches were seen of nested bytes, not 21.*profiling launches by kernels failed"
}

@test "a program that fails is named; what the others measured is kept, and a good table is not lost" {
    program two 'echo broken >&2; exit 3'
    run -1 --separate-stderr "$calibrate/run.sh" table.tsv ./one ./two
    assert_regex "$stderr" "broken.*calibrate: two failed; see above"
    assert_grep ^alu_latency_cycles <table.tsv
    cp table.tsv before.tsv
    program one 'exit 1'
    PROFILER=broken run -1 --separate-stderr "$calibrate/run.sh" table.tsv ./one ./two
    assert_stderr --partial "calibrate: nothing was measured; table.tsv is as it was"
    diff table.tsv before.tsv
}

@test "figures are set beside the table of GPUs; what is too far off fails by name" {
    "$calibrate/run.sh" table.tsv ./one ./two
    run -0 "$calibrate/check.sh" table.tsv gpus.tsv mine 10
    assert_output --partial "alu_latency_cycles                  4            4     0.0%"
    run -1 "$calibrate/check.sh" table.tsv gpus.tsv mine 5
    assert_regex "$output" "kernel_ns .*9\.1%  TOO FAR"
    run -0 "$calibrate/check.sh" table.tsv gpus.tsv mine 5 kernel_ns
    run -2 --separate-stderr "$calibrate/check.sh" table.tsv gpus.tsv yours
    assert_stderr "calibrate: yours is not in the table of GPUs"
}

@test "a share of a bandwidth follows from what was measured" {
    gpus dram_gbs 1000 dram_read_share 0.9
    "$calibrate/run.sh" table.tsv ./two
    run -0 "$calibrate/check.sh" table.tsv gpus.tsv mine 1
    assert_regex "$output" "dram_read_share .*0\.9 .*0\.0%"
}

@test "what a GPU measures is kept in the folder of its name; a GPU without a column is refused" {
    [ "${FRONT:-nvcc}" = nvcc ] || skip "its programs are nvcc's"
    cd "$top"
    stand_in "$BATS_TEST_TMPDIR/bin" nvidia-smi
    measure() {
        run env -u MAKEFLAGS -u MAKELEVEL PATH="$BATS_TEST_TMPDIR/bin:$PATH" GPU_NAME="$1" \
            GPU_CC=9.0 make -n calibrate DEVICE=gpu
    }
    measure "NVIDIA H100 80GB HBM3"
    assert_success
    assert_output --partial "run.sh plots/reference/h100/calibrate.tsv "
    assert_output --partial "check.sh plots/reference/h100/calibrate.tsv common/simt/gpus.tsv h100"
    measure "NVIDIA H1000"
    assert_failure
    assert_output --partial "this GPU has no column in common/simt/gpus.tsv; add it there first"
    # record-labN and record-model ask the same function.
    run bash -c '. common/dev/recording.sh; reference_folder "NVIDIA H100 80GB HBM3"'
    assert_output plots/reference/h100
}

@test "what the table calls measured on a GPU is in that GPU's recording, and near it" {
    cd "$top"
    for gpu in $(common/tools/gpu.sh names); do
        measured=$(grep -E "[^a-z0-9]$gpu(, [a-z0-9, ]*)?: measured \[CAL\]" common/simt/gpus.tsv | cut -f1 | sort)
        [ -n "$measured" ] || continue
        # A few bytes of each launch, which vary by more than themselves. atomic_cycles is spaces.cu's.
        run "$calibrate/check.sh" "plots/reference/$gpu/calibrate.tsv" common/simt/gpus.tsv "$gpu" \
            15 nested_in_turn_bytes atomic_cycles
        assert_success
        run comm -13 <(awk 'NR > 1 { print $1 }' <<<"$output" | sort) <(echo "$measured")
        refute_output
    done
}

# The programs measure the simulator as if it were a GPU: it must give back what its own table says.
@test "the simulator gives the constants of its table back" {
    [ "${FRONT:-nvcc}" = nvcc ] || skip "its programs are nvcc's"
    cd "$top"
    build=${BUILD:-build}
    env -u MAKEFLAGS -u MAKELEVEL -u RUN -u LABPROF make --no-print-directory DEVICE=sim \
        BUILD="$build" SIM_GPU=h200 calibrate
    # tensor_step_latency_cycles: ptxas's wait after a product of 128 bits is a cycle shorter than
    # what an H200 takes.
    run -0 "$calibrate/check.sh" "$build/calibrate/h200.tsv" common/simt/gpus.tsv h200 10 \
        dram_busy_wait_cycles tensor_step_latency_cycles
    # The others need clock64(), which counts instructions on simt, or stores that its L2 does not
    # keep.
    given=$(awk 'NR > 1 { print $1 }' <<<"$output" | sort)
    run comm -13 <(echo "$given") \
        <(grep 'h200: measured \[CAL\]' common/simt/gpus.tsv | cut -f1 | sort)
    assert_output \
        "$(printf '%s\n' block_ready_cycles block_start_cycles dram_spread_cycles dram_write_wait_cycles warp_start_cycles)"
    # Its other figures follow from the model: they are those that an H200 has. Not modelled: that
    # launches of a stream overlap, what the host takes for a launch. Of nested_*_bytes a few bytes
    # vary. atomic_cycles, atomic_warp_cycles: 2.0 here, by an H200's clock64(); 1.45 in spaces.csv, by CUPTI.
    awk -F'\t' \
        '/^#/ { next } $1 == "name" { print "constant\tunit\th200\tsource"; next } { print $1 "\t" $3 "\t" $2 "\trecorded" }' \
        plots/reference/h200/calibrate.tsv >"$BATS_TEST_TMPDIR/recorded.tsv"
    run "$calibrate/check.sh" "$build/calibrate/h200.tsv" "$BATS_TEST_TMPDIR/recorded.tsv" h200 15 \
        kernel_period_ns nested_in_turn_bytes host_launch_ns dram_busy_wait_cycles \
        tensor_step_latency_cycles atomic_cycles atomic_warp_cycles
    assert_success
}

# The many frees of 128 blocks took an H200 0.4 to 6.8 ms.
@test "printf, malloc and free in kernels take what they take on an H200, within 1.6 times" {
    cd "$top"
    nvcc -O3 -lineinfo -cudart shared -Icommon \
        -gencode 'arch=compute_75,code=[compute_75,sm_90]' \
        common/simt/measure/costs.cu -o "$BATS_TEST_TMPDIR/costs"
    run --separate-stderr build/bin/labprof --csv -u ns --print-gpu-trace "$BATS_TEST_TMPDIR/costs" heap
    assert_success
    # Of three launches of a kernel in one shape the median, of two the slower one.
    run awk -F, '
        FNR == NR { name = $19; gsub(/"|\(.*/, "", name)
            modelled[name " (" $3 " " $4 " " $5 ")(" $6 " " $7 " " $8 ")"] = $2; next }
        $1 ~ /^(malloc|free)Only|^print/ { measured[$1 " " $2 $3, ++seen[$1 " " $2 $3]] = $4 }
        END {
            for (key in seen) {
                for (i = 1; i <= seen[key]; i++) {
                    below = 0
                    for (k = 1; k <= seen[key]; k++) below += measured[key, k] < measured[key, i]
                    if (below == int(seen[key] / 2)) ratio = modelled[key] / measured[key, i]
                }
                n++
                if (!(ratio < 1.6 && ratio > 1 / 1.6)) print key
            }
            print n " compared"
        }' - plots/reference/h200/costs.csv <<<"$stderr"
    assert_output "freeOnly (128 1 1)(128 1 1)
17 compared"
}
