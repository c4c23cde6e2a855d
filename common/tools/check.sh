#!/usr/bin/env bash
# check.sh SIMULATOR LAUNCHER PROGRAM SIZES [FLAG...]: search a lab's kernels for mistakes that a right sum does not show.
# On a GPU (SIMULATOR is "") by NVIDIA's compute-sanitizer, with all its tools; else by the simulator's checker, which looks for
# the same in one run, and for races in global memory too. At sizes that are awkward, or at SIZES if that is not "", 77x131
# being a matrix of 77 rows. Fails if a checker finds anything, or cannot run.
set -uo pipefail
read -ra simulator <<<"$1"
read -ra launcher <<<"$2"
program=$3
sizes=${4:-}
shift 4

# The programs print only what a checker cannot know.
export LABS_CHECKING=1

readonly TOOLS="memcheck racecheck initcheck synccheck"
readonly GPU_SIZES="0 1 3000 65535 1000003 16777215 16777216"
# The simulator's checker watches every access, which takes time. 3000 ends within the second and third chunks of a block, 65535 one word
# before a whole block: tails that a kernel which unrolls may forget.
readonly SIM_SIZES="0 1 1000 3000 65535 1000003"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run_check TITLE COMMAND...: one line for a clean run, all that was printed for another.
run_check() {
    local title=$1 log
    shift
    log=$(mktemp -p "$work" output.XXXXXX)
    if "$@" >"$log" 2>&1; then
        printf '  clean   %s\n' "$title"
    elif grep -q 'Dynamic Parallelism is not supported by the selected tool' "$log"; then
        printf '  cannot  %s: the tool does not follow kernels that launch kernels; DEVICE=sim checks the same\n' "$title"
    else
        cat "$log"
        printf '  FOUND   %s: see above\n' "$title"
    fi
}

# The checks of a GPU's kernels spend most of their time on the processor: they run side by side, JOBS at a time. The
# simulator uses all processors itself.
jobs=${JOBS:-$(nproc)}
[ ${#simulator[@]} -eq 0 ] || jobs=1
started=0

# start TITLE COMMAND...: as run_check, when there is room for it.
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
        start "simt --check, size $size" "${simulator[@]}" --check "$program" --profile "${flags[@]}" "$@"
    done
elif ! found=$("${launcher[@]}" sh -c 'command -v compute-sanitizer'); then
    echo "check: compute-sanitizer is missing: it comes with the CUDA toolkit; put its folder on PATH" >&2
    exit 1
elif told=$("${launcher[@]}" "$program" --profile --size 0 2>&1); [[ $told == *"no GPU here"* ]]; then
    # The program says so better than the tools would, and once.
    echo "check: ${told#*: }" >&2
    exit 1
else
    # Debian's program is in one folder, its libraries in another, and it looks for them beside itself.
    libraries=$(dirname "$found")/../lib/nvidia-cuda-toolkit/compute-sanitizer
    sanitizer=(compute-sanitizer)
    ! "${launcher[@]}" test -d "$libraries" || sanitizer+=(--injection-path "$libraries")
    for size in ${sizes:-$GPU_SIZES}; do
        read -ra flags <<<"$(size_flags "$size")"
        for tool in $TOOLS; do
            # The programs look at every error themselves, and some launches are refused on purpose.
            extra=()
            [ "$tool" != memcheck ] || extra=(--report-api-errors no)
            start "$tool, size $size" "${launcher[@]}" "${sanitizer[@]}" --tool "$tool" "${extra[@]}" --error-exitcode 1 \
                "$program" --profile "${flags[@]}" "$@"
        done
    done
fi
wait
[ "$jobs" = 1 ] || cat "$work"/*.check
failures=$(cat "$work"/*.check | grep -c '^  FOUND ')
[ "$failures" = 0 ] || { echo "check: $failures of the runs above found something" >&2; exit 1; }
