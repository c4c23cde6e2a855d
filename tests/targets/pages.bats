# The plots, the handouts and what they claim: from measurements to pictures and pages, and what
# happens when those are bad.
# shellcheck disable=SC2154 # bats sets status, output and lines

load ../helpers

bin="${BUILD:-build}/bin"

setup() {
    export FORMATS=svg
    work="$BATS_TEST_TMPDIR/it's here" # a blank and a quote: paths are data
    mkdir -p "$work"
    header=lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,device
    device="NVIDIA H200 (simt)"
    {
        echo "$header"
        echo "3,1,reduceNeighbored,(16384 1 1),(1024 1 1),0.5,0.5,0.5,134.2,1,ok,modelled,$device"
        echo \
            "3,2,reduceNeighboredLess,(16384 1 1),(1024 1 1),0.25,0.25,0.25,268.4,2,ok,modelled,$device"
        echo "3,3,reduceInterleaved,(16384 1 1),(1024 1 1),NA,NA,NA,NA,NA,todo,modelled,$device"
    } >"$work/run.csv"
    {
        echo lab,step,kernel,grid,block,metric,value,unit,backend,device
        for metric in inst_per_warp,300 branch_efficiency,71.5 gld_efficiency,25 \
            gld_throughput,2e+12 stall_sync,NA; do
            echo "3,1,reduceNeighbored,(16384 1 1),(1024 1 1),$metric,x,simt,$device"
        done
        echo "3,2,reduceNeighboredLess,(16384 1 1),(1024 1 1),inst_per_warp,140,x,simt,$device"
    } >"$work/metrics.csv"
}

# ---- Plots ----

draw() {
    plots/draw.sh --lab 3 "$@"
}

@test "plots: a run becomes four pictures, and nothing else is left" {
    FORMATS='' run draw --run "$work/run.csv" --metrics "$work/metrics.csv" --out "$work/out/lab3"
    assert_success
    assert_equal "$(ls "$work/out")" \
        "$(printf 'lab3-%s\n' metrics-2.png metrics-2.svg metrics.png metrics.svg time.png time.svg)"
    assert_equal "$(head -c 4 "$work/out/lab3-time.png" | tail -c 3)" PNG
    assert_grep '</svg>' <"$work/out/lab3-time.svg"
    assert_grep '500 µs' <"$work/out/lab3-time.svg"
    assert_grep 'modelled' <"$work/out/lab3-time.svg"
    assert_grep 'peak 4814 GB/s' <"$work/out/lab3-time.svg"
    assert_grep 'to do' <"$work/out/lab3-time.svg"
}

@test "plots: what is not available says n/a and draws no zero" {
    draw --run "$work/run.csv" --metrics "$work/metrics.csv" --out "$work/lab3" --recorded ''
    assert_grep 'n/a' <"$work/lab3-metrics.svg"
    assert_grep '2000' <"$work/lab3-metrics.svg"
    run grep -cE '>0(\.0*)?<' "$work/lab3-metrics.svg"
    assert_output 0
}

@test "plots: the recorded measurement of another problem is left out, and the page says so" {
    sed -i 's/(16384 1 1)/(99 1 1)/' "$work/run.csv"
    draw --run "$work/run.csv" --out "$work/lab3"
    assert_grep 'another size' <"$work/lab3-time.svg"
    run grep -c 'recorded: ' "$work/lab3-time.svg"
    assert_output 0
}

@test "plots: size 0, all steps to do, a wrong one, one without a time" {
    for change in 's/,0\.[25]*,0\.[25]*,0\.[25]*,[0-9.]*,/,0,0,0,0,/' \
        's/[0-9.]*,[0-9.]*,[0-9.]*,[0-9.]*,[0-9]*,ok/NA,NA,NA,NA,NA,todo/' \
        's/,ok,/,"WRONG (index 3, got 0, want 1)",/' 's/0.25,0.25,0.25,268.4,2/NA,NA,NA,NA,NA/'; do
        sed "2,\$$change" "$work/run.csv" >"$work/odd.csv"
        run -0 draw --run "$work/odd.csv" --out "$work/odd" --text always
        assert_grep '</svg>' <"$work/odd-time.svg"
        refute_output --partial "warning"
    done
}

@test "plots: a wrong result is no time on the ladder" {
    sed '2,$s/,ok,/,"WRONG (index 3, got 0, want 1)",/' "$work/run.csv" >"$work/odd.csv"
    LC_ALL=C.UTF-8 run draw --run "$work/odd.csv" --text only --recorded ''
    assert_output --partial "WRONG"
    refute_output --partial "500 µs"
}

@test "plots: text has the width asked for, colour only on request, and stays ASCII where the locale is" {
    LC_ALL=C.UTF-8 NO_COLOR=1 run -0 draw --run "$work/run.csv" --text only --width 70
    assert_output --partial "500 µs"
    refute_output --partial $'\033'
    for line in "${lines[@]:5}"; do assert [ "$(printf %s "$line" | LC_ALL=C.UTF-8 wc -m)" -le 70 \
        ]; done
    LC_ALL=C run draw --run "$work/run.csv" --text only
    assert_output --partial "500 us"
    assert_equal "$(printf %s "$output" | LC_ALL=C tr -d '\000-\177')" ""
}

