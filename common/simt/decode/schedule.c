/*
 * decode/schedule.c: the order of a basic block's instructions. PTX does not have it yet.
 *
 * ptxas starts loads as early as their addresses allow, so that many are under way at once, and
 * fills the cycles in which one chain of results waits with another chain's instructions. It does
 * so as long as a thread's values fit in FULL_REGISTERS, with which a multiprocessor is full of
 * threads; then it uses up what it has loaded before it loads more.
 *
 * This is a list scheduler. The next instruction is the first of those whose operands are there
 * first; loads, and what they need, come before others. None moves against a dependence: registers,
 * memory accesses that may touch the same bytes, barriers, and branches at the end.
 *
 *   PTX                         here
 *   ld  r1, [a]                 ld  r1, [a]
 *   add r2, r1, 1               ld  r3, [b]         under way while the first arrives
 *   ld  r3, [b]                 add r2, r1, 1
 */
#include "decode.h"

#include "lib/memory.h"
#include "simt/machine/uops.h"
#include "simt/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

/* instructions; longer blocks are ordered in parts, as finding the order takes quadratic time */
#define MAX_ORDERED 256

/* A full multiprocessor has 32 registers for each thread. ptxas keeps some for itself. Where as
 * many values are alive, it computes cheap ones anew, and has some registers for others. */
#define FULL_REGISTERS 28
#define NEW_REGISTERS  8

/* Cycles for which a compiler takes a result to be on its way. */
#define ALU_RESULT    4
#define DOUBLE_RESULT 8
#define SLOW_RESULT   24 /* of another unit, or a predicate that decides something */
#define LOADED_RESULT 300

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

/* Must these two accesses keep their order? Two loads need not, as neither changes memory; nothing
 * changes what ld.global.nc loads. */
static bool memory_order(const struct uop *first, const struct uop *second) {
    if (first->pipe != PIPE_MEMORY || second->pipe != PIPE_MEMORY) return false;
    if (is_load(first) && is_load(second)) return false;
    return !first->insn->nc && !second->insn->nc && may_alias(first, second);
}

/* Must second stay behind first? It may read what first writes; or write what first reads or
 * writes, or have its place after it. */
enum dependence { NONE, ORDER, RESULT };
static enum dependence depends(const uint32_t *regs, const struct uop *first,
                               const struct uop *second) {
    const uint32_t *reads1 = regs + first->regs, *writes1 = reads1 + first->sources;
    const uint32_t *reads2 = regs + second->regs, *writes2 = reads2 + second->sources;
    if (shares(writes1, first->destinations, reads2, second->sources)) return RESULT;
    bool ordered = is_wall(first) || is_wall(second) || memory_order(first, second) ||
                   shares(reads1, first->sources, writes2, second->destinations) ||
                   shares(writes1, first->destinations, writes2, second->destinations);
    return ordered ? ORDER : NONE;
}

/* Cycles from the instruction to one that reads its result. */
static uint32_t result_cycles(const struct uop *uop) {
    if (is_load(uop)) return LOADED_RESULT;
    if (!uop->issues) return 0;
    switch ((enum pipe)uop->pipe) {
    case PIPE_MEMORY:
    case PIPE_SHUFFLE:
    case PIPE_SFU:
    case PIPE_SREG:
    case PIPE_TENSOR: return SLOW_RESULT;
    case PIPE_FP64: return DOUBLE_RESULT;
    default: return (uint32_t)(ALU_RESULT + (uop->issues - 1) * ALU_RESULT / 2);
    }
}

/* A part of a block, by the instructions' places in the PTX. */
struct ordering {
    const struct decoder *d;
    const struct uop *uops;
    uint32_t n;
    uint8_t *matrix;      /* n by n: entry (i, k) tells why i stays behind k */
    uint8_t *urgent;      /* a load, or something that a load waits for */
    uint32_t *waits;      /* for how many others; PLACED: it has its place */
    uint32_t *ready;      /* cycle from which on its operands are there */
    uint32_t *uses;       /* by register: how many are to come */
    uint8_t *dies;        /* by register: its last use is in this part */
    uint8_t *holds;       /* by register: it has a value now */
    uint32_t alive, most; /* registers that hold values, and may */
    uint32_t cycle;
};
#define PLACED UINT32_MAX

static const uint32_t *registers_of(const struct ordering *o, const struct uop *uop) {
    return o->d->kernel->uop_regs + uop->regs;
}

static uint32_t place_of(const struct ordering *o, uint32_t reg) {
    return reg - o->d->code->first_reg;
}

/* How many words more hold values after the instruction than before; negative: fewer. */
static int taken_by(const struct ordering *o, const struct uop *uop) {
    const uint32_t *regs = registers_of(o, uop);
    int taken = 0;
    for (unsigned i = 0; i < uop->sources + uop->destinations; i++) {
        uint32_t reg = place_of(o, regs[i]);
        int words = o->d->function->regs[reg].words;
        if (i >= uop->sources)
            taken += o->holds[reg] ? 0 : words;
        else if (o->uses[reg] == 1 && o->dies[reg])
            taken -= words;
    }
    return taken;
}

