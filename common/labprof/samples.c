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
    struct sample sample = {.number = s->count + 1, .launches = 1, .kernel = kernel_name(kernel)};
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
