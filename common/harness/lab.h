/* lab.h: all that a lab includes of the harness, which checks and times its steps and prints the
 * table. For each launch of a step:
 *
 *     labStep(&lab, "reduceUnroll2", grid, block);
 *     labBytes(&lab, bytes);
 *     while (labRuns(&lab)) {
 *         reduceUnroll2<<<grid, block>>>(d_idata, d_odata, n);
 *         if (labChecks(&lab)) labVerdict(&lab, judgeResults(...));
 *     }
 *
 * labRuns restores the inputs, poisons the outputs and starts the clock. labChecks stops the clock
 * and looks for errors of the launch and of the run. The lab judges the results of the first run,
 * which is not timed, and of the last. */
#ifndef HARNESS_LAB_H
#define HARNESS_LAB_H

#include <cmath>
#include <cstddef>
#include <cstring>

#include <cuda_runtime.h>

#include "../common.h"

/* ---- What a lab tells the harness about itself ---- */

/* A step. Its number is its position in the lab's list, from 1. */
struct LabStep {
    const char *name, *idea;
};

/* A flag of one lab. Its value is a word of a list, a number, or any text. */
struct LabFlag {
    const char *name, *placeholder; /* "--type", "T" */
    const char *meaning;            /* "of the numbers: int, float or double" */
    const char *const *words;       /* allowed, ends with NULL; NULL: not a word of a list */
    unsigned long long least, most; /* range of a number; most 0: the value is not a number */
    unsigned long long number;      /* default or given; for a word its index in words */
    const char *text;               /* the value as given; NULL: not given */
};

/* Makes a flag whose value is one of these words, the first by default. The list ends with NULL. */
static inline LabFlag wordFlag(const char *name, const char *placeholder, const char *meaning,
                               const char *const *words) {
    LabFlag flag = {name, placeholder, meaning, words, 0, 0, 0, NULL};
    return flag;
}

/* Makes a flag whose value is a number from least to most; most is not 0. */
static inline LabFlag numberFlag(const char *name, const char *placeholder, const char *meaning,
                                 unsigned long long least, unsigned long long most,
                                 unsigned long long byDefault) {
    LabFlag flag = {name, placeholder, meaning, NULL, least, most, byDefault, NULL};
    return flag;
}

/* compile.sh names the version of the source from which it compiles; compiled by
 * hand, a lab does not know it. */
#ifdef LAB_VERSION
#define LAB_QUOTED(name)  #name
#define LAB_NAME_OF(name) LAB_QUOTED(name)
#define LAB_COMPILED      LAB_NAME_OF(LAB_VERSION)
#else
#define LAB_COMPILED NULL
#endif

/* Why a block size cannot work, for LabInfo's blockRefusal: NULL if it can. A warp is whole, or a
 * block is halved until one thread is left, and the last rounds need a whole warp. */
static inline const char *refuseSplitWarps(unsigned int block) {
    return block % 32 == 0 ? NULL
                           : "the lab speaks of whole warps: give a multiple of 32 up to 1024";
}

static inline const char *refuseUnevenHalves(unsigned int block) {
    const bool powerOfTwo = (block & (block - 1)) == 0;
    return powerOfTwo && block >= 32 ? NULL
                                     : "a reduction by halves needs a power of two from 32 to 1024";
}

/* What a lab tells the harness about itself. Fields that are 0 or NULL need not be set. */
struct LabInfo {
    int number;                              /* 3 */
    const char *name;                        /* "reduction": messages begin with it */
    const char *source;                      /* __FILE__, for the hint at the end */
    const char *sizeMeaning;                 /* what --size counts: "integers to add up" */
    unsigned long long defaultSize, maxSize; /* in this unit */
    unsigned long long minSize;              /* 0: the lab allows an empty problem */
    unsigned int defaultBlock;               /* threads per block */
    /* Why this block size cannot work, or NULL; the pointer NULL allows all. */
    const char *(*blockRefusal)(unsigned int block);
    /* --size N is a matrix of N rows and columns; --rows and --cols give other shapes. */
    bool isMatrix;
    unsigned long long defaultRows; /* rows if no flag gives the shape; 0: as many as columns */
    LabFlag *flags;                 /* flags that only this lab has */
    size_t flagsN;
    bool countsOperations; /* the table shows GFLOP/s in place of GB/s */
    bool countsMisses;     /* of the CPU's caches, in its steps on the CPU */
    /* The version of the source that this program is; NULL: not known. */
    const char *compiled = LAB_COMPILED;
};

