/* merge.h: puts a student's regions into the program as it was handed out, as the grader does. */
#pragma once

#include "lib/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What the student wrote in a region. */
struct piece {
    const char *name;
    char *text;       /* the lines; NULL: not put into the program */
    size_t line;      /* number of the first of them in the student's file, from 1 */
    bool todo;        /* as it was handed out */
    bool refused;     /* by the guard */
    char reason[512]; /* then: "line N: a ...", to begin a sentence */
};

/* Cuts the regions of `given` out of the submission, in the order of `given`, and after them the
 * helpers, without a name if `given` has no place for them. A region whose marks are missing or
 * damaged has no text; so have helpers without code. Free each text. */
void pieces_cut(struct piece *pieces, const struct source *given, const struct source *submission);

/* Returns the submission's lines about cooperative groups outside of the regions, to be freed: what
 * includes them, and names for them. A region may need them, and they do nothing else. program: the
 * name of the file, without .cu. */
char *merge_above(const struct source *submission, const char *program);

/* A line around a region: a declaration that does nothing, of the mark, b or e (begin or end) and
 * the region's number. */
#define MERGE_MARK "struct %s%c%zu;\n"

/* Writes `above`, and `given` with the pieces that have a text; helpers stand before the regions.
 * Any other region is empty, or has the TODO of `given`, a solution. Messages of a compiler have
 * the student's line numbers. mark: a word that the student cannot know; lines with it stand around
 * each region. */
void merge_put(FILE *out, const struct source *given, const struct piece *pieces, const char *above,
               const char *program, const char *mark, bool todo);