@test "plots: what cannot be drawn is refused with the reason" {
    run -2 draw --run "$work/none.csv" --out "$work/x"
    assert_output --partial "does not exist: run the lab first"
    : >"$work/empty.csv"
    run -2 draw --run "$work/empty.csv" --out "$work/x"
    echo "$header" >"$work/headed.csv"
    run -2 draw --run "$work/headed.csv" --out "$work/x"
    assert_output --partial "has no rows"
    run -2 draw --run Makefile --out "$work/x"
    assert_output --partial "no column time_ms"
    run -2 plots/draw.sh --lab 99 --run "$work/run.csv" --out "$work/x"
    assert_output --partial "lab 99 has no plots"
    run -2 draw --run "$work/run.csv" --out /proc/none/x
    assert_output --partial "cannot write to /proc/none"
    run -2 draw --recorded '' --out "$work/x"
    assert_output --partial "nothing to draw"
    assert_equal "$(ls "$work"/x* 2>/dev/null)" ""
}

@test "plots: without gnuplot it says how to get it" {
    mkdir -p "$work/path"
    for tool in sh dirname sed cat; do ln -s "$(command -v $tool)" "$work/path/$tool"; done
    PATH="$work/path" run -2 draw --run "$work/run.csv" --out "$work/x"
    assert_output --partial "gnuplot is not installed: run 'make setup'"
}

@test "plots: pictures of an older run do not outlive a new one" {
    draw --run "$work/run.csv" --metrics "$work/metrics.csv" --out "$work/lab3" --recorded ''
    assert [ -f "$work/lab3-metrics.svg" ]
    draw --run "$work/run.csv" --out "$work/lab3" --recorded ''
    assert [ -f "$work/lab3-time.svg" ]
    assert [ ! -e "$work/lab3-metrics.svg" ]
}

# ---- Numbers in handouts ----

handout() {
    local mode=$1
    shift
    "$bin/handout" "$mode" "$work/text.md" --numbers "$work/numbers.tsv" --source \
        "sim=$work/run.csv,$work/metrics.csv" "$@"
}

text() {
    printf '%s\n' "$@" >"$work/text.md"
}

# The definitions, each as NAME|COLUMN|EXPRESSION|DECIMALS.
numbers() {
    printf '%s\n' 'name|column|expression|decimals' "$@" | tr '|' '\t' >"$work/numbers.tsv"
}

# Leaves one kernel in the run.
one_kernel() {
    sed -i '/todo/d; /Less/d' "$work/run.csv"
}

@test "handout: numbers, words and tables are filled in" {
    text 'takes 7<!--=time--> µs, n/a<!--=half--> (-1<!--=minus-->) of it <!--claim: a-->' \
        'on <!--@ sim.device-->old<!--/-->' '' '<!--table all--><!--/-->'
    numbers 'time||1000 * sim.reduceNeighbored.time_ms|1' 'half||time / 2|0' 'minus||0 - half|2' \
        'all|kernel|kernels *' 'all|stall|sim.$.stall_sync|0' 'all|inst|sim.$.inst_per_warp|0'
    one_kernel
    run -0 handout fill --out "$work/out.md"
    assert_grep -x 'takes 500.0 µs, 250 (-250.00) of it <!--claim: a-->' <"$work/out.md"
    assert_grep -x 'on NVIDIA H200 (simt)' <"$work/out.md"
    assert_grep -x '| kernel | stall | inst |' <"$work/out.md"
    assert_grep -x '|---|---:|---:|' <"$work/out.md"
    assert_grep -x '| `reduceNeighbored` | n/a | 300 |' <"$work/out.md"
    run grep -c -- '<!--[^c]' "$work/out.md"
    assert_output 0
}

@test "handout: what has not been recorded yet is n/a, everywhere" {
    text 'takes 7<!--=ratio--> µs' '' '<!--table both--><!--/-->'
    numbers 'ratio||1000 * gpu.reduceNeighbored.time_ms / sim.reduceNeighbored.time_ms|1' \
        'both|kernel|kernels *' 'both|gpu|gpu.$.time_ms|0' 'both|sim|sim.$.time_ms|1'
    one_kernel
    run "$bin/handout" fill "$work/text.md" --numbers "$work/numbers.tsv" --source gpu= --source \
        "sim=$work/run.csv,$work/metrics.csv" --out "$work/out.md"
    assert_success
    assert_grep -x 'takes n/a µs' <"$work/out.md"
    assert_grep -x '| `reduceNeighbored` | n/a | 0.5 |' <"$work/out.md"
}