/* The fields that each lab sets; source is its __FILE__. */
static inline LabInfo labInfo(int number, const char *name, const char *source,
                              const char *sizeMeaning) {
    LabInfo info = {};
    info.number = number;
    info.name = name;
    info.source = source;
    info.sizeMeaning = sizeMeaning;
    return info;
}

/* ---- The verdict of a check on results ---- */

/* Every byte of the outputs before a launch: NaN as a float, -1 as an int. */
enum { POISON_BYTE = 0xFF };

/* Whether all results are right; if not, the first wrong element and the count of wrong ones. */
struct Verdict {
    bool ok;
    size_t index;      /* of the first wrong element */
    double got, want;  /* its value, and the right value */
    bool unwritten;    /* it still holds the poison */
    size_t wrong, all; /* counts of elements; all 0: a number that no kernel wrote */
    const char *why;   /* what is wrong, if it is no element and no number */
    size_t columns;    /* of the matrix whose elements these are; 0: they are no matrix */
};

static const Verdict ALL_RIGHT = {true, 0, 0, 0, false, 0, 0, NULL, 0};

/* Does every byte of the value still hold the poison? */
template <class T> bool isPoison(const T &value) {
    unsigned char poison[sizeof(T)];
    memset(poison, POISON_BYTE, sizeof poison);
    return memcmp(&value, poison, sizeof poison) == 0;
}

/* Adds one element to the verdict, which starts as ALL_RIGHT. right: the
 * caller's judgement of the element. */
template <class T> void judgeElement(Verdict *verdict, bool right, T got, double want) {
    if (!right && verdict->ok) {
        verdict->ok = false;
        verdict->index = verdict->all;
        verdict->got = (double)got;
        verdict->want = want;
        verdict->unwritten = isPoison(got);
    }
    if (!right) verdict->wrong++;
    verdict->all++;
}

/* Adds n elements to the verdict. Each may differ from the right value by the
 * absolute tolerance: 0 for integers. */
template <class T>
void judgeElements(Verdict *verdict, const T *want, const T *got, size_t n, double tolerance = 0) {
    for (size_t i = 0; i < n; i++) {
        /* `<=` is false for a NaN, which must not pass. */
        const bool right = std::fabs((double)got[i] - (double)want[i]) <= tolerance;
        judgeElement(verdict, right, got[i], (double)want[i]);
    }
}

/* The verdict on an array of n results, with an absolute tolerance. */
template <class T>
Verdict judgeResults(const T *want, const T *got, size_t n, double tolerance = 0) {
    Verdict verdict = ALL_RIGHT;
    judgeElements(&verdict, want, got, n, tolerance);
    return verdict;
}

/* The verdict on an array of n results that must be right bit by bit, poison included. */
template <class T> Verdict judgeBits(const T *want, const T *got, size_t n) {
    Verdict verdict = ALL_RIGHT;
    for (size_t i = 0; i < n; i++)
        judgeElement(&verdict, memcmp(&got[i], &want[i], sizeof(T)) == 0, got[i], (double)want[i]);
    return verdict;
}

/* The verdict on one number that no kernel wrote, such as a count. */
static inline Verdict judgeNumber(bool right, double got, double want) {
    Verdict verdict = {right, 0, got, want, false, 0, 0, NULL, 0};
    return verdict;
}

/* The verdict on something else than results. why: what is wrong if it is not right. */
static inline Verdict judgeCondition(bool right, const char *why) {
    Verdict verdict = {right, 0, 0, 0, false, 0, 0, why, 0};
    return verdict;
}

/* ---- A lab while it runs ---- */

struct Harness;

/* What a lab knows of its run. */
struct Lab {
    size_t size;        /* problem size, in the unit of LabInfo's sizeMeaning */
    size_t rows, cols;  /* shape of a matrix */
    unsigned int block; /* threads per block */
    uint64_t seed;      /* of the random input */
    bool sizeGiven;     /* the user gave the size */
    bool modelled;      /* the GPU is simulated: a model gives the times */
    bool profiling;     /* every kernel is launched once, untimed */

