# compare labs: counts that agree pass, and each way to disagree fails with its name.
load ../helpers

setup() {
    project=$PWD
    compare=$(realpath "${BUILD:-build}/bin/compare")
    cd "$BATS_TEST_TMPDIR" || return 1
    measurement reference "NVIDIA H200"
    measurement other "NVIDIA H200 (simt)"
}

# measurement NAME DEVICE: four steps.
measurement() {
    echo lab,step,kernel,grid,block,metric,value,unit,backend,device >"$1-metrics.csv"
    for step in 1 2 3 4; do
        for metric in gld_transactions:1000 gst_requests:10 gld_efficiency:25 branch_efficiency:70 \
            inst_per_warp:300 stall_sync:12; do
            echo "3,$step,kernel$step,(16 1 1),(32 1 1),${metric%:*},${metric#*:},u,b,$2" \
                >>"$1-metrics.csv"
        done
    done
}

# set_value METRIC STEP VALUE: in the other measurement.
set_value() { sed -i -E "s/^(3,$2,.*,$1,)[^,]*/\1$3/" other-metrics.csv; }

# reasons LINE...: reasons.tsv, with \t for tabs.
reasons() { printf '%b\n' 'metric\tkernel\twithin\treason' "$@" >reasons.tsv; }

compared() {
    to_run --separate-stderr "$compare" labs -- "$@" reference-metrics.csv other-metrics.csv
}

@test "what agrees passes" {
    compared -0
    assert_output --partial "| gld_transactions | equal | 0 | \`kernel1\` | pass |"
    refute_output --partial gld_requests
}

# within METRIC VALUE, beyond METRIC VALUE: of step 3.
within() {
    set_value "$1" 3 "$2"
    compared -0
}
beyond() {
    set_value "$1" 3 "$2"
    compared -1
    assert_grep -E "^\| $1 \|.*\| \`kernel3\` \| \*\*FAIL\*\* \|" <<<"$output"
}

@test "sectors and requests must be equal" { beyond gld_transactions 1001; }
@test "requests must be equal" { beyond gst_requests 9; }
@test "an efficiency may differ by half a point" { within gld_efficiency 25.5; beyond gld_efficiency 24.4; }
@test "branch efficiency may differ by two points" { within branch_efficiency 68; beyond branch_efficiency 72.1; }
@test "instructions per warp may differ by a quarter" { within inst_per_warp 375; beyond inst_per_warp 224; }
@test "a judged value that is NA fails, one that the reference lacks does not" {
    beyond inst_per_warp NA
    sed -i 's/inst_per_warp,300/inst_per_warp,NA/' reference-metrics.csv
    compared -0
}
@test "stalls are shown, not judged" { within stall_sync NA; [[ $output != *stall_sync* ]]; }

@test "the table is written as Markdown, with the reasons" {
    reasons 'inst_per_warp\t*\t-\tptxas unrolls.' 'inst_per_warp\tkernel2\t-\tfew blocks.'
    compared -0 --reasons reasons.tsv --output table.md
    assert_grep -x '# reference: NVIDIA H200 (simt) against NVIDIA H200' <table.md
    assert_grep -xF '| 3 | `kernel3` | 300 | 300 | 0.0 % | 25 % | pass |' <table.md
    assert_grep -xF '| 3 | `kernel3` | 12 | 12 | 0 | none |  |' <table.md
    assert_grep -x 'Why it differs: ptxas unrolls.' <table.md
    assert_grep -x 'Why it differs, kernel2: few blocks.' <table.md
    assert_grep -x 'Not recorded, so not judged: .*, gld_requests, .*' <table.md
}

@test "a reason excuses what it says it does, and no more" {
    reasons 'gld_transactions\tkernel3\t5\tsome sectors come twice.' 'inst_per_warp\t*\t-\tcomment.'
    set_value gld_transactions 3 1005
    compared -0 --reasons reasons.tsv --output table.md
    assert_output --partial "| gld_transactions | equal | 5 | \`kernel3\` | explained |"
    assert_grep -xF '| 3 | `kernel3` | 1000 | 1005 | 5 | equal | explained |' <table.md
    set_value gld_transactions 3 1006
    compared -1 --reasons reasons.tsv
    set_value gld_transactions 3 NA
    compared -1 --reasons reasons.tsv
    set_value gld_transactions 3 1000
    set_value gld_transactions 2 1001
    compared -1 --reasons reasons.tsv
    set_value gld_transactions 2 1000
    set_value inst_per_warp 2 1000
    compared -1 --reasons reasons.tsv
}

@test "bank conflicts are judged by the request" {
    for side in reference other; do
        echo "3,3,kernel3,(16 1 1),(32 1 1),shared_load,100,u,b,$side" >>$side-metrics.csv
        echo "3,3,kernel3,(16 1 1),(32 1 1),shared_ld_bank_conflict,3100,u,b,$side" \
            >>$side-metrics.csv
    done
    within shared_ld_bank_conflict 3105
    beyond shared_ld_bank_conflict 3106
}

