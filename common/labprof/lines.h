/* lines.h: what each line of the kernels' sources counts (--source), with the columns of Nsight
 * Compute's source page. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "filter.h"

/* The counts of a line, summed over the launches of its kernel. */
enum line_value {
    LINE_INST,        /* instructions, warps */
    LINE_THREAD_INST, /* the same, active threads */
    LINE_SECTORS,     /* of 32 bytes, that accesses to global memory touch */
    LINE_EXCESS,      /* those beyond what the bytes asked for need */
    LINE_WAVEFRONTS,  /* passes over the banks of shared memory */
    LINE_CONFLICTS,   /* those beyond the least */
    LINE_BRANCHES,    /* branch instructions, warps */
    LINE_DIVERGENT,   /* those whose threads went different ways */
    LINE_SAMPLES, /* of where warps are: counted on a GPU, modelled cycles in percent of a launch's
                     by simt */
    LINE_VALUES
};

enum { MAX_STALLS = 32, STALL_NAME = 32 };

/* What warps waited for, as samples are counted. */
struct line_stall {
    char name[STALL_NAME];
    double samples;
};

struct line {
    char *kernel; /* in nvprof's spelling */
    char *file;   /* "": the compiler names no line */
    long number;
    double values[LINE_VALUES]; /* NaN: not known */
    struct line_stall stalls[MAX_STALLS];
    int stall_count;
};

struct lines {
    struct line *items;
    int count, room;
};

/* The line of that kernel (in any spelling of names.h), file and number, with no counts yet if it
 * is new. The pointer is valid until the next call. */
struct line *lines_get(struct lines *lines, const char *kernel, const char *file, long number);
/* Adds to one count; NaN leaves it. */
void line_add(struct line *line, enum line_value value, double count);
void line_add_stall(struct line *line, const char *name, double samples);
/* The stall with the most samples; NULL: none has any. */
const struct line_stall *line_main_stall(const struct line *line);
void lines_free(struct lines *lines);
/* Drops the lines of kernels that no filter selects by name. */
void lines_filter(struct lines *lines, const struct filters *filters);

/* Adds what simt --source wrote. Returns false with a message in failure. */
bool lines_read_simt(struct lines *lines, const char *path);
/* Adds ncu's source page, as --page source --csv --print-source cuda,sass prints it: for each
 * launch and file a row "File Path", a row "Function Name", a row of headers that begins with "Line
 * No", and a row for each line, whose address is
 * "-", before the rows of its machine instructions. Returns false with a message in failure. */
bool lines_read_ncu(struct lines *lines, const char *path);

/* Prints a table of lines for each kernel, with the text of the source where it can be read; as CSV
 * with csv. */
void print_lines(FILE *out, const struct lines *lines, bool csv);
/* Prints collapsed stacks, which speedscope and flame graphs read: "kernel;file:line count", the
 * count being warp instructions. */
void print_collapsed(FILE *out, const struct lines *lines);
