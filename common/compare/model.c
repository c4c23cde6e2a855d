#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_IN_WHOLE  100.0
#define LARGE_DRAM_BYTES 1048576.0 /* so much that a kernel's own instructions and parameters do not matter */
#define SOME_STALL       1.0       /* percent: the kernel has barriers that warps wait at */

/* ---- Reading ---- */

static bool is_timed(const struct csv *csv, int row) {
    return is_cell(csv, row, "status", "ok") && cell_number(csv, row, "time_ms") > 0;
}

static double value_of(const struct csv *csv, int row, enum value value) {
    switch (value) {
    case TIME: return cell_number(csv, row, "time_ms");
    case OCCUPANCY: return POINTS_IN_WHOLE * cell_number(csv, row, "achieved_occupancy");
    case STALL_SYNC: return cell_number(csv, row, "stall_sync");
    case DRAM: return cell_number(csv, row, "dram_read_bytes") + cell_number(csv, row, "dram_write_bytes");
    default: return cell_number(csv, row, "inst_executed");
    }
}

static struct timed join(const struct joined *j, int row) {
    const struct launch *launch = &j->gpu.launches[row];
    struct timed timed = {.lab = atoi(launch->cell[LAB]), .step = atoi(launch->cell[STEP]), .cell = launch->cell};
    int model = table_find(&j->model, launch, "");
    bool modelled = model >= 0 && is_timed(j->model.csv, model);
    for (int v = 0; v < VALUES; v++)
        timed.value[v] = (struct pair){value_of(j->gpu.csv, row, (enum value)v),
                                       modelled ? value_of(j->model.csv, model, (enum value)v) : NAN};
    return timed;
}

bool joined_read(struct joined *j, const char *gpu_path, const char *model_path) {
    static const char *const columns[] = {"lab",    "size",    "step",   "launch", "kernel",
                                          "status", "time_ms", "device", NULL};
    *j = (struct joined){0};
    if (!table_read(&j->gpu, gpu_path, columns) || !table_read(&j->model, model_path, columns)) return false;
    j->launches = allocate((size_t)j->gpu.rows, sizeof *j->launches);
    for (int row = 0; row < j->gpu.rows; row++)
        if (is_timed(j->gpu.csv, row)) j->launches[j->count++] = join(j, row);
    j->gpu_device = csv_get(j->gpu.csv, 0, "device");
    j->model_device = csv_get(j->model.csv, 0, "device");
    if (j->count == 0) fprintf(stderr, "compare: %s has no launch that was timed\n", gpu_path);
    return j->count > 0;
}

void joined_free(struct joined *j) {
    free(j->launches);
    table_free(&j->gpu);
    table_free(&j->model);
}

/* ---- What is asked ---- */

const struct quantity quantities[QUANTITIES] = {
    [TIME_CLOSE] = {"time_1_25", "time within 1.25 times", 0.5, TIME, FACTOR, 1.25, 0},
    [TIME_FAR] = {"time_1_6", "time within 1.6 times", 0.9, TIME, FACTOR, 1.6, 0},
    [OCCUPANCY_NEAR] = {"occupancy", "achieved_occupancy within 10 points", 0.8, OCCUPANCY, POINTS, 10, 0},
    [STALL_NEAR] = {"stall_sync", "stall_sync within 10 points", 0.8, STALL_SYNC, POINTS, 10, 0},
    [STALL_NEAR_BARRIERS] = {"stall_sync_some", "the same, where it is at least 1 %", 0, STALL_SYNC, POINTS, 10,
                             SOME_STALL},
    [DRAM_NEAR] = {"dram", "DRAM bytes within 10 %", 0.9, DRAM, PERCENT, 10, 0},
    [DRAM_NEAR_LARGE] = {"dram_large", "the same, from 1 MiB on", 0, DRAM, PERCENT, 10, LARGE_DRAM_BYTES},
};

double quantity_distance(const struct quantity *quantity, const struct timed *launch) {
    struct pair values = launch->value[quantity->value];
    if (!(values.reference >= quantity->least)) return NAN; /* so for NaN, too */
    double distance = distance_of(quantity->measure, values);
    return isnan(distance) ? INFINITY : distance;
}

bool is_within(const struct quantity *quantity, const struct timed *launch) {
    return quantity_distance(quantity, launch) <= quantity->limit;
}

/* ---- Scores ---- */

static bool in_part(const struct timed *launch, struct part part) {
    if (part.half != EVERY_STEP && is_tuned(launch) != (part.half == TUNED)) return false;
    return (part.lab == 0 || part.lab == launch->lab) && (!part.size || strcmp(part.size, launch->cell[SIZE]) == 0);
}

struct score score_of(const struct joined *joined, const struct quantity *quantity, struct part part) {
    struct score score = {0, 0};
    for (int i = 0; i < joined->count; i++) {
        const struct timed *launch = &joined->launches[i];
        if (!in_part(launch, part) || isnan(quantity_distance(quantity, launch))) continue;
        score.launches++;
        score.within += is_within(quantity, launch);
    }
    return score;
}

double score_percent(struct score score) {
    return score.launches > 0 ? 100.0 * score.within / score.launches : NAN;
}

double order_of(const struct joined *joined, struct part part) {
    struct pair *times = allocate((size_t)joined->count, sizeof *times);
    int count = 0;
    for (int i = 0; i < joined->count; i++)
        if (in_part(&joined->launches[i], part)) times[count++] = joined->launches[i].value[TIME];
    double rho = rank_correlation(times, count);
    free(times);
    return rho;
}
