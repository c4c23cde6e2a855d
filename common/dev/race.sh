#!/usr/bin/env bash
# race.sh LAB RESULTS: keep RESULTS, a lab's race against a library, as the reference of its GPU:
# plots/reference/<gpu>/labN-race.csv.
set -euo pipefail
lab=$1 results=$2
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/recording.sh"

folder=$(reference_folder "$(tail -n 1 "$results" | sed 's/.*,//')")
keep "$folder/lab$lab-race.csv" <"$results"
