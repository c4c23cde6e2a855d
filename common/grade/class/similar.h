/* similar.h: finds texts of programs that look alike. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* One program's text, under a name for the report. */
struct similar_text {
    const char *name, *text;
};

/* Prints groups of texts that look alike, the most unusual first: places to look, no verdict.
 * Comments, layout, names and the values of constants do not count, nor does what many texts have,
 * since a class that follows one text has it. Each text of a group has most of another's unusual
 * tokens. A line is the largest number of tokens that two share, and the names, with = between
 * texts that are the same:
 *
 *       312  alice = bob, carl
 *
 * Time and memory grow with the pairs of texts that share an unusual run of tokens. Prints
 * SIMILAR_LINES groups at most, and then how many are left out; nothing at all where there is none.
 */
enum { SIMILAR_LINES = 20 };
void similar_print(FILE *out, const struct similar_text *texts, size_t n);