@test "each launch of a kernel is compared with its own, by its shape and by its turn" {
    for side in reference other; do
        for shape in '(8 1 1),(64 1 1)' '(8 1 1),(64 1 1)' '(4 1 1),(128 1 1)'; do
            echo "3,3,kernel3,$shape,gld_transactions,700,u,b,$side" >>$side-metrics.csv
        done
    done
    compared -0 --output table.md
    assert_equal \
        "$(grep -cF '| 3 | `kernel3` (8 1 1) (64 1 1) | 700 | 700 | 0 | equal | pass |' table.md)" 2
    sed -i '$s/700/701/' other-metrics.csv
    compared -1
    assert_output --partial \
        "| gld_transactions | equal | 1 | \`kernel3\` (4 1 1) (128 1 1) | **FAIL** |"
    sed -i '$s/701/700/' other-metrics.csv
    sed -i '0,/(64 1 1),gld_transactions,700/s//(64 1 1),gld_transactions,702/' other-metrics.csv
    compared
    assert_output --partial \
        "| gld_transactions | equal | 2 | \`kernel3\` (8 1 1) (64 1 1) | **FAIL** |"
}

@test "an overview has a row for each kernel of all that is compared" {
    set_value gld_transactions 3 1001
    run -1 --separate-stderr "$compare" labs --overview all.md reference-metrics.csv \
        reference-metrics.csv reference-metrics.csv other-metrics.csv
    assert_equal "$(grep -c '^| reference | [1-4] | `kernel' all.md)" 8
    assert_grep -xF '| reference | 3 | `kernel3` | 1 | equal |  | 0 | 0.0 % | pass |' <all.md
    assert_grep -xF '| reference | 3 | `kernel3` | 1 | 1 **FAIL** |  | 0 | 0.0 % | **FAIL** |' \
        <all.md
    assert_grep -xF '| [reference](reference-simt.md) | 4 | 19 | 0 | 1 |' <all.md
}

@test "launches that the other side lacks are not passed over" {
    sed -i 's/^\(3,2,kernel2,\)(16 1 1)/\1(17 1 1)/' other-metrics.csv
    compared -2
    assert_stderr \
        "compare: reference: step 2, kernel2<<<(16 1 1), (32 1 1)>>>: this launch is in the reference only"
    sed -i '/^3,2,/d' other-metrics.csv
    compared -2
    # But of a step's launches some may be missing.
    sed -i 's/^3,2,/3,1,/' reference-*.csv
    compared -0
    assert_output --partial "1 more launches are in the reference only."
}

@test "files that are not there, not right, or cannot be written" {
    compared -2 --output /no/such/table.md
    assert_stderr "compare: cannot write /no/such/table.md: No such file or directory"
    echo nothing >other-metrics.csv
    compared -2
    assert_stderr "compare: other-metrics.csv has no column lab"
    rm other-metrics.csv
    compared -2
    assert_stderr "compare: other-metrics.csv: No such file or directory"
    run -2 --separate-stderr "$compare" labs one
    assert_regex "$stderr" "^Usage: compare labs "
    compared -2 --points points.csv
    assert_regex "$stderr" "unrecognized option '--points'.*Usage: compare labs "
    run -2 --separate-stderr "$compare" everything
    assert_regex "$stderr" \
        "^compare: give a command: labs, compilers, truth, order, notes or collect\."
}

@test "what has been recorded of GPUs agrees with what has been recorded of the simulator, in all that is counted" {
    cd "$project" || return 1
    for simulated in plots/reference/*-simt/lab*-metrics.csv; do
        gpu=$(basename "$(dirname "$simulated")" -simt) lab=$(basename "$simulated" -metrics.csv)
        [ -f "plots/reference/$gpu/$lab-metrics.csv" ] || continue
        reasons=plots/reference/$lab-reasons.tsv
        [ -f "$reasons" ] || reasons=
        run "$compare" labs ${reasons:+--reasons "$reasons"} \
            "plots/reference/$gpu/$lab-metrics.csv" "$simulated"
        assert_equal "$lab: $status $(grep -F '**FAIL**' <<<"$output")" "$lab: 0 "
        assert_grep "^| \[$lab\]($lab-simt.md) |" <"plots/reference/$gpu/simt.md"
    done
}

@test "make compare holds all labs that are recorded against the simulator, and each by itself" {
    cd "$project" || return 1
    copy_project
    # Two labs, one with two builds; the simulator plays the hardware, too.
    sed -i -E '/^(number|0|1)\t/!d' "$tree/labs/labs.tsv"
    rm -r "$tree"/plots/reference/*
    for lab in 0 1; do user_make record-lab$lab DEVICE=sim SIZE=64; done
    mv "$tree/plots/reference/h200-simt" "$tree/plots/reference/h200"
    run -0 user_make compare SIZE=64
    assert_equal "$(grep -c '^| lab' "$tree/plots/reference/h200/simt.md")" 25
    for lab in lab0 lab1 lab1-debug; do assert [ -s "$tree/plots/reference/h200/$lab-simt.md" ]; \
        done
    sed -i '/,quadBranch,.*,gld_requests,/s/gld_requests,[0-9]*/gld_requests,1/' \
        "$tree/plots/reference/h200/lab1-metrics.csv"
    run -0 user_make compare-lab0 SIZE=64
    run -2 user_make compare-lab1 SIZE=64
    run -2 user_make compare SIZE=64
    assert_output --partial '`quadBranch` | **FAIL** |'
    rm "$tree"/plots/reference/h200/lab1.csv "$tree"/plots/reference/h200/lab1-debug.csv
    run -0 user_make compare SIZE=64
    run -2 user_make compare-lab1 SIZE=64
    assert_output --partial "there is no plots/reference/h200/lab1.csv"
}
