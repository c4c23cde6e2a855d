#!/usr/bin/env bash
# large.sh RUN LAB/SIZE/PROGRAM...: run each lab's program at that size, started by RUN (a command,
# or empty), and keep the times as the reference of its GPU: plots/reference/<gpu>/labN-large.csv.
set -euo pipefail
run=$1
shift
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/recording.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for each; do
    IFS=/ read -r lab size program <<<"$each"
    # shellcheck disable=SC2086 # a command and its arguments
    $run "$program" --size "$size" --csv "$work/run.csv" >"$work/table.txt" ||
        { cat "$work/table.txt" >&2 && exit 1; }
    folder=$(reference_folder "$(tail -n 1 "$work/run.csv" | sed 's/.*,//')")
    keep "$folder/lab$lab-large.csv" <"$work/run.csv"
done
