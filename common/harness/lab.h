/*
 * lab.h: the harness that runs a lab's steps. For each launch of a step:
 *
 *     labStep(&lab, "reduceUnroll2", grid, block);
 *     labBytes(&lab, bytes);
 *     while (labRuns(&lab)) {
 *         reduceUnroll2<<<grid, block>>>(d_idata, d_odata, n);
 *         if (labChecks(&lab)) labVerdict(&lab, checkSums(...));
 *     }
 *
 * labRuns restores the inputs, poisons the outputs and starts the clock. labChecks stops the clock and looks for errors
 * of the launch and of the run. The lab judges the results of the first run, which is not timed, and of the last.
 */
#ifndef HARNESS_LAB_H
#define HARNESS_LAB_H

#include <map>

#include "../common.h"
#include "checker.h"
#include "device.h"
#include "grader.h"
#include "misses.h"
#include "options.h"
#include "place.h"
#include "processor.h"
#include "reference.h"
#include "report.h"
#include "todo.h"
#include "verdict.h"

/* An input or output array on the device. */
struct LabArray {
    void *work;     /* the array that kernels use */
    void *pristine; /* the copy that an input is restored from; NULL: an output */
    size_t bytes;
};

enum LabSide { ON_DEVICE, ON_HOST, BESIDE };

/* A lab while it runs. The lab reads the first group of fields. */
struct Lab {
    size_t size;        /* problem size, in the unit of LabInfo's sizeMeaning */
    size_t rows, cols;  /* shape of a matrix */
    unsigned int block; /* threads per block */
    uint64_t seed;      /* of the random input */
    bool sizeGiven;     /* the user gave the size */
    bool modelled;      /* the GPU is simulated: a model gives the times */
    bool profiling;     /* every kernel is launched once, untimed */

    /* The rest belongs to the harness. */
    LabInfo info;
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
    size_t shown;                    /* rows already printed; a step's rows are printed at the step's end */
    size_t groupBegin;               /* index of the group's first row */
    std::string groupTitle;          /* title not printed yet; it goes above the group's first row */
    std::map<int, Finding> findings; /* by step: the checker's finding on small problems */
    TodoNote todo;                   /* note of the first step still to do */
    bool broken;                     /* an error has made the device unusable for the rest of the program */
    bool expectsRefusals;            /* oversized blocks are expected to fail */
    bool nothingLaunched;            /* a step had a grid of 0 blocks, which CUDA cannot launch */
    bool folded;                     /* a step's launches have been printed as one line */
    bool referenceShown;             /* a recorded time has been printed */

    /* The launch under way. */
    Row row;
    LabSide side;
    std::string remark;
    bool wanted;     /* the launch shall run, and its row is not complete */
    bool checked;    /* labChecks was called in this run */
    bool stopped;    /* labStop was called in this run, of a step on the device */
    int run;         /* count of runs begun */
    int timed;       /* count of timed runs, behind the first run */
    int counted;     /* 1: one more run on the CPU counts cache misses */
    double began;    /* seconds, by cpuSecond */
    double duration; /* ms on the CPU's clock from labStart to labStop */
    int counters[2]; /* descriptors of the counters for cache misses */
};

/* ---- Beginning and end ---- */

/* Reads the flags and opens the device. steps is an array of n structures of `bytes` bytes; each begins with `const
 * char *name, *idea;`. Ends the program for --help, --list and bad flags, or without a GPU. End with labClose. */
static inline Lab labOpen(int argc, char **argv, LabInfo info, const void *steps, size_t n, size_t bytes);

/* Prints the lab's headline (printf format), the device, and the head of the table. */
static inline void labHeader(const Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the rest of the table, writes the CSV file, says what to do next and frees the harness's memory. Returns the
 * program's exit code: 0, or 1 for a wrong result or an error. */
static inline int labClose(Lab *lab);

/* ---- The lab's memory ---- */

/* Ends the program with one line and exit code 2 if the device has no room for these bytes. Call it before
 * cudaMalloc. */
static inline void labNeeds(const Lab *lab, size_t bytes);

/* `device` is an input of `bytes` bytes: before every run it is restored from a copy of `host`. The lab may free or
 * change `host` afterwards. */
static inline void labInput(Lab *lab, void *device, const void *host, size_t bytes);

/* `device` takes results of `bytes` bytes. It is poisoned before every run, so that a kernel which writes nothing
 * cannot pass. */
static inline void labOutput(Lab *lab, void *device, size_t bytes);

/* Forgets all inputs and outputs. Call it before you free them, if steps follow. */
static inline void labForget(Lab *lab);

/* ---- A step ---- */

/* Begins the next row: a launch of this step, one of labOpen's. A step may have several launches, one after the
 * other. */
static inline void labStep(Lab *lab, const char *step, dim3 grid, dim3 block);

/* Begins the next row: a step that runs on the CPU. Inside the loop, labStart and labStop enclose its work. */
static inline void labHostStep(Lab *lab, const char *step);

/* Begins the next row: a reference, such as a library's kernel, beside the steps. Its number follows the last step's.
 * It does not run if the user asked for one step, or under a profiler. */
static inline void labBeside(Lab *lab, const char *name);

/* ---- More about the row: between labStep and the loop ---- */

/* Adds an argument to the kernel's name, as in strideLoad(4), to distinguish launches with the same grid and block. The
 * printf format makes letters and digits. */
static inline void labArgument(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Minimum bytes that the step must read and write; the table shows GB/s from them. */
static inline void labBytes(Lab *lab, double bytes);
/* Arithmetic operations that the step must do. With LabInfo's countsOperations the table shows GFLOP/s in place of
 * GB/s. */
static inline void labOperations(Lab *lab, double operations);
/* Prints a text behind the row. A check may set it too. */
static inline void labRemark(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The simulator's model leaves out what decides this row's time: on it the row has no time, but this remark. */
static inline void labUnmodelled(Lab *lab, const char *what);
/* The step cannot run on this problem: why, in a few words. The loop does not run. */
static inline void labDecline(Lab *lab, const char *why);

/* ---- The loop ---- */

/* Begins the next run. Returns false if there is none: all runs are done, the user did not ask for the step, or a run
 * failed. */
static inline bool labRuns(Lab *lab);
/* Enclose the work that is timed: a must for a step on the CPU. For a step on the device they replace the clock of
 * labRuns and labChecks, so that work of the host around them is not timed. */
static inline void labStart(Lab *lab);
static inline void labStop(Lab *lab);
/* The time in ms from labStart to labStop on the CPU's clock, and after labChecks by events. */
static inline double labClock(const Lab *lab);
static inline double labEvents(const Lab *lab);
/* Ends the run: stops the clock and waits for the device. Returns whether to judge the results of this run. */
static inline bool labChecks(Lab *lab);
/* Takes the verdict on the results. Call it only if labChecks returned true. */
static inline void labVerdict(Lab *lab, Verdict verdict);
/* After the loop: the row's median time in ms; 0: not timed. */
static inline double labTime(const Lab *lab);

/* ---- Around the steps ---- */

/* Begins a group of steps with a title (printf format). "x before" and "x first" compare rows of one group only. */
static inline void labGroup(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a line (printf format) below the rows so far. */
static inline void labNote(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Will this step run? Ask before you print or prepare something for one step. */
static inline bool labWants(const Lab *lab, const char *step);
/* From here on, oversized blocks are expected to fail. */
static inline void labExpectRefusals(Lab *lab);
/* Count of timed runs of a step on the CPU. */
static inline int labHostRepeat(const Lab *lab);

#include "open.h"
#include "run.h"
#include "table.h"

#endif
