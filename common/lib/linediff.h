/* linediff.h: what two sequences of lines have in common, by their longest common subsequence.
 * White space does not count. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Some lines of a file. */
struct slice {
    char **lines;
    size_t n;
};

/* length[i * (b.n + 1) + j]: lines in the longest common subsequence of a[i..] and b[j..]. The
 * caller frees the array. */
size_t *linediff_lengths(struct slice a, struct slice b);

/* Do all lines agree? */
bool linediff_same(struct slice a, struct slice b);

/* Do two lines differ only in white space? */
bool linediff_same_line(const char *a, const char *b);

/* Calls put for each line of both, in order: with both sides for a line in common, else with NULL
 * for the other side. */
void linediff_walk(struct slice a, struct slice b,
                   void (*put)(void *context, const char *left, const char *right), void *context);
