#!/usr/bin/env bash
# report.sh BUILD NAME LAB...: make the page and the archive that a student hands in,
# BUILD/report/NAME.html and NAME.tar.gz: of each lab what was predicted, measured and answered,
# plots and code. The archive holds the page, the programs and the answers.
set -euo pipefail
. common/tools/labs.bash
build=$1 name=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work" "$build/report/$name.tar.gz.part"' EXIT
mkdir -p "$build/report"

# program_of LAB, answers_of LAB: the student's files.
program_of() {
    echo "labs/$(lab_field "$1" folder)/$(lab_field "$1" program).cu"
}
answers_of() {
    echo "labs/$(lab_field "$1" folder)/answers.md"
}

for lab; do
    [ -e "$(answers_of "$lab")" ] || continue
    mkdir -p "$build/lab$lab"
    "$build/bin/answers" compare "$(answers_of "$lab")" "$(program_of "$lab")" \
        "$build/lab$lab"/{run,metrics,predictions}.csv >/dev/null
done
"$build/bin/report" "$build" "$@" >"$work/report.md"
handed_in=()
for lab; do
    grep -q "^# Lab $lab: " "$work/report.md" || continue # not begun
    handed_in+=("$(program_of "$lab")")
    [ ! -e "$(answers_of "$lab")" ] || handed_in+=("$(answers_of "$lab")")
done
handouts/page.sh report "CUDA labs: report" "$build/report/$name.html" <"$work/report.md"
cp "$build/report/$name.html" "$work/report.html"
tar --create --gzip --file "$build/report/$name.tar.gz.part" --directory "$work" report.html \
    --directory "$PWD" "${handed_in[@]}"
mv "$build/report/$name.tar.gz.part" "$build/report/$name.tar.gz"
echo "$build/report/$name.html: open it in a browser; hand in $build/report/$name.tar.gz," \
    "which has the page, the program and the answers"
