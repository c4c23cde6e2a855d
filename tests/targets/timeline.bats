# Modelled times of copies, fills and work in streams beside those that the same program measured on
# an H200.
# needs nvcc

load ../helpers

readonly MEASURED=plots/reference/h200/timeline.csv

setup_file() {
    make --no-print-directory DEVICE=sim build/calibrate/timeline >/dev/null
    build/bin/simt --quiet build/calibrate/timeline copies overlap kernels \
        >"$BATS_FILE_TMPDIR/simt.csv"
}

@test "the timeline names streams, memory, calls and their errors, and keeps each stream's order" {
    compile_cuda -cudart shared -gencode arch=compute_75,code=compute_75 \
        tests/data/timeline_streams.cu -o "$BATS_TEST_TMPDIR/streams"
    run build/bin/simt --quiet --timeline "$BATS_TEST_TMPDIR/timeline.csv" \
        "$BATS_TEST_TMPDIR/streams"
    assert_output 1
    run cells "$BATS_TEST_TMPDIR/timeline.csv" memcpy name stream correlation bytes source target
    assert_output "HtoD 7 5 1048576 pageable device
DtoD 7 6 1048576 device device
DtoD 7 7 4 device managed
HtoD 13 10 1048576 pinned device
DtoH 14 13 8 device pinned"
    run cells "$BATS_TEST_TMPDIR/timeline.csv" kernel name stream correlation dynamic_shared
    assert_output "_Z4workPfi 14 11 64
_Z4workPfi 7 14 0"
    run cells "$BATS_TEST_TMPDIR/timeline.csv" host name stream correlation
    assert_output "cudaLaunchHostFunc 14 12"
    run cells "$BATS_TEST_TMPDIR/timeline.csv" api name correlation thread status
    assert_line "cudaLaunchHostFunc 12 1 0"
    assert_line "cudaFree 16 1 1" # invalid argument
    # The copy runs beside the kernel; the default stream waits for both; the host for the default
    # stream.
    run awk -F, '$1 == "api" { call[$2] = $4; next } { start[$8] = $3; end[$8] = $4 }
        END { print (start[11] < end[10] && start[10] < end[11]), (end[11] <= start[12] && end[12] <= start[13]),
            (end[13] <= start[14] && end[10] <= start[14]), (end[14] <= call["cudaStreamSynchronize"]) }' "$BATS_TEST_TMPDIR/timeline.csv"
    assert_output "1 1 1 1"
}

# apart EXPERIMENT FACTOR: the rows of an experiment that simt has and that differ by more than the
# factor; and, at the end, how many were compared.
apart() {
    awk -F, -v experiment="$1" -v factor="$2" '
        { key = $1 ", " $2 ", " $3 " bytes, " $4 " streams" }
        NR == FNR { measured[key] = $5 }
        NR > FNR && $1 == experiment && key in measured {
            n++
            if ($5 > factor * measured[key] || measured[key] > factor * $5) print key ": " $5 " us, measured " measured[key]
        }
        END { print n + 0 " compared" }' "$MEASURED" "$BATS_FILE_TMPDIR/simt.csv"
}

@test "copies, pageable and pinned, within the device, and fills take what they take on an H200, within 1.3 times" {
    run apart copy 1.3
    assert_output "55 compared"
    run apart fill 1.3
    assert_output "11 compared"
    run apart "small copies" 1.3
    assert_output "4 compared"
}

@test "pinned memory is faster than pageable memory, and small copies are slow for their bytes" {
    us() { awk -F, -v variant="$1" -v bytes="$2" \
        '$1 == "copy" && $2 == variant && $3 == bytes { print $5 }' "$BATS_FILE_TMPDIR/simt.csv"; }
    for direction in HtoD DtoH; do
        run awk -v pinned="$(us "pinned $direction" 67108864)" -v \
            pageable="$(us "pageable $direction" 67108864)" \
            'BEGIN { print (pageable > 3 * pinned) }'
        assert_output 1
    done
    run awk -v small="$(us "pinned HtoD" 1024)" -v large="$(us "pinned HtoD" 1048576)" \
        'BEGIN { print (large < 10 * small) }'
    assert_output 1
}

