/* filter.h: --kernels and --devices, nvprof's options that select launches. */
#pragma once

#include <regex.h>
#include <stdbool.h>

#include "options.h"
#include "samples.h"

/* What a context, a stream or an invocation must be. */
struct filter_part {
    enum { PART_ANY, PART_NUMBER, PART_NAME } kind;
    long number;
    regex_t name; /* must match part of the name, or of the invocation's digits */
};

/* A regular expression that must match part of the kernel's bare name, and optionally the context,
 * the stream and the invocation (from 1): "reduce", "::reduce:2", ":13::", ":copies::". */
struct filter {
    char expression[256];
    regex_t regex;
    struct filter_part context, stream, invocation;
};

/* All that a command line has. Start zeroed. */
struct filters {
    struct filter items[MAX_SCOPES];
    int count;
    unsigned long long devices;             /* as in struct options */
    const char *context_name, *stream_name; /* of --context-name and --stream-name; NULL: none */
};

/* What scopes has where every --kernels selects a launch. */
#define ALL_SCOPES (~0u)

/* Adds the value of a --kernels. Returns false with a message in failure. Free the filters with
 * filters_free. */
bool filters_add(struct filters *filters, const char *text);
/* Frees the regular expressions. Zeroed filters are allowed. */
void filters_free(struct filters *filters);

/* Where a launch was. */
struct place {
    int device, context, stream;
};

/* Is the device one of --devices? */
bool filters_have_device(const struct filters *filters, int device);

/* Which filters select that invocation (from 1) of the kernel: a bit each, ALL_SCOPES where there
 * is none; 0: none of them, or it is on another device. kernel: the name in any spelling of
 * names.h. */
unsigned filters_select(const struct filters *filters, const char *kernel, struct place place,
                        long invocation);

/* Writes to each sample which filters select it. Frees and drops those that none selects, and those
 * on other devices; the others keep their order. everywhere: a metric is for all launches, so only
 * devices drop some. */
void filters_apply(const struct filters *filters, struct samples *samples, bool everywhere);
