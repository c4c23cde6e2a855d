# shellcheck shell=bash
# labs.bash: for scripts that go through the labs; to be sourced.

# lab_field LAB COLUMN: a cell of the labs' table of the folder one is in.
lab_field() {
    awk -F'\t' -v lab="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        column && $1 == lab { print $column }' labs/labs.tsv
}

# size_flags SIZE: a program's flags for it, 77x131 being a matrix of 77 rows; none for the program's default.
size_flags() {
    case $1 in
    default) ;;
    *x*) echo "--rows ${1%x*} --cols ${1#*x}" ;;
    *) echo "--size $1" ;;
    esac
}
