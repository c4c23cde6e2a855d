#!/usr/bin/env bash
# slurm.sh GRADES SUBMISSIONS PARTITION AT_ONCE -- GRADE_CLASS_COMMAND...: grade a class on a Slurm
# cluster. The submissions are dealt to the tasks of one job array; each task grades its share into
# GRADES, which the nodes must share, as they must the project and the submissions. PARTITION "" is
# the cluster's default, AT_ONCE "" no limit to the tasks that run at a time. Grading needs no GPU.
# Waits for the end; sbatch's own settings (SBATCH_ACCOUNT ...) are honoured.
#
# A task of a lost node starts again on another one, and skips what is graded. Slurm holds a task
# that a node cannot start, such as with a full disk, until somebody releases it: it is released
# here, RELEASES times at most.
set -euo pipefail
grades=$1 submissions=$2 partition=$3 at_once=$4
shift 5

readonly MOST_TASKS=500 # clusters limit the size of an array; 1001 is Slurm's own limit
readonly RELEASES=5 SECONDS_BETWEEN_LOOKS=10

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
job=$(mktemp) # its number, once it has one

# release_held: start held tasks again, or cancel one if that has been tried often enough. While the
# controller is away nothing is known, and nothing is done.
release_held() {
    local array task restarts reason
    array=$(cut -d ';' -f 1 "$job")
    squeue --noheader --jobs "${array:-0}" --states PENDING \
        --Format arraytaskid:.20,restartcnt:.20,reason:.50 2>/dev/null |
        while read -r task restarts reason; do
            [[ $reason = *launch*failed*held* ]] || continue
            if [ "$restarts" -le "$RELEASES" ]; then
                scontrol release "${array}_$task" || true
            else
                echo "grade: no node can start task $task: \`sinfo --list-reasons\` may say why" >&2
                scancel "${array}_$task" || true
            fi
        done
}
while sleep "$SECONDS_BETWEEN_LOOKS" >/dev/null 2>&1; do release_held || true; done &
trap 'kill $!; rm -f "$job"' EXIT

sbatch --parsable --wait --requeue --job-name grade-class \
    --array "0-$((tasks - 1))${at_once:+%$at_once}" \
    ${partition:+--partition "$partition"} --chdir "$PWD" --output "$grades/slurm-%a.log" \
        /dev/stdin "$@" >"$job" <<TASK
#!/bin/bash
# One task: SLURM_ARRAY_TASK_ID of $tasks.
grade_class=("\${@:1:2}")
exec "\${grade_class[@]}" --jobs 1 --task "\$SLURM_ARRAY_TASK_ID" --tasks $tasks "\${@:3}"
TASK
