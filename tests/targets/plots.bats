# The pictures of a lab at every stage of the work on it: from a file in which nothing is written
# yet to one that is complete, with wrong steps, with an empty problem, and with counters that are
# not there. Recorded runs are cut down to what such a run would leave.
# shellcheck disable=SC2154 # bats sets status, output and lines

load ../helpers

# Which pictures a lab has, and from how many steps done on. Ladders have their times from the
# beginning, in grey.
PICTURES="0:time=0,metrics=1 1:time=0,metrics=1 2:shapes=1,limits=3,waves=8,loads=9 3:time=0,metrics=1,metrics-2=1 4:time=0,metrics=1,metrics-2=1 5:time=0,metrics=1
6:time=0,metrics=1,metrics-2=1,shapes=7 7:sectors=1,time=5 8:stride=1,width=1 9:time=0,metrics=1,roofline=1 10:time=0,metrics=1,metrics-2=1 11:time=0
12:time=1,streams=12 13:time=0,metrics=1 14:time=0,metrics=1,metrics-2=1 15:time=0,metrics=1 16:time=0,metrics=1,metrics-2=1"

setup() {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    recorded=plots/reference/h200-simt
    work=$BATS_TEST_TMPDIR
    export recorded work FORMATS=svg
}

# run_with STEPS: the recorded run of $lab as it is when the first STEPS steps are done.
run_with() {
    awk -F, -v OFS=, -v done="$1" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR > 1 && $column["step"] > done { for (i = column["time_ms"]; i <= column["speedup"]; i++) $i = "NA"; $column["status"] = "todo" } { print }' \
        "$recorded/lab$lab.csv"
}

# metrics_with STEPS: its metrics.
metrics_with() {
    awk -F, -v done="$1" 'NR == 1 || $2 <= done' "$recorded/lab$lab-metrics.csv"
}

# wanted STEPS: the names of the pictures there must be when so many steps are done.
wanted() {
    tr ' ,' '\n\n' <<<"${PICTURES//$'\n'/ }" | awk -F '[:=]' -v lab="$lab" -v done="$1" \
        'NF == 3 { mine = $1 == lab; sub(/^[0-9]+:/, "") } mine { split($0, part, "="); if (part[2] <= done) print part[1] }' \
        | sort | tr '\n' ' '
}

# expect WHAT WANTED GOT
expect() {
    [ "$3" = "$2" ] || { echo "lab $lab, $1: drawn '$3', wanted '$2'"; return 1; }
}

