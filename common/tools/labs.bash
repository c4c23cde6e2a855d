# shellcheck shell=bash
# labs.bash: functions about the labs, for other scripts to source.

# lab_field LAB COLUMN: a cell of labs/labs.tsv; run it in the project's folder.
lab_field() {
    awk -F'\t' -v lab="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        column && $1 == lab { print $column }' labs/labs.tsv
}

# size_flags SIZE: a program's flags for this size; 77x131 is a matrix of 77 rows, `default` the
# program's size.
size_flags() {
    case $1 in
    default) ;;
    *x*) echo "--rows ${1%x*} --cols ${1#*x}" ;;
    *) echo "--size $1" ;;
    esac
}

# moments LAB: the steps that have a moment that shows the point: step, moment, what it is, settings
# of make see-labN, with tabs between them.
moments() {
    awk -F'\t' -v lab="$1" '
        FNR == NR { if (/^    [a-z]+: \{/) { name = $0; gsub(/:.*| /, "", name) }
            if (sub(/.*label: "/, "")) { sub(/".*/, ""); label[name] = $0 }
            next }
        $1 == lab { print $2 "\t" $3 "\t" label[$3] "\t" $4 }' common/see/moments.js \
            common/see/steps.tsv
}
