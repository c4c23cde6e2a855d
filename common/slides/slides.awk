# slides.awk: a lecture on a lab, as Markdown for pandoc's reveal.js writer.
#
#     awk -f slides.awk RUN.csv SOURCE.cu STAGES.tsv COSTS.tsv HANDOUT.md
#
# RUN.csv is a lab's table of results: its steps are the lecture's. SOURCE.cu has their functions. STAGES.tsv has the steps
# that were recorded, each with its moment and what that is. COSTS.tsv has a sentence for each step on what costs it
# most (common/tools/what-if.awk), shown before the next step. HANDOUT.md has a section for each step: an idea in italics, a
# picture, a question after "Before you measure", the answer after "What to look at", folded. A step has these slides: idea and
# question; picture; the lines that differ from the step before; stage; its rows of the table, and the chart with one more
# bar. The answer is in the speaker's notes. All is as large as fits, for the back of a hall.

BEGIN {
    WIDE = 1240; HIGH = 590; LINE = 1.3; LETTER = 0.61 # of a slide without its title, in pixels; of a letter, in its size
    MOST_LETTERS = 76                                  # of a line of code
    MOST_LINES = 19                                    # of code on a slide
    COST = 90                                          # of what a step's time goes into, in pixels
    MOST_ROWS = 6                                      # of a step in the table; of more, the fastest and the slowest
}

FNR == 1 { while (ARGV[++file] != FILENAME) continue } # an empty file has no line

# ---- The table: by kernel without its argument ----

file == 1 && FNR == 1 { for (i = 1; i <= split($0, names, ","); i++) column[names[i]] = i; next }
file == 1 {
    split($0, cell, ",")
    name = cell[column["kernel"]]; sub(/\(.*/, "", name)
    if (cell[column["step"]] !~ /^[0-9]+$/) next
    if (!(name in n_rows)) { steps[++n] = name; sections[tolower(name)] }
    n_rows[name]++
    row = name SUBSEP n_rows[name]
    full[row] = cell[column["kernel"]]
    launch[row] = cell[column["grid"]] ~ /^\(0 / ? "" : cell[column["grid"]] " x " cell[column["block"]]
    gsub(/( 1)+\)/, ")", launch[row])
    ms[row] = cell[column["time_ms"]]
    rate[row] = cell["gflops" in column ? column["gflops"] : column["bandwidth_gbs"]]
    status[row] = cell[column["status"]]
    if (ms[row] + 0 > 0) group[row] = group_of(ms[row] * cell[column["speedup"]], name)
    if (cell[column["clock"]] != "unmodelled" || clock == "") clock = cell[column["clock"]]
    device = cell[column["device"]]
    next
}

# ---- The source: each function from its unindented head to its brace. One that times a library names it ----

file == 2 {
    if ($0 ~ /^[A-Za-z_].*\(/) {
        head = $0; gsub(/__[a-z_]+__\([^)]*\)/, "", head); sub(/\(.*/, "", head); sub(/.*[ *]/, "", head)
        body = ""
    }
    if ($0 ~ /labReference\(lab, "/) { head = $0; sub(/[^"]*"/, "", head); sub(/".*/, "", head) }
    if ($0 !~ /^ *(\/\/|\/\*|\*)/) body = body shortened($0) "\n"
    if ($0 ~ /^}/) { if (head in n_rows) code[head] = body; head = "" }
    next
}

file == 3 { split($0, field, "\t"); moment[field[1]] = field[2]; meaning[field[1]] = field[3]; next }

