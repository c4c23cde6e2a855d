#!/usr/bin/env bash
# after.sh FOLDER LAB: what is made of a class's grades in FOLDER when all are there: the
# distribution of each step as a picture (steps.svg and .png), and where everything is.
set -euo pipefail
folder=$1 lab=$2

for form in svg png; do
    gnuplot -e "steps='$folder/steps.csv'; title='Lab $lab: points by step'; term='$form'" \
        -e "output_file='$folder/steps.$form.part'" plots/grades.gp
    mv "$folder/steps.$form.part" "$folder/steps.$form"
done

printf '\n%s\n' \
    "$folder: grades.csv, summary.txt, steps.svg and .png, students/*/report.txt and results.json"
[ ! -s "$folder/similar.txt" ] ||
    printf '%s\n' "$folder/similar.txt: submissions that look alike, as places to look"
