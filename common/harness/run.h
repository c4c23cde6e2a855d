/*
 * run.h: runs one launch of a step, and records the outcome.
 */
#ifndef HARNESS_RUN_H
#define HARNESS_RUN_H

static inline void showRows(Lab *lab);
static inline void addRow(Lab *lab);

/* ---- The row ---- */

/* The step's number, from 1. Ends the program if the lab has no such step. */
static inline int stepNumber(const Lab *lab, const char *step) {
    for (size_t i = 0; i < lab->harness->steps.size(); i++) {
        if (strcmp(lab->harness->steps[i].name, step) == 0) return (int)i + 1;
    }
    fprintf(stderr, "%s: %s is not in the lab's list of steps\n", lab->info.name, step);
    exit(EXIT_WRONG);
}

LAB_CALL bool labSelected(const Lab *lab, const char *step) {
    return lab->harness->options.step == 0 || lab->harness->options.step == stepNumber(lab, step);
}

LAB_CALL int labHostRepeat(const Lab *lab) {
    return lab->harness->options.repeatGiven ? lab->harness->options.repeat : HOST_REPEAT;
}

LAB_CALL void labExpectRefusals(Lab *lab) {
    lab->harness->expectsRefusals = true;
}

/* Starts an empty row; prints the rows of the step before it. */
static inline void beginRow(Lab *lab, LabSide side, int step, const char *name, dim3 grid,
                            dim3 block) {
    if (step != lab->harness->row.step) showRows(lab);
    lab->harness->row = Row();
    lab->harness->row.step = step;
    lab->harness->row.kernel = name;
    lab->harness->row.grid = grid;
    lab->harness->row.block = block;
    lab->harness->row.outcome = STEP_SKIPPED;
    lab->harness->row.status = "not run";
    lab->harness->row.onHost = side == ON_HOST;
    lab->harness->row.misses.first = lab->harness->row.misses.last = -1;
    lab->harness->side = side;
    lab->harness->remark = "";
    lab->harness->run = 0;
    lab->harness->counted = 0;
    lab->harness->wanted = lab->harness->options.step == 0 || lab->harness->options.step == step;
}

LAB_CALL void labStep(Lab *lab, const char *step, dim3 grid, dim3 block) {
    beginRow(lab, ON_DEVICE, stepNumber(lab, step), step, grid, block);
    lab->harness->timed = lab->modelled || lab->profiling ? 0 : lab->harness->options.repeat;
}

LAB_CALL void labHostStep(Lab *lab, const char *step) {
    beginRow(lab, ON_HOST, stepNumber(lab, step), step, dim3(0, 0, 0), dim3(0, 0, 0));
    lab->harness->timed = lab->profiling ? 0 : labHostRepeat(lab);
    lab->harness->counted = lab->info.countsMisses && !lab->profiling && whyNoMisses() == NULL;
}

LAB_CALL void labReference(Lab *lab, const char *name) {
    beginRow(lab, BESIDE, (int)lab->harness->steps.size() + 1, name, dim3(0, 0, 0), dim3(0, 0, 0));
    lab->harness->timed = lab->modelled ? 0 : lab->harness->options.repeat;
    lab->harness->wanted =
        lab->harness->options.step == 0 && !lab->profiling && !lab->harness->broken;
}

LAB_CALL void labArgument(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    lab->harness->row.kernel += "(" + formatList(pattern, arguments) + ")";
    va_end(arguments);
}

LAB_CALL void labRemark(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    lab->harness->remark = formatList(pattern, arguments);
    va_end(arguments);
}

LAB_CALL void labUnmodelled(Lab *lab, const char *what) {
    lab->harness->row.unmodelled = lab->modelled;
    if (lab->modelled) lab->harness->remark = what;
}

LAB_CALL void labBytes(Lab *lab, double bytes) {
    lab->harness->row.bytes = bytes;
}

LAB_CALL void labOperations(Lab *lab, double operations) {
    lab->harness->row.operations = operations;
}

LAB_CALL void labSkip(Lab *lab, const char *why) {
    lab->harness->row.outcome = STEP_REFUSED;
    lab->harness->row.status = why;
}

/* ---- The outcome of a run ---- */

