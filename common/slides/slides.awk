# slides.awk: a lecture on a lab, as Markdown for pandoc's reveal.js writer.
#
#     awk -v lab=3 -f slides.awk RUN.csv SOURCE.cu HANDOUT.md
#
# RUN.csv is a lab's table of results: its steps are the lecture's. SOURCE.cu has the kernels, HANDOUT.md a section for each
# step: an idea in italics, a picture, a question behind "Before you measure", the answer behind "What to look at". A step
# has three slides: idea, picture and question; source; its rows of the table, and the chart with one more bar. The
# answer is in the speaker's notes. A step whose kernel has another name has no source.

FNR == 1 { file++ }

# ---- The table: by kernel without its argument ----

file == 1 && FNR == 1 { for (i = 1; i <= split($0, names, ","); i++) column[names[i]] = i; next }
file == 1 {
    split($0, cell, ",")
    name = cell[column["kernel"]]; sub(/\(.*/, "", name)
    if (cell[column["step"]] !~ /^[0-9]+$/) next
    if (!(name in rows)) steps[++n] = name
    ms = cell[column["time_ms"]]
    rows[name] = rows[name] "| " name " | " cell[column["grid"]] " | " cell[column["block"]] " | " ms " | " \
        cell[column["bandwidth_gbs"]] " | " cell[column["status"]] " |\n"
    if (ms + 0 > 0 && (!(name in best) || ms + 0 < best[name])) best[name] = ms + 0
    if (ms + 0 > longest) longest = ms + 0
    clock = cell[column["clock"]]; device = cell[column["device"]]
    next
}

# ---- The source: each function from its unindented head to its brace ----

file == 2 {
    if ($0 ~ /^[A-Za-z_].*\(/) {
        head = $0; sub(/\(.*/, "", head); sub(/.*[ *]/, "", head)
        inside = head in rows ? head : ""
    }
    if (inside != "" && $0 !~ /\/\/ (BEGIN|END|TODO\(|     ")/) code[inside] = code[inside] $0 "\n"
    if ($0 ~ /^}/) inside = ""
    next
}

# ---- The handout ----

/^# / { title = substr($0, 3) }
/^## / { section = substr($0, 4); part = ""; next }
section in rows {
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

# One bar for each step up to number last, as wide as its time.
function chart(last,    i) {
    print "<div class=\"chart\">"
    for (i = 1; i <= last; i++)
        if (steps[i] in best)
            printf "<div><span>%s</span><b style=\"width:%.2f%%\"></b> %.4f ms</div>\n", steps[i],
                55 * best[steps[i]] / longest, best[steps[i]]
    print "</div>\n"
}

END {
    if (!n) { print "slides: the table has no steps" >"/dev/stderr"; exit 1 }
    printf "---\ntitle: \"%s\"\nsubtitle: \"%s, %s\"\n---\n", title, device, clock
    for (i = 1; i <= n; i++) {
        s = steps[i]
        printf "\n## %d. %s {.step}\n\n%s\n%s\n%s\n", i, s, text[s, "idea"], text[s, "figure"], text[s, "question"]
        printf "`make see-lab%s STEP=%s` shows its warps in a browser.\n", lab, s
        printf "\n::: notes\n%s\n:::\n", text[s, "answer"]
        if (s in code) printf "\n## %s: source {.source}\n\n~~~~ {.cpp}\n%s~~~~\n", s, code[s]
        printf "\n## %s: result {.result}\n\n| kernel | grid | block | ms | GB/s | status |\n|---|---|---|---|---|---|\n%s\n", s, rows[s]
        chart(i)
        printf "::: notes\n%s\n:::\n", text[s, "answer"]
    }
}
