/* options.h: nvprof's command line, and labprof's additions to it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format.h"
#include "lib/commandline.h"

/* --metrics and --events on one command line; --kernels; the numbers of --devices */
enum { MAX_NAME_LISTS = 32, MAX_SCOPES = 16, MAX_DEVICES = 64 };

/* The value of one --metrics or --events. */
struct name_list {
    const char *names; /* separated by commas */
    bool events;
    int scope; /* of the --kernels, the one that selects the launches; -1: all launches */
};

/* The API calls that are shown. */
enum api_calls { API_ALL, API_RUNTIME, API_DRIVER, API_NONE };

/* The command line. The strings belong to argv. */
struct options {
    struct name_list lists[MAX_NAME_LISTS];
    int list_count;
    const char *kernels[MAX_SCOPES];
    int kernels_count;
    unsigned long long devices; /* a bit each; 0: all */
    const char *device_list;    /* the same as text */
    long timeout;               /* seconds; 0: none */
    bool no_gpu, no_api;        /* --trace api, gpu */
    bool no_pages;              /* --unified-memory-profiling off */
    bool mangled;               /* --demangling off */
    bool summary_per_gpu;
    const char *context_name, *stream_name, *process_name; /* NULL: not given */
    struct option_notes notes;
    bool csv, quiet, gpu_trace, api_trace, gpu_summary, api_summary,
        summary; /* summary: --print-summary */
    bool query_metrics, query_events, help, version;
    bool profiler_calls;      /* --profile-from-start off */
    enum api_calls api_calls; /* --profile-api-trace */
    enum time_unit unit;
    const char *log_file; /* NULL: not given */
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

/* The row of nvprof's option of that index in the table; NULL: after the last one. */
const struct option_row *options_of_nvprof(size_t index);

/* What --help prints. */
extern const char options_help[];
