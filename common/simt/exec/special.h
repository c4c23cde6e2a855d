/*
 * exec/special.h: the .approx functions as an H200's special-function unit (MUFU) computes them, bit by bit.
 *
 * A table gives each segment of a function's range three coefficients. The result at place x of a segment, of 17 bits,
 * is
 *
 *   (8192 * c0 + c1 * x + c2 * square(x) + bias) / 2^40, cut to 24 bits
 *
 * S. Oberman, M. Siu, "A High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005, describes the unit.
 * The coefficients were solved for from an H200's results. All of its results have these bits: those for each mantissa,
 * and for 2^19 random arguments of each function. The steps around the unit are those that ptxas puts there.
 *
 * The functions have no branches, so the loops over lanes are vectorised.
 */
#ifndef SIMT_EXEC_SPECIAL_H
#define SIMT_EXEC_SPECIAL_H

#include "floats.h"

#define PLACE       0x1FFFF  /* 17 bits */
#define FRACTION    0x7FFFFF /* 23 bits */
#define SCALE_UP    0x1p24f  /* what ptxas multiplies subnormal arguments by */
#define LARGE       0x1p126f /* above it, a reciprocal is subnormal */
#define LOG_QUANTUM 0x1p-36  /* a logarithm's last bit */

/* A function's first segment. Of the roots, 64 segments are for odd exponents, the next 64 for even ones. */
enum segments {
    SINE_SEGMENTS = 0,
    POWER_SEGMENTS = SINE_SEGMENTS + 64,
    LOGARITHM_SEGMENTS = POWER_SEGMENTS + 64,
    ROOT_SEGMENTS = LOGARITHM_SEGMENTS + 64,
    INVERSE_ROOT_SEGMENTS = ROOT_SEGMENTS + 128,
    RECIPROCAL_SEGMENTS = INVERSE_ROOT_SEGMENTS + 128,
    SEGMENTS = RECIPROCAL_SEGMENTS + 128
};

#define SINE         SEGMENT
#define POWER        SEGMENT
#define LOGARITHM    SEGMENT
#define ROOT         SEGMENT
#define INVERSE_ROOT SEGMENT
#define RECIPROCAL   SEGMENT
#define TANH(c0, c1, c2)
static const int32_t constants[SEGMENTS] = {
#define SEGMENT(c0, c1, c2) c0,
#include "special.def"
};
#undef SEGMENT
/* c1 in the upper 19 bits, c2 in the lower 13. */
static const int32_t slopes[SEGMENTS] = {
#define SEGMENT(c0, c1, c2) (c1) * 8192 + ((c2)&8191),
#include "special.def"
};
#undef SINE
#undef POWER
#undef LOGARITHM
#undef ROOT
#undef INVERSE_ROOT
#undef RECIPROCAL
#undef TANH

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

static inline int32_t slope1(uint32_t segment) {
    return slopes[segment] >> 13;
}
static inline int32_t slope2(uint32_t segment) {
    return (int32_t)((uint32_t)slopes[segment] << 19) >> 19;
}

/* x * x / 2^19 without the partial products below 2^19: those of the 7 upper bits with the 8 bits at 4. */
static inline uint16_t special_square(uint32_t x) {
    uint16_t upper = (uint16_t)(x >> 10), lower = (uint16_t)(x >> 2 & 255), sum = (uint16_t)(2 * upper * upper);
    for (int i = 0; i < 7; i++) sum = (uint16_t)(sum + ((uint16_t) - (upper >> i & 1) & lower >> (6 - i)));
    return sum;
}

/*
 * The 24 bits of a result between 2^(shift + 23) and 2^(shift + 24). 32 bits of the sum are exact, but lack the upper
 * ones; these come from a sum that is less than 2^14 off.
 */
