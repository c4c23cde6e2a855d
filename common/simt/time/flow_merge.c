/*
 * time/flow_merge.c: which threads of a warp go through the machine code together.
 *
 * Since Volta threads that a branch parts come together again where the code says so and nowhere
 * else: BSSY writes the threads that are to meet into a barrier register, BSYNC waits for them,
 * BREAK takes a thread out, WARPSYNC waits for all of the warp. Groups that come to a block apart
 * execute it apart, and so with BSYNC: on an H200 each instruction was counted (ncu, source view).
 */
#include "flow_walker.h"

#include "simt/image/machine_code.h"
#include "simt/machine/flow.h"
#include "simt/machine/machine.h"

#define EVERYBODY UINT32_MAX

/* Threads of a warp with the same way. */
struct traveller {
    const struct flow_group *group;
    uint32_t at;      /* in the group's way */
    uint32_t company; /* those with the same number go together */
    uint32_t waits;   /* for these lanes; 0: for none */
    uint32_t meeting[MACHINE_MEETINGS], saved[MACHINE_MEETINGS]; /* barrier registers: lanes */
};

struct warp_flow {
    struct walker *w;
    struct traveller travellers[WARP_SIZE];
    uint32_t n, companies; /* numbers of companies that were given */
};

static bool is_over(const struct traveller *t) {
    return t->at == t->group->n;
}

static uint32_t step_of(const struct traveller *t) {
    return t->group->blocks[t->at];
}

/* Who goes first does not matter, but for what none can wait for: those deepest in calls, and of
 * these the first in the code. */
static uint32_t turn_of(const struct traveller *t) {
    uint32_t step = step_of(t);
    return (255 - (step & 255)) << 24 | step >> 8;
}

/* The traveller whose turn it is, of those that wait or of those that do not. */
static struct traveller *next_of(struct warp_flow *f, bool waits) {
    struct traveller *first = NULL;
    for (struct traveller *t = f->travellers; t < f->travellers + f->n; t++)
        if (!is_over(t) && (t->waits != 0) == waits && (!first || turn_of(t) < turn_of(first)))
            first = t;
    return first;
}

static bool waits_with(const struct traveller *one, const struct traveller *other) {
    return !is_over(other) && other->waits == one->waits && step_of(other) == step_of(one);
}

static const struct flow_block *block_of(const struct warp_flow *f, const struct traveller *t) {
    return &f->w->flow->blocks[step_of(t) >> 8];
}

static uint32_t lanes_left(const struct warp_flow *f) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < f->n; i++)
        if (!is_over(&f->travellers[i])) lanes |= f->travellers[i].group->lanes;
    return lanes;
}

/* Of those who were to meet, none waits for these lanes any more. */
static void break_off(struct warp_flow *f, uint32_t lanes, uint8_t meeting, uint32_t those) {
    for (struct traveller *t = f->travellers; t < f->travellers + f->n; t++) {
        if (t->meeting[meeting] != those) continue;
        if (t->waits == those) t->waits &= ~lanes;
        t->meeting[meeting] &= ~lanes;
    }
}

/* Does BREAK's predicate hold for the traveller? It is the branch's behind it. */
static bool breaks(const struct warp_flow *f, const struct traveller *t,
                   const struct machine_insn *m) {
    const struct flow_block *block = block_of(f, t);
    const struct machine_insn *last = &f->w->kernel->entry->machine->insns[block->to - 1];
    if (m->guard == NO_GUARD) return true;
    return last->guard == m->guard && t->at + 1 < t->group->n &&
           t->group->blocks[t->at + 1] >> 8 == block->target;
}

