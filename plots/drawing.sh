#!/bin/sh
# drawing.sh: what the scripts share that draw one picture. They source it from plots/.

fail() {
    echo "plot: $*" >&2
    exit 2
}

plots=$(realpath "$(dirname "$0")")
command -v gnuplot >/dev/null || fail "gnuplot is not installed: run 'make setup' (Debian package gnuplot-nox)"

# open_work OUT: make the folder of OUT, and beside OUT a folder $work that goes with the script.
open_work() {
    mkdir -p "$(dirname "$1")"
    work=$(realpath "$(mktemp -d "$1.XXXXXX")")
    trap 'rm -rf "$work"' EXIT
}

# keep OUT: the pictures in $work become OUT.svg and OUT.png.
keep() {
    sed -i -f "$plots/fonts.sed" "$work/plot.svg"
    mv "$work/plot.svg" "$1.svg"
    mv "$work/plot.png" "$1.png"
}

# draw SCRIPT SETTINGS OUT: draw OUT.svg and OUT.png by a script of gnuplot's, both or neither.
draw() {
    for term in svg png; do
        LC_ALL=C.UTF-8 gnuplot -e "term='$term'; $2; output_file='$work/plot.$term'" "$1"
        [ -s "$work/plot.$term" ] || fail "gnuplot drew nothing"
    done
    keep "$3"
}
