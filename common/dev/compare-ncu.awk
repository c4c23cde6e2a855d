# compare-ncu.awk: labncu's values beside those of ncu on an H200, as a page in Markdown.
#
#   awk -f compare-ncu.awk sections.tsv query.txt ncu.csv labncu.csv...
#
# sections.tsv (common/labncu); query.txt: labncu --query-metrics; ncu.csv (plots/reference/h200);
# labncu.csv: one a lab, of labncu --page raw --csv --print-units base --print-kernel-base function,
# after a line `lab N`. A cell of the page is = where the values are equal, else labncu's value as a
# share of ncu's. -v list=1: instead a line `LAB METRIC counted|modelled NCU LABNCU` for each value.

function number(text) { gsub(/,/, "", text); return text }

function cell(n, metric,   a, b) {
    if (!((n, metric) in ncu) || !((n, metric) in lab)) return ""
    a = ncu[n, metric]
    b = lab[n, metric]
    if (same(a, b)) return "="
    return a == 0 ? "(" b ")" : sprintf("%.2f", b / a)
}

# Recorded with six digits.
function same(a, b,   off) { off = a - b; if (off < 0) off = -off; return off <= 1e-6 * (a < 0 ? -a : a) + 1e-6 }

function row(label, metric,   n, line, any) {
    for (n = 1; n <= 10; n++) { line = line " | " cell(n, metric); any = any cell(n, metric) }
    if (any != "") printf "| %s | `%s` | %s%s |\n", label, metric, modelled[metric] ? "modelled" : "counted", line
}

function head(title) {
    printf "\n## %s\n\n| | ncu's name | | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n", title
}

FNR == 1 { file++ }

file == 1 && !/^#/ && !/^section\t/ {
    split($0, part, "\t")
    if (part[3] == "-") { sections++; title[sections] = part[2]; next }
    count[sections]++
    label[sections, count[sections]] = part[2]
    name[sections, count[sections]] = part[3]
    placed[part[3]] = 1
    why[part[3]] = part[5]
}

file == 2 && /^Metrics of sections/ { absent = 1; next }
file == 2 && /__|^thread/ { if (absent) missing[$1] = 1; else { order[++known] = $1; modelled[$1] = /\(modelled\)$/ } }

file == 3 && FNR > 1 { split($0, part, ","); ncu[part[1], part[6]] = part[7]; shape[part[1]] = part[3] " " part[4] " " part[5] }

file > 3 && /^lab / { n = $2; header = 0; next }
file > 3 && /^"/ {
    line = substr($0, 2, length($0) - 2)
    columns = split(line, part, /","/)
    if (!header) { header = 1; units = 1; for (i = 1; i <= columns; i++) column[i] = part[i]; next }
    if (units) { units = 0; next }
    grid = part[9]; block = part[8]
    gsub(/,/, "", grid); gsub(/,/, "", block)
    if (shape[n] != part[5] " " grid " " block || (n in done)) next
    done[n] = 1
    for (i = 12; i <= columns; i++) if (part[i] != "n/a") lab[n, column[i]] = number(part[i])
}

END {
    # what a suffix divides by a modelled time is modelled, too; the averages over units are counted
    for (s = 1; s <= sections; s++) for (k = 1; k <= count[s]; k++) {
        metric = name[s, k]
        if (metric in modelled || metric in missing) continue
        base = metric
        sub(/\..*/, ".sum", base)
        modelled[metric] = modelled[base] || metric ~ /per_(second|cycle)/
        rest[metric] = 1
    }
    if (list) {
        for (key in ncu) {
            split(key, part, SUBSEP)
            if (key in lab) print part[1], part[2], modelled[part[2]] ? "modelled" : "counted", ncu[key], lab[key]
        }
        exit
    }
    for (s = 1; s <= sections; s++) {
        if (!count[s]) continue
        head(title[s])
        for (k = 1; k <= count[s]; k++) row(label[s, k], name[s, k])
        line = ""
        for (k = 1; k <= count[s]; k++) {
            metric = name[s, k]
            if (metric in missing) line = line (line == "" ? "" : "; ") label[s, k] ": " why[metric]
        }
        if (line != "") printf "\nNot on simt: %s.\n", line
    }
    head("Metrics outside the sections' tables")
    for (i = 1; i <= known; i++) if (!(order[i] in placed)) row("", order[i])
}
