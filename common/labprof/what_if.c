
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/memory.h"
#include "lib/wrap.h"
#include "names.h"
#include "tables.h"

enum { MOST_COSTS = 4, COLUMNS = 80, NAME = 256, INDENT = 6 };

/* The metrics without one thing begin so; the one without all of them. */
#define ONE        "time_without_"
#define EVERYTHING "time_without_all"
#define NS_PER_US  1e3
#define NO_BREAK   "\x1f" /* a space at which no line ends */
#define NAMED      0.03   /* of the time: what costs less is not named */

const char what_if_heading[] =
    "What the time goes into, modelled: the same run without one thing. Parts need\n"
    "not add up; the roof is the data once over the DRAM, or the arithmetic";

/* One thing that can be removed, and the part of the time that goes with it. */
struct cost {
    const char *what;
    double part;
};

static int by_part(const void *one, const void *other) {
    double a = ((const struct cost *)one)->part, b = ((const struct cost *)other)->part;
    return (a < b) - (a > b);
}

static double value_of(const struct metric_list *wanted, const double *values, const char *name) {
    for (int i = 0; i < wanted->count; i++)
        if (strcmp(wanted->items[i]->name, name) == 0) return values[i];
    return NAN;
}

void print_what_if(FILE *out, const char *kernel, const struct metric_list *wanted,
                   const double *values, int width) {
    struct cost costs[32];
    int n = 0;
    double time = value_of(wanted, values, "time_as_it_is"),
           all = value_of(wanted, values, EVERYTHING), roof = value_of(wanted, values, "time_roof");
    char *words = NULL, *line;
    size_t size;
    if (!(time > 0)) return;
    for (int i = 0; i < wanted->count && n < 32; i++) {
        const struct metric *m = wanted->items[i];
        if (strncmp(m->name, ONE, strlen(ONE)) == 0 && strcmp(m->name, EVERYTHING) != 0)
            costs[n++] = (struct cost){m->title, 1 - values[i] / time};
    }
    qsort(costs, (size_t)n, sizeof *costs, by_part);
    FILE *text = need(open_memstream(&words, &size));
    fprintf(text, "%s: %.1f us", kernel, time / NS_PER_US);
    for (int i = 0; i < n && i < MOST_COSTS && costs[i].part >= NAMED; i++)
        fprintf(text, "%s %s %.0f" NO_BREAK "%%", i ? "," : ", of it", costs[i].what,
                100 * costs[i].part);
    fprintf(text, ". With nothing in its way: %.1f us", fmax(all, roof) / NS_PER_US);
    if (all > roof) fprintf(text, " (roof %.1f)", roof / NS_PER_US);
    fclose(text);
    line = words;
    for (int indent = 0; *line; indent = INDENT) {
        int length = wrap_length(line, 0, width - indent);
        char *next = line + length + strspn(line + length, " ");
        for (char *space = line; (space = strpbrk(space, NO_BREAK)) && space < next;) *space = ' ';
        fprintf(out, "%*s%.*s\n", indent, "", length, line);
        line = next;
    }
    free(words);
}

void print_what_if_groups(const struct report *r) {
    double *values = need(calloc((size_t)r->wanted->count + 1, sizeof *values));
    fprintf(r->out, "==%d== %s:\n", r->pid, what_if_heading);
    for (int g = 0; g < r->groups->count; g++) {
        for (int m = 0; m < r->wanted->count; m++)
            values[m] = r->groups->items[g].values[m].average;
        char name[NAME];
        kernel_base_name(r->groups->items[g].kernel, name, sizeof name);
        print_what_if(r->out, name, r->wanted, values, COLUMNS);
    }
    free(values);
}