@test "handout: a table of what another source has" {
    text '<!--table it--><!--/-->'
    numbers 'it|thing|kernels none* al* of other' 'it|t|other.$.time_ms|2'
    sed 's/reduceNeighbored,/alone,/; /reduce/d' "$work/run.csv" >"$work/other.csv"
    run -0 handout fill --source "other=$work/other.csv,$work/metrics.csv" --out "$work/out.md"
    assert_equal "$(grep -c '^| `' "$work/out.md")" 1
    assert_grep -x '| thing | t |' <"$work/out.md"
    assert_grep -x '| `alone` | 0.50 |' <"$work/out.md"
    run -1 handout fill --out "$work/none.md"
    assert_output --partial "text.md:1: there is no source other"
}

@test "handout: a table of rows by name, and of each beside the one before" {
    text '<!--table steps--><!--/-->' '' '<!--table sizes--><!--/-->'
    numbers 'steps|step|each one=reduceNeighbored two=reduceNeighboredLess' \
        'steps|faster|sim.$before.time_ms / sim.$.time_ms|1' 'sizes|n|each 1 20' \
        'sizes|twice|2 * $|0'
    run -0 handout fill --out "$work/out.md"
    assert_grep -x '| one |  |' <"$work/out.md"
    assert_grep -x '| two | 2.0 |' <"$work/out.md"
    assert_grep -x '|---:|---:|' <"$work/out.md" # numbers stand on the right
    assert_grep -x '| 20 | 40 |' <"$work/out.md"
}

@test "handout: update writes what check then accepts, and twice is as once" {
    text 'one 7<!--=time-->, and' '7<!--=time-->' '' '<!--table all--><!--/-->' '' '```' \
        'code: 7<!--=other-->' '```'
    numbers 'time||sim.reduceNeighbored.time_ms|2' 'all|kernel|kernels *' 'all|t|sim.$.time_ms|2'
    run -1 handout check
    assert_output --partial "text.md:1: says 7, measured is 0.50"
    assert_output --partial "text.md:2: says 7, measured is 0.50"
    assert_output --partial "text.md:4: the table is not what was measured"
    handout update
    cp "$work/text.md" "$work/once.md"
    handout update
    diff "$work/text.md" "$work/once.md"
    run -0 handout check
    assert_grep -xF 'one 0.50<!--=time-->, and' <"$work/text.md"
    assert_grep -xF 'code: 7<!--=other-->' <"$work/text.md"
}

@test "handout: check names a definition that the text does not use" {
    text 'one 1<!--=one-->'
    numbers 'half||0.5|1' 'one||2 * half|0' 'idle||1|0' 'none|kernel|kernels *'
    run -1 handout check
    assert_output --partial "numbers.tsv:4: $work/text.md does not use idle"
    assert_output --partial "numbers.tsv:5: $work/text.md does not use none"
    refute_output --partial "half"
}

@test "handout: a number that is not there is an error with its line, and no file is written" {
    for expression in sim.reduceNeighbored.stall_sync sim.reduceNeighbored.stal_sync \
        sim.reduceInterleaved.time_ms gpu.reduceNeighbored.time_ms \
        'sim.reduceNeighbored.time_ms / 0' '1 +' nobody later it; do
        text 'first line' "second 0<!--=it-->"
        numbers "it||$expression|1" 'later||1|0'
        run -1 handout fill --out "$work/out.md"
        assert_output --partial "text.md:2: "
        assert [ ! -e "$work/out.md" ]
    done
    for comment in '0<!--=nobody-->' '<!--@ gpu.device--><!--/-->' \
        'table <!--table nobody--><!--/-->' 'table <!--table it--><!--/-->'; do
        text 'first line' "second $comment"
        run -1 handout fill --out "$work/out.md"
        assert_output --partial "text.md:2: "
        assert [ ! -e "$work/out.md" ]
    done
}

@test "handout: bad comments, definitions and calls are refused" {
    numbers 'one||1|0'
    for line in 'no number <!--=one-->' '<!--=one-->' 'open 1<!--=one' 'a <!--@ sim.device-->' \
        'a <!--@ sim.device--> 1<!--=one--> <!--/-->' 'a <!--@ device--><!--/-->' \
        '<!--@ sim.device--><!--/-->'; do
        text "$line"
        run -2 handout fill --out "$work/out.md"
        assert_output --partial "text.md:1: "
    done
    text 'a 1<!--=one-->' '<!--table t--><!--/-->'
    for definition in 'one||1' 'one||1|99' 'one||1|x' 'one||1|0:one||2|0' 'one||1|0:t|kernel|all' \
        'one||1|0:t|kernel'; do
        IFS=: read -ra definitions <<<"$definition"
        numbers "${definitions[@]}"
        run -2 handout fill --out "$work/out.md"
        assert_output --partial "numbers.tsv:$((${#definitions[@]} + 1)): "
    done
    text hello
    numbers
    run -2 handout fill
    assert_output --partial -- "--out"
    run -2 handout fill --out /proc/none/out.md
    assert_output --partial "/proc/none/out.md"
    run -2 "$bin/handout" fill "$work/none.md" --numbers "$work/numbers.tsv" --out "$work/out.md"
    assert_output --partial "none.md"
    run -2 "$bin/handout" check "$work/text.md" --numbers "$work/none.tsv"
    assert_output --partial "none.tsv"
    run -2 "$bin/handout" check "$work/text.md"
    assert_output --partial -- "--numbers"
    echo 'name' >"$work/numbers.tsv"
    run -2 handout check
    assert_output --partial "has no column column"
    numbers
    run -2 handout check --source "x=$work/none.csv"
    run -2 "$bin/handout"
    assert_output --partial "give fill, update or check, and a text"
    run -2 handout mend
    assert_output --partial "mend: give fill, update or check"
    run -2 handout check --outfile x
    assert_output --partial "unrecognized option '--outfile'"
}

