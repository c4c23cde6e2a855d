/* remarks.h: what the reader must know about metrics' values. */
#pragma once

#include <stdio.h>

#include "metrics.h"
#include "route.h"
#include "samples.h"

/* Prints a line for each remark, with prefix in front: metrics that are modelled, those that the
 * back end counts in another way, and why values are missing. samples: the values of wanted. */
void print_remarks(FILE *out, const char *prefix, enum backend_kind backend,
                   const struct metric_list *wanted, const struct samples *samples);
