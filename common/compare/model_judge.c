#include "model_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"

#define LARGE_DRAM_BYTES 1048576.0 /* so much that a kernel's own instructions and parameters do not matter */
#define SOME_STALL       1.0       /* percent: the kernel has barriers that warps wait at */

/* ---- Distances: NaN where the GPU says nothing, infinite where only the model does not ---- */

static double or_infinite(double distance, double gpu) {
    return isnan(gpu) ? NAN : isnan(distance) ? INFINITY : distance;
}

static double time_distance(const struct launch *l) {
    return or_infinite(stats_factor(l->gpu.time_ms, l->model.time_ms), l->gpu.time_ms);
}

static double occupancy_distance(const struct launch *l) {
    return or_infinite(fabs(l->model.occupancy - l->gpu.occupancy), l->gpu.occupancy);
}

static double stall_distance(const struct launch *l) {
    return or_infinite(fabs(l->model.stall_sync - l->gpu.stall_sync), l->gpu.stall_sync);
}

static double barrier_stall_distance(const struct launch *l) {
    return l->gpu.stall_sync >= SOME_STALL ? stall_distance(l) : NAN;
}

static double dram_distance(const struct launch *l) {
    if (l->gpu.dram_bytes == 0) return l->model.dram_bytes == 0 ? 0 : INFINITY;
    return or_infinite(100 * fabs(l->model.dram_bytes / l->gpu.dram_bytes - 1), l->gpu.dram_bytes);
}

static double large_dram_distance(const struct launch *l) {
    return l->gpu.dram_bytes >= LARGE_DRAM_BYTES ? dram_distance(l) : NAN;
}

const struct quantity quantities[QUANTITIES] = {
    [TIME_CLOSE] = {"time_1_25", "time within 1.25 times", 0.5, 1.25, time_distance},
    [TIME_FAR] = {"time_1_6", "time within 1.6 times", 0.9, 1.6, time_distance},
    [OCCUPANCY] = {"occupancy", "achieved_occupancy within 10 points", 0.8, 10, occupancy_distance},
    [STALL_SYNC] = {"stall_sync", "stall_sync within 10 points", 0.8, 10, stall_distance},
    [STALL_SYNC_BARRIERS] = {"stall_sync_some", "the same, where it is at least 1 %", 0, 10, barrier_stall_distance},
    [DRAM] = {"dram", "DRAM bytes within 10 %", 0.9, 10, dram_distance},
    [DRAM_LARGE] = {"dram_large", "the same, from 1 MiB on", 0, 10, large_dram_distance},
};

/* ---- Scores ---- */

bool in_part(const struct launch *launch, struct part part) {
    if (part.half != EVERY_STEP && is_tuned(launch) != (part.half == TUNED)) return false;
    return (part.lab == 0 || part.lab == launch->lab) && (!part.size || strcmp(part.size, launch->size) == 0);
}

bool is_within(const struct quantity *quantity, const struct launch *launch) {
    return quantity->distance(launch) <= quantity->bound;
}

struct score score_of(const struct joined *joined, const struct quantity *quantity, struct part part) {
    struct score score = {0, 0};
    for (int i = 0; i < joined->count; i++) {
        const struct launch *launch = &joined->launches[i];
        if (!in_part(launch, part) || isnan(quantity->distance(launch))) continue;
        score.launches++;
        score.within += is_within(quantity, launch);
    }
    return score;
}

double score_percent(struct score score) {
    return score.launches > 0 ? 100.0 * score.within / score.launches : NAN;
}

double order_of(const struct joined *joined, struct part part) {
    double *x = calloc(2 * (size_t)joined->count + 1, sizeof *x), *y = x ? x + joined->count : NULL, rho = NAN;
    int count = 0;
    for (int i = 0; x && i < joined->count; i++) {
        const struct launch *launch = &joined->launches[i];
        if (!in_part(launch, part) || isnan(launch->model.time_ms)) continue;
        x[count] = launch->gpu.time_ms;
        y[count++] = launch->model.time_ms;
    }
    if (x) rho = stats_spearman(x, y, count);
    free(x);
    return rho;
}