# ---- Claims ----

claims() {
    {
        printf 'lab\tstep\tmetric\trelation\tbound\ton\tanchor\tsays\tid\n'
        printf '%s\tplace\twords\tthe-id\n' "$@"
    } | tr '|' '\t' >"$work/claims.tsv"
    run "$bin/claims" --claims "$work/claims.tsv" --lab 3 --run "$work/run.csv" --metrics \
        "$work/metrics.csv" "${also[@]}"
}

@test "claims: those that hold, against numbers and other kernels" {
    claims '3|reduceNeighboredLess|inst_per_warp|<|0.5 * reduceNeighbored.inst_per_warp|any' \
        '3|reduceNeighbored|time_ms|>=|0.5|sim' \
        '3|reduceNeighbored|speedup|<=|1|NVIDIA H200 (simt)' '3|reduceNeighbored|speedup|>|5|gpu' \
        '4|someKernel|x|>|5|any'
    assert_success
    assert_output --partial "1..3"
    assert_output --partial "# 3 hold, 0 do not, 0 could not be checked here"
    assert_output --partial "ok 1 - the-id: reduceNeighboredLess.inst_per_warp = 140 < 150"
}

@test "claims: a count is as claimed, or it is not" {
    claims '3|reduceNeighboredLess|inst_per_warp|=|140|any'
    assert_success
    claims '3|reduceNeighboredLess|inst_per_warp|=|140.0001|any'
    assert_failure 1
    sed -i 's/reduceNeighboredLess/reduceNeighboredLess(4)/' "$work/run.csv" "$work/metrics.csv"
    claims '3|reduceNeighboredLess(4)|inst_per_warp|=|reduceNeighboredLess(4).inst_per_warp|any'
    assert_success
}

@test "claims: one that does not hold fails, and so does one about nothing" {
    claims '3|reduceNeighbored|time_ms|<|0.5|any' '3|reduceNeighbored|speedup|>=|1|any'
    assert_failure 1
    assert_output --partial "not ok 1 - the-id: reduceNeighbored.time_ms = 0.5 < 0.5"
    claims '3|reduceNeighbored|no_such_metric|<|1|any' '3|reduceNeighbored|speedup|>=|1|any'
    assert_failure 1
    assert_output --partial "the results have no reduceNeighbored.no_such_metric"
    claims '3|reduceNeighbored|time_ms|<|noKernel.time_ms|any'
    assert_failure 1
    assert_output --partial "the results have no noKernel.time_ms"
    sed -i 's/,ok,/,WRONG (index 0),/' "$work/run.csv"
    claims '3|reduceNeighbored|time_ms|<|1|any'
    assert_failure 1
    assert_output --partial "its step failed"
}

@test "claims: what is not available or still to do is skipped, but not all of it" {
    claims '3|reduceNeighbored|stall_sync|<|1|any' '3|reduceInterleaved|time_ms|<|1|any' \
        '3|reduceNeighbored|speedup|>=|1|any'
    assert_success
    assert_output --partial "# skip reduceNeighbored.stall_sync is not available on this device"
    assert_output --partial "# skip reduceInterleaved.time_ms is still to do"
    claims '3|reduceNeighbored|stall_sync|<|1|any'
    assert_failure 1
}

@test "claims: other runs, and a table of constants" {
    printf '# devices\nconstant\tunit\tsmall\tlarge\nsms\tcount\t10\t132\n' >"$work/gpus.tsv"
    sed 's/,0\.5,/,0.75,/' "$work/run.csv" >"$work/other.csv"
    also=(--also "other=$work/other.csv" --also "gpus=$work/gpus.tsv")
    claims '3|other.reduceNeighbored|time_ms|=|1.5 * reduceNeighbored.time_ms|any' \
        '3|gpus.large|sms|=|13.2 * gpus.small.sms|any'
    assert_success
    assert_output --partial "# 2 hold, 0 do not"
    claims '3|gpus.larger|sms|=|132|any'
    assert_failure 1
    assert_output --partial "the results have no gpus.larger.sms"
    claims '3|gpus.large|smx|=|132|any'
    assert_failure 1
    also=(--also "gpus=$work/none.tsv")
    claims '3|gpus.large|sms|=|132|any'
    assert_failure 2
    assert_output --partial "none.tsv"
}

