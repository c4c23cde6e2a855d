/*
 * exec/compare.c: setp, set, selp and logic on predicates. A predicate is one mask, bit l for lane
 * l. So a comparison packs 32 results, a selection spreads 32 choices:
 *
 *   rows a, b    | lane 0 | lane 1 | lane 2 | ...          pack():    words -> mask
 *   words        |   ~0   |    0   |   ~0   | ...          predicate: 0b...101
 */
#include "floats.h"
#include "simt/access/lane.h"

/* setp's BoolOp on the masks of all lanes. */
static inline uint32_t compare_combine(uint8_t boolop, uint32_t result, uint32_t c) {
    switch (boolop) {
    case PTX_BOOL_AND: return result & c;
    case PTX_BOOL_OR: return result | c;
    case PTX_BOOL_XOR: return result ^ c;
    default: return result;
    }
}

/* Write setp's one or two results: (a cmp b) BoolOp c, and !(a cmp b) BoolOp c. result: the
 * comparison of all 32 lanes; mask: the lanes that are written. */
static inline __attribute__((always_inline)) const struct op *
write_comparison(struct warp *w, const struct op *op, uint32_t mask, uint32_t result) {
    uint32_t *d = (uint32_t *)(w->rows[ROWS_REGS] + op->d);
    if (op->compare.boolop == PTX_BOOL_NONE && !op->d2) {
        set_pred(d, mask, result);
        return RUN(NEXT);
    }
    uint32_t c = op->compare.boolop == PTX_BOOL_NONE ? 0 : *pred(w, op->c) ^ op->c_flip;
    set_pred(d, mask, compare_combine(op->compare.boolop, result, c));
    if (op->d2)
        set_pred((uint32_t *)(w->rows[ROWS_REGS] + op->d2), mask,
                 compare_combine(op->compare.boolop, ~result, c));
    return RUN(NEXT);
}

/* A comparison is made for all lanes, as words of zeros or ones, and packed to a mask; only writing
 * it looks at the guard. Where all lanes that run have the same operands, it is made for one. */
#define COMPARE(name, t, condition)                                                                \
    HANDLER(name) {                                                                                \
        const ROW_##t *pa = SRC(t, op->a), *pb = SRC(t, op->b);                                    \
        uint32_t words[WARP_SIZE] __attribute__((aligned(64)));                                    \
        if (op->flags & OP_UNIFORM) {                                                              \
            int l = first_lane(w->active);                                                         \
            const VAL_##t a = GET_##t(pa[l]), b = GET_##t(pb[l]);                                  \
            return write_comparison(w, op, guard(w, op), (condition) ? ~0u : 0);                   \
        }                                                                                          \
        VECTOR_LANES {                                                                             \
            const VAL_##t a = GET_##t(pa[l]), b = GET_##t(pb[l]);                                  \
            words[l] = (condition) ? ~0u : 0;                                                      \
        }                                                                                          \
        return write_comparison(w, op, guard(w, op), pack(words));                                 \
    }

