# compare truth and compare order: modelled times against measured ones.
load ../helpers

setup() {
    top=$PWD
    compare=$(realpath "${BUILD:-build}/bin/compare")
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir gpu simt
    a_lab gpu "NVIDIA H200" measured 1
    a_lab simt "NVIDIA H200 (simt)" modelled 1.1
    three_sizes gpu "NVIDIA H200" measured 1
    three_sizes simt "NVIDIA H200 (simt)" modelled 1.1
    foreign 1.1
}

# a_lab FOLDER DEVICE CLOCK SLOWER: lab1.csv: twelve steps of one launch; times fall from step to
# step, and are all SLOWER times as long.
a_lab() {
    awk -v device="$2" -v clock="$3" -v slower="$4" 'BEGIN {
        print "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,device"
        for (step = 1; step <= 12; step++)
            print "1," step ",kernel" step ",(8 1 1),(32 1 1)," slower * (13 - step) ",1,1,1,1,ok," clock "," device
    }' >"$1/lab1.csv"
}

# three_sizes FOLDER DEVICE CLOCK SLOWER: model.csv: the same of two labs at one size, with metrics.
three_sizes() {
    awk -v device="$2" -v clock="$3" -v slower="$4" 'BEGIN {
        print "lab,size,problem,step,launch,kernel,grid,block,status,time_ms,achieved_occupancy,stall_sync,dram_read_bytes,dram_write_bytes,inst_executed,clock,device"
        for (lab = 1; lab <= 2; lab++)
            for (step = 1; step <= 12; step++)
                print lab ",large,64," step ",1,kernel" step ",(8 1 1),(32 1 1),ok," slower * (13 - step) ",0.5,20,4000000,1000000,800," clock "," device
    }' >"$1/model.csv"
}

# foreign SLOWER: 400 kernels of 150 programs.
foreign() {
    awk -v slower="$1" 'BEGIN {
        print "suite,program,kernel,grid,block,launches,gpu_time,simt_time"
        for (i = 0; i < 400; i++) printf "others,p%d,k%d,(%d 1 1),(64 2 1),2,%d,%d\n", i % 150, i, i + 1, 1000 * (i + 1), slower * 1000 * (i + 1)
    }' >foreign.csv
}

# slow N: each N-th of them takes 1.55 times as long on simt.
slow() {
    awk -F, -v OFS=, -v n="$1" 'NR > 1 && NR % n == 0 { $8 *= 1.55 } 1' foreign.csv >new.csv
    mv new.csv foreign.csv
}

# modelled FILE STEP COLUMN VALUE: another value of a step in simt's table.
modelled() {
    awk -F, -v OFS=, -v step="$2" -v column="$3" -v value="$4" \
        'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["step"] == step { $at[column] = value } 1' \
        "simt/$1" >new.csv
    mv new.csv "simt/$1"
}

judged() {
    to_run --separate-stderr "$compare" truth -- "$@" gpu/lab1.csv simt/lab1.csv gpu/model.csv \
        simt/model.csv foreign.csv foreign.csv
}

# missed ROW: this and nothing else is missed.
missed() {
    judged -1
    assert_equal "$(grep -F '**missed**' <<<"$output")" "$1"
}

@test "all that is asked is reached" {
    judged -0
    assert_lines 16 '| reached |'
    assert_line \
        "| Labs, default sizes: neighbours in another order than on the GPU | 0 | 0 | reached | 9 pairs |"
    assert_line "| Labs: time within 1.6 times, % | at least 97 | 100.0 | reached | 36 launches |"
    assert_line \
        "| Programs by others: rank correlation | at least 0.95 | 1.000 | reached | 400 launches |"
}

@test "the times of the labs: shares, of each lab too, and the mean error" {
    modelled lab1.csv 12 time_ms 0.7
    modelled lab1.csv 11 time_ms 2.6
    missed \
        "| Recordings of a lab: at least 85 % of the times within 1.25 times | all 3 | 2 | **missed** | 3 recordings |"
    modelled lab1.csv 11 time_ms 6
    judged
    # 35 of 36; (34 * 10 % + 200 % + 30 %) / 36.
    assert_line "| Labs: time within 1.6 times, % | at least 97 | 97.2 | reached | 36 launches |"
    assert_line \
        "| Labs: mean absolute error of the time, % | at most 13 | 15.8 | **missed** | 36 launches |"
}

