# awk -F'\t' -v lab=N -v name=COLUMN -f lab-field.awk labs/labs.tsv: a cell of the labs' table; nothing if it has no such
# column.
NR == 1 {
    for (i = 1; i <= NF; i++) if ($i == name) column = i
}
column && $1 == lab { print $column }
