/* filter.h: --kernels, nvprof's option that selects launches. */
#pragma once

#include <regex.h>
#include <stdbool.h>

#include "samples.h"

/* A regular expression that must match part of the kernel's bare name, and optionally the number of
 * the invocation (from 1): "reduce", "::reduce:2". */
struct filter {
    bool set;
    char expression[256];
    regex_t regex;
    long invocation; /* 0: all */
};

/* Parses the value of --kernels. In nvprof's long form the context must be empty or 1 and the
 * stream empty: labprof sees one of each. Returns false with a message in failure. Free the filter
 * with filter_free. */
bool filter_parse(struct filter *filter, const char *text);
/* Frees the regular expression. A zeroed filter is allowed. */
void filter_free(struct filter *filter);

/* Does the filter select that invocation (from 1) of the kernel? kernel: the name in any spelling
 * of names.h. */
bool filter_selects(const struct filter *filter, const char *kernel, long invocation);

/* Frees and drops the samples that the filter does not select; the others keep their order. An
 * unset filter keeps all. */
void filter_apply(const struct filter *filter, struct samples *samples);
