#!/usr/bin/env bash
# sweep.sh SIMT PROGRAMS: run a kernel that computes and one that reads on each simulated GPU, and
# keep their modelled times: plots/reference/sweep.csv, with the GPU as the kernel's argument.
# PROGRAMS is the folder of the labs' complete programs.
set -euo pipefail
simt=$1 programs=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/recording.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for gpu in $(common/tools/gpu.sh names); do
    "$simt" --gpu "$gpu" "$programs/lab1/divergence" --step mathKernel4Warp --size 4194304 \
        --csv "$work/computes.csv" >/dev/null
    "$simt" --gpu "$gpu" "$programs/lab3/reduction" --step reduceUnroll8 --csv "$work/reads.csv" \
        >/dev/null
    cat "$work/computes.csv" "$work/reads.csv" |
        awk -F, -v OFS=, -v gpu="$gpu" '$1 == "lab" { print; next } { $3 = $3 "(" gpu ")"; print }'
done | awk 'NR == 1 || !/^lab,/' >"$work/sweep.csv"
keep plots/reference/sweep.csv <"$work/sweep.csv"
