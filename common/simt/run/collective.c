/*
 * run/collective.c: operations in which the lanes of a warp look at each other: shfl, vote, match, redux, elect,
 * bar.warp.sync.
 *
 * A .sync form names the lanes that take part. When some of them are on another path, the path waits; when all named
 * lanes wait at such operations, their values are collected from their paths, the result is computed, and each path
 * goes on by itself.
 */
#include "simt/check/check.h"

#include <string.h>

static void *row(const struct warp *w, uint32_t ref) {
    return w->rows[ref >> ROWS_SHIFT] + REF_OFFSET(ref);
}

/* op->members refers to the member masks; 0 means an old form without: the lanes that are here. */
static uint32_t named_lanes(const struct warp *w, const struct op *op, uint32_t lanes) {
    if (!op->members) return lanes;
    const uint32_t *members = row(w, op->members);
    uint32_t named = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) named |= members[__builtin_ctz(rest)];
    return named;
}

/* Read the operands (op->is_predicate: a is a predicate) of the lanes of the path whose frame is current. */
static void collect(const struct warp *w, const struct op *op, uint32_t lanes, struct collective *x) {
    for (uint32_t rest = op->is_predicate ? 0 : lanes; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        x->a[l] = op->flags & OP_WIDE ? ((const uint64_t *)row(w, op->a))[l] : ((const uint32_t *)row(w, op->a))[l];
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        x->b[l] = ((const uint32_t *)row(w, op->b))[l];
        x->c[l] = ((const uint32_t *)row(w, op->c))[l];
        x->members[l] = op->members ? ((const uint32_t *)row(w, op->members))[l] : lanes;
    }
    if (op->is_predicate) x->pred = (x->pred & ~lanes) | ((*(const uint32_t *)row(w, op->a) ^ op->c_flip) & lanes);
}

static void write_pred(char *regs, uint32_t offset, uint32_t lanes, uint32_t bits) {
    uint32_t *p = (uint32_t *)(regs + offset);
    *p = (*p & ~lanes) | (bits & lanes);
}

/* op->type: what the destination is: a predicate, 32 or 64 bits, or nothing. */
static void scatter(char *regs, const struct op *op, uint32_t lanes, const struct collective *x) {
    if (op->type == PTX_PRED) {
        write_pred(regs, op->d, lanes, x->pred);
    } else if (op->type != PTX_TYPE_NONE) {
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            int l = __builtin_ctz(rest);
            if (ptx_type_size(op->type) == 8)
                ((uint64_t *)(regs + op->d))[l] = x->result[l];
            else
                ((uint32_t *)(regs + op->d))[l] = (uint32_t)x->result[l];
        }
    }
    if (op->d2_present) write_pred(regs, op->d2, lanes, x->pred);
}

static void check_collective(struct warp *w, const struct frame *frame, const struct op *op, uint32_t lanes) {
    check_members(w, frame, op, lanes, named_lanes(w, op, lanes));
}

const struct op *collective_run(struct warp *w, const struct op *op) {
    uint32_t lanes = w->active & (*(const uint32_t *)(w->rows[ROWS_REGS] + op->guard) ^ op->guard_flip);
    if (!lanes) return op + 1;
    if (lanes != w->active) path_step_aside(w, op, w->active & ~lanes);
    uint32_t needs = named_lanes(w, op, lanes) & w->live;
    if (needs & ~lanes) {
        path_wait(w, op, WAIT_COLLECTIVE)->needs = needs;
        collective_recheck(w);
        return path_next(w);
    }
    if (w->block->check) check_collective(w, w->frame, op, lanes);
    if (w->block->check) check_converge(w, lanes);
    struct collective x;
    x.mask = lanes;
    x.pred = 0;
    collect(w, op, lanes, &x);
    if (w->block->check && op->collective == collective_shfl) check_shuffled(w, w->frame, op, lanes, &x);
    op->collective(&x, op);
    scatter(w->rows[ROWS_REGS], op, lanes, &x);
    return op + 1;
}

/* Can paths at these two operations take part in the same collective operation? */
static bool same_collective(const struct op *a, const struct op *b) {
    return a->collective == b->collective && a->sub == b->sub;
}

/* The waiting paths that can take part in one with path first: all lanes that any of them needs are among them. Bit by
 * path; 0: none. */
static uint32_t complete_group(const struct warp *w, int first) {
    uint32_t group = 0, lanes = 0, before;
    for (int i = 0; i < w->npaths; i++)
        if (w->paths[i].wait == WAIT_COLLECTIVE && same_collective(w->paths[i].pc, w->paths[first].pc))
            group |= 1u << i;
    do {
        before = group;
        lanes = 0;
        for (int i = 0; i < w->npaths; i++)
            if (group >> i & 1) lanes |= w->paths[i].mask;
        for (int i = 0; i < w->npaths; i++)
            if ((group >> i & 1) && (w->paths[i].needs & w->live & ~lanes)) group &= ~(1u << i);
    } while (group != before);
    return group;
}

