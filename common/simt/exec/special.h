/*
 * exec/special.h: the .approx functions as an H200 computes them, bit by bit: the special-function
 * unit (exec/special_unit.h), and around it the steps that ptxas puts there. Most have no branches,
 * so the loops over lanes are vectorised.
 */
#pragma once

#include "special_unit.h"

#define SCALE_UP    0x1p24f  /* what ptxas multiplies subnormal arguments by */
#define LARGE       0x1p126f /* above it, a reciprocal is subnormal */
#define LOG_QUANTUM 0x1p-36  /* a logarithm's last bit */

static const struct {
    double c0, c1, c2;
} tanh_segments[] = {
#define IGNORE(c0, c1, c2)
#define SINE             IGNORE
#define POWER            IGNORE
#define LOGARITHM        IGNORE
#define ROOT             IGNORE
#define INVERSE_ROOT     IGNORE
#define RECIPROCAL       IGNORE
#define TANH(c0, c1, c2) {c0, c1, c2},
#include "special.def"
};

/* The upper 24 bits of v. */
static inline double cut24(double v) {
    return float64(bits64(v) & ~0x1FFFFFFFull);
}

static inline bool is_subnormal_or_0(float v) {
    return (bits32(v) & 0x7F800000) == 0;
}
static inline bool is_positive_normal(uint32_t bits) {
    return bits - 0x00800000 < 0x7F000000;
}

/* significand * 2^(exponent - 23). The significand's upper bit adds 1 to the field of the
 * exponent. */
static inline float assemble(uint32_t significand, int32_t exponent) {
    return float32(significand + ((uint32_t)(exponent + 126) << 23));
}

/*
 * Each function has two parts: where in its segments the argument is, NAME_at(), and the value from
 * the point that look_up() or point_at() find there.
 */

static inline uint32_t not_finite(float x) {
    return (bits32(x) & 0x7F800000) == 0x7F800000 ? NAN32_BITS : 0;
}

/* sin(x + quarters * pi/2). ptxas puts a multiplication by 1 / (2 pi), rounded to 0, in front. Odd
 * quarters of a turn go backwards. The point has the quarter in bits 24 and 25. */
static inline uint32_t sine_at(float x, uint32_t quarters) {
    float turns =
        (float)cut24(fabs((double)float32(bits32(x) & ~not_finite(x)) * (double)0.15915494f));
    uint32_t at = (uint32_t)(int32_t)((turns - floorf(turns)) * (1 << 25)),
             quarter = (at >> 23) + quarters;
    return ((quarter & 1 ? ~at : at) & FRACTION) | quarter << 24;
}
static inline float special_sine(float x, uint32_t quarters, struct point p) {
    float value = (float)cut24(special_value(p, 0));
    uint32_t sign = (p.at << 6 & 0x80000000) ^ (quarters ? 0 : bits32(x) & 0x80000000);
    return float32((bits32(value) ^ sign) | not_finite(x));
}

/* 2^x. Below -126 it is the square of 2^(x/2). A negative fraction is complemented. */
static inline float power_root(float x) {
    return x < -126 ? 0.5f * x : x;
}
static inline int32_t power_size(float root) {
    return (int32_t)(fabsf(root) * (FRACTION + 1)) & 0x3FFFFFFF;
}
static inline uint32_t power_at(float x) {
    float root = power_root(x);
    uint32_t part = (uint32_t)power_size(root) & FRACTION;
    return part ^ ((uint32_t) - (root < 0 && part != 0) & FRACTION);
}
static inline float special_power(float x, struct point p) {
    float root = power_root(x);
    int32_t size = power_size(root), negative = -(root < 0);
    int32_t exponent = ((size + (negative & FRACTION)) >> 23 ^ negative) - negative;
    float value = assemble(special_significand(p, 8072, 17), exponent);
    value *= x < -126 ? value : x < 128 ? 1 : x == x ? INFINITY : NAN;
    return x < -252 ? 0 : value;
}

/* Subnormal arguments of logarithms and roots are scaled. */
static inline float scaled_up(float a) {
    return is_subnormal_or_0(a) ? a * SCALE_UP : a;
}

/* log2 of a. A negative result is the complement of its size. */
static inline uint32_t logarithm_at(float a) {
    return bits32(scaled_up(a)) & FRACTION;
}
static inline float special_logarithm(float a, struct point p) {
    float x = scaled_up(a);
    uint32_t bits = bits32(x);
    double sum = special_value(p, 3348) + ((int32_t)(bits >> 23) - 127);
    double quanta = floor(sum * (1 / LOG_QUANTUM));
    quanta = quanta < 0 ? quanta + 1 : quanta;
    quanta = x == 1 ? 0 : quanta;
    float value = (float)cut24(quanta * LOG_QUANTUM) - (is_subnormal_or_0(a) ? 24 : 0);
    float limit = x == 0 ? -INFINITY : x > 0 ? x : NAN;
    return is_positive_normal(bits) ? value : limit;
}

/* Half of the exponent of a normal number, rounded down. */
static inline int32_t half_exponent(uint32_t bits) {
    return (int32_t)((bits + 0x00800000) >> 24) - 64;
}

/* The exponent's lowest bit and the fraction. */
static inline uint32_t root_at(float a) {
    return bits32(scaled_up(a)) & 0xFFFFFF;
}
static inline float special_root(float a, struct point p) {
    float x = scaled_up(a);
    uint32_t bits = bits32(x);
    float value = assemble(special_significand(p, -1, 17),
                           half_exponent(bits) - (is_subnormal_or_0(a) ? 12 : 0));
    float limit = x == 0 || x > 0 ? x : NAN;
    return is_positive_normal(bits) ? value : limit;
}

