#!/usr/bin/env bash
# slurm.sh GRADES SUBMISSIONS PARTITION AT_ONCE -- GRADE_CLASS_COMMAND...: grade a class on a Slurm cluster. The submissions are dealt
# to the tasks of one job array; each task grades its share into GRADES, which the nodes must share, as they must the project and
# the submissions. PARTITION "" is the cluster's default, AT_ONCE "" no limit to the tasks that run at a time. Grading needs no
# GPU. Waits for the end; sbatch's own settings (SBATCH_ACCOUNT ...) are honoured.
set -euo pipefail
grades=$1 submissions=$2 partition=$3 at_once=$4
shift 5

readonly MOST_TASKS=500 # clusters limit the size of an array; 1001 is Slurm's own limit

if ! command -v sbatch >/dev/null; then
    echo "grade: ENGINE=slurm needs sbatch here: log in to the cluster, or leave ENGINE out" >&2
    exit 1
fi
shopt -s nullglob
entries=("$submissions"/*)
tasks=${#entries[@]}
[ "$tasks" -gt 0 ] || exit 0 # nothing to do is said when the results are collected
[ "$tasks" -le "$MOST_TASKS" ] || tasks=$MOST_TASKS

mkdir -p "$grades"
sbatch --quiet --wait --job-name grade-class --array "0-$((tasks - 1))${at_once:+%$at_once}" ${partition:+--partition "$partition"} \
    --chdir "$PWD" --output "$grades/slurm-%a.log" /dev/stdin "$@" <<TASK
#!/bin/bash
# One task: SLURM_ARRAY_TASK_ID of $tasks.
grade_class=("\${@:1:2}")
exec "\${grade_class[@]}" --jobs 1 --task "\$SLURM_ARRAY_TASK_ID" --tasks $tasks "\${@:3}"
TASK
