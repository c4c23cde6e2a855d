#!/usr/bin/env bash
# similar.sh BUILD FOLDER: which submissions of a class look alike? For each student graded in FOLDER/students the text of the
# regions that he has worked in, without comments, names and layout, is compared with every other's by similarity-tester. Prints
# pairs, most alike first: places to look, no verdict. Short steps have few ways to be right.
set -euo pipefail
build=$1 folder=$2
readonly LEAST=80 # percent of one text that must be found in the other
readonly MARK=$'\x01' # begins a student's text; no submission with control characters is graded

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$folder/students" -mindepth 2 -maxdepth 2 -name regions.c -size +0 | LC_ALL=C sort >"$work/list"
[ -s "$work/list" ] || exit 0

# In the sandbox the texts are called 1, 2, 3 ...: no name of a submission goes into a command.
number=0
while IFS= read -r file; do
    number=$((number + 1))
    printf '%s%d\n' "$MARK" "$number"
    cat "$file"
    echo
done <"$work/list" >"$work/texts"
cat >"$work/compare" <<'INSIDE'
awk -v mark="$(printf '\001')" 'substr($0, 1, 1) == mark { if (file) close(file); file = substr($0, 2) ".c"; next } { print >file }' ../grade/texts
ls | sort -n | sim_c -p -e -T -t "$1" -i
INSIDE
"$build/bin/sandbox" --file texts="$work/texts" --file compare="$work/compare" -- sh ../grade/compare "$LEAST" >"$work/pairs"

# "3.c consists for 97 % of 8.c material"
awk 'NR == FNR { n = split($0, part, "/"); student[FNR ".c"] = part[n - 1]; next }
    / consists for / { printf "%3d %%  of %s is in %s\n", $4, student[$1], student[$7] }' "$work/list" "$work/pairs" | LC_ALL=C sort -k1,1nr -k4
