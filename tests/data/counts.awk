# counts.awk: what simt counts otherwise than an H200, and why.
#
#   labprof --csv --metrics all --events all PROGRAM | awk -f counts.awk reasons.tsv h200.csv -
#   ... on an H200: awk -v record=1 -f counts.awk metrics.tsv -     writes h200.csv
#
# h200.csv: kernel,metric,value; reasons.tsv: metric and kernel as regular expressions, and a reason.
# Prints the values with a reason, then those without one (UNEXPLAINED), then reasons that explain
# nothing (UNUSED). metrics.tsv (common/labprof): what simt models is not recorded.

function number(text) { sub(/%$/, "", text); return text + 0 }

# labprof prints up to six digits after the point, of which ncu gave two.
function same(a, b,   off) {
    off = number(a) - number(b)
    return (off < 0 ? -off : off) <= (a ~ /[.%]/ ? 0.006 : 0)
}

# kernel, name, value of a line of labprof
function values(line,   part) {
    line = substr(line, index(line, "\",\"") + 3)
    kernel = line
    sub(/\(.*/, "", kernel)
    sub(/^[^"]*",[0-9]+,"/, "", line)
    name = line
    sub(/".*/, "", name)
    split(line, part, ",")
    value = part[2] ~ /^"/ ? part[3] : part[2]
}

FNR == 1 { file++ }
record && file == 1 { split($0, part, "\t"); if (part[10] != "" || part[7] == "NA") skip[part[1]] = part[10] !~ /^estimated/; next }
record && /^"NVIDIA/ {
    values($0)
    if (!head++) print "kernel,metric,value"
    if (!skip[name] && value != "NA" && name !~ /cycles/) print kernel "," name "," value
    next
}
record { next }

file == 1 && !/^#/ && FNR > 1 { split($0, part, "\t"); if (part[1] != "metric") { n++; metric[n] = part[1]; of[n] = part[2]; reason[n] = part[3] } }
file == 2 && FNR > 1 { split($0, part, ","); h200[part[1] SUBSEP part[2]] = part[3]; left++ }
file > 2 && /^"NVIDIA/ {
    values($0)
    key = kernel SUBSEP name
    if (!(key in h200)) next
    left--
    if (same(h200[key], value)) { equal++; next }
    for (i = 1; i <= n; i++)
        if (name ~ "^(" metric[i] ")$" && kernel ~ "^(" of[i] ")$") break
    used[i] = 1
    print (i > n ? "UNEXPLAINED " : "") kernel, name ": H200", h200[key] ", simt", value (i > n ? "" : ": " reason[i])
}
END {
    if (record) exit
    for (i = 1; i <= n; i++) if (!(i in used)) print "UNUSED", metric[i], of[i]
    print equal, "equal,", left, "missing"
}
