/*
 * lab.h: the harness that runs a lab's steps.
 *
 * For each step: put the inputs back, poison the outputs, launch, look for a launch error and an execution error, check
 * every element. Only then is the step timed, and checked once more after the last timed run.
 */
#ifndef HARNESS_LAB_H
#define HARNESS_LAB_H

#include <map>

#include "todo.h"

#include "options.h"

#include "checker.h"
#include "device.h"
#include "grader.h"
#include "occupancy.h"
#include "place.h"
#include "processor.h"
#include "reference.h"
#include "report.h"
#include "verdict.h"

class Lab {
  public:
    /* Read the flags, open the device. Each of the lab's steps has at least a .name and an .idea. Ends the program for
     * --help, --list and bad flags. Flags of the lab's own take their values in `own`. */
    template <class Step, int N>
    Lab(const LabInfo &info, const Step (&steps)[N], int argc, char **argv, OwnFlags own = OwnFlags());
    ~Lab();

    size_t size() const { return (size_t)options.size; }
    /* Of a lab whose LabInfo says that it works on a matrix. */
    size_t matrixRows() const { return (size_t)options.rows; }
    size_t matrixCols() const { return (size_t)options.cols; }
    unsigned int block() const { return options.block; }
    uint64_t seed() const { return options.seed; }
    /* Timed runs of each kernel. */
    int repeat() const { return options.repeat; }
    /* Has the user chosen the size? A lab may go on to sizes that only a GPU is fast enough for, if he has not. */
    bool sizeGiven() const { return options.sizeGiven; }
    bool modelled() const { return device.modelled; }
    bool profiling() const { return options.profile; }

    /* Operations on numbers that each of the following steps must do: the table shows GFLOP/s in place of GB/s. To be
     * said before the header is printed, and again where it changes. */
    void countOperations(double n) { operations = n; }

    /* Print the lab's headline, the device, and the head of the table. */
    void printHeader(const std::string &headline) const;

    /* Memory on the device with a copy of these n elements, which is made afresh before every launch. */
    template <class T> T *input(const T *host, size_t n);
    /* Memory on the device for n results, poisoned before every launch: a kernel that writes nothing cannot pass. */
    template <class T> T *output(size_t n);

    /* The steps that follow form a group: "x before" and "x first" compare rows of one group only. */
    void group(const std::string &title);

    /* Run the next step: launch() starts the kernel, check() fetches the results and judges them. bytes is what the
     * step must at least read and write; the bandwidth follows from it. The remark stands behind the row. The argument,
     * of letters and digits, tells launches apart that differ in what the kernel is given and not in grid and block: it
     * stands in brackets behind the kernel's name, as in strideLoad(4), wherever the launch is named. Both texts are
     * read when check() is done, which may have written the remark.
     * Returns the median time in ms; 0: not timed. */
    template <class Launch, class Check>
    double step(dim3 grid, dim3 block, double bytes, Launch launch, Check check, const std::string &remark = "",
                const std::string &argument = "");
    /* The same step's kernel once more, in another shape or with another argument. */
    template <class Launch, class Check>
    double again(dim3 grid, dim3 block, double bytes, Launch launch, Check check, const std::string &remark = "",
                 const std::string &argument = "");
    /* A step that cannot be launched on this problem, as the lab says it should be: say why, in a few words. */
    void decline(dim3 grid, dim3 block, const std::string &why, const std::string &argument = "");
    /* Something to hold the steps against that is none of them, such as a library's kernel; the program that names one
     * step leaves it out, and so does the profiler. As a row it has the number behind the last step's. Returns the time
     * as step() does. */
    template <class Launch, class Check>
    double beside(const std::string &name, double bytes, Launch launch, Check check, const std::string &remark = "");
    /* The next step, which runs on the CPU: work() is timed by cpuSecond, with prepare() before each run, not timed.
     * Without --repeat it runs HOST_REPEAT times, as the CPU takes longer. */
    template <class Prepare, class Work, class Check>
    double hostStep(double bytes, Prepare prepare, Work work, Check check, const std::string &remark = "");
    int hostRepeat() const { return options.repeatGiven ? options.repeat : HOST_REPEAT; }
    /* The steps are to be run once more, from the first: on another problem. */
    void startOver() { current = 0; }
    /* What again() launches from here on belongs to the step of this name, which has run before. */
    void returnTo(const char *step);
    /* From here on, a block of more threads than the device allows is part of the lesson: that its launch is refused is
     * no mistake. */
    void expectIllegalBlocks() { illegalExpected = true; }
    /* Is the step that comes next to be run? For what a lab says beside its steps. */
    bool wantsNext() const { return options.step == 0 || options.step == current + 1; }

