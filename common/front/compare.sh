#!/usr/bin/env bash
# compare.sh NVCC.csv CLANG.csv TABLE.txt: writes two metrics.csv of one lab, from nvcc's program and from clang's, side by
# side. What the lab's source decides (sectors, requests, bank conflicts) must be the same in both; what the compiler
# decides (instructions, branches, registers and so occupancy) may differ, and so may what follows from it. Prints one
# line; exit code 1 where something differs that must not, or a row is missing.
set -euo pipefail
[ $# = 3 ] || { echo "usage: compare.sh NVCC.csv CLANG.csv TABLE.txt" >&2; exit 2; }
trap 'rm -f "$3.part"' EXIT
status=0

awk -F, '
    BEGIN { must = "^(g(ld|st)_(transactions|requests|transactions_per_request|efficiency)|shared_(ld|st)_bank_conflict|shared_(load|store)(_transactions_per_request)?)$" }
    FNR == 1 { file++; for (i = 1; i <= NF; i++) column[$i] = i; next }
    {
        key = $column["step"] "|" $column["kernel"] "|" $column["grid"] "x" $column["block"] "|" $column["metric"]
        key = key "|" ++times[file, key] # a kernel may run more than once in a shape
    }
    file == 1 { nvcc[key] = $column["value"]; order[++keys] = key; next }
    { clang[key] = $column["value"]; if (!(key in nvcc)) { print "only with clang: " key; bad = 1 } }
    END {
        printf "%-4s %-28s %-36s %16s %16s  %s\n", "step", "kernel", "metric", "nvcc", "clang", ""
        for (k = 1; k <= keys; k++) {
            key = order[k]
            split(key, part, "|")
            same = (key in clang) && clang[key] == nvcc[key]
            verdict = same ? "same" : part[4] ~ must ? "MUST BE THE SAME" : ""
            if (!(key in clang)) verdict = "MISSING"
            if (verdict ~ /^M/) bad = 1
            printf "%-4s %-28s %-36s %16s %16s  %s\n", part[1], part[2], part[4], nvcc[key], clang[key], verdict
        }
        exit bad
    }' "$1" "$2" >"$3.part" || status=1
mv "$3.part" "$3"

same=$(grep -c ' same$' "$3") || true
rows=$(($(wc -l <"$3") - 1))
echo "$3: $same of $rows values are the same; sectors, requests and conflicts $([ $status = 0 ] && echo all || echo NOT ALL)"
[ $status = 0 ] || grep -E 'MUST BE|MISSING|only with' "$3" | head -n 20
exit $status
