/* backend.h: the four back ends, and the choice of one for this machine. Each builds the command
 * line that runs the program under its profiler. After the run it reads the files that the profiler
 * left in the temporary folder. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "activities.h"
#include "child.h"
#include "filter.h"
#include "lines.h"
#include "metrics.h"
#include "options.h"
#include "samples.h"

enum backend_kind { BACKEND_SIMT, BACKEND_NCU, BACKEND_NVPROF, BACKEND_CUPTI };

/* The chosen back end and its GPU. */
struct route {
    enum backend_kind backend;
    char device[128]; /* the GPU's name; "" for simt, whose profile names it later */
};

/* Chooses the back end. No GPU: simt. Without metrics: cupti. With metrics, compute capability 7.5
 * and newer: ncu; 7.0 to 7.2: nvprof where it is installed, else ncu; older: nvprof. wanted is the
 * value of --backend; if it is NULL, DEVICE=sim|gpu|auto in the environment decides. metrics: are
 * metrics or events asked for? Returns false with a message in failure. */
bool route_find(struct route *route, const char *wanted, bool metrics);

/* Has the back end a value for the metric, on some GPU? */
bool backend_has(enum backend_kind backend, const struct metric *metric);

/* "simt", "ncu", "nvprof" or "cupti". */
const char *backend_name(enum backend_kind backend);

/* One profiling job. The pointers belong to the caller. */
struct job {
    const struct options *options;
    const struct route *route;
    const struct metric_list *wanted;
    const struct filters *filters;
    char folder[PATH_MAX / 2]; /* temporary; only this run of labprof uses it */
};

/* The result of a job. */
struct result {
    struct samples samples;       /* with metrics */
    struct activities activities; /* without metrics */
    struct lines lines;           /* with --source */
    FILE *notes;                  /* warnings for the user, one a line */
};

struct backend {
    /* Fills command with the command line, and environment with NAME=VALUE strings to add. Both
     * start zeroed; the caller frees them, after a failure too. Returns false with a message in
     * failure. */
    bool (*prepare)(const struct job *job, struct arguments *command,
                    struct arguments *environment);
    /* Fills result after the run. Replaces end->status by the program's exit status where the
     * profiler returned another one. Returns false with a message in failure if the profiler
     * failed; a failure of the program is not an error. */
    bool (*collect)(const struct job *job, struct child_end *end, struct result *result);
};

extern const struct backend backend_simt, backend_ncu, backend_nvprof, backend_cupti;

/* One row of simt's profile. */
struct profile_row {
    const struct csv *table;
    int row;
};

/* For expr_eval: the number in the row's column of that name; grid_size and block_size: blocks and
 * threads of a block; grid_x, block_z ...: those in one direction. NaN: NA, or no number. row is a
 * struct profile_row. */
double profile_value(void *row, const char *name);

/* Finds ncu, and writes its path. Returns false with a message in failure. */
bool ncu_find(char path[PATH_MAX]);

/* Makes the job's temporary folder in TMPDIR (or /tmp), which only this user can read. Returns
 * false with a message in failure. */
bool job_begin(struct job *job);
/* Removes the folder, if it was made, with all that is in it. */
void job_end(const struct job *job);

/* Appends the program and its arguments to a profiler's command line. */
void add_program(const struct job *job, struct arguments *command);

/* Takes the launch's device, context and stream from these columns; a cell that is no number leaves
 * what is there. */
void place_sample(struct sample *sample, const struct csv *table, int row, const char *device,
                  const char *context, const char *stream);

/* Has each process a file, as --log-file has a %p? */
bool log_is_by_process(const struct options *options);

/* Writes the path of the named file in the temporary folder to path. */
void job_path(const struct job *job, const char *name, char path[PATH_MAX]);

/* Writes the path of a file that stands beside labprof's program, or relative to its folder, to
 * path. */
void beside_labprof(const char *name, char path[PATH_MAX]);