    /* Print a line below the rows so far. */
    void note(const std::string &line);

    /* Write the CSV file, say what to do next, free the device's memory. Returns the program's exit code. */
    int finish();

  private:
    struct Input {
        void *work;     /* on the device: what kernels may destroy */
        void *pristine; /* what it is restored from: on the device, or where somebody grades, on the host */
        size_t bytes;
    };
    struct Output {
        void *work;
        size_t bytes;
    };
    /* One launch: how it ended and how long it took. */
    struct Trial {
        cudaError_t launchError, runError;
        double milliseconds;
        bool failed() const { return launchError != cudaSuccess || runError != cudaSuccess; }
    };

    LabInfo info;
    std::vector<std::string> flags; /* as given, without those that a check chooses itself */
    std::vector<StepName> steps;
    Options options;
    std::string problem; /* as a caption says it */
    Device device;
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::vector<Row> rows;
    std::map<int, Finding> findings; /* by step: what was found on small problems */
    Grader grader;
    TodoNote todo = {0, "", ""}; /* of the first step still to do */
    cudaEvent_t start, stop;
    void *cacheFlusher = NULL;
    double operations = 0;        /* of each step; 0: not counted */
    int current = 0;              /* number of the step that ran last */
    size_t groupBegin = 0;        /* where the group's rows begin */
    std::string groupTitle;       /* still to be printed, above the group's first row */
    bool nothingLaunched = false; /* a grid of 0 blocks, which cannot be launched and need not be */
    bool referenceShown = false;
    size_t shown = 0;    /* rows that have been printed: a step's wait for the end of the step */
    bool folded = false; /* a step's launches have been printed as one line */
    bool broken = false; /* an error has made the device unusable for the rest of the program */
    bool illegalExpected = false;

    void *allocate(size_t bytes);
    void *allocatePristine(size_t bytes);
    void prepare();
    template <class Launch> Trial runOnce(const char *kernel, Launch launch);
    template <class Launch, class Check> void measure(Row *row, Launch launch, Check check);
    template <class Launch, class Check> void timeRuns(Row *row, Launch launch, Check check);
    template <class Check> bool judgeHostRun(Row *row, Check check, const char *when);
    template <class Prepare, class Work, class Check>
    void measureHost(Row *row, Prepare prepare, Work work, Check check);
    static bool isIllegal(dim3 block);
    bool judgeTrial(Row *row, const Trial &trial);
    bool isTodo(Row *row, const TodoNote &note);
    static void judgeResult(Row *row, const Verdict &verdict, const char *when);
    static std::string named(const std::string &kernel, const std::string &argument);
    Row newRow(const std::string &kernel, dim3 grid, dim3 block, double bytes) const;
    void addRow(Row row);
    Finding findingOf(int step);
    const Row *rowBefore(const Row &row) const;
    void showRows();
    void showSweep(const Row *begin, const Row *end);
    void showChecked(const Row &row) const;
    std::string commandFor(const Finding &finding) const;
    std::string todoHint(const Row &row) const;
    std::string hint(const Row &row) const;
    std::string placeOf(const Row &row) const;
    std::string settings() const;
    std::string rightEnd() const;
    void printEnd() const;
    /* As the first row has it, so that all have the same. */
    ExtraColumns extraColumns() const { return {operations > 0, !rows.empty() && rows[0].onHost}; }
    std::string csvLine(const Row &row) const;
    bool writeProblem() const;
    bool writeCsv() const;
    int exitCode() const;
};

/* ---- Beginning ---- */

