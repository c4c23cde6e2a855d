#include "linediff.h"

#include "memory.h"

#include <ctype.h>
#include <stdlib.h>

bool linediff_same_line(const char *a, const char *b) {
    for (;;) {
        while (isspace((unsigned char)*a)) a++;
        while (isspace((unsigned char)*b)) b++;
        if (*a != *b) return false;
        if (*a == '\0') return true;
        a++, b++;
    }
}

bool linediff_same(struct slice a, struct slice b) {
    for (size_t i = 0; i < a.n && i < b.n; i++)
        if (!linediff_same_line(a.lines[i], b.lines[i])) return false;
    return a.n == b.n;
}

size_t *linediff_lengths(struct slice a, struct slice b) {
    size_t stride = b.n + 1;
    size_t *length = need(calloc((a.n + 1) * stride, sizeof *length));
    for (size_t i = a.n; i-- > 0;) {
        for (size_t j = b.n; j-- > 0;) {
            size_t skip_a = length[(i + 1) * stride + j], skip_b = length[i * stride + j + 1];
            bool same = linediff_same_line(a.lines[i], b.lines[j]);
            length[i * stride + j] = same              ? length[(i + 1) * stride + j + 1] + 1
                                     : skip_a > skip_b ? skip_a
                                                       : skip_b;
        }
    }
    return length;
}

void linediff_walk(struct slice a, struct slice b,
                   void (*put)(void *context, const char *left, const char *right), void *context) {
    size_t *length = linediff_lengths(a, b), stride = b.n + 1, i = 0, j = 0;
    while (i < a.n || j < b.n)
        if (i < a.n && j < b.n && linediff_same_line(a.lines[i], b.lines[j]))
            put(context, a.lines[i++], b.lines[j++]);
        else if (i < a.n &&
                 (j == b.n || length[(i + 1) * stride + j] >= length[i * stride + j + 1]))
            put(context, a.lines[i++], NULL);
        else
            put(context, NULL, b.lines[j++]);
    free(length);
}
