#!/usr/bin/env bash
# gpu.sh: what can only be tested on a GPU: labprof records what a program does there; every lab's
# solutions run, are profiled and checked, at ordinary and awkward sizes; the labs side by side.
# LABS='3 4' tests only those labs. Ends with "N passed, N failed"; refuses where there is no GPU.
set -uo pipefail
readonly SIZES="16777216 16777215 1000003 1 0" # of labs whose row in the table names none
read -ra launcher <<<"${LAUNCHER:-}"
build=${BUILD:-build}

if ! "${launcher[@]}" nvidia-smi -L 2>/dev/null | grep -q GPU; then
    echo \
        "test-gpu: no GPU here (nvidia-smi lists none); \`make test\` tests what works without one" \
        >&2
    exit 2
fi
for tool in ncu compute-sanitizer; do
    "${launcher[@]}" sh -c "command -v $tool" >/dev/null || echo \
        "test-gpu: $tool is not on PATH: what needs it will fail" >&2
done

# What is drawn is tested without a GPU.
export PLOT=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A make that does not wait for other labs' programs: no time is judged here.
user_make() {
    make --no-print-directory DEVICE=gpu ALONE=env "$@"
}

# try TITLE ARGUMENT...: one line for a make that does what it should, and the output of a failure.
# A lab whose blocks have one size alone should refuse another.
try() {
    local title=$1 log
    shift
    log=$(mktemp -p "$work")
    if user_make "$@" >"$log" 2>&1; then
        echo "ok $title"
    elif grep -q -e '--block [0-9]*: .*: leave it at [0-9]' "$log"; then
        echo "ok $title: refused"
    else
        cat "$log"
        echo "not ok $title"
    fi
}

. common/tools/labs.bash

# one_lab LAB: every solution at every size and block, under the sanitizer's tools, and once under
# the profiler.
one_lab() {
    local lab=$1 sizes size block
    sizes=$(lab_field "$lab" 'check sizes')
    for size in ${sizes:-$SIZES}; do
        try "lab$lab, size $size" "lab$lab" FROM=solutions SIZE="$size"
    done
    try "profile-lab$lab, size $size" "profile-lab$lab" FROM=solutions SIZE="$size"
    for block in 32 64 128 256 512; do
        try "lab$lab, block $block" "lab$lab" FROM=solutions SIZE="$size" BLOCK="$block"
    done
    try "check-lab$lab" "check-lab$lab" FROM=solutions
    # Lab 13 is handed out wrong.
    [ "$lab" = 13 ] || try "lab$lab, handed out" "lab$lab"
}

# recorder: labprof's tables of a program's copies, kernels and calls, and of one without any.
recorder() {
    try "tests/data/timeline.cu runs" run FILE=tests/data/timeline.cu
    if DEVICE=gpu "${launcher[@]}" tests/data/timeline.sh "$build/bin/labprof" \
        "$build/own/timeline"; then
        echo "ok labprof records kernels, copies, fills and calls"
    else
        echo "not ok labprof records kernels, copies, fills and calls"
    fi
    if DEVICE=gpu "${launcher[@]}" "$build/bin/labprof" true 2>&1 | grep -q \
        'nothing was recorded: the program made no CUDA call'; then
        echo "ok labprof names a program without CUDA"
    else
        echo "not ok labprof names a program without CUDA"
    fi
}

labs=${LABS:-$(awk -F'\t' 'NR > 1 { print $1 }' labs/labs.tsv)}
user_make labprof "$build/nvcc-flags" >/dev/null || exit # what the labs share
recorder 2>&1 | tee "$work/recorder.log"
for lab in $labs; do one_lab "$lab" 2>&1 | tee "$work/lab$lab.log" & done
wait
passed=$(cat "$work"/*.log | grep -c '^ok ')
failed=$(cat "$work"/*.log | grep -c '^not ok ')
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
