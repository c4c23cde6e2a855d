/* groups.h: the samples of each kernel added up, as nvprof's tables show them. */
#ifndef LABPROF_GROUPS_H
#define LABPROF_GROUPS_H

#include "samples.h"

/* NaN is not available; if it is for one launch, it is for the group. */
struct group_value {
    double min, max, average, total;
};

struct group {
    const char *kernel; /* belongs to the samples */
    int launches;
    struct group_value time_ns;
    struct group_value *values;
};

/* In order of first launch. */
struct groups {
    struct group *items;
    int count;
};

void groups_make(struct groups *groups, const struct samples *samples);
void groups_free(struct groups *groups);

#endif
