/* harness.cu: the functions of lab.h. make compiles this file once, because it takes the compiler
 * longer than a lab's kernels do; a lab compiled by hand includes it. */
#ifndef HARNESS_LAB_H
#define HARNESS_OBJECT
#endif
#include <map>

#include "lab.h"

#include "checker.h"
#include "device.h"
#include "grader.h"
#include "misses.h"
#include "options.h"
#include "place.h"
#include "processor.h"
#include "reference.h"
#include "report.h"

/* An input or output array on the device. */
struct LabArray {
    void *work;     /* the array that kernels use */
    void *pristine; /* the copy that an input is restored from; NULL: an output */
    size_t bytes;
};

enum LabSide { ON_DEVICE, ON_HOST, BESIDE };

/* What the harness keeps of a lab while it runs. */
struct Harness {
    std::vector<std::string> flags; /* flags given, without those that a check sets */
    std::vector<LabStep> steps;
    Options options;
    std::string problem; /* the problem, as in a plot's caption */
    Device device;
    Grader grader;
    std::vector<LabArray> arrays;
    void *cacheFlusher; /* memory twice as large as the second-level cache; NULL: not needed */
    cudaEvent_t start, stop;

    std::vector<Row> table;
    size_t shown;           /* rows already printed; a step's rows are printed at the step's end */
    size_t groupBegin;      /* index of the group's first row */
    std::string groupTitle; /* title not printed yet; it goes above the group's first row */
    std::map<int, Finding> findings; /* by step: the checker's finding on small problems */
    TodoNote todo;                   /* note of the first step still to do */
    size_t raced;                    /* kernels whose blocks had raced when the last row ended */
    bool broken;          /* an error has made the device unusable for the rest of the program */
    bool expectsRefusals; /* oversized blocks are expected to fail */
    bool nothingLaunched; /* a step had a grid of 0 blocks, which CUDA cannot launch */
    bool folded;          /* a step's launches have been printed as one line */
    bool referenceShown;  /* a recorded time has been printed */
    std::string marks;    /* beside "x before", of the rows printed */

    /* The launch under way. */
    Row row;
    LabSide side;
    std::string remark;
    bool wanted;     /* the launch shall run, and its row is not complete */
    bool checked;    /* labChecks was called in this run */
    bool stopped;    /* labStop was called in this run, of a step on the device */
    int run;         /* count of runs begun */
    int timed;       /* count of timed runs, after the first run */
    int counted;     /* 1: one more run on the CPU counts cache misses */
    double began;    /* seconds, by cpuSecond */
    double duration; /* ms on the CPU's clock from labStart to labStop */
    int counters[2]; /* descriptors of the counters for cache misses */
};

/* ---- The beginning: flags, device, headline ---- */

/* Seconds of processor time after which the simulator stops a kernel of which no block has ended. A
 * lab's kernel needs less. */
#define LAB_KERNEL_SECONDS "20"

/* Ends the program with exit code 2: the problem is too large for the device. */
static void refuseSize(const Lab *lab) {
    const Options &options = lab->harness->options;
    std::string size = lab->info.isMatrix
                           ? format("--rows %llu --cols %llu", options.rows, options.cols)
                           : format("--size %llu", options.size);
    refuse(lab->info.name, "%s: not enough memory on %s; choose a smaller one", size.c_str(),
           lab->harness->device.name.c_str());
}

/* Allocates device memory for the harness. Ends the program as
 * labNeeds does if there is no room. */
static void *allocateOnDevice(Lab *lab, size_t bytes) {
    void *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) refuseSize(lab);
    CHECK(error);
    return memory;
}

/* Ends the program where a simulator computes only a part of the results (simt --sample). */
static void refuseSample() {
    if (getenv("SIMT_SAMPLE") == NULL) return;
    fprintf(stderr, "this program checks its results, and simt --sample leaves most of them out: "
                    "run it without --sample\n");
    exit(EXIT_USAGE);
}

