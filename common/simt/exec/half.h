/*
 * exec/half.h: half precision (binary16) and bfloat16 values as their bits. They are rounded to
 * nearest even unless a rounding is given.
 *
 *             sign   exponent   fraction   bias
 *   f16       1      5          10         15
 *   bf16      1      8          7          127        the upper half of a float
 *   e5m2      1      5          2          15         the upper half of an f16
 *   e4m3      1      4          3          7          no infinity, and one NaN: all bits set
 */
#pragma once

#include "floats.h"

#define HALF_NAN_BITS   0x7FFFu
#define BFLOAT_NAN_BITS 0x7FFFu
#define BYTE_NAN_BITS   0x7Fu

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

/* 112 = 127 - 15, the difference of the biases. A subnormal half is fraction * 2^-24, a normal
 * float. */
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

/* Is a value, cut off after some bit, one larger in magnitude after rounding? rest: the bits cut
 * off; half: the first of them alone; odd: the last bit kept. */
static inline bool rounds_away(enum rounding rounding, bool negative, bool odd, uint64_t rest,
                               uint64_t half) {
    switch (rounding) {
    case ROUND_NEAREST: return rest > half || (rest == half && odd);
    case ROUND_DOWN: return negative && rest;
    case ROUND_UP: return !negative && rest;
    default: return false;
    }
}

/*
 * A finite double as the exponent and fraction of a smaller format, rounded once.
 *
 *   significand   1.fraction, 53 bits
 *                 | kept        | rest (shift bits) |       subnormal results keep fewer bits
 *
 * The fields are one number: a carry out of the fraction raises the exponent.
 */
static inline uint64_t narrow_fields(double v, int bias, int fraction_bits,
                                     enum rounding rounding) {
    uint64_t bits = bits64(v), significand = (bits & 0xFFFFFFFFFFFFFull) | 1ull << 52;
    int shift = 52 - fraction_bits, biased = (int)(bits >> 52 & 0x7FF) - 1023 + bias;
    if (v == 0) return 0;
    if (biased < 1) shift += 1 - biased, biased = 0;
    if (shift > 60) /* far below the smallest subnormal: only its being there counts */
        shift = 60, significand = 1;
    uint64_t kept = significand >> shift, rest = significand & ((1ull << shift) - 1);
    kept += rounds_away(rounding, bits >> 63, kept & 1, rest, 1ull << (shift - 1));
    return biased ? ((uint64_t)(biased - 1) << fraction_bits) + kept : kept;
}

/* The same with its sign, and infinity as the largest exponent. nan: the bits to give for NaN. Past
 * the largest number comes infinity, or the largest again where the rounding points back. */
static inline uint16_t narrow_double(double v, int exponent_bits, int fraction_bits,
                                     enum rounding rounding, uint16_t nan) {
    bool negative = bits64(v) >> 63;
    int top = (1 << exponent_bits) - 1;
    uint16_t sign = negative ? 0x8000 : 0, infinity = (uint16_t)(top << fraction_bits);
    if (v != v) return nan;
    if (v == INFINITY || v == -INFINITY) return sign | infinity;
    uint64_t result = narrow_fields(v, top >> 1, fraction_bits, rounding);
    if (result < infinity) return (uint16_t)(sign | result);
    bool to_infinity = rounding == ROUND_NEAREST || (rounding == ROUND_UP && !negative) ||
                       (rounding == ROUND_DOWN && negative);
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

/* 8-bit floats: the nearest, or the largest where the value is beyond. */
static inline uint8_t byte_from_double(double v, bool is_e4m3) {
    const double most = is_e4m3 ? 448 : 57344;
    uint8_t sign = bits64(v) >> 63 ? 0x80 : 0;
    if (v != v) return BYTE_NAN_BITS;
    if (fabs(v) > most) v = copysign(most, v);
    return (uint8_t)(sign | narrow_fields(v, is_e4m3 ? 7 : 15, is_e4m3 ? 3 : 2, ROUND_NEAREST));
}

/* An f16 holds every 8-bit float. */
static inline uint16_t half_from_byte(uint8_t b, bool is_e4m3) {
    uint16_t sign = (uint16_t)((b & 0x80) << 8);
    if (!is_e4m3) return (b & 0x7F) > 0x7C ? HALF_NAN_BITS : (uint16_t)(b << 8);
    if ((b & 0x7F) == 0x7F) return HALF_NAN_BITS;
    /* the value times 2^-8: the biases are 15 and 7 */
    uint16_t fields = (uint16_t)((b & 0x7F) << 7);
    return (uint16_t)(sign | half_from_float(half_to_float(fields) * 256));
}
