/*
 * exec/half.h: half precision (binary16) and bfloat16 values as their bits. They are rounded to nearest even unless a
 * rounding is given.
 *
 *             sign   exponent   fraction   bias
 *   f16       1      5          10         15
 *   bf16      1      8          7          127        the upper half of a float
 */
#ifndef SIMT_EXEC_HALF_H
#define SIMT_EXEC_HALF_H

#include "floats.h"

#define HALF_NAN_BITS   0x7FFFu
#define BFLOAT_NAN_BITS 0x7FFFu

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

/* 112 = 127 - 15, the difference of the biases. A subnormal half is fraction * 2^-24, a normal float. */
static inline float half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3FF;
    if (exponent == 31) return float32(sign | 0x7F800000 | fraction << 13);
    if (exponent) return float32(sign | (exponent + 112) << 23 | fraction << 13);
    float tiny = (float)fraction * 0x1p-24f;
    return float32(bits32(tiny) | sign);
}

static inline float bfloat_to_float(uint16_t b) {
    return float32((uint32_t)b << 16);
}

/* Is a value, cut off behind some bit, one larger in magnitude after rounding? rest: the bits cut off; half: the first
 * of them alone; odd: the last bit kept. */
static inline bool rounds_away(enum rounding rounding, bool negative, bool odd, uint64_t rest, uint64_t half) {
    switch (rounding) {
    case ROUND_NEAREST: return rest > half || (rest == half && odd);
    case ROUND_DOWN: return negative && rest;
    case ROUND_UP: return !negative && rest;
    default: return false;
    }
}

/*
 * A double as a float format of the given exponent and fraction bits, rounded once. nan: the bits to give for NaN.
 *
 *   significand   1.fraction, 53 bits
 *                 | kept        | rest (shift bits) |       subnormal results keep fewer bits
 *
 * The fields are one number: a carry out of the fraction raises the exponent. Past the largest number comes infinity,
 * or the largest again where the rounding points back.
 */
static inline uint16_t narrow_double(double v, int exponent_bits, int fraction_bits, enum rounding rounding,
                                     uint16_t nan) {
    uint64_t bits = bits64(v), fraction = bits & 0xFFFFFFFFFFFFFull;
    bool negative = bits >> 63;
    int exponent = (int)(bits >> 52 & 0x7FF) - 1023, bias = (1 << (exponent_bits - 1)) - 1,
        top = (1 << exponent_bits) - 1;
    uint16_t sign = negative ? 0x8000 : 0, infinity = (uint16_t)(top << fraction_bits);
    if (v != v) return nan;
    if (exponent == 1024) return sign | infinity;
    if (v == 0) return sign;
    uint64_t significand = fraction | 1ull << 52;
    int shift = 52 - fraction_bits, biased = exponent + bias;
    if (biased < 1) shift += 1 - biased, biased = 0;
    if (shift > 60) shift = 60, significand = 1; /* far below the smallest subnormal: only its being there counts */
    uint64_t kept = significand >> shift, rest = significand & ((1ull << shift) - 1);
    kept += rounds_away(rounding, negative, kept & 1, rest, 1ull << (shift - 1));
    uint64_t result = biased ? ((uint64_t)(biased - 1) << fraction_bits) + kept : kept;
    if (result < infinity) return (uint16_t)(sign | result);
    bool to_infinity =
        rounding == ROUND_NEAREST || (rounding == ROUND_UP && !negative) || (rounding == ROUND_DOWN && negative);
    return (uint16_t)(sign | (to_infinity ? infinity : infinity - 1));
}

static inline uint16_t half_from_double(double v, enum rounding rounding) {
    return narrow_double(v, 5, 10, rounding, HALF_NAN_BITS);
}
static inline uint16_t bfloat_from_double(double v, enum rounding rounding) {
    return narrow_double(v, 8, 7, rounding, BFLOAT_NAN_BITS);
}
static inline uint16_t half_from_float(float v) {
    return half_from_double((double)v, ROUND_NEAREST);
}
static inline uint16_t bfloat_from_float(float v) {
    return bfloat_from_double((double)v, ROUND_NEAREST);
}

#endif