/* Seconds of processor time after which the simulator stops a kernel of which no block has ended. No lab's kernel takes
 * that long. */
#ifndef LAB_KERNEL_SECONDS
#define LAB_KERNEL_SECONDS "20"
#endif

/* The simulator asks for this at every launch. What the user has set stays. */
static inline void limitKernels() {
    setenv("SIMT_TIMEOUT", LAB_KERNEL_SECONDS, 0);
}

template <class Step, int N>
Lab::Lab(const LabInfo &info, const Step (&steps)[N], int argc, char **argv, OwnFlags own)
    : info(info), flags(flagsToKeep(argc, argv)) {
    for (const Step &step : steps) {
        StepName name = {step.name, step.idea};
        this->steps.push_back(name);
    }
    options = parseOptions(info, this->steps, argc, argv, own);
    problem = problemText(info, options, own);
    grader = openGrader();
    limitKernels();
    device = openDevice(info.name);
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    /* A real GPU would serve part of the input from its cache, where the restoring copy left it. */
    if (!device.modelled && !options.profile) cacheFlusher = allocate(2 * device.cacheBytes);
}

/* What a simulated GPU's numbers owe to models. The PTX alone does not say how many registers a thread has. */
static inline const char *modelledParts() {
    if (getenv("SIMT_NO_TIMING") != NULL) return "not modelled (--no-timing)";
#ifdef SIMT_NO_MACHINE_CODE
    return "modelled, registers estimated";
#else
    return "modelled";
#endif
}

inline void Lab::printHeader(const std::string &headline) const {
    if (isChecked()) return;
    printf("Lab %d: %s\n", info.number, headline.c_str());
    std::string peak = device.peakBandwidth > 0 ? format("%.0f GB/s", device.peakBandwidth) : "unknown";
    std::string clock = device.modelled   ? modelledParts()
                        : options.profile ? "not taken while profiling"
                                          : format("measured, median of %d", options.repeat);
    printf("Device: %s, peak bandwidth %s, times %s\n\n", device.name.c_str(), peak.c_str(), clock.c_str());
    printTableHead(operations > 0 ? "GFLOP/s" : "GB/s");
}

inline void *Lab::allocate(size_t bytes) {
    void *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
    if (error == cudaErrorMemoryAllocation) {
        std::string size = info.isMatrix ? format("--rows %llu --cols %llu", options.rows, options.cols)
                                         : format("--size %llu", options.size);
        refuse(info.name, "%s: not enough memory on %s; choose a smaller one", size.c_str(), device.name.c_str());
    }
    CHECK(error);
    return memory;
}

/* A kernel could find a copy on the device, beside its input, and leave its results there for the next step: a grader's
 * is out of its reach. */
inline void *Lab::allocatePristine(size_t bytes) {
    return grader.channel >= 0 ? hostArray<char>(bytes) : allocate(bytes);
}

template <class T> T *Lab::input(const T *host, size_t n) {
    Input input = {allocate(n * sizeof(T)), allocatePristine(n * sizeof(T)), n * sizeof(T)};
    CHECK(cudaMemcpy(input.pristine, host, input.bytes, cudaMemcpyDefault));
    inputs.push_back(input);
    return (T *)input.work;
}

template <class T> T *Lab::output(size_t n) {
    Output output = {allocate(n * sizeof(T)), n * sizeof(T)};
    outputs.push_back(output);
    return (T *)output.work;
}

/* ---- One step ---- */

inline void Lab::prepare() {
    for (const Input &input : inputs) {
        CHECK(cudaMemcpy(input.work, input.pristine, input.bytes, cudaMemcpyDefault));
    }
    for (const Output &output : outputs) CHECK(cudaMemset(output.work, POISON_BYTE, output.bytes));
    clearTodoNote();
    if (cacheFlusher != NULL) CHECK(cudaMemset(cacheFlusher, 0, 2 * device.cacheBytes));
}

