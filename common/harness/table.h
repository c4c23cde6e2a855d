/*
 * table.h: the rows of a lab: compared, printed, and what to do next.
 */
#ifndef HARNESS_TABLE_H
#define HARNESS_TABLE_H

/* ---- Rows ---- */

/* As the first row has it, so that all have the same. */
static inline ExtraColumns extraColumns(const Lab *lab) {
    ExtraColumns extra = {lab->info.countsOperations, !lab->table.empty() && lab->table[0].onHost};
    return extra;
}

static inline std::string csvLine(const Lab *lab, const Row &row) {
    const bool modelled = lab->modelled && !row.onHost;
    return csvRow(row, lab->info.number, modelled ? "modelled" : "measured",
                  row.onHost ? processorName() : lab->device.name, extraColumns(lab));
}

/* What the row is to be compared with: the timed launch of the step before it in the group; if there are several, the
 * one with the same argument and, beside others, the same shape. NULL: none. */
static inline const Row *rowBefore(const Lab *lab, const Row &row) {
    std::vector<const Row *> launches;
    for (size_t i = lab->table.size(); i-- > lab->groupBegin;) {
        const Row *other = &lab->table[i];
        if (other->times.empty() || other->step == row.step) continue;
        if (!launches.empty() && other->step != launches[0]->step) break;
        launches.push_back(other);
    }
    if (launches.size() == 1) return launches[0];
    const std::string argument = argumentOf(row);
    for (const Row *launch : launches) {
        const bool sameShape =
            csvShape(launch->grid) == csvShape(row.grid) && csvShape(launch->block) == csvShape(row.block);
        if (argumentOf(*launch) == argument && (sameShape || !argument.empty())) return launch;
    }
    return NULL;
}

/* The first timed row of the group; NULL: none. */
static inline const Row *firstRow(const Lab *lab) {
    for (size_t i = lab->groupBegin; i < lab->table.size(); i++) {
        if (!lab->table[i].times.empty()) return &lab->table[i];
    }
    return NULL;
}

/* Compare the launch's row with those above, and keep it. */
static inline void addRow(Lab *lab) {
    Row *row = &lab->row;
    const Row *first = firstRow(lab), *before = rowBefore(lab, *row);
    if (!row->times.empty()) {
        row->speedupPrevious = before != NULL ? medianTime(*before) / medianTime(*row) : first == NULL ? 1 : 0;
        row->speedupFirst = first != NULL ? medianTime(*first) / medianTime(*row) : 1;
    }
    if (row->outcome == STEP_TODO)
        row->referenceTime = referenceTime(*row, row->onHost ? processorName() : lab->device.name);
    if (row->referenceTime > 0) lab->referenceShown = true;
    lab->table.push_back(*row);
    if (lab->table.size() == 1) tellGrader(lab->grader, "head", csvHead(extraColumns(lab)));
    tellGrader(lab->grader, outcomeName(row->outcome), csvLine(lab, *row));
    /* For a checker: what it cannot know. */
    const bool wrong = row->outcome == STEP_WRONG || row->outcome == STEP_ERROR;
    if (isChecked() && wrong) printf("%s %s: %s\n", row->kernel.c_str(), launchText(*row).c_str(), row->status.c_str());
}

/* One line, and the first launch that is wrong in full. */
static inline void showSweep(const Lab *lab, const Row *begin, const Row *end) {
    printRow(sweepRow(begin, end), lab->info.source);
    for (const Row *row = begin; row < end; row++) {
        if (row->outcome != STEP_WRONG && row->outcome != STEP_ERROR) continue;
        printRow(*row, lab->info.source);
        return;
    }
}

/* Print the rows that have not been printed: those of one step. A sweep is one line, unless all were asked for. */
static inline void showRows(Lab *lab) {
    const Row *begin = lab->table.data() + lab->shown, *end = lab->table.data() + lab->table.size();
    lab->shown = lab->table.size();
    if (begin == end || isChecked()) return;
    if (!lab->groupTitle.empty()) printf("   %s\n", lab->groupTitle.c_str());
    lab->groupTitle = "";
    if (end - begin > FEW_LAUNCHES && !lab->options.all) {
        showSweep(lab, begin, end);
        lab->folded = true;
    } else {
        for (const Row *row = begin; row < end; row++) printRow(*row, lab->info.source);
    }
}

static inline void labGroup(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    showRows(lab);
    lab->groupBegin = lab->table.size();
    lab->groupTitle = formatList(pattern, arguments);
    va_end(arguments);
}

static inline void labNote(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    showRows(lab);
    if (!isChecked()) printf("%s\n", formatList(pattern, arguments).c_str());
    va_end(arguments);
}

/* ---- What to do next ---- */

/* "file:line: kernel": the line that a checker named, or where the step's region begins. */
static inline std::string placeOf(const Lab *lab, const Row &row) {
    const std::string name = row.kernel.substr(0, row.kernel.find('('));
    const int line = row.finding.line != 0 ? row.finding.line : regionLine(lab->info.source, name);
    return std::string(lab->info.source) + (line != 0 ? format(":%d: ", line) : ": ") + row.kernel;
}

/* What a command of make needs besides to mean this program, with a blank before it. */
static inline const char *settingsOf(const Lab *lab) {
    const char *solutions = "solutions/";
    return strncmp(lab->info.source, solutions, strlen(solutions)) == 0 ? " FROM=solutions" : "";
}

