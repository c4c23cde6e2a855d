#!/usr/bin/env bash
# record.sh LAB RESULTS [VARIANT...]: keep a run of the solutions, and its metrics, as the reference for the device they were
# made on: plots/reference/<gpu>/labN.csv, labN-metrics.csv and, in about.tsv, how they came about. <gpu> is the device's name
# in gpus.tsv, with -simt if simulated. The runs of the lab's other builds become labN-VARIANT.csv, labN-VARIANT-metrics.csv.
set -euo pipefail
lab=$1 results=$2
shift 2

device=$(tail -n 1 "$results/run.csv" | sed 's/.*,//')
gpu=$(awk -F'\t' -v product="${device% (simt)}" '$2 == product { print $1 }' common/simt/gpus.tsv)
if [ -z "$gpu" ]; then
    echo "record: $device is not in common/simt/gpus.tsv; add it there first" >&2
    exit 1
fi
case $device in *" (simt)") simulated=-simt ;; *) simulated= ;; esac
folder=plots/reference/$gpu$simulated

# Standard input becomes the file, whole or not at all.
keep() {
    cat >"$1.tmp"
    mv "$1.tmp" "$1"
    echo "  kept    $1"
}

toolkit=$("${NVCC:-nvcc}" --version | sed -n 's/.*, V//p')
# What has no driver (the simulator) has no line for it. Nor a date: what it says depends on nothing but the program.
about() {
    printf 'fact\tvalue\ndevice\t%s\ntoolkit\tCUDA %s\n' "$device" "$toolkit"
    [ -n "$simulated" ] && return
    printf 'driver\t%s\n' "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
    printf 'date\t%s\n' "$(date -u +%F)"
}

mkdir -p "$folder"
for tail in "" "${@/#/-}"; do
    keep "$folder/lab$lab$tail.csv" <"$results/run$tail.csv"
    keep "$folder/lab$lab$tail-metrics.csv" <"$results/metrics$tail.csv"
done
about | keep "$folder/about.tsv"
