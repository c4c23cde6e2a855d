/* compare_judge.c: how far apart two measurements may be, and are. */
#include "labs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Bounds ---- */

/* What is counted must be the same; what the compiler's last stage changes may differ by as much as it does. Bank
 * conflicts are held against each other by the request: where warps meet at the banks the hardware counts some that no
 * access has. */
static const struct bound bounds[] = {
    {"gld_transactions", BOUND_SAME, 0, GROUP_SECTORS, NULL},
    {"gst_transactions", BOUND_SAME, 0, GROUP_SECTORS, NULL},
    {"gld_requests", BOUND_SAME, 0, GROUP_SECTORS, NULL},
    {"gst_requests", BOUND_SAME, 0, GROUP_SECTORS, NULL},
    {"shared_load", BOUND_SAME, 0, GROUP_SECTORS, NULL},
    {"shared_store", BOUND_SAME, 0, GROUP_SECTORS, NULL},
    {"shared_ld_bank_conflict", BOUND_RATE, 0.05, GROUP_SHARED, "shared_load"},
    {"shared_st_bank_conflict", BOUND_RATE, 0.05, GROUP_SHARED, "shared_store"},
    {"gld_efficiency", BOUND_POINTS, 0.5, GROUP_RATIO, NULL},
    {"gst_efficiency", BOUND_POINTS, 0.5, GROUP_RATIO, NULL},
    {"shared_efficiency", BOUND_POINTS, 2, GROUP_RATIO, NULL},
    {"branch_efficiency", BOUND_POINTS, 2, GROUP_RATIO, NULL},
    {"warp_execution_efficiency", BOUND_POINTS, 2, GROUP_RATIO, NULL},
    {"inst_per_warp", BOUND_PERCENT, 25, GROUP_INSTRUCTIONS, NULL},
    {"inst_executed", BOUND_PERCENT, 25, GROUP_INSTRUCTIONS, NULL},
    {"flop_count_sp", BOUND_SAME, 0, GROUP_INSTRUCTIONS, NULL},
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

/* A modelled time may be off by two. */
static const struct bound time_bound = {"time", BOUND_FACTOR, 2, GROUP_TIME, NULL};

const struct bound *compare_bounded(int i) {
    return i < BOUNDS ? &bounds[i] : NULL;
}

struct bound compare_bound(const char *metric) {
    for (int i = 0; i < BOUNDS; i++)
        if (strcmp(bounds[i].metric, metric) == 0) return bounds[i];
    if (strcmp(metric, time_bound.metric) == 0) return time_bound;
    return (struct bound){metric, BOUND_NONE, 0, GROUP_NONE, NULL};
}

/* ---- Distances ---- */

static struct pair pair_of(const struct comparison *c, const struct bound *bound, int launch) {
    return bound->kind == BOUND_FACTOR ? compare_time(c, launch) : compare_metric(c, bound->metric, launch);
}

static double percent_apart(struct pair p) {
    return p.other == p.reference ? 0 : 100 * fabs(p.other - p.reference) / fabs(p.reference);
}

/* A difference, or for a factor the larger over the smaller. */
static double distance(const struct comparison *c, const struct bound *bound, int launch, struct pair p) {
    double difference = fabs(p.other - p.reference);
    switch (bound->kind) {
    case BOUND_PERCENT: return percent_apart(p);
    case BOUND_FACTOR: return p.other > p.reference ? p.other / p.reference : p.reference / p.other;
    case BOUND_RATE: return difference == 0 ? 0 : difference / compare_metric(c, bound->requests, launch).reference;
    default: return difference;
    }
}

/* ---- Reasons ---- */

/* The row whose reason allows so large a distance; -1 for none. The first row for the metric and the kernel counts, or
 * for every kernel. */
static int find_reason(const struct comparison *c, const char *metric, const char *kernel, double found) {
    for (int row = 0; c->reasons && row < csv_rows(c->reasons); row++) {
        const char *about = csv_get(c->reasons, row, "kernel"), *within = csv_get(c->reasons, row, "within");
        if (strcmp(csv_get(c->reasons, row, "metric"), metric) != 0) continue;
        if (strcmp(about, "*") != 0 && !compare_same_kernel(about, kernel)) continue;
        char *end;
        double allowed = strtod(within, &end);
        if (end == within || *end) continue;
        return found <= allowed ? row : -1; /* false for NaN */
    }
    return -1;
}

/* ---- Judgements ---- */

/* A value that is not there is not within any bound, unless the reference has none either. */
struct judgement compare_judge(const struct comparison *c, const struct bound *bound, int launch) {
    struct judgement j = {.values = pair_of(c, bound, launch), .verdict = WITHIN, .reason = -1};
    j.distance = distance(c, bound, launch, j.values);
    if (bound->kind == BOUND_NONE || isnan(j.values.reference) || j.distance <= bound->limit) return j;
    j.reason = find_reason(c, bound->metric, c->launches[launch].kernel, j.distance);
    j.verdict = j.reason >= 0 ? EXPLAINED : BEYOND;
    return j;
}

/* ---- The whole ---- */

static void count_metric(const struct comparison *c, const char *metric, int counts[BEYOND + 1]) {
    struct bound bound = compare_bound(metric);
    for (int i = 0; bound.kind != BOUND_NONE && i < c->launch_count; i++) counts[compare_judge(c, &bound, i).verdict]++;
}

void compare_count(const struct comparison *c, int counts[BEYOND + 1]) {
    memset(counts, 0, (BEYOND + 1) * sizeof *counts);
    for (int i = 0; i < c->metric_count; i++) count_metric(c, c->metrics[i], counts);
    count_metric(c, "time", counts);
    compare_count_order(c, counts);
}