/* The instruction reads its sources for the last time, perhaps, and writes its destinations. */
static void take(struct ordering *o, const struct uop *uop) {
    const uint32_t *regs = registers_of(o, uop);
    o->alive += (uint32_t)taken_by(o, uop);
    for (unsigned i = 0; i < uop->sources; i++) {
        uint32_t reg = place_of(o, regs[i]);
        if (--o->uses[reg] == 0 && o->dies[reg]) o->holds[reg] = 0;
    }
    for (unsigned i = 0; i < uop->destinations; i++)
        o->holds[place_of(o, regs[uop->sources + i])] = 1;
}

/* Backwards, so that urgent[i] is final before it spreads to what i needs. */
static void find_urgent(struct ordering *o) {
    for (uint32_t i = o->n; i-- > 0;) {
        o->urgent[i] |= is_load(&o->uops[i]);
        for (uint32_t k = 0; o->urgent[i] && k < i; k++) o->urgent[k] |= o->matrix[i * o->n + k];
    }
}

static void find_uses(struct ordering *o) {
    int32_t dying[PTX_MAX_DYING];
    for (uint32_t i = o->n; i-- > 0;) {
        const struct uop *uop = &o->uops[i];
        const uint32_t *regs = registers_of(o, uop);
        for (unsigned k = 0; k < uop->destinations; k++)
            o->holds[place_of(o, regs[uop->sources + k])] = 0;
        for (unsigned k = 0; k < uop->sources; k++) {
            o->uses[place_of(o, regs[k])]++;
            o->holds[place_of(o, regs[k])] = 1;
        }
        for (int k = ptx_dying(uop->insn, dying); k-- > 0;) o->dies[dying[k]] = 1;
    }
}

/* The next to come. The first one that is not placed is always free, so there is one. */
static uint32_t schedule_choose(const struct ordering *o) {
    uint32_t best = o->n, first = o->n, least = UINT32_MAX;
    for (uint32_t i = 0; i < o->n; i++) {
        if (o->waits[i]) continue;
        if (first == o->n) first = i;
        int taken = taken_by(o, &o->uops[i]);
        if (taken > 0 && o->alive + (uint32_t)taken > o->most) continue;
        uint32_t cycle = o->ready[i] > o->cycle ? o->ready[i] : o->cycle;
        if (best < o->n && (cycle > least || (cycle == least && o->urgent[best] >= o->urgent[i])))
            continue;
        best = i;
        least = cycle;
    }
    return best < o->n ? best : first;
}

static void schedule_place(struct ordering *o, uint32_t k) {
    const struct uop *uop = &o->uops[k];
    if (o->ready[k] > o->cycle) o->cycle = o->ready[k];
    take(o, uop);
    o->waits[k] = PLACED;
    for (uint32_t i = k + 1; i < o->n; i++) {
        uint8_t why = o->matrix[i * o->n + k];
        uint32_t there = o->cycle + (why == RESULT ? result_cycles(uop) : 1);
        if (!why) continue;
        o->waits[i]--;
        if (there > o->ready[i]) o->ready[i] = there;
    }
    o->cycle += uop->issues;
}

static void schedule_part(const struct decoder *d, struct uop *uops, uint32_t n) {
    size_t nregs = (size_t)d->function->nregs + 1;
    uint32_t *numbers = need(calloc(2 * (size_t)n + nregs, sizeof *numbers));
    uint8_t *flags = need(calloc((size_t)n * n + n + 2 * nregs, 1));
    struct uop *ordered = need(malloc(n * sizeof *ordered));
    struct ordering o = {.d = d,
                         .uops = uops,
                         .n = n,
                         .matrix = flags,
                         .urgent = flags + (size_t)n * n,
                         .dies = flags + (size_t)n * n + n,
                         .holds = flags + (size_t)n * n + n + nregs,
                         .waits = numbers,
                         .ready = numbers + n,
                         .uses = numbers + 2 * (size_t)n,
                         .alive = uops[0].insn->alive};
    o.most = o.alive + NEW_REGISTERS > FULL_REGISTERS ? o.alive + NEW_REGISTERS : FULL_REGISTERS;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            o.waits[i] +=
                (o.matrix[i * n + k] = depends(d->kernel->uop_regs, &uops[k], &uops[i])) != NONE;
    find_urgent(&o);
    find_uses(&o);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = schedule_choose(&o);
        ordered[i] = uops[next];
        schedule_place(&o, next);
    }
    memcpy(uops, ordered, n * sizeof *ordered);
    free(ordered);
    free(numbers);
    free(flags);
}

void uops_schedule(const struct decoder *d, struct uop *uops, uint32_t n) {
    for (uint32_t from = 0; from < n; from += MAX_ORDERED)
        schedule_part(d, uops + from, n - from < MAX_ORDERED ? n - from : MAX_ORDERED);
}
