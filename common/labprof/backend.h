/* backend.h: the three ways to profile a program. Each builds a command line that runs the program under its profiler,
 * and reads what the profiler left in the temporary folder. */
#ifndef LABPROF_BACKEND_H
#define LABPROF_BACKEND_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "child.h"
#include "filter.h"
#include "metrics.h"
#include "options.h"
#include "route.h"
#include "samples.h"

/* What to do. */
struct job {
    const struct options *options;
    const struct route *route;
    const struct metric_list *wanted;
    const struct filter *filter;
    char folder[PATH_MAX / 2]; /* temporary, ours alone */
};

/* What came of it. */
struct result {
    struct samples samples;
    char relay[PATH_MAX]; /* "" or a text that nvprof itself has formatted, to be passed on as it is */
    FILE *notes;          /* warnings for the user, one a line */
};

struct backend {
    /* The command line, and NAME=VALUE additions to its environment. */
    bool (*prepare)(const struct job *job, struct arguments *command, struct arguments *environment, char *error,
                    size_t error_size);
    /* After the run: the samples. May correct end->status to the program's own where the profiler returned something
     * else. False with a message in error if the profiler failed, not the program. */
    bool (*collect)(const struct job *job, struct child_end *end, struct result *result, char *error,
                    size_t error_size);
};

extern const struct backend backend_simt, backend_ncu, backend_nvprof;

/* Adds the program and its arguments to a profiler's command line. */
void add_program(const struct job *job, struct arguments *command);

/* A file's path in the temporary folder. */
void job_path(const struct job *job, const char *name, char path[PATH_MAX]);

#endif