@test "what runs at the same time in two streams takes what it takes on an H200, within 1.3 times" {
    run apart pair 1.3
    assert_output "11 compared"
}

# With 32 streams the H200's host was the limit: launches took it 4.7 us here, and take simt's 2.9.
@test "schedules of copies and kernels in 1 to 16 streams stand in the H200's order, depth first and breadth first" {
    run awk -F, '
        $1 != "overlap" || $4 > 16 { next }
        NR == FNR { measured[$2, $4] = $5 }
        NR > FNR { modelled[$2, $4] = $5; variants[$2] = 1 }
        END {
            for (variant in variants)
                for (a = 1; a <= 16; a *= 2)
                    for (b = 1; b <= 16; b *= 2)
                        if (measured[variant, a] < 0.9 * measured[variant, b]) {
                            n++
                            if (modelled[variant, a] >= modelled[variant, b]) print variant ": " a " streams are not faster than " b
                        }
            print n " pairs"
        }' "$MEASURED" "$BATS_FILE_TMPDIR/simt.csv"
    assert_output "18 pairs"
}

# Rows of kernels of one block in 16 and more streams measure the host, as above.
@test "kernels side by side and of other priorities take what they take on an H200, within 1.3 times" {
    run apart kernels 1.3
    refute_line --regexp '^kernels, ([2-9]|1[0-9])'
    refute_line --regexp '^kernels, 1 blocks, 0 bytes, [1248] streams'
    assert_line "42 compared"
    run apart priority 1.3
    assert_output "6 compared"
}

# off SCALE: the times of managed memory that differ by more than 1.6 times from SCALE times those of
# the H200, and how many were compared.
off() {
    awk -F, -v scale="$1" 'FNR == 1 { next }
        NR == FNR { measured[$1 ", " $2 " MiB"] = scale * $3; next }
        { what = $1 ", " $2 " MiB"; ratio = $3 / measured[what]; n++ }
        ratio > 1.6 || ratio < 1 / 1.6 { print what ": " $3 " ms, measured " measured[what] }
        END { print n " compared" }' plots/reference/h200/pages.csv "$BATS_TEST_TMPDIR/pages.csv"
}

# Of the host's reads of 1 MiB, 0.59 ms on an H200, the faults are less than half.
@test "pages of managed memory move as fast as on an H200, within 1.6 times" {
    make --no-print-directory DEVICE=sim build/calibrate/pages >/dev/null
    run -0 --separate-stderr build/bin/simt --quiet build/calibrate/pages 1 64
    echo "$output" >"$BATS_TEST_TMPDIR/pages.csv"
    run off 1
    assert_output --regexp "^host reads, 1 MiB: [^
]*
24 compared$"
    run off 4 # the comparison finds what is wrong
    assert_line --regexp "^first launch, 64 MiB: .* ms, measured 92$"
}

@test "graphs take what they took on an H200" {
    make --no-print-directory DEVICE=sim build/calibrate/graphs >/dev/null
    run -0 build/bin/simt --quiet build/calibrate/graphs
    # The host is not slowed down, so neither calls nor launches one by one are compared.
    run -0 awk -F, 'NR == FNR { measured[$1 "," $2 "," $4] = $5; next }
        $1 == "graph" && $2 !~ /launches/ { ratio = $5 / measured[$1 "," $2 "," $4]; compared++ }
        $1 == "graph" && $2 !~ /launches/ && (ratio < 1 / 1.4 || ratio > 1.4) { print $2, $4, ratio }
        END { print compared, "compared" }' plots/reference/h200/graphs.csv - <<<"$output"
    assert_output "51 compared"
}