template <class Launch> Lab::Trial Lab::runOnce(const char *kernel, Launch launch) {
    prepare();
    CHECK(cudaEventRecord(start));
    cudaGetLastError(); /* so that only the launch itself is judged below */
    launch();
    Trial trial = {cudaGetLastError(), cudaSuccess, 0};
    if (trial.launchError != cudaSuccess) return trial;
    trial.runError = cudaEventRecord(stop);
    if (trial.runError == cudaSuccess) trial.runError = waitForDevice(kernel, !options.profile && !device.modelled);
    float milliseconds = 0;
    if (trial.runError == cudaSuccess) trial.runError = cudaEventElapsedTime(&milliseconds, start, stop);
    trial.milliseconds = milliseconds;
    return trial;
}

inline bool Lab::isIllegal(dim3 block) {
    return threadsOf(block) > (unsigned long long)deviceAttribute(cudaDevAttrMaxThreadsPerBlock);
}

/* Did the kernel run at all, and is there anything to judge? Otherwise the row says why not. */
inline bool Lab::judgeTrial(Row *row, const Trial &trial) {
    if (trial.failed()) {
        cudaError_t error = trial.launchError != cudaSuccess ? trial.launchError : trial.runError;
        bool refused = trial.launchError != cudaSuccess && illegalExpected && isIllegal(row->block);
        row->outcome = refused ? STEP_REFUSED : STEP_ERROR;
        row->status = cudaGetErrorString(error);
        if (trial.launchError != cudaSuccess) row->remark = whyRefused(row->grid, row->block);
        if (refused) row->remark = "as it should be: " + row->remark;
        if (trial.launchError == cudaSuccess) row->finding = lastFault(info.source);
        cudaGetLastError();                              /* forget an error that can be forgotten ... */
        broken = cudaDeviceSynchronize() != cudaSuccess; /* ... and find out whether this one can */
        return false;
    }
    return !isTodo(row, readTodoNote());
}

/* Has the step left a note that it is still to do? Then the row says so. */
inline bool Lab::isTodo(Row *row, const TodoNote &note) {
    if (note.line == 0) return false;
    row->outcome = STEP_TODO;
    row->status = "todo";
    if (hasCodeBesideTodo(info.source, note.line)) row->remark = format("delete the TODO, line %d", note.line);
    if (todo.line == 0) todo = note;
    return true;
}

/* A number in full, and a NaN as "nan" whatever its sign bit. */
static inline std::string numberText(double number) {
    return std::isnan(number) ? "nan" : format("%.10g", number);
}

inline void Lab::judgeResult(Row *row, const Verdict &verdict, const char *when) {
    row->outcome = verdict.ok ? STEP_OK : STEP_WRONG;
    row->status = "ok";
    if (verdict.ok) return;
    row->status = format("WRONG%s (index %zu: ", when, verdict.index);
    row->status += verdict.unwritten ? "nothing was written here," : "got " + numberText(verdict.got);
    row->status += " want " + numberText(verdict.want);
    if (verdict.all > 1) row->status += format("; %zu of %zu wrong", verdict.wrong, verdict.all);
    row->status += ")";
}

/* Time the kernel, which has given right results once. A kernel may be right only at times: check the last run too. */
template <class Launch, class Check> void Lab::timeRuns(Row *row, Launch launch, Check check) {
    std::vector<double> times;
    for (int run = 0; run < options.repeat; run++) {
        Trial trial = runOnce(row->kernel.c_str(), launch);
        if (!judgeTrial(row, trial)) return;
        times.push_back(trial.milliseconds);
    }
    judgeResult(row, check(), " in a later run");
    std::sort(times.begin(), times.end());
    if (row->outcome == STEP_OK) row->times = times;
}

template <class Launch, class Check> void Lab::measure(Row *row, Launch launch, Check check) {
    Trial trial = runOnce(row->kernel.c_str(), launch);
    if (!judgeTrial(row, trial)) return;
    judgeResult(row, check(), "");
    if (row->outcome != STEP_OK) return;
    if (device.modelled) {
        if (trial.milliseconds > 0) row->times.assign(1, trial.milliseconds); /* simt --no-timing has no times */
    } else if (!options.profile) {
        timeRuns(row, launch, check);
    }
}

inline void Lab::group(const std::string &title) {
    showRows();
    groupBegin = rows.size();
    groupTitle = title;
}

