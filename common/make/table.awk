# awk -v name=NAME -f table.awk FILE.tsv: a table as definitions for make: NAME.keys, and NAME.KEY.COLUMN for each cell, where
# KEY is the first cell of the row. make splits words at spaces: a column's name has - for a space, a cell has $(space).
BEGIN { FS = "\t" }
/^#/ { next }
{ gsub(/\$/, "$$"); gsub(/#/, "\\#") }
!columns {
    gsub(/ /, "-")
    columns = split($0, column)
    next
}
{
    gsub(/ /, "$(space)")
    print name ".keys+=" $1
    for (i = 1; i <= columns; i++) print name "." $1 "." column[i] ":=" $i
}
