/*
 * exec/fused.h: sums of products as tensor cores add them up.
 *
 * The products of a block are exact. They and the accumulator are aligned to the largest of their exponents, and each
 * keeps `fraction` bits behind its point; what lies below is cut off. The sum of what is left is exact, and cut off
 * (f32) or rounded to nearest even (f16). Significands of subnormal operands are not normalised first, so an exponent
 * is the sum of the operands' exponents.
 *
 *   exponent of the largest term ->  xx.xxxxxxxxxxxxxxxxxxxxxxxxx
 *                                           x.xxxxxxxxxxxxxxxxxxx|xx   cut off
 */
#ifndef SIMT_EXEC_FUSED_H
#define SIMT_EXEC_FUSED_H

#include "half.h"
#include "simt/machine/mma.h"

#define FACTOR_BITS  10      /* behind the point of a factor */
#define TERM_BITS    25      /* behind the point of a term, before what sum->fraction leaves out is cut off */
#define TERMS        8       /* of 28 bits, whose sum has 31 */
#define ZERO_BELOW   (-1000) /* exponent of a zero: it aligns nothing */
#define SINGLE_BITS  23
#define SINGLE_LEAST (-126) /* exponent of the smallest normal float */

enum special { FINITE, INFINITE, NOT_A_NUMBER };

/* Elements of a and b: value = significand * 2^(exponent - FACTOR_BITS). */
struct factors {
    int32_t significand[MMA_MAX_ELEMENTS], exponent[MMA_MAX_ELEMENTS];
    uint8_t special[MMA_MAX_ELEMENTS]; /* enum special */
    bool has_special;
};

/* A term: value = significand * 2^(exponent - TERM_BITS). */
struct term {
    int32_t significand, exponent;
    uint8_t special;
};

struct format {
    uint8_t exponent_bits, fraction_bits;
    bool has_infinity; /* the largest exponent is that of infinity and NaN */
};

static inline struct format format_of(uint8_t type) {
    switch ((enum ptx_type)type) {
    case PTX_BF16: return (struct format){8, 7, true};
    case PTX_TF32: return (struct format){8, 10, true};
    case PTX_F32: return (struct format){8, 23, true};
    case PTX_E4M3: return (struct format){4, 3, false};
    case PTX_E5M2: return (struct format){5, 2, true};
    default: return (struct format){5, 10, true};
    }
}

/* Take a number apart: bits, as the format has them; fraction_bits: what the significand is to have behind its point.
 */
static inline struct term term_of(uint32_t bits, struct format f, int fraction_bits) {
    int32_t top = (1 << f.exponent_bits) - 1, bias = top >> 1, exponent = (int32_t)(bits >> f.fraction_bits) & top;
    uint32_t fraction = bits & ((1u << f.fraction_bits) - 1);
    bool negative = bits >> (f.exponent_bits + f.fraction_bits) & 1;
    struct term term = {.special = FINITE};
    if (exponent == top && f.has_infinity) term.special = fraction ? NOT_A_NUMBER : INFINITE;
    if (exponent == top && !f.has_infinity && fraction == (1u << f.fraction_bits) - 1) term.special = NOT_A_NUMBER;
    int32_t significand = (int32_t)((exponent ? 1u << f.fraction_bits : 0) | fraction)
                          << (fraction_bits - f.fraction_bits);
    term.significand = negative ? -significand : significand;
    term.exponent = significand ? (exponent ? exponent : 1) - bias : ZERO_BELOW;
    return term;
}

/* Infinity or NaN, as a double, or a finite value of the right sign. */
static inline double special_value(int32_t significand, uint8_t special) {
    double value = special == NOT_A_NUMBER ? NAN : special == INFINITE ? INFINITY : 1;
    return significand < 0 ? -value : significand ? value : 0;
}

/* The sum of n products and c, where one of the operands is infinity or NaN. */
static inline double special_sum(const struct factors *a, const struct factors *b, size_t i, size_t j, int n,
                                 const struct term *c) {
    double sum = special_value(c->significand, c->special);
    for (int k = 0; k < n; k++)
        sum += special_value(a->significand[i + (size_t)k], a->special[i + (size_t)k]) *
               special_value(b->significand[j + (size_t)k], b->special[j + (size_t)k]);
    return sum;
}

/* The terms, aligned and cut off, are added: the result is sum * 2^(*exponent - TERM_BITS). The products of a's
 * elements from i on with b's from j on. */
