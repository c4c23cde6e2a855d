/* output.h: the stream for the tables: stderr, or the file of --log-file; and that for the file of
 * --export-trace. A file appears whole at the end or not at all. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "lib/outfile.h"

/* An open output. Write to file. */
struct output {
    FILE *file;
    bool is_file;       /* the option names a file */
    const char *option; /* "--log-file", for messages */
    struct outfile target;
    FILE *nothing; /* /dev/null, for --quiet */
};

/* Opens the output. pattern is the value of the option, or NULL, which means stderr. %p stands for
 * pid, %h for the host, %q{NAME} for an environment variable, %% for a percent sign; the pattern %1
 * means stdout, %2 stderr. quiet discards everything. Returns false with a message in failure if
 * the file cannot be written or the pattern is wrong. Close with output_commit or output_drop. */
bool output_open(struct output *output, const char *option, const char *pattern, int pid,
                 bool quiet);

/* Writes the pattern to path with texts in place of what begins with %. Returns false with a
 * message in failure. */
bool output_expand(const char *option, const char *pattern, int pid, char *path, size_t size);

/* Gives the finished file its name. Returns false with a message in failure. */
bool output_commit(struct output *output);

/* Closes the output and removes the unfinished file. Allowed after output_commit. */
void output_drop(struct output *output);
