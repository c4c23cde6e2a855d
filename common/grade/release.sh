#!/usr/bin/env bash
# release.sh ARCHIVE: write the students' edition of the project as a .tar.gz: all that they need
# for the labs, and nothing of the solutions, the rubrics, the graders or the project's history.
# Left out is also every test that needs a solution or shows a line of one. What is not committed
# stays behind, but the files of the labs' table: a lab comes whole, and is named. The same commit
# gives the same bytes.
set -euo pipefail
archive=$1
edition=cuda-labs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- What belongs to instructors ----

instructors=(
    solutions/ 'labs/[^/]*/answers\.md$' 'CONTRIBUTING\.md$' common/grade/ common/course/
    'common/tools/(diff-lab\.c|hints\.sh)$' 'plots/grades\.gp$'
    'handouts/(teaching|authoring)\.' common/dev/new-lab 'plots/reference/README\.md$'
    tests/submissions/ 'tests/planted/wrong\.tsv$' 'tests/unit/test_(guard|similar)\.c$'
    'tests/bench-grade\.sh$' tests/platforms/ tests/cluster/
    'tests/targets/(grade|class|course|slurm|release|authoring)\.bats$' '\.ci/' '\.git'
)
INSTRUCTORS="^($(IFS='|' && echo "${instructors[*]}"))"

# Every lab of the table with its files, committed or not.
while IFS=$'\t' read -r number folder program _; do
    parts=("labs/$folder/$program.cu" "handouts/lab$number."{md,numbers.tsv} "plots/lab$number.gp")
    for part in "${parts[@]}"; do
        [ -e "$part" ] || {
            echo "release: lab $number has no $part: write it, or take the lab's row out of" \
                "labs/labs.tsv" >&2
            exit 1
        }
    done
    git ls-files --others --exclude-standard -- "${parts[@]}" "tests/labs/lab$number.bats" \
        "handouts/img/lab$number-*" >"$work/new"
    [ ! -s "$work/new" ] ||
        echo "  packed  lab $number, not committed: $(paste -sd ' ' "$work/new")"
    cat "$work/new" >>"$work/all"
done < <(tail -n +2 labs/labs.tsv)
git ls-files >>"$work/all"
grep -vE "$INSTRUCTORS" "$work/all" >"$work/files"

# Lines of the solutions that say something, without white space around them, and that the students'
# versions do not have.
lines_of() {
    sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' "$@" | grep -E '.{16,}' | LC_ALL=C sort -u
}
awk '/BEGIN SOLUTION/ { on = 1; next } /END SOLUTION/ { on = 0 } on && !/^ *\/\/ / { print }' \
    solutions/*/*.cu >"$work/regions"
lines_of "$work/regions" >"$work/theirs"
lines_of labs/*/*.cu >"$work/given"
LC_ALL=C comm -23 "$work/theirs" "$work/given" >"$work/secret"

# needs_solution FILE: a test of what only instructors have.
needs_solution() {
    grep -qE 'solutions|use_lab|diff-lab|demo-lab|reset-lab|compare-lab|record-lab|compare-model' \
        "$1"
}

# Tests that show a line of a solution.
cat >"$work/shows.awk" <<'END'
NR == FNR { secret[$0]; next }
{ gsub(/^[[:space:]]+|[[:space:]]+$/, "") }
$0 in secret { print FILENAME }
END
grep '^tests/' "$work/files" | xargs -d '\n' awk -f "$work/shows.awk" "$work/secret" |
    sort -u >"$work/shown"

grep -vxFf "$work/shown" "$work/files" | while IFS= read -r file; do
    if [[ $file == tests/*.bats ]] && needs_solution "$file"; then continue; fi
    printf '%s\n' "$file"
done >"$work/kept"

# ---- The edition ----

mkdir -p "$work/$edition"
xargs -d '\n' -a "$work/kept" cp -p --parents -t "$work/$edition"
common/tools/hints.sh >"$work/$edition/labs/hints.tsv"
# As handed out: the guard compares with them.
(cd labs && cp --parents -- */*.cu "$work/$edition/common/guard/")
cd "$work/$edition"
awk -F'\t' '$3 != "grading" && $1 !~ /^(slurm-wlm|munge|zip|git)$/' "$OLDPWD/common/packages.tsv" \
    >common/packages.tsv
sed -i -e '/<!-- instructors -->/,/<!-- end of instructors -->/d' \
    -e '/^|.*\(solution\|grade\|diff-lab\|reset-lab\|demo-lab\)/d' README.md
sed -i -e '/^For instructors$/,/^$/d' -e '/^For developers$/,/^$/d' -e '/^  \(FROM\|REPLAY\)=/d' \
    -e "s/, with GRADING=1 the grader's needs//" common/make/help.txt
sed -i '/grade-labN/d' common/tools/doctor.sh
sed -i -e '/line by line, if you are stuck/,/<\/details>/d' -e '/^make diff-lab/d' \
    -e '/^- `make demo-lab/d' -e 's/ FROM=solutions//' handouts/lab*.md
cd "$OLDPWD"

mkdir -p "$(dirname "$archive")"
tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="$(git log -1 --format=@%ct)" \
    --mode=u+rwX,go+rX,go-w "$edition" | gzip -n >"$archive.part"
mv "$archive.part" "$archive"
echo "  wrote   $archive: $(wc -l <"$work/kept") files"