/* 1 / sqrt(a). Of an even power of 2 it is exact. */
static inline float special_inverse_root(float a, struct point p) {
    float x = scaled_up(a);
    uint32_t bits = bits32(x),
             significand = p.at == 0x800000 ? 1 << 24 : special_significand(p, -1, 16);
    float value = assemble(significand, (is_subnormal_or_0(a) ? 11 : -1) - half_exponent(bits));
    float limit = x == 0 ? float32(bits | 0x7F800000) : x > 0 ? 0 : NAN;
    return is_positive_normal(bits) ? value : limit;
}

/* 1 / x. The unit takes subnormal arguments for 0, and has 0 for subnormal results. */
static inline float special_inverse(float x, struct point p) {
    uint32_t size = bits32(x) & 0x7FFFFFFF, sign = bits32(x) & 0x80000000;
    float value = size > 0x7E800000
                      ? 0
                      : assemble(special_significand(p, 4046, 16), 126 - (int32_t)(size >> 23));
    value = size < 0x00800000 ? INFINITY : value;
    return size > 0x7F800000 ? NAN : float32(bits32(value) | sign);
}
static inline float scale_for_inverse(float x) {
    return fabsf(x) > LARGE ? 0.25f : is_subnormal_or_0(x) ? SCALE_UP : 1;
}
/* Only subnormal numbers have another fraction when they are scaled. */
static inline uint32_t reciprocal_at(float x) {
    return bits32(scaled_up(x)) << 1 & 0xFFFFFF;
}
static inline float special_reciprocal(float x, struct point p) {
    float scale = scale_for_inverse(x);
    return special_inverse(x * scale, p) * scale;
}
static inline float special_quotient(float a, float b, struct point p) {
    float scale = is_subnormal_or_0(b) ? SCALE_UP : 1;
    return a * scale * special_inverse(b * scale, p);
}
/* div.full: the divisor may be large, too. */
static inline float special_full_quotient(float a, float b, struct point p) {
    float scale = scale_for_inverse(b);
    return a * scale * special_inverse(b * scale, p);
}

/* The segments are those of one binade, from 2^-8 up to 2^3, but a binade has 1, 2, 4, 8 or 16.
 * Below, tanh(x) is x. */
static inline float special_tanh(float x) {
    static const uint8_t first[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43},
                         bits[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    uint32_t size = bits32(x) & 0x7FFFFFFF, sign = bits32(x) & 0x80000000;
    if (size > 0x7F800000) return NAN;
    if (size < 0x3B800000) return x;
    if (size >= 0x41000000) return float32(sign | 0x3F800000);
    uint32_t binade = (size >> 23) - 119,
             segment = first[binade] + ((size & FRACTION) >> (23 - bits[binade]));
    int32_t place = (int32_t)((size << bits[binade] & FRACTION) >> 6);
    double curve =
        tanh_segments[segment].c1 * place + tanh_segments[segment].c2 * square_at((uint32_t)place);
    return float32(sign |
                   bits32((float)cut24((8192 * tanh_segments[segment].c0 + curve) * 0x1p-40)));
}

/* rcp and rsqrt .approx.ftz.f64 read and write the upper 32 bits of a double only: the lower ones
 * are 0. */
static inline double upper_half(double v) {
    return float64(bits64(v) & 0xFFFFFFFF00000000ull);
}
static inline double flush64(double v) {
    return bits64(v) & 0x7FF0000000000000ull ? v : float64(bits64(v) & 0x8000000000000000ull);
}
static inline double special_inverse64(double x) {
    uint64_t size = bits64(x) & 0x7FFFFFFF00000000ull, sign = bits64(x) & 0x8000000000000000ull;
    if (size > 0x7FF0000000000000ull) return NAN;
    if (size < 0x0010000000000000ull) return float64(sign | 0x7FF0000000000000ull);
    if (size > 0x7FD0000000000000ull) return float64(sign);
    uint32_t fraction = (uint32_t)(size >> 29) & FRACTION;
    uint32_t significand =
        special_significand(point_at(RECIPROCAL_SEGMENTS, fraction << 1), 4046, 16);
    uint64_t exponent = 2044 - (size >> 52);
    return float64(sign | ((exponent << 52) + ((uint64_t)(significand >> 3) << 32)));
}
static inline double special_inverse_root64(double a) {
    double x = flush64(upper_half(a));
    if (!(x > 0) || x == INFINITY) return 1 / sqrt(x);
    int32_t exponent = (int32_t)(bits64(x) >> 52) - 1023;
    uint32_t fraction = (uint32_t)(bits64(x) >> 29) & FRACTION, even = (uint32_t)(exponent + 1) & 1;
    uint32_t significand =
        special_significand(point_at(INVERSE_ROOT_SEGMENTS, even << 23 | fraction), -1, 16);
    return ldexp(even && !fraction ? 1 << 24 : significand & ~7u, -24 - (exponent >> 1));
}

/* rsqrt.approx.f64: ptxas corrects the unit's result by two terms of a series. */
static inline double special_corrected_inverse_root64(double a) {
    if (a != a) return a + a;
    double scale = a < DBL_MIN ? 0x1p54 : 1, x = a * scale, y = special_inverse_root64(x);
    if (!(a > 0) || a == INFINITY) return y;
    double error = fma(x, -(y * y), 1);
    return fma(fma(error, 0.375, 0.5), y * error, y) * (scale == 1 ? 1 : 0x1p27);
}
