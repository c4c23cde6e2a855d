/* filter.c: which launches --kernels selects. */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/die.h"
#include "lib/memory.h"
#include "names.h"

enum { LONG_FORM_COLONS = 3 }; /* context:stream:kernel:invocation */

/* context:stream:kernel:invocation; an empty part means any. */
static bool parse_long_form(struct filter *f, char *text) {
    const char *context = strsep(&text, ":"), *stream = strsep(&text, ":"),
               *kernel = strsep(&text, ":");
    char *end;
    if ((*context && strcmp(context, "1") != 0) || *stream)
        return fail_with("--kernels: leave context and stream empty, as in \"::%s:%s\"", kernel,
                         text);
    f->invocation = strtol(text, &end, 10);
    if (*end || f->invocation < 0 || (*text && f->invocation == 0))
        return fail_with("--kernels: \"%s\" is not the number of an invocation (from 1)", text);
    snprintf(f->expression, sizeof f->expression, "%s", kernel);
    return true;
}

bool filter_parse(struct filter *f, const char *text) {
    memset(f, 0, sizeof *f);
    snprintf(f->expression, sizeof f->expression, "%s", text);
    if (strlen(text) >= sizeof f->expression)
        return fail_with("--kernels: more than %zu characters", sizeof f->expression - 1);
    int colons = 0;
    for (const char *c = text; *c; c++) colons += *c == ':';
    if (colons == LONG_FORM_COLONS) {
        char *copy = need(strdup(text));
        bool ok = parse_long_form(f, copy);
        free(copy);
        if (!ok) return false;
    }
    int problem = regcomp(&f->regex, f->expression, REG_EXTENDED | REG_NOSUB);
    f->set = problem == 0;
    if (!f->set) {
        char why[128];
        regerror(problem, &f->regex, why, sizeof why);
        fail_with("--kernels: \"%s\" is not a regular expression: %s", f->expression, why);
    }
    return f->set;
}

void filter_free(struct filter *f) {
    if (f->set) regfree(&f->regex);
    f->set = false;
}

bool filter_selects(const struct filter *f, const char *kernel, long invocation) {
    char base[256];
    kernel_base_name(kernel, base, sizeof base);
    return (f->invocation == 0 || f->invocation == invocation) &&
           regexec(&f->regex, base, 0, NULL, 0) == 0;
}

/* Counts the launches of the sample's kernel up to this sample, from 1. */
static long invocation(const struct samples *s, int index) {
    long count = 1;
    for (int i = 0; i < index; i++)
        count += strcmp(s->items[i].kernel, s->items[index].kernel) == 0;
    return count;
}

void filter_apply(const struct filter *f, struct samples *s) {
    int kept = 0;
    if (!f->set) return;
    for (int i = 0; i < s->count; i++)
        s->items[i].wanted = filter_selects(f, s->items[i].kernel, invocation(s, i));
    for (int i = 0; i < s->count; i++)
        if (s->items[i].wanted)
            s->items[kept++] = s->items[i];
        else
            sample_free(&s->items[i]);
    s->count = kept;
}
