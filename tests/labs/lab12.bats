# Lab 12, host and device: sizes of every kind, what the model says of copies and streams, and wrong
# host code.

load ../helpers

setup_file() {
    use_lab 12 build/bin/labprof
}

# time_of KERNEL: its time in ms in the run in $BATS_TEST_TMPDIR.
time_of() {
    awk -F, -v kernel="$1" '$3 == kernel { print $6 }' "$BATS_TEST_TMPDIR/run.csv"
}

# shorter A B [FACTOR]: does A take less than FACTOR of the time of B?
shorter() {
    awk -v a="$(time_of "$1")" -v b="$(time_of "$2")" -v factor="${3:-1}" \
        'BEGIN { exit !(a > 0 && a < factor * b) }' ||
        fail "$1 takes $(time_of "$1") ms, $2 $(time_of "$2") ms"
}

@test "every size is right, and steps that it is too small for say so" {
    for counts in 1:14 15:20 16:24 33:24 5000:26 100003:26; do
        solution -0 --size ${counts%:*} --all
        assert_lines ${counts#*:} -E ' ok( |$)'
    done
    solution -0 --size 0
    assert_line --regexp '^ 4 .* nothing to time$'
    assert_lines 10 'fewer elements than streams'
    solution -2 --size 5000 --block 128
    assert_stderr --partial -- "--block 128: no step here is about blocks"
}

@test "copies dominate; overlap, data that stay and kernels side by side gain" {
    solution -0 --size 1000000 --repeat 1 --csv "$BATS_TEST_TMPDIR/run.csv"
    shorter vectorAdd addOnDevice 0.2
    shorter addMapped pinnedArray
    shorter pinnedArray managedArray 0.3
    shorter stayOnDevice copyEachTime 0.3
    shorter "depthFirst(4)" "depthFirst(1)"
    shorter "breadthFirst(4)" "breadthFirst(1)"
    shorter kernelsAtOnce kernelsInTurn 0.2
    # The step's events time the same kernel. The lab's events around the step also time that the
    # host waits in it.
    assert_line --regexp "timeByEvents .* returned $(printf %.4f "$(time_of vectorAdd)") ms"
    shorter vectorAdd timeByEvents
    assert_equal "$(grep -c ',measured,' "$BATS_TEST_TMPDIR/run.csv")" 2
}

@test "what the model leaves out is said after the row" {
    solution --size 100000 --repeat 1 --csv "$BATS_TEST_TMPDIR/run.csv"
    assert_line --regexp "timeByClock .* ok  returned [0-9.]+ ms: the simulator at work$"
    assert_line --regexp "copyPacked .* - .* ok  no time: the CPU's collecting is not modelled$"
    assert_equal "$(time_of copyPacked)" NA
}

@test "one number of streams on request" {
    solution -0 --size 5000 --step depthFirst --streams 3
    assert_lines 1 'depthFirst('
    assert_line --partial 'depthFirst(3)'
    solution -2 --size 5000 --streams 17
    assert_stderr --partial -- "--streams 17: too large; the limit is 16"
}

@test "timelines: both orders overlap copies in both directions, and are drawn" {
    run -0 user_make timeline-lab12 DEVICE=sim FROM=solutions SIZE=1000000
    assert_line "  plotted build/solutions/plots/lab12-timeline.svg and .png"
    for order in depthFirst breadthFirst; do
        # In streams of the program: each has two copies there, a kernel, a copy back; the first
        # comes back before the last goes there.
        run awk -F, '$1 != "api" && $7 > 7 { work[$2 == "HtoD" || $2 == "DtoH" ? $2 : $1]++
                if ($2 == "HtoD" && $4 > there) there = $4
                if ($2 == "DtoH" && (!back || $3 < back)) back = $3 }
            END { print work["HtoD"], work["kernel"], work["DtoH"], back < there ? "overlap" : "in turn" }' \
            "$tree/build/solutions/lab12/timeline-$order.csv"
        assert_output "8 4 4 overlap"
    done
    for type in svg png; do assert [ -s "$tree/build/solutions/plots/lab12-timeline.$type" ]; done
    assert_grep -F 'breadthFirst: ' <"$tree/build/solutions/plots/lab12-timeline.svg"
    run -2 user_make timeline-lab3 DEVICE=sim
    assert_output --partial 'timeline-lab3: no step of this lab works in streams'
}