@test "a launch that failed on simt is a miss, one that simt's table lacks is counted apart" {
    modelled lab1.csv 5 status WRONG
    judged -1 --output truth.md
    assert_line \
        "| Labs: mean absolute error of the time, % | at most 13 | NA | **missed** | 36 launches |"
    assert_line \
        "| Labs, default sizes: neighbours in another order than on the GPU | 0 | 2 | **missed** | 9 pairs |"
    assert_grep -E '^\| default size \| lab1 \| 12 \|.*\| 0 \|$' <truth.md
    sed -i '/,kernel5,/d' simt/lab1.csv
    judged --output truth.md
    assert_grep -E '^\| default size \| lab1 \| 11 \|.*\| 1 \|$' <truth.md
}

@test "a launch for which the model has no time is left out" {
    modelled lab1.csv 5 time_ms NA
    modelled lab1.csv 5 clock unmodelled
    judged --output truth.md
    assert_grep -E '^\| default size \| lab1 \| 11 \|.*\| 0 \|$' <truth.md
}

@test "one rule holds a third back: the SHA-256 of kernel, grid and block, as Nsight Compute prints them, is a multiple of 3" {
    judged --output truth.md --points points.csv
    # Each kernel by others, by another program; the sum of the digits of a hexadecimal number
    # leaves the rest by 3 of the number.
    want=$(sed '1d; 61q' foreign.csv | while IFS=, read -r _ _ kernel grid block _; do
        printf '%s%s%s' "$kernel" "${grid// /, }" "${block// /, }" | sha256sum | cut -c-64 | fold \
            -w 1 |
            awk \
                '{ sum += index("0123456789abcdef", $1) - 1 } END { print sum % 3 ? "tuned" : "held" }'
    done)
    assert_equal "$(grep ^others, points.csv | cut -d, -f2 | head -60)" "$want"
    held=$(grep -c '^others,held' points.csv)
    assert [ "$held" -gt 105 ]
    assert [ "$held" -lt 162 ]
    # The same kernel and shape is held back wherever it is recorded.
    assert_equal "$(grep ^default points.csv | cut -d, -f2)" \
        "$(grep ^sizes points.csv | cut -d, -f2 | head -12)"
}

@test "random kernels: half is held back by the seed, a row of another model or text is told" {
    awk 'BEGIN {
        print "kernel,grid,block,text,time_us,ptx_us,model"
        for (i = 0; i < 64; i++) printf "one_%d,(1 1 1),(32 1 1),t,%d,%d,abc\n", i, i + 1, 2 * i + 2
    }' >gpu/random.csv
    cp gpu/random.csv simt/random.csv
    judged --output truth.md --trust kinds.def gpu/random.csv simt/random.csv
    assert_grep -xF 'TRUST(PLAIN, "of such kernels", 64, 1.00, 2.00)' <kinds.def
    held=$(for i in {0..63}; do printf %s "$i" | sha256sum | cut -c2; done | grep -c '[13579bdf]')
    assert_line \
        "| Random kernels, held-back half: time within 1.6 times, % | at least 98 | 100.0 | reached | $held launches |"
    assert_line \
        "| Random kernels from PTX alone, held-back half: time within 1.6 times, % | at least 93 | 0.0 | **missed** | $held launches |"
    assert_line \
        "| Random kernels from PTX alone: families with at least 90 % within 1.6 times | all 1 | 0 | **missed** | 1 families |"
    assert_grep -E '^\| random kernels \| one \| 64 \|' <truth.md
    sed -i '3s/abc/abd/; 4s/,t,/,u,/' simt/random.csv
    judged --output truth.md gpu/random.csv simt/random.csv
    assert_grep -E '^\| random kernels \(old\) \| one \| 63 \|' <truth.md
}

@test "what is held back may be two points after the rest, no more" {
    judged --points points.csv
    step=$(awk -F, '$1 == "default" && ++n && $2 == "held" { print n; exit }' points.csv)
    modelled lab1.csv "$step" time_ms "$(awk "BEGIN { print 1.3 * (13 - $step) }")"
    judged -1
    assert_line --regexp \
        '^\| Labs, held-back third: time within 1\.25 times, % \| at least 98\.0, the rest.s less 2 \| [0-9.]+ \| \*\*missed\*\* \|'
}

