/*
 * table.h: compares and prints a lab's rows, and says what to do next.
 */
#ifndef HARNESS_TABLE_H
#define HARNESS_TABLE_H

/* ---- Rows ---- */

static inline bool anyDoubtful(const Lab *lab) {
    for (const Row &row : lab->harness->table) {
        if (isDoubtful(row)) return true;
    }
    return false;
}

/* The CSV's extra columns. */
static inline ExtraColumns extraColumns(const Lab *lab) {
    ExtraColumns extra = {lab->info.countsOperations, lab->info.countsMisses, anyDoubtful(lab)};
    return extra;
}

static inline std::string csvLine(const Lab *lab, const Row &row) {
    const char *clock = row.unmodelled                 ? "unmodelled"
                        : lab->modelled && !row.onHost ? "modelled"
                                                       : "measured";
    return csvRow(row, lab->info.number, clock,
                  row.onHost ? processorName() : lab->harness->device.name, extraColumns(lab));
}

/* Finds the row for "x before": the timed launch of the step before it in the group. If that step
 * has several, it is the launch with the same argument, or without arguments the same grid and
 * block. NULL: none. */
static inline const Row *rowBefore(const Lab *lab, const Row &row) {
    std::vector<const Row *> launches;
    for (size_t i = lab->harness->table.size(); i-- > lab->harness->groupBegin;) {
        const Row *other = &lab->harness->table[i];
        if (other->times.empty() || other->step == row.step) continue;
        if (!launches.empty() && other->step != launches[0]->step) break;
        launches.push_back(other);
    }
    if (launches.size() == 1) return launches[0];
    const std::string argument = argumentOf(row);
    for (const Row *launch : launches) {
        const bool sameShape = csvShape(launch->grid) == csvShape(row.grid) &&
                               csvShape(launch->block) == csvShape(row.block);
        if (argumentOf(*launch) == argument && (sameShape || !argument.empty())) return launch;
    }
    return NULL;
}

/* The first timed row of the group; NULL: none. */
static inline const Row *firstRow(const Lab *lab) {
    for (size_t i = lab->harness->groupBegin; i < lab->harness->table.size(); i++) {
        if (!lab->harness->table[i].times.empty()) return &lab->harness->table[i];
    }
    return NULL;
}

/* The mark beside "x before". A measured row is slower if its fastest run is slower than the
 * other's median. */
static inline char markOf(const Lab *lab, const Row &row, const Row &before) {
    const double ratio = medianTime(before) / medianTime(row);
    if (lab->modelled && !row.onHost && ratio < 1 + MODEL_ERROR && ratio > 1 / (1 + MODEL_ERROR))
        return UNDECIDED;
    return row.times.front() > medianTime(before) ? SLOWER : 0;
}

/* Compares the launch's row with those above, appends it, and tells the grader. */
static inline void addRow(Lab *lab) {
    Row *row = &lab->harness->row;
    const Row *first = firstRow(lab), *before = rowBefore(lab, *row);
    if (!row->times.empty()) {
        row->speedupPrevious = before != NULL  ? medianTime(*before) / medianTime(*row)
                               : first == NULL ? 1
                                               : 0;
        row->speedupFirst = first != NULL ? medianTime(*first) / medianTime(*row) : 1;
        row->mark = before != NULL ? markOf(lab, *row, *before) : 0;
    }
    /* The grid shows the problem's size; a step on the CPU has none. */
    if (row->outcome == STEP_TODO && !(row->onHost && lab->sizeGiven))
        row->referenceTime =
            referenceTime(*row, row->onHost ? processorName() : lab->harness->device.name);
    if (row->referenceTime > 0) lab->harness->referenceShown = true;
    lab->harness->table.push_back(*row);
    if (lab->harness->table.size() == 1)
        tellGrader(lab->harness->grader, "head", csvHead(extraColumns(lab)));
    tellGrader(lab->harness->grader, outcomeName(row->outcome), csvLine(lab, *row));
    /* A checker does not know wrong results. */
    const bool wrong = row->outcome == STEP_WRONG || row->outcome == STEP_ERROR;
    if (isChecked() && wrong)
        printf("%s %s: %s\n", row->kernel.c_str(), launchText(*row).c_str(), row->status.c_str());
}

/* Prints a step's launches as one line, and the first wrong launch in full. */
static inline void showSweep(const Lab *lab, const Row *begin, const Row *end) {
    printRow(sweepRow(begin, end), lab->info.source);
    for (const Row *row = begin; row < end; row++) {
        if (row->outcome != STEP_WRONG && row->outcome != STEP_ERROR) continue;
        printRow(*row, lab->info.source);
        return;
    }
}

/* Prints the rows not printed yet, which are those of one step. Folds many launches into one line,
 * unless --all is given. */
