#!/usr/bin/env bash
# plot.sh LAB RESULTS [VARIANT...]: draw the lab's last measurement, as svg and png in
# RESULTS/plots, and on the terminal if the output is one; then each other build of the lab beside
# the main one. plots/draw.sh draws; this script chooses the files. A lab writes run.csv; its
# profile writes profiled.csv and metrics.csv; each run or profile has a .problem beside it. A
# picture shows the last run. The other file is added only if it is of the same program, device and
# problem, and each launch of the profile ended as in the run.
set -euo pipefail
. common/tools/labs.bash
lab=$1 results=$2
shift 2
folder=$results/lab$lab
settings=
[ "$(basename "$results")" != solutions ] || settings=" FROM=solutions"

problem_of() {
    sed 1q "${1%.csv}.problem" 2>/dev/null || true
}

# The rows of a run without the measurements. A wrong result may differ each time.
outcomes() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        { sub(/"?WRONG[^"]*"?/, "WRONG"); line = ""
          for (i = 1; i <= NF; i++)
              if (name[i] !~ /_ms$|_gbs$|^gflops$|_misses$|^speedup$/) line = line $i ","
          print line }' "$1" | sort -u
}

# same_runs PART WHOLE: is each row of PART in WHOLE? A profile lacks the rows beside the steps.
same_runs() {
    [ "$(problem_of "$1")" = "$(problem_of "$2")" ] &&
        [ -z "$(comm -23 <(outcomes "$1") <(outcomes "$2"))" ]
}

# built_since FILE TAIL: has this build of the program changed since?
built_since() {
    [ "$folder/$(lab_field "$lab" program)$2" -nt "$1" ]
}

# belong_together TAIL: are run and profile of the build whose files end in TAIL from the same run?
belong_together() {
    local run=$folder/run$1.csv profiled=$folder/profiled$1.csv
    [ -f "$run" ] && [ -f "$profiled" ] &&
        ! built_since "$run" "$1" && ! built_since "$profiled" "$1" && same_runs "$profiled" "$run"
}

# run_of TAIL: the run to draw. If both files belong together, it is the one without a profiler.
run_of() {
    local run=$folder/run$1.csv profiled=$folder/profiled$1.csv
    if [ -f "$profiled" ] && [ "$profiled" -nt "$run" ] && ! belong_together "$1"; then
        echo "$profiled"
    else
        echo "$run"
    fi
}

# metrics_of TAIL RUN: the build's metrics file if it belongs to that run. The profiler writes it
# after the profile.
metrics_of() {
    local metrics=$folder/metrics$1.csv profiled=$folder/profiled$1.csv
    [ -f "$metrics" ] && [ ! "$profiled" -nt "$metrics" ] &&
        [ "$(wc -l <"$metrics")" -ge 2 ] || return 0
    if [ "$2" = "$profiled" ] || belong_together "$1"; then echo "$metrics"; fi
}

# draw TAIL RUN METRICS ARGUMENT...: the pictures of one build.
draw() {
    plots/draw.sh --lab "$lab" --run "$2" ${3:+--metrics "$3"} \
        --out "$results/plots/lab$lab$1" "${@:4}"
}

# Has any row a time?
has_times() {
    awk -F, 'NR > 1 && $6 != "NA" { found = 1 } END { exit !found }' "$1"
}

# say_left_out RUN METRICS: name what the pictures lack, and the command that adds it.
say_left_out() {
    if [ "$1" = "$folder/run.csv" ] && [ -z "$2" ] && [ -f "$folder/metrics.csv" ]; then
        echo "  note    no metrics: those in $folder are of another run;" \
            "\`make profile-lab$lab$settings\` with this run's settings collects them"
    elif [ "$1" = "$folder/profiled.csv" ] && grep -q ',ok,measured,' "$1" && ! has_times "$1"; then
        echo "  note    no times: none are taken under the profiler;" \
            "\`make lab$lab$settings\` with this run's settings takes them"
    fi
}

run=$(run_of "")
if [ ! -f "$run" ]; then
    echo "plot: nothing measured yet: run \`make lab$lab$settings\` first" >&2
    exit 1
fi
metrics=$(metrics_of "" "$run")
draw "" "$run" "$metrics"
for variant in "$@"; do
    of_variant=$(run_of "-$variant")
    [ -f "$of_variant" ] || continue
    beside=(--recorded '')
    ! same_runs "$of_variant" "$run" ||
        beside=(--reference "$run" ${metrics:+--reference-metrics "$metrics"})
    draw "-$variant" "$of_variant" "$(metrics_of "-$variant" "$of_variant")" \
        --variant "$variant" "${beside[@]}" --text never
done
! grep -q ,time_as_it_is, "${metrics:-/dev/null}" ||
    plots/draw-whatif.sh "$lab" "$metrics" "$results/plots/lab$lab-whatif"
for picture in "$results/plots/lab$lab"-*.svg; do
    [ ! -f "$picture" ] || printf '  plotted %s and .png\n' "$picture"
done
say_left_out "$run" "$metrics"
