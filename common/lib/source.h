/* source.h: a lab's .cu file as lines, and the student's regions in it.
 *
 *     // BEGIN SOLUTION reduceUnroll2
 *     // TODO("what to do", "handouts/lab3.md#where");      what the student finds here instead of the solution
 *     ...                                                   the solution
 *     // END SOLUTION
 *
 * A file may also have a place for functions and constants of the student's own, which is no step:
 *
 *     // BEGIN HELPERS
 *     // END HELPERS
 *
 * Where the student mends a fault, there is no TODO: the region is handed out with the lines of
 * which this is said, and without those that are mended.
 *
 *     // WAS: if (i <= n) out[i] = in[i];
 *     if (i < n) out[i] = in[i]; // MENDED */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SOURCE_MAX_REGIONS = 64, SOURCE_NAME_SIZE = 64 };

struct region {
    char name[SOURCE_NAME_SIZE];
    size_t begin, end; /* lines of its two marks, counted from 0 */
};

struct source {
    const char *path; /* as given; not copied */
    char *text;       /* the whole file; lines point into it */
    char **lines;     /* without line ends */
    size_t lines_n;
    struct region regions[SOURCE_MAX_REGIONS];
    size_t regions_n;
    struct region helpers; /* without a name: there is no such place */
};

/* Read the file and find its regions. False with "PATH: why" or "PATH:LINE: why" in failure:
 * unreadable, or a mark without its counterpart, a nested one, one without a name, or two of the
 * same name. Free with source_free either way. */
bool source_read(struct source *source, const char *path);

/* The same from memory, of which a copy is taken. */
bool source_parse(struct source *source, const char *text, const char *path);

/* The same from memory, for a file that somebody else has worked in: regions whose marks are
 * damaged, nested or there twice are left out, and nothing is an error. */
void source_salvage(struct source *source, const char *text, const char *path);

/* Is the region as it was handed out: does a TODO stand in it, not in a comment? */
bool source_is_todo(const struct source *source, const struct region *region);

/* Print the TODO that stands in comments at the top of a solution's region, without its comment
 * signs: what a student finds there. False with "PATH:LINE: why" if there is none. */
bool source_put_todo(FILE *out, const struct source *source, const struct region *region);

/* Print what a student finds in a solution's region: that TODO, or its faulty lines. False as
 * above.
 */
bool source_put_handed_out(FILE *out, const struct source *source, const struct region *region);

/* The first line of the head of the function whose body the region is; is that function for the
 * CPU? */
size_t source_head(const struct source *source, const struct region *region);
bool source_on_host(const struct source *source, const struct region *region);

void source_free(struct source *source);

/* The text as a compiler sees it: without comments, and with a blank or a line end for each white
 * space. To be freed. */
char *source_code(const char *text);

/* The region of that name, or NULL. */
const struct region *source_region(const struct source *source, const char *name);

/* Does the line begin with this word or words, after white space? Returns what follows, or NULL. */
const char *line_after(const char *line, const char *words);
