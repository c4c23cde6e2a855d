/* filter.c: which launches --kernels and --devices select. */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/die.h"
#include "lib/memory.h"
#include "names.h"

enum { LONG_FORM_COLONS = 3 }; /* context:stream:kernel:invocation */

static bool compile(const char *expression, regex_t *regex) {
    int problem = regcomp(regex, expression, REG_EXTENDED | REG_NOSUB);
    char why[128];
    if (problem) {
        regerror(problem, regex, why, sizeof why);
        fail_with("--kernels: \"%s\" is not a regular expression: %s", expression, why);
    }
    return problem == 0;
}

/* Digits are a number, from least; other text is an expression for names. */
static bool take_part(const char *what, const char *text, long least, struct filter_part *part) {
    char *end;
    if (!*text) return true;
    part->number = strtol(text, &end, 10);
    if (*end && !compile(text, &part->name)) return false;
    part->kind = *end ? PART_NAME : PART_NUMBER;
    return *end || part->number >= least ||
           fail_with("--kernels: \"%s\" is not the number of %s (from %ld)", text, what, least);
}

/* context:stream:kernel:invocation; an empty part means any. */
static bool parse_long_form(struct filter *f, char *text) {
    const char *context = strsep(&text, ":"), *stream = strsep(&text, ":"),
               *kernel = strsep(&text, ":");
    snprintf(f->expression, sizeof f->expression, "%s", kernel);
    return take_part("a context, as --print-gpu-trace prints it", context, 0, &f->context) &&
           take_part("a stream, as --print-gpu-trace prints it", stream, 0, &f->stream) &&
           take_part("an invocation", text, 1, &f->invocation);
}

bool filters_add(struct filters *filters, const char *text) {
    struct filter *f = &filters->items[filters->count];
    *f = (struct filter){0};
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
    bool good = compile(f->expression, &f->regex);
    filters->count += good;
    return good;
}

static void part_free(struct filter_part *part) {
    if (part->kind == PART_NAME) regfree(&part->name);
}

void filters_free(struct filters *filters) {
    while (filters->count > 0) {
        struct filter *f = &filters->items[--filters->count];
        regfree(&f->regex);
        part_free(&f->context);
        part_free(&f->stream);
        part_free(&f->invocation);
    }
}

/* What the number is called: by the program, or by an option. */
typedef void namer(const char *pattern, int number, char *name, size_t size);

/* pattern: with %i for the number; NULL: the number is all. */
static bool part_selects(const struct filter_part *part, long number, namer *name_it,
                         const char *pattern) {
    char text[256];
    if (part->kind != PART_NAME) return part->kind == PART_ANY || part->number == number;
    name_it(pattern, (int)number, text, sizeof text);
    return regexec(&part->name, text, 0, NULL, 0) == 0;
}

static bool selects(const struct filters *filters, const struct filter *f, const char *base,
                    struct place place, long invocation) {
    return part_selects(&f->context, place.context, name_numbered, filters->context_name) &&
           part_selects(&f->stream, place.stream, name_of_stream, filters->stream_name) &&
           part_selects(&f->invocation, invocation, name_numbered, NULL) &&
           regexec(&f->regex, base, 0, NULL, 0) == 0;
}

bool filters_have_device(const struct filters *filters, int device) {
    return !filters->devices || device < 0 || device >= MAX_DEVICES ||
           filters->devices >> device & 1;
}

unsigned filters_select(const struct filters *filters, const char *kernel, struct place place,
                        long invocation) {
    char base[256];
    unsigned scopes = 0;
    if (!filters_have_device(filters, place.device)) return 0;
    if (filters->count == 0) return ALL_SCOPES;
    char *name = kernel_name(kernel);
    kernel_base_name(name, base, sizeof base);
    free(name);
    for (int i = 0; i < filters->count; i++)
        if (selects(filters, &filters->items[i], base, place, invocation)) scopes |= 1u << i;
    return scopes;
}

/* Counts the launches of the sample's kernel up to this sample, from 1. */
static long invocation(const struct samples *s, int index) {
    long count = 1;
    for (int i = 0; i < index; i++)
        count += strcmp(s->items[i].kernel, s->items[index].kernel) == 0;
    return count;
}

void filters_apply(const struct filters *filters, struct samples *s, bool everywhere) {
    int kept = 0;
    for (int i = 0; i < s->count && filters->count; i++) {
        struct sample *sample = &s->items[i];
        struct place place = {sample->device, sample->context, sample->stream};
        sample->scopes = filters_select(filters, sample->kernel, place, invocation(s, i));
    }
    for (int i = 0; i < s->count; i++)
        if ((s->items[i].scopes || everywhere) && filters_have_device(filters, s->items[i].device))
            s->items[kept++] = s->items[i];
        else
            sample_free(&s->items[i]);
    s->count = kept;
}
