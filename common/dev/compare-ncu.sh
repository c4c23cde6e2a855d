#!/usr/bin/env bash
# compare-ncu.sh FOLDER: labncu's values for labs 1 to 10 beside those of ncu on an H200
# (plots/reference/h200/ncu.csv), built as those programs were. FOLDER gets the programs, what
# labncu printed, the values (values.txt) and the page (ncu.md).
#
#   BUILD=build    where labncu is
set -euo pipefail

folder=$1
build=${BUILD:-build}
reference=plots/reference/h200
mkdir -p "$folder"

# The first step, as it was recorded.
measure() {
    local program=$folder/lab$1 size=()
    [ "$1" != 9 ] || size=(--size 512)
    [ -x "$program" ] || nvcc -O3 -lineinfo -Icommon -I"$build" -arch=sm_90 -rdc=true \
        -o "$program" solutions/lab"$1"-*/*.cu
    echo "lab $1"
    DEVICE=sim "$build/bin/labncu" --gpu h200 --set full --metrics "$metrics" --apply-rules no \
        --page raw --csv --print-units base --print-kernel-base function "$program" --step 1 --profile \
        "${size[@]}" | grep '^"'
}

"$build/bin/labncu" --query-metrics >"$folder/query.txt"
metrics=$(cut -d, -f6 "$reference/ncu.csv" | sed 1d | sort -u | paste -sd,)
for lab in {1..10}; do measure "$lab" >"$folder/lab$lab.csv"; done

tables=(common/labncu/sections.tsv "$folder/query.txt" "$reference/ncu.csv" "$folder"/lab*.csv)
awk -v list=1 -f common/dev/compare-ncu.awk "${tables[@]}" | sort -n >"$folder/values.txt"

# A section of both texts, ncu's left. labncu's rows are some of ncu's, in their order.
side_by_side() {
    sed -n "/Section: $1/,/^\$/{s/^    //;p}" "$reference/ncu-lab3.txt" >"$folder/left.txt"
    sed -n "/Section: $1/,/^\$/{s/^    //;p}" "$folder/lab3.txt" |
        awk 'function label(row) { sub(/  .*/, "", row); return row ~ /^---/ ? "---" : row }
            NR == FNR { right[NR] = $0; next }
            FNR == 1 { at = 1 }
            $0 == "" { exit }
            label($0) == label(right[at]) { printf "    %-66s  %s\n", $0, right[at++]; next }
            { print "    " $0 }' - "$folder/left.txt"
}

{
    cat <<'END'
# labncu beside ncu

What `labncu --set full` prints on simt's H200 for the first step of labs 1 to 10, as a share of
what Nsight Compute prints on an H200: 1.00 is the same, and = is equal in all digits that were
recorded. Made by `make compare-ncu` from [the recording](h200/ncu.csv); do not edit.

Counted values are equal, but for [what has a reason](ncu-reasons.tsv). Modelled ones are as far off
as [the model's times](truth.md). Both run at the clock to which ncu locks an H200, 1.5 GHz.

A throughput is that of the busiest part; the L2's is often the way between its halves. Lab 5 launches
from a kernel, and most of its instructions are the device runtime's, which simt does not run.
END
    awk -f common/dev/compare-ncu.awk "${tables[@]}"
    printf '\n## How it looks\n\nLab 3, reduceNeighbored: ncu left, labncu right.\n'
    DEVICE=sim "$build/bin/labncu" --gpu h200 --apply-rules no -c 1 "$folder/lab3" --step 1 --profile \
        >"$folder/lab3.txt"
    sed -n 's/^ *Section: //p' "$reference/ncu-lab3.txt" | while read -r name; do
        echo
        side_by_side "$name"
    done
} >"$folder/ncu.md"
