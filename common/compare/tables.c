#include "compare.h"

#include "lib/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cells ---- */

double cell_number(const struct csv *csv, int row, const char *column) {
    return csv_number(csv_get(csv, row, column));
}

/* ---- Launches ---- */

static int compare_cells(const struct launch *a, const struct launch *b) {
    int order = 0;
    for (int i = 0; i < CELLS && order == 0; i++) order = strcmp(a->cell[i], b->cell[i]);
    return order;
}

bool same_launch(const struct launch *a, const struct launch *b) {
    return compare_cells(a, b) == 0;
}

bool same_kernel(const char *a, const char *b) {
    size_t length = strcspn(a, "(");
    return strcspn(b, "(") == length && strncmp(a, b, length) == 0;
}

/* Launches of one table lie in the order of their rows. */
static int by_row(const void *a, const void *b) {
    const struct launch *x = *(const struct launch *const *)a,
                        *y = *(const struct launch *const *)b;
    int order = compare_cells(x, y);
    return order ? order : (x > y) - (x < y);
}

static int by_occurrence(const void *a, const void *b) {
    const struct launch *x = *(const struct launch *const *)a,
                        *y = *(const struct launch *const *)b;
    int order = compare_cells(x, y);
    return order ? order : x->occurrence - y->occurrence;
}

bool table_read(struct table *t, const char *path, const char *const columns[]) {
    static const char *const names[CELLS] = {"step", "kernel", "grid",    "block", "metric",
                                             "lab",  "size",   "problem", "launch"};
    *t = (struct table){.csv = csv_read_columns(path, &CSV_COMMAS, columns)};
    if (!t->csv) return false;
    t->rows = csv_rows(t->csv);
    t->launches = need(calloc((size_t)t->rows, sizeof *t->launches));
    t->sorted = need(calloc((size_t)t->rows, sizeof *t->sorted));
    for (int i = 0; i < CELLS; i++) {
        int column = csv_column(t->csv, names[i]);
        for (int row = 0; row < t->rows; row++)
            t->launches[row].cell[i] = csv_at(t->csv, row, column);
    }
    /* Sort the launches; then equal ones are neighbours and can be counted. */
    for (int j = 0; j < t->rows; j++) t->sorted[j] = &t->launches[j];
    qsort(t->sorted, (size_t)t->rows, sizeof *t->sorted, by_row);
    for (int k = 1; k < t->rows; k++)
        if (same_launch(t->sorted[k - 1], t->sorted[k]))
            t->launches[t->sorted[k] - t->launches].occurrence = t->sorted[k - 1]->occurrence + 1;
    return true;
}

void table_free(struct table *t) {
    csv_free(t->csv);
    free(t->launches);
    free(t->sorted);
    *t = (struct table){0};
}

int table_find(const struct table *t, const struct launch *launch, const char *metric) {
    struct launch wanted = *launch;
    const struct launch *key = &wanted;
    wanted.cell[METRIC] = metric;
    if (t->rows == 0) return -1;
    const struct launch **found =
        bsearch(&key, t->sorted, (size_t)t->rows, sizeof *t->sorted, by_occurrence);
    return found ? (int)(*found - t->launches) : -1;
}
