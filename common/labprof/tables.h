/* tables.h: nvprof's tables, as text and as CSV; the timeline for Chrome; and --what-if's words. */
#pragma once

#include <stdio.h>

#include "activities.h"
#include "metrics.h"
#include "options.h"
#include "samples.h"

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

/* Prints in words what each kernel's time goes into. */
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

/* Writes the timeline in Chrome's trace event format, which Perfetto (ui.perfetto.dev) and Chrome
 * (chrome://tracing) open: one JSON object. A process of the program is a group of rows, one for
 * the API calls of each host thread. What it does on a GPU is another group, with a row for each
 * stream, and one for each direction of copies. Activities of one row that overlap take further
 * rows. An arrow leads from a call to each activity that it caused. device: the GPUs' name;
 * modelled: a model made the times. process_name: --process-name, or NULL. */
void chrome_write(FILE *out, const struct activities *activities, const char *device, bool modelled,
                  const char *process_name);

enum { NAME_SIZE = 128 };
/* Writes what traces call the context and the stream: their numbers, or --context-name and
 * --stream-name. */
void place_names(const struct report *report, int context, int stream, char context_name[NAME_SIZE],
                 char stream_name[NAME_SIZE]);

/* The line above the sentences of print_what_if. */
extern const char what_if_heading[];

/* Prints a sentence on one kernel, broken at width columns: its time, what costs most of it as
 * simt's model saves by removing one thing at a time, and what is left with nothing in its way.
 * values: of the wanted metrics, those of KIND_WHAT_IF among them. Nothing where they are not
 * available. */
void print_what_if(FILE *out, const char *kernel, const struct metric_list *wanted,
                   const double *values, int width);
