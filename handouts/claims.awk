# claims.awk: the page of claims, as Markdown. A mark in a text leads to its claim's first row.
#
#     awk -f handouts/claims.awk handouts/claims.tsv
BEGIN {
    FS = "\t"
    print "# What is claimed, and how it is checked\n"
    print "Each ✓ in a text leads to a claim about kernels, and each row is a test. `make claims-recorded`"
    print "checks them on the recordings of an H200 and of the simulator, `make claims` on your machine."
}
/^#/ || $1 == "lab" { next }
$1 "" != lab {
    lab = $1
    page = lab ~ /^[0-9]/ ? "lab" lab : lab
    title = lab ~ /^[0-9]/ ? "Lab " lab : lab
    printf "\n## %s\n\n| claim | which says | kernel or source | is | where |\n|---|---|---|---|---|\n", title
}
{
    anchor = page "-" $2
    name = "[" $2 "](" page ".md#" $8 ")"
    if (!(anchor in seen)) name = "<a id=\"" anchor "\"></a>" name
    seen[anchor]
    gsub(/\*/, "\\*", $6)
    gsub(/</, "\\&lt;", $5)
    printf "| %s | %s | %s | %s %s %s | %s |\n", name, $9, $3, $4, $5, $6, $7
}