template <class Launch, class Check>
double Lab::step(dim3 grid, dim3 block, double bytes, Launch launch, Check check, const std::string &remark,
                 const std::string &argument) {
    showRows();
    current++;
    return again(grid, block, bytes, launch, check, remark, argument);
}

template <class Launch, class Check>
double Lab::again(dim3 grid, dim3 block, double bytes, Launch launch, Check check, const std::string &remark,
                  const std::string &argument) {
    if (options.step != 0 && options.step != current) return 0;
    Row row = newRow(named(steps[current - 1].name, argument), grid, block, bytes);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) {
        row.outcome = STEP_OK;
        row.status = "ok";
        nothingLaunched = true;
    } else if (!broken) {
        measure(&row, launch, check);
        if (row.outcome == STEP_OK || row.outcome == STEP_WRONG) row.finding = findingOf(current);
    }
    if (row.remark.empty()) row.remark = remark;
    addRow(row);
    return row.medianTime();
}

/* What the checker finds in a step on small problems, LABS_SMALL_SIZES: on the simulator, unless somebody else watches
 * this run. Found out once for all launches of the step. */
inline Finding Lab::findingOf(int step) {
    const char *sizes = getenv("LABS_SMALL_SIZES");
    const Finding nothing = {"", 0, ""};
    if (sizes == NULL || !device.modelled || options.profile || grader.channel >= 0 || isChecked()) return nothing;
    if (findings.count(step) == 0) findings[step] = checkStep(info.source, flags, step, sizes);
    return findings[step];
}

inline void Lab::decline(dim3 grid, dim3 block, const std::string &why, const std::string &argument) {
    showRows();
    current++;
    if (options.step != 0 && options.step != current) return;
    Row row = newRow(named(steps[current - 1].name, argument), grid, block, 0);
    row.outcome = STEP_REFUSED;
    row.status = why;
    addRow(row);
}

template <class Launch, class Check>
double Lab::beside(const std::string &name, double bytes, Launch launch, Check check, const std::string &remark) {
    showRows();
    current++;
    if (options.step != 0 || options.profile || broken) return 0;
    Row row = newRow(name, dim3(0, 0, 0), dim3(0, 0, 0), bytes);
    measure(&row, launch, check);
    if (row.remark.empty()) row.remark = remark;
    addRow(row);
    return row.medianTime();
}

inline void Lab::returnTo(const char *step) {
    for (size_t i = 0; i < steps.size(); i++) {
        if (strcmp(steps[i].name, step) == 0) current = (int)i + 1;
    }
}

/* strideLoad(4), or the name alone. */
inline std::string Lab::named(const std::string &kernel, const std::string &argument) {
    return kernel + (argument.empty() ? "" : "(" + argument + ")");
}

/* A row of the current step, not run yet. */
inline Row Lab::newRow(const std::string &kernel, dim3 grid, dim3 block, double bytes) const {
    Row row = {current,      kernel,    grid, block, {},    bytes,    operations,  0, 0,
               STEP_SKIPPED, "not run", 0,    "",    false, {-1, -1}, {"", 0, ""}, 1};
    return row;
}

/* Compare with the rows above, remember and print. */
inline void Lab::addRow(Row row) {
    const Row *first = NULL, *before = rowBefore(row);
    for (size_t i = groupBegin; i < rows.size() && first == NULL; i++) {
        if (!rows[i].times.empty()) first = &rows[i];
    }
    if (!row.times.empty()) {
        row.speedupPrevious = before != NULL ? before->medianTime() / row.medianTime() : first == NULL ? 1 : 0;
        row.speedupFirst = first != NULL ? first->medianTime() / row.medianTime() : 1;
    }
    if (row.outcome == STEP_TODO) row.referenceTime = referenceTime(row, row.onHost ? processorName() : device.name);
    if (row.referenceTime > 0) referenceShown = true;
    rows.push_back(row);
    if (rows.size() == 1) tellGrader(grader, "head", csvHead(extraColumns()));
    tellGrader(grader, outcomeName(row.outcome), csvLine(row));
    showChecked(row);
}

/* What the row is to be compared with: the timed launch of the step before it in the group; if there are several, the
 * one with the same argument and, beside others, the same shape. NULL: none. */
