/* samples.h: what a back end measured about the kernels of one run, in order of launch; and the
 * same added up by kernel, for nvprof's tables. */
#pragma once

#include <stdbool.h>

/* A metric's value over the launches that a sample stands for. NaN: not available. */
struct sample_value {
    double min, max, average;
};

enum { NESTED_NAME = 128 };

/* Nested launches: the grids of one kernel at one depth. Depth 1 is what the host's kernel launched
 * directly. */
struct nested_launches {
    char kernel[NESTED_NAME]; /* without result type, template arguments and parameters */
    unsigned depth;
    double grids, threads; /* threads: sum over these grids */
};

/* One launch, or all launches of one kernel where the back end only gives sums. */
struct sample {
    int number;   /* the launch's number, from 1; 0: it stands for all launches of the kernel */
    int launches; /* count of launches that it stands for */
    char *kernel; /* in nvprof's spelling */
    unsigned grid[3], block[3];     /* all 0: not known */
    int process;                    /* its number; 0: not known */
    int device, context, stream;    /* as nvprof prints them: 0, 1 and 7 where nobody tells */
    unsigned scopes;                /* which --kernels select it: a bit each (filter.h) */
    struct sample_value *values;    /* of the wanted metrics, in their order */
    struct nested_launches *nested; /* what it launched, if the back end counts that (nested.h) */
    int nested_count;
};

/* The samples of a run. Zero it, then set value_count before the first samples_add. */
struct samples {
    char device[128]; /* "NVIDIA H200" */
    struct sample *items;
    int count, room;
    int value_count;              /* metrics a sample */
    const unsigned *value_scopes; /* by metric: which --kernels it is for; NULL: all launches */
};

/* Appends a sample of that kernel (in any spelling of names.h), with the next number and no values
 * yet. The pointer is valid until the next call. */
struct sample *samples_add(struct samples *samples, const char *kernel);

/* Is the metric asked for in this launch? */
bool is_asked(const struct samples *samples, const struct sample *sample, int metric);

/* The value of one launch: min, max and average are equal. */
struct sample_value single_value(double value);

/* Frees what the sample or the list owns. */
void sample_free(struct sample *sample);
void samples_free(struct samples *samples);

/* A value over all launches of a kernel. NaN: not available; one launch without a value makes the
 * group's value NaN. */
struct group_value {
    double min, max, average, total;
    int launches; /* for which it was asked */
};

/* All launches of one kernel on one device. */
struct group {
    const char *kernel; /* belongs to the samples */
    int device;
    int launches;
    /* of the metrics, in the samples' order */
    struct group_value *values;
};

/* One group a kernel and device, in the order of first launches. */
struct groups {
    struct group *items;
    int count;
};

/* Adds up the samples by kernel. The kernels' names stay the samples', which must live as long as
 * the groups. Free the groups with groups_free. */
void groups_make(struct groups *groups, const struct samples *samples);
void groups_free(struct groups *groups);