    LabInfo info;
    Harness *harness; /* the harness's own state */
};

/* ---- Beginning and end ---- */

/* Reads the flags and opens the device. Ends the program for --help, --list and bad flags, or
 * without a GPU. End with labClose. */
Lab labOpenSteps(int argc, char **argv, const LabInfo &info, const LabStep *steps, size_t n);

/* The same for a lab's own structure of a step, which has at least `const char *name, *idea;`. */
template <class Step, size_t n>
Lab labOpen(int argc, char **argv, const LabInfo &info, const Step (&steps)[n]) {
    LabStep list[n];
    for (size_t i = 0; i < n; i++) list[i] = {steps[i].name, steps[i].idea};
    return labOpenSteps(argc, argv, info, list, n);
}

/* Prints the lab's headline (printf format), the device, and the head of the table. */
void labHeader(const Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the rest of the table, writes the CSV file, says what to do next and frees the harness's
 * memory. Returns the program's exit code: 0, or 1 for a wrong result or an error. */
int labClose(Lab *lab);

/* ---- The lab's memory ---- */

/* Ends the program with one line and exit code 2 if the device has no room for these bytes. Call it
 * before cudaMalloc. */
void labNeeds(const Lab *lab, size_t bytes);

/* `device` is an input of `bytes` bytes: before every run it gets back what it holds now. */
void labInput(Lab *lab, void *device, size_t bytes);

/* `device` takes results of `bytes` bytes. It is poisoned before every run, so that a kernel which
 * writes nothing cannot pass. */
void labOutput(Lab *lab, void *device, size_t bytes);

/* Arrays on the device: a copy of n elements, which is an input, and room for n results. */
template <class T> T *inputArray(Lab *lab, const T *from, size_t n) {
    T *to;
    CHECK(cudaMalloc(&to, n * sizeof(T)));
    CHECK(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyHostToDevice));
    labInput(lab, to, n * sizeof(T));
    return to;
}
template <class T> T *outputArray(Lab *lab, size_t n) {
    T *to;
    CHECK(cudaMalloc(&to, n * sizeof(T)));
    labOutput(lab, to, n * sizeof(T));
    return to;
}

/* Forgets all inputs and outputs. Call it before you free them, if steps follow. */
void labDropArrays(Lab *lab);

/* ---- A step ---- */

/* Begins the next row: a launch of this step, one of labOpen's. A step may have several launches,
 * one after the other. */
void labStep(Lab *lab, const char *step, dim3 grid, dim3 block);

/* Begins the next row: a step that runs on the CPU. Inside the loop, labStart
 * and labStop enclose its work. */
void labHostStep(Lab *lab, const char *step);

/* Begins the next row: a reference, such as a library's kernel, beside the steps. Its number
 * follows the last step's. It does not run if the user asked for one step, or under a profiler. */
void labReference(Lab *lab, const char *name);

/* ---- More about the row: between labStep and the loop ---- */

/* Adds an argument to the kernel's name, as in strideLoad(4), to distinguish launches with the same
 * grid and block. The printf format makes letters and digits. */