@test "claims: rows that cannot be read end the program" {
    claims '3|reduceNeighbored|time_ms|about|1|any'
    assert_failure 2
    assert_output --partial "line 2: relation about"
    claims '3|reduceNeighbored|time_ms|<|1 +|any'
    assert_failure 2
    assert_output --partial "line 2: bound 1 +"
    run "$bin/claims" --claims Makefile --lab 3 --run "$work/run.csv" --metrics "$work/metrics.csv"
    assert_failure 2
    run -2 "$bin/claims" --lab 3
    assert_output --partial -- "--claims, --lab, --run and --metrics are all needed"
}

# A page about lab 3 with these lines, and claims.tsv with those ids: marks IDS LINE...
marks() {
    {
        printf 'lab\tid\tstep\tmetric\n'
        for id in $1; do printf '3\t%s\treduceNeighbored\tbranch_efficiency\n' "$id"; done
        printf '4\tcolumn\tcopyCol\ttime_ms\n'
    } >"$work/claims.tsv"
    printf '%s\n' "${@:2}" >"$work/lab3.md"
    run awk -f handouts/marks.awk "$work/claims.tsv" "$work/lab3.md"
}

@test "marks: each names claims of its lab, and each claim has a mark" {
    marks 'a b' 'Step 2 is faster. <!--claim: a b-->' 'Step 3 is slower <!--claim: b-->, too.' \
        '```' 'code <!--claim: c-->' '```'
    assert_success
    refute_output
    marks 'a' 'Step 2 is faster. <!--claim: a column-->'
    assert_failure 1
    assert_output "$work/lab3.md:1: claims.tsv has no claim column of lab 3"
    marks 'a b' 'Step 2 is faster. <!--claim: a-->'
    assert_failure 1
    assert_output "claims.tsv:3: $work/lab3.md has no mark b"
    marks '' 'Step 2 is faster. <!--claim: -->'
    assert_failure 1
    assert_output "$work/lab3.md:1: a mark without a claim"
}

@test "marks: tests and files are there" {
    marks '' \
        'It is. <!--tested: tests/targets/pages.bats: marks: tests and files--> <!--cited: plots/reference/README.md, there-->' \
        'A GPU of 2008 had 30 % of it. <!--cited: some book-->'
    assert_success
    marks '' 'It is. <!--tested: tests/targets/pages.bats: marks: that nobody wrote-->' \
        'And so on. <!--cited: plots/nowhere.md-->'
    assert_failure 1
    assert_line "$work/lab3.md:1: no such test: tests/targets/pages.bats: marks: that nobody wrote"
    assert_line "$work/lab3.md:2: no file of the project: plots/nowhere.md"
}

# ---- The handouts themselves ----

# The anchors of a text: its headings as pandoc and code hosts name them.
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed "s/[^a-z0-9_ -]//g; s/ /-/g"
}

@test "handouts: what TODOs and claims point to is there" {
    for text in handouts/*.md; do anchors "$text" | sed "s|^|$text#|"; done >"$work/there"
    {
        grep -ohE 'handouts/lab[0-9]+\.md#[a-z0-9-]+' labs/*/*.cu
        awk -F'\t' \
            '!/^#/ && $1 != "lab" { print "handouts/" ($1 ~ /^[0-9]/ ? "lab" : "") $1 ".md#" $8 }' \
            handouts/claims.tsv
    } | sort -u >"$work/pointers"
    assert [ "$(wc -l <"$work/pointers")" -gt 100 ]
    run grep -vxFf "$work/there" "$work/pointers"
    refute_output # what points to nothing
}

