/* activities.h: what host and device did during a run: the rows of all its processes' timelines,
 * for the summary, the traces and --export-trace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "filter.h"
#include "lib/timeline.h"

/* A row of a timeline. */
struct activity {
    const struct timeline_row *row;
    const char
        *name;   /* as nvprof prints it: a kernel's signature, [CUDA memcpy HtoD], cudaMalloc */
    int process; /* its number */
    const struct activity
        *call; /* the API call that caused it; NULL: an API call itself, or not recorded */
    const struct activity
        *kernel; /* of an API call: the first kernel that it launched; NULL: none */
    bool hidden; /* an option leaves it out */
};

/* The activities in the order of their starts. Zero it before activities_read. */
struct activities {
    struct activity *items;
    size_t count;
    const char *trust;          /* how far to trust all this; NULL: it was measured */
    struct timeline *timelines; /* one a process */
    size_t timeline_count;
    struct activity_name *names;
    size_t name_count;
};

/* Reads all timelines whose paths match the pattern. In a path, the number of the process stands
 * after the first dot of the file's name. None is no error. Returns false with a message in
 * failure. Free with activities_free. */
bool activities_read(struct activities *activities, const char *pattern);
void activities_free(struct activities *activities);

/* Hides the kernels that no filter selects, and what other devices did. */
void activities_filter(struct activities *activities, const struct filters *filters);
/* Hides what the devices did. */
void activities_hide_gpu(struct activities *activities);

/* Hides the calls of the runtime API, of the driver API, or of both. */
void activities_hide_calls(struct activities *activities, bool runtime, bool driver);

/* Hides what the program did before cudaProfilerStart and after cudaProfilerStop. */
void activities_hide_unprofiled(struct activities *activities);

/* Is it a kernel, a copy or a fill, which nvprof calls GPU activities? */
bool activity_on_gpu(const struct activity *activity);

/* Its length in nanoseconds. */
double activity_ns(const struct activity *activity);