inline const Row *Lab::rowBefore(const Row &row) const {
    std::vector<const Row *> launches;
    for (size_t i = rows.size(); i-- > groupBegin;) {
        if (rows[i].times.empty() || rows[i].step == row.step) continue;
        if (!launches.empty() && rows[i].step != launches[0]->step) break;
        launches.push_back(&rows[i]);
    }
    if (launches.size() == 1) return launches[0];
    for (const Row *launch : launches) {
        const bool sameShape =
            csvShape(launch->grid) == csvShape(row.grid) && csvShape(launch->block) == csvShape(row.block);
        const std::string argument = argumentOf(row);
        if (argumentOf(*launch) == argument && (sameShape || !argument.empty())) return launch;
    }
    return NULL;
}

/* For a checker: what it cannot know. */
inline void Lab::showChecked(const Row &row) const {
    const bool wrong = row.outcome == STEP_WRONG || row.outcome == STEP_ERROR;
    if (isChecked() && wrong) printf("%s %s: %s\n", row.kernel.c_str(), launchText(row).c_str(), row.status.c_str());
}

/* Print the rows that have not been printed: those of one step. A sweep is one line, unless all were asked for. */
inline void Lab::showRows() {
    const Row *begin = rows.data() + shown, *end = rows.data() + rows.size();
    shown = rows.size();
    if (begin == end || isChecked()) return;
    if (!groupTitle.empty()) printf("   %s\n", groupTitle.c_str());
    groupTitle = "";
    if (end - begin > FEW_LAUNCHES && !options.all) {
        showSweep(begin, end);
        folded = true;
    } else {
        for (const Row *row = begin; row < end; row++) printRow(*row, info.source);
    }
}

/* One line, and the first launch that is wrong in full. */
inline void Lab::showSweep(const Row *begin, const Row *end) {
    printRow(sweepRow(begin, end), info.source);
    for (const Row *row = begin; row < end; row++) {
        if (row->outcome != STEP_WRONG && row->outcome != STEP_ERROR) continue;
        printRow(*row, info.source);
        return;
    }
}

inline void Lab::note(const std::string &line) {
    showRows();
    if (!isChecked()) printf("%s\n", line.c_str());
}

/* ---- The end ---- */

/* "file:line: kernel": the line that a checker named, or where the step's region begins. */
inline std::string Lab::placeOf(const Row &row) const {
    const std::string name = row.kernel.substr(0, row.kernel.find('('));
    const int line = row.finding.line != 0 ? row.finding.line : regionLine(info.source, name);
    return std::string(info.source) + (line != 0 ? format(":%d: ", line) : ": ") + row.kernel;
}

/* What a command of make needs besides to mean this program, with a blank before it. */
inline std::string Lab::settings() const {
    const std::string solutions = "solutions/";
    return std::string(info.source).compare(0, solutions.size(), solutions) == 0 ? " FROM=solutions" : "";
}

/* `make check-lab3 SIZE=1000`: shows what was found on a small problem. */
inline std::string Lab::commandFor(const Finding &finding) const {
    const std::string block = options.block != info.defaultBlock ? format(" BLOCK=%u", options.block) : "";
    return format("`make %slab%d%s SIZE=%s%s`", finding.line != 0 ? "check-" : "", info.number, settings().c_str(),
                  finding.size.c_str(), block.c_str());
}

/* What to do about a step that is still to do. */
inline std::string Lab::todoHint(const Row &row) const {
    const std::string place = std::string(info.source) + format(":%d: ", todo.line) + row.kernel + ": ";
    if (hasCodeBesideTodo(info.source, todo.line))
        return place + "delete the TODO line, so that the code beside it counts";
    return place + todo.goal + " (" + todo.handout + ")";
}

