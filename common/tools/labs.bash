# shellcheck shell=bash
# labs.bash: functions about the labs, for other scripts to source.

# lab_field LAB COLUMN: a cell of labs/labs.tsv; run it in the project's folder.
lab_field() {
    awk -F'\t' -v lab="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        column && $1 == lab { print $column }' labs/labs.tsv
}

# size_flags SIZE: a program's flags for this size; 77x131 is a matrix of 77 rows, `default` the program's size.
size_flags() {
    case $1 in
    default) ;;
    *x*) echo "--rows ${1%x*} --cols ${1#*x}" ;;
    *) echo "--size $1" ;;
    esac
}

# moments LAB: the steps of which the lab's handout names the moment that shows the point: step, moment, what it is, settings
# of make see-labN, with tabs between them.
moments() {
    sed -nE 's/^(\*\*Inside a warp:\*\*|-) `make see-lab[0-9]+ STEP=([A-Za-z0-9_]+) ?([^`]*)`, `#to=([a-z]+)`: (.*)\.$/\2\t\4\t\5\t\3/p' \
        "handouts/lab$1.md"
}

# see_moment SIMULATOR SOURCE PROGRAM PAGE STEP SETTINGS: record a step's page with such settings.
see_moment() {
    local environment=(STEP="$5") flags=() setting
    for setting in $6; do
        case $setting in
        SIZE=*) read -ra flags < <(size_flags "${setting#SIZE=}") ;;
        BLOCK=*) flags+=(--block "${setting#BLOCK=}") ;;
        *) environment+=("$setting") ;;
        esac
    done
    env "${environment[@]}" common/tools/see.sh "$1" "$2" "$3" "$4" "${flags[@]}"
}
