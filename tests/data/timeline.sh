#!/usr/bin/env bash
# timeline.sh LABPROF PROGRAM: labprof shows what tests/data/timeline.cu did, on simt and on a GPU.
# Prints what differs; then its exit status is 1.
set -uo pipefail
labprof=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# wrong TEXT...: notes a difference.
wrong() {
    echo "timeline.sh: $*" >&2
    failed=1
}

# counts: of each line of the summary, its kind, the number of calls and the name.
counts() {
    awk -F'"' \
        '$2 == "GPU activities" || $2 == "API calls" { split($3, cell, ","); print $2 ": " cell[4] " " $4 }' \
        "$work/summary" | LC_ALL=C sort
}

wanted='API calls: 1 cudaEventElapsedTime
API calls: 1 cudaEventSynchronize
API calls: 1 cudaHostAlloc
API calls: 1 cudaMemset
API calls: 1 cudaStreamCreate
API calls: 1 cudaStreamSynchronize
API calls: 2 cudaEventCreate
API calls: 2 cudaEventRecord
API calls: 2 cudaMalloc
API calls: 2 cudaMemcpyAsync
API calls: 3 cudaMemcpy
API calls: 4 cudaLaunchKernel
GPU activities: 1 [CUDA memcpy DtoD]
GPU activities: 1 [CUDA memset]
GPU activities: 1 void add<int=256>(float*, float const *)
GPU activities: 2 [CUDA memcpy DtoH]
GPU activities: 2 [CUDA memcpy HtoD]
GPU activities: 2 spin(float*, int)'

"$labprof" --csv -u ns --log-file "$work/summary" --export-trace "$work/trace.json" "$program" \
    >"$work/out" || wrong "labprof's exit status is $?"
missing=$(LC_ALL=C comm -23 <(echo "$wanted") <(counts))
[ -z "$missing" ] || wrong "the summary has not: $missing; it has: $(counts)"
[ "$(counts | grep -c '^GPU')" = 6 ] || wrong "more GPU activities: $(counts | grep '^GPU')"
python3 -m json.tool "$work/trace.json" >/dev/null || wrong "the trace is no JSON"
[ "$(grep -c '"ph":"X".*"name":"spin' "$work/trace.json")" = 2 ] || wrong "the trace has not two launches of spin"

# The longer launch of spin takes the time that events measured; events add what lies between a record and the kernel.
by_events=$(sed -n 's/^spin by events: \(.*\) ms$/\1/p' "$work/out")
longest=$(awk -F'"' '$4 ~ /^spin/ { split($3, cell, ","); print cell[7] / 1e6 }' "$work/summary")
awk -v a="$longest" -v b="$by_events" 'BEGIN { exit !(a > 0.95 * b && a < 1.05 * b) }' ||
    wrong "spin takes $longest ms, by events $by_events ms"

# trace CELLS: a line of the GPU trace has these cells, from Size or Grid X on.
trace() {
    grep -q -- "$1" "$work/gpu" || wrong "the GPU trace has no line with $1: $(cat "$work/gpu")"
}
"$labprof" --csv --print-gpu-trace --log-file "$work/gpu" "$program" >/dev/null
trace ',,,4194304,[0-9.]*,"Pageable","Device",.*memcpy HtoD'
trace ',,,4194304,[0-9.]*,"Pinned","Device",.*memcpy HtoD'
trace ',,,2097152,[0-9.]*,"Device","Pinned",.*memcpy DtoH'
trace ',,,4194304,[0-9.]*,"Device","Pageable",.*memcpy DtoH'
trace ',,,4194304,[0-9.]*,"Device","Device",.*memcpy DtoD'
trace ',,,4194304,[0-9.]*,"Device","",.*memset'
trace ',4096,1,1,256,1,1,[0-9]*,1024,1024,,,,,".* (0)","1","[0-9]*","void add<int=256>'

# The last call launches a kernel that is refused, and the trace names no kernel after it.
"$labprof" --print-api-trace --log-file "$work/api" "$program" >/dev/null
[ "$(grep -c 'cudaLaunchKernel (spin(float\*, int) \[[0-9]*\])$' "$work/api")" = 2 ] || wrong "calls do not name spin: $(cat "$work/api")"

for end in reset running; do
    "$labprof" --csv --log-file "$work/summary" "$program" "$end" >/dev/null || wrong "with $end, labprof's exit status is $?"
    counts | grep -q '^GPU activities: [23] spin' || wrong "with $end, launches are lost: $(counts)"
done
exit $failed
