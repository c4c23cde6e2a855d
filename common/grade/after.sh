#!/usr/bin/env bash
# after.sh BUILD FOLDER LAB: what is made of a class's grades in FOLDER when all are there: the distribution of each step as a
# picture (steps.svg and .png), and the submissions that look alike (similar.txt).
set -euo pipefail
build=$1 folder=$2 lab=$3

for form in svg png; do
    gnuplot -e "steps='$folder/steps.csv'; title='Lab $lab: points by step'; term='$form'; output_file='$folder/steps.$form.part'" plots/grades.gp
    mv "$folder/steps.$form.part" "$folder/steps.$form"
done
common/grade/similar.sh "$build" "$folder" >"$folder/similar.txt.part"
mv "$folder/similar.txt.part" "$folder/similar.txt"

pairs=$(wc -l <"$folder/similar.txt")
printf '\n%s\n' "$folder: grades.csv, summary.txt, steps.svg and .png, students/*/report.txt and results.json"
[ "$pairs" = 0 ] || printf '%s\n' "$folder/similar.txt: $pairs pairs of submissions that look alike, as places to look"
