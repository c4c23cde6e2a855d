/* query.h: --query-metrics and --query-events. */
#ifndef LABPROF_QUERY_H
#define LABPROF_QUERY_H

#include <stdio.h>

#include "metrics.h"
#include "route.h"

/* Lists the events or the metrics as nvprof does: name and meaning, and here also where the back end gives none or a
 * modelled value. */
void print_query(const struct metrics *metrics, bool events, const struct route *route, FILE *out);

#endif