Lab labOpenSteps(int argc, char **argv, const LabInfo &info, const LabStep *steps, size_t n) {
    Lab lab = Lab();
    lab.harness = new Harness();
    lab.harness->steps.assign(steps, steps + n);
    lab.info = info;
    lab.harness->flags = flagsToKeep(argc, argv);
    lab.harness->options = parseOptions(info, lab.harness->steps, argc, argv);
    refuseSample();
    lab.harness->problem = problemText(info, lab.harness->options);
    lab.harness->grader = openGrader();
    setenv("SIMT_TIMEOUT", LAB_KERNEL_SECONDS, 0); /* keeps the user's setting */
    /* The copy that restores an input leaves part of it in the cache. A real GPU's is flushed
     * before each timed run, a simulated one's is empty. */
    if (!lab.harness->options.profile) setenv("SIMT_COLD", "1", 0);
    lab.harness->device = openDevice(info.name);
    CHECK(cudaEventCreate(&lab.harness->start));
    CHECK(cudaEventCreate(&lab.harness->stop));
    lab.size = (size_t)lab.harness->options.size;
    lab.rows = (size_t)lab.harness->options.rows;
    lab.cols = (size_t)lab.harness->options.cols;
    lab.block = lab.harness->options.block;
    lab.seed = lab.harness->options.seed;
    lab.sizeGiven = lab.harness->options.sizeGiven;
    lab.modelled = lab.harness->device.modelled;
    lab.profiling = lab.harness->options.profile;
    if (!lab.modelled && !lab.profiling)
        lab.harness->cacheFlusher = allocateOnDevice(&lab, 2 * lab.harness->device.cacheBytes);
    return lab;
}

/* Which figures of a simulated GPU are modelled, and from what. PTX alone does
 * not give a thread's registers. */
static std::string modelledParts() {
    if (getenv("SIMT_NO_TIMING") != NULL) return "not modelled (--no-timing)";
    std::string parts = "modelled";
#ifdef SIMT_NO_MACHINE_CODE
    parts += ", registers estimated";
#endif
    if (getenv("SIMT_CONSTANTS_DERIVED") != NULL) parts += ", constants derived";
    return parts;
}

void labHeader(const Lab *lab, const char *pattern, ...) {
    if (isChecked()) return;
    const double peak = lab->harness->device.peakBandwidth;
    va_list arguments;
    va_start(arguments, pattern);
    printf("Lab %d: %s\n", lab->info.number, formatList(pattern, arguments).c_str());
    va_end(arguments);
    printf("Device: %s, peak bandwidth %s, times %s\n\n", lab->harness->device.name.c_str(),
           peak > 0 ? format("%.0f GB/s", peak).c_str() : "unknown",
           lab->modelled ? modelledParts().c_str()
           : lab->profiling
               ? "not taken while profiling"
               : format("measured, median of %d", lab->harness->options.repeat).c_str());
    printTableHead(lab->info.countsOperations ? "GFLOP/s" : "GB/s");
}

/* ---- Memory ---- */

/* Allocates nothing, so that it does not move the lab's arrays: cache
 * behaviour depends on their addresses. */
void labNeeds(const Lab *lab, size_t bytes) {
    size_t available, total;
    CHECK(cudaMemGetInfo(&available, &total));
    if (bytes > available) refuseSize(lab);
}

/* Under a grader the copy lies in host memory. In device memory a kernel could find it beside its
 * input, and leave results there for the next step. */
void labInput(Lab *lab, void *device, size_t bytes) {
    LabArray input = {device, NULL, bytes};
    input.pristine =
        lab->harness->grader.channel >= 0 ? hostArray<char>(bytes) : allocateOnDevice(lab, bytes);
    CHECK(cudaMemcpy(input.pristine, device, bytes, cudaMemcpyDefault));
    lab->harness->arrays.push_back(input);
}

void labOutput(Lab *lab, void *device, size_t bytes) {
    LabArray output = {device, NULL, bytes};
    lab->harness->arrays.push_back(output);
}

/* Ignores failures: after an error that ends the run, the device frees nothing any more. */
void labDropArrays(Lab *lab) {
    for (const LabArray &array : lab->harness->arrays)
        if (lab->harness->grader.channel >= 0)
            free(array.pristine);
        else
            cudaFree(array.pristine);
    lab->harness->arrays.clear();
}

/* Restores the inputs, poisons the outputs, clears the TODO note and flushes the cache. */
static void prepareArrays(const Lab *lab) {
    for (const LabArray &array : lab->harness->arrays)
        if (array.pristine != NULL)
            CHECK(cudaMemcpy(array.work, array.pristine, array.bytes, cudaMemcpyDefault));
        else
            CHECK(cudaMemset(array.work, POISON_BYTE, array.bytes));
    clearTodoNote();
    if (lab->harness->cacheFlusher != NULL)
        CHECK(cudaMemset(lab->harness->cacheFlusher, 0, 2 * lab->harness->device.cacheBytes));
}

