/*
 * exec/half_row.h: sums and products of halves, a whole row at a time. No branches, so that the
 * compiler makes vectors of the lanes. half_any computes what these leave out, and the same.
 */
#pragma once

#include "half.h"

/* A half as a double, exactly. As a float's bits, an f16 is too small by the difference of the
 * biases, 2^112. */
static inline __attribute__((always_inline)) double half_wide(uint32_t h, bool is_bfloat) {
    if (is_bfloat) return float32(h << 16);
    uint32_t fields = (h & 0x7FFF) << 13, scaled = bits32(float32(fields) * 0x1p112f);
    uint32_t special = 0u - ((h & 0x7C00) == 0x7C00); /* all ones for an infinity or a NaN */
    return float32((h & 0x8000) << 16 | (scaled & ~special) | ((fields | 0x7F800000) & special));
}

/*
 * The nearest half, as half_from_double() and bfloat_from_double() have it. The sum with a power of
 * two rounds:
 *
 *   2^(e + 52 - fraction bits)   1 0000000000000000000000
 *   v, 2^e or above, or less where halves are subnormal     1.xxxxxxxxxx|rest
 */
static inline __attribute__((always_inline)) uint32_t half_narrow(double v, bool is_bfloat) {
    const int fraction_bits = is_bfloat ? 7 : 10, least = is_bfloat ? -126 : -14;
    uint64_t bits = bits64(v) & INT64_MAX, exponent = bits >> 52;
    uint64_t floor = (uint64_t)(least + 1023), e = exponent > floor ? exponent : floor;
    double size = float64(bits), power = float64((e + 52 - (uint64_t)fraction_bits) << 52);
    float rounded = (float)(size + power - power);
    uint32_t sign = (uint32_t)(bits64(v) >> 48) & 0x8000, infinity = is_bfloat ? 0x7F80 : 0x7C00;
    uint32_t fields = is_bfloat ? bits32(rounded) >> 16 : bits32(rounded * 0x1p-112f) >> 13;
    /* 2^128 or 2^16, or infinite */
    uint32_t is_large = 0u - (bits >= (is_bfloat ? 1151ull : 1039ull) << 52);
    uint32_t is_nan = 0u - (bits > 0x7FFull << 52);
    return ((sign | (fields & ~is_large) | (infinity & is_large)) & ~is_nan) |
           (HALF_NAN_BITS & is_nan);
}

/* a * b + c rounded to odd, as fma_odd(). */
static inline __attribute__((always_inline)) double half_fma(double a, double b, double c) {
    double product = a * b, sum = product + c, back = sum - product,
           error = (product - (sum - back)) + (c - back);
    uint64_t bits = bits64(sum), missing = bits64(error), some = (missing & INT64_MAX) - 1;
    uint64_t inexact = some < (0x7FFull << 52) - 1; /* neither 0 nor NaN */
    /* & 1: an even last bit becomes odd, towards the exact value */
    uint64_t step = inexact & ~bits;
    return float64(bits + (step & 1) - 2 * (step & (missing ^ bits) >> 63));
}
