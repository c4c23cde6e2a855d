#!/usr/bin/env bash
# gpu.sh: what can only be tested on a GPU: every lab's solutions run, are profiled and checked, at ordinary and awkward sizes.
# Ends with "N passed, N failed"; refuses where there is no GPU.
set -uo pipefail
readonly SIZES="16777216 16777215 1000003 1 0" # of labs whose row in the table names none
read -ra launcher <<<"${LAUNCHER:-}"

if ! "${launcher[@]}" nvidia-smi -L 2>/dev/null | grep -q GPU; then
    echo "test-gpu: no GPU here (nvidia-smi lists none); \`make test\` tests what works without one" >&2
    exit 2
fi
for tool in ncu compute-sanitizer; do
    "${launcher[@]}" sh -c "command -v $tool" >/dev/null || echo "test-gpu: $tool is not on PATH: what needs it will fail" >&2
done

# What is drawn is tested without a GPU.
export PLOT=0

passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# try TITLE COMMAND...: one line, and the output of a failure.
try() {
    local title=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok $title"
    else
        failed=$((failed + 1))
        cat "$log"
        echo "not ok $title"
    fi
}

# check_sizes LAB: the awkward sizes that the lab's row in the table names.
check_sizes() {
    awk -F'\t' -v lab="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "check sizes") c = i } $1 == lab { print $c }' labs/labs.tsv
}

labs=$(awk -F'\t' 'NR > 1 { print $1 }' labs/labs.tsv)
for lab in $labs; do
    try "lab$lab, handed out" make "lab$lab" DEVICE=gpu
    sizes=$(check_sizes "$lab")
    for size in ${sizes:-$SIZES}; do
        for target in lab profile-lab check-lab; do
            try "$target$lab, size $size" make "$target$lab" FROM=solutions DEVICE=gpu SIZE="$size"
        done
    done
    for block in 32 64 128 256 512; do
        try "lab$lab, block $block" make "lab$lab" FROM=solutions DEVICE=gpu BLOCK="$block"
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
