#!/bin/sh
# draw.sh: draw a lab's plots. It finds the recorded measurements that belong beside a run and
# checks its arguments. It writes all pictures or none: gnuplot writes to a temporary folder, and
# finished files are renamed.
set -eu

usage() {
    cat <<'EOF'
usage: plots/draw.sh --lab N --out PREFIX [--run FILE] [--metrics FILE] [options]
  --lab N          the lab's number: plots/labN.gp draws it
  --out PREFIX     pictures are PREFIX-time.svg, PREFIX-time.png, PREFIX-metrics.svg and so on, as the lab has them
  --run FILE       run.csv of the run to show; without it the recorded reference is drawn alone
  --metrics FILE   metrics.csv of the same run
  --recorded DIR   recorded measurement to draw beside it: default plots/reference/<gpu> of the run's GPU, so that a
                   picture shows one GPU, and without a run plots/reference/h200; '' for none
  --reference FILE, --reference-metrics FILE    the same by file names
  --variant NAME   the run is of the lab's build NAME; the measurement beside it is of the main build
  --goal FILE      run.csv of the solution on the run's device: grey bars for steps still to do
                   (default plots/reference/<gpu>[-simt]/labN.csv of the run's device, if there is one)
  --text WHEN      times on standard output, too: auto (if it is a terminal), always, only (no pictures), never
  --width COLUMNS  of the text (default: the terminal's)
NO_COLOR=1 in the environment turns colour off; FORMATS=svg leaves out pictures in png, which take longest.
EOF
}

fail() {
    echo "plot: $*" >&2
    exit 2
}

lab='' out='' run='' metrics='' reference='' reference_metrics='' variant='' recorded=auto goal=auto text=auto width=''
while [ $# -gt 0 ]; do
    case $1 in
    --help)
        usage
        exit 0
        ;;
    --lab | --out | --run | --metrics | --recorded | --reference | --reference-metrics | --variant | --goal | --text | --width)
        [ $# -ge 2 ] || fail "$1 needs a value"
        option=$(printf %s "${1#--}" | sed 's/-/_/g')
        eval "$option=\$2"
        shift 2
        ;;
    *) fail "unknown option $1 (see plots/draw.sh --help)" ;;
    esac
done

cd "$(dirname "$0")/.."
script=plots/lab$lab.gp
# The problem of a run: the one line of run.problem beside run.csv.
problem_of() {
    [ ! -f "${1%.csv}.problem" ] || sed 1q "${1%.csv}.problem"
}
[ -n "$lab" ] || fail "--lab N is missing"
[ -f "$script" ] || fail "there is no $script: lab $lab has no plots"
[ -n "$out" ] || [ "$text" = only ] || fail "--out PREFIX is missing"
case $text in auto | always | only | never) ;; *) fail "--text $text: say auto, always, only or never" ;; esac
case $width in *[!0-9]*) fail "--width $width is not a number of columns" ;; esac
command -v gnuplot >/dev/null || fail "gnuplot is not installed: run 'make setup' (Debian package gnuplot-nox)"

# check_table FILE COLUMN: the table has to exist, with this column and a row under its header.
check_table() {
    [ -e "$1" ] || fail "$1 does not exist: run the lab first (make lab$lab, make profile-lab$lab)"
    [ -r "$1" ] || fail "$1 cannot be read"
    case $(sed 1q "$1") in
    *"$2"*) ;;
    *) fail "$1 is not a table of the labs: no column $2 in its first line" ;;
    esac
    [ "$(grep -c . "$1")" -ge 2 ] || fail "$1 has no rows: nothing to draw"
}
# The first of these files that exists, or nothing.
first_of() {
    for file in "$@"; do
        if [ -f "$file" ]; then
            echo "$file"
            return
        fi
    done
}
# The folder under plots/reference for a device: its name in gpus.tsv, with -simt for the
# simulator's.
device_folder() {
    device=$(tail -n 1 "$1" | sed 's/.*,//')
    gpu=$(common/tools/gpu.sh named "${device% (simt)}")
    [ -z "$gpu" ] || case $device in *' (simt)') echo "$gpu-simt" ;; *) echo "$gpu" ;; esac
}

