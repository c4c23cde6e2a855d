/* values.h: ncu's metrics, with their suffixes, as metrics.tsv and a launch's row in simt's profile
 * give them. */
#pragma once

#include <stdbool.h>

#include "labprof/backend.h"
#include "labprof/metrics.h"

enum { METRIC_NAME = 192, METRIC_UNIT = 48 };

/* A metric under ncu's name. */
struct ncu_metric {
    char name[METRIC_NAME], unit[METRIC_UNIT];
    const struct metric *row; /* of metrics.tsv; NULL: simt has no value */
    double scale;             /* the row's value is so many times ncu's */
    char divisor[128];        /* an expression over the profile that divides it; "": none */
    bool modelled;            /* not counted */
};

/* Finds the metric of that name, suffix included: a row under ncu's name; one whose ncu_expression
 * is a multiple of that metric alone; or one of these with .sum, divided by what the suffix asks
 * for: .avg, .per_second, .per_cycle_active, .per_cycle_elapsed. Returns false, and a metric
 * without a row, if there is none. */
bool ncu_metric_find(const struct metrics *metrics, const char *name, struct ncu_metric *metric);

/* Its value in a launch, in its unit; NaN: not available. */
double ncu_metric_value(const struct ncu_metric *metric, struct profile_row *row);
