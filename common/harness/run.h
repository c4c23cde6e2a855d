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
    for (size_t i = 0; i < lab->steps.size(); i++) {
        if (strcmp(lab->steps[i].name, step) == 0) return (int)i + 1;
    }
    fprintf(stderr, "%s: %s is not in the lab's list of steps\n", lab->info.name, step);
    exit(EXIT_WRONG);
}

static inline bool labWants(const Lab *lab, const char *step) {
    return lab->options.step == 0 || lab->options.step == stepNumber(lab, step);
}

static inline int labHostRepeat(const Lab *lab) {
    return lab->options.repeatGiven ? lab->options.repeat : HOST_REPEAT;
}

static inline void labExpectRefusals(Lab *lab) {
    lab->expectsRefusals = true;
}

/* Starts an empty row; prints the rows of the step before it. */
static inline void beginRow(Lab *lab, LabSide side, int step, const char *name, dim3 grid, dim3 block) {
    if (step != lab->row.step) showRows(lab);
    lab->row = Row();
    lab->row.step = step;
    lab->row.kernel = name;
    lab->row.grid = grid;
    lab->row.block = block;
    lab->row.outcome = STEP_SKIPPED;
    lab->row.status = "not run";
    lab->row.onHost = side == ON_HOST;
    lab->row.misses.first = lab->row.misses.last = -1;
    lab->side = side;
    lab->remark = "";
    lab->run = 0;
    lab->counted = 0;
    lab->wanted = lab->options.step == 0 || lab->options.step == step;
}

static inline void labStep(Lab *lab, const char *step, dim3 grid, dim3 block) {
    beginRow(lab, ON_DEVICE, stepNumber(lab, step), step, grid, block);
    lab->timed = lab->modelled || lab->profiling ? 0 : lab->options.repeat;
}

static inline void labHostStep(Lab *lab, const char *step) {
    beginRow(lab, ON_HOST, stepNumber(lab, step), step, dim3(0, 0, 0), dim3(0, 0, 0));
    lab->timed = lab->profiling ? 0 : labHostRepeat(lab);
    lab->counted = lab->info.countsMisses && !lab->profiling && whyNoMisses() == NULL;
}

static inline void labBeside(Lab *lab, const char *name) {
    beginRow(lab, BESIDE, (int)lab->steps.size() + 1, name, dim3(0, 0, 0), dim3(0, 0, 0));
    lab->timed = lab->modelled ? 0 : lab->options.repeat;
    lab->wanted = lab->options.step == 0 && !lab->profiling && !lab->broken;
}

static inline void labArgument(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    lab->row.kernel += "(" + formatList(pattern, arguments) + ")";
    va_end(arguments);
}

static inline void labRemark(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    lab->remark = formatList(pattern, arguments);
    va_end(arguments);
}

static inline void labUnmodelled(Lab *lab, const char *what) {
    lab->row.unmodelled = lab->modelled;
    if (lab->modelled) lab->remark = what;
}

static inline void labBytes(Lab *lab, double bytes) {
    lab->row.bytes = bytes;
}

static inline void labOperations(Lab *lab, double operations) {
    lab->row.operations = operations;
}

static inline void labDecline(Lab *lab, const char *why) {
    lab->row.outcome = STEP_REFUSED;
    lab->row.status = why;
}

/* ---- The outcome of a run ---- */

/* Marks the row as "todo" if the step left a TODO note. Returns whether it did. */
static inline bool isTodo(Lab *lab, const TodoNote &note) {
    if (note.line == 0) return false;
    lab->row.outcome = STEP_TODO;
    lab->row.status = "todo";
    if (hasCodeBesideTodo(lab->info.source, note.line)) lab->row.remark = format("delete the TODO, line %d", note.line);
    if (lab->todo.line == 0) lab->todo = note;
    return true;
}

/* Does the block have more threads than the device allows? */
static inline bool isOversized(dim3 block) {
    return threadsOf(block) > (unsigned long long)deviceAttribute(cudaDevAttrMaxThreadsPerBlock);
}

/* Records why the launch was refused or the kernel failed. */
static inline void noteError(Lab *lab, cudaError_t error, bool refused) {
    Row *row = &lab->row;
    const bool expected = refused && lab->expectsRefusals && isOversized(row->block);
    row->outcome = expected ? STEP_REFUSED : STEP_ERROR;
    row->status = cudaGetErrorString(error);
    if (refused) row->remark = whyRefused(row->grid, row->block);
    if (expected) row->remark = "as it should be: " + row->remark;
    if (!refused) row->finding = lastFault(lab->info.source);
    cudaGetLastError();                                   /* clear an error that can be cleared ... */
    lab->broken = cudaDeviceSynchronize() != cudaSuccess; /* ... and see whether this one was */
}

/* Ends a run on the device. Adds its time to the row, or records an error. Returns whether there are results: no error
 * and no TODO. */
static inline bool endDeviceRun(Lab *lab) {
    cudaError_t error = cudaGetLastError(); /* the launch's error */
    float milliseconds = 0;
    const bool refused = error != cudaSuccess;
    if (!refused && !lab->stopped) error = cudaEventRecord(lab->stop);
    if (error == cudaSuccess) error = waitForDevice(lab->row.kernel.c_str(), !lab->profiling && !lab->modelled);
    if (error == cudaSuccess) error = cudaEventElapsedTime(&milliseconds, lab->start, lab->stop);
    if (error != cudaSuccess) {
        noteError(lab, error, refused);
        return false;
    }
    /* The first run is not timed, except on the simulator, which runs once with a modelled time. simt --no-timing gives
     * no time. */
    if (lab->run > 1 || (lab->modelled && milliseconds > 0)) lab->row.times.push_back(milliseconds);
    return !isTodo(lab, hostTodoNote.line != 0 ? hostTodoNote : readTodoNote());
}

