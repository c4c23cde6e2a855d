/*
 * exec/half.c: f16 and bf16, alone and in pairs. Each value is computed as a double, and the result
 * is rounded to the format.
 *
 *   f16x2 word:   31          16 15           0
 *                 | upper half  | lower half  |       a single half has zeros above it
 */
#include "half.h"
#include "half_row.h"
#include "simt/access/lane.h"
#include "special.h"

/* a * b + c rounded to odd: if inexact, the last bit is set. Rounding that again to fewer bits
 * gives what rounding the exact value would give (S. Boldo, G. Melquiond, "Emulation of a FMA and
 * correctly rounded sums"). The error of the sum is Knuth's TwoSum. */
static double fma_odd(double a, double b, double c) {
    double product = a * b, sum = product + c; /* the product of two 11-bit significands is exact */
    double back = sum - product, error = (product - (sum - back)) + (c - back);
    uint64_t bits = bits64(sum);
    if (error != 0 && error == error && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : -1ull;
    return float64(bits);
}

/* ex2 and tanh are the special-function unit's single-precision ones, and rounded to zero. */
static bool is_special(const struct op *op) {
    return op->insn->op == PTX_EX2 || op->insn->op == PTX_TANH;
}
/* A power that f16 has not is infinite. */
static double half_power(uint8_t type, double a) {
    double power = (double)special_power((float)a, point_at(POWER_SEGMENTS, power_at((float)a)));
    bool is_f16 = type == PTX_F16 || type == PTX_F16X2;
    return is_f16 && power >= 65536 ? INFINITY : power;
}

/* min and max keep -0 below +0; with .NaN one NaN is enough; .xorsign.abs as xorsign32. */
static double half_choice(const struct ptx_insn *insn, double a, double b) {
    bool minus = insn->xorsign && signbit(a) != signbit(b);
    if (insn->nan && (a != a || b != b)) return NAN;
    if (insn->xorsign) a = fabs(a), b = fabs(b);
    double v = insn->op == PTX_MIN ? min64(a, b) : max64(a, b);
    return minus ? -v : v;
}

/* One operation on doubles. neg and abs do not come here. */
static double half_value(const struct op *op, double a, double b, double c) {
    switch ((enum ptx_opcode)op->insn->op) {
    case PTX_ADD: return a + b;
    case PTX_SUB: return a - b;
    case PTX_MUL: return a * b;
    case PTX_FMA:
        return fma_odd(op->insn->minus == PTX_MINUS_PRODUCT ? -a : a, b,
                       op->insn->minus == PTX_MINUS_ADDEND ? -c : c);
    case PTX_EX2: return half_power(op->type, a);
    case PTX_TANH: return (double)special_tanh((float)a);
    case PTX_MIN:
    case PTX_MAX: return half_choice(op->insn, a, b);
    default: return a;
    }
}

static inline bool is_bfloat(uint8_t type) {
    return type == PTX_BF16 || type == PTX_BF16X2;
}

/* .ftz: a value without exponent bits is zero or subnormal. */
static uint16_t flush_half(const struct op *op, uint16_t v) {
    uint16_t exponent = is_bfloat(op->type) ? 0x7F80 : 0x7C00;
    return (op->flags & OP_FTZ) && !(v & exponent) ? v & 0x8000 : v;
}

/* A half as a double, exactly. */
static double half_widen(const struct op *op, uint16_t v) {
    v = flush_half(op, v);
    return (double)(is_bfloat(op->type) ? bfloat_to_float(v) : half_to_float(v));
}

/* neg and abs: all NaN become one. */
static uint16_t half_sign(const struct op *op, uint16_t a) {
    uint16_t size = a & 0x7FFF, infinite = is_bfloat(op->type) ? 0x7F80 : 0x7C00;
    if (size > infinite) return 0x7FFF;
    return op->insn->op == PTX_NEG ? a ^ 0x8000 : size;
}

/* One half of one lane: flush, compute, clamp, round. */
static uint16_t half_lane(const struct op *op, uint16_t a, uint16_t b, uint16_t c) {
    if (op->insn->op == PTX_NEG || op->insn->op == PTX_ABS) return half_sign(op, flush_half(op, a));
    double v = half_value(op, half_widen(op, a), half_widen(op, b), half_widen(op, c));
    if (op->insn->relu && v <= 0) v = 0;
    if (op->insn->sat) v = saturate64(v);
    enum rounding rounding = is_special(op) ? ROUND_ZERO : ROUND_NEAREST;
    return flush_half(op, is_bfloat(op->type) ? bfloat_from_double(v, rounding)
                                              : half_from_double(v, rounding));
}

/* Both halves of lane l's words, of an expression of x, y and z. A single half has zeros above it,
 * and so has its result. */
#define WIDE(row, shift) half_wide((row)[l] >> (shift)&0xFFFF, format)
#define PART(expression, shift)                                                                    \
    half_narrow(expression(WIDE(a, shift), WIDE(b, shift), WIDE(c, shift)), format) << (shift)
#define HALF_ROW(name, expression)                                                                 \
    static inline __attribute__((always_inline)) void name##_row(                                  \
        struct warp *w, const struct op *op, uint32_t mask, const bool format) {                   \
        const uint32_t *a = SRC(u32, op->a), *b = SRC(u32, op->b), *c = SRC(u32, op->c);           \
        uint32_t *d = DST(u32);                                                                    \
        (void)b, (void)c;                                                                          \
        WRITE_LANES(u32, mask, PART(expression, 0) | PART(expression, 16));                        \
    }
