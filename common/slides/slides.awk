# slides.awk: a lecture on a lab, as Markdown for pandoc's reveal.js writer.
#
#     awk -f slides.awk RUN.csv SOURCE.cu STAGES.tsv HANDOUT.md
#
# RUN.csv is a lab's table of results: its steps are the lecture's. SOURCE.cu has their functions. STAGES.tsv has the steps
# that were recorded, each with its moment and what that is. HANDOUT.md has a section for each step: an idea in italics, a
# picture, a question behind "Before you measure", the answer behind "What to look at". A step has up to four slides: idea,
# picture and question; source; stage; its rows of the table, and the chart with one more bar. The answer is in the
# speaker's notes.

FNR == 1 { while (ARGV[++file] != FILENAME) continue } # an empty file has no line

# ---- The table: by kernel without its argument ----

file == 1 && FNR == 1 { for (i = 1; i <= split($0, names, ","); i++) column[names[i]] = i; next }
file == 1 {
    split($0, cell, ",")
    name = cell[column["kernel"]]; sub(/\(.*/, "", name)
    if (cell[column["step"]] !~ /^[0-9]+$/) next
    if (!(name in rows)) { steps[++n] = name; sections[tolower(name)] }
    ms = cell[column["time_ms"]]
    rows[name] = rows[name] "| " name " | " cell[column["grid"]] " | " cell[column["block"]] " | " \
        rounded("%.4f", ms) " | " rounded("%.0f", cell[column["bandwidth_gbs"]]) " | " cell[column["status"]] " |\n"
    if (ms + 0 > 0 && (!(name in best) || ms + 0 < best[name])) best[name] = ms + 0
    if (ms + 0 > longest) longest = ms + 0
    clock = cell[column["clock"]]; device = cell[column["device"]]
    next
}

# ---- The source: each function from its unindented head to its brace. One that times a library names it ----

file == 2 {
    if ($0 ~ /^[A-Za-z_].*\(/) {
        head = $0; gsub(/__[a-z_]+__\([^)]*\)/, "", head); sub(/\(.*/, "", head); sub(/.*[ *]/, "", head)
        body = ""
    }
    if ($0 ~ /labBeside\(lab, "/) { head = $0; sub(/[^"]*"/, "", head); sub(/".*/, "", head) }
    if ($0 !~ /\/\/ (BEGIN|END|TODO\(|     ")/) body = body $0 "\n"
    if ($0 ~ /^}/) { if (head in rows) code[head] = body; head = "" }
    next
}

file == 3 { split($0, field, "\t"); moment[field[1]] = field[2]; meaning[field[1]] = field[3]; next }

# ---- The handout ----

/^# / { title = substr($0, 3) }
/^## / { section = tolower(substr($0, 4)); part = ""; next }
section in sections {
    line = $0
    gsub(/<!--[^>]*-->/, "", line)
    if (line ~ /^\*[^*]/) part = "idea"
    else if (line ~ /^!\[/) part = "figure"
    else if (line ~ /^\*\*Before you measure/) part = "question"
    else if (line ~ /^\*\*What to look at/) part = "answer"
    else if (line ~ /^(\*\*|#|```|\|)/) part = ""
    if (line == "") { if (part != "answer") part = ""; else text[section, part] = text[section, part] "\n"; next }
    if (part != "") text[section, part] = text[section, part] line "\n"
}

function rounded(format, value) {
    return value ~ /^[0-9]/ ? sprintf(format, value) : value
}

# One bar for each step up to number last, as wide as its time.
function chart(last,    i) {
    print "<div class=\"chart\">"
    for (i = 1; i <= last; i++)
        if (steps[i] in best)
            printf "<div><span>%s</span><b style=\"width:%.2f%%\"></b> %.4f ms</div>\n", steps[i],
                45 * best[steps[i]] / longest, best[steps[i]]
    print "</div>\n"
}

END {
    if (!n) { print "slides: the table has no steps" >"/dev/stderr"; exit 1 }
    printf "---\ntitle: \"%s\"\nsubtitle: \"%s, %s\"\n---\n", title, device, clock
    for (i = 1; i <= n; i++) {
        s = steps[i]; at = tolower(s)
        printf "\n## %d. %s {.step}\n\n%s\n%s\n%s\n", i, s, text[at, "idea"], text[at, "figure"], text[at, "question"]
        printf "\n::: notes\n%s\n:::\n", text[at, "answer"]
        if (s in code) printf "\n## %s: source {.source}\n\n~~~~ {.cpp}\n%s~~~~\n", s, code[s]
        if (s in moment)
            printf "\n## %s: %s {.inside}\n\n<div class=\"stage\" data-step=\"%s\" data-to=\"%s\"></div>\n", s, meaning[s], s,
                moment[s]
        printf "\n## %s: result {.result}\n\n| kernel | grid | block | ms, %s | GB/s | status |\n|---|---|---|---|---|---|\n%s\n", s, \
            clock, rows[s]
        chart(i)
        printf "::: notes\n%s\n:::\n", text[at, "answer"]
    }
}
