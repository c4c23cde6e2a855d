/* judge.h: how far apart two values are, and what may differ. */
#ifndef COMPARE_JUDGE_H
#define COMPARE_JUDGE_H

#include <stdbool.h>

/* Both values of one thing; NaN where a side has none. */
struct pair {
    double reference, other;
};

/* How a distance is told. */
enum measure {
    EQUAL,   /* the difference; any is too much */
    POINTS,  /* the difference, of two percentages */
    PERCENT, /* the difference in percent of the reference */
    FACTOR,  /* the larger over the smaller */
    RATE,    /* the difference for each request that the reference counted */
    SHOWN    /* the difference, which nothing limits */
};

/* NaN where a value is missing. RATE: the difference; the caller knows the requests. */
double distance_of(enum measure measure, struct pair values);

/* Spearman's rho of the pairs that have both values; NaN with fewer than two of them. */
double rank_correlation(const struct pair *pairs, int count);

/* What kind of thing it is that must agree: the columns of an overview of labs. */
enum bound_group { GROUP_SECTORS, GROUP_SHARED, GROUP_RATIO, GROUP_INSTRUCTIONS, GROUP_TIME, GROUPS, GROUP_NONE };

/* How far apart a metric may be. */
struct bound {
    const char *metric;
    enum measure measure; /* simulator against GPU */
    double limit;
    enum bound_group group;
    bool by_source;       /* the lab's source alone decides it, whatever compiles it: clang's must equal nvcc's */
    const char *requests; /* RATE: the metric that counts them */
};

/* The bound of a metric, or of a launch's "time". SHOWN for others. */
struct bound bound_of(const char *metric);
/* The i-th metric that is judged, times not among them; NULL after the last. */
const struct bound *judged_metric(int i);

#endif