@test "programs by others: how many, how close, in which order" {
    sed -i '$d' foreign.csv
    missed "| Programs by others: kernels | at least 400 | 399 | **missed** | 150 programs |"
    foreign 1.1
    sed -i 's/,p149,/,p148,/' foreign.csv
    missed "| Programs by others | at least 150 | 149 | **missed** | 400 kernels |"
    row="| Programs by others: "
    long="time within 1.6 times, of those of at least 6 µs, % | at least 95 |"
    foreign 1.05
    slow 9
    missed "${row}time within 1.6 times, % | at least 90 | 89.0 | **missed** | 400 launches |
$row$long 88.9 | **missed** | 395 launches |"
    foreign 1.05
    slow 15
    missed "$row$long 93.4 | **missed** | 395 launches |"
    foreign 1.2
    missed "${row}mean absolute error of the time, % | at most 15 | 20.0 | **missed** | 400 launches |"
    foreign 1.1
    awk -F, -v OFS=, \
        'NR == 1 { print; next } { gpu[NR] = $7; line[NR] = $0 } END { for (i = 2; i <= NR; i++) { $0 = line[i]; $8 = $7 * (i % 2 ? 1.59 : 0.63); print } }' \
        foreign.csv >new.csv
    mv new.csv foreign.csv
    judged -1
    assert_line --regexp \
        'by others: rank correlation . at least 0.95 . [0-9.]+ . \*\*missed\*\* . 400 launches'
}

@test "counts: a launch that is more than 2 % off is listed with the reason that is given" {
    modelled model.csv 3 inst_executed 817
    printf 'of\tlaunches\treason\ninstructions\tlab1/*\tbecause\n' >reasons.tsv
    judged -1 --output truth.md --reasons reasons.tsv
    assert_line \
        "| Labs and random kernels: instructions within 2 %, % | at least 98 | 91.7 | **missed** | 24 launches |"
    run -0 grep -F '| 1.021 | NA | NA |' truth.md
    assert_line "| lab1 | \`kernel3\` | (8 1 1) | (32 1 1) | large |  | 1.021 | NA | NA | because |"
    assert_lines 2 'kernel3'
}

@test "occupancy, stalls where there are some, and DRAM traffic" {
    for what in achieved_occupancy:0.56:"achieved_occupancy within 5 points, % | at least 90" \
        dram_read_bytes:4600000:"DRAM bytes within 10 %, % | at least 95" \
        stall_sync:31:"stall_sync within 10 points, where it is at least 1 % on the GPU, % | at least 90"; \
        do
        IFS=: read -r column value row <<<"$what"
        three_sizes simt "NVIDIA H200 (simt)" modelled 1.1
        for step in 1 2 3; do modelled model.csv $step "$column" "$value"; done
        missed "| Labs: $row | 75.0 | **missed** | 24 launches |"
        modelled model.csv 1 "$column" NA
        missed "| Labs: $row | 75.0 | **missed** | 24 launches |"
    done
    # What the GPU does not say, or where hardly a warp waits, is not judged.
    sed -i 's/,20,4000000/,0.9,4000000/' gpu/model.csv
    judged
    assert_line --regexp '^\| Labs: stall_sync .* \| NA \| \*\*missed\*\* \| 0 launches \|$'
}

@test "neighbours in another order are named: launches, and steps by their fastest launch" {
    in_order() { run --separate-stderr "$compare" order gpu/lab1.csv simt/lab1.csv; }
    in_order
    assert_success
    assert_output "0 of 9 pairs of neighbours in another order than on the GPU"
    # Kernels 1 and 2 take 12 and 11 ms on the GPU, which is no order; 6 and 7 take 7 and 6.
    modelled lab1.csv 1 time_ms 13
    modelled lab1.csv 7 time_ms 7.7
    in_order
    assert_failure 1
    assert_line \
        "lab1: step 6, kernel6 (8 1 1) (32 1 1), takes 1.17 times as long as step 7, kernel7 (8 1 1) (32 1 1), on the GPU and 1.00 times on simt"
    assert_line "1 of 9 pairs of neighbours in another order than on the GPU"
    missed \
        "| Labs, default sizes: neighbours in another order than on the GPU | 0 | 1 | **missed** | 9 pairs |"
    judged --output truth.md
    assert_grep -F \
        '| lab1 | default | 6 `kernel6` (8 1 1) (32 1 1) | 7 `kernel7` (8 1 1) (32 1 1) | 1.17 | 1.00 |' \
        <truth.md
    # Step 2 has two launches. Its last one follows step 1 and precedes step 3 in order; its fastest
    # one is after step 3.
    for side in gpu:0.4:0.9 simt:1:2; do
        IFS=: read -r folder fastest last <<<"$side"
        head -1 $folder/lab1.csv >new.csv
        for launch in "1,a,$last" "2,b,$fastest" "2,c,$last" "3,d,0.6"; do
            echo "1,${launch%,*},(8 1 1),(32 1 1),${launch##*,},1,1,1,1,ok,clock,$folder" >>new.csv
        done
        mv new.csv $folder/lab1.csv
    done
    in_order
    assert_failure 1
    assert_line \
        "lab1: step 3, d (8 1 1) (32 1 1), takes 1.50 times as long as step 2, b (8 1 1) (32 1 1), on the GPU and 0.60 times on simt"
    assert_line "1 of 4 pairs of neighbours in another order than on the GPU"
}

