/*
 * warp/collective.c: operations in which the lanes of a warp look at each other: shfl, vote, match,
 * redux, elect, bar.warp.sync.
 *
 * A .sync form names the lanes that take part. When some of them are on another path, the path
 * waits. When all named lanes wait at the same kind of operation, their values are collected from
 * their paths, the result is computed, and each path goes on alone.
 *
 *      members 0xFF      path A, lanes 0 to 3      path B, lanes 4 to 7
 *      A arrives         waits, needs 0xFF         runs elsewhere
 *      B arrives         collect a, b, c of both paths -> struct collective -> scatter results to
 * both
 *
 * An operation is split in three: collective_collect() reads operands, op->collective.step computes
 * in struct collective, collective_scatter() writes results. So the computation does not know
 * whether its lanes came on one path or on several.
 */
#include "simt/check/check.h"

#include <string.h>

/* All lanes that the given lanes name in their member masks. op->collective.members 0: an old form
 * without a mask; the lanes that are here take part. */
static uint32_t named_lanes(const struct warp *w, const struct op *op, uint32_t lanes) {
    if (!op->collective.members) return lanes;
    const uint32_t *members = row(w, op->collective.members);
    uint32_t named = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) named |= members[__builtin_ctz(rest)];
    return named;
}

/* Read the operands of a path's lanes; its frame must be the current one. A vote's operand
 * is a mask and goes to x->pred. */
static void collective_collect(const struct warp *w, const struct op *op, uint32_t lanes,
                               struct collective *x) {
    bool is_vote = op->collective.step == collective_vote;
    for (uint32_t rest = is_vote ? 0 : lanes; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        x->a[l] = op->flags & OP_WIDE ? ((const uint64_t *)row(w, op->a))[l]
                                      : ((const uint32_t *)row(w, op->a))[l];
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        x->b[l] = ((const uint32_t *)row(w, op->b))[l];
        x->c[l] = ((const uint32_t *)row(w, op->c))[l];
        x->members[l] =
            op->collective.members ? ((const uint32_t *)row(w, op->collective.members))[l] : lanes;
    }
    if (is_vote)
        x->pred = (x->pred & ~lanes) | ((*(const uint32_t *)row(w, op->a) ^ op->c_flip) & lanes);
}

/* Set the lanes' bits of a predicate; the other lanes keep theirs. */
static void write_pred(char *regs, uint32_t offset, uint32_t lanes, uint32_t bits) {
    uint32_t *p = (uint32_t *)(regs + offset);
    *p = (*p & ~lanes) | (bits & lanes);
}

/* Write the lanes' results to the frame at regs. op->type is the destination: a predicate, 32 or 64
 * bits, or nothing. d2 is a shuffle's or match's predicate. */
static void collective_scatter(char *regs, const struct op *op, uint32_t lanes,
                               const struct collective *x) {
    if (op->type == PTX_PRED) {
        write_pred(regs, op->d, lanes, x->pred);
    } else if (op->type != PTX_TYPE_NONE) {
        bool is_wide = ptx_type_size(op->type) == 8;
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            int l = __builtin_ctz(rest);
            if (is_wide)
                ((uint64_t *)(regs + op->d))[l] = x->result[l];
            else
                ((uint32_t *)(regs + op->d))[l] = (uint32_t)x->result[l];
        }
    }
    if (op->d2) write_pred(regs, op->d2, lanes, x->pred);
}

/* The usual case, all named lanes are in the current path, needs no waiting. */
const struct op *collective_run(struct warp *w, const struct op *op) {
    uint32_t lanes = guard(w, op);
    if (!lanes) return op + 1;
    if (lanes != w->active) path_step_aside(w, op, w->active & ~lanes);
    uint32_t needs = named_lanes(w, op, lanes) & w->live;
    if (needs & ~lanes) {
        struct path *path = path_wait(w, op, WAIT_COLLECTIVE);
        path->needs = needs;
        if (w->block->check) path->awaited = check_awaited(w, needs & ~lanes);
        collective_recheck(w);
        return path_next(w);
    }
    if (w->block->check) check_members(w, w->frame, op, lanes, named_lanes(w, op, lanes), 0);
    if (w->block->check) check_converge(w, lanes);
    struct collective x;
    x.mask = lanes;
    x.pred = 0;
    collective_collect(w, op, lanes, &x);
    if (w->block->check && op->collective.step == collective_shfl)
        check_shuffled(w, w->frame, op, lanes, &x);
    op->collective.step(&x, op);
    collective_scatter(w->rows[ROWS_REGS], op, lanes, &x);
    return op + 1;
}

/* Can paths at these two operations take part in the same collective operation? */
static bool same_collective(const struct op *a, const struct op *b) {
    return a->collective.step == b->collective.step && a->sub == b->sub;
}

/* The waiting paths that can take part in one operation with path first, as bits by path; 0: not
 * all needed lanes wait. It begins with all paths at the same operation, and drops each that needs
 * a lane of no path in the group, until none is dropped. What is left is the largest group that is
 * complete. */
