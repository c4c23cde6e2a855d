#!/usr/bin/env bash
# plot.sh LAB RESULTS: draw a lab's measurements with plots/labN.gp, as svg and png into RESULTS/plots, and on the terminal if
# that is where the output goes.
set -euo pipefail
lab=$1 results=$2
run=$results/lab$lab/run.csv
metrics=$results/lab$lab/metrics.csv
steps=$results/lab$lab/profiled.csv

if ! command -v gnuplot >/dev/null; then
    echo "plot: gnuplot is missing: \`make setup\` installs it (package gnuplot-nox)" >&2
    exit 1
fi
# A profiled run has all but trustworthy times; on the simulator it has those too.
[ -f "$run" ] || run=$steps
if [ ! -f "$run" ]; then
    echo "plot: nothing measured yet: run \`make lab$lab\` first" >&2
    exit 1
fi

# The device that the run was made on, as its CSV names it.
device=$(awk -F, 'NR == 2 { gsub(/"/, "", $NF); print $NF }' "$run")

# recorded SAME FILE: the first recorded reference whose device is (SAME=1) or is not (SAME=0) this run's; "" if none.
recorded() {
    local file
    for file in plots/reference/*/"$2"; do
        [ -f "$file" ] || continue
        if grep -qF "$device" "$file"; then
            [ "$1" = 0 ] || { echo "$file"; return; }
        else
            [ "$1" = 1 ] || { echo "$file"; return; }
        fi
    done
}

# draw TERMINAL [VARIABLE=VALUE;]: run the lab's script.
draw() {
    gnuplot -e "term='$1'; run='$run'; metrics='$([ -f "$metrics" ] && echo "$metrics")'; goal='$(recorded 1 "lab$lab.csv")'; \
reference='$(recorded 0 "lab$lab.csv")'; reference_metrics='$(recorded 0 "lab$lab-metrics.csv")'; \
out='$results/plots/lab$lab'; ${2:-}" "plots/lab$lab.gp"
}

draw svg
draw png
for picture in "$results/plots/lab$lab"-*.svg; do printf '  plotted %s and .png\n' "$picture"; done
if [ -t 1 ]; then
    draw dumb "color=$([ -n "${NO_COLOR:-}" ] && echo 0 || echo 1); width=$(tput cols 2>/dev/null || echo 100);"
fi
