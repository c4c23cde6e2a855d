# marks.awk: names each mark of a handout whose claim, test or file is not there, and each claim
# without a mark.
#
#     awk -f handouts/marks.awk handouts/claims.tsv handouts/*.md
#
# Marks are comments after the sentence that they are about:
#
#     <!--claim: unroll8-dram unroll8-speedup-->   rows of claims.tsv with the page's lab and these ids
#     <!--tested: tests/labs/lab5.bats: NAME-->    a test whose name begins with NAME
#     <!--cited: plots/reference/README.md, ...--> a document; one with a slash is a file of the project
#
# Exit code 1 if something is named.
function wrong(text) { print text; status = 1 }

# The lab of a page: 3 of handouts/lab3.md, simulator of handouts/simulator.md.
function page_lab(path) { sub(/.*\//, "", path); sub(/\.md$/, "", path); sub(/^lab/, "", path); return path }

function check_claims(ids,    n, i, id) {
    n = split(ids, id, " ")
    if (n == 0) wrong(here ": a mark without a claim")
    for (i = 1; i <= n; i++) {
        if (!((lab, id[i]) in claims)) wrong(here ": claims.tsv has no claim " id[i] " of lab " lab)
        used[lab, id[i]] = 1
    }
}

function check_test(text,    at, file, line, name, found) {
    at = index(text, ": ")
    file = substr(text, 1, at - 1)
    name = "@test \"" substr(text, at + 2)
    while (at && !found && (getline line < file) > 0) found = index(line, name) == 1
    close(file)
    if (!found) wrong(here ": no such test: " text)
}

function check_file(text,    line) {
    sub(/[, ].*/, "", text)
    if (text !~ /\// || text ~ /^https?:/) return
    if ((getline line < text) < 0) wrong(here ": no file of the project: " text)
    close(text)
}

FNR == NR { if (!/^#/ && $0 != "") { split($0, cell, "\t"); claims[cell[1], cell[2]] = FNR } next }
FNR == 1 { lab = page_lab(FILENAME); pages[lab] = FILENAME; code = 0 }
/^```/ { code = !code }
code { next }
{
    here = FILENAME ":" FNR
    for (rest = $0; match(rest, /<!--(claim|tested|cited):[^>]*-->/); rest = substr(rest, RSTART + RLENGTH)) {
        mark = substr(rest, RSTART + 4, RLENGTH - 7)
        text = substr(mark, index(mark, ":") + 1)
        gsub(/^ +| +$/, "", text)
        if (mark ~ /^claim/) check_claims(text)
        else if (mark ~ /^tested/) check_test(text)
        else check_file(text)
    }
}
END {
    for (key in claims) {
        split(key, part, SUBSEP)
        if (part[1] in pages && !(key in used)) wrong("claims.tsv:" claims[key] ": " pages[part[1]] " has no mark " part[2])
    }
    exit status
}
