/* tables.h: reads tables, and finds the row of one table that is about the same launch as a row of another. */
#ifndef COMPARE_TABLES_H
#define COMPARE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/csv.h"

/* The cells that tell launches apart. A table of times has no METRIC, a metrics.csv has a row for each. Only a table of
 * `compare collect` has SIZE, PROBLEM and TURN. */
enum cell { STEP, KERNEL, GRID, BLOCK, METRIC, LAB, SIZE, PROBLEM, TURN, CELLS };

struct launch {
    const char *cell[CELLS]; /* "" where the table has no such column */
    int occurrence;          /* earlier rows with the same cells */
};

/* All zero is an empty table. */
struct table {
    struct csv *csv;
    struct launch *launches;      /* of each row */
    const struct launch **sorted; /* by cells and occurrence */
    int rows;
};

/* count zeroed elements of size bytes. Without memory the program ends with a message and status 2. */
void *allocate(size_t count, size_t size);

/* Reads a table that must have these columns; columns ends with NULL. NULL with a message on stderr. Free with
 * csv_free. */
struct csv *read_columns(const char *path, const struct csv_format *format, const char *const columns[]);

/* Reads a CSV of launches that must have these columns. False with a message on stderr. Free with table_free. */
bool table_read(struct table *table, const char *path, const char *const columns[]);
void table_free(struct table *table);

/* The row about the same launch: equal cells, equal occurrence. metric takes the place of launch's METRIC; "" in a
 * table of times. -1: none. */
int table_find(const struct table *table, const struct launch *launch, const char *metric);

/* Whether all cells of two launches are equal. */
bool same_launch(const struct launch *a, const struct launch *b);

/* Whether two names are of one kernel: what stands in parentheses, as in strideLoad(4), does not count. */
bool same_kernel(const char *a, const char *b);

bool is_cell(const struct csv *csv, int row, const char *column, const char *text);

/* A cell as a number; NaN where it is none, such as NA. */
double cell_number(const struct csv *csv, int row, const char *column);

#endif
