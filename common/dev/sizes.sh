#!/usr/bin/env bash
# sizes.sh PROGRAM...: run lab 9's program at the sizes of the lecture's tables, and keep the times
# as the reference of its GPU: plots/reference/<gpu>/lab9-sizes.csv. matMulOnHost(N): the CPU's time
# for some rows of the product, times N over their number.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/recording.sh"

sizes=(512 1024 1536 2048)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for size in "${sizes[@]}"; do
    "$@" --size "$size" --csv "$work/run.csv" >"$work/table.txt"
    awk -F, 'NR == 1 || $3 ~ /^(MatMulKernel|MatMulTiled|MatMulUnrolled|cublasSgemm)\(/' \
        "$work/run.csv" >"$work/$size.csv"
    host=$(sed -nE 's/.*; matMulOnHost takes ([0-9]+) ms for ([0-9]+) of the rows.*/\1 \2/p' \
        "$work/table.txt")
    [ -n "$host" ] || { echo "sizes: no line says how long matMulOnHost takes" >&2; exit 1; }
    awk -v n="$size" -v host="$host" 'BEGIN { split(host, of); ms = of[1] * n / of[2]
        printf "9,0,matMulOnHost(%d),(0 0 0),(0 0 0),%.1f,NA,NA,NA,%.6f,NA,ok,measured,CPU\n", n, ms, 2 * n ^ 3 / ms / 1e6 }' >>"$work/$size.csv"
done
device=$(sed -n '2s/.*,//p' "$work/512.csv")
folder=$(reference_folder "$device")
for size in "${sizes[@]}"; do sed "$([ "$size" = 512 ] || echo 1d)" "$work/$size.csv"; done |
    keep "$folder/lab9-sizes.csv"
