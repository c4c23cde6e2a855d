/*
 * exec/special.h: sin, cos and ex2 .approx as the special-function unit computes them (MUFU), bit by bit.
 *
 * A fixed-point argument of 23 bits is a segment of 6 bits and a place x of 17 bits in it. The result is
 *
 *   (2048 * c0 + c1 * x + c2 * square(x) + bias) / 2^38, cut to 24 bits
 *
 * with the segment's coefficients. The squarer drops the partial products below 2^19 (S. Oberman, M. Siu, "A
 * High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005, describes such a unit). The coefficients
 * were solved for from an H200's results: all arguments of the main ranges, and 2^19 random ones, have its bits.
 */
#ifndef SIMT_EXEC_SPECIAL_H
#define SIMT_EXEC_SPECIAL_H

#include "floats.h"

#include <math.h>
#include <stdint.h>

#define PLACE_BITS   17
#define SQUARE_DROPS 19
#define FRACTION     0x7FFFFF /* 23 bits */
#define POWER_BIAS   2018

static const struct segment {
    int32_t c0, c1, c2;
} sine_segments[] =
    {
#define SEGMENT(c0, c1, c2) {c0, c1, c2},
#define SINE_SEGMENTS
#include "special.def"
#undef SINE_SEGMENTS
},
  power_segments[] = {
#define POWER_SEGMENTS
#include "special.def"
#undef POWER_SEGMENTS
#undef SEGMENT
};

/* Bit i of x adds the bits above it, and itself, at twice its weight and once. */
static inline int64_t special_square(uint32_t x) {
    uint64_t sum = 0;
    for (int i = 0; i < PLACE_BITS; i++) {
        uint64_t row = (uint64_t)(x >> (i + 1)) << (2 * i + 2) | 1ull << (2 * i);
        sum += x >> i & 1 ? row >> SQUARE_DROPS : 0;
    }
    return (int64_t)sum;
}

static inline float special_value(const struct segment *segments, uint32_t argument, int bias) {
    const struct segment *s = &segments[argument >> PLACE_BITS];
    uint32_t x = argument & ((1u << PLACE_BITS) - 1);
    int64_t value = (int64_t)s->c0 * 2048 + (int64_t)s->c1 * x + (int64_t)s->c2 * special_square(x) + bias;
    if (value <= 0) return 0;
    int drop = 40 - __builtin_clzll((uint64_t)value);
    if (drop > 0) value = value >> drop << drop;
    return (float)ldexp((double)value, -38);
}

/* x / (2 pi), rounded to zero: the multiplication that ptxas puts in front. */
static inline double special_turns(float x) {
    double product = (double)x * (double)0.15915494f;
    float turns = (float)product;
    return fabs((double)turns) > fabs(product) ? (double)nextafterf(turns, 0) : (double)turns;
}

/* sin(x + quarters * pi/2). Odd quarters of a turn go backwards. */
static inline float special_sine(float x, uint32_t quarters) {
    if (!isfinite(x)) return NAN;
    double turns = fabs(special_turns(x));
    uint32_t at = (uint32_t)((turns - floor(turns)) * (1 << 25)), quarter = (at >> 23) + quarters;
    float value = special_value(sine_segments, (quarter & 1 ? ~at : at) & FRACTION, 0);
    bool negative = (quarter >> 1 & 1) != (!quarters && signbit(x));
    return negative ? -value : value;
}

/* 2^x for x of -126 or more. A negative fraction is complemented. */
static inline float special_power_normal(float x) {
    double size = fabs((double)x), whole = floor(size);
    uint32_t fraction = (uint32_t)((size - whole) * (FRACTION + 1));
    int exponent = (int)whole;
    if (x < 0) {
        exponent = fraction ? -exponent - 1 : -exponent;
        fraction = fraction ? fraction ^ FRACTION : 0;
    }
    return ldexpf(special_value(power_segments, fraction, POWER_BIAS), exponent);
}

static inline float special_power(float x) {
    if (isnan(x)) return NAN;
    if (x >= 128) return INFINITY;
    if (x >= -126) return special_power_normal(x);
    if (x < -300) return 0;
    float root = x < -252 ? 0 : special_power_normal(x * 0.5f);
    return root * root;
}

#endif