/* `make check-lab3 SIZE=1000`: shows what was found on a small problem. */
static inline std::string commandFor(const Lab *lab, const Finding &finding) {
    const bool ownBlock = lab->options.block != lab->info.defaultBlock;
    return format("`make %slab%d%s SIZE=%s%s`", finding.line != 0 ? "check-" : "", lab->info.number, settingsOf(lab),
                  finding.size.c_str(), ownBlock ? format(" BLOCK=%u", lab->options.block).c_str() : "");
}

/* What to do about a step that is still to do. */
static inline std::string todoHint(const Lab *lab, const Row &row) {
    const std::string place = std::string(lab->info.source) + format(":%d: ", lab->todo.line) + row.kernel + ": ";
    if (hasCodeBesideTodo(lab->info.source, lab->todo.line))
        return place + "delete the TODO line, so that the code beside it counts";
    return place + lab->todo.goal + " (" + lab->todo.handout + ")";
}

/* What to do about a step that is not ok, or is so only here. */
static inline std::string hintFor(const Lab *lab, const Row &row) {
    const std::string place = placeOf(lab, row) + ": ",
                      check = format("`make check-lab%d%s`", lab->info.number, settingsOf(lab));
    const std::string found = row.finding.what + "; " + commandFor(lab, row.finding) + " shows it";
    if (row.outcome == STEP_TODO) return todoHint(lab, row);
    if (row.outcome == STEP_OK) return place + "ok, but: " + found;
    if (row.outcome == STEP_WRONG) {
        if (row.finding.line != 0) return place + "wrong result, " + found;
        if (!row.finding.what.empty()) return place + "wrong result, with SIZE=" + row.finding.size + " too";
        return place + "wrong result" + (lab->modelled ? "" : "; " + check + " may say why");
    }
    if (!row.remark.empty()) return place + launchText(row) + " was refused: " + row.remark;
    return place + row.status + (lab->modelled ? "" : "; " + check + " says where");
}

/* The end of a run in which nothing is wrong. The profiler's own table follows one under --profile. */
static inline std::string rightEnd(const Lab *lab) {
    bool ran = false;
    for (const Row &row : lab->table) {
        const bool launched = row.grid.x > 0 && row.grid.y > 0 && row.grid.z > 0;
        ran = ran || (row.outcome == STEP_OK && (launched || row.onHost || !row.times.empty()));
    }
    const std::string target = format("lab%d%s`", lab->info.number, settingsOf(lab));
    if (!ran) return "Nothing was run. next: `make " + target + " with a larger SIZE";
    if (lab->profiling) return "All right.";
    return "All right. next: `make profile-" + target + " shows the metrics that explain these times";
}

/* What the table left unsaid, and as the last line what to do next. */
static inline void printEnd(const Lab *lab) {
    if (isChecked()) return;
    if (lab->folded) printf("(a sweep is one line: `make lab%d ARGS=--all` prints every launch)\n", lab->info.number);
    if (lab->referenceShown)
        printf("%s\n", coloured(GREY, "(in brackets: the solution's figures on this device)").c_str());
    if (lab->nothingLaunched) printf("(an empty problem: a grid of 0 blocks is illegal, so nothing was launched)\n");
    for (const Row &row : lab->table) {
        if (row.outcome == STEP_REFUSED || (row.outcome == STEP_OK && row.finding.what.empty())) continue;
        printf("\nnext: %s\n", hintFor(lab, row).c_str());
        return;
    }
    printf("\n%s\n", rightEnd(lab).c_str());
}

/* ---- The end ---- */

/* The rows as a file, and in the file LABS_PROBLEM which problem they are of: plots put runs side by side only if they
 * are of one problem. */
static inline bool writeCsv(const Lab *lab) {
    const char *problem = getenv("LABS_PROBLEM");
    std::string text = csvHead(extraColumns(lab));
    for (const Row &row : lab->table) text += csvLine(lab, row);
    if (writeFile(lab->options.csv, text) && (problem == NULL || writeFile(problem, lab->problem + "\n"))) return true;
    fprintf(stderr, "%s: cannot write %s: %s\n", lab->info.name, lab->options.csv, strerror(errno));
    return false;
}

/* A step still to do is not wrong, unless STRICT=1 says so. */
static inline int exitCode(const Lab *lab) {
    const char *strict = getenv("STRICT");
    const bool todoIsWrong = strict != NULL && strcmp(strict, "1") == 0;
    for (const Row &row : lab->table) {
        const bool fine = row.outcome == STEP_OK || row.outcome == STEP_REFUSED;
        if (!fine && (row.outcome != STEP_TODO || todoIsWrong)) return EXIT_WRONG;
    }
    return EXIT_OK;
}

static inline int labClose(Lab *lab) {
    int code = exitCode(lab);
    showRows(lab);
    if (lab->options.csv != NULL && !writeCsv(lab)) code = EXIT_WRONG;
    printEnd(lab);
    labForget(lab);
    cudaFree(lab->cacheFlusher);
    cudaEventDestroy(lab->start);
    cudaEventDestroy(lab->stop);
    return printed_all() ? code : EXIT_WRONG;
}

#endif
