/* machine/collective.c: what each warp-wide operation computes from the operands of its lanes:
 * shuffles, votes, matches, reductions. Which lanes take part is found in warp/collective.c. */
#include "machine.h"

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
