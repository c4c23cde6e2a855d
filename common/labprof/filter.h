/* filter.h: --kernels, nvprof's way to name the launches to look at. */
#ifndef LABPROF_FILTER_H
#define LABPROF_FILTER_H

#include <regex.h>
#include <stdbool.h>

#include "samples.h"

/* A regular expression searched for in a kernel's bare name, and optionally which of its invocations (from 1):
 * "reduce", "::reduce:2". */
struct filter {
    bool set;
    char expression[256];
    regex_t regex;
    long invocation; /* 0: all */
};

/* False with a message in error. The contexts and streams of nvprof's long form must be empty or 1: labprof sees one of
 * each. */
bool filter_parse(struct filter *filter, const char *text, char *error, size_t error_size);
void filter_free(struct filter *filter);

/* Drops the samples that the filter does not name. */
void filter_apply(const struct filter *filter, struct samples *samples);

#endif