# later WHAT WANTED RUN METRICS: the lab's script is to draw this, with these pictures.
later() {
    local out=$work/pictures-$lab-${#outs[@]}
    mkdir "$out"
    whats+=("$1") wants+=("$2") outs+=("$out")
    scripts+=(-e "reset session" -e "term='svg'; out='$out/lab'; run='$3'; metrics='$4'" "plots/lab$lab.gp")
}

# drawn: draw all that is to be drawn, in one start of gnuplot. What gnuplot says besides is an
# error.
drawn() {
    local n file names
    expect "messages" "" "$(LC_ALL=C.UTF-8 gnuplot "${scripts[@]}" 2>&1 || echo "exit code $?")" \
        || return
    for n in "${!outs[@]}"; do
        names=
        for file in "${outs[n]}"/lab-*.svg; do
            file=${file##*/lab-}
            [ "$file" = "*.svg" ] || names+="${file%.svg} "
        done
        [ -z "$names" ] || names=$(tr ' ' '\n' <<<"${names% }" | sort | tr '\n' ' ')
        expect "${whats[n]}" "${wants[n]}" "$names" || return
    done
}

# stages LAB: its pictures after 0, 1, ... steps.
stages() {
    lab=$1
    local last run metrics whats=() wants=() outs=() scripts=()
    last=$(tail -n 1 "$recorded/lab$lab.csv" | cut -d, -f2)
    for ((steps = 0; steps <= last; steps++)); do
        run=$work/run-$lab-$steps.csv metrics=$work/metrics-$lab-$steps.csv
        run_with "$steps" >"$run"
        metrics_with "$steps" >"$metrics"
        later "$steps steps done" "$(wanted "$steps")" "$run" "$metrics"
    done
    drawn
}

# odd_runs LAB: its pictures of complete runs with something the matter.
odd_runs() {
    lab=$1
    local last all left without picture run metrics=$work/metrics-$1.csv whats=() wants=() outs=() \
        scripts=()
    last=$(tail -n 1 "$recorded/lab$lab.csv" | cut -d, -f2)
    all=$(wanted "$last")
    metrics_with "$last" >"$metrics"
    for wrong in 1 "$last" "any step"; do
        run=$work/run-$lab-$wrong.csv
        awk -F, -v OFS=, -v wrong="$wrong" 'NR > 1 && (wrong == "any step" || $2 == wrong) { for (i = 6; i < NF - 3; i++) $i = "NA"
            $(NF - 2) = "\"WRONG (index 3, got 0, want 1)\"" } { print }' "$recorded/lab$lab.csv" >"$run"
        # Without times there are no waves, no map of times and no roofline; what was counted is
        # drawn all the same.
        case "$lab $wrong" in
        "2 $last") without=loads ;;
        "2 any step") without="loads waves" ;;
        "6 $last" | "6 any step") without=shapes ;;
        "9 any step") without=roofline ;;
        "12 any step") without="streams time" ;;
        *) without=none ;;
        esac
        left=$all
        for picture in $without; do left=${left/$picture /}; done
        later "$wrong is wrong" "$left" "$run" "$metrics"
    done
    awk -F, -v OFS=, 'NR > 1 { $7 = "NA" } { print }' "$recorded/lab$lab-metrics.csv" \
        >"$work/none-$lab.csv"
    later "no counters" "$(sed 's/metrics[-2]* //g; s/roofline //' <<<"$all")" \
        "$recorded/lab$lab.csv" "$work/none-$lab.csv"
    # A script that has nothing to draw may end gnuplot.
    run=$work/run-$lab-empty.csv
    awk -F, -v OFS=, 'NR > 1 { $4 = "(0 1 1)"; for (i = 6; i < NF - 3; i++) $i = "NA" } { print }' \
        "$recorded/lab$lab.csv" >"$run"
    later "size 0" "" "$run" ""
    drawn
}

# for_all_labs FUNCTION: in two processes, as most machines have room for.
for_all_labs() {
    export PICTURES
    export -f run_with metrics_with later drawn wanted expect stages odd_runs
    awk -F '\t' 'NR > 1 { print $1 }' labs/labs.tsv | xargs -P 2 -I{} bash -c "$1 {}"
}

@test "a lab has the pictures that its finished steps have figures for, from none to all" {
    for_all_labs stages
}

@test "wrong steps, an empty problem and missing counters cost no picture that has figures" {
    for_all_labs odd_runs
}

@test "nothing measured: said, no error, and no older picture stays" {
    lab=7
    run_with 0 >"$work/run.csv"
    : >"$work/lab7-sectors.svg"
    run plots/draw.sh --lab 7 --run "$work/run.csv" --recorded '' --text always --out "$work/lab7"
    assert_success
    assert_output --partial "plotted nothing for lab7: nothing has been measured in $work/run.csv"
    assert_equal "$(ls "$work"/lab7*)" ""
}

# contrasts FILE: of the letters' colour with each colour that fills a box, as WCAG counts it, one a
# line.
contrasts() {
    grep -o "fill = 'rgb([ 0-9,]*)" "$1" | tr -d "a-z='(" | sort -u | awk -F, '
        function light(part) { part /= 255; return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ^ 2.4 }
        function luminance(r, g, b) { return 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b) }
        { print (luminance($1, $2, $3) + 0.05) / (luminance(32, 36, 40) + 0.05) }'
}

@test "a map's letters can be read on every shade, and one shade is one figure on all maps of the page" {
    plots/draw.sh --lab 2 --text never --out "$work/lab2" --run "$recorded/lab2.csv" --metrics \
        "$recorded/lab2-metrics.csv"
    assert [ "$(contrasts "$work/lab2-shapes.svg" | wc -l)" -gt 10 ]
    assert_equal "$(contrasts "$work/lab2-shapes.svg" | awk '$1 < 4.5')" ""
    # All fourteen shapes of sumMatrixRow load nothing but what is wanted: the best there is.
    assert [ "$(grep -c "fill = 'rgb( 63, 155, 216)'" "$work/lab2-shapes.svg")" -ge 14 ]
    assert_grep 'blocks of the launch' <"$work/lab2-waves.svg"
}

