# What lecture notes teach: each thing has a row in handouts/notes.md, and each row a place in a
# page.

load ../helpers

readonly NOTES=handouts/notes.md

# The rows of the page's tables: heading, kind, thing, where, what differs; with a tab between.
rows() {
    sed -n 's/^| *\(.*[^ ]\) *|$/\1/p' "$NOTES" | grep -vE '^(heading \||---)' | sed 's/ *| */\t/g'
}

# The places in the pages: PAGE.md#ANCHOR of each heading, as pandoc and code hosts name them.
places() {
    for page in handouts/*.md; do
        sed -n 's/^##* //p' "$page" | tr '[:upper:]' '[:lower:]' | sed \
            "s/[^a-z0-9_ -]//g; s/ /-/g; s/^/${page##*/}#/"
    done
}

@test "notes: each row has five cells, a known kind, and places that are there" {
    places >"$BATS_TEST_TMPDIR/places"
    run -0 awk -F'\t' '
        NR == FNR { there[$0]; next }
        function wrong(why) { printf "%s: %s\n", why, $0; bad = 1 }
        NF != 5 || /\t\t/ { wrong("not five cells with text") }
        $2 !~ /^(kernel|listing|table|figure|command|formula|question|rule|fact)$/ { wrong("no such kind") }
        $4 !~ /^\[[^]]+\]\(/ { wrong("no place") }
        { while (match($4, /\]\([^)]*\)/)) {
            if (!((place = substr($4, RSTART + 2, RLENGTH - 3)) in there)) wrong(place " is not there")
            $4 = substr($4, RSTART + RLENGTH) } }
        END { exit bad }' "$BATS_TEST_TMPDIR/places" <(rows)
}

@test "notes: each of the five notes has its rows, and no row stands twice" {
    while IFS=: read -r note least; do
        found=$(sed -n "/^## $note\$/,/^## /p" "$NOTES" | grep -c '^| ')
        assert [ "$found" -gt "$least" ] # rows of the note, and the columns' names
    done \
        <<<$'Performance optimisation:88\nCUDA execution model:158\nParallel reduction:37\nSmall strategies:40\nCUDA programming on the GPU:95'
    assert_equal "$(rows | sort | uniq -d)" ""
}

@test "notes: a lab has rows, or the page says that no note has what it teaches" {
    without=$(grep -oP '(?<=Labs).*(?=teach what no note has)' "$NOTES" | tr -cs 0-9 ' ')
    for lab in $(awk -F'\t' 'NR > 1 { print $1 }' labs/labs.tsv); do
        named=$(rows | grep -cF "(lab$lab.md" || true)
        if [[ $without == *" $lab "* ]]; then
            assert_equal "lab $lab: $named rows" "lab $lab: 0 rows"
        else
            assert [ "$named" -gt 0 ]
        fi
    done
}

@test "notes: a kernel's name is in the text that its row names" {
    while IFS=$'\t' read -r _ kind thing places _; do
        [ "$kind" = kernel ] || continue
        name=$(grep -oE '`[A-Za-z0-9_]+' <<<"$thing" | head -n 1 | tr -d '`')
        page=$(grep -oE '[a-z0-9]+\.md' <<<"$places" | head -n 1)
        grep -qwF -- "${name:?no kernel in: $thing}" "handouts/$page" || fail \
            "$page does not name $name"
    done < <(rows)
}

@test "notes: the README links to every lab's text and to the page of notes" {
    for page in $(awk -F'\t' 'NR > 1 { print "lab" $1 }' labs/labs.tsv) simulator profiler notes; do
        assert_grep -F "](handouts/$page.md)" <README.md
    done
}

