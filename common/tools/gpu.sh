#!/usr/bin/env bash
# gpu.sh: look up the table of virtual GPUs, common/simt/gpus.tsv.
#
#   gpu.sh names                the GPUs' names, one a line
#   gpu.sh named PRODUCT        the name of the GPU that the driver calls PRODUCT; or nothing
#   gpu.sh get GPU CONSTANT...  cells, one a line
#   gpu.sh measured GPU         the constants that our programs measured on that GPU, one a line
set -euo pipefail
awk -F'\t' -v ask="$1" -v first="${2:-}" -v constants="${*:3}" '
    /^#/ { next }
    !header {
        for (i = 3; i < NF; i++) name[i] = $i
        header = NF
        if (ask == "names") for (i = 3; i < NF; i++) print name[i]
    }
    ask == "named" && $1 == "product" {
        for (i = 3; i < header; i++) if ($i == first) print name[i]
    }
    ask == "measured" {
        parts = split($header, part, "; ")
        for (p = 1; p <= parts; p++)
            if (part[p] ~ /^[^:]*: measured/ &&
                index(", " substr(part[p], 1, index(part[p], ":") - 1) ",", ", " first ","))
                print $1
    }
    ask == "get" { for (i = 3; i < header; i++) if (name[i] == first) cell[$1] = $i }
    END {
        count = split(constants, wanted, " ")
        for (i = 1; i <= count; i++) if (wanted[i] in cell) print cell[wanted[i]]
    }' \
    "${0%/*}/../simt/gpus.tsv"
