#!/usr/bin/env bash
# runs.sh TABLE FOLDER AGAIN LIST PROGRAM [PTX_PROGRAM]: run a program of random kernels (kernels.c)
# and put a row for each of its kernels into TABLE: shape, hash of its text (LIST has both), times
# in us, and counts. AGAIN: how often each is timed; 0: times are modelled, of launches that find
# nothing in the L2, and PTX_PROGRAM has the same kernels without machine code. What is timed and
# has rows in TABLE is not run again.
#
# Environment: LABPROF profiles a program; MODEL is the commit of the time model, if times are
# modelled.
set -euo pipefail
table=$1 folder=$2 again=$3 list=$4
shift 4
read -ra profile <<<"$LABPROF"
[ "$again" != 0 ] || export SIMT_COLD=1
readonly COUNTS=inst_executed,branch,flop_count_sp

# csv LOG NAME...: rows of labprof's table, of the random kernels alone: the kernel's name, and
# these columns.
csv() {
    local log=$1
    shift
    awk -F, -v columns="$*" '
        { gsub(/"/, "") }
        !of && /(^|,)(Name|Kernel)(,|$)/ { n = split(columns, want, " "); for (i = 1; i <= NF; i++) at[$i] = i; of = at["Name"] + at["Kernel"]; next }
        of && $of ~ /^[a-z]+_[0-9]+$/ { line = $of; for (i = 1; i <= n; i++) line = line "," $at[want[i]]; print line }' "$log"
}

# times LOG PROGRAM: kernel, median time of the launches that find nothing in the caches, and of
# those right after themselves.
times() {
    "${profile[@]}" --csv --print-gpu-trace -u us --log-file "$1" "$2" "$again" >&2
    csv "$1" Duration | sort -s -t, -k1,1 | awk -F, -v again="$again" '
        function median(from, n,    i, j, x) {
            for (i = from; i < from + n; i++) for (j = i; j > from && t[j] < t[j - 1]; j--) { x = t[j]; t[j] = t[j - 1]; t[j - 1] = x }
            return t[from + int(n / 2)]
        }
        function put() { if (name) print again ? name "," median(2, again) "," median(2 + again, again) : name "," t[1] ","; n = 0 }
        $1 != name { put(); name = $1 }
        { t[++n] = $2 }
        END { put() }'
}

counts() {
    "${profile[@]}" --csv --print-gpu-trace --metrics "$COUNTS" --log-file "$1" "$2" >&2
    csv "$1" inst_executed branch flop_count_sp | sort -s -t, -k1,1
}

mkdir -p "$folder" "$(dirname "$table")"
[ -f "$table" ] ||
    echo "kernel,grid,block,text,time_us,again_us,inst_executed,branch,flop_count_sp,ptx_us,ptx_inst_executed,ptx_branch,ptx_flop_count_sp,model" >"$table"
first=$(sed -n '2s/^[0-9]*,\([^,]*,[^,]*,[^,]*,[^,]*\)$/\1,/p' "$list")
[ $# = 1 ] && grep -qF "$first" "$table" && exit 0
work=$folder/$(basename "$1")
times "$work-trace.csv" "$1" >"$work-times"
counts "$work-counts.csv" "$1" >"$work-counts"
: >"$work-ptx"
if [ $# = 2 ]; then
    times "$work-trace.csv" "$2" | sed 's/,$//' >"$work-ptx-times"
    counts "$work-counts.csv" "$2" >"$work-ptx-counts"
    join -t, "$work-ptx-times" "$work-ptx-counts" >"$work-ptx"
fi
tail -n +2 "$list" | cut -d, -f2- | sort -t, -k1,1 | join -t, - "$work-times" |
    join -t, - "$work-counts" |
    join -t, -a 1 -o 0,1.2,1.3,1.4,1.5,1.6,1.7,1.8,1.9,2.2,2.3,2.4,2.5 - "$work-ptx" |
    sed "s/\$/,${MODEL:-}/" >"$work-rows"
cut -d, -f1 "$work-rows" | sed 's/$/,/' >"$work-names"
grep -vFf "$work-names" "$table" >"$table.tmp" || true
cat "$work-rows" >>"$table.tmp"
mv "$table.tmp" "$table"
echo "  random  $(basename "$1"): $(wc -l <"$work-rows") kernels"