@test "notes: throughputs are in bytes a second: nvprof's GB of 2^30 bytes fit the bytes and the profiled times" {
    # The clocks of the six programs under the profiler, in ms: a constant more than the kernel
    # takes.
    clocks='32x32 273.369 32x16 247.466 16x32 244.212 16x16 240.271 16x8 246.472 8x16 240.333'
    run awk -F'\t' -v clocks="$clocks" '
        BEGIN { count = split(clocks, word, " "); for (i = 1; i < count; i += 2) clock["sumMatrix@" word[i]] = word[i + 1] }
        $3 == "gld_efficiency" { efficiency[$2] = $4 / 100 }
        $3 ~ /throughput$/ { throughput[$2] = $4; printed = $5; sub(/.*nvprof: /, "", printed); ratio = $4 / printed }
        $3 ~ /throughput$/ { converted += ratio > 0.9999 * 2 ^ 30 && ratio < 1.0001 * 2 ^ 30 }
        END { for (shape in clock) {
                more = clock[shape] - 1000 * 2 * 2 ^ 30 / efficiency[shape] / throughput[shape]
                if (more < 14 || more > 15) print shape, more
            }
            print converted, "converted" }' common/compare/notes.tsv
    assert_output "15 converted"
}

# Sectors of a block of 1024 threads that chains `g_idata[idx] += ...` over so many chunks, and then
# folds itself: 32 warps; strides 512 to 32 of whole warps, then 2, 1, 1, 1 and 1 sectors with 0, 0,
# 16, 24 and 28 bytes unused.
@test "notes: the efficiencies of their unrolled kernels are those of a chain of additions in memory" {
    run awk -F'\t' '
        function share(sectors, unused) { return sprintf("%.2f", 100 - 100 * unused / (32 * sectors)) }
        BEGIN { for (chunks = 2; chunks <= 8; chunks *= 2) {
            lines = (chunks - 1) * 32
            want["reduceUnroll" chunks, "gld"] = share(2 * 4 * (lines + 31) + 2 * 6 + 1, 2 * 68 + 28)
            want["reduceUnroll" chunks, "gst"] = share(4 * (lines + 31) + 6 + 1, 68 + 28) } }
        { metric = substr($3, 1, 3) }
        ($2, metric) in want && $3 ~ /efficiency$/ { compared++; if (want[$2, metric] != sprintf("%.2f", $4)) print $2, $3, $4, want[$2, metric] }
        END { print compared, "compared" }' common/compare/notes.tsv
    assert_output "6 compared"
}

# built_program NAME: $program is built of tests/programs/NAME.cu. Of several builds it is the plain
# one.
built_program() {
    local compiler=nvcc
    with_nvcc || compiler='../../common/front/cudac -std=c++17'
    run -0 env DEVICE=sim BUILD="${BUILD:-build}" NVCC="$compiler" tests/programs/run -b "$1"
    program=${BUILD:-build}/programs/$1
    [ -f "$program" ] || program+=-plain
}

