# count.awk: counts what suites printed, as TAP. Of one suite, a line, after all that it printed if a
# test failed; with -v all=1, the numbers of several. The exit status is 1 if a test failed.
#
#   "ok", "not ok"     a test that passed or failed; cmocka says "not ok" of one that it skips, too
#   "# cpu 1.5 0.2"    user and system seconds of the processors
#   "# status 1"       the suite ended with an error: it has failed, also if it names no failed test
#
# A suite that names no test has failed.

function ends() {
    if (!bad && (status || !good && !skip)) bad = 1
    passed += good; failed += bad; skipped += skip; seconds += cpu
}

FNR == 1 && NR > 1 { ends() }
FNR == 1 { good = bad = skip = cpu = status = 0 }
{ text = text $0 "\n" }
/^(not )?ok .*# *(SKIP|skip)/ { skip++; next }
/^ok / { good++ }
/^not ok / { bad++ }
/^# status / { status = $3 }
/^# cpu / { cpu += $3 + $4 }

END {
    ends()
    if (all) {
        printf "%d skipped; the processors took %d:%02d\n", skipped, seconds / 60, seconds % 60
        printf "%d passed, %d failed\n", passed, failed
    } else {
        gsub(/.*\/|\.tap$/, "", FILENAME)
        if (failed) printf "--- %s\n%s---\n", FILENAME, text
        printf "  %-14s %4d passed, %d failed%s, %.0f s of processors\n", FILENAME, passed, failed,
            skipped ? ", " skipped " skipped" : "", seconds
    }
    exit failed > 0
}
