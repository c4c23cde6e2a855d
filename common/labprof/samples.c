/* samples.c: a growing list of launches. */
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/memory.h"
#include "names.h"

struct sample_value single_value(double value) {
    return (struct sample_value){value, value, value};
}

static void make_room(struct samples *s) {
    if (s->count < s->room) return;
    s->room = s->room ? 2 * s->room : 32;
    s->items = need(realloc(s->items, (size_t)s->room * sizeof *s->items));
}

struct sample *samples_add(struct samples *s, const char *kernel) {
    make_room(s);
    struct sample sample = {.number = s->count + 1,
                            .launches = 1,
                            .kernel = kernel_shown_name(kernel),
                            .context = 1,
                            .stream = 7,
                            .scopes = ~0u};
    sample.values = need(malloc(((size_t)s->value_count + 1) * sizeof *sample.values));
    for (int i = 0; i < s->value_count; i++) sample.values[i] = single_value(NAN);
    s->items[s->count] = sample;
    return &s->items[s->count++];
}

void sample_free(struct sample *sample) {
    free(sample->kernel);
    free(sample->values);
    free(sample->nested);
}

void samples_free(struct samples *s) {
    for (int i = 0; i < s->count; i++) sample_free(&s->items[i]);
    free(s->items);
    memset(s, 0, sizeof *s);
}

/* ---- By kernel ---- */

static void include(struct group_value *sum, const struct sample_value *value, int launches) {
    double total = value->average * launches;
    if (sum->launches == 0)
        *sum = (struct group_value){.min = value->min, .max = value->max, .total = total};
    else
        *sum = (struct group_value){
            .min = isnan(sum->min) || sum->min < value->min ? sum->min : value->min,
            .max = isnan(sum->max) || sum->max > value->max ? sum->max : value->max,
            .total = sum->total + total,
            .launches = sum->launches};
    sum->launches += launches;
    sum->average = sum->total / sum->launches;
}

static struct group *group_of(struct groups *g, const struct sample *sample, int value_count) {
    for (int i = 0; i < g->count; i++)
        if (g->items[i].device == sample->device && strcmp(g->items[i].kernel, sample->kernel) == 0)
            return &g->items[i];
    struct group *group = &g->items[g->count];
    group->values = need(calloc((size_t)value_count + 1, sizeof *group->values));
    group->kernel = sample->kernel;
    group->device = sample->device;
    g->count++;
    return group;
}

bool is_asked(const struct samples *samples, const struct sample *sample, int metric) {
    return !samples->value_scopes || samples->value_scopes[metric] == ~0u ||
           samples->value_scopes[metric] & sample->scopes;
}

void groups_make(struct groups *g, const struct samples *samples) {
    memset(g, 0, sizeof *g);
    g->items = need(calloc((size_t)samples->count + 1, sizeof *g->items));
    for (int i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        struct group *group = group_of(g, sample, samples->value_count);
        for (int k = 0; k < samples->value_count; k++)
            if (is_asked(samples, sample, k))
                include(&group->values[k], &sample->values[k], sample->launches);
        group->launches += sample->launches;
    }
}

void groups_free(struct groups *g) {
    for (int i = 0; i < g->count; i++) free(g->items[i].values);
    free(g->items);
    memset(g, 0, sizeof *g);
}
