/* samples.h: what a back end found out about the kernels of one run, in order of launch. */
#ifndef LABPROF_SAMPLES_H
#define LABPROF_SAMPLES_H

#include <stdbool.h>

/* Of all launches a sample stands for. NaN is not available. */
struct sample_value {
    double min, max, average;
};

enum { NESTED_NAME = 128 };

/* Launches by kernels: grids of one kernel at one depth, 1 for those that the host's kernel launched itself. */
struct nested_launches {
    char kernel[NESTED_NAME]; /* without result type, template arguments and parameters */
    unsigned depth;
    double grids, threads; /* threads: of all these grids together */
};

/* One launch; where the back end only gives sums, all launches of one kernel. */
struct sample {
    int number;                           /* of the launch, from 1; 0 where launches cannot be told apart */
    int launches;                         /* that it stands for */
    char *kernel;                         /* in nvprof's spelling */
    unsigned grid[3], block[3];           /* all 0 where not known */
    double start_ns, time_ns;             /* NaN where not known, as all below */
    double registers;                     /* per thread */
    double static_shared, dynamic_shared; /* bytes per block */
    bool wanted;                          /* by --kernels */
    struct sample_value *values;          /* of the metrics asked for, in their order */
    struct nested_launches *nested;       /* what it launched, where the back end counts that (nested.h) */
    int nested_count;
};

struct samples {
    char device[128]; /* "NVIDIA H200" */
    struct sample *items;
    int count, room;
    int value_count; /* of every sample */
};

/* Adds a sample of that kernel (in any spelling), all its numbers not known yet. */
struct sample *samples_add(struct samples *samples, const char *kernel);

/* One launch's value: min, max and average are the same. */
struct sample_value single_value(double value);

void sample_free(struct sample *sample);
void samples_free(struct samples *samples);

#endif
