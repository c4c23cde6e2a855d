/* hints.h: labncu's hints (OPT): what simt's model saves of a kernel's time where one thing costs
 * none (labprof --what-if). */
#pragma once

#include <stdio.h>

#include "labprof/metrics.h"
#include "record.h"
#include "sections.h"

enum { HINT_TEXT = 512 };

/* A hint under a section's table. */
struct hint {
    const char *rule; /* the what-if's name: without_conflicts */
    double saved;     /* percent of the time */
    char text[HINT_TEXT];
};

/* The largest cost that has its place in this section, if it is at least a tenth of the launch's
 * time. Returns false if there is none. */
bool hint_find(const struct metrics *metrics, const struct section *section,
               struct profile_row *row, struct hint *hint);

/* Prints it as ncu prints a hint: its estimated speedup, and the text in lines of 120 letters. */
void hint_print(FILE *out, const struct hint *hint);
