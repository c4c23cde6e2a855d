#!/bin/sh
# draw-timeline.sh OUT TITLE NOTE NAME=FILE...: draw timelines (common/lib/timeline.h), a panel for each file with this name above it, as
# OUT.svg and OUT.png, both or neither.
set -eu

fail() {
    echo "plot: $*" >&2
    exit 2
}

[ $# -ge 4 ] || fail "usage: plots/draw-timeline.sh OUT TITLE NOTE NAME=FILE..."
out=$(realpath -m "$1") title=$2 note=$3
shift 3
command -v gnuplot >/dev/null || fail "gnuplot is not installed: run 'make setup' (Debian package gnuplot-nox)"
mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$work"' EXIT
names='' count=0
for timeline; do
    case $(sed 1q "${timeline#*=}" 2>/dev/null) in
    record,name,start_ns,*) ;;
    *) fail "${timeline#*=} is no timeline: its first line does not begin with record,name,start_ns" ;;
    esac
    count=$((count + 1))
    cp "${timeline#*=}" "$work/$count.csv"
    names=$names${names:+|}${timeline%%=*}
done
cd "$(dirname "$0")/.."
for term in svg png; do
    LC_ALL=C.UTF-8 gnuplot -e "term='$term'; folder='$work'; titles='$names'; page_title='$title'; page_note='$note'; \
output_file='$work/plot.$term'" plots/timeline.gp || [ $? = 3 ] || fail "gnuplot failed; nothing was drawn"
    [ -s "$work/plot.$term" ] || fail "nothing to draw: no work in streams that the program has made"
done
sed -f plots/fonts.sed "$work/plot.svg" >"$out.svg.new"
mv "$out.svg.new" "$out.svg"
mv "$work/plot.png" "$out.png"
