#!/usr/bin/env bash
# platform.sh: how the image of a learning platform grades a lab, in what course.sh has packed.
#
#   platform.sh setup                        once, as root: install what is missing, build the grader, hide it from other users
#   platform.sh grade SUBMISSION [LAB.tar]   print the report, and as the last line Autolab's JSON. The results are then also in
#                                            build/results. LAB.tar holds another lab of the same course.
#
# Grading needs root: a container rarely lets bubblewrap run, and only root can run a submission as another user.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The one lab that is packed.
lab() {
    awk -F'\t' 'NR == 2 { print $1 }' labs/labs.tsv
}

case ${1:-} in
setup)
    command -v make >/dev/null || { apt-get update && apt-get install -y --no-install-recommends make; }
    make FRONT=clang "grader-lab$(lab)"
    make FRONT=clang "grader-lab$(lab)" # with the compiler that the first has installed, as each submission is graded
    chmod o= .
    ;;
grade)
    if [ -n "${3:-}" ]; then
        chmod o= "$3"
        tar -xf "$3" ./labs ./solutions
    fi
    make --no-print-directory FRONT=clang NO_INSTALL=1 "grade-lab$(lab)" SUBMISSION="$(realpath "$2")"
    rm -rf build/results
    cp -r "build/grade/lab$(lab)/one" build/results
    ;;
*)
    sed -n '2,/^#$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
