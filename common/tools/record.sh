#!/usr/bin/env bash
# record.sh LAB RESULTS: keep a run of the solutions, and its metrics, as the reference for the device they were made on:
# plots/reference/<gpu>/labN.csv and labN-metrics.csv, <gpu> being the device's name in gpus.tsv, with -simt if simulated.
set -euo pipefail
lab=$1 results=$2

device=$(tail -n 1 "$results/run.csv" | sed 's/.*,//')
gpu=$(awk -F'\t' -v product="${device% (simt)}" '$2 == product { print $1 }' common/simt/gpus.tsv)
if [ -z "$gpu" ]; then
    echo "record: $device is not in common/simt/gpus.tsv; add it there first" >&2
    exit 1
fi
case $device in *" (simt)") gpu=$gpu-simt ;; esac

# Written whole or not at all.
keep() {
    cp "$1" "$2.tmp"
    mv "$2.tmp" "$2"
    echo "  kept    $2"
}

mkdir -p "plots/reference/$gpu"
keep "$results/run.csv" "plots/reference/$gpu/lab$lab.csv"
keep "$results/metrics.csv" "plots/reference/$gpu/lab$lab-metrics.csv"
