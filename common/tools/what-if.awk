# what-if.awk METRICS.tsv METRICS.csv: what each step's time goes into, from the metrics of a run
# on the simulator. A line for each step: its first row's name, or of variants, as in read32(4), the
# slowest; its time in us; and for each of the three things that cost it most, at least 3 %: words,
# the time without it. With sentence=1 these as a sentence after the name.
BEGIN { FS = OFS = "\t"; LEAST = 0.03; MOST = 3 }

FNR == NR { if ($1 ~ /^time_without_/ && $1 != "time_without_all") words[$1] = $4; next }
FNR == 1 { FS = "," }
$6 == "time_as_it_is" && !($2 in row) { step[++steps] = $2 }
$6 == "time_as_it_is" && (!($2 in row) || (name[$2] ~ /[(]/ && ($3 !~ /[(]/ || $7 > taken[$2]))) {
    taken[$2] = $7; row[$2] = $3 $4 $5; name[$2] = $3
}
$6 in words { time[$2, $3 $4 $5, $6] = $7 }

# The metric without which the row takes least; "": none saves enough.
function best(k,    w, found) {
    for (w in words)
        if ((k, row[k], w) in time && time[k, row[k], w] < (1 - LEAST) * taken[k] &&
            (found == "" || time[k, row[k], w] < time[k, row[k], found])) found = w
    return found
}

END {
    for (s = 1; s <= steps; s++) {
        k = step[s]
        line = name[k] OFS sprintf("%.6g", taken[k] / 1000)
        said = ""
        for (n = 1; n <= MOST && (w = best(k)) != ""; n++) {
            line = line OFS words[w] OFS sprintf("%.6g", time[k, row[k], w] / 1000)
            said = said sprintf("%s %s %.0f %%", n > 1 ? "," : "", words[w],
                100 - 100 * time[k, row[k], w] / taken[k])
            delete time[k, row[k], w]
        }
        if (sentence && said) print name[k], "What costs most of its time, in the model of an H200:" said "."
        else if (!sentence) print line
    }
}
