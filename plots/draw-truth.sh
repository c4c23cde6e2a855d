#!/bin/sh
# draw-truth.sh POINTS TITLE OUT: draw modelled times against those of a GPU (plots/truth.gp) as
# OUT.svg and OUT.png, both or neither.
set -eu
points=$(realpath -m "$1") title=$2 out=$(realpath -m "$3")

fail() {
    echo "plot: $*" >&2
    exit 2
}

command -v gnuplot >/dev/null || fail "gnuplot is not installed: run 'make setup' (Debian package gnuplot-nox)"
rows=$(wc -l 2>/dev/null <"$points" || true)
[ "${rows:-0}" -ge 2 ] || fail "$1 has no points: run make truth first"
cd "$(dirname "$0")/.."
mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$work"' EXIT
for term in svg png; do
    LC_ALL=C.UTF-8 gnuplot -e "term='$term'; points='$points'; title='$title'; output_file='$work/plot.$term'" plots/truth.gp
    [ -s "$work/plot.$term" ] || fail "gnuplot drew nothing"
done
sed -f plots/fonts.sed "$work/plot.svg" >"$out.svg.new"
mv "$out.svg.new" "$out.svg"
mv "$work/plot.png" "$out.png"
