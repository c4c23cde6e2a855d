#!/usr/bin/env bash
# record.sh LAB RESULTS [VARIANT...]: keep a run of the solutions and its metrics as the reference
# of its device: plots/reference/<gpu>/labN.csv and labN-metrics.csv, with software and date in
# about.tsv. <gpu> is the device's name in gpus.tsv, with -simt if simulated. The runs of the lab's
# other builds become labN-VARIANT.csv and labN-VARIANT-metrics.csv; timelines of steps, where the
# lab has some, timeline-labN-STEP.csv.
set -euo pipefail
lab=$1 results=$2
shift 2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/recording.sh"

device=$(tail -n 1 "$results/run.csv" | sed 's/.*,//')
folder=$(reference_folder "$device")
for tail in "" "${@/#/-}"; do
    keep "$folder/lab$lab$tail.csv" <"$results/run$tail.csv"
    keep "$folder/lab$lab$tail-metrics.csv" <"$results/metrics$tail.csv"
done
for timeline in "$results"/timeline-*.csv; do
    [ ! -f "$timeline" ] || keep "$folder/timeline-lab$lab-${timeline##*/timeline-}" <"$timeline"
done
about "$device" | keep "$folder/about.tsv"