/* Marks the row as "todo" if the step left a TODO note. Returns whether it did. */
static inline bool isTodo(Lab *lab, const TodoNote &note) {
    if (note.line == 0) return false;
    lab->harness->row.outcome = STEP_TODO;
    lab->harness->row.status = "todo";
    if (hasCodeBesideTodo(lab->info.source, note.line))
        lab->harness->row.remark = format("delete the TODO, line %d", note.line);
    if (lab->harness->todo.line == 0) lab->harness->todo = note;
    return true;
}

/* Does the block have more threads than the device allows? */
static inline bool isOversized(dim3 block) {
    return threadsOf(block) > (unsigned long long)deviceAttribute(cudaDevAttrMaxThreadsPerBlock);
}

/* Records why the launch was refused or the kernel failed. */
static inline void noteError(Lab *lab, cudaError_t error, bool refused) {
    Row *row = &lab->harness->row;
    const bool expected = refused && lab->harness->expectsRefusals && isOversized(row->block);
    row->outcome = expected ? STEP_REFUSED : STEP_ERROR;
    row->status = cudaGetErrorString(error);
    if (refused) row->remark = whyRefused(row->grid, row->block);
    if (expected) row->remark = "as it should be: " + row->remark;
    if (!refused) row->finding = lastFault(lab->info.source);
    /* Clear an error that can be cleared, and see whether this one was. */
    cudaGetLastError();
    lab->harness->broken = cudaDeviceSynchronize() != cudaSuccess;
}

/* Ends a run on the device. Adds its time to the row, or records an error. Returns whether there
 * are results: no error and no TODO. */
static inline bool endDeviceRun(Lab *lab) {
    cudaError_t error = cudaGetLastError(); /* the launch's error */
    float milliseconds = 0;
    const bool refused = error != cudaSuccess;
    if (!refused && !lab->harness->stopped) error = cudaEventRecord(lab->harness->stop);
    if (error == cudaSuccess)
        error = waitForDevice(lab->harness->row.kernel.c_str(), !lab->profiling && !lab->modelled);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, lab->harness->start, lab->harness->stop);
    if (error != cudaSuccess) {
        noteError(lab, error, refused);
        return false;
    }
    /* The first run is not timed, except on the simulator, which runs once with a modelled time.
     * simt --no-timing gives no time. */
    if (lab->harness->run > 1 || (lab->modelled && milliseconds > 0))
        lab->harness->row.times.push_back(milliseconds);
    return !isTodo(lab, hostTodoNote.line != 0 ? hostTodoNote : readTodoNote());
}

static inline bool endHostRun(Lab *lab) {
    if (lab->harness->run > 1 && lab->harness->run <= 1 + lab->harness->timed)
        lab->harness->row.times.push_back(lab->harness->duration);
    return !isTodo(lab, hostTodoNote);
}

/* Formats a number with 10 digits; NaN as "nan" whatever its sign bit. */
static inline std::string numberText(double number) {
    return std::isnan(number) ? "nan" : format("%.10g", number);
}

LAB_CALL void labVerdict(Lab *lab, Verdict verdict) {
    Row *row = &lab->harness->row;
    row->outcome = verdict.ok ? STEP_OK : STEP_WRONG;
    row->status = "ok";
    if (verdict.ok) return;
    row->status = std::string("WRONG") + (lab->harness->run > 1 ? " in a later run (" : " (");
    if (verdict.why != NULL) {
        row->status += std::string(verdict.why) + ")";
        return;
    }
    if (verdict.columns > 0)
        row->status += format("row %zu, column %zu: ", verdict.index / verdict.columns,
                              verdict.index % verdict.columns);
    else if (verdict.all > 0)
        row->status += format("index %zu: ", verdict.index);
    row->status +=
        verdict.unwritten ? "nothing was written here," : "got " + numberText(verdict.got);
    row->status += " want " + numberText(verdict.want);
    if (verdict.all > 1) row->status += format("; %zu of %zu wrong", verdict.wrong, verdict.all);
    row->status += ")";
}

/* ---- The loop ---- */

/* May the first run begin? If not, the row says why. */
static inline bool mayBegin(Lab *lab) {
    const dim3 grid = lab->harness->row.grid;
    if (lab->harness->row.outcome == STEP_REFUSED) return false;
    if (lab->harness->side == ON_DEVICE && (grid.x == 0 || grid.y == 0 || grid.z == 0)) {
        lab->harness->row.outcome = STEP_OK;
        lab->harness->row.status = "ok";
        lab->harness->nothingLaunched = true;
        isTodo(lab, todoIn(lab->info.source,
                           lab->harness->steps[(size_t)lab->harness->row.step - 1].name));
        return false;
    }
    return !lab->harness->broken;
}