# OPTIONS have the program's arguments after them: words that begin with a digit.
@test "notes: a program as notes print it compiles, runs, and shows the metrics of the command beside it" {
    needs_nvcc
    commands=0
    mapfile -t sources < <(grep -l '^// nvprof' tests/programs/*.cu)
    for source in "${sources[@]}"; do
        built_program "$(basename "$source" .cu)"
        while IFS='|' read -r options patterns; do
            commands=$((commands + 1))
            read -ra words <<<"${options#* nvprof}"
            mapfile -t given < <(printf '%s\n' "${words[@]}" | grep '^[^0-9]')
            mapfile -t arguments < <(printf '%s\n' "${words[@]}" | grep '^[0-9]')
            run "${BUILD:-build}/bin/labprof" "${given[@]}" "${BUILD:-build}/bin/simt" "$program" \
                "${arguments[@]}"
            assert_success
            output=$(tr '\n' ' ' <<<"$output") # a kernel and its metrics
            while IFS= read -r pattern; do assert_output --regexp "$pattern"; done < \
                <(sed 's/^ *//; s/ *$//; s/ *| */\n/g' <<<"$patterns")
        done < <(grep '^// nvprof' "$source")
    done
    assert [ "$commands" -ge 11 ]
}

# The cells of the table in a page that follows these words: table PAGE WORDS; with a tab between.
table() {
    sed -n "/$2/,/^#/p" "handouts/$1" | sed -n '/^|/,/^$/p' | sed -n 's/^| *\(.*[^ ]\) *|$/\1/p' |
        sed 's/ *| */\t/g' | sed 1,2d
}

# counted METRIC: kernel and value, a line each, of $program on simt.
counted() {
    "${BUILD:-build}/bin/labprof" --csv --metrics "$1" --log-file "$BATS_TEST_TMPDIR/log" \
        "${BUILD:-build}/bin/simt" "$program" >/dev/null
    sed -nE 's/^"NVIDIA[^"]*","(program_[a-z_]+::)?([A-Za-z]+)\(.*,([0-9.]+)%?$/\2 \3/p' \
        "$BATS_TEST_TMPDIR/log"
}

@test "lab 10: the sectors of each kind of index are those that simt counts" {
    built_program index_kinds
    counted=$(counted gld_transactions_per_request | cut -d' ' -f2)
    assert_equal "$(wc -l <<<"$counted")" 6
    assert_equal "$(table lab10.md 'Name the kind' | cut -f4)" \
        "$(xargs -n1 printf '%g\n' <<<"$counted")"
}

@test "lab 10: a strided loop is unrolled as the table says" {
    run -0 awk -F'\t' 'function gcd(a, b) { return b ? gcd(b, a % b) : a }
        { printf "%d\t%d\t%d\t%.2f\n", $1, 16 / gcd($1, 16), $1 / gcd($1, 16), 16 / $1 }' <(table lab10.md 'three numbers for m')
    assert_lines 6
    assert_equal "$(table lab10.md 'three numbers for m')" "$output"
}

@test "lab 6: the answers about a launch's third argument and about zeros" {
    built_program shared_argument
    run -0 "${BUILD:-build}/bin/simt" "$program" 1024 1024
    assert_line "5795 numbers: right"
    run ! "${BUILD:-build}/bin/simt" "$program" 1024 0
    assert_output --regexp \
        "by thread \(0,0,0\) in block .* is out of bounds in the block's 0 bytes of shared memory"
    run ! "${BUILD:-build}/bin/simt" "$program" 1024 512
    assert_output --partial "by thread (512,0,0) in block"
    run "${BUILD:-build}/bin/simt" "$program" 1024 20000
    assert_line "5795 numbers: wrong"
    assert_output --regexp "1 launch failed, and the program never asked .*invalid argument"
    blocks=$(((5795 + 1023) / 1024))
    assert_grep -xF "$((blocks * 1024 - 5795)) and $((8192 - 5795))." <handouts/lab6.md
}

# 0, 1, 2, ...: a block's sum is exact, and the CPU adds the blocks' sums.
@test "lab 6: floats added in blocks of 1024 and one after the other first differ at 5795" {
    run python3 - <<'END'
import struct

def rounded(x):
    return struct.unpack('f', struct.pack('f', x))[0]

chain, blocks, total, n = 0, [], 0, 0
while total == chain:
    if n % 1024 == 0:
        blocks.append(0)
    chain, blocks[-1], total, n = rounded(chain + n), blocks[-1] + n, 0, n + 1
    for block in blocks:
        total = rounded(total + block)
print(n, len(blocks), abs(total - chain))
END
    assert_output "5795 6 2.0"
}

@test "labs 4, 6 and 7: the answers to questions" {
    built_program questions
    run counted gst_efficiency
    assert_line "storeAlongRows 100.000000"
    assert_line "storeDownColumns 12.500000"
    run counted shared_ld_bank_conflict
    assert_line "storeAlongRows $((31 * 512))" # 512 loads of a warp
    assert_line "storeDownColumns 0"
    run counted gld_transactions_per_request
    assert_line "byGrid 4.000000"
    assert_line "byStretch 32.000000"
    assert_line "backwards 4.000000"
    run counted gld_efficiency
    assert_line "byGrid 100.000000"
    assert_line "byStretch 12.500000"
    assert_line "backwards 100.000000"
    run "${BUILD:-build}/bin/simt" "$program"
    assert_output --partial "both transposes are right, both sums are"
}
