#!/bin/sh
# bench.sh: measure simt's speed: PTX warp instructions per second for each kernel of a program, on one host thread and on two.
#
#   common/dev/bench.sh SIMT PROGRAM [ARGS...]     the best of RUNS (3) runs counts
set -eu
simt=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
runs=${RUNS:-3}
while [ "$runs" -gt 0 ]; do
    runs=$((runs - 1))
    for threads in 1 2; do
        SIMT_BENCH="$log" "$simt" --threads $threads --no-timing "$@" >/dev/null
    done
done
demangle() { if command -v c++filt >/dev/null; then c++filt; else cat; fi; }
printf '%-44s %12s %14s %14s %6s\n' kernel 'instructions' 'M/s 1 thread' 'M/s 2 threads' ratio
awk -F, '
    !($1 in order) { order[$1] = ++n; name[n] = $1 }
    { key = $1 SUBSEP $2; count[$1] = $3; if (!(key in best) || $4 < best[key]) best[key] = $4 }
    END {
        for (i = 1; i <= n; i++) {
            k = name[i]
            one = best[k SUBSEP 1]; two = (k SUBSEP 2) in best ? best[k SUBSEP 2] : one
            printf "%s %d %.1f %.1f %.2f\n", k, count[k], count[k] / one / 1e6, count[k] / two / 1e6, one / two
        }
    }' "$log" | while read -r kernel count one two ratio; do
    printf '%-44s %12s %14s %14s %6s\n' "$(echo "$kernel" | demangle | sed 's/^void //; s/(.*//')" "$count" "$one" "$two" "$ratio"
done