@test "points have one size in both kinds of pictures, and stay in their panel" {
    plots/draw.sh --lab 7 --text never --out "$work/lab7" --run "$recorded/lab7.csv" --metrics \
        "$recorded/lab7-metrics.csv"
    # Half the side of a square, in pixels.
    assert_equal \
        "$(grep -o 'scale([0-9.]*)' "$work/lab7-sectors.svg" | tr -d 'a-z()' | awk '$1 > 10')" ""
}

@test "the picture's peak is the one that the lab prints" {
    plots/draw.sh --lab 3 --text never --out "$work/lab3" --run "$recorded/lab3.csv"
    printed_peak=$(sed -n 's/^Device: NVIDIA H200 (simt), peak bandwidth \([0-9]* GB.s\),.*/\1/p' README.md)
    assert_grep "peak $printed_peak" <"$work/lab3-time.svg"
}

# left FILE RUN [PROBLEM [SED-SCRIPT]]: a lab's results folder gets the recorded run as FILE.csv,
# with what a program writes beside it; each file is newer than the one before.
left() {
    mkdir -p "$work/results/lab$lab" "$work/results/plots"
    sed "${4:-}" "$2" >"$work/results/lab$lab/$1.csv"
    [ -z "${3:-}" ] || echo "$3" >"$work/results/lab$lab/$1.problem"
    sleep 0.02
}

# plot VARIANT...: draw what is there.
plot() {
    run -0 env NO_COLOR=1 common/tools/plot.sh "$lab" "$work/results" "$@"
}

time_says() {
    assert_grep -F "$1" <"$work/results/plots/lab$lab-time.svg"
}

no_metrics() {
    assert [ ! -e "$work/results/plots/lab$lab-metrics.svg" ]
    assert_output --partial \
        "no metrics: those in $work/results/lab$lab are of another run; \`make profile-lab$lab\` with"
}

@test "a picture shows the run that was profiled last, not an older one of another size" {
    lab=3
    left run "$recorded/lab3.csv" "size 3000" 's/(16384 1 1)/(3 1 1)/'
    left profiled "$recorded/lab3.csv" "size 16777216"
    left metrics "$recorded/lab3-metrics.csv"
    plot
    time_says "this run: NVIDIA H200 (simt), modelled, size 16777216"
    assert [ -s "$work/results/plots/lab3-metrics.svg" ]
    # The other way round, and of a size with the same grid: no metrics of that other run.
    left run "$recorded/lab3.csv" "size 16777215"
    plot
    time_says "modelled, size 16777215"
    no_metrics
}

@test "a picture shows one device: no metrics of another one, and no steps that were still to do then" {
    lab=3
    left profiled "$recorded/lab3.csv" "size 16777216"
    left metrics "$recorded/lab3-metrics.csv"
    left run "$recorded/lab3.csv" "size 16777216" 's/NVIDIA H200/NVIDIA GeForce GTX 1060 6GB/'
    plot
    time_says "this run: NVIDIA GeForce GTX 1060 6GB (simt), modelled, size 16777216"
    no_metrics
    run_with 2 >"$work/two.csv"
    left run "$work/two.csv" "size 16777216"
    left profiled "$recorded/lab3.csv" "size 16777216"
    left metrics "$recorded/lab3-metrics.csv"
    plot
    run grep -c 'to do' "$work/results/plots/lab3-time.svg"
    assert_output 0
}

@test "times of a GPU come from the run that the profile repeats, and from no other" {
    lab=3
    local untimed='2,$s/\(([0-9 ]*),([0-9 ]*)\)\(,[0-9.]*\)\{5\}/\1,NA,NA,NA,NA,NA/'
    left run plots/reference/h200/lab3.csv "size 16777216"
    left profiled plots/reference/h200/lab3.csv "size 16777216" "$untimed"
    left metrics plots/reference/h200/lab3-metrics.csv
    plot
    time_says "µs"
    refute_output --partial "note"
    assert [ -s "$work/results/plots/lab3-metrics.svg" ]
    # The program has changed since.
    left reduction /dev/null
    mv "$work/results/lab3/reduction.csv" "$work/results/lab3/reduction"
    left profiled plots/reference/h200/lab3.csv "size 16777216" "$untimed"
    left metrics plots/reference/h200/lab3-metrics.csv
    plot
    assert_output --partial \
        "no times: none are taken under the profiler; \`make lab3\` with this run's settings takes them"
    assert [ -s "$work/results/plots/lab3-metrics.svg" ]
}