/* ---- Rows ---- */

static bool anyDoubtful(const Lab *lab) {
    for (const Row &row : lab->harness->table)
        if (isDoubtful(row)) return true;
    return false;
}

/* The CSV's extra columns. */
static ExtraColumns extraColumns(const Lab *lab) {
    ExtraColumns extra = {lab->info.countsOperations, lab->info.countsMisses, anyDoubtful(lab)};
    return extra;
}

static std::string csvLine(const Lab *lab, const Row &row) {
    const char *clock = row.unmodelled                 ? "unmodelled"
                        : lab->modelled && !row.onHost ? "modelled"
                                                       : "measured";
    return csvRow(row, lab->info.number, clock,
                  row.onHost ? processorName() : lab->harness->device.name, extraColumns(lab));
}

/* Finds the row for "x before": the timed launch of the step before it in the group. If that step
 * has several, it is the launch with the same argument, or without arguments the same grid and
 * block. NULL: none. */
static const Row *rowBefore(const Lab *lab, const Row &row) {
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
static const Row *firstRow(const Lab *lab) {
    for (size_t i = lab->harness->groupBegin; i < lab->harness->table.size(); i++)
        if (!lab->harness->table[i].times.empty()) return &lab->harness->table[i];
    return NULL;
}

/* The mark beside "x before". A measured row is slower if its fastest run is slower than the
 * other's median. */
static char markOf(const Lab *lab, const Row &row, const Row &before) {
    const double ratio = medianTime(before) / medianTime(row);
    if (lab->modelled && !row.onHost && ratio < 1 + MODEL_ERROR && ratio > 1 / (1 + MODEL_ERROR))
        return UNDECIDED;
    return row.times.front() > medianTime(before) ? SLOWER : 0;
}

/* Compares the launch's row with those above, appends it, and tells the grader. */
static void addRow(Lab *lab) {
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
static void showSweep(const Lab *lab, const Row *begin, const Row *end) {
    printRow(sweepRow(begin, end), lab->info.source);
    for (const Row *row = begin; row < end; row++) {
        if (row->outcome != STEP_WRONG && row->outcome != STEP_ERROR) continue;
        printRow(*row, lab->info.source);
        return;
    }
}

/* Prints the rows not printed yet, which are those of one step. Folds many launches into one line,
 * unless --all is given. */
static void showRows(Lab *lab) {
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

void labGroup(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    showRows(lab);
    lab->harness->groupBegin = lab->harness->table.size();
    lab->harness->groupTitle = formatList(pattern, arguments);
    va_end(arguments);
}

void labNote(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    showRows(lab);
    if (!isChecked()) printf("%s\n", formatList(pattern, arguments).c_str());
    va_end(arguments);
}

/* ---- The row ---- */

/* The step's number, from 1. Ends the program if the lab has no such step. */
static int stepNumber(const Lab *lab, const char *step) {
    for (size_t i = 0; i < lab->harness->steps.size(); i++)
        if (strcmp(lab->harness->steps[i].name, step) == 0) return (int)i + 1;
    fprintf(stderr, "%s: %s is not in the lab's list of steps\n", lab->info.name, step);
    exit(EXIT_WRONG);
}

bool labSelected(const Lab *lab, const char *step) {
    return lab->harness->options.step == 0 || lab->harness->options.step == stepNumber(lab, step);
}

int labHostRepeat(const Lab *lab) {
    return lab->harness->options.repeatGiven ? lab->harness->options.repeat : HOST_REPEAT;
}

void labExpectRefusals(Lab *lab) {
    lab->harness->expectsRefusals = true;
}

/* Starts an empty row; prints the rows of the step before it. */
static void beginRow(Lab *lab, LabSide side, int step, const char *name, dim3 grid, dim3 block) {
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

void labStep(Lab *lab, const char *step, dim3 grid, dim3 block) {
    beginRow(lab, ON_DEVICE, stepNumber(lab, step), step, grid, block);
    lab->harness->timed = lab->modelled || lab->profiling ? 0 : lab->harness->options.repeat;
}

void labHostStep(Lab *lab, const char *step) {
    beginRow(lab, ON_HOST, stepNumber(lab, step), step, dim3(0, 0, 0), dim3(0, 0, 0));
    lab->harness->timed = lab->profiling ? 0 : labHostRepeat(lab);
    lab->harness->counted = lab->info.countsMisses && !lab->profiling && whyNoMisses() == NULL;
}

void labReference(Lab *lab, const char *name) {
    beginRow(lab, BESIDE, (int)lab->harness->steps.size() + 1, name, dim3(0, 0, 0), dim3(0, 0, 0));
    lab->harness->timed = lab->modelled ? 0 : lab->harness->options.repeat;
    lab->harness->wanted =
        lab->harness->options.step == 0 && !lab->profiling && !lab->harness->broken;
}

void labArgument(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    lab->harness->row.kernel += "(" + formatList(pattern, arguments) + ")";
    va_end(arguments);
}

void labRemark(Lab *lab, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    lab->harness->remark = formatList(pattern, arguments);
    va_end(arguments);
}

void labUnmodelled(Lab *lab, const char *what) {
    lab->harness->row.unmodelled = lab->modelled;
    if (lab->modelled) lab->harness->remark = what;
}

void labBytes(Lab *lab, double bytes) {
    lab->harness->row.bytes = bytes;
}

void labOperations(Lab *lab, double operations) {
    lab->harness->row.operations = operations;
}

void labSkip(Lab *lab, const char *why) {
    lab->harness->row.outcome = STEP_REFUSED;
    lab->harness->row.status = why;
}

/* ---- The outcome of a run ---- */

/* Marks the row as "todo" if the step left a TODO note. Returns whether it did. */
static bool isTodo(Lab *lab, const TodoNote &note) {
    if (note.line == 0) return false;
    lab->harness->row.outcome = STEP_TODO;
    lab->harness->row.status = "todo";
    if (hasCodeBesideTodo(lab->info.source, note.line))
        lab->harness->row.remark = format("delete the TODO, line %d", note.line);
    if (lab->harness->todo.line == 0) lab->harness->todo = note;
    return true;
}

/* Records why the launch was refused or the kernel failed. */
static void noteError(Lab *lab, cudaError_t error, bool refused) {
    Row *row = &lab->harness->row;
    const bool expected = refused && lab->harness->expectsRefusals &&
                          (threadsOf(row->block) >
                           (unsigned long long)deviceAttribute(cudaDevAttrMaxThreadsPerBlock));
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
static bool endDeviceRun(Lab *lab) {
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

static bool endHostRun(Lab *lab) {
    if (lab->harness->run > 1 && lab->harness->run <= 1 + lab->harness->timed)
        lab->harness->row.times.push_back(lab->harness->duration);
    return !isTodo(lab, hostTodoNote);
}

/* Formats a number with 10 digits; NaN as "nan" whatever its sign bit. */
static std::string numberText(double number) {
    return std::isnan(number) ? "nan" : format("%.10g", number);
}

void labVerdict(Lab *lab, Verdict verdict) {
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
static bool mayBegin(Lab *lab) {
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
static bool countsMisses(const Lab *lab) {
    return lab->harness->side == ON_HOST && lab->harness->run == lab->harness->timed + 2;
}

/* Checks the step on small problems (LABS_SMALL_SIZES), once for all its launches. Only on the
 * simulator, and not under a profiler, grader or checker. */
static Finding findingOf(Lab *lab, int step) {
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
static void endRow(Lab *lab) {
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

bool labRuns(Lab *lab) {
    if (!lab->harness->wanted) return false;
    if (lab->harness->run > 0 && !lab->harness->checked) {
        fprintf(stderr, "%s: %s: the loop has no labChecks\n", lab->info.name,
                lab->harness->row.kernel.c_str());
        exit(EXIT_WRONG);
    }
    const bool more = lab->harness->run == 0
                          ? mayBegin(lab)
                          : (lab->harness->row.outcome == STEP_OK &&
                             lab->harness->run < 1 + lab->harness->timed + lab->harness->counted);
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
        cudaGetLastError(); /* so that labChecks sees only the launch's error */
    }
    return true;
}

void labStart(Lab *lab) {
    if (countsMisses(lab)) startCounters(lab->harness->counters);
    if (lab->harness->side != ON_HOST) {
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(lab->harness->start));
    }
    lab->harness->began = cpuSecond();
}

void labStop(Lab *lab) {
    lab->harness->duration = (cpuSecond() - lab->harness->began) * 1000;
    if (countsMisses(lab)) lab->harness->row.misses = stopCounters(lab->harness->counters);
    /* After an error the event cannot be recorded; labChecks then finds the error. */
    lab->harness->stopped =
        lab->harness->side != ON_HOST && cudaEventRecord(lab->harness->stop) == cudaSuccess;
}

double labClock(const Lab *lab) {
    return lab->harness->duration;
}

double labEvents(const Lab *lab) {
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, lab->harness->start, lab->harness->stop));
    return milliseconds;
}

bool labChecks(Lab *lab) {
    lab->harness->checked = true;
    const bool ran = lab->harness->side == ON_HOST ? endHostRun(lab) : endDeviceRun(lab);
    return ran && (lab->harness->run == 1 || lab->harness->run == 1 + lab->harness->timed);
}

double labTime(const Lab *lab) {
    return medianTime(lab->harness->row);
}

/* ---- What to do next ---- */

/* Formats "file:line: kernel", with the checker's line or the first line of the step's region. */
static std::string placeOf(const Lab *lab, const Row &row) {
    const std::string name = row.kernel.substr(0, row.kernel.find('('));
    const int line = row.finding.line != 0 ? row.finding.line : regionLine(lab->info.source, name);
    return std::string(lab->info.source) + (line != 0 ? format(":%d: ", line) : ": ") + row.kernel;
}

/* The setting that makes a make command mean this program, with a blank before it. */
static const char *settingsOf(const Lab *lab) {
    const char *solutions = "solutions/";
    return strncmp(lab->info.source, solutions, strlen(solutions)) == 0 ? " FROM=solutions" : "";
}

/* Formats the command that shows a finding on a small problem: `make check-lab3 SIZE=1000`. */
static std::string commandFor(const Lab *lab, const Finding &finding) {
    const bool ownBlock = lab->harness->options.block != lab->info.defaultBlock;
    return format("`make %slab%d%s SIZE=%s%s`", finding.line != 0 ? "check-" : "", lab->info.number,
                  settingsOf(lab), finding.size.c_str(),
                  ownBlock ? format(" BLOCK=%u", lab->harness->options.block).c_str() : "");
}

/* The hint for a step still to do. */
static std::string todoHint(const Lab *lab, const Row &row) {
    const std::string place = std::string(lab->info.source) +
                              format(":%d: ", lab->harness->todo.line) + row.kernel + ": ";
    if (hasCodeBesideTodo(lab->info.source, lab->harness->todo.line))
        return place + "delete the TODO line, so that the code beside it counts";
    return place + lab->harness->todo.goal + " (" + lab->harness->todo.handout + ")";
}

/* The hint for a step that is not ok, or has a finding. */
static std::string hintFor(const Lab *lab, const Row &row) {
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
static std::string rightEnd(const Lab *lab) {
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
static bool isOutdated(const Lab *lab, const std::string &source) {
    return lab->info.compiled != NULL && !source.empty() && versionOf(source) != lab->info.compiled;
}

/* The first row that asks for something to be done; NULL: none. */
static const Row *nextRow(const Lab *lab) {
    for (const Row &row : lab->harness->table)
        if (!isFine(row) || isDoubtful(row)) return &row;
    return NULL;
}

/* Points to the hints for a step that was wrong in the run before,
 * too, whose rows --csv still has. */
static std::string offerHints(const Lab *lab) {
    const Row *row = nextRow(lab);
    const bool wrong = row != NULL && (row->outcome == STEP_WRONG || row->outcome == STEP_ERROR);
    if (!wrong || lab->harness->options.csv == NULL || settingsOf(lab)[0] != '\0') return "";
    return failedIn(lab->harness->options.csv, *row)
               ? format("; `make hint-lab%d` helps", lab->info.number)
               : "";
}

/* Prints remarks on the table, and as the last line what to do next. */
static void printEnd(const Lab *lab, bool outdated, const std::string &hints) {
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
        printf("(x before~: too close for modelled times to say which step is faster)\n");
    const char *trust = simulatorTrust();
    if (trust != NULL) printf("(%s)\n", trust);
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
static bool writeCsv(const Lab *lab, const std::string &source) {
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
static int exitCode(const Lab *lab) {
    const char *strict = getenv("STRICT");
    const bool todoIsWrong = strict != NULL && strcmp(strict, "1") == 0;
    for (const Row &row : lab->harness->table) {
        const bool fine = row.outcome == STEP_OK || row.outcome == STEP_REFUSED;
        if (!fine && (row.outcome != STEP_TODO || todoIsWrong)) return EXIT_WRONG;
    }
    return EXIT_OK;
}

int labClose(Lab *lab) {
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
