/* table.h: two tables of model-rows, a GPU's and the simulator's, joined launch by launch. */
#ifndef MODEL_TABLE_H
#define MODEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/csv.h"

/* What the model is judged by, of one launch. NaN: not measured. */
struct values {
    double time_ms;
    double occupancy;  /* achieved, in points: 0 to 100 */
    double stall_sync; /* percent */
    double dram_bytes; /* read and written */
    double instructions;
};

/* A launch that the GPU ran and timed. */
struct launch {
    int lab, step, number; /* number: of the step's launches, from 1 */
    const char *size;      /* small, medium or large */
    const char *kernel, *grid, *block;
    struct values gpu, model; /* all NaN where the model has no such launch */
};

/* Odd steps were looked at while the model was tuned, even ones were not. */
static inline bool is_tuned(const struct launch *launch) {
    return launch->step % 2 == 1;
}

struct joined {
    struct csv *gpu_table, *model_table; /* launches point into them */
    const char *gpu_device, *model_device;
    struct launch *launches;
    int count;
};

/* Reads and joins; launches that the GPU refused or did not time are left out. False with a message in error: a file
 * that cannot be read, has no launches, or lacks a column. */
bool joined_read(struct joined *joined, const char *gpu_path, const char *model_path, char *error, size_t error_size);
void joined_free(struct joined *joined);

#endif
