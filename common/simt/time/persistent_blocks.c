/*
 * time/persistent_blocks.c: blocks that take their work from a counter in memory.
 *
 * Such a block asks for its next piece by an atomic until none is left. On a GPU all resident
 * blocks ask at the same time, and each gets about as much. The interpreter runs a few blocks at a
 * time, so the first ones get all of it, and the others ask once and end. A block that got work is
 * then what every block does on a GPU.
 */
#include "persistent_blocks.h"

#include "lib/memory.h"
#include "simt/machine/machine.h"

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

double warp_issues(const struct kernel *kernel, const struct warp_trace *warp) {
    double issues = 0;
    for (uint32_t i = 0; i < warp->nenters; i++)
        issues += kernel->costs[warp->enters[i].tally].inst_executed;
    return issues;
}

double block_issues(const struct kernel *kernel, const struct block_trace *block) {
    double issues = 0;
    for (uint32_t w = 0; w < block->nwarps; w++) issues += warp_issues(kernel, &block->warps[w]);
    return issues;
}

static int compare_work(const void *one, const void *other) {
    const struct block_trace *a = one, *b = other;
    if (a->issues != b->issues) return a->issues > b->issues ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void persistent_blocks_open(const struct kernel *kernel, const struct trace *all,
                            struct trace *chosen) {
    *chosen = *all;
    chosen->traced = need(calloc(all->n + 1, sizeof *chosen->traced));
    chosen->n = 0;
    choose(all, chosen);
    for (uint32_t i = 0; i < chosen->n; i++)
        chosen->traced[i].issues = block_issues(kernel, &chosen->traced[i]);
    qsort(chosen->traced, chosen->n, sizeof *chosen->traced, compare_work);
}

void persistent_blocks_close(struct trace *chosen) {
    free(chosen->traced);
}
