#!/bin/sh
# draw-model.sh POINTS TITLE OUT: draw the time model against a GPU (plots/model.gp) as OUT.svg and OUT.png, both or neither.
set -eu
points=$1 title=$2 out=$3
cd "$(dirname "$0")/.."
command -v gnuplot >/dev/null || { echo "plot: gnuplot is not installed: run 'make setup' (Debian package gnuplot-nox)" >&2; exit 2; }
[ "$(grep -c . "$points" 2>/dev/null || true)" -ge 2 ] || { echo "plot: $points has no points: run make compare-model first" >&2; exit 2; }
mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$work"' EXIT
for term in svg png; do
    LC_ALL=C.UTF-8 gnuplot -e "term='$term'; points='$points'; title='$title'; output_file='$work/plot.$term'" plots/model.gp
    [ -s "$work/plot.$term" ] || { echo "plot: gnuplot drew nothing" >&2; exit 2; }
done
sed -f plots/fonts.sed "$work/plot.svg" >"$out.svg.new"
mv "$out.svg.new" "$out.svg"
mv "$work/plot.png" "$out.png"
