/* record.h: the results of a run: for each process its launches, as rows of simt's profile, and
 * what the lines of the source count. -o writes them to a file, and --import reads them again. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "labprof/backend.h"
#include "lib/csv.h"

/* A process of the program. */
struct process {
    long pid;
    char *name;
    struct csv *profile;
    struct csv *source; /* counts by line; NULL: not collected */
};

/* A launch that was chosen. */
struct launch {
    const struct process *process;
    int row;                      /* of its profile */
    char *name;                   /* void reduce0<int>(const T1 *, T1 *, unsigned int) */
    char *base;                   /* reduce0 */
    const char *mangled, *number; /* number: the row's, which its lines of the source have, too */
};

struct record {
    struct process *processes;
    int process_count;
    char *trust;             /* how far to trust all this; "": simt did not say */
    struct launch *launches; /* in order */
    int launch_count;
};

/* Reads what simt wrote for a job. pid, name: of the program. Every launch that ran is in launches.
 * Returns false with a message in failure. Free with record_free. */
bool record_collect(struct record *record, const struct job *job, long pid, const char *name);
void record_free(struct record *record);

/* The launch's row. */
struct profile_row launch_row(const struct launch *launch);

/* Writes the chosen launches, and the lines of their kernels. */
void record_write(const struct record *record, FILE *out);
/* Is that a file of record_write? */
bool record_is(const char *path);
/* Reads one. Returns false with a message in failure. */
bool record_read(struct record *record, const char *path);

/* Writes the lines' counts of the chosen launches to a file of simt's form, for lines_read_simt.
 * Returns false with a message in failure; *any: are there some? */
bool record_write_source(const struct record *record, const char *path, bool *any);
