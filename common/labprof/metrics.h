/* metrics.h: the rows of metrics.tsv, and selecting some by name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/csv.h"

/* What nvprof calls a metric, what it calls an event, what only a simulator can tell: the time
 * without a bottleneck; and a metric under ncu's name, which labncu prints (labncu/values.h). */
enum metric_kind { KIND_METRIC, KIND_EVENT, KIND_WHAT_IF, KIND_NCU, KIND_COUNT };

/* One row; the strings belong to the table. */
struct metric {
    const char *name;  /* nvprof's */
    const char *title; /* nvprof's short description */
    const char *unit;
    enum metric_kind kind;
    const char *nvprof_name; /* NULL: nvprof does not have it */
    const char *ncu_expression, *simt_expression;
    const char *ncu_note, *nvprof_note, *simt_note; /* "" for none */
    const char *description;
};

/* All rows of metrics.tsv. */
struct metrics {
    struct csv *table;
    struct metric *rows;
    int count;
};

/* Distinct metrics in a chosen order, and of each for which --kernels it is: a bit each, ~0 for all
 * launches. It starts zeroed; free it with metrics_list_free. */
struct metric_list {
    const struct metric **items;
    unsigned *scopes;
    int count;
};

/* Reads metrics.tsv and checks every row: a known kind, a name unique in it, expressions that
 * parse. Returns false with a message in failure. Free the metrics with metrics_free. */
bool metrics_read(struct metrics *metrics, const char *path);
void metrics_free(struct metrics *metrics);

/* The first row of that name; NULL: none. */
const struct metric *metrics_find(const struct metrics *metrics, const char *name);

/* Adds all of a kind, for all launches. */
void metrics_pick_all(const struct metrics *metrics, enum metric_kind kind,
                      struct metric_list *list);
void metrics_list_free(struct metric_list *list);

/* Adds the metrics of a comma-separated list of names, for these scopes. "all" adds every event if
 * events, else every metric; a single name may be of the other kind. Returns false with a message
 * in failure that names the unknown name and the nearest known one. */
bool metrics_pick(const struct metrics *metrics, const char *names, bool events, unsigned scopes,
                  struct metric_list *list);

/* The known name with the smallest edit distance; NULL if every name differs in half the characters
 * or more. */
const char *metrics_nearest(const struct metrics *metrics, const char *name);

/* Is there one of the kind? */
bool metrics_have(const struct metric_list *list, enum metric_kind kind);

/* Does simt's time model give the value, rather than a count? */
bool metric_is_modelled(const struct metric *metric);