@test "another build is drawn beside the main one if both are of one problem" {
    lab=7
    left run "$recorded/lab7.csv" "size 16777216"
    left profiled-l1off "$recorded/lab7-l1off.csv" "size 16777216"
    plot l1off
    assert_grep 'main build' <"$work/results/plots/lab7-l1off-time.svg"
    left run "$recorded/lab7.csv" "size 4096"
    plot l1off
    run grep -c 'main build' "$work/results/plots/lab7-l1off-time.svg"
    assert_output 0
    assert_grep "build 'l1off': NVIDIA H200 (simt), modelled, size 16777216" \
        <"$work/results/plots/lab7-l1off-time.svg"
}

@test "a picture shows one GPU: a recording of another is not drawn beside a run" {
    for part in lab9 lab9-metrics; do
        sed 's/NVIDIA H200/NVIDIA GeForce GTX 1060 6GB/' "plots/reference/h200-simt/$part.csv" >"$work/$part.csv"
    done
    plots/draw.sh --lab 9 --text never --out "$work/lab9" --run "$work/lab9.csv" --metrics \
        "$work/lab9-metrics.csv"
    for picture in time metrics roofline; do
        assert_grep 'GTX 1060' <"$work/lab9-$picture.svg"
        run grep -c 'H200' "$work/lab9-$picture.svg"
        assert_output 0
    done
    plots/draw.sh --lab 3 --text never --out "$work/lab3" --run "$recorded/lab3.csv"
    assert_grep 'recorded: NVIDIA H200, measured' <"$work/lab3-time.svg"
}

@test "what a metrics page shows, make profile-labN collects" {
    for script in plots/lab[0-9]*.gp; do
        lab=${script//[!0-9]/}
        shown=$(sed -nE 's/^page\[[0-9]+\] = "([a-z_0-9]+).*/\1/p' "$script" | sort)
        collected=$(lab_field "$lab" metrics | tr , '\n' | sort)
        assert_equal "lab $lab: $(comm -23 <(echo "$shown") <(echo "$collected"))" "lab $lab: "
    done
}

@test "a map of times has shades for short times too" {
    plots/draw.sh --lab 6 --text never --out "$work/lab6" --run "$recorded/lab6.csv"
    # 40 launches take 12 to 420 µs, 28 of them less than 60.
    assert [ "$(grep -o "fill = 'rgb([ 0-9,]*)" "$work/lab6-shapes.svg" | sort -u | wc -l)" -gt 30 ]
}

@test "a timeline of a step still to do has no panel, and a sentence says so" {
    sed 1q plots/reference/h200/timeline-lab12-depthFirst.csv >"$work/todo.csv"
    run plots/draw-timeline.sh "$work/timeline" Title Note depthFirst=plots/reference/h200/timeline-lab12-depthFirst.csv breadthFirst="$work/todo.csv"
    assert_success
    assert_output "  plotted $work/timeline.svg and .png, without breadthFirst: no work in streams"
    assert_grep 'depthFirst: 781 µs' <"$work/timeline.svg"
    run grep -c 'breadthFirst' "$work/timeline.svg"
    assert_output 0
}

@test "figures: both after a bar and its dot, none struck through, and none said to be exact" {
    plots/draw.sh --lab 7 --text never --out "$work/lab7" --run "$recorded/lab7.csv" --metrics "$recorded/lab7-metrics.csv"
    times=$(awk -F, '$3 == "structPacked" { printf "%.1f\n", $6 * 1000 }
        $6 > most[FILENAME] && $6 != "time_ms" { most[FILENAME] = $6 }
        END { for (file in most) printf "%.0f\n", most[file] * 1000 }' \
        "$recorded/lab7.csv" plots/reference/h200/lab7.csv)
    for figure in $times; do assert_grep -E ">[^<]*$figure" <"$work/lab7-time.svg"; done
    # Lines of peaks and bounds are dashes between the rows: none is dashed from top to bottom.
    plots/draw.sh --lab 4 --text never --out "$work/lab4" --run "$recorded/lab4.csv"
    run grep -c "dasharray='[0-9]*\." "$work/lab4-time.svg"
    assert_output 0
    # A GPU's counters differ a little from what simt counts.
    run -1 grep -n 'exact' plots/lab*.gp
}