file == 4 { split($0, field, "\t"); sub(/\(.*/, "", field[1]); cost[field[1]] = field[2]; next }

# ---- The handout ----

/^# / { title = substr($0, 3) }
/^## / { section = tolower(substr($0, 4)); part = ""; next }
section in sections {
    line = $0
    if (line ~ /^<\/?details>/) next # the answer stands in a fold
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
    return value ~ /^[0-9]/ ? sprintf(format, value) : "–"
}

function least(a, b) {
    return a < b ? a : b
}

# The group of a row, from the time that its speed-up compares with: rows of another size or task have another. Counts its steps.
function group_of(base, name,    g) {
    for (g = 1; g <= groups; g++)
        if (base > 0.995 * bases[g] && base < 1.005 * bases[g]) break
    if (g > groups) bases[++groups] = base
    if (!((g, name) in members)) { members[g, name]; n_members[g]++ }
    return g
}

# The group of a step's chart: that with most steps, of several the last.
function main_group(name,    i, g, found) {
    for (i = 1; i <= n_rows[name]; i++) {
        g = group[name, i]
        if (g && (!found || n_members[g] >= n_members[found])) found = g
    }
    return found
}

# The step's fastest row, or with sign -1 its slowest, in group g; 0: none.
function extreme(name, g, sign,    i, found) {
    for (i = 1; i <= n_rows[name]; i++)
        if (g && group[name, i] == g && (!found || sign * ms[name, i] < sign * ms[name, found])) found = i
    return found
}

# ---- Code ----

# A line without a remark that makes it wide, and in several lines if it still is.
function shortened(line,    at, indent, rest) {
    if (length(line) > MOST_LETTERS) sub(/ *(\/\*.*\*\/|\/\/.*) *$/, "", line)
    if (length(line) <= MOST_LETTERS) return line
    match(line, /^ */); indent = substr(line, 1, RLENGTH) "    "
    for (at = MOST_LETTERS; at > MOST_LETTERS / 2 && substr(line, at - 1, 2) !~ /[,;|&] /; at--) continue
    if (at <= MOST_LETTERS / 2)
        for (at = MOST_LETTERS; at > length(indent) && substr(line, at, 1) != " "; at--) continue
    if (at <= length(indent)) return line
    rest = substr(line, at + 1)
    return substr(line, 1, at - 1) "\n" shortened(indent rest)
}

# Lines of `text` that are not in `before`, with the head and a line around each; "..." stands for others. All, if most differ.
function changed(text, before,    a, b, m, k, i, j, same, differ, keep, out, gap) {
    m = split(text, a, "\n") - 1; k = split(before, b, "\n") - 1
    for (i = m; i >= 1; i--)
        for (j = k; j >= 1; j--)
            same[i, j] = a[i] == b[j] && a[i] != "" ? same[i + 1, j + 1] + 1 : same[i + 1, j] > same[i, j + 1] ? same[i + 1, j] : same[i, j + 1]
    for (i = j = 1; i <= m;)
        if (j <= k && a[i] == b[j] && a[i] != "") { i++; j++ }
        else if (j <= k && same[i, j + 1] >= same[i + 1, j]) j++
        else { if (a[i] != "") { differ++; keep[i - 1]; keep[i]; keep[i + 1] } i++ }
    keep[1]; keep[m]
    for (i = 1; i <= m; i++) {
        if (a[i] == "" && differ <= 0.6 * m) continue
        if (differ > 0.6 * m || i in keep) { out = out a[i] "\n"; gap = 0 }
        else if (!gap) { match(a[i], /^ */); out = out substr(a[i], 1, RLENGTH) "...\n"; gap = 1 }
    }
    return out
}

# Slides of code, as few as hold it, each cut where a statement ends.
function code_slides(name, text,    line, m, pages, p, from, to, i, widest) {
    m = split(text, line, "\n") - 1
    pages = int((m + MOST_LINES - 1) / MOST_LINES)
    for (p = 1; p <= pages; p++) {
        from = to + 1
        to = from + int((m - from) / (pages - p + 1))
        if (p < pages)
            for (i = 0; i < 6; i++) if (line[to - i] ~ /[;{}]$/ && line[to - i + 1] !~ /^ *}/) { to -= i; break }
        widest = 60
        for (i = from; i <= to; i++) if (length(line[i]) > widest) widest = length(line[i])
        printf "\n## %s: %s%s {.source}\n\n::: {style=\"--size: %dpx\"}\n\n~~~~ {.cpp}\n", name, \
            changes ? "what is new" : "source", (pages > 1 ? sprintf(", %d of %d", p, pages) : ""), \
            least(30, least(WIDE / LETTER / widest, HIGH / LINE / (to - from + 2)))
        for (i = from; i <= to; i++) print line[i]
        print "~~~~\n\n:::"
    }
}

