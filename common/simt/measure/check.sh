#!/usr/bin/env bash
# check.sh CALIBRATED.tsv GPUS.tsv GPU [PERCENT [NAME...]]: what was measured beside what the table of GPUs says, for every figure that
# has a row there. Shares of a bandwidth are worked out from what was measured. With PERCENT, a figure that is further away than that
# is marked and fails, but for those named.
set -euo pipefail
awk -F'\t' -v gpu="$3" -v percent="${4:-}" -v excused=" ${*:5} " '
    FNR == NR {
        if (/^#/ || $1 == "name") next
        names[++count] = $1
        value[$1] = $2
        next
    }
    /^#/ { next }
    $1 == "constant" { for (i = 3; i < NF; i++) if ($i == gpu) column = i; next }
    column { given[$1] = $column }
    function derive(name, of, whole) {
        if (!(of in value)) return
        names[++count] = name
        value[name] = value[of] / whole
    }
    END {
        if (!column) { print "calibrate: " gpu " is not in the table of GPUs" > "/dev/stderr"; exit 2 }
        derive("dram_read_share", "dram_read_gbs", given["dram_gbs"])
        derive("dram_write_share", "dram_write_gbs", given["dram_gbs"])
        derive("l2_read_share", "l2_read_bytes_per_cycle", given["l2_bytes_per_cycle"])
        derive("l2_write_share", "l2_write_bytes_per_cycle", given["l2_bytes_per_cycle"])
        derive("l2_partial_share", "l2_partial_bytes_per_cycle", given["l2_bytes_per_cycle"])
        derive("l2_lone_read_share", "l2_lone_read_bytes_per_cycle", given["l2_bytes_per_cycle"])
        derive("l2_lone_write_share", "l2_lone_write_bytes_per_cycle", given["l2_bytes_per_cycle"])
        printf "%-24s %12s %12s %8s\n", "", "measured", "gpus.tsv", "apart"
        for (i = 1; i <= count; i++) {
            name = names[i]
            if (!(name in given)) continue
            apart = 100 * (value[name] / given[name] - 1)
            bad = percent != "" && !index(excused, " " name " ") && !(apart <= percent && apart >= -percent)
            printf "%-24s %12.4g %12.4g %7.1f%%%s\n", name, value[name], given[name], apart, bad ? "  TOO FAR" : ""
            failures += bad
        }
        exit failures > 0
    }' "$1" "$2"