#define SUM(x, y, z)           ((x) + (y))
#define DIFFERENCE(x, y, z)    ((x) - (y))
#define PRODUCT(x, y, z)       ((x) * (y))
#define MINUS_PRODUCT(x, y, z) half_fma(-(x), y, z)
#define MINUS_ADDEND(x, y, z)  half_fma(x, y, -(z))
HALF_ROW(add, SUM)
HALF_ROW(sub, DIFFERENCE)
HALF_ROW(mul, PRODUCT)
HALF_ROW(fma, half_fma)
HALF_ROW(fma_minus_product, MINUS_PRODUCT)
HALF_ROW(fma_minus_addend, MINUS_ADDEND)

/* Computes whole rows. False: there is no row function for the operation. */
static inline __attribute__((always_inline)) bool half_rows(struct warp *w, const struct op *op,
                                                            uint32_t mask, const bool format) {
    switch ((enum ptx_opcode)op->insn->op) {
    case PTX_ADD: add_row(w, op, mask, format); return true;
    case PTX_SUB: sub_row(w, op, mask, format); return true;
    case PTX_MUL: mul_row(w, op, mask, format); return true;
    case PTX_FMA:
        if (op->insn->minus == PTX_MINUS_PRODUCT)
            fma_minus_product_row(w, op, mask, format);
        else if (op->insn->minus == PTX_MINUS_ADDEND)
            fma_minus_addend_row(w, op, mask, format);
        else
            fma_row(w, op, mask, format);
        return true;
    default: return false;
    }
}

/* A pair is two halves in a 32-bit word, computed apart. */
HANDLER(half_any) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const uint32_t *a = SRC(u32, op->a), *b = SRC(u32, op->b), *c = SRC(u32, op->c);
    bool pair = op->type == PTX_F16X2 || op->type == PTX_BF16X2,
         plain = !(op->flags & OP_FTZ) && !op->insn->relu && !op->insn->sat;
    if (plain &&
        (is_bfloat(op->type) ? half_rows(w, op, mask, true) : half_rows(w, op, mask, false)))
        return NEXT;
    EACH_ACTIVE(mask) {
        uint32_t x = a[l], y = b[l], z = c[l];
        uint32_t low = half_lane(op, (uint16_t)x, (uint16_t)y, (uint16_t)z);
        d[l] = pair ? low | (uint32_t)half_lane(op, (uint16_t)(x >> 16), (uint16_t)(y >> 16),
                                                (uint16_t)(z >> 16))
                                << 16
                    : low;
    }
    return NEXT;
}

/* The comparisons of setp: plain ones are false, unordered ones true, if an operand is NaN. */
static bool half_holds(uint8_t cmp, double a, double b) {
    bool unordered = a != a || b != b;
    switch (cmp) {
    case PTX_EQ: return a == b;
    case PTX_NE: return !unordered && a != b;
    case PTX_LT: return a < b;
    case PTX_LE: return a <= b;
    case PTX_GT: return a > b;
    case PTX_GE: return a >= b;
    case PTX_EQU: return unordered || a == b;
    case PTX_NEU: return a != b;
    case PTX_LTU: return unordered || a < b;
    case PTX_LEU: return unordered || a <= b;
    case PTX_GTU: return unordered || a > b;
    case PTX_GEU: return unordered || a >= b;
    case PTX_NUM: return !unordered;
    default: return unordered;
    }
}

/* setp's BoolOp on the masks of all lanes, as in exec/compare.c. */
static uint32_t boolop(uint8_t mode, uint32_t result, uint32_t c) {
    return mode == PTX_BOOL_AND   ? result & c
           : mode == PTX_BOOL_OR  ? result | c
           : mode == PTX_BOOL_XOR ? result ^ c
                                  : result;
}

/* setp on one half, or on a pair with a result for each: d is the lower half's, d2 the upper
 * half's. d2 of a single half is the opposite of d. set writes ones or 1.0 to
 * d, in each half by itself. */
HANDLER(half_setp) {
    uint32_t mask = guard(w, op), low = 0, high = 0;
    const uint32_t *a = SRC(u32, op->a), *b = SRC(u32, op->b);
    EACH_ACTIVE(mask) {
        low |= (uint32_t)half_holds(op->insn->cmp, half_widen(op, (uint16_t)a[l]),
                                    half_widen(op, (uint16_t)b[l]))
               << l;
        high |= (uint32_t)half_holds(op->insn->cmp, half_widen(op, (uint16_t)(a[l] >> 16)),
                                     half_widen(op, (uint16_t)(b[l] >> 16)))
                << l;
    }
    bool pair = op->type == PTX_F16X2 || op->type == PTX_BF16X2;
    uint32_t c = op->compare.boolop ? *pred(w, op->c) ^ op->c_flip : 0;
    if (op->insn->op == PTX_SET) {
        uint32_t *d = DST(u32), one = (uint32_t)op->compare.true_bits;
        EACH_ACTIVE(mask)
            d[l] = (low >> l & 1 ? one & 0xFFFF : 0) |
                   (pair && (high >> l & 1) ? one & 0xFFFF0000 : 0);
        return NEXT;
    }
    set_pred((uint32_t *)DST(u32), mask, boolop(op->compare.boolop, low, c));
    if (op->d2)
        set_pred((uint32_t *)(w->rows[ROWS_REGS] + op->d2), mask,
                 boolop(op->compare.boolop, pair ? high : ~low, c));
    return NEXT;
}

void EXEC(half_names)(struct handlers *handlers) {
    handlers->half_any = half_any;
    handlers->half_setp = half_setp;
}
