# Several simulated devices: what no program can see of itself: their times, what the profile has of
# them, and reports.
# needs nvcc

load ../helpers

# What the L2 keeps between launches is not asked here.
export SIMT_COLD=1

setup_file() {
    BUILD=$(realpath "${BUILD:-build}")
    work=$BATS_FILE_TMPDIR
    cp tests/data/two_devices.cu "$work/program.cu"
    compile_cuda -cudart shared -lineinfo -gencode arch=compute_75,code=compute_75 \
        "$work/program.cu" -o "$work/program"
    export BUILD work
}

two() {
    run "$BUILD/bin/simt" --quiet --devices 2 "$work/program" "$@"
}

@test "two devices work at the same time, and one device on one thing after another" {
    two times
    assert_success
    read -r alone beside twice <<<"$output"
    run awk -v a="$alone" -v b="$beside" -v t="$twice" \
        'BEGIN { print (a > 0.01) (b < 1.1 * a) (t > 1.8 * a) }'
    assert_output 111
}

@test "a launch in a stream of another device runs on that device" {
    two stream
    assert_output "0 -1"
}

@test "a kernel that may not access a device's memory is told whose it is" {
    two stray
    assert_output --partial "at read(int const*, int*, int) in $work/program.cu:7"
    assert_output --partial \
        "memory of device 0. Device 1 reaches it after cudaDeviceEnablePeerAccess(0, 0)"
    assert_line cudaErrorIllegalAddress
}

@test "copies and accesses between devices take what they took on two H200s" {
    compile_cuda -O3 -lineinfo -cudart shared -Icommon \
        -gencode 'arch=compute_75,code=[compute_75,sm_90]' \
        common/simt/measure/peers.cu -o "$work/peers"
    run -0 "$BUILD/bin/simt" --quiet --devices 2 "$work/peers" 16777216
    # On an idle stream, events also enclose the host's way from one call to the next: on the H200s
    # an empty kernel takes 7.2 us, here 3.7.
    run -0 awk -F, 'NR == FNR { measured[$1 "," $2] = $3; next }
        FNR > 1 { host = $1 ~ /^kernel (loads|stores)$/ ? 3500 : 0; ratio = ($3 + host) / measured[$1 "," $2]; compared++ }
        FNR > 1 && (ratio < 1 / 1.35 || ratio > 1.35) { print $1, $2, ratio }
        END { print compared, "compared" }' \
        plots/reference/h200/peers.csv - <<<"$output"
    assert_output "27 compared"
}

@test "what a peer's memory serves is a request of the kernel, but neither in its L2 nor in its DRAM" {
    SIMT_PROFILE="$work/peer.csv" two peer
    assert_success
    # Both kernels load 2^22 words, the first from the peer: 2^19 sectors.
    columns=gld_requests,gld_sectors,l2_read_sectors,dram_read_bytes,time_ns
    run -0 awk -F, -v names="$columns" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, name, ","); next }
        { for (k = 1; k <= n; k++) printf "%.0f ", $at[name[k]]; print "" }' <(sed 's/"[^"]*"/quoted/g' "$work/peer.csv")
    read -r requests sectors l2 dram ns <<<"${lines[0]}"
    read -r own_requests own_sectors own_l2 own_dram own_ns <<<"${lines[1]}"
    assert_equal "$requests $sectors" "$own_requests $own_sectors"
    assert_equal "$sectors" $((1 << 19))
    run awk -v n="$sectors" -v l2="$l2" -v own_l2="$own_l2" -v dram="$dram" -v \
        own_dram="$own_dram" -v ns="$ns" -v own_ns="$own_ns" \
        'BEGIN { print (l2 < n / 100) (own_l2 >= n) (dram < 32 * n / 100) (own_dram >= 32 * n) (ns > 2 * own_ns) }'
    assert_output 11111
}
