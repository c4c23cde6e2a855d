# what-if.awk: predictions of simt's what-ifs beside a GPU's times, as a page. A kernel's time on the
# GPU, times what simt says is left of it without one thing, is a prediction for a kernel that lacks
# that thing.
#
#     awk -v gpu=NAME -f what-if.awk PAIRS GPU/labN.csv... GPU-simt/labN-metrics.csv...
#
# PAIRS is plots/reference/what-if.tsv. Exits with 1 if the median error is over 15 % or a direction
# is wrong, of the pairs that differ in nothing else.

FNR == 1 { FS = FILENAME ~ /tsv$/ ? "\t" : ","; $0 = $0; reads_times = FILENAME !~ /-metrics/ }
/^#/ || FNR == 1 || $1 == "lab" { next }
FILENAME ~ /tsv$/ { pair[++pairs] = $0; next }
reads_times && !(($1, $3) in measured) { measured[$1, $3] = 1000 * $6; next }
!reads_times && $6 ~ /^time_/ { model[$1, $3, $6] = $7 }

function magnitude(x) { return x < 0 ? -x : x }

function row(number, with_more,    p, left, predicted, off) {
    split(pair[number], p, "\t")
    if ((p[5] != "-") != with_more) return
    if (!((p[1], p[2]) in measured) || !((p[1], p[4]) in measured) ||
        !((p[1], p[2], "time_as_it_is") in model)) {
        missing = missing "\n" p[1] " " p[2] ": not recorded"
        return
    }
    left = model[p[1], p[2], "time_without_" p[3]] / model[p[1], p[2], "time_as_it_is"]
    predicted = left * measured[p[1], p[2]]
    off = predicted / measured[p[1], p[4]] - 1
    printf "| %s | %s | %.1f | %s | %.1f | %s | %.1f | %+.0f %% |%s\n", p[1], p[2],
        measured[p[1], p[2]], p[3], predicted, p[4], measured[p[1], p[4]], 100 * off,
        with_more ? " " p[5] " |" : ""
    if (with_more) return
    error[++errors] = magnitude(off)
    wrong += left < 0.97 && measured[p[1], p[4]] > measured[p[1], p[2]]
}

function table(with_more,    i) {
    print "| lab | kernel | us | without | predicted us | better kernel | us | off |" \
        (with_more ? " what else differs |" : "")
    print "|--:|---|--:|---|--:|---|--:|--:|" (with_more ? "---|" : "")
    for (i = 1; i <= pairs; i++) row(i, with_more)
}

END {
    print "# What if: simt's predictions beside an " toupper(gpu) "'s times\n"
    print "`make whatif-labN` says what a kernel's time goes into: simt's model times the same run"
    print "without bank conflicts, say. The part that is left, times what the kernel takes on the"
    print toupper(gpu) ", predicts what a kernel takes that has no conflicts. Here is that kernel, measured."
    print "Made by `make truth-report` from the recordings; do not edit.\n"
    table(0)
    for (i = 2; i <= errors; i++)
        for (k = i; k > 1 && error[k - 1] > error[k]; k--) {
            t = error[k]; error[k] = error[k - 1]; error[k - 1] = t
        }
    median = errors % 2 ? error[(errors + 1) / 2] : (error[errors / 2] + error[errors / 2 + 1]) / 2
    printf "\nOf these %d the median error is %.0f %%, the largest %.0f %%; in the wrong direction: %d.\n",
        errors, 100 * median, 100 * error[errors], wrong
    print "\nThese differ in more than what is removed:\n"
    table(1)
    if (missing) print missing
    exit !errors || median > 0.15 || wrong > 0
}
