/*
 * harness.h: the functions of calls.h, and the state that they keep.
 */
#ifndef HARNESS_HARNESS_H
#define HARNESS_HARNESS_H

#include <map>

#include "calls.h"
#include "checker.h"
#include "device.h"
#include "grader.h"
#include "misses.h"
#include "note.h"
#include "options.h"
#include "place.h"
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
    bool checked;    /* labEndRun was called in this run */
    bool stopped;    /* labStop was called in this run, of a step on the device */
    int run;         /* count of runs begun */
    int timed;       /* count of timed runs, after the first run */
    int counted;     /* 1: one more run on the CPU counts cache misses */
    double began;    /* seconds, by cpuSecond */
    double duration; /* ms on the CPU's clock from labStart to labStop */
    int counters[2]; /* descriptors of the counters for cache misses */
};

#include "open.h"
#include "run.h"
#include "table.h"

#endif
