#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 100.0 /* in a whole */

static double number(const struct csv *table, int row, const char *column) {
    const char *cell = csv_get(table, row, column);
    char *end;
    double value = strtod(cell, &end);
    return end == cell || *end ? NAN : value;
}

static struct values values_of(const struct csv *table, int row) {
    struct values values = {
        .time_ms = number(table, row, "time_ms"),
        .occupancy = POINTS * number(table, row, "achieved_occupancy"),
        .stall_sync = number(table, row, "stall_sync"),
        .dram_bytes = number(table, row, "dram_read_bytes") + number(table, row, "dram_write_bytes"),
        .instructions = number(table, row, "inst_executed"),
    };
    return values;
}

static bool is_timed(const struct csv *table, int row) {
    return strcmp(csv_get(table, row, "status"), "ok") == 0 && number(table, row, "time_ms") > 0;
}

static bool same_launch(const struct csv *a, int x, const struct csv *b, int y) {
    static const char *const keys[] = {"lab", "size", "problem", "step", "launch", "kernel", "grid", "block"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(csv_get(a, x, keys[i]), csv_get(b, y, keys[i])) != 0) return false;
    return true;
}

/* What the model says of a row of the GPU's table. */
static struct values find_model(const struct joined *j, int row) {
    for (int m = 0; m < csv_rows(j->model_table); m++)
        if (is_timed(j->model_table, m) && same_launch(j->gpu_table, row, j->model_table, m))
            return values_of(j->model_table, m);
    return (struct values){NAN, NAN, NAN, NAN, NAN};
}

static struct launch launch_of(const struct joined *j, int row) {
    const struct csv *t = j->gpu_table;
    return (struct launch){
        .lab = atoi(csv_get(t, row, "lab")),
        .step = atoi(csv_get(t, row, "step")),
        .number = atoi(csv_get(t, row, "launch")),
        .size = csv_get(t, row, "size"),
        .kernel = csv_get(t, row, "kernel"),
        .grid = csv_get(t, row, "grid"),
        .block = csv_get(t, row, "block"),
        .gpu = values_of(t, row),
        .model = find_model(j, row),
    };
}

static struct csv *read_table(const char *path, char *error, size_t error_size) {
    static const char *const columns[] = {"lab", "size", "step", "launch", "kernel", "status", "time_ms", "device"};
    struct csv *table = csv_read(path, &CSV_COMMAS, error, error_size);
    for (size_t i = 0; table && i < sizeof columns / sizeof *columns; i++) {
        if (csv_column(table, columns[i]) >= 0) continue;
        snprintf(error, error_size, "%s has no column %s: is it a table of model-rows?", path, columns[i]);
        csv_free(table);
        table = NULL;
    }
    return table;
}

bool joined_read(struct joined *j, const char *gpu_path, const char *model_path, char *error, size_t error_size) {
    memset(j, 0, sizeof *j);
    j->gpu_table = read_table(gpu_path, error, error_size);
    j->model_table = j->gpu_table ? read_table(model_path, error, error_size) : NULL;
    if (!j->model_table) return false;
    j->launches = calloc((size_t)csv_rows(j->gpu_table) + 1, sizeof *j->launches);
    if (!j->launches) return false;
    for (int row = 0; row < csv_rows(j->gpu_table); row++)
        if (is_timed(j->gpu_table, row)) j->launches[j->count++] = launch_of(j, row);
    j->gpu_device = csv_get(j->gpu_table, 0, "device");
    j->model_device = csv_get(j->model_table, 0, "device");
    if (j->count == 0) snprintf(error, error_size, "%s has no launch that was timed", gpu_path);
    return j->count > 0;
}

void joined_free(struct joined *j) {
    free(j->launches);
    csv_free(j->gpu_table);
    csv_free(j->model_table);
    memset(j, 0, sizeof *j);
}
