#!/usr/bin/env bash
# plot.sh LAB RESULTS: draw what the lab measured last, as svg and png into RESULTS/plots, and on the terminal if that is
# where the output goes. plots/draw.sh does the drawing; here is only where results lie.
set -euo pipefail
lab=$1 results=$2
run=$results/lab$lab/run.csv
metrics=$results/lab$lab/metrics.csv

# A profiled run has all but trustworthy times; on the simulator it has those too.
[ -f "$run" ] || run=$results/lab$lab/profiled.csv
if [ ! -f "$run" ]; then
    echo "plot: nothing measured yet: run \`make lab$lab\` first" >&2
    exit 1
fi

# An empty problem launches nothing.
if [ -z "$(awk -F, 'NR > 1 && $6 != "NA"' "$run")" ] && ! grep -q ',todo,' "$run"; then
    echo "  plotted nothing: no kernel was timed"
    exit 0
fi

arguments=(--lab "$lab" --run "$run" --out "$results/plots/lab$lab")
[ "$(wc -l 2>/dev/null <"$metrics" || echo 0)" -lt 2 ] || arguments+=(--metrics "$metrics")
plots/draw.sh "${arguments[@]}"
for picture in "$results/plots/lab$lab"-*.svg; do printf '  plotted %s and .png\n' "$picture"; done
