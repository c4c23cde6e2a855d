/*
 * machine/trace_spins.c: a block that waits for others goes round a loop.
 *
 * How often depends on the order in which the interpreter lets blocks run. On a GPU it takes until
 * the others are done, which the replay knows from their traces. So when what the block looks at
 * has changed since, all rounds but the last are taken out of its trace:
 *
 *      ... work | look | look | look | look: changed | work ...
 *                 taken out --
 *
 * If nothing changes, it may be a loop that ends by itself, and all rounds stay.
 */
#include "machine.h"

#include <string.h>

#define LONGEST_ROUND 32 /* entered blocks */

static bool looks(const struct traced_access *access) {
    const struct ptx_insn *insn = access->insn;
    return access->kind == ACCESS_LOAD &&
           (insn->is_volatile || insn->order || insn->cache == 'v' || insn->cache == 'g');
}

static bool same_access(const struct traced_access *a, const struct traced_access *b) {
    enum ptx_opcode op = a->insn->op;
    bool writes = op == PTX_ST || op == PTX_ATOM || op == PTX_RED;
    return !writes && a->insn == b->insn && a->count == b->count &&
           (!a->sectors || !memcmp(a->sectors, b->sectors, a->count * sizeof *a->sectors));
}

/* Are the n blocks entered from number i on a round, and the next n the same? A round looks at
 * memory that others may change, and stores nothing. */
static bool repeats(const struct warp_trace *warp, uint32_t i, uint32_t n) {
    const struct traced_enter *one = &warp->enters[i], *next = one + n;
    if (i + 2 * n > warp->nenters) return false;
    for (uint32_t k = 0; k < n; k++)
        if (one[k].tally != next[k].tally || one[k].lanes != next[k].lanes) return false;
    uint32_t accesses = next->access - one->access;
    if (trace_accesses_at(warp, i + 2 * n) - next->access != accesses) return false;
    bool looked = false;
    for (uint32_t k = 0; k < accesses; k++) {
        const struct traced_access *access = &warp->accesses[one->access + k];
        if (!same_access(access, access + accesses)) return false;
        looked |= looks(access);
    }
    return looked;
}

/* Blocks of a round that begins at number i; 0: none does. */
static uint32_t round_at(const struct warp_trace *warp, uint32_t i) {
    for (uint32_t n = 1; n <= LONGEST_ROUND; n++)
        if (repeats(warp, i, n)) return n;
    return 0;
}

/* Take the block entered as number i out. */
static void take_out(struct warp_trace *warp, uint32_t i, const struct block_cost *costs) {
    uint32_t end = trace_accesses_at(warp, i + 1);
    for (uint32_t k = warp->enters[i].access; k < end; k++)
        warp->size -= 2 + (warp->accesses[k].sectors ? warp->accesses[k].count : 0);
    warp->size--;
    warp->block->spun += costs[warp->enters[i].tally].inst_executed;
    warp->full = false;
}

/* Move the block entered as number i, with its accesses, to the end of those that are kept. */
static void keep(struct warp_trace *warp, uint32_t i, uint32_t *nenters, uint32_t *naccesses) {
    struct traced_enter enter = warp->enters[i];
    uint32_t n = trace_accesses_at(warp, i + 1) - enter.access;
    memmove(warp->accesses + *naccesses, warp->accesses + enter.access, n * sizeof *warp->accesses);
    enter.access = *naccesses;
    warp->enters[(*nenters)++] = enter;
    *naccesses += n;
}

static void take_rounds_out(struct warp_trace *warp, const struct block_cost *costs) {
    uint32_t nenters = warp->looked, naccesses = trace_accesses_at(warp, warp->looked);
    for (uint32_t i = nenters, out = 0; i < warp->nenters; i++) {
        if (!out) out = round_at(warp, i);
        if (out) {
            take_out(warp, i, costs);
            out--;
        } else {
            keep(warp, i, &nenters, &naccesses);
        }
    }
    warp->nenters = nenters;
    warp->naccesses = naccesses;
    warp->looked = nenters > 0 ? nenters - 1 : 0;
}

void trace_waited(struct block_trace *block, const struct kernel *kernel) {
    for (uint32_t i = 0; i < block->nwarps; i++) take_rounds_out(&block->warps[i], kernel->costs);
}