static inline void showRows(Lab *lab) {
    const Row *begin = lab->harness->table.data() + lab->harness->shown,
              *end = lab->harness->table.data() + lab->harness->table.size();
    lab->harness->shown = lab->harness->table.size();
    if (begin == end || isChecked()) return;
    if (!lab->harness->groupTitle.empty()) printf("   %s\n", lab->harness->groupTitle.c_str());
    lab->harness->groupTitle = "";
    if (end - begin > FEW_LAUNCHES && !lab->harness->options.all) {
        showSweep(lab, begin, end);
        lab->harness->folded = true;
    } else {
        for (const Row *row = begin; row < end; row++) {
            printRow(*row, lab->info.source);
            lab->harness->marks += row->mark;
        }
    }
}

LAB_CALL void labGroup(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    showRows(lab);
    lab->harness->groupBegin = lab->harness->table.size();
    lab->harness->groupTitle = formatList(pattern, arguments);
    va_end(arguments);
}

LAB_CALL void labNote(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    showRows(lab);
    if (!isChecked()) printf("%s\n", formatList(pattern, arguments).c_str());
    va_end(arguments);
}

/* ---- What to do next ---- */

/* Formats "file:line: kernel", with the checker's line or the first line of the step's region. */
static inline std::string placeOf(const Lab *lab, const Row &row) {
    const std::string name = row.kernel.substr(0, row.kernel.find('('));
    const int line = row.finding.line != 0 ? row.finding.line : regionLine(lab->info.source, name);
    return std::string(lab->info.source) + (line != 0 ? format(":%d: ", line) : ": ") + row.kernel;
}

/* The setting that makes a make command mean this program, with a blank before it. */
static inline const char *settingsOf(const Lab *lab) {
    const char *solutions = "solutions/";
    return strncmp(lab->info.source, solutions, strlen(solutions)) == 0 ? " FROM=solutions" : "";
}

/* Formats the command that shows a finding on a small problem: `make check-lab3 SIZE=1000`. */
static inline std::string commandFor(const Lab *lab, const Finding &finding) {
    const bool ownBlock = lab->harness->options.block != lab->info.defaultBlock;
    return format("`make %slab%d%s SIZE=%s%s`", finding.line != 0 ? "check-" : "", lab->info.number,
                  settingsOf(lab), finding.size.c_str(),
                  ownBlock ? format(" BLOCK=%u", lab->harness->options.block).c_str() : "");
}

/* The hint for a step still to do. */
static inline std::string todoHint(const Lab *lab, const Row &row) {
    const std::string place = std::string(lab->info.source) +
                              format(":%d: ", lab->harness->todo.line) + row.kernel + ": ";
    if (hasCodeBesideTodo(lab->info.source, lab->harness->todo.line))
        return place + "delete the TODO line, so that the code beside it counts";
    return place + lab->harness->todo.goal + " (" + lab->harness->todo.handout + ")";
}

/* The hint for a step that is not ok, or has a finding. */
static inline std::string hintFor(const Lab *lab, const Row &row) {
    const std::string place = placeOf(lab, row) + ": ",
                      check = format("`make check-lab%d%s`", lab->info.number, settingsOf(lab));
    const std::string found =
        row.finding.what +
        (row.finding.size.empty() ? "" : "; " + commandFor(lab, row.finding) + " shows it");
    if (row.outcome == STEP_TODO) return todoHint(lab, row);
    if (row.outcome == STEP_OK) return place + "ok, but: " + found;
    if (row.outcome == STEP_WRONG) {
        if (row.finding.line != 0) return place + "wrong result, " + found;
        if (!row.finding.what.empty())
            return place + "wrong result, with SIZE=" + row.finding.size + " too";
        return place + "wrong result" + (lab->modelled ? "" : "; " + check + " may say why");
    }
    if (!row.remark.empty()) return place + launchText(row) + " was refused: " + row.remark;
    return place + row.status + (lab->modelled ? "" : "; " + check + " says where");
}

/* The last line if nothing is wrong. Under --profile the profiler's table follows. */
static inline std::string rightEnd(const Lab *lab) {
    bool ran = false;
    for (const Row &row : lab->harness->table) {
        const bool launched = row.grid.x > 0 && row.grid.y > 0 && row.grid.z > 0;
        ran = ran || (row.outcome == STEP_OK && (launched || row.onHost || !row.times.empty()));
    }
    const std::string target = format("lab%d%s`", lab->info.number, settingsOf(lab));
    if (!ran) return "Nothing was run. next: `make " + target + " with a larger SIZE";
    if (lab->profiling) return "All right.";
    return "All right. next: `make profile-" + target +
           " shows the metrics that explain these times";
}

