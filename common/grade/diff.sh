#!/usr/bin/env bash
# diff.sh BUILD SUBMISSION PROGRAM SOLUTION: a submission's steps beside the solution's. An archive is opened in the sandbox first.
set -euo pipefail
build=$1 submission=$2 program=$3 solution=$4

case ${submission,,} in
*.zip | *.tar | *.tar.* | *.tgz)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    "$build/bin/sandbox" --file archive="$submission" --file unpack.sh=common/grade/unpack.sh --take taken="$work/$program.cu" -- \
        bash ../grade/unpack.sh ../grade/archive "$program.cu" taken || { echo "diff-lab: $submission cannot be opened" >&2 && exit 1; }
    submission=$work/$program.cu
    ;;
esac
"$build/bin/diff-lab" "$submission" "$solution"
