/* what_if.h: in words, what a kernel's time goes into: what simt's model saves by removing one
 * thing at a time. */
#pragma once

#include <stdio.h>

#include "metrics.h"
#include "samples.h"

/* The line above such sentences. */
extern const char what_if_heading[];

/* Prints a sentence on one kernel, broken at width columns: its time, what costs most of it, and
 * what is left with nothing in its way. values: of the wanted metrics, those of KIND_WHAT_IF among
 * them. Nothing where they are not available. */
void print_what_if(FILE *out, const char *kernel, const struct metric_list *wanted,
                   const double *values, int width);
