/* similar.h: finds texts of programs that look alike. */
#ifndef GRADE_SIMILAR_H
#define GRADE_SIMILAR_H

#include <stddef.h>
#include <stdio.h>

/* One program's text, under a name for the report. */
struct similar_text {
    const char *name, *text;
};

/* Prints which texts look alike, most alike first: places to look, no verdict, since short steps have few ways to be
 * right. Comments, layout, names and the values of constants do not count. First come the texts that are the same, and
 * then the pairs of which one text is found in the other for the most part, only for the first of several same texts.
 * Lines:
 *
 *     100 %  the same: alice, bob
 *      97 %  of carl is in alice
 *
 * Time and memory grow with the pairs of texts that share a run of tokens. Prints SIMILAR_LINES of the pairs at most,
 * and then how many are left out. */
enum { SIMILAR_LINES = 2000 };
void similar_print(FILE *out, const struct similar_text *texts, size_t n);

#endif
