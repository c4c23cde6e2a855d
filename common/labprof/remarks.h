/* remarks.h: what the reader must know about metrics: each one's values, and the list of all. */
#pragma once

#include <stdio.h>

#include "backend.h"
#include "metrics.h"
#include "samples.h"

/* Prints a line for each remark, with prefix in front: metrics that are modelled, those that the
 * back end counts in another way, and why values are missing. samples: the values of wanted. */
void print_remarks(FILE *out, const char *prefix, enum backend_kind backend,
                   const struct metric_list *wanted, const struct samples *samples);

/* Lists the events or the metrics in nvprof's format: name and description. A remark tells where
 * the back end has no value or a modelled one. */
void print_query(const struct metrics *metrics, bool events, const struct route *route, FILE *out);
