#!/usr/bin/env bash
# check.sh SIMULATOR LAUNCHER PROGRAM SIZES [FLAG...]: find mistakes in a lab's kernels that a right
# result hides. On a GPU (SIMULATOR is "") run all tools of NVIDIA's compute-sanitizer; else run the
# simulator's checker, which finds the same in one run, and races in global memory. SIZES="" stands
# for awkward sizes; 77x131 is a matrix of 77 rows. Exit code 1 if a checker finds anything or
# cannot run.
set -uo pipefail
read -ra simulator <<<"$1"
read -ra launcher <<<"$2"
program=$3
sizes=${4:-}
shift 4

# Make the programs print only what a checker cannot find.
export LABS_CHECKING=1

readonly TOOLS="memcheck racecheck initcheck synccheck"
readonly GPU_SIZES="0 1 3000 65535 1000003 16777215 16777216"
# The simulator's checker watches every access, so sizes are small. 3000 ends inside a block's
# second and third chunk, 65535 one word before a whole block: tails that an unrolled kernel may
# forget.
readonly SIM_SIZES="0 1 1000 3000 65535 1000003"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run_check TITLE COMMAND...: print one line for a clean run, and all output of a run with findings.
run_check() {
    local title=$1 log
    shift
    log=$(mktemp -p "$work" output.XXXXXX)
    if "$@" >"$log" 2>&1; then
        printf '  clean   %s\n' "$title"
    elif grep -q 'Dynamic Parallelism is not supported by the selected tool' "$log"; then
        printf '  cannot  %s: %s; DEVICE=sim checks the same\n' "$title" \
            'the tool does not follow kernels that launch kernels'
    else
        cat "$log"
        printf '  FOUND   %s: see above\n' "$title"
    fi
}

# On a GPU, the checks spend most of their time on the CPU, so JOBS of them run at a time. The
# simulator uses all CPUs.
jobs=${JOBS:-$(nproc)}
[ ${#simulator[@]} -eq 0 ] || jobs=1
started=0

# start TITLE COMMAND...: run_check, as soon as fewer than JOBS run.
start() {
    local told
    started=$((started + 1))
    told=$work/$(printf '%03d' "$started").check
    if [ "$jobs" = 1 ]; then
        run_check "$@" | tee "$told"
    else
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
        run_check "$@" >"$told" &
    fi
}

. common/tools/labs.bash

if [ ${#simulator[@]} -gt 0 ]; then
    for size in ${sizes:-$SIM_SIZES}; do
        read -ra flags <<<"$(size_flags "$size")"
        start "simt --check, size $size" "${simulator[@]}" --check \
            "$program" --profile "${flags[@]}" "$@"
    done
elif ! found=$("${launcher[@]}" sh -c 'command -v compute-sanitizer'); then
    echo "check: compute-sanitizer is missing: it comes with the CUDA toolkit;" \
        "put its folder on PATH" >&2
    exit 1
elif told=$("${launcher[@]}" "$program" --profile --size 0 2>&1)
    [[ $told == *"no GPU here"* ]]; then
    # The program's message is better than the tools'.
    echo "check: ${told#*: }" >&2
    exit 1
else
    # Debian's program and its libraries are in different folders, but the program expects them in
    # one.
    libraries=$(dirname "$found")/../lib/nvidia-cuda-toolkit/compute-sanitizer
    sanitizer=(compute-sanitizer)
    ! "${launcher[@]}" test -d "$libraries" || sanitizer+=(--injection-path "$libraries")
    for size in ${sizes:-$GPU_SIZES}; do
        read -ra flags <<<"$(size_flags "$size")"
        for tool in $TOOLS; do
            # The programs check every error, and some launches fail on purpose.
            extra=()
            [ "$tool" != memcheck ] || extra=(--report-api-errors no)
            start "$tool, size $size" "${launcher[@]}" "${sanitizer[@]}" --tool "$tool" \
                "${extra[@]}" --error-exitcode 1 "$program" --profile "${flags[@]}" "$@"
        done
    done
fi
wait
[ "$jobs" = 1 ] || cat "$work"/*.check
failures=$(cat "$work"/*.check | grep -c '^  FOUND ')
[ "$failures" = 0 ] || { echo "check: $failures of the runs above found something" >&2; exit 1; }