/* Does this run count cache misses? A step on the CPU has one more run
 * for it, after the timed runs. */
static inline bool countsMisses(const Lab *lab) {
    return lab->harness->side == ON_HOST && lab->harness->run == lab->harness->timed + 2;
}

static inline bool mayGoOn(const Lab *lab) {
    return lab->harness->row.outcome == STEP_OK &&
           lab->harness->run < 1 + lab->harness->timed + lab->harness->counted;
}

/* Checks the step on small problems (LABS_SMALL_SIZES), once for all its launches. Only on the
 * simulator, and not under a profiler, grader or checker. */
static inline Finding findingOf(Lab *lab, int step) {
    const char *sizes = getenv("LABS_SMALL_SIZES");
    const Finding nothing = {"", 0, ""};
    if (sizes == NULL || !lab->modelled || lab->profiling || lab->harness->grader.channel >= 0 ||
        isChecked())
        return nothing;
    if (lab->harness->findings.count(step) == 0)
        lab->harness->findings[step] =
            checkStep(lab->info.source, lab->harness->flags, step, sizes);
    return lab->harness->findings[step];
}

/* Completes the row after the last run. */
static inline void endRow(Lab *lab) {
    Row *row = &lab->harness->row;
    if (row->outcome != STEP_OK || row->unmodelled) row->times.clear();
    std::sort(row->times.begin(), row->times.end());
    const bool judged =
        lab->harness->run > 0 && (row->outcome == STEP_OK || row->outcome == STEP_WRONG);
    if (judged && lab->harness->side == ON_DEVICE) row->finding = findingOf(lab, row->step);
    /* A grader hears of it from the simulator. */
    const bool graded = lab->harness->grader.channel >= 0;
    if (judged && !graded && row->finding.what.empty() && racedKernels() > lab->harness->raced)
        row->finding = {"blocks that race with one another", 0, ""};
    lab->harness->raced = racedKernels();
    if (row->remark.empty() && row->outcome != STEP_TODO) row->remark = lab->harness->remark;
    lab->harness->wanted = false;
    addRow(lab);
}

LAB_CALL bool labNextRun(Lab *lab) {
    if (!lab->harness->wanted) return false;
    if (lab->harness->run > 0 && !lab->harness->checked) {
        fprintf(stderr, "%s: %s: the loop has no labEndRun\n", lab->info.name,
                lab->harness->row.kernel.c_str());
        exit(EXIT_WRONG);
    }
    const bool more = lab->harness->run == 0 ? mayBegin(lab) : mayGoOn(lab);
    if (!more) {
        endRow(lab);
        return false;
    }
    lab->harness->run++;
    lab->harness->checked = lab->harness->stopped = false;
    hostTodoNote.line = 0;
    if (lab->harness->side != ON_HOST) {
        prepareArrays(lab);
        CHECK(cudaEventRecord(lab->harness->start));
        cudaGetLastError(); /* so that labEndRun sees only the launch's error */
    }
    return true;
}

LAB_CALL void labStart(Lab *lab) {
    if (countsMisses(lab)) startCounters(lab->harness->counters);
    if (lab->harness->side != ON_HOST) {
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(lab->harness->start));
    }
    lab->harness->began = cpuSecond();
}

LAB_CALL void labStop(Lab *lab) {
    lab->harness->duration = (cpuSecond() - lab->harness->began) * 1000;
    if (countsMisses(lab)) lab->harness->row.misses = stopCounters(lab->harness->counters);
    /* After an error the event cannot be recorded; labEndRun then finds the error. */
    lab->harness->stopped =
        lab->harness->side != ON_HOST && cudaEventRecord(lab->harness->stop) == cudaSuccess;
}

LAB_CALL double labClock(const Lab *lab) {
    return lab->harness->duration;
}

LAB_CALL double labEvents(const Lab *lab) {
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, lab->harness->start, lab->harness->stop));
    return milliseconds;
}

LAB_CALL bool labEndRun(Lab *lab) {
    lab->harness->checked = true;
    const bool ran = lab->harness->side == ON_HOST ? endHostRun(lab) : endDeviceRun(lab);
    return ran && (lab->harness->run == 1 || lab->harness->run == 1 + lab->harness->timed);
}

LAB_CALL double labTime(const Lab *lab) {
    return medianTime(lab->harness->row);
}

#endif
