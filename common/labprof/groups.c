/* groups.c: adds up the samples of each kernel. */
#include "groups.h"

#include "lib/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* fmin and fmax would lose a NaN. */
static double smaller(double a, double b) {
    return isnan(a) || a < b ? a : b;
}

static double larger(double a, double b) {
    return isnan(a) || a > b ? a : b;
}

static void include(struct group_value *sum, const struct sample_value *value, int launches,
                    bool first) {
    double total = value->average * launches;
    if (first)
        *sum = (struct group_value){.min = value->min, .max = value->max, .total = total};
    else
        *sum = (struct group_value){.min = smaller(sum->min, value->min),
                                    .max = larger(sum->max, value->max),
                                    .total = sum->total + total};
}

static struct group *group_of(struct groups *g, const struct sample *sample, int value_count) {
    for (int i = 0; i < g->count; i++)
        if (strcmp(g->items[i].kernel, sample->kernel) == 0) return &g->items[i];
    struct group *group = &g->items[g->count];
    group->values = need(calloc((size_t)value_count + 1, sizeof *group->values));
    group->kernel = sample->kernel;
    g->count++;
    return group;
}

static void add_sample(struct group *group, const struct sample *sample, int value_count) {
    bool first = group->launches == 0;
    for (int i = 0; i < value_count; i++)
        include(&group->values[i], &sample->values[i], sample->launches, first);
    group->launches += sample->launches;
}

static void take_averages(struct group *group, int value_count) {
    for (int i = 0; i < value_count; i++)
        group->values[i].average = group->values[i].total / group->launches;
}

void groups_make(struct groups *g, const struct samples *samples) {
    memset(g, 0, sizeof *g);
    g->items = need(calloc((size_t)samples->count + 1, sizeof *g->items));
    for (int i = 0; i < samples->count; i++)
        add_sample(group_of(g, &samples->items[i], samples->value_count), &samples->items[i],
                   samples->value_count);
    for (int i = 0; i < g->count; i++) take_averages(&g->items[i], samples->value_count);
}

void groups_free(struct groups *g) {
    for (int i = 0; i < g->count; i++) free(g->items[i].values);
    free(g->items);
    memset(g, 0, sizeof *g);
}