static inline uint32_t special_significand(uint32_t segment, uint32_t place, int bias, int shift) {
    int32_t c0 = constants[segment], c1 = slope1(segment), c2 = slope2(segment), x = (int32_t)place;
    uint32_t sum = ((uint32_t)c0 << 13) + (uint32_t)c1 * place + (uint32_t)c2 * special_square(place) + (uint32_t)bias;
    int32_t about = (c0 >> (shift - 13)) + (c1 * (x >> 4) >> (shift - 4));
    return (uint32_t)(about + ((int32_t)(((sum >> shift) - (uint32_t)about) << shift) >> shift));
}

/* The result of another function before it is cut. Its c1 and c2 are kept as quarters. */
static inline double special_value(uint32_t segment, uint32_t place, int bias) {
    double curve = (double)slope1(segment) * (int32_t)place + (double)slope2(segment) * special_square(place);
    return (8192.0 * constants[segment] + 4 * curve + bias) * 0x1p-40;
}

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

/* significand * 2^(exponent - 23). The significand's upper bit adds 1 to the field of the exponent. */
static inline float assemble(uint32_t significand, int32_t exponent) {
    return float32(significand + ((uint32_t)(exponent + 126) << 23));
}

/* sin(x + quarters * pi/2). ptxas puts a multiplication by 1 / (2 pi), rounded to 0, in front. Odd quarters of a turn
 * go backwards. */
static inline float special_sine(float x, uint32_t quarters) {
    uint32_t not_finite = (bits32(x) & 0x7F800000) == 0x7F800000 ? NAN32_BITS : 0;
    float turns = (float)cut24(fabs((double)float32(bits32(x) & ~not_finite) * (double)0.15915494f));
    uint32_t at = (uint32_t)(int32_t)((turns - floorf(turns)) * (1 << 25)), quarter = (at >> 23) + quarters;
    uint32_t argument = (quarter & 1 ? ~at : at) & FRACTION;
    float value = (float)cut24(special_value(SINE_SEGMENTS + (argument >> 17), argument & PLACE, 0));
    uint32_t sign = (quarter << 30 & 0x80000000) ^ (quarters ? 0 : bits32(x) & 0x80000000);
    return float32((bits32(value) ^ sign) | not_finite);
}

/* 2^x. Below -126 it is the square of 2^(x/2). A negative fraction is complemented. */
static inline float special_power(float x) {
    float root = x < -126 ? 0.5f * x : x;
    int32_t size = (int32_t)(fabsf(root) * (FRACTION + 1)) & 0x3FFFFFFF, negative = -(root < 0);
    uint32_t part = (uint32_t)size & FRACTION, argument = part ^ ((uint32_t)(negative & -(part != 0)) & FRACTION);
    int32_t exponent = ((size + (negative & FRACTION)) >> 23 ^ negative) - negative;
    float value =
        assemble(special_significand(POWER_SEGMENTS + (argument >> 17), argument & PLACE, 8072, 17), exponent);
    value *= x < -126 ? value : x < 128 ? 1 : x == x ? INFINITY : NAN;
    return x < -252 ? 0 : value;
}

