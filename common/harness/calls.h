/*
 * calls.h: what a lab calls to run its steps. For each launch of a step:
 *
 *     labStep(&lab, "reduceUnroll2", grid, block);
 *     labBytes(&lab, bytes);
 *     while (labNextRun(&lab)) {
 *         reduceUnroll2<<<grid, block>>>(d_idata, d_odata, n);
 *         if (labEndRun(&lab)) labVerdict(&lab, checkSums(...));
 *     }
 *
 * labNextRun restores the inputs, poisons the outputs and starts the clock. labEndRun stops the
 * clock and looks for errors of the launch and of the run. The lab judges the results of the first
 * run, which is not timed, and of the last.
 */
#ifndef HARNESS_CALLS_H
#define HARNESS_CALLS_H

#include "../common.h"
#include "info.h"
#include "processor.h"
#include "verdict.h"

/* The calls are functions of harness.cu, which make compiles once and links to each lab
 * (HARNESS_LINKED). Compiled by hand, a lab is one file with all of the harness in it. */
#ifdef HARNESS_LINKED
#define LAB_CALL
#else
#define LAB_CALL inline
#endif

struct Harness;

/* A lab while it runs. */
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

/* Reads the flags and opens the device. Each of the n steps, `bytes` bytes apart, begins with
 * `const char *name, *idea;`. Ends the program for --help, --list and bad flags, or without a GPU.
 * End with labClose. */
LAB_CALL Lab labOpen(int argc, char **argv, LabInfo info, const void *steps, size_t n,
                     size_t bytes);
template <class Step, size_t n>
Lab labOpen(int argc, char **argv, LabInfo info, const Step (&steps)[n]) {
    return labOpen(argc, argv, info, steps, n, sizeof(Step));
}

/* Prints the lab's headline (printf format), the device, and the head of the table. */
LAB_CALL void labHeader(const Lab *lab, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the rest of the table, writes the CSV file, says what to do next and frees the harness's
 * memory. Returns the program's exit code: 0, or 1 for a wrong result or an error. */
LAB_CALL int labClose(Lab *lab);

/* ---- The lab's memory ---- */

/* Ends the program with one line and exit code 2 if the device has no room for these bytes. Call it
 * before cudaMalloc. */
LAB_CALL void labNeeds(const Lab *lab, size_t bytes);

/* `device` is an input of `bytes` bytes: before every run it is restored from a copy of `host`,
 * which may be `device` itself. The lab may free or change `host` afterwards. */
LAB_CALL void labInput(Lab *lab, void *device, const void *host, size_t bytes);

/* `device` takes results of `bytes` bytes. It is poisoned before every run, so that a kernel which
 * writes nothing cannot pass. */
LAB_CALL void labOutput(Lab *lab, void *device, size_t bytes);

/* Forgets all inputs and outputs. Call it before you free them, if steps follow. */
LAB_CALL void labDropArrays(Lab *lab);

/* ---- A step ---- */

/* Begins the next row: a launch of this step, one of labOpen's. A step may have several launches,
 * one after the other. */
LAB_CALL void labStep(Lab *lab, const char *step, dim3 grid, dim3 block);

/* Begins the next row: a step that runs on the CPU. Inside the loop, labStart
 * and labStop enclose its work. */
LAB_CALL void labHostStep(Lab *lab, const char *step);

/* Begins the next row: a reference, such as a library's kernel, beside the steps. Its number
 * follows the last step's. It does not run if the user asked for one step, or under a profiler. */
LAB_CALL void labReference(Lab *lab, const char *name);

/* ---- More about the row: between labStep and the loop ---- */

/* Adds an argument to the kernel's name, as in strideLoad(4), to distinguish launches with the same
 * grid and block. The printf format makes letters and digits. */
LAB_CALL void labArgument(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Minimum bytes that the step must read and write; the table shows GB/s from them. */
LAB_CALL void labBytes(Lab *lab, double bytes);
/* Arithmetic operations that the step must do. With LabInfo's countsOperations the table shows
 * GFLOP/s in place of GB/s. */
LAB_CALL void labOperations(Lab *lab, double operations);
/* Prints a text after the row. A check may set it too. */
LAB_CALL void labRemark(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The simulator's model leaves out what decides this row's time: on it the row
 * has no time, but this remark. */
LAB_CALL void labUnmodelled(Lab *lab, const char *what);
/* The step cannot run on this problem: why, in a few words. The loop does not run. */
LAB_CALL void labSkip(Lab *lab, const char *why);

/* ---- The loop ---- */

/* Begins the next run. Returns false if there is none: all runs are done, the user did not ask for
 * the step, or a run failed. */
LAB_CALL bool labNextRun(Lab *lab);
/* Enclose the work that is timed: a must for a step on the CPU. For a step on the
 * device they replace the clock of labNextRun and labEndRun, so that work of the
 * host around them is not timed. */
LAB_CALL void labStart(Lab *lab);
LAB_CALL void labStop(Lab *lab);
/* The time in ms from labStart to labStop on the CPU's clock, and after labEndRun by events. */
LAB_CALL double labClock(const Lab *lab);
LAB_CALL double labEvents(const Lab *lab);
/* Ends the run: stops the clock and waits for the device. Returns whether to
 * judge the results of this run. */
LAB_CALL bool labEndRun(Lab *lab);
/* Takes the verdict on the results. Call it only if labEndRun returned true. */
LAB_CALL void labVerdict(Lab *lab, Verdict verdict);
/* After the loop: the row's median time in ms; 0: not timed. */
LAB_CALL double labTime(const Lab *lab);

/* ---- Around the steps ---- */

/* Begins a group of steps with a title (printf format). "x before" and "x first" compare rows of
 * one group only. */
LAB_CALL void labGroup(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a line (printf format) below the rows so far. */
LAB_CALL void labNote(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Will this step run? Ask before you print or prepare something for one step. */
LAB_CALL bool labSelected(const Lab *lab, const char *step);
/* From here on, oversized blocks are expected to fail. */
LAB_CALL void labExpectRefusals(Lab *lab);
/* Count of timed runs of a step on the CPU. */
LAB_CALL int labHostRepeat(const Lab *lab);

/* ---- The device and this machine ---- */

/* An attribute of device 0. Ends the program on an error. */
LAB_CALL int deviceAttribute(cudaDeviceAttr attribute);
/* Why this machine cannot count cache misses; NULL: it can. */
LAB_CALL const char *whyNoMisses();
/* Prints "name: message" (printf format) as one line on stderr, and ends
 * the program with exit code 2. */
LAB_CALL void refuse(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