@test "handouts: what their marks name is there, and each claim has a mark" {
    run -0 awk -f handouts/marks.awk handouts/claims.tsv handouts/*.md
}

@test "handouts: what they claim holds of the recorded devices, and each claim is checked somewhere" {
    run -0 make --no-print-directory BUILD="${BUILD:-build}" claims-recorded
    checked=$(grep -oE '^ok [0-9]+ - [^:]*: ' <<<"$output" | cut -d' ' -f4 | sort -u)
    assert_equal "$(grep -v '^#' handouts/claims.tsv | tail -n +2 | cut -f2 | sort -u)" \
        "$(tr -d : <<<"$checked" | sort -u)"
    refute_output --partial "# skip"
}

@test "handouts: every picture is there, is drawn as the program draws it, and is shown" {
    for text in handouts/*.md; do
        lab=$(basename "$text" .md)
        [ -f "handouts/draw/$lab.c" ] || continue
        mkdir -p "$work/img/$lab"
        "$bin/draw-$lab" "$work/img/$lab"
        for picture in "$work/img/$lab"/*.svg; do
            cmp "$picture" "handouts/img/${picture##*/}"
            assert_grep -F "(img/${picture##*/})" <"$text"
        done
        run -1 "$bin/draw-$lab" /proc/none
        assert_output --partial "/proc/none/$lab-"
    done
    for picture in $(grep -ohE '\(img/[^)]*\)' handouts/*.md | tr -d '()'); do assert [ -f \
        "handouts/$picture" ]; done
}

@test "handouts: each has a way of at most 1,800 words before the heading More, and a kernel line by line" {
    # Each listing whose lines have numbers is part of the lab's program.
    bare() { sed -zE 's,/\*([^*]|\*[^/])*\*/|//[^\n]*,,g; s/[ \n]+//g'; }
    for text in handouts/lab*.md; do
        words=$(awk -f handouts/words.awk "$text")
        assert [ "$words" -gt 500 ]
        assert [ "$words" -le 1800 ]
        rm -f "$work"/listing-*
        awk -v to="$work/listing-" '/^## More$/ { exit } /^```/ { inside = $0 == "```c"; n += inside; next }
            inside { print >(to n) }' "$text"
        mapfile -t listings < <(grep -l ' // 1$' "$work"/listing-*)
        assert [ "${#listings[@]}" -ge 1 ]
        program=$(basename "$text" .md)
        [ -d solutions ] || continue # the students' edition has not all kernels
        program=$(cat "solutions/$(lab_field "${program#lab}" folder)/"*.cu | bare)
        for listing in "${listings[@]}"; do
            kernel=$(bare <"$listing")
            [[ -n $kernel && $program = *"$kernel"* ]] || fail "$text: $(cat "$listing")"
        done
    done
}

@test "handouts: the numbers in the texts are those recorded" {
    run -0 make --no-print-directory BUILD="${BUILD:-build}" handouts-check
}

@test "handouts: the recorded simulator is today's simulator, in each of a lab's builds" {
    for text in handouts/lab[0-9]*.md; do
        lab=$(basename "$text" .md)
        results="${BUILD:-build}/solutions/$lab"
        [ -f "$results/metrics.csv" ] || skip "the claims were not checked before"
        for metrics in "$results"/metrics*.csv; do
            tail=${metrics##*/metrics}
            # the tests build as C++11, whose code with -G is a tenth shorter
            [ "$tail" != -debug.csv ] || continue
            # Within 5 %: another compiler's code may differ a little.
            awk -F, -v lab="$lab" 'NR == FNR { recorded[$3 $4 $5 FS $6] = $7; next }
                FNR > 1 && (was = recorded[$3 $4 $5 FS $6]) != "NA" && was != 0 && ($7 / was > 1.05 || $7 / was < 0.95) {
                    print $3 $4 $5 " " $6 " was " was ", is " $7 ": make record-" lab " DEVICE=sim handouts-update"; bad = 1 }
                END { exit bad }' "plots/reference/h200-simt/$lab${tail%.csv}-metrics.csv" "$metrics"
        done
    done
}

@test "handouts: an H200's peak bandwidth is one figure, as lab 0 forms it, in the texts and the pictures" {
    peak=$(awk -v mhz="$(common/tools/gpu.sh get h200 memory_clock_mhz)" -v bits="$(common/tools/gpu.sh get h200 memory_bus_bits)" 'BEGIN { printf "%.0f", 2e-3 * mhz * bits / 8 }')
    assert_equal "$(grep -ohE 'peak [0-9]+ GB/s' handouts/img/*.svg | sort -u)" "peak $peak GB/s"
    for lab in 3 4 6 9 11; do
        assert_grep -F "$peak<!--=peak-->" <"handouts/lab$lab.md"
        assert_grep -xF \
            $'peak\t\t2e-3 * gpus.h200.memory_clock_mhz * gpus.h200.memory_bus_bits / 8\t0' \
            <"handouts/lab$lab.numbers.tsv"
    done
    # No other figure, as a number or as a divisor.
    run -1 grep -nE '\b4800\b|/ 4\.8\b' handouts/lab[0-9]*.md
}

@test "handouts: one page, with nothing to fetch" {
    make --no-print-directory BUILD="${BUILD:-build}" handouts
    page="${BUILD:-build}/handouts/lab3.html"
    assert_grep 'id="reduceunroll4"' <"$page"
    assert_grep '<table' <"$page"
    run grep -cE '<!--(claim|tested|cited|rule):' "$page"
    assert_output 0
    marks=$(grep -oE '<!--claim:' handouts/lab3.md | wc -l)
    assert_equal "$(grep -oE '<a href="claims.html#lab3-[a-z0-9-]+">✓' "$page" | wc -l)" "$marks"
    run grep -cE '(src|href)="(img|http|page\.css)' "$page"
    assert_output 0
    run grep -c -- '<!--=' "$page"
    assert_output 0
}

@test "handouts: where a slider says more than a table, the explorer opens at the step" {
    make --no-print-directory BUILD="${BUILD:-build}" handouts
    for lab in 2 3 4 7 8 9; do
        marks=$(grep -c '^<!--explore:' "handouts/lab$lab.md")
        page="${BUILD:-build}/handouts/lab$lab.html"
        assert [ "$marks" -gt 0 ]
        assert_equal "$(grep -c "data-page=\"../explore/lab$lab.html#step=" "$page")" "$marks"
        while read -r step; do
            assert_grep -E "__global__ .*\b$step\(" <<<"$(cat "labs/lab$lab"-*/*.cu)"
        done < <(sed -n 's/^<!--explore: step=\([A-Za-z0-9]*\).*/\1/p' "handouts/lab$lab.md")
        run grep -c '<!--explore' "$page"
        assert_output 0
    done
    assert_grep -F 'data-page="../explore/lab4.html#step=smem&amp;size=512"' \
        <"${BUILD:-build}/handouts/lab4.html"
}

@test "handouts: a page of all, links from page to page, and tables that scroll in a box of their own" {
    make --no-print-directory BUILD="${BUILD:-build}" handouts
    pages="${BUILD:-build}/handouts"
    for text in handouts/*.md; do
        name=$(basename "$text" .md)
        assert_grep -F "<a href=\"$name.html\">$(sed -n 's/^# //p;T;q' "$text")</a>" \
            <"$pages/index.html"
        assert_equal "$(grep -c '<table' "$pages/$name.html")" \
            "$(grep -c '<div class="wide" tabindex="0"><table' "$pages/$name.html")"
        assert_grep 'href="index.html"' <"$pages/$name.html"
        # each other one shows modelled times
        [[ $name = @(teaching|rules) ]] || assert_grep 'href="truth.html"' <"$pages/$name.html"
    done
    # What a page links to is there, and so is the place in it.
    run awk '
        function next_match(pattern) { # in rest
            if (!match(rest, pattern)) return 0
            found = substr(rest, RSTART, RLENGTH)
            gsub(/^[^"]*"|"$/, "", found)
            rest = substr(rest, RSTART + RLENGTH)
            return 1
        }
        FNR == 1 { page = FILENAME; sub(/.*\//, "", page); there[page] }
        { for (rest = $0; next_match("id=\"[^\"]*\"");) there[page "#" found] }
        { for (rest = $0; next_match("href=\"[a-z0-9]+\\.[a-z]+(#[^\"]*)?\"");) { links[found] = page; n++ } }
        END { for (link in links) if (!(link in there)) print links[link] ": " link; print (n > 300 ? "many" : n), "links" }' "$pages"/*.html
    assert_output "many links"
    assert_grep 'rel="prev" href="lab9.html"' <"$pages/lab10.html"
    assert_grep 'rel="next" href="lab11.html"' <"$pages/lab10.html"
    run grep -c 'rel="prev"' "$pages/lab0.html"
    assert_output 0
    assert_grep 'href="simulator.html#the-model"' <"$pages/lab5.html"
    assert_grep 'prefers-color-scheme: dark' <"$pages/index.html"
    assert_grep -E '\.wide *\{ *overflow-x: *auto' <"$pages/lab3.html"
}

# ---- Slides ----

# slides OUT LAB FROM: the slides of a lab, with what H200 recorded; skipped where npm cannot fetch
# reveal.js.
slides() {
    local build="${BUILD:-build}" source program
    source=$3/$(lab_field "$2" folder)/$(lab_field "$2" program).cu
    [ "$3" = labs ] || build+=/solutions
    program=$build/lab$2/$(lab_field "$2" program)
    build="${BUILD:-build}"
    [ -f "$source" ] || skip "the students' edition has no $source"
    make DEVICE=sim "$build/slides/node_modules/reveal.js/dist/reveal.js" || skip \
        "npm fetches nothing here"
    make DEVICE=sim "$program"
    common/slides/slides.sh "$2" "$source" "$program" "$build/bin/simt" \
        "$build/slides/node_modules/reveal.js" "plots/reference/h200/lab$2.csv" "$1"
}

# complete_slides: those of lab 3's complete program, in $complete.
complete_slides() {
    complete=$BATS_FILE_TMPDIR/complete.html
    [ -f "$complete" ] || slides "$complete" 3 solutions
}

@test "slides: a page that needs nothing else has a slide, a source, a stage, a row and the notes of each step" {
    complete_slides
    for class in step inside result; do
        assert_equal "$class $(grep -o "<section[^>]*level2 $class\"" "$complete" | wc -l)" \
            "$class 9"
    done
    assert_equal "$(grep -c 'id="recording-' "$complete")" 9
    assert_equal "$(grep -c '^class Recording\|class Recording {' "$complete")" 1 # the stage's script once
    assert [ "$(stat -c %s "$complete")" -lt 4000000 ]
    assert_equal "$(grep -c '<aside class="notes">' "$complete")" 18
    assert [ "$(grep -o '<section[^>]*level2 source"' "$complete" | wc -l)" -ge 9 ]
    assert [ "$(grep -o '<section[^>]*level2 picture"' "$complete" | wc -l)" -ge 7 ]
    assert_equal "$(grep -c '<b style="width:' "$complete")" 45 # 1 + 2 + ... + 9
    assert_equal "$(grep -c '<th[^>]*>ms, measured</th>' "$complete")" 9
    run grep -cE -e "src=[\"']?(https?:)?//" -e "href=[\"']?(https?:)?//" -e "@import[^;]*https?:" "$complete"
    assert_output 0
}

# slides_of LAB: its slides as Markdown, in $work/slides.md, with what an H200 recorded, or its model.
slides_of() {
    local recorded=plots/reference/h200/lab$1.csv
    [ -f "$recorded" ] || recorded=plots/reference/h200-simt/lab$1.csv
    awk -f common/slides/slides.awk "$recorded" "solutions/$(lab_field "$1" folder)/$(lab_field "$1" program).cu" /dev/null \
        <(awk -v sentence=1 -f common/tools/what-if.awk common/labprof/metrics.tsv \
            "plots/reference/h200-simt/lab$1-metrics.csv") "handouts/lab$1.md" >"$work/slides.md"
}

# result STEP: its slide with its rows and bars.
result() {
    awk -v title="## $1: result" 'index($0, "## ") == 1 { here = index($0, title) == 1 } here' "$work/slides.md"
}

@test "slides: a chart is of one size and one task, with the lab's rate, and names what differs" {
    [ -d solutions ] || skip "the students' edition has no solutions"
    slides_of 9
    # Of two sizes the larger, in which the last step is the fastest.
    run result MatMulWarpTiles
    assert_output --partial 'GFLOP/s'
    refute_output --partial '(512)'
    assert_equal "$(grep -c 'class="chart"\|<div><span>' <<<"$output")" 9
    local fastest
    fastest=$(awk -F, '$3 == "MatMulWarpTiles(4096)" { printf "%.4f ms", $6 }' plots/reference/h200/lab9.csv)
    assert_equal "$(grep -oE '[0-9.]+ ms</div>' <<<"$output" | sort -n | head -1)" "$fastest</div>"
    slides_of 12
    run result depthFirst
    for streams in 1 2 4 8 16; do assert_output --partial "| depthFirst($streams) |"; done
    slides_of 8
    run result read32
    assert_output --partial 'fastest of 33: read32('
    assert_output --regexp 'in the model of an H200: bank conflicts 9[0-9] %'
}

@test "slides: the figures are the complete program's at its default size, or recorded ones" {
    [ -d solutions ] || skip "the students' edition has no solutions"
    run make -n slides-lab3 DEVICE=sim SIZE=5000
    assert_output --regexp "lab3/reduction --csv ${BUILD:-build}/slides/lab3.csv >/dev/null"
    refute_output --partial 5000
    run make -n slides-lab3 DEVICE=sim REPLAY=h200
    assert_output --partial ' plots/reference/h200/lab3.csv '
    refute_output --partial 'reduction --csv'
}

@test "slides: each step of each lab has its source, in a size for a hall" {
    for lab in $(awk -F'\t' 'NR > 1 && $1 { print $1 }' labs/labs.tsv); do
        source=solutions/$(lab_field "$lab" folder)/$(lab_field "$lab" program).cu
        [ -f "$source" ] || skip "the students' edition has no $source"
        slides_of "$lab"
        # Of what stands beside the steps, such as a library, no source is asked.
        steps=$(sed -nE '/^## [0-9]+\. (cub|cudaMemcpy|productWgmma)/d; s/^## [0-9]+\. (.*) \{.*/\1/p' "$work/slides.md")
        assert_equal "$lab $(sed -nE '/^## cub/d; s/^## (.*): (source|what is new)[^{]* \{.*/\1/p' "$work/slides.md" | uniq)" "$lab $steps"
        # No slide is higher or wider than the screen, none is cut within a statement, and all can be read in a hall.
        run awk -v lab="$lab" '/^## / { title = $0; lines = rows = 0; code = 0 }
            /--size: / { match($0, /size: [0-9]+/); size = substr($0, RSTART + 6, RLENGTH - 6) + 0; if (size < 21) print lab, title, size " pixels" }
            /^~~~~$/ { if (last !~ /[;{}]$|^ *\.\.\.$|^$/) print lab, title, "ends with " last
                       if (lines * 1.3 * size > 620) print lab, title, lines " lines"; code = 0 }
            code { lines++; last = $0; if (length * 0.61 * size > 1260) print lab, title, "too wide: " $0 }
            /^~~~~ / { code = 1 }
            /^\|/ { if (++rows > 8) print lab, title, rows " rows" }' "$work/slides.md"
        refute_output
    done
}

@test "slides: the students' file shows no solution" {
    complete_slides
    assert_grep "</span> a8 <span" "$complete"
    slides "$work/lab3.html" 3 labs
    run grep -c "</span> a8 <span" "$work/lab3.html"
    assert_output 0
    assert_equal "$(grep -c 'id="recording-' "$work/lab3.html")" 1 # of the step that is given
}

@test "slides: without npm, a sentence says what to do" {
    local bare="$BATS_TEST_TMPDIR/bare"
    mkdir -p "$bare/bin"
    printf '#!/bin/sh\nexit 1\n' >"$bare/bin/npm"
    chmod +x "$bare/bin/npm"
    run ! env PATH="$bare/bin:$PATH" make DEVICE=sim BUILD="$bare/build" \
        "$bare/build/slides/node_modules/reveal.js/dist/reveal.js"
    assert_output --partial "slides: npm could not fetch reveal.js"
    assert_output --partial "install npm, and be online the first time"
}

@test "slides: without results, a sentence" {
    run common/slides/slides.sh 3 labs/lab3-reduction/reduction.cu none none none "$work/none.csv" \
        "$work/out.html"
    assert_failure
    assert_output "slides-lab3: there is no $work/none.csv: nothing recorded there"
}
