/* tables.h: nvprof's tables, as text and as CSV. */
#pragma once

#include <stdio.h>

#include "activities.h"
#include "groups.h"
#include "metrics.h"
#include "options.h"

/* What a table prints, and how. */
struct report {
    FILE *out;
    int pid; /* printed as ==PID== */
    const struct options *options;
    const char *device; /* the GPUs' name */
    /* the tables of metrics: */
    const struct metric_list *wanted;
    const struct samples *samples;
    const struct groups *groups;
    /* the summary and the trace: */
    const struct activities *activities;
};

/* Prints events and metrics of each kernel: minimum, maximum and average over its launches, for
 * events the total too. */
void print_metrics(const struct report *report);

/* Prints in words what each kernel's time goes into (what_if.h). */
void print_what_if_groups(const struct report *report);

/* Prints events and metrics, one line a launch. */
void print_metric_trace(const struct report *report);

/* Prints the times by name, the longest first: of kernels, copies and fills (gpu), of API calls
 * (api). */
void print_summary(const struct report *report, bool gpu, bool api);

/* Prints how pages of managed memory moved, by direction; nothing if none did. */
void print_pages(const struct report *report);

/* Prints one line for each kernel, copy and fill (gpu) and for each API call (api). */
void print_trace(const struct report *report, bool gpu, bool api);

/* Writes the device's name and number to label: "NVIDIA H200 (0)". */
void device_label(const struct report *report, int device, char *label, size_t size);
