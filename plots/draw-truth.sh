#!/bin/sh
# draw-truth.sh POINTS TITLE OUT: draw modelled times against those of a GPU (plots/truth.gp) as
# OUT.svg and OUT.png, both or neither.
set -eu
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/drawing.sh"
points=$(realpath -m "$1") title=$2 out=$(realpath -m "$3")
rows=$(wc -l 2>/dev/null <"$points" || true)
[ "${rows:-0}" -ge 2 ] || fail "$1 has no points: run make truth first"
cd "$plots/.."
open_work "$out"
draw plots/truth.gp "points='$points'; title='$title'" "$out"
