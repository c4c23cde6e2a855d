#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/memory.h"
#include "lib/stats.h"

/* ---- Bounds ---- */

/* Counts must be equal. What ptxas changes may differ as much as it is seen to. Bank conflicts are
 * judged by the request: where warps meet at the banks, the hardware counts conflicts that no
 * access has. */
static const struct bound bounds[] = {
    {"gld_transactions", EQUAL, 0, GROUP_SECTORS, true, NULL},
    {"gst_transactions", EQUAL, 0, GROUP_SECTORS, true, NULL},
    {"gld_requests", EQUAL, 0, GROUP_SECTORS, true, NULL},
    {"gst_requests", EQUAL, 0, GROUP_SECTORS, true, NULL},
    {"shared_load", EQUAL, 0, GROUP_SECTORS, true, NULL},
    {"shared_store", EQUAL, 0, GROUP_SECTORS, true, NULL},
    {"shared_ld_bank_conflict", RATE, 0.05, GROUP_SHARED, true, "shared_load"},
    {"shared_st_bank_conflict", RATE, 0.05, GROUP_SHARED, true, "shared_store"},
    {"gld_efficiency", POINTS, 0.5, GROUP_RATIO, true, NULL},
    {"gst_efficiency", POINTS, 0.5, GROUP_RATIO, true, NULL},
    {"shared_efficiency", POINTS, 2, GROUP_RATIO, false, NULL},
    {"branch_efficiency", POINTS, 2, GROUP_RATIO, false, NULL},
    {"warp_execution_efficiency", POINTS, 2, GROUP_RATIO, false, NULL},
    {"inst_per_warp", PERCENT, 25, GROUP_INSTRUCTIONS, false, NULL},
    {"inst_executed", PERCENT, 25, GROUP_INSTRUCTIONS, false, NULL},
    {"flop_count_sp", EQUAL, 0, GROUP_INSTRUCTIONS, false, NULL},
    /* Not judged against a GPU: they follow from the metrics above. */
    {"gld_transactions_per_request", SHOWN, 0, GROUP_NONE, true, NULL},
    {"gst_transactions_per_request", SHOWN, 0, GROUP_NONE, true, NULL},
    {"shared_load_transactions_per_request", SHOWN, 0, GROUP_NONE, true, NULL},
    {"shared_store_transactions_per_request", SHOWN, 0, GROUP_NONE, true, NULL},
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

const struct bound *judged_metric(int i) {
    return bounds[i].measure != SHOWN ? &bounds[i] : NULL;
}

struct bound bound_of(const char *metric) {
    for (int i = 0; i < BOUNDS; i++)
        if (strcmp(bounds[i].metric, metric) == 0) return bounds[i];
    return (struct bound){metric, SHOWN, 0, GROUP_NONE, false, NULL};
}

/* ---- Distances ---- */

double distance_of(enum measure measure, struct pair p) {
    double difference = fabs(p.other - p.reference);
    if (measure == FACTOR) return stats_factor(p.reference, p.other);
    if (measure == PERCENT && difference != 0) return 100 * difference / fabs(p.reference);
    return difference;
}

/* A correlation of the pairs that have both values. */
static double correlation(const struct pair *pairs, int count,
                          double (*of)(const double *, const double *, int)) {
    double *x = need(calloc(2 * (size_t)count + 1, sizeof *x)), *y = x + count;
    int both = 0;
    for (int i = 0; i < count; i++) {
        if (isnan(pairs[i].reference) || isnan(pairs[i].other)) continue;
        x[both] = pairs[i].reference;
        y[both++] = pairs[i].other;
    }
    double found = of(x, y, both);
    free(x);
    return found;
}

double rank_correlation(const struct pair *pairs, int count) {
    return correlation(pairs, count, stats_spearman);
}

double linear_correlation(const struct pair *pairs, int count) {
    return correlation(pairs, count, stats_pearson);
}
