# The labs at three sizes (compare collect, model-runs.sh), and figures from lecture notes (compare
# notes).
load ../helpers

setup() {
    top=$PWD
    compare=$(realpath "${BUILD:-build}/bin/compare")
    cd "$BATS_TEST_TMPDIR" || return 1
}

RUN_HEAD=lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,device
METRICS_HEAD=lab,step,kernel,grid,block,metric,value,unit,backend,device

# a_run LAB TIME: run.csv and metrics.csv of a lab with two steps; the second launches its kernel in
# two shapes, one of them twice.
a_run() {
    printf '%s\n' $RUN_HEAD "$1,1,first,(8 1 1),(32 1 1),$2,1,2,1,1,ok,measured,NVIDIA H200" \
        "$1,2,second,(8 1 1),(64 1 1),$2,1,2,1,1,ok,measured,NVIDIA H200" \
        "$1,2,second,(8 1 1),(64 1 1),$2,1,2,1,1,ok,measured,NVIDIA H200" \
        "$1,2,second,(9 1 1),(2048 1 1),NA,NA,NA,NA,NA,invalid argument,measured,NVIDIA H200" \
        >run.csv
    printf '%s\n' $METRICS_HEAD "$1,1,first,(8 1 1),(32 1 1),ipc,0.5,u,ncu,NVIDIA H200" \
        "$1,2,second,(8 1 1),(64 1 1),ipc,1.5,u,ncu,NVIDIA H200" \
        "$1,2,second,(8 1 1),(64 1 1),ipc,2.5,u,ncu,NVIDIA H200" >metrics.csv
}

# into LAB SIZE PROBLEM TIME
into() {
    a_run "$1" "$4"
    "$compare" collect --into table.csv --size "$2" --problem "$3" --columns ipc,stall_sync \
        run.csv metrics.csv
}

@test "a row for each launch, with its metrics; what was not measured is NA" {
    into 3 small 64 0.25
    assert_equal "$(head -1 table.csv)" \
        lab,size,problem,step,launch,kernel,grid,block,status,time_ms,time_min_ms,time_max_ms,ipc,stall_sync,clock,device
    assert_equal "$(sed -n 2p table.csv)" \
        "3,small,64,1,1,first,(8 1 1),(32 1 1),ok,0.25,1,2,0.5,NA,measured,NVIDIA H200"
    assert_grep -xF \
        "3,small,64,2,1,second,(8 1 1),(64 1 1),ok,0.25,1,2,1.5,NA,measured,NVIDIA H200" <table.csv
    assert_grep -xF \
        "3,small,64,2,2,second,(8 1 1),(64 1 1),ok,0.25,1,2,2.5,NA,measured,NVIDIA H200" <table.csv
    assert_grep -xF \
        "3,small,64,2,3,second,(9 1 1),(2048 1 1),invalid argument,NA,NA,NA,NA,NA,measured,NVIDIA H200" \
        <table.csv
}

@test "what is measured again is replaced, the rest stays, labs and sizes in order" {
    into 3 large 4096 0.3
    into 1 large 1024 0.1
    into 3 small 64 0.2
    into 3 large 4096 0.4
    assert_equal "$(cut -d, -f1,2,10 table.csv | sed 1d | grep -v NA | uniq | tr '\n' ' ')" \
        "1,large,0.1 3,small,0.2 3,large,0.4 "
    assert_equal "$(grep -c . table.csv)" 13
}

@test "without a profile the times are kept" {
    a_run 3 0.25
    rm metrics.csv
    "$compare" collect --into table.csv --size small --problem 64 --columns ipc run.csv metrics.csv
    assert_grep -xF "3,small,64,1,1,first,(8 1 1),(32 1 1),ok,0.25,1,2,NA,measured,NVIDIA H200" \
        <table.csv
}

@test "compare collect names what it cannot read or write, and leaves the table as it was" {
    into 3 small 64 0.25
    cp table.csv before.csv
    run --separate-stderr "$compare" collect --into table.csv --size small --problem 64 --columns \
        ipc,stall_sync none.csv metrics.csv
    assert_failure 2
    assert_stderr "compare: none.csv: No such file or directory"
    diff table.csv before.csv
    run --separate-stderr "$compare" collect --into /no/such/table.csv --size small --problem 64 \
        --columns ipc run.csv metrics.csv
    assert_failure 2
    assert_stderr "compare: cannot write /no/such/table.csv: No such file or directory"
    run -2 --separate-stderr "$compare" collect run.csv metrics.csv
    assert_regex "$stderr" "^Usage: compare collect "
}