/* log2 of a. A negative result is the complement of its size. */
static inline float special_logarithm(float a) {
    float x = is_subnormal_or_0(a) ? a * SCALE_UP : a;
    uint32_t bits = bits32(x);
    double sum =
        special_value(LOGARITHM_SEGMENTS + (bits >> 17 & 63), bits & PLACE, 3348) + ((int32_t)(bits >> 23) - 127);
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

static inline float special_root(float a) {
    float x = is_subnormal_or_0(a) ? a * SCALE_UP : a;
    uint32_t bits = bits32(x),
             significand = special_significand(ROOT_SEGMENTS + (bits >> 17 & 127), bits & PLACE, -1, 17);
    float value = assemble(significand, half_exponent(bits) - (is_subnormal_or_0(a) ? 12 : 0));
    float limit = x == 0 || x > 0 ? x : NAN;
    return is_positive_normal(bits) ? value : limit;
}

/* 1 / sqrt(a). Of an even power of 2 it is exact. */
static inline float special_inverse_root(float a) {
    float x = is_subnormal_or_0(a) ? a * SCALE_UP : a;
    uint32_t bits = bits32(x);
    uint32_t significand = special_significand(INVERSE_ROOT_SEGMENTS + (bits >> 17 & 127), bits & PLACE, -1, 16);
    significand = (bits & 0xFFFFFF) == 0x800000 ? 1 << 24 : significand;
    float value = assemble(significand, (is_subnormal_or_0(a) ? 11 : -1) - half_exponent(bits));
    float limit = x == 0 ? float32(bits | 0x7F800000) : x > 0 ? 0 : NAN;
    return is_positive_normal(bits) ? value : limit;
}

/* 1 / x. The unit takes subnormal arguments for 0, and has 0 for subnormal results. */
static inline float special_inverse(float x) {
    uint32_t size = bits32(x) & 0x7FFFFFFF, sign = bits32(x) & 0x80000000;
    uint32_t significand = special_significand(RECIPROCAL_SEGMENTS + (size >> 16 & 127), size << 1 & PLACE, 4046, 16);
    float value = size > 0x7E800000 ? 0 : assemble(significand, 126 - (int32_t)(size >> 23));
    value = size < 0x00800000 ? INFINITY : value;
    return size > 0x7F800000 ? NAN : float32(bits32(value) | sign);
}
static inline float scale_for_inverse(float x) {
    return fabsf(x) > LARGE ? 0.25f : is_subnormal_or_0(x) ? SCALE_UP : 1;
}
static inline float special_reciprocal(float x) {
    float scale = scale_for_inverse(x);
    return special_inverse(x * scale) * scale;
}
static inline float special_quotient(float a, float b) {
    float scale = is_subnormal_or_0(b) ? SCALE_UP : 1;
    return a * scale * special_inverse(b * scale);
}
/* div.full: the divisor may be large, too. */
static inline float special_full_quotient(float a, float b) {
    float scale = scale_for_inverse(b);
    return a * scale * special_inverse(b * scale);
}

/* The segments are those of one binade, from 2^-8 up to 2^3, but a binade has 1, 2, 4, 8 or 16. Below, tanh(x) is x. */
static inline float special_tanh(float x) {
    static const uint8_t first[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43}, bits[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    uint32_t size = bits32(x) & 0x7FFFFFFF, sign = bits32(x) & 0x80000000;
    if (size > 0x7F800000) return NAN;
    if (size < 0x3B800000) return x;
    if (size >= 0x41000000) return float32(sign | 0x3F800000);
    uint32_t binade = (size >> 23) - 119, segment = first[binade] + ((size & FRACTION) >> (23 - bits[binade]));
    int32_t place = (int32_t)((size << bits[binade] & FRACTION) >> 6);
    double curve = tanh_segments[segment].c1 * place + tanh_segments[segment].c2 * special_square((uint32_t)place);
    return float32(sign | bits32((float)cut24((8192 * tanh_segments[segment].c0 + curve) * 0x1p-40)));
}

/* rcp and rsqrt .approx.ftz.f64 read and write the upper 32 bits of a double only: the lower ones are 0. */
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
    uint32_t significand = special_significand(RECIPROCAL_SEGMENTS + (fraction >> 16), fraction << 1 & PLACE, 4046, 16);
    uint64_t exponent = 2044 - (size >> 52);
    return float64(sign | ((exponent << 52) + ((uint64_t)(significand >> 3) << 32)));
}
static inline double special_inverse_root64(double a) {
    double x = flush64(upper_half(a));
    if (!(x > 0) || x == INFINITY) return 1 / sqrt(x);
    int32_t exponent = (int32_t)(bits64(x) >> 52) - 1023;
    uint32_t fraction = (uint32_t)(bits64(x) >> 29) & FRACTION, even = (uint32_t)(exponent + 1) & 1;
    uint32_t segment = INVERSE_ROOT_SEGMENTS + 64 * even + (fraction >> 17);
    uint32_t significand = special_significand(segment, fraction & PLACE, -1, 16);
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

#endif
