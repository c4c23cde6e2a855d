/* query.h: --query-metrics and --query-events. */
#pragma once

#include <stdio.h>

#include "metrics.h"
#include "route.h"

/* Lists the events or the metrics in nvprof's format: name and description. A remark tells where
 * the back end has no value or a modelled one. */
void print_query(const struct metrics *metrics, bool events, const struct route *route, FILE *out);
