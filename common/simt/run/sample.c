/* run/sample.c: which blocks of a grid to run, and what their counts stand for. */
#include "sample.h"

#include "lib/memory.h"
#include "simt/machine/machine.h"
#include "simt/machine/trace.h"

#include <math.h>
#include <stdlib.h>

#define FEWEST 3            /* blocks: two edges, and one between */
#define SPREAD 0.6180339887 /* of a step: no step divides the grid's width again and again */

uint64_t sample_blocks(const struct launch *launch) {
    uint64_t blocks = shape_blocks(&launch->shape), n = launch->sample;
    uint64_t least = launch->trace ? launch->trace->n : FEWEST;
    bool regular =
        !launch->kernel->serial && !launch->cooperative && !launch->check && !launch->depth;
    if (!n || !regular) return 0;
    if (n < least) n = least;
    return n < blocks && n >= FEWEST ? n : 0;
}

/* Of n out of `of` places, the ith: steps of about of / n, each pushed on by another part of a
 * step. */
static uint64_t sample_place(uint64_t i, uint64_t n, uint64_t of) {
    double shifted = (double)i + fmod((double)i * SPREAD, 1);
    return (uint64_t)(shifted * (double)of / (double)n);
}

static int sample_by_number(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* Without times, only the edges are there for sure. */
static uint64_t take_sure_blocks(const struct launch *launch, uint64_t *chosen) {
    const struct trace *trace = launch->trace;
    for (uint32_t i = 0; trace && i < trace->n; i++) chosen[i] = trace->traced[i].index;
    if (trace) return trace->n;
    chosen[0] = 0;
    chosen[1] = shape_blocks(&launch->shape) - 1;
    return 2;
}

/* The index of a block that is not sure, by its number among those. */
static uint64_t other_block(const struct launch *launch, uint64_t number) {
    return launch->trace ? trace_turn(launch->trace, launch->trace->n + number) : number + 1;
}

uint64_t *sample_choose(const struct launch *launch, uint64_t n) {
    uint64_t *chosen = need(calloc(n, sizeof *chosen));
    uint64_t sure = take_sure_blocks(launch, chosen), wanted = n - sure;
    uint64_t others = shape_blocks(&launch->shape) - sure, next = 0;
    for (uint64_t i = 0; i < wanted; i++) {
        uint64_t number = sample_place(i, wanted, others), most = others - (wanted - i);
        if (number < next) number = next;
        if (number > most) number = most;
        chosen[sure + i] = other_block(launch, number);
        next = number + 1;
    }
    qsort(chosen, n, sizeof *chosen, sample_by_number);
    return chosen;
}

/* struct counters is 64-bit numbers only, so it is scaled as an array. */
void sample_scale(struct counters *counters, uint64_t blocks, uint64_t n) {
    uint64_t *counter = (uint64_t *)counters;
    double each = (double)(blocks - 2) / (double)(n - 2);
    for (size_t i = 0; i < sizeof *counters / sizeof *counter; i++)
        counter[i] = (uint64_t)((double)counter[i] * each + 0.5);
}
