#!/usr/bin/env bash
# report.sh BUILD NAME LAB...: make the page and the archive that a student hands in, BUILD/report/NAME.html and NAME.tar.gz: of
# each lab what was predicted, measured and answered, plots and code. The archive holds the page, the programs and the answers.
set -euo pipefail
. common/tools/labs.bash
build=$1 name=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work" "$build/report/$name.tar.gz.part"' EXIT
mkdir -p "$build/report"
files=()
for lab; do
    source=labs/$(lab_field "$lab" folder)/$(lab_field "$lab" program).cu
    answers=$(dirname "$source")/answers.md
    files+=("$source")
    [ -e "$answers" ] || continue
    files+=("$answers")
    mkdir -p "$build/lab$lab"
    "$build/bin/answers" compare "$answers" "$source" "$build/lab$lab"/{run,metrics,predictions}.csv >/dev/null
done
"$build/bin/report" "$build" "$@" >"$work/report.md"
handouts/page.sh report "CUDA labs: report" "$build/report/$name.html" <"$work/report.md"
cp "$build/report/$name.html" "$work/report.html"
tar --create --gzip --file "$build/report/$name.tar.gz.part" --directory "$work" report.html --directory "$PWD" "${files[@]}"
mv "$build/report/$name.tar.gz.part" "$build/report/$name.tar.gz"
echo "$build/report/$name.html: open it in a browser; hand in $build/report/$name.tar.gz, which has the page, the program and the answers"
