/* tables.h: nvprof's tables, as text and as CSV. */
#ifndef LABPROF_TABLES_H
#define LABPROF_TABLES_H

#include <stdio.h>

#include "groups.h"
#include "metrics.h"
#include "options.h"

/* What there is to print, and how. */
struct report {
    FILE *out;
    int pid; /* for ==PID== */
    const struct options *options;
    const struct metric_list *wanted;
    const struct samples *samples;
    const struct groups *groups;
};

/* Events and metrics of each kernel: least, most and average over its launches. */
void print_metrics(const struct report *report);

/* Events and metrics launch by launch. */
void print_metric_trace(const struct report *report);

/* Time by kernel, most first. */
void print_summary(const struct report *report);

/* One line a launch: time, shape, resources. */
void print_trace(const struct report *report);

/* "NVIDIA H200 (0)" */
void device_label(const struct samples *samples, char *label, size_t size);

/* A quoted CSV cell. */
void print_quoted(FILE *out, const char *text);

#endif