@test "a run of which simt has no launch, such as one at another size, has no order" {
    sed -i 's/(8 1 1)/(9 1 1)/' simt/lab1.csv
    run --separate-stderr "$compare" order gpu/model.csv simt/model.csv gpu/lab1.csv simt/lab1.csv
    assert_failure 2
    assert_stderr "compare: lab1: simt has none of the GPU's launches: run it at the recorded size"
}

@test "the report: a row for each lab and suite, the ten worst with the reason, and no row left out by one" {
    printf 'of\tlaunches\treason\ntime dram\tlab2/* lab1/kernel7\ta fact\n' >reasons.tsv
    modelled lab1.csv 7 time_ms 12
    modelled lab1.csv 3 time_ms 20
    judged --reasons reasons.tsv --output truth.md --every every.md --points points.csv --scores \
        scores --plot here.svg
    assert_failure 1
    assert_grep -xF '![Modelled time against measured time of every launch](here.svg)' <truth.md
    for row in 'labs | all | 36' 'default size | lab1 | 12' 'three sizes | lab2 | 12' \
        'programs by others | others | 400'; do
        assert_grep -F "| $row |" <truth.md
    done
    assert_grep -E \
        '^\| 7 \| `kernel7` \| \(8 1 1\) \| \(32 1 1\) \|  \| (yes)? ?\| 6000\.00 \| 12000\.00 \| 2\.00 \| a fact \|$' \
        <truth.md
    assert_grep -E '^\| 3 \| `kernel3` .*\| 2\.00 \| not known \|$' <truth.md
    assert_equal "$(sed -n '/^### lab1, default size/,/^### /p' truth.md | grep -c kernel.*µs)" 1
    assert_equal \
        "$(sed -n '/^### lab1, default size/,/^### lab1, three/p' truth.md | grep -c '`kernel')" 10
    assert_equal "$(grep -c '`kernel' every.md)" 36
    assert_grep -xF "0,0,all,NA,NA,time_1_6,94.44,%,truth,NVIDIA H200" <scores-metrics.csv
    assert_grep -xF "0,0,lab1,NA,NA,launches,12,launches,truth,NVIDIA H200" <scores-metrics.csv
    "$top"/plots/draw-truth.sh points.csv "A title" plot
    assert [ -s plot.svg ]
    assert [ -s plot.png ]
    printf 'of\tlaunches\treason\ntime\tlab2/kernel1\tright\ntime\tlab3/*\twrong\n' >reasons.tsv
    judged -2 --reasons reasons.tsv
    assert_stderr \
        'compare: reasons.tsv:3: no launch fits this reason: mend `of` or `launches`, or remove the row'
}

@test "tables that are not there or not right" {
    judged -2 --output /no/such/truth.md
    assert_regex "$stderr" "^compare: cannot write /no/such/truth\.md: "
    sed -i 's/,ok,/,WRONG,/' gpu/lab1.csv
    run -2 --separate-stderr "$compare" order gpu/lab1.csv simt/lab1.csv
    assert_stderr "compare: gpu/lab1.csv has no launch that was timed"
    echo nothing >simt/model.csv
    judged -2
    assert_stderr "compare: simt/model.csv has no column lab"
    rm simt/model.csv
    judged -2
    assert_stderr "compare: simt/model.csv: No such file or directory"
    run -2 --separate-stderr "$compare" truth gpu/lab1.csv
    assert_regex "$stderr" "^Usage: compare truth "
    run -2 "$top"/plots/draw-truth.sh none.csv "A title" plot
    assert_regex "$output" "^plot: none\.csv has no points"
}

@test "what is recorded is in the truth table as it stands" {
    cd "$top"
    cp plots/reference/truth.md "$BATS_TEST_TMPDIR/truth.md"
    copy_project
    run user_make truth
    assert_equal "$(grep -c '\*\*missed\*\*' <<<"$output")" \
        "$(grep -c '\*\*missed\*\*' "$BATS_TEST_TMPDIR/truth.md")"
    if [[ $output == *'**missed**'* ]]; then assert_failure 2; else assert_success; fi
    for file in plots/reference/{truth.md,h200/model.md,h200/truth-scores-metrics.csv} \
        common/simt/api/trust.def; do diff "$file" "$tree/$file"; done
}
