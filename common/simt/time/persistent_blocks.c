/*
 * time/persistent_blocks.c: blocks that take their work from a counter in memory.
 *
 * Such a block asks for its next piece by an atomic until none is left. On a GPU all resident
 * blocks ask at the same time, and each gets about as much. The interpreter runs a few blocks at a
 * time, so the first ones get all of it, and the others ask once and end. A block that got work is
 * then what every block does on a GPU.
 *
 * Where each multiprocessor has one block, the kernel ends with its slowest, so the one that does
 * most is replayed.
 */
#include "persistent_blocks.h"

#include "lib/memory.h"

#include <stdlib.h>

#define UNEQUAL 4 /* times as often as the block that asked least */

/* Atomics of the block with a result. */
static uint64_t asks(const struct block_trace *block) {
    uint64_t n = 0;
    for (uint32_t w = 0; w < block->nwarps; w++) {
        const struct warp_trace *warp = &block->warps[w];
        for (uint32_t i = 0; i < warp->naccesses; i++) n += warp->accesses[i].kind == ACCESS_ATOM;
    }
    return n;
}

/* The blocks that stand for all, in the order of the grid. */
static void choose(const struct trace *all, struct trace *chosen) {
    uint64_t *n = need(calloc(all->n + 1, sizeof *n)), least = UINT64_MAX;
    for (uint32_t i = 0; i < all->n; i++) {
        n[i] = asks(&all->traced[i]);
        if (n[i] < least) least = n[i];
    }
    bool took = false;
    for (uint32_t i = 0; i < all->n; i++) took |= least > 0 && n[i] > UNEQUAL * least;
    for (uint32_t i = 0; i < all->n; i++)
        if (!took || n[i] > UNEQUAL * least) chosen->traced[chosen->n++] = all->traced[i];
    free(n);
}

/* What the block's busiest warp did, as far as it was written down. */
static uint32_t work_of(const struct block_trace *block) {
    uint32_t most = 0;
    for (uint32_t w = 0; w < block->nwarps; w++)
        if (block->warps[w].size > most) most = block->warps[w].size;
    return most;
}

/* Exchange the first block for the one that does most. */
static void begin_with_busiest(struct trace *trace) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < trace->n; i++)
        if (trace->traced[i].replayed && work_of(&trace->traced[i]) > work_of(&trace->traced[best]))
            best = i;
    if (!best) return;
    struct block_trace first = trace->traced[0];
    trace->traced[0] = trace->traced[best];
    trace->traced[best] = first;
}

void persistent_blocks_open(const struct trace *all, bool one, struct trace *chosen) {
    *chosen = *all;
    chosen->traced = need(calloc(all->n + 1, sizeof *chosen->traced));
    chosen->n = 0;
    choose(all, chosen);
    if (one) begin_with_busiest(chosen);
}

void persistent_blocks_close(struct trace *chosen) {
    free(chosen->traced);
}