static inline bool endHostRun(Lab *lab) {
    if (lab->run > 1 && lab->run <= 1 + lab->timed) lab->row.times.push_back(lab->duration);
    return !isTodo(lab, hostTodoNote);
}

/* Formats a number with 10 digits; NaN as "nan" whatever its sign bit. */
static inline std::string numberText(double number) {
    return std::isnan(number) ? "nan" : format("%.10g", number);
}

static inline void labVerdict(Lab *lab, Verdict verdict) {
    Row *row = &lab->row;
    row->outcome = verdict.ok ? STEP_OK : STEP_WRONG;
    row->status = "ok";
    if (verdict.ok) return;
    row->status = format("WRONG%s (index %zu: ", lab->run > 1 ? " in a later run" : "", verdict.index);
    row->status += verdict.unwritten ? "nothing was written here," : "got " + numberText(verdict.got);
    row->status += " want " + numberText(verdict.want);
    if (verdict.all > 1) row->status += format("; %zu of %zu wrong", verdict.wrong, verdict.all);
    row->status += ")";
}

/* ---- The loop ---- */

/* May the first run begin? If not, the row says why. */
static inline bool mayBegin(Lab *lab) {
    const dim3 grid = lab->row.grid;
    if (lab->row.outcome == STEP_REFUSED) return false;
    if (lab->side == ON_DEVICE && (grid.x == 0 || grid.y == 0 || grid.z == 0)) {
        lab->row.outcome = STEP_OK;
        lab->row.status = "ok";
        lab->nothingLaunched = true;
        return false;
    }
    return !lab->broken;
}

/* Does this run count cache misses? A step on the CPU has one more run for it, behind the timed runs. */
static inline bool countsMisses(const Lab *lab) {
    return lab->side == ON_HOST && lab->run == lab->timed + 2;
}

static inline bool mayGoOn(const Lab *lab) {
    return lab->row.outcome == STEP_OK && lab->run < 1 + lab->timed + lab->counted;
}

/* Checks the step on small problems (LABS_SMALL_SIZES), once for all its launches. Only on the simulator, and not under
 * a profiler, grader or checker. */
static inline Finding findingOf(Lab *lab, int step) {
    const char *sizes = getenv("LABS_SMALL_SIZES");
    const Finding nothing = {"", 0, ""};
    if (sizes == NULL || !lab->modelled || lab->profiling || lab->grader.channel >= 0 || isChecked()) return nothing;
    if (lab->findings.count(step) == 0) lab->findings[step] = checkStep(lab->info.source, lab->flags, step, sizes);
    return lab->findings[step];
}

/* Completes the row after the last run. */
static inline void endRow(Lab *lab) {
    Row *row = &lab->row;
    if (row->outcome != STEP_OK || row->unmodelled) row->times.clear();
    std::sort(row->times.begin(), row->times.end());
    const bool judged = lab->run > 0 && (row->outcome == STEP_OK || row->outcome == STEP_WRONG);
    if (judged && lab->side == ON_DEVICE) row->finding = findingOf(lab, row->step);
    if (row->remark.empty() && row->outcome != STEP_TODO) row->remark = lab->remark;
    lab->wanted = false;
    addRow(lab);
}

static inline bool labRuns(Lab *lab) {
    if (!lab->wanted) return false;
    if (lab->run > 0 && !lab->checked) {
        fprintf(stderr, "%s: %s: the loop has no labChecks\n", lab->info.name, lab->row.kernel.c_str());
        exit(EXIT_WRONG);
    }
    const bool more = lab->run == 0 ? mayBegin(lab) : mayGoOn(lab);
    if (!more) {
        endRow(lab);
        return false;
    }
    lab->run++;
    lab->checked = lab->stopped = false;
    hostTodoNote.line = 0;
    if (lab->side != ON_HOST) {
        prepareArrays(lab);
        CHECK(cudaEventRecord(lab->start));
        cudaGetLastError(); /* so that labChecks sees only the launch's error */
    }
    return true;
}

static inline void labStart(Lab *lab) {
    if (countsMisses(lab)) startCounters(lab->counters);
    if (lab->side != ON_HOST) {
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(lab->start));
    }
    lab->began = cpuSecond();
}

static inline void labStop(Lab *lab) {
    lab->duration = (cpuSecond() - lab->began) * 1000;
    if (countsMisses(lab)) lab->row.misses = stopCounters(lab->counters);
    /* After an error the event cannot be recorded; labChecks then finds the error. */
    lab->stopped = lab->side != ON_HOST && cudaEventRecord(lab->stop) == cudaSuccess;
}

static inline double labClock(const Lab *lab) {
    return lab->duration;
}

static inline double labEvents(const Lab *lab) {
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, lab->start, lab->stop));
    return milliseconds;
}

static inline bool labChecks(Lab *lab) {
    lab->checked = true;
    const bool ran = lab->side == ON_HOST ? endHostRun(lab) : endDeviceRun(lab);
    return ran && (lab->run == 1 || lab->run == 1 + lab->timed);
}

static inline double labTime(const Lab *lab) {
    return medianTime(lab->row);
}

#endif
