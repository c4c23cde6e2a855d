/* options.h: nvprof's command line, and labprof's additions to it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format.h"

enum { MAX_NAME_LISTS = 32 }; /* --metrics and --events on one command line */

/* The value of one --metrics or --events. */
struct name_list {
    const char *names; /* separated by commas */
    bool events;
};

/* The API calls that are shown. */
enum api_calls { API_ALL, API_RUNTIME, API_DRIVER, API_NONE };

/* The command line. The strings belong to argv. */
struct options {
    struct name_list lists[MAX_NAME_LISTS];
    int list_count;
    bool csv, quiet, gpu_trace, api_trace, gpu_summary, api_summary,
        summary; /* summary: --print-summary */
    bool query_metrics, query_events, help, version;
    bool profiler_calls;      /* --profile-from-start off */
    enum api_calls api_calls; /* --profile-api-trace */
    enum time_unit unit;
    const char *kernels, *log_file; /* NULL: not given */
    const char *backend,
        *gpu;                 /* additions of labprof: the back end, the GPU that simt simulates, */
    const char *export_trace; /* the file for Chrome's trace */
    const char *lab_metrics, *lab, *steps;
    bool lab_table;
    bool what_if;              /* the time without each bottleneck */
    bool source;               /* count by line */
    const char *source_format; /* table or collapsed; NULL: table */
    char **command;            /* the program and its arguments, NULL-terminated */
};

/* Fills options from main's arguments. Returns false with a message in failure. */
bool options_parse(struct options *options, int argc, char **argv);

/* What --help prints. */
extern const char options_help[];