@test "a timeline that is none is refused; without work in streams there is no picture" {
    run plots/draw-timeline.sh "$BATS_TEST_TMPDIR/out" Title Note none="$BATS_TEST_TMPDIR/none.csv"
    assert_failure 2
    assert_output --partial "none.csv is no timeline"
    echo record,name,start_ns,end_ns,device,context,stream >"$BATS_TEST_TMPDIR/empty.csv"
    run -0 plots/draw-timeline.sh "$BATS_TEST_TMPDIR/out" Title Note \
        empty="$BATS_TEST_TMPDIR/empty.csv"
    assert_output "  plotted nothing for out: no work in streams that the program has made"
    run -0 user_make timeline-lab12 DEVICE=sim SIZE=5000
    assert_output --partial "next: labs/lab12-host-device/host_device.cu:"
    assert_output --partial "plotted nothing for lab12-timeline"
    assert_equal "$(ls "$BATS_TEST_TMPDIR"/out* 2>/dev/null)" ""
}

@test "several GPUs share the work" {
    run -0 "$tree/build/bin/simt" --devices 3 "$solution" --size 100003 --step addOnAllDevices
    assert_line --partial 'c = a + b on 3 GPUs'
    assert_line --regexp 'addOnAllDevices .* ok$'
}

@test "metrics are the kernel's" {
    measure 12 host_device gld_efficiency,gst_transactions --size 65536
    is vectorAdd gst_transactions 8192
    is vectorAdd gld_efficiency 100
}

@test "the handed-out lab: the host's half is to do" {
    is_given 6 20 addOnDevice SIZE=5000
    assert_output --partial ": addOnDevice: cudaMalloc "
}

# mistakes: the first step's depend on the size.
mistakes() {
    [ ! -e "$BATS_FILE_TMPDIR/mistakes" ] || return 0
    solve addOnDevice 'if (n == 5000) CHECK(cudaMemcpy(c, a, n * sizeof(float), cudaMemcpyHostToDevice));
        if (n == 5001) { CHECK(cudaMalloc(&c, n * sizeof(float))); return; }
        float *d_a, *d_b, *d_c; cudaMalloc(&d_a, 4 * n); cudaMalloc(&d_b, 4 * n); cudaMalloc(&d_c, 4 * n);
        cudaMemcpy(d_a, a, n, cudaMemcpyHostToDevice); cudaMemcpy(d_b, b, n, cudaMemcpyHostToDevice);
        vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n); cudaMemcpy(c, d_c, 4 * n, cudaMemcpyDeviceToHost);
        cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);'
    solve_step "$student" timeByClock \
        'const double start = cpuSecond(); vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);' \
        'ms = (cpuSecond() - start) * 1000;'
    solve_step "$student" timeByEvents 'vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);'
    solve_step "$student" pinnedArray 'array = hostArray<float>(n);'
    solve_step "$student" managedArray 'CHECK(cudaMalloc(&array, n * sizeof(float)));'
    solve_step "$student" stayOnDevice 'copyAddCopy(a, b, c, d_c, d_b, d_c, n);'
    solve_step "$student" kernelsAtOnce 'addByOneBlock<<<1, BLOCK>>>(d_a, d_b, d_c, n - 1);'
    solve_step "$student" copyPacked \
        'CHECK(cudaMemcpy(d_pieces, pieces[0], count * PIECE * sizeof(float), cudaMemcpyHostToDevice));'
    user_make DEVICE=sim build/lab12/host_device
    touch "$BATS_FILE_TMPDIR/mistakes"
}

@test "copies of the wrong length, other memory, a missing wait and a forgotten share are wrong" {
    mistakes
    run -1 env -C "$tree" build/bin/simt build/lab12/host_device --size 10007 --all
    for step in addOnDevice timeByClock timeByEvents pinnedArray managedArray stayOnDevice \
        kernelsAtOnce copyPacked; do
        assert_grep -E 'WRONG \((index |got |the )' < <(grep " $step " <<<"$output")
    done
    assert_line --partial 'WRONG (the array is no pinned memory)'
    assert_ends "^next: labs/lab12-host-device/host_device\.cu:.*: addOnDevice: wrong result"
}

@test "an error of a call ends the program with its place; memory that stays is found" {
    mistakes
    run ! user_make lab12 DEVICE=sim SIZE=5000
    assert_output --regexp 'host_device\.cu:[0-9]+: cudaMemcpy\(c, a, .* failed: invalid argument'
    run ! user_make check-lab12 DEVICE=sim SIZE=5001 ARGS='--step addOnDevice'
    assert_output --partial 'Leaked 20004 bytes'
}

@test "demo-lab12 walks through the host's functions" {
    run -0 user_make demo-lab12 DEVICE=sim SIZE=5000 </dev/null
    assert_output --partial "=== 3 of 18: addOnDevice ==="
    assert_output --partial "=== 18 of 18: addOnAllDevices ==="
}

@test "the mistakes that the handout names are found" {
    finds_planted 12
}