/* Is this program older than its source, whose text this is? Then nothing in
 * the table is about that text. */
static inline bool isOutdated(const Lab *lab, const std::string &source) {
    return lab->info.compiled != NULL && !source.empty() && versionOf(source) != lab->info.compiled;
}

/* The first row that asks for something to be done; NULL: none. */
static inline const Row *nextRow(const Lab *lab) {
    for (const Row &row : lab->harness->table) {
        if (!isFine(row) || isDoubtful(row)) return &row;
    }
    return NULL;
}

/* Points to the hints for a step that was wrong in the run before,
 * too, whose rows --csv still has. */
static inline std::string offerHints(const Lab *lab) {
    const Row *row = nextRow(lab);
    const bool wrong = row != NULL && (row->outcome == STEP_WRONG || row->outcome == STEP_ERROR);
    if (!wrong || lab->harness->options.csv == NULL || settingsOf(lab)[0] != '\0') return "";
    return failedIn(lab->harness->options.csv, *row)
               ? format("; `make hint-lab%d` helps", lab->info.number)
               : "";
}

/* Prints remarks on the table, and as the last line what to do next. */
static inline void printEnd(const Lab *lab, bool outdated, const std::string &hints) {
    if (outdated) {
        printf("\nnext: %s was saved after this program was compiled, so run it again\n",
               lab->info.source);
        return;
    }
    if (isChecked()) return;
    if (lab->harness->folded)
        printf("(a sweep is one line: `make lab%d ARGS=--all` prints every launch)\n",
               lab->info.number);
    if (lab->harness->marks.find(SLOWER) != std::string::npos)
        printf("(x before<: slower than the step before)\n");
    if (lab->harness->marks.find(UNDECIDED) != std::string::npos)
        printf("(x before~: too close for modelled times to say which step is faster; on an H200 "
               "they are off by %.0f "
               "%% on "
               "average)\n",
               100 * MODEL_ERROR);
    if (lab->harness->referenceShown)
        printf("%s\n",
               coloured(GREY, "(in brackets: the solution's figures on this device)").c_str());
    if (lab->harness->nothingLaunched)
        printf("(an empty problem: a grid of 0 blocks is illegal, so nothing was launched)\n");
    const Row *next = nextRow(lab);
    if (next != NULL)
        printf("\nnext: %s%s\n", hintFor(lab, *next).c_str(), hints.c_str());
    else
        printf("\n%s\n", rightEnd(lab).c_str());
}

/* ---- The end ---- */

/* Writes the rows to --csv; the problem to the file LABS_PROBLEM, as plots compare runs only of the
 * same problem; and the source that the rows are about to the file LABS_SOURCE, which goes if that
 * is not known. Returns false with a message on stderr. */
static inline bool writeCsv(const Lab *lab, const std::string &source) {
    const char *problem = getenv("LABS_PROBLEM"), *about = getenv("LABS_SOURCE");
    if (about != NULL) unlink(about);
    std::string text = csvHead(extraColumns(lab));
    for (const Row &row : lab->harness->table) text += csvLine(lab, row);
    if (writeFile(lab->harness->options.csv, text) &&
        (problem == NULL || writeFile(problem, lab->harness->problem + "\n")) &&
        (about == NULL || isOutdated(lab, source) || writeFile(about, source)))
        return true;
    fprintf(stderr, "%s: cannot write %s: %s\n", lab->info.name, lab->harness->options.csv,
            strerror(errno));
    return false;
}

/* The program's exit code. A step still to do counts as wrong only with STRICT=1. */
static inline int exitCode(const Lab *lab) {
    const char *strict = getenv("STRICT");
    const bool todoIsWrong = strict != NULL && strcmp(strict, "1") == 0;
    for (const Row &row : lab->harness->table) {
        const bool fine = row.outcome == STEP_OK || row.outcome == STEP_REFUSED;
        if (!fine && (row.outcome != STEP_TODO || todoIsWrong)) return EXIT_WRONG;
    }
    return EXIT_OK;
}

LAB_CALL int labClose(Lab *lab) {
    const std::string source = textOf(lab->info.source);
    const bool outdated = isOutdated(lab, source);
    int code = outdated ? EXIT_WRONG : exitCode(lab);
    const std::string hints = offerHints(lab);
    showRows(lab);
    if (lab->harness->options.csv != NULL && !writeCsv(lab, source)) code = EXIT_WRONG;
    printEnd(lab, outdated, hints);
    labDropArrays(lab);
    cudaFree(lab->harness->cacheFlusher);
    cudaEventDestroy(lab->harness->start);
    cudaEventDestroy(lab->harness->stop);
    delete lab->harness;
    return printed_all() ? code : EXIT_WRONG;
}

#endif
