#!/bin/sh
# draw-timeline.sh OUT TITLE NOTE NAME=FILE...: draw timelines (common/lib/timeline.h), a panel for
# each file with this name above it, as OUT.svg and OUT.png, both or neither. A timeline without
# work in streams, as of a step still to do, has no panel, which the script says.
set -eu

fail() {
    echo "plot: $*" >&2
    exit 2
}

[ $# -ge 4 ] || fail "usage: plots/draw-timeline.sh OUT TITLE NOTE NAME=FILE..."
out=$1 title=$2 note=$3
shift 3
command -v gnuplot >/dev/null || fail "gnuplot is not installed: run 'make setup' (Debian package gnuplot-nox)"
mkdir -p "$(dirname "$out")"
work=$(realpath "$(mktemp -d "$out.XXXXXX")")
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

# draw TERM: gnuplot's exit status.
draw() {
    (cd "$(dirname "$0")/.." && LC_ALL=C.UTF-8 gnuplot -e "term='$1'; folder='$work'; titles='$names'; page_title='$title'; \
page_note='$note'; output_file='$work/plot.$1'" plots/timeline.gp)
}

rm -f "$out.svg" "$out.png"
status=0
draw svg >"$work/idle" || status=$?
if [ "$status" = 3 ]; then
    echo "  plotted nothing for $(basename "$out"): no work in streams that the program has made"
    exit 0
fi
if [ "$status" != 0 ] || ! draw png >/dev/null; then fail "gnuplot failed; nothing was drawn"; fi
sed -i -f "$(dirname "$0")/fonts.sed" "$work/plot.svg"
mv "$work/plot.svg" "$out.svg"
mv "$work/plot.png" "$out.png"
idle=$(paste -s -d ' ' "$work/idle")
echo "  plotted $out.svg and .png${idle:+, without $idle: no work in streams}"