@test "a lab that fails is named and left out, the others are measured" {
    mkdir -p labs programs/lab1 programs/lab2
    printf 'number\tprogram\tmodel sizes\n1\tone\t\n2\ttwo\t64 128 256\n' >labs/labs.tsv
    printf '#!/bin/sh\necho lab one is broken; exit 1\n' >programs/lab1/one
    cat >programs/lab2/two <<'PROGRAM'
#!/bin/sh
echo "$@" >>arguments
while [ "$1" != --csv ]; do shift; done
cp run.csv "$2"
PROGRAM
    printf '#!/bin/sh\nexit 1\n' >labprof
    chmod +x programs/lab*/* labprof
    a_run 2 0.25
    RUN='' LABPROF=./labprof PROGRAMS=programs COMPARE=$compare run -1 --separate-stderr \
        "$top/common/dev/model-runs.sh" out/table.csv work ipc 1 2
    assert_regex "$stderr" "lab one is broken.*model: lab 1, size default failed; see above"
    assert_stderr --partial "model: the profile of lab 2, size 64 failed; see above"
    assert_equal "$(grep -c ^2, out/table.csv)" 12
    assert_equal "$(cat arguments)" "--repeat 10 --size 64 --csv work/lab2-small-run.csv
--repeat 10 --size 128 --csv work/lab2-medium-run.csv
--repeat 10 --size 256 --csv work/lab2-large-run.csv"
}

@test "record-model needs a GPU, and says so" {
    cd "$top"
    run -2 env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory record-model DEVICE=sim \
        BUILD="${BUILD:-build}"
    assert_output --partial "record-model keeps what a GPU measures"
}

@test "a lab at a larger size is kept by its number, and nothing of one that fails" {
    ln -s "$top/common" .
    a_run 3 0.25
    printf '#!/bin/bash\n[ "$1 $2" = "--size 64" ] && cp run.csv "$4"\n' >run
    chmod +x run
    run -0 common/dev/large.sh "" 3/64/./run
    assert_equal "$(cat plots/reference/h200/lab3-large.csv)" "$(cat run.csv)"
    run -1 common/dev/large.sh "" 4/65/./run
    assert [ ! -e plots/reference/h200/lab4-large.csv ]
}

# fast LAB STEP LIBRARY RATIO: in both recordings of the lab on an H200, the step has at least this
# ratio of the library's speed, with each argument but lab 9's default one.
fast() {
    for run in "$top"/plots/reference/h200/lab"$1"{,-large}.csv; do
        run -0 awk -F, -v step="$2" -v library="$3" -v least="$4" '
            FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ms") column = i }
            { name = $3; sub(/\(.*/, "", name); argument = substr($3, length(name) + 1) }
            name == step { time[argument] = $column }
            name == library && argument != "(1408)" { all++; ratio = $column / time[argument]
                if (ratio < least) { print $3 ": " ratio; bad = 1 } }
            END { exit bad || !all }' "$run"
    done
}

@test "labs are near their libraries on an H200, at both sizes" {
    fast 4 patches cudaMemcpy 0.9
    fast 9 MatMulAhead cublasSgemm 0.96
    fast 14 scanOnePass cubDeviceScan 0.95
    fast 15 countManyEach cubDeviceHistogram 0.95
}

# ---- Others' figures ----

noted() { run "$1" --separate-stderr "$compare" notes --output notes.md --scores scores \
    notes.tsv runs.tsv .; }

# What the notes say of two runs, the second of which was not made.
notes() {
    printf \
        'run\tkernel\tquantity\tvalue\twhere\none\tfirst\ttime_ms\t0.4\ta book\none\tsecond@64\ttime_ms\t0.1\ta book\none\tfirst\tipc\t1\ta book\nthree\tfirst\ttime_ms\t3\ta book\n' \
        >notes.tsv
    printf \
        'run\tfigures\ttitle\tgpu\tlab\tnvcc flags\targuments\none\tone\tA sum\tgtx1060\t3\t-G\t--size 64\ntwo\tthree\tAnother\tt4\t3\t\t\n' \
        >runs.tsv
    a_run 3 0.25
    mv run.csv one-run.csv
    mv metrics.csv one-metrics.csv
}

@test "figures from notes stand beside the model's" {
    notes
    noted -0
    assert_output --partial "| A sum | gtx1060 | 1 of 2 | NA |"
    assert_output --partial "| Another | t4 | 0 of 1 | NA |"
    assert_grep -xF '| `first` | time_ms | 0.4 | 0.25 | 0.625 | a book |' <notes.md
    assert_grep -xF '| `second@64` | time_ms | 0.1 | 0.25 | 2.5 | a book |' <notes.md
    assert_grep -xF '| `first` | ipc | 1 | 0.5 | 0.5 | a book |' <notes.md
    assert_grep -xF '| `first` | time_ms | 3 | NA | NA | a book |' <notes.md
    assert_grep -xF '0,0,one,NA,NA,close,1,times,notes,gtx1060' <scores-metrics.csv
}

@test "notes that are not there or not right" {
    notes
    sed -i 's/value/worth/' notes.tsv
    noted -2
    assert_stderr "compare: notes.tsv has no column value"
    rm notes.tsv
    noted -2
    assert_stderr "compare: notes.tsv: No such file or directory"
}

@test "every figure of the notes belongs to a run of simt or to a page, and every run has figures" {
    cd "$top"
    runs=$(awk -F'\t' '!/^#/ && $1 != "run" { print $2 }' common/compare/notes-runs.tsv | sort -u)
    shown=$(sed -n 's/^figures_[a-z0-9]* *= //p' handouts/rules.mk | tr ' ' '\n' | cut -d= -f2 | sort -u)
    measured=$(awk -F'\t' '!/^#/ && $1 != "run" { print $1 }' common/compare/notes.tsv | sort -u)
    assert_equal "$(printf '%s\n' "$runs" "$shown" | sort -u)" "$measured"
}