static inline int64_t fused_sum(const struct factors *a, const struct factors *b, size_t i, size_t j, int n,
                                const struct term *c, int cut, int32_t *exponent) {
    const int32_t *sa = a->significand + i, *ea = a->exponent + i, *sb = b->significand + j, *eb = b->exponent + j;
    int32_t most = c->exponent;
    for (int k = 0; k < n; k++) most = ea[k] + eb[k] > most ? ea[k] + eb[k] : most;
    int32_t shift = most - c->exponent + cut;
    int64_t sum = 0;
    int32_t magnitude = c->significand < 0 ? -c->significand : c->significand;
    magnitude = shift > 31 ? 0 : magnitude >> shift;
    sum = c->significand < 0 ? -magnitude : magnitude;
    for (int first = 0; first < n; first += TERMS) {
        int32_t products = 0;
        for (int k = first; k < n && k < first + TERMS; k++) {
            int32_t product = sa[k] * sb[k], away = most - (ea[k] + eb[k]) + cut;
            int32_t size = (product < 0 ? -product : product) << (TERM_BITS - 2 * FACTOR_BITS);
            size = away > 31 ? 0 : size >> (away & 31);
            products += product < 0 ? -size : size;
        }
        sum += products;
    }
    *exponent = most;
    return sum;
}

/* sum * 2^(exponent - TERM_BITS) as a float, cut off behind `kept` fraction bits. */
static inline uint32_t cut_to_float(int64_t sum, int32_t exponent, int kept) {
    if (sum == 0) return 0;
    uint64_t size = (uint64_t)(sum < 0 ? -sum : sum);
    uint32_t sign = sum < 0 ? 0x80000000u : 0;
    int top = 63 - __builtin_clzll(size), of_value = exponent - TERM_BITS + top;
    if (of_value > 127) return sign | 0x7F800000;
    int last = of_value < SINGLE_LEAST ? SINGLE_LEAST - kept : of_value - kept; /* exponent of the last bit kept */
    int drop = last - (exponent - TERM_BITS);
    uint64_t significand = drop > 63 ? 0 : drop >= 0 ? size >> drop : size << -drop;
    uint32_t bits = (uint32_t)(significand << (SINGLE_BITS - kept));
    if (of_value < SINGLE_LEAST) return sign | bits;
    return sign | ((uint32_t)(of_value + 127) << SINGLE_BITS | (bits & 0x7FFFFF));
}

/* The same as f16, rounded to nearest even. A double holds the sum exactly. What becomes zero has no sign. */
static inline uint16_t round_to_half(int64_t sum, int32_t exponent) {
    if (sum == 0) return 0;
    uint16_t half =
        half_from_double((double)sum * float64((uint64_t)(exponent - TERM_BITS + 1023) << 52), ROUND_NEAREST);
    return half == 0x8000 ? 0 : half;
}

/* Infinity or NaN as f16 or f32. */
static inline uint32_t special_bits(double value, uint8_t type) {
    if (value != value) return type == PTX_F16 ? HALF_NAN_BITS : NAN32_BITS;
    uint32_t infinity = type == PTX_F16 ? 0x7C00 : 0x7F800000, sign = type == PTX_F16 ? 0x8000 : 0x80000000;
    return value < 0 ? sign | infinity : infinity;
}

/* One element of D: c, as its bits, plus n products, `sum->block` at a time. type: of c and of the result, f16 or f32.
 */
static inline uint32_t fused_dot(const struct factors *a, const struct factors *b, size_t i, size_t j, int n,
                                 uint32_t c, uint8_t type, const struct mma_sum *sum) {
    const struct format f = format_of(type);
    int cut = TERM_BITS - sum->fraction;
    for (int k = 0; k < n; k += sum->block) {
        int block = n - k < sum->block ? n - k : sum->block;
        struct term term = term_of(c, f, TERM_BITS);
        size_t x = i + (size_t)k, y = j + (size_t)k;
        if (a->has_special || b->has_special || term.special != FINITE) {
            double special = special_sum(a, b, x, y, block, &term);
            bool finite = special - special == 0;
            if (!finite) {
                c = special_bits(special, type);
                continue;
            }
        }
        int32_t exponent;
        int64_t total = fused_sum(a, b, x, y, block, &term, cut, &exponent);
        c = type == PTX_F16 ? round_to_half(total, exponent) : cut_to_float(total, exponent, sum->kept);
    }
    return c;
}

#endif