/* What the block does to the barrier registers of a traveller in a company of these lanes. */
static void do_meetings(struct warp_flow *f, struct traveller *t, uint32_t lanes) {
    const struct flow_block *block = block_of(f, t);
    for (uint32_t i = block->from; i < block->to; i++) {
        const struct machine_insn *m = &f->w->kernel->entry->machine->insns[i];
        uint32_t *meeting = &t->meeting[m->meeting];
        switch ((enum machine_meets)m->meets) {
        case MEETS_NOT: break;
        case MEETS_BEGIN: *meeting = lanes; break;
        case MEETS_SAVE: t->saved[m->meeting] = *meeting; break;
        case MEETS_RESTORE: *meeting = t->saved[m->meeting]; break;
        case MEETS_BREAK:
            if (breaks(f, t, m)) break_off(f, t->group->lanes, m->meeting, *meeting);
            break;
        case MEETS_WAIT: t->waits = *meeting | t->group->lanes; break;
        case MEETS_ALL: t->waits = EVERYBODY; break;
        }
    }
}

/* Those that wait at the same place go on together. */
static void release(struct warp_flow *f, const struct traveller *waiting) {
    const struct traveller first = *waiting;
    f->companies++;
    for (struct traveller *t = f->travellers; t < f->travellers + f->n; t++) {
        if (!waits_with(&first, t)) continue;
        t->company = f->companies;
        t->waits = 0;
    }
}

/* Let those go on who are all there. */
static void release_complete(struct warp_flow *f) {
    uint32_t left = lanes_left(f);
    for (struct traveller *t = f->travellers; t < f->travellers + f->n; t++) {
        if (is_over(t) || !t->waits) continue;
        uint32_t there = 0;
        for (const struct traveller *other = f->travellers; other < f->travellers + f->n; other++)
            if (waits_with(t, other)) there |= other->group->lanes;
        if (!(t->waits & left & ~there)) release(f, t);
    }
}

/* The company executes its block and goes on, each to the next one of its way. */
static void pass_block(struct warp_flow *f, uint32_t company) {
    struct walker *w = f->w;
    struct traveller *members[WARP_SIZE] = {0};
    uint32_t nmembers = 0, lanes = 0, first_to = EVERYBODY;
    for (struct traveller *t = f->travellers; t < f->travellers + f->n; t++) {
        if (is_over(t) || t->company != company) continue;
        members[nmembers++] = t;
        lanes |= t->group->lanes;
    }
    uint32_t index = step_of(members[0]) >> 8;
    bool diverges = false;
    for (uint32_t i = 0; i < nmembers && w->flow->blocks[index].meets; i++)
        do_meetings(f, members[i], lanes);
    for (uint32_t i = 0; i < nmembers; i++) {
        struct traveller *t = members[i];
        t->at++;
        if (is_over(t)) continue;
        if (first_to == EVERYBODY) first_to = step_of(t);
        diverges |= step_of(t) != first_to;
        t->company = 0;
        for (uint32_t k = 0; k < i && !t->company; k++)
            if (!is_over(members[k]) && step_of(members[k]) == step_of(t))
                t->company = members[k]->company;
        if (!t->company) t->company = ++f->companies;
    }
    w->divergent[index] += diverges && w->flow->blocks[index].cost.branch ? w->alike : 0;
    w->warps[index] += w->alike;
    w->threads[index] += w->alike * (uint32_t)__builtin_popcount(lanes);
    w->steps++;
}

void flow_merge(struct walker *w, const struct flow_group *groups, uint32_t n) {
    struct warp_flow f = {.w = w, .n = n, .companies = 1};
    for (uint32_t i = 0; i < n; i++) {
        f.travellers[i] = (struct traveller){.group = &groups[i], .company = 1};
        for (uint32_t k = 0; k < MACHINE_MEETINGS; k++)
            f.travellers[i].meeting[k] = groups[i].lanes;
    }
    for (struct traveller *t;;) {
        if ((t = next_of(&f, false)))
            pass_block(&f, t->company);
        else if ((t = next_of(&f, true)))
            release(&f, t);
        else
            return;
        release_complete(&f);
    }
}
