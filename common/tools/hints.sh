#!/usr/bin/env bash
# hints.sh: print the table of hints: for each step of each lab first where its text is, then what
# the rubric says to those who lose points. A sentence that several of a step's rows have is one
# hint.
set -euo pipefail
printf 'lab\tstep\thint\n'
tail -n +2 labs/labs.tsv | while IFS=$'\t' read -r number folder program _; do
    awk -F'\t' -v lab="$number" '
        /BEGIN SOLUTION/ { split($0, words, "SOLUTION "); step = words[2] }
        step != "" && match($0, /handouts\/[a-z0-9.#]+/) {
            print lab "\t" step "\tRead " substr($0, RSTART, RLENGTH) \
                ": the picture and the question come before the code."
            step = ""
        }
        FILENAME ~ /rubric/ && !/^#|^step\t/ && $5 != "" && !seen[$1, $5]++ {
            print lab "\t" $1 "\t" $5
        }
    ' "solutions/$folder/$program.cu" "solutions/$folder/rubric.tsv"
done
