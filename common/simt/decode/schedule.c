/*
 * decode/schedule.c: the order of a basic block's instructions. Compilers start loads as early as
 * their addresses allow, so that many are under way at once. PTX does not have that order yet.
 *
 * This is a list scheduler with one rule: what a load needs comes first, then the loads, then the
 * rest. Otherwise instructions keep their order. None moves against a dependence: registers, memory
 * accesses that may touch the same bytes, barriers, and branches at the end.
 *
 *   PTX                         here
 *   ld  r1, [a]                 ld  r1, [a]
 *   add r2, r1, 1               ld  r3, [b]         under way while the first arrives
 *   ld  r3, [b]                 add r2, r1, 1
 */
#include "simt/machine/uops.h"

#include "lib/memory.h"
#include "simt/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

/* instructions; longer blocks keep their order, as finding it takes quadratic time */
#define MAX_ORDERED 256

/* Do two lists of registers have one in common? */
static bool shares(const uint32_t *a, unsigned na, const uint32_t *b, unsigned nb) {
    for (unsigned i = 0; i < na; i++)
        for (unsigned k = 0; k < nb; k++)
            if (a[i] == b[k]) return true;
    return false;
}

/* Loads that may move. A volatile or ordered load stays where the program put it. */
static bool is_load(const struct uop *uop) {
    bool fetches = uop->insn->op == PTX_TEX || uop->insn->op == PTX_TLD4;
    bool loads = uop->insn->op == PTX_LD && !uop->insn->is_volatile && !uop->insn->order;
    return uop->pipe == PIPE_MEMORY && (loads || fetches);
}

/* No instruction moves across these. */
static bool is_wall(const struct uop *uop) {
    return uop->pipe == PIPE_BARRIER || uop->pipe == PIPE_FENCE || uop->pipe == PIPE_CONTROL;
}

/* Accesses to different spaces cannot meet. A generic address may point to any space. */
static bool may_alias(const struct uop *a, const struct uop *b) {
    uint8_t one = a->insn->space, other = b->insn->space;
    return one == other || one == PTX_GENERIC || other == PTX_GENERIC;
}

/* Must these two accesses keep their order? Two loads need not, as neither changes memory. */
static bool memory_order(const struct uop *first, const struct uop *second) {
    if (first->pipe != PIPE_MEMORY || second->pipe != PIPE_MEMORY) return false;
    return !(is_load(first) && is_load(second)) && may_alias(first, second);
}

/* Must second stay behind first? For registers: it reads what first writes, writes what first
 * reads, or both write the same. */
static bool depends(const uint32_t *regs, const struct uop *first, const struct uop *second) {
    const uint32_t *reads1 = regs + first->regs, *writes1 = reads1 + first->sources;
    const uint32_t *reads2 = regs + second->regs, *writes2 = reads2 + second->sources;
    if (is_wall(first) || is_wall(second) || memory_order(first, second)) return true;
    return shares(writes1, first->destinations, reads2, second->sources) ||
           shares(reads1, first->sources, writes2, second->destinations) ||
           shares(writes1, first->destinations, writes2, second->destinations);
}

/* urgent[i]: a load, or something that a load waits for. matrix is n by n: entry (i, k) tells that
 * i stays behind k. Backwards, so that urgent[i] is final before it spreads to what i needs. */
static void find_urgent(const struct uop *uops, uint32_t n, const uint8_t *matrix,
                        uint8_t *urgent) {
    for (uint32_t i = n; i-- > 0;) {
        urgent[i] |= is_load(&uops[i]);
        for (uint32_t k = 0; urgent[i] && k < i; k++) urgent[k] |= matrix[i * n + k];
    }
}

/* Has all that i stays behind been placed? */
static bool schedule_is_free(const uint8_t *matrix, const uint8_t *done, uint32_t n, uint32_t i) {
    if (done[i]) return false;
    for (uint32_t k = 0; k < i; k++)
        if (matrix[i * n + k] && !done[k]) return false;
    return true;
}

/* The next to come: the first urgent one that is free, else the first free one. The first one that
 * is not placed is always free, so there is one. */
static uint32_t schedule_choose(const uint8_t *matrix, const uint8_t *done, const uint8_t *urgent,
                                uint32_t n) {
    uint32_t first = n;
    for (uint32_t i = 0; i < n; i++) {
        if ((first < n && !urgent[i]) || !schedule_is_free(matrix, done, n, i)) continue;
        if (urgent[i]) return i;
        first = i;
    }
    return first;
}

/* A block without loads keeps its order. */
void uops_schedule(const uint32_t *regs, struct uop *uops, uint32_t n) {
    uint32_t loads = 0;
    for (uint32_t i = 0; i < n; i++) loads += is_load(&uops[i]);
    if (!loads || n > MAX_ORDERED) return;
    uint8_t *matrix = need(calloc(n, n)), *done = need(calloc(2, n)), *urgent = done + n;
    struct uop *ordered = need(malloc(n * sizeof *ordered));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++) matrix[i * n + k] = depends(regs, &uops[k], &uops[i]);
    find_urgent(uops, n, matrix, urgent);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = schedule_choose(matrix, done, urgent, n);
        ordered[i] = uops[next];
        done[next] = 1;
    }
    memcpy(uops, ordered, n * sizeof *ordered);
    free(ordered);
    free(done);
    free(matrix);
}