/* What to do about a step that is not ok, or is so only here. */
inline std::string Lab::hint(const Row &row) const {
    const std::string place = placeOf(row) + ": ",
                      check = format("`make check-lab%d%s`", info.number, settings().c_str());
    const std::string found = row.finding.what + "; " + commandFor(row.finding) + " shows it";
    if (row.outcome == STEP_TODO) return todoHint(row);
    if (row.outcome == STEP_OK) return place + "ok, but: " + found;
    if (row.outcome == STEP_WRONG) {
        if (row.finding.line != 0) return place + "wrong result, " + found;
        if (!row.finding.what.empty()) return place + "wrong result, with SIZE=" + row.finding.size + " too";
        return place + "wrong result" + (device.modelled ? "" : "; " + check + " may say why");
    }
    if (!row.remark.empty()) return place + launchText(row) + " was refused: " + row.remark;
    return place + row.status + (device.modelled ? "" : "; " + check + " says where");
}

inline std::string Lab::csvLine(const Row &row) const {
    const bool modelled = device.modelled && !row.onHost;
    return csvRow(row, info.number, modelled ? "modelled" : "measured", row.onHost ? processorName() : device.name,
                  extraColumns());
}

/* Which problem the rows are of, in the file LABS_PROBLEM: plots put runs side by side only if they are of one problem.
 */
inline bool Lab::writeProblem() const {
    const char *path = getenv("LABS_PROBLEM");
    return path == NULL || writeFile(path, problem + "\n");
}

inline bool Lab::writeCsv() const {
    std::string text = csvHead(extraColumns());
    for (const Row &row : rows) text += csvLine(row);
    if (writeFile(options.csv, text) && writeProblem()) return true;
    fprintf(stderr, "%s: cannot write %s: %s\n", info.name, options.csv, strerror(errno));
    return false;
}

/* A step still to do is not wrong, unless STRICT=1 says so. */
inline int Lab::exitCode() const {
    const char *strict = getenv("STRICT");
    bool todoIsWrong = strict != NULL && strcmp(strict, "1") == 0;
    for (const Row &row : rows) {
        if (row.outcome == STEP_OK || row.outcome == STEP_REFUSED || (row.outcome == STEP_TODO && !todoIsWrong))
            continue;
        return EXIT_WRONG;
    }
    return EXIT_OK;
}

/* The end of a run in which nothing is wrong. The profiler's own table follows one under --profile. */
inline std::string Lab::rightEnd() const {
    bool ran = false;
    for (const Row &row : rows) {
        const bool launched = row.grid.x > 0 && row.grid.y > 0 && row.grid.z > 0;
        ran = ran || (row.outcome == STEP_OK && (launched || row.onHost || !row.times.empty()));
    }
    const std::string target = format("lab%d%s`", info.number, settings().c_str());
    if (!ran) return "Nothing was run. next: `make " + target + " with a larger SIZE";
    if (options.profile) return "All right.";
    return "All right. next: `make profile-" + target + " shows the metrics that explain these times";
}

/* What the table left unsaid, and as the last line what to do next. */
inline void Lab::printEnd() const {
    if (isChecked()) return;
    if (folded) printf("(a sweep is one line: `make lab%d ARGS=--all` prints every launch)\n", info.number);
    if (referenceShown) printf("%s\n", coloured(GREY, "(in brackets: the solution's figures on this device)").c_str());
    if (nothingLaunched) printf("(an empty problem: a grid of 0 blocks is illegal, so nothing was launched)\n");
    for (const Row &row : rows) {
        const bool fine = row.outcome == STEP_REFUSED || (row.outcome == STEP_OK && row.finding.what.empty());
        if (fine) continue;
        printf("\nnext: %s\n", hint(row).c_str());
        return;
    }
    printf("\n%s\n", rightEnd().c_str());
}

inline int Lab::finish() {
    int code = exitCode();
    showRows();
    if (options.csv != NULL && !writeCsv()) code = EXIT_WRONG;
    printEnd();
    return printed_all() ? code : EXIT_WRONG;
}

/* Failures do not matter here: after an error that ends the run, the device frees nothing any more. */
inline Lab::~Lab() {
    for (const Input &input : inputs) {
        cudaFree(input.work);
        grader.channel >= 0 ? free(input.pristine) : (void)cudaFree(input.pristine);
    }
    for (const Output &output : outputs) cudaFree(output.work);
    cudaFree(cacheFlusher);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
}

#include "host.h"

#endif