static uint32_t complete_group(const struct warp *w, int first) {
    uint32_t group = 0, lanes = 0, before;
    for (int i = 0; i < w->npaths; i++)
        if (w->paths[i].wait == WAIT_COLLECTIVE &&
            same_collective(w->paths[i].pc, w->paths[first].pc))
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

/* Run the operation for all paths of the group together. Their frames may differ: rows[ROWS_REGS]
 * points to each while its operands are read, and is restored. */
static void collective_group(struct warp *w, uint32_t group) {
    struct collective x;
    const struct op *op = w->paths[__builtin_ctz(group)].pc;
    char *regs = w->rows[ROWS_REGS];
    memset(&x, 0, sizeof x);
    for (int i = 0; i < w->npaths; i++) {
        if (!(group >> i & 1)) continue;
        w->rows[ROWS_REGS] = w->paths[i].frame->regs;
        const struct path *path = &w->paths[i];
        uint32_t named = w->block->check ? named_lanes(w, path->pc, path->mask) : 0;
        x.mask |= path->mask;
        if (w->block->check)
            check_members(w, path->frame, path->pc, path->mask, named, path->awaited);
        collective_collect(w, path->pc, path->mask, &x);
    }
    w->rows[ROWS_REGS] = regs;
    if (w->block->check) check_converge(w, x.mask);
    op->collective.step(&x, op);
    for (int i = 0; i < w->npaths; i++) {
        struct path *path = &w->paths[i];
        if (!(group >> i & 1)) continue;
        if (w->block->check && op->collective.step == collective_shfl)
            check_shuffled(w, path->frame, path->pc, path->mask, &x);
        collective_scatter(path->frame->regs, path->pc, path->mask, &x);
        path->wait = WAIT_NONE;
        path->pc++;
    }
    w->block->progressed = true;
}

/* Run all groups that are complete now. A group changes the state of its paths, not their places,
 * so the loop goes on. */
void collective_recheck(struct warp *w) {
    for (int i = 0; i < w->npaths; i++) {
        if (w->paths[i].wait != WAIT_COLLECTIVE) continue;
        uint32_t group = complete_group(w, i);
        if (group >> i & 1) collective_group(w, group);
    }
}

/* ---- What each operation computes ---- */

#define EACH_MEMBER(x)                                                                             \
    for (uint32_t rest = (x)->mask, l; rest && (l = (uint32_t)__builtin_ctz(rest), 1);             \
         rest &= rest - 1)

/*
 * As the PTX manual defines shfl. Operand b is the delta, lane mask or index; operand c has two
 * fields:
 *
 *   bit  12 ....... 8    7 .. 5    4 ...... 0
 *        segment mask    unused    clamp
 */
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

/* A source lane that takes no part gives 0, as measured on an H200: one that has exited, one on
 * another path, one that was never launched, named by the mask or not. A source outside the segment
 * leaves a lane its value, and so does a constant mask of one lane (op->collective.is_alone). */
void collective_shfl(struct collective *x, const struct op *op) {
    uint32_t in_ranges = 0;
    EACH_MEMBER(x) {
        bool in_range;
        uint32_t source = collective_source(op->sub, l, x->b[l], x->c[l], &in_range);
        if (op->collective.is_alone) source = l;
        x->result[l] = x->mask >> source & 1 ? x->a[source] : 0;
        in_ranges |= (uint32_t)in_range << l;
    }
    x->pred = in_ranges;
}

/* vote.ballot is result, the lanes whose predicate holds; vote.all, .any and .uni are pred. Each
 * lane looks at its member mask. */
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

/* The lanes that hold this value. */
static uint32_t lanes_equal(const struct collective *x, uint32_t lanes, uint64_t value) {
    uint32_t equal = 0;
    for (; lanes; lanes &= lanes - 1)
        equal |= (uint32_t)(x->a[__builtin_ctz(lanes)] == value) << __builtin_ctz(lanes);
    return equal;
}

/* match.any: the members with a lane's value. match.all: the members if all have one value, else 0;
 * pred tells which. */
void collective_match(struct collective *x, const struct op *op) {
    uint32_t all = 0;
    EACH_MEMBER(x) {
        uint32_t lanes = x->members[l] & x->mask, equal = lanes_equal(x, lanes, x->a[l]);
        x->result[l] = op->sub == PTX_MATCH_ANY || equal == lanes ? equal : 0;
        all |= (uint32_t)(equal == lanes) << l;
    }
    x->pred = all;
}

/* The operations of redux have the numbers of the atomics. */
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

/* Each lane folds its members' values from the lowest lane up. The values are integers, so the
 * order does not show. */
void collective_redux(struct collective *x, const struct op *op) {
    EACH_MEMBER(x) {
        uint32_t lanes = x->members[l] & x->mask, sum = (uint32_t)x->a[__builtin_ctz(lanes)];
        for (lanes &= lanes - 1; lanes; lanes &= lanes - 1)
            sum = redux_step(op->sub, op->flags & OP_SIGNED, sum,
                             (uint32_t)x->a[__builtin_ctz(lanes)]);
        x->result[l] = sum;
    }
}

/* The lowest member is the leader: its number is the result, and pred holds in it alone. */
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