# ---- Results ----

function table_row(row, words) {
    return sprintf("| %s | %s | %s | %s | %s |\n", words full[row], launch[row], rounded("%.4f", ms[row]), rounded("%.0f", rate[row]), status[row])
}

# The rows of a step: those of the chart's group, if it has one.
function table(name, g,    i, shown, text) {
    for (i = 1; i <= n_rows[name]; i++)
        if (!g || group[name, i] == g || !group[name, i]) { text = text table_row(name SUBSEP i, ""); shown++ }
    if (shown > MOST_ROWS && g)
        text = table_row(name SUBSEP extreme(name, g, 1), "fastest of " shown ": ") \
            table_row(name SUBSEP extreme(name, g, -1), "slowest: ")
    table_rows = shown > MOST_ROWS && g ? 2 : shown
    return text
}

# One bar for each step up to number last that is in its group, as wide as its time.
function chart(last, g,    i, bars, longest, row, room) {
    for (i = 1; i <= n; i++)
        if ((row = extreme(steps[i], g, 1))) {
            if (i <= last) bars++
            if (ms[steps[i], row] + 0 > longest) longest = ms[steps[i], row] + 0
        }
    if (!bars || n_members[g] == 1) return
    room = HIGH - 46 * (table_rows + 1) - (steps[last] in cost ? COST : 0)
    printf "<div class=\"chart\" style=\"--size: %dpx\">\n", least(32, room / bars / LINE)
    for (i = 1; i <= last; i++)
        if ((row = extreme(steps[i], g, 1)))
            printf "<div><span>%s</span><b style=\"width:%.2f%%\"></b> %.4f ms</div>\n", full[steps[i], row],
                45 * ms[steps[i], row] / longest, ms[steps[i], row]
    print "</div>\n"
}

END {
    if (!n) { print "slides: the table has no steps" >"/dev/stderr"; exit 1 }
    printf "---\ntitle: \"%s\"\nsubtitle: \"%s, %s\"\n---\n", title, device, clock
    for (i = 1; i <= n; i++) {
        s = steps[i]; at = tolower(s); g = main_group(s)
        printf "\n## %d. %s {.step}\n\n%s\n%s\n", i, s, text[at, "idea"], text[at, "question"]
        printf "\n::: notes\n%s\n:::\n", text[at, "answer"]
        figures = split(text[at, "figure"], figure, /!\[/)
        for (f = 2; f <= figures; f++) printf "\n## %s: picture {.picture}\n\n![%s\n", s, figure[f]
        changes = i > 1 && code[steps[i - 1]] != ""
        if (s in code) code_slides(s, changes ? changed(code[s], code[steps[i - 1]]) : code[s])
        if (s in moment)
            printf "\n## %s: %s {.inside}\n\n<div class=\"stage\" data-step=\"%s\" data-to=\"%s\"></div>\n", s, meaning[s], s,
                moment[s]
        printf "\n## %s: result {.result}\n\n| kernel | grid x block | ms, %s | %s | status |\n|---|---|---|---|---|\n%s\n", s, \
            clock, "gflops" in column ? "GFLOP/s" : "GB/s", table(s, g)
        chart(i, g)
        if (s in cost) printf "::: cost\n%s\n:::\n\n", cost[s]
        printf "::: notes\n%s\n:::\n", text[at, "answer"]
    }
}
