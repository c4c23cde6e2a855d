/* output.h: where the tables go: stderr, or the file of --log-file, which appears whole at the end or not at all. */
#ifndef LABPROF_OUTPUT_H
#define LABPROF_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/outfile.h"

struct output {
    FILE *file;
    bool is_file; /* of --log-file */
    struct outfile target;
    FILE *nothing; /* of --quiet */
};

/* pattern is the word of --log-file or NULL; in it %p is pid, %h the host, %q{NAME} an environment variable, %% a
 * percent sign; %1 alone is stdout, %2 stderr. quiet discards everything. False with a message in error when the file
 * cannot be written or the pattern is wrong. */
bool output_open(struct output *output, const char *pattern, int pid, bool quiet, char *error, size_t error_size);

/* The file gets its name. False with a message in error. */
bool output_commit(struct output *output, char *error, size_t error_size);

/* Nothing is left of it. */
void output_drop(struct output *output);

#endif