[ -z "$run" ] || check_table "$run" time_ms
[ -z "$metrics" ] || check_table "$metrics" metric
[ -z "$reference" ] || check_table "$reference" time_ms
[ -z "$reference_metrics" ] || check_table "$reference_metrics" metric
own=
[ -z "$run" ] || own=$(device_folder "$run")
if [ "$recorded" = auto ]; then
    recorded=plots/reference/h200
    [ -z "$run" ] || recorded=${own:+plots/reference/${own%-simt}}
fi
if [ -z "$reference" ] && [ -n "$recorded" ]; then
    reference=$(first_of "$recorded/lab$lab.csv")
    reference_metrics=$(first_of "$recorded/lab$lab-metrics.csv")
fi
[ -n "$run$reference" ] || fail "nothing to draw: no --run, and no $recorded/lab$lab.csv"
if [ "$goal" = auto ]; then
    goal=''
    [ -z "$run" ] || goal=$(first_of "plots/reference/$own/lab$lab${variant:+-$variant}.csv")
fi

# A value in gnuplot's single quotes, with quotes doubled.
quoted() {
    case $1 in
    *\'*) printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")" ;;
    *) printf "'%s'" "$1" ;;
    esac
}
draw() { # TERM OUT
    LC_ALL=C.UTF-8 gnuplot -e "term='$1'; out=$(quoted "$2"); run=$(quoted "$run"); metrics=$(quoted "$metrics"); reference=$(quoted "$reference"); \
reference_metrics=$(quoted "$reference_metrics"); goal=$(quoted "$goal"); \
problem=$(quoted "$(problem_of "$run")"); reference_problem=$(quoted "$(problem_of "$reference")"); \
variant=$(quoted "$variant"); color=$color; width=$width; ascii=$ascii" "$script" || fail "gnuplot failed (exit code $?); nothing was drawn"
}

color=1 ascii=0
[ -z "${NO_COLOR:-}" ] && [ -t 1 ] || color=0
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in *[Uu][Tt][Ff]*8*) ;; *) ascii=1 ;; esac
if [ -z "$width" ]; then
    width=${COLUMNS:-}
    # Ask standard output for the terminal's width: make's jobs have no terminal as standard input.
    [ -n "$width" ] || ! [ -t 1 ] || width=$(stty size <&1 2>/dev/null | cut -d ' ' -f 2) || true
    case $width in '' | *[!0-9]* | 0) width=100 ;; esac
fi

if [ "$text" != only ]; then
    mkdir -p "$(dirname "$out")" 2>/dev/null || fail "cannot write to $(dirname "$out")"
    work=$(mktemp -d "$out.XXXXXX" 2>/dev/null) || fail "cannot write to $(dirname "$out")"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    for format in ${FORMATS:-svg png}; do draw "$format" "$work/lab"; done
    for picture in "$work"/lab-*; do
        [ -e "$picture" ] || continue # no picture had anything to draw
        [ -s "$picture" ] || fail "gnuplot drew nothing into $(basename "$picture")"
        case $picture in *.svg) sed -i -f plots/fonts.sed "$picture" ;; esac
    done
    # Remove older pictures first: one that this run does not draw would show another run.
    rm -f "$out"-*.svg "$out"-*.png
    for picture in "$work"/lab-*; do
        if [ -e "$picture" ]; then
            mv "$picture" "$out${picture#"$work/lab"}"
        else
            echo "  plotted nothing for $(basename "$out"): nothing has been measured in ${run:-$reference}"
        fi
    done
fi
case $text in
always | only) draw dumb '' ;;
auto) [ ! -t 1 ] || draw dumb '' ;;
esac
