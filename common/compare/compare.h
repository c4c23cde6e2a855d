/* compare.h: what the commands of compare share: arguments, reading and joining tables, judging,
 * writing. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "lib/csv.h"

/* ---- Commands ---- */

/* What a command returns: an exit status, the worse the larger, or BAD_CALL if an option is
 * missing. */
enum { ALL_WITHIN = 0, NOT_WITHIN = 1, CANNOT_COMPARE = 2, BAD_CALL = 3 };

/* The arguments of one comparison. Options that are not given are NULL. */
struct arguments {
    const char *overview, *versions; /* for all comparisons; the first one has them */
    const char *reasons, *output, *every, *plot, *points, *scores, *trust;
    const char *into, *size, *problem, *columns;
    char **files;
};

/* The commands. Each takes count comparisons, at least 1, and returns a status. Errors are printed
 * on stderr. */
int compare_labs(const struct arguments *all, int count);
int compare_compilers(const struct arguments *all, int count);
int compare_truth(const struct arguments *all, int count);
int compare_order(const struct arguments *all, int count);
int compare_notes(const struct arguments *a, int count);
int collect_launches(const struct arguments *a, int count);

/* ---- Tables: tables.c ---- */

/* The cells that tell launches apart. A metrics.csv has a row for each METRIC of a launch, a table
 * of times has no such column. Only tables of `compare collect` have SIZE, PROBLEM and TURN. */
enum cell { STEP, KERNEL, GRID, BLOCK, METRIC, LAB, SIZE, PROBLEM, TURN, CELLS };

struct launch {
    const char *cell[CELLS]; /* "" where the table has no such column */
    int occurrence;          /* how many earlier rows have the same cells */
};

/* All zero is an empty table. */
struct table {
    struct csv *csv;
    struct launch *launches;      /* of each row */
    const struct launch **sorted; /* by cells and occurrence */
    int rows;
};

/* Reads a CSV of launches that must have these columns. False with a sentence in failure. Free with
 * table_free. */
bool table_read(struct table *table, const char *path, const char *const columns[]);
void table_free(struct table *table);

/* The row of the same launch: equal cells, equal occurrence. metric replaces launch's METRIC; it is
 * "" for a table of times. -1: none. */
int table_find(const struct table *table, const struct launch *launch, const char *metric);

/* Whether all cells of two launches are equal. */
bool same_launch(const struct launch *a, const struct launch *b);

/* Whether two names are of one kernel, whatever the arguments in parentheses, as in strideLoad(4).
 */
bool same_kernel(const char *a, const char *b);

/* A cell as a number; NaN if it is not one, such as NA. */
double cell_number(const struct csv *csv, int row, const char *column);

/* ---- Judging: judge.c ---- */

/* The value of one quantity on both sides; NaN where a side has none. */
struct pair {
    double reference, other;
};

/* How a distance is measured. */
enum measure {
    EQUAL,   /* the difference; any is too much */
    POINTS,  /* the difference, of two percentages */
    PERCENT, /* the difference in percent of the reference */
    FACTOR,  /* the larger over the smaller */
    RATE,    /* the difference divided by the requests of the reference */
    SHOWN    /* the difference, without a limit */
};

/* NaN if a value is missing. RATE: the difference; the caller divides it by the requests. */
double distance_of(enum measure measure, struct pair values);

/* Spearman's rho and Pearson's r of the pairs that have both values; NaN with fewer than two of
 * them. */
double rank_correlation(const struct pair *pairs, int count);
double linear_correlation(const struct pair *pairs, int count);

/* The columns of the overview of labs. */
enum bound_group {
    GROUP_SECTORS,
    GROUP_SHARED,
    GROUP_RATIO,
    GROUP_INSTRUCTIONS,
    GROUPS,
    GROUP_NONE
};

/* How far apart a metric may be. */
struct bound {
    const char *metric;
    enum measure measure; /* of simulator and GPU */
    double limit;
    enum bound_group group;
    bool by_source; /* the source alone decides the metric: it must be equal with nvcc and clang */
    const char *requests; /* RATE: the metric that counts them */
};

/* The bound of a metric. SHOWN for a metric without one. */
struct bound bound_of(const char *metric);
/* The i-th metric with a bound; NULL after the last. */
const struct bound *judged_metric(int i);

/* ---- Writing: write.c ---- */

/* Writes a file, whole or not at all; put writes its text. path may be NULL: then nothing is
 * written. False with a sentence in failure. */
bool write_file(const char *path, void (*put)(const void *what, FILE *out), const void *what);

/* NaN is NA, infinity is "none". */
void put_number(FILE *out, double value, int decimals);

/* Scores are written as the metrics of a run, so that handouts can name them. The kernel column has
 * what is scored. */
struct scores;

/* Writes PREFIX-metrics.csv, the scores, and PREFIX.csv, the run, which has no times. put calls the
 * two functions below; it is called for each file. backend: the cell of that column. prefix may be
 * NULL. False as write_file. */
bool write_scores(const char *prefix, const char *backend,
                  void (*put)(const void *what, struct scores *scores), const void *what);
/* The next scores belong to this kernel, lab (0: all) and device. The texts must live until
 * write_scores returns. */
void scores_begin(struct scores *scores, int lab, const char *kernel, const char *device);
void scores_put(struct scores *scores, const char *metric, double value, int decimals,
                const char *unit);
