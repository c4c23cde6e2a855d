# tables.awk: writes the cells of tables as variables of make, NAME.KEY.COLUMN: KEY is the first
# cell of the row, and _ stands for a space in a column's name. NAME.keys and NAME.columns list
# them.
#
#     awk -f tables.awk name=lab labs/labs.tsv name=gpu common/simt/gpus.tsv
BEGIN { FS = "\t" }
/^#/ { next }
{ gsub(/[$]/, "$$"); gsub(/#/, "\\#") }
FILENAME != file {
    file = FILENAME
    gsub(/ /, "_")
    columns = split($0, column)
    $1 = $1
    print name ".columns := " $0
    next
}
{
    print name ".keys += " $1
    for (i = 1; i <= columns; i++) print name "." $1 "." column[i] " := " $i
}
