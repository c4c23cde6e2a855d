#!/usr/bin/env bash
# new-lab.sh NAME SKELETON: begin a lab, from the files of common/dev/new-lab: program, rubric,
# cases, handout with numbers and claims, plot, tests, a row of labs/labs.tsv, and a link in the
# README. SKELETON makes the students' version. All of it comes to be, or nothing: the files are
# made in a temporary folder, and taken back if not all of them can be put in place.
set -euo pipefail
name=$1 skeleton=$2
readonly TEMPLATES=common/dev/new-lab

wrong() {
    echo "new-lab: $*" >&2
    exit 2
}


# Words that mean something to C++ or CUDA, or to the labs' own files.
readonly RESERVED='
    alignas alignof and asm auto bool break case catch char class common const constexpr
    continue decltype default delete do double else enum explicit export extern false float
    for friend goto harness if inline int lab labs long main mutable namespace new noexcept
    not nullptr operator or private program protected public register return short signed
    sizeof static struct switch template test this throw true try typedef typeid typename
    union unsigned using virtual void volatile while xor'
export LC_ALL=C # letters are those of ASCII
[[ $name =~ ^[a-z][a-z0-9]*(_[a-z0-9]+)*$ && ${#name} -ge 2 && ${#name} -le 24 ]] ||
    wrong "NAME='$name': give 2 to 24 small letters and digits, a letter first, with _ between" \
        "words, as in NAME=scan"
! grep -qw -- "$name" <<<"$RESERVED" ||
    wrong "NAME=$name: this word is reserved; give another, as in NAME=my_$name"

exec 9<labs/labs.tsv
flock 9
folder_of_name=${name//_/-}
! awk -F'\t' -v name="$name" -v folder="$folder_of_name" '
    { sub(/^lab[0-9]+-/, "", $2) } $3 == name || $2 == folder { found = 1 } END { exit !found }' \
        labs/labs.tsv ||
    wrong "NAME=$name: there is such a lab; \`make list\` names all"
number=$(awk -F'\t' '$1 + 0 >= next_one { next_one = $1 + 1 } END { print next_one }' labs/labs.tsv)
prefix=$(sed -E 's/_(.)/\u\1/g' <<<"$name")
title=$(sed -E 's/^(.)/\u\1/; s/_/ /g' <<<"$name")
folder=lab$number-$folder_of_name


made=(solutions/"$folder" labs/"$folder" plots/lab"$number".gp
    handouts/lab"$number".{md,numbers.tsv} tests/labs/lab"$number".bats)
changed=(labs/labs.tsv labs/handed-out.tsv handouts/claims.tsv README.md)
for path in "${made[@]}"; do
    [ ! -e "$path" ] || wrong "$path is there, and no lab has the number $number: remove it"
done
for path in "${changed[@]}" solutions labs plots handouts tests/labs; do
    [ -w "$path" ] || wrong "$path cannot be written"
done

work=$(mktemp -d ./.new-lab.XXXXXX)
finished=
undo() {
    if [ -z "$finished" ]; then
        rm -rf "${made[@]}"
        for path in "${changed[@]}"; do
            [ ! -e "$work/before/$path" ] || mv "$work/before/$path" "$path"
        done
    fi
    rm -rf "$work"
}
trap undo EXIT
trap 'exit 130' INT TERM HUP

# from TEMPLATE PATH: write the file, in the temporary folder.
from() {
    mkdir -p "$work/after/$(dirname "$2")"
    sed -e "s/@NUMBER@/$number/g; s/@NAME@/$name/g; s/@PREFIX@/$prefix/g; s/@ANCHOR@/${prefix,,}/g; s/@TITLE@/$title/g" \
        -e "s/@FOLDER@/$folder_of_name/g; s/@SEED@/$((7000 + number))/g" "$TEMPLATES/$1.in" \
            >"$work/after/$2"
}

mkdir -p "$work/before"
cp -p --parents "${changed[@]}" "$work/before"
from program.cu "solutions/$folder/$name.cu"
from rubric.tsv "solutions/$folder/rubric.tsv"
from cases.tsv "solutions/$folder/cases.tsv"
from plot.gp "plots/lab$number.gp"
from handout.md "handouts/lab$number.md"
from numbers.tsv "handouts/lab$number.numbers.tsv"
from test.bats "tests/labs/lab$number.bats"
mkdir -p "$work/after/labs/$folder"
"$skeleton" write "$work/after/solutions/$folder/$name.cu" "$work/after/labs/$folder/$name.cu" \
    >/dev/null

# The row has the table's columns, in its order.
from labs.tsv row
awk -F'\t' -v OFS='\t' \
    'NR == FNR { value[substr($0, 1, index($0, "=") - 1)] = substr($0, index($0, "=") + 1); next }
    { print } FNR == 1 { columns = split($0, column) }
    END { for (i = 1; i <= columns; i++) printf "%s%s", value[column[i]], i < columns ? OFS : "\n" }' "$work/after/row" labs/labs.tsv \
    >"$work/after/labs/labs.tsv"
from claims.tsv claims
cat handouts/claims.tsv "$work/after/claims" >"$work/after/handouts/claims.tsv"
# After the last of the links to the labs' texts.
awk -v link="[$number ${name//_/ }](handouts/lab$number.md);" '
    !done && /\]\(handouts\/lab[0-9]+\.md\);/ { sub(/\.md\);/, ".md),\n" link); done = 1 } { print } END { exit !done }' README.md >"$work/after/README.md" ||
    wrong "README.md: the list of the labs' texts is not there"


for path in "${made[@]}"; do mv "$work/after/$path" "$path"; done
tail -n 1 "$work/after/labs/handed-out.tsv" >>labs/handed-out.tsv
for path in README.md handouts/claims.tsv labs/labs.tsv; do
    chmod --reference="$path" "$work/after/$path"
    mv "$work/after/$path" "$path"
done
finished=1
cat <<END
lab $number begins as one that works: ${made[*]}, rows of ${changed[*]}
next: make lab$number FROM=solutions    its complete program; then write yours (handouts/authoring.md)
END
