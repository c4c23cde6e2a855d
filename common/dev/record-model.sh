#!/usr/bin/env bash
# record-model.sh FOLDER METRICS LAB...: measure the labs on this machine's GPU with model-runs.sh
# (see its environment), and keep the rows as the GPU's reference: plots/reference/<gpu>/model.csv,
# with software and date in model-about.tsv.
set -euo pipefail
work=$1
shift
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/recording.sh"

read -ra launcher <<<"${RUN:-}"
device=$("${launcher[@]}" nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
folder=$(reference_folder "$device")
about "$device" | keep "$folder/model-about.tsv"
"$(dirname "$0")/model-runs.sh" "$folder/model.csv" "$work" "$@"
