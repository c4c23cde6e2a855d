#!/usr/bin/env bash
# plot.sh LAB RESULTS [VARIANT...]: draw what the lab measured last, as svg and png into RESULTS/plots, and on the terminal if
# that is where the output goes; then each of the lab's other builds beside the main one. plots/draw.sh does the drawing; here
# is only where results lie.
set -euo pipefail
lab=$1 results=$2
shift 2
folder=$results/lab$lab

# The run of the build whose files end in $1. A profiled run has all but trustworthy times; on the simulator those too.
run_of() {
    if [ -f "$folder/run$1.csv" ]; then echo "$folder/run$1.csv"; else echo "$folder/profiled$1.csv"; fi
}

# The build's metrics, if any were collected.
metrics_of() {
    [ "$(wc -l 2>/dev/null <"$folder/metrics$1.csv" || echo 0)" -lt 2 ] || echo "$folder/metrics$1.csv"
}

# An empty problem launches nothing.
nothing_timed() {
    [ -z "$(awk -F, 'NR > 1 && $6 != "NA"' "$1")" ] && ! grep -q ',todo,' "$1"
}

# draw TAIL ARGUMENT...: the pictures of one build.
draw() {
    local out=$results/plots/lab$lab$1 run metrics
    run=$(run_of "$1")
    metrics=$(metrics_of "$1")
    shift
    plots/draw.sh --lab "$lab" --run "$run" ${metrics:+--metrics "$metrics"} --out "$out" "$@"
}

run=$(run_of "")
if [ ! -f "$run" ]; then
    echo "plot: nothing measured yet: run \`make lab$lab\` first" >&2
    exit 1
fi
if nothing_timed "$run"; then
    echo "  plotted nothing: no kernel was timed"
    exit 0
fi
draw ""
for variant in "$@"; do
    metrics=$(metrics_of "")
    draw "-$variant" --variant "$variant" --reference "$run" ${metrics:+--reference-metrics "$metrics"} --text never
done
for picture in "$results/plots/lab$lab"-*.svg; do printf '  plotted %s and .png\n' "$picture"; done
