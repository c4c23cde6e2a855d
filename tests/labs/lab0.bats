# Lab 0, the device: what it prints for the GPUs of textbooks, and its kernels at awkward sizes.

load ../helpers

setup_file() {
    use_lab 0
}

# device GPU FLAG...: the complete program on that simulated GPU.
device() {
    run --separate-stderr "$tree/build/bin/simt" --gpu "$1" "$solution" "${@:2}"
}

@test "an RTX 3090's query is the textbook's" {
    device rtx3090
    assert_success
    assert_output --partial "Device 0: NVIDIA GeForce RTX 3090"
    assert_output --partial "  Number of multiprocessors:                     82"
    assert_output --partial "  Total amount of constant memory:               64.00 KB"
    assert_output --partial "  Total amount of shared memory per block:       48.00 KB"
    assert_output --partial "  Total number of registers available per block: 65536"
    assert_output --partial "  Warp size:                                     32"
    assert_output --partial "  Maximum number of threads per block:           1024"
    assert_output --partial "  Maximum number of threads per multiprocessor:  1536"
    assert_output --partial "  Maximum number of warps per multiprocessor:    48"
}

@test "derived figures show their formula, and are right" {
    device rtx2070
    assert_success
    assert_output --partial "2 x 7001 MHz x 256 bit / 8 = 448.1 GB/s"
    assert_output --partial "2 x 36 x 64 x 1.620 GHz = 7465 GFLOP/s"
    assert_output --partial "4 clocks x 64 / 32 = 8"
    assert_output --partial "296 clocks / 1.620 GHz x 448.1 GB/s = 82 KB"
    device gtx1060
    assert_output --partial "2 x 10 x 128 x 1.708 GHz = 4372 GFLOP/s"
    assert_output --partial "6 clocks x 128 / 32 = 24"
}

# GPUs of one compute capability may differ: the lab's figures are those of one of them.
@test "lanes and latencies are those of the simulated GPUs" {
    for gpu in $(common/tools/gpu.sh names); do
        common/tools/gpu.sh get "$gpu" cc_major cc_minor fp32_per_sm alu_latency_cycles \
            dram_latency_cycles | paste -sd , | sed 's/,/, /g; s/.*/{&}/'
    done | sort -u >"$BATS_TEST_TMPDIR/simulated"
    grep -oE '\{[0-9]+, [0-9], [0-9]+, [0-9]+, [0-9]+\}' solutions/lab0-device/device.cu | sort -u \
        >"$BATS_TEST_TMPDIR/lab"
    assert [ -s "$BATS_TEST_TMPDIR/lab" ]
    run comm -13 "$BATS_TEST_TMPDIR/simulated" "$BATS_TEST_TMPDIR/lab"
    refute_output # what no simulated GPU has
    run comm -13 <(cut -d, -f1,2 "$BATS_TEST_TMPDIR/lab" | sort -u) \
        <(cut -d, -f1,2 "$BATS_TEST_TMPDIR/simulated" | sort -u)
    refute_output # what the lab does not know
}

@test "the launches are counted: an 80-thread block and the 76 x 62 picture" {
    device h200
    assert_output --partial \
        "threads1D  warps a block = 80 / 32, rounded up = 3; idle lanes = 3 x 32 - 80 = 16; threads without an element = 59 x 80 - 4712 = 8"
    assert_output --partial "threads without an element = 20 x 256 - 4712 = 408"
    assert_output --partial "<<<(5,4), (16,16)>>>"
}

@test "every shape and block is right" {
    for shape in "1 1" "31 33" "62 76" "77 131" "1000 3" "3 1000" "0 4"; do
        for block in 1 33 80 1024; do
            device h200 --rows "${shape% *}" --cols "${shape#* }" --block $block
            assert_success
            assert_lines 5 ' ok$'
        done
    done
}

@test "the default is the picture; one flag alone makes it a square" {
    device h200 --step picture
    assert_output --partial "62 x 76 elements"
    device h200 --step picture --size 10
    assert_output --partial "10 x 10 elements"
}

@test "the handed-out lab: one step ok, four to do" {
    is_given 1 4 threads2D
}

@test "a picture without the guard in y writes after its end, and is wrong" {
    sed -i '/BEGIN SOLUTION picture/,/END SOLUTION/{/TODO(/,/");/c\
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\
    if (x < cols) number[y * cols + x] = (int)(x + 1000 * y);
}' "$tree/labs/lab0-device/device.cu"
    run -2 user_make lab0 DEVICE=sim
    assert_output --partial "WRONG (index 4712: got 62000 want -1; "
    run user_make diff-lab0
    assert_output --partial "0 same, 1 changed, 3 todo, 0 missing"
}

@test "lab 0 can be profiled, checked and demonstrated" {
    run -0 user_make profile-lab0 DEVICE=sim FROM=solutions
    assert [ -s "$tree/build/solutions/plots/lab0-metrics.svg" ]
    run -0 user_make check-lab0 DEVICE=sim FROM=solutions
    run -0 user_make demo-lab0 DEVICE=sim </dev/null
    assert_output --partial "=== 5 of 5: picture ==="
}

@test "the mistakes that the handout names are found" {
    finds_planted 0
}
