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
 * labRuns restores the inputs, poisons the outputs and starts the clock. labChecks stops it and looks for errors of the
 * launch and of the run. Results are judged in the first run, which is not timed, and in the last.
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

/* An array of the lab's on the device. */
struct LabArray {
    void *work;     /* what kernels read and write */
    void *pristine; /* of an input: what it is restored from; NULL: an output */
    size_t bytes;
};

enum LabSide { ON_DEVICE, ON_HOST, BESIDE };

struct Lab {
    size_t size;        /* of the problem, in the units of LabInfo */
    size_t rows, cols;  /* of a lab that works on a matrix */
    unsigned int block; /* threads per block */
    uint64_t seed;      /* of the random input */
    bool sizeGiven;     /* by the user */
    bool modelled;      /* the GPU is simulated: its times come from a model */
    bool profiling;     /* every kernel is launched once, untimed */

    /* The rest belongs to the harness. */
    LabInfo info;
    std::vector<std::string> flags; /* as given, without those that a check chooses itself */
    std::vector<LabStep> steps;
    Options options;
    std::string problem; /* as a caption says it */
    Device device;
    Grader grader;
    std::vector<LabArray> arrays;
    void *cacheFlusher; /* memory twice as large as the second-level cache; NULL: not needed */
    cudaEvent_t start, stop;

    std::vector<Row> table;
    size_t shown;                    /* rows that have been printed: a step's wait for the end of the step */
    size_t groupBegin;               /* index of the group's first row */
    std::string groupTitle;          /* still to be printed, above the group's first row */
    std::map<int, Finding> findings; /* by step: what was found on small problems */
    TodoNote todo;                   /* of the first step still to do */
    bool broken;                     /* an error has made the device unusable for the rest of the program */
    bool expectsRefusals;            /* oversized blocks are expected to fail */
    bool nothingLaunched;            /* a grid of 0 blocks, which cannot be launched and need not be */
    bool folded;                     /* a step's launches have been printed as one line */
    bool referenceShown;             /* a recorded time has been printed */

    /* The launch under way. */
    Row row;
    LabSide side;
    std::string remark;
    bool wanted;     /* it is to be run, and its row is still to come */
    bool checked;    /* labChecks was called in this run */
    int run;         /* runs begun */
    int timed;       /* timed runs, which follow the first */
    int counted;     /* 1: one more run on the CPU, in which the caches' misses are counted */
    double began;    /* seconds, by cpuSecond */
    double duration; /* ms, of a run on the CPU */
    int counters[2]; /* of the caches' misses */
};

/* ---- Beginning and end ---- */

/* Read the flags, open the device. steps: an array of n structures of `bytes` bytes, each of which begins with
 * `const char *name, *idea;`. Ends the program for --help, --list and bad flags, and where there is no GPU. */
static inline Lab labOpen(int argc, char **argv, LabInfo info, const void *steps, size_t n, size_t bytes);

/* Print the lab's headline, the device, and the head of the table. */
static inline void labHeader(const Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print the rest of the table, write the CSV file, say what to do next. Returns the program's exit code. */
static inline int labClose(Lab *lab);

/* ---- The lab's memory ---- */

/* End the program with exit code 2 and one line if the device has no room for these bytes. To be called before
 * cudaMalloc. */
static inline void labNeeds(const Lab *lab, size_t bytes);

/* `device` is an input: before every run it is restored from a copy of `host`, which may be freed. */
static inline void labInput(Lab *lab, void *device, const void *host, size_t bytes);

/* `device` takes results: it is poisoned before every run, so that a kernel which writes nothing cannot pass. */
static inline void labOutput(Lab *lab, void *device, size_t bytes);

/* Forget all inputs and outputs. To be called before they are freed, if steps follow. */
static inline void labForget(Lab *lab);

/* ---- A step ---- */

/* The next row: a launch of this step, which is one of labOpen's. A step may have several launches, one after the
 * other. */
static inline void labStep(Lab *lab, const char *step, dim3 grid, dim3 block);

/* The next row: a step that runs on the CPU. labStart and labStop stand around its work, inside the loop. */
static inline void labHostStep(Lab *lab, const char *step);

/* The next row: a reference, such as a library's kernel, beside the steps. It has the number behind the last step's.
 * It is left out if one step is asked for, and under a profiler. */
static inline void labBeside(Lab *lab, const char *name);

/* ---- More about the row: between labStep and the loop ---- */

/* What tells launches of a step apart, if not grid and block: letters and digits, shown as in strideLoad(4). */
static inline void labArgument(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Bytes that the step must at least read and write. */
static inline void labBytes(Lab *lab, double bytes);
/* Operations on numbers that the step must do. LabInfo's countsOperations shows GFLOP/s in place of GB/s. */
static inline void labOperations(Lab *lab, double operations);
/* A text behind the row. A check may set it too. */
static inline void labRemark(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The step cannot run on this problem, as the lab says: why, in a few words. The loop is left out. */
static inline void labDecline(Lab *lab, const char *why);

/* ---- The loop ---- */

/* Begin the next run. False: there is none, because all are done, the step is not asked for, or something was wrong. */
static inline bool labRuns(Lab *lab);
/* Around the work of a step that runs on the CPU. */
static inline void labStart(Lab *lab);
static inline void labStop(Lab *lab);
/* End the run: stop the clock, wait for the device. Returns whether there are results to be judged. */
static inline bool labChecks(Lab *lab);
/* Judge the results. */
static inline void labVerdict(Lab *lab, Verdict verdict);
/* After the loop: the median time in ms; 0: not timed. */
static inline double labTime(const Lab *lab);

/* ---- Around the steps ---- */

/* The steps that follow form a group: "x before" and "x first" compare rows of one group only. */
static inline void labGroup(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print a line below the rows so far. */
static inline void labNote(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Is this step to be run? For what a lab prints or prepares for one step only. */
static inline bool labWants(const Lab *lab, const char *step);
/* From here on, oversized blocks are expected to fail. */
static inline void labExpectRefusals(Lab *lab);
/* Timed runs of a step that runs on the CPU. */
static inline int labHostRepeat(const Lab *lab);

#include "open.h"
#include "run.h"
#include "table.h"

#endif
