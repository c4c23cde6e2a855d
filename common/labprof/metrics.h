/* metrics.h: the rows of metrics.tsv, and picking some by name. */
#ifndef LABPROF_METRICS_H
#define LABPROF_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/csv.h"

/* One row; the strings belong to the table. */
struct metric {
    const char *name;  /* nvprof's */
    const char *title; /* nvprof's short description */
    const char *unit;
    bool is_event;           /* one of nvprof's events, not of its metrics */
    const char *nvprof_name; /* NULL: nvprof has no such thing */
    const char *ncu_expression, *simt_expression;
    const char *ncu_note, *nvprof_note, *simt_note; /* "" for none */
    const char *description;
};

struct metrics {
    struct csv *table;
    struct metric *rows;
    int count;
};

/* Some metrics in a chosen order, none twice. */
struct metric_list {
    const struct metric **items;
    int count;
};

/* Reads metrics.tsv and checks every row: known kind, no name twice, expressions that parse. False with a message in
 * error. */
bool metrics_read(struct metrics *metrics, const char *path, char *error, size_t error_size);
void metrics_free(struct metrics *metrics);

const struct metric *metrics_find(const struct metrics *metrics, const char *name);

/* Adds the metrics of a comma-separated list of names; "all" stands for every row of the kind the option is for. A name
 * of the other kind is accepted. False with a message that names the unknown one and the nearest known. */
bool metrics_pick(const struct metrics *metrics, const char *names, bool events, struct metric_list *list, char *error,
                  size_t error_size);

/* The known name with the fewest letters different, NULL if none is near. */
const char *metrics_nearest(const struct metrics *metrics, const char *name);

/* Is the value from simt's time model, and no count? */
bool metric_is_modelled(const struct metric *metric);

#endif