static void collective_group(struct warp *w, uint32_t group) {
    struct collective x;
    const struct op *op = w->paths[__builtin_ctz(group)].pc;
    char *regs = w->rows[ROWS_REGS];
    memset(&x, 0, sizeof x);
    for (int i = 0; i < w->npaths; i++) {
        if (!(group >> i & 1)) continue;
        w->rows[ROWS_REGS] = w->paths[i].frame->regs;
        x.mask |= w->paths[i].mask;
        if (w->block->check) check_collective(w, w->paths[i].frame, w->paths[i].pc, w->paths[i].mask);
        collect(w, w->paths[i].pc, w->paths[i].mask, &x);
    }
    w->rows[ROWS_REGS] = regs;
    if (w->block->check) check_converge(w, x.mask);
    op->collective(&x, op);
    for (int i = 0; i < w->npaths; i++) {
        struct path *path = &w->paths[i];
        if (!(group >> i & 1)) continue;
        if (w->block->check && op->collective == collective_shfl)
            check_shuffled(w, path->frame, path->pc, path->mask, &x);
        scatter(path->frame->regs, path->pc, path->mask, &x);
        path->wait = WAIT_NONE;
        path->pc++;
    }
    w->block->progressed = true;
}

void collective_recheck(struct warp *w) {
    for (int i = 0; i < w->npaths; i++) {
        if (w->paths[i].wait != WAIT_COLLECTIVE) continue;
        uint32_t group = complete_group(w, i);
        if (group >> i & 1) collective_group(w, group);
    }
}

/* ---- What each operation computes ---- */

#define EACH_MEMBER(x)                                                                                                 \
    for (uint32_t rest = (x)->mask, l; rest && (l = (uint32_t)__builtin_ctz(rest), 1); rest &= rest - 1)

uint32_t collective_source(uint8_t kind, uint32_t lane, uint32_t b, uint32_t c, bool *in_range) {
    uint32_t value = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    uint32_t max_lane = (lane & segment) | (clamp & ~segment & 31), min_lane = lane & segment;
    int64_t source;
    switch (kind) {
    case PTX_SHFL_UP: source = (int64_t)lane - value; break;
    case PTX_SHFL_DOWN: source = (int64_t)lane + value; break;
    case PTX_SHFL_BFLY: source = lane ^ value; break;
    default: source = min_lane | (value & ~segment & 31); break;
    }
    *in_range = kind == PTX_SHFL_UP ? source >= (int64_t)max_lane : source <= (int64_t)max_lane;
    return *in_range ? (uint32_t)source : lane;
}

/* A source lane that does not take part gives 0, as on an H200: whether it has exited, is elsewhere or never was, and
 * whether the mask names it or not. A source outside of the segment leaves a lane its own value, and so does a constant
 * mask of one lane (op->is_alone). */
void collective_shfl(struct collective *x, const struct op *op) {
    uint32_t in_ranges = 0;
    EACH_MEMBER(x) {
        bool in_range;
        uint32_t source = collective_source(op->sub, l, x->b[l], x->c[l], &in_range);
        if (op->is_alone) source = l;
        x->result[l] = x->mask >> source & 1 ? x->a[source] : 0;
        in_ranges |= (uint32_t)in_range << l;
    }
    x->pred = in_ranges;
}

void collective_vote(struct collective *x, const struct op *op) {
    uint32_t holds = x->pred, result = 0;
    EACH_MEMBER(x) {
        uint32_t voters = x->members[l] & x->mask, yes = holds & voters;
        bool truth = op->sub == PTX_VOTE_ALL   ? yes == voters
                     : op->sub == PTX_VOTE_ANY ? yes != 0
                                               : yes == 0 || yes == voters;
        x->result[l] = yes;
        result |= (uint32_t)truth << l;
    }
    x->pred = result;
}

static uint32_t lanes_equal(const struct collective *x, uint32_t lanes, uint64_t value) {
    uint32_t equal = 0;
    for (; lanes; lanes &= lanes - 1) equal |= (uint32_t)(x->a[__builtin_ctz(lanes)] == value) << __builtin_ctz(lanes);
    return equal;
}

void collective_match(struct collective *x, const struct op *op) {
    uint32_t all = 0;
    EACH_MEMBER(x) {
        uint32_t lanes = x->members[l] & x->mask, equal = lanes_equal(x, lanes, x->a[l]);
        x->result[l] = op->sub == PTX_MATCH_ANY || equal == lanes ? equal : 0;
        all |= (uint32_t)(equal == lanes) << l;
    }
    x->pred = all;
}

static uint32_t redux_step(uint8_t kind, bool is_signed, uint32_t a, uint32_t b) {
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (kind) {
    case PTX_ATOM_ADD: return a + b;
    case PTX_ATOM_MIN: return less ? a : b;
    case PTX_ATOM_MAX: return less ? b : a;
    case PTX_ATOM_AND: return a & b;
    case PTX_ATOM_OR: return a | b;
    default: return a ^ b;
    }
}

void collective_redux(struct collective *x, const struct op *op) {
    EACH_MEMBER(x) {
        uint32_t lanes = x->members[l] & x->mask, sum = (uint32_t)x->a[__builtin_ctz(lanes)];
        for (lanes &= lanes - 1; lanes; lanes &= lanes - 1)
            sum = redux_step(op->sub, op->flags & OP_SIGNED, sum, (uint32_t)x->a[__builtin_ctz(lanes)]);
        x->result[l] = sum;
    }
}

void collective_elect(struct collective *x, const struct op *op) {
    uint32_t leaders = 0;
    (void)op;
    EACH_MEMBER(x) {
        uint32_t leader = (uint32_t)__builtin_ctz(x->members[l] & x->mask);
        x->result[l] = leader;
        leaders |= (uint32_t)(leader == l) << l;
    }
    x->pred = leaders;
}

/* bar.warp.sync only waits. */
void collective_none(struct collective *x, const struct op *op) {
    (void)x, (void)op;
}
