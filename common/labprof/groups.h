/* groups.h: the samples of each kernel added up, for nvprof's tables. */
#pragma once

#include "samples.h"

/* A value over all launches of a kernel. NaN: not available; one launch without a value makes the
 * group's value NaN. */
struct group_value {
    double min, max, average, total;
};

/* All launches of one kernel. */
struct group {
    const char *kernel; /* belongs to the samples */
    int launches;
    /* of the metrics, in the samples' order */
    struct group_value *values;
};

/* One group a kernel, in the order of first launches. */
struct groups {
    struct group *items;
    int count;
};

/* Adds up the samples by kernel. The kernels' names stay the samples', which must live as long as
 * the groups. Free the groups with groups_free. */
void groups_make(struct groups *groups, const struct samples *samples);
void groups_free(struct groups *groups);