#define COMPARE_EQUAL(t) COMPARE(setp_eq_##t, t, a == b) COMPARE(setp_ne_##t, t, a != b)
#define COMPARE_ORDER(t)                                                                           \
    COMPARE(setp_lt_##t, t, a < b)                                                                 \
    COMPARE(setp_le_##t, t, a <= b) COMPARE(setp_gt_##t, t, a > b) COMPARE(setp_ge_##t, t, a >= b)
#define COMPARE_INT(t) COMPARE_EQUAL(t) COMPARE_ORDER(t)
COMPARE_INT(u16)
COMPARE_INT(s16)
COMPARE_INT(u32)
COMPARE_INT(s32)
COMPARE_INT(u64)
COMPARE_INT(s64)

/* Float comparisons: the plain ones are false, the unordered ones true, if an operand is NaN. F
 * flushes operands, or not. | instead of || keeps the loop free of branches. */
#define COMPARE_FLOAT(t, suffix, F)                                                                \
    COMPARE(setp_eq_##suffix, t, F(a) == F(b))                                                     \
    COMPARE(setp_ne_##suffix, t, (F(a) < F(b)) | (F(a) > F(b)))                                    \
    COMPARE(setp_lt_##suffix, t, F(a) < F(b))                                                      \
    COMPARE(setp_le_##suffix, t, F(a) <= F(b))                                                     \
    COMPARE(setp_gt_##suffix, t, F(a) > F(b))                                                      \
    COMPARE(setp_ge_##suffix, t, F(a) >= F(b))                                                     \
    COMPARE(setp_equ_##suffix, t, !((F(a) < F(b)) | (F(a) > F(b))))                                \
    COMPARE(setp_neu_##suffix, t, !(F(a) == F(b)))                                                 \
    COMPARE(setp_ltu_##suffix, t, !(F(a) >= F(b)))                                                 \
    COMPARE(setp_leu_##suffix, t, !(F(a) > F(b)))                                                  \
    COMPARE(setp_gtu_##suffix, t, !(F(a) <= F(b)))                                                 \
    COMPARE(setp_geu_##suffix, t, !(F(a) < F(b)))                                                  \
    COMPARE(setp_num_##suffix, t, (a == a) & (b == b))                                             \
    COMPARE(setp_nan_##suffix, t, (a != a) | (b != b))
#define AS_IS(v) (v)
COMPARE_FLOAT(f32, f32, AS_IS)
COMPARE_FLOAT(f32, f32_ftz, flush32)
COMPARE_FLOAT(f64, f64, AS_IS)

/* set: its comparison wrote the sink predicate; the result is true_bits or 0. */
HANDLER(set_from_pred) {
    uint32_t mask = guard(w, op), holds = *pred(w, op->a), *d = DST(u32);
    uint32_t true_bits = (uint32_t)op->compare.true_bits;
    EACH_ACTIVE(mask) d[l] = holds >> l & 1 ? true_bits : 0;
    return RUN(NEXT);
}

/* A row that all lanes choose is copied; else the choice is spread to words of zeros or ones, which
 * blend a and b. */
#define SELECT(name, t)                                                                            \
    HANDLER(name) {                                                                                \
        uint32_t mask = guard(w, op), choice = *pred(w, op->c) ^ op->c_flip;                       \
        ROW_##t *d = DST(t);                                                                       \
        const ROW_##t *a = SRC(t, op->a), *b = SRC(t, op->b);                                      \
        const ROW_##t *one = choice == FULL_MASK ? a : choice == 0 ? b : NULL;                     \
        if (one) {                                                                                 \
            WRITE_RESULT(t, mask, one[l]);                                                         \
            return RUN(NEXT);                                                                      \
        }                                                                                          \
        uint32_t chosen[WARP_SIZE] __attribute__((aligned(64)));                                   \
        EACH_LANE                                                                                  \
            chosen[l] = 0u - (choice >> l & 1u);                                                   \
        WRITE_RESULT(t, mask, b[l] ^ ((a[l] ^ b[l]) & (ROW_##t)(int32_t)chosen[l]));               \
        return RUN(NEXT);                                                                          \
    }
SELECT(selp_32, u32)
SELECT(selp_64, u64)

/* and, or, xor, not of predicates: one host operation for all lanes. */
HANDLER(pred_logic) {
    uint32_t mask = guard(w, op), a = *pred(w, op->a), b = *pred(w, op->b), result = a;
    switch ((enum ptx_opcode)op->insn->op) {
    case PTX_AND: result = a & b; break;
    case PTX_OR: result = a | b; break;
    case PTX_XOR: result = a ^ b; break;
    case PTX_NOT: result = ~a; break;
    default: break;
    }
    set_pred((uint32_t *)(w->rows[ROWS_REGS] + op->d), mask, result);
    return RUN(NEXT);
}

HANDLER(mov_pred) {
    set_pred((uint32_t *)(w->rows[ROWS_REGS] + op->d), guard(w, op), *pred(w, op->a) ^ op->c_flip);
    return RUN(NEXT);
}

/* Rows of the decoder's table. lo, ls, hi, hs are lt, le, gt, ge of unsigned integers. */
#define RULE(cmp, name, TYPE, t)     {PTX_##cmp, PTX_##TYPE, false, setp_##name##_##t},
#define FTZ_RULE(cmp, name, TYPE, t) {PTX_##cmp, PTX_##TYPE, true, setp_##name##_##t##_ftz},
#define INT_RULES(TYPE, t)                                                                         \
    RULE(EQ, eq, TYPE, t)                                                                          \
    RULE(NE, ne, TYPE, t)                                                                          \
    RULE(LT, lt, TYPE, t) RULE(LE, le, TYPE, t) RULE(GT, gt, TYPE, t) RULE(GE, ge, TYPE, t)
#define UNSIGNED_RULES(TYPE, t)                                                                    \
    INT_RULES(TYPE, t)                                                                             \
    RULE(LO, lt, TYPE, t) RULE(LS, le, TYPE, t) RULE(HI_CMP, gt, TYPE, t) RULE(HS, ge, TYPE, t)
#define FLOAT_RULES(R, TYPE, t)                                                                    \
    R(EQ, eq, TYPE, t)                                                                             \
    R(NE, ne, TYPE, t)                                                                             \
    R(LT, lt, TYPE, t)                                                                             \
    R(LE, le, TYPE, t)                                                                             \
    R(GT, gt, TYPE, t)                                                                             \
    R(GE, ge, TYPE, t)                                                                             \
    R(EQU, equ, TYPE, t)                                                                           \
    R(NEU, neu, TYPE, t)                                                                           \
    R(LTU, ltu, TYPE, t)                                                                           \
    R(LEU, leu, TYPE, t)                                                                           \
    R(GTU, gtu, TYPE, t) R(GEU, geu, TYPE, t) R(NUM, num, TYPE, t) R(NAN, nan, TYPE, t)

/* Half precision has a handler for all comparisons: half_setp. */
const struct compare_rule EXEC(compare_rules)[] = {
    UNSIGNED_RULES(U16, u16) UNSIGNED_RULES(U32, u32) UNSIGNED_RULES(U64, u64)
        UNSIGNED_RULES(B16, u16) UNSIGNED_RULES(B32, u32) UNSIGNED_RULES(B64, u64)
            INT_RULES(S16, s16) INT_RULES(S32, s32) INT_RULES(S64, s64) FLOAT_RULES(RULE, F32, f32)
                FLOAT_RULES(RULE, F64, f64) FLOAT_RULES(FTZ_RULE, F32, f32){0, 0, false, NULL},
};

void EXEC(compare_names)(struct handlers *handlers) {
    handlers->set_from_pred = set_from_pred;
    handlers->selp_32 = selp_32;
    handlers->selp_64 = selp_64;
    handlers->pred_logic = pred_logic;
    handlers->mov_pred = mov_pred;
}
