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

/* Write down for the time model how many different values match.any has found. */
static void trace_match(const struct warp *w, const struct op *op, const struct collective *x) {
    uint32_t values = 0;
    if (!w->trace || op->collective.step != collective_match || op->sub != PTX_MATCH_ANY) return;
    for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        values += __builtin_ctzll(x->result[l] | 1ull << WARP_SIZE) == l;
    }
    trace_passes(w->trace, op->insn, ACCESS_MATCH, ACCESS_RESULT, values, 1);
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
    struct collective x;
    x.mask = lanes;
    x.pred = 0;
    collective_collect(w, op, lanes, &x);
    if (w->block->check) check_converge(w, lanes, x.members);
    if (w->block->check && op->collective.step == collective_shfl)
        check_shuffled(w, w->frame, op, lanes, &x);
    op->collective.step(&x, op);
    trace_match(w, op, &x);
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
    if (w->block->check) check_converge(w, x.mask, x.members);
    op->collective.step(&x, op);
    trace_match(w, op, &x);
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