void labArgument(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Minimum bytes that the step must read and write; the table shows GB/s from them. */
void labBytes(Lab *lab, double bytes);
/* Arithmetic operations that the step must do. With LabInfo's countsOperations the table shows
 * GFLOP/s in place of GB/s. */
void labOperations(Lab *lab, double operations);
/* Prints a text after the row. A check may set it too. */
void labRemark(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The simulator's model leaves out what decides this row's time: on it the row
 * has no time, but this remark. */
void labUnmodelled(Lab *lab, const char *what);
/* The step cannot run on this problem: why, in a few words. The loop does not run. */
void labSkip(Lab *lab, const char *why);

/* ---- The loop ---- */

/* Begins the next run. Returns false if there is none: all runs are done, the user did not ask for
 * the step, or a run failed. */
bool labRuns(Lab *lab);
/* Enclose the work that is timed: a must for a step on the CPU. For a step on the
 * device they replace the clock of labRuns and labChecks, so that work of the
 * host around them is not timed. */
void labStart(Lab *lab);
void labStop(Lab *lab);
/* The time in ms from labStart to labStop on the CPU's clock, and after labChecks by events. */
double labClock(const Lab *lab);
double labEvents(const Lab *lab);
/* Ends the run: stops the clock and waits for the device. Returns whether to
 * judge the results of this run. */
bool labChecks(Lab *lab);
/* Takes the verdict on the results. Call it only if labChecks returned true. */
void labVerdict(Lab *lab, Verdict verdict);
/* After the loop: the row's median time in ms; 0: not timed. */
double labTime(const Lab *lab);

/* ---- Around the steps ---- */

/* Begins a group of steps with a title (printf format). "x before" and "x first" compare rows of
 * one group only. */
void labGroup(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a line (printf format) below the rows so far. */
void labNote(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Will this step run? Ask before you print or prepare something for one step. */
bool labSelected(const Lab *lab, const char *step);
/* From here on, oversized blocks are expected to fail. */
void labExpectRefusals(Lab *lab);
/* Count of timed runs of a step on the CPU. */
int labHostRepeat(const Lab *lab);

/* ---- The device and this machine ---- */

/* An attribute of device 0. Ends the program on an error. */
int deviceAttribute(cudaDeviceAttr attribute);
/* Why this machine cannot count cache misses; NULL: it can. */
const char *whyNoMisses();
/* Prints "name: message" (printf format) as one line on stderr, and ends
 * the program with exit code 2. */
void refuse(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* ---- Steps still to do ----
 *
 * The body of an unsolved kernel is TODO("goal", "handouts/lab3.md#where"). When it runs, it
 * writes the goal and its line to a note in device memory, so the hint is right even after
 * lines have moved. Solving the step includes deleting the TODO. A step on the CPU uses a note
 * in host memory. */

struct TodoNote {
    int line; /* line of the TODO in the source file; 0: no TODO ran */
    char goal[200];
    char handout[100];
};

/* The note of a step that runs on the CPU. */
extern TodoNote hostTodoNote;

/* Clears the note in device memory before a launch. */
void clearTodoNote();

/* Reads the note in device memory after a launch without an error. */
TodoNote readTodoNote();

/* The rest is for labs only: the harness's own object file has no notes. */
#ifndef HARNESS_OBJECT

__device__ TodoNote todoNote;
TodoNote hostTodoNote;

/* Copies a text, cut to room bytes with its NUL. */
static __host__ __device__ inline void copyNote(char *to, int room, const char *from) {
    int i = 0;
    for (; i < room - 1 && from[i] != '\0'; i++) to[i] = from[i];
    to[i] = '\0';
}

static __host__ __device__ inline void writeTodoNote(TodoNote *note, int line, const char *goal,
                                                     const char *handout) {
    note->line = line;
    copyNote(note->goal, sizeof note->goal, goal);
    copyNote(note->handout, sizeof note->handout, handout);
}

/* Writes the note. On the GPU only the grid's first thread writes it, so there is no race. */
static __host__ __device__ inline void leaveTodoNote(int line, const char *goal,
                                                     const char *handout) {
#ifdef __CUDA_ARCH__
    unsigned int block = blockIdx.x + blockIdx.y + blockIdx.z;
    unsigned int thread = threadIdx.x + threadIdx.y + threadIdx.z;
    if (block == 0 && thread == 0) writeTodoNote(&todoNote, line, goal, handout);
#else
    writeTodoNote(&hostTodoNote, line, goal, handout);
#endif
}

/* Passes the line where the TODO begins. In a macro clang would give the line where it ends. */
#ifdef __clang__
static __host__ __device__ inline void TODO(const char *goal, const char *handout,
                                            int line = __builtin_LINE()) {
    leaveTodoNote(line, goal, handout);
}
#else
#define TODO(goal, handout) leaveTodoNote(__LINE__, goal, handout)
#endif

void clearTodoNote() {
    TodoNote none = {0, "", ""};
    CHECK(cudaMemcpyToSymbol(todoNote, &none, sizeof none));
}

TodoNote readTodoNote() {
    TodoNote note;
    CHECK(cudaMemcpyFromSymbol(&note, todoNote, sizeof note));
    return note;
}

/* make compiles the harness once and links it to each lab (HARNESS_LINKED). Compiled by hand, a
 * lab is one file with all of the harness in it. */
#ifndef HARNESS_LINKED
#include "harness.cu"
#endif

#endif

#endif
