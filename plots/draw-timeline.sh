#!/bin/sh
# draw-timeline.sh OUT TITLE NOTE NAME=FILE...: draw timelines (common/lib/timeline.h), a panel for
# each file with this name above it, as OUT.svg and OUT.png, both or neither. A timeline without
# work in streams, as of a step still to do, has no panel, which the script says.
set -eu
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/drawing.sh"

[ $# -ge 4 ] || fail "usage: plots/draw-timeline.sh OUT TITLE NOTE NAME=FILE..."
out=$1 title=$2 note=$3
shift 3
open_work "$out"
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

# draw_streams TERM: gnuplot's exit status.
draw_streams() {
    (cd "$plots/.." && LC_ALL=C.UTF-8 gnuplot -e "term='$1'; folder='$work'; titles='$names'; page_title='$title'; \
page_note='$note'; output_file='$work/plot.$1'" plots/timeline.gp)
}

rm -f "$out.svg" "$out.png"
status=0
draw_streams svg >"$work/idle" || status=$?
if [ "$status" = 3 ]; then
    echo "  plotted nothing for $(basename "$out"): no work in streams that the program has made"
    exit 0
fi
if [ "$status" != 0 ] || ! draw_streams png >/dev/null; then fail "gnuplot failed; nothing was drawn"; fi
keep "$out"
idle=$(paste -s -d ' ' "$work/idle")
echo "  plotted $out.svg and .png${idle:+, without $idle: no work in streams}"
