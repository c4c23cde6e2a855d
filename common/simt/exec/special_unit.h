/*
 * exec/special_unit.h: an H200's special-function unit (MUFU): its tables and what it computes from
 * them.
 *
 * A table gives each segment of a function's range three coefficients. The result at place x of a
 * segment, of 17 bits, is
 *
 *   (8192 * c0 + c1 * x + c2 * square(x) + bias) / 2^40, cut to 24 bits
 *
 * S. Oberman, M. Siu, "A High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005,
 * describes the unit. The coefficients were solved for from an H200's results. All of its results
 * have these bits: those for each mantissa, and for 2^19 random arguments of each function.
 */
#pragma once

#include "floats.h"
#include "simt/access/lane.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define PLACE    0x1FFFF  /* 17 bits */
#define FRACTION 0x7FFFFF /* 23 bits */

/* A function's first segment. Of the roots, 64 segments are for odd exponents, the next 64 for even
 * ones. */
enum segments {
    SINE_SEGMENTS = 0,
    POWER_SEGMENTS = SINE_SEGMENTS + 64,
    LOGARITHM_SEGMENTS = POWER_SEGMENTS + 64,
    ROOT_SEGMENTS = LOGARITHM_SEGMENTS + 64,
    INVERSE_ROOT_SEGMENTS = ROOT_SEGMENTS + 128,
    RECIPROCAL_SEGMENTS = INVERSE_ROOT_SEGMENTS + 128,
    SEGMENTS = RECIPROCAL_SEGMENTS + 128
};
static inline uint32_t segments_from(enum segments first) {
    return first < ROOT_SEGMENTS ? 64 : 128;
}

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

/* x * x / 2^19 without the partial products below 2^19: those of the 7 upper bits with the 8 bits
 * at 4. In 16 bits, of which the host's vectors have the most at once. */
static inline uint16_t special_square(uint16_t upper, uint16_t lower) {
    uint16_t sum = (uint16_t)(2 * upper * upper);
    for (int i = 0; i < 7; i++)
        sum = (uint16_t)(sum + ((uint16_t) - (upper >> i & 1) & lower >> (6 - i)));
    return sum;
}
static inline uint16_t upper_place(uint32_t at) {
    return at >> 10 & 127;
}
static inline uint16_t lower_place(uint32_t at) {
    return at >> 2 & 255;
}
static inline uint16_t square_at(uint32_t at) {
    return special_square(upper_place(at), lower_place(at));
}

/* The segments of a warp's arguments. at: the place in the lower 17 bits, the segment's number in
 * those above. */
struct points {
    uint32_t at[WARP_SIZE];
    int32_t constant[WARP_SIZE], slope[WARP_SIZE];
    uint16_t square[WARP_SIZE]; /* of the place */
};
struct point {
    uint32_t at;
    int32_t constant, slope;
    uint16_t square;
};
static inline struct point point_at(enum segments first, uint32_t at) {
    uint32_t segment = first + (at >> 17 & (segments_from(first) - 1));
    return (struct point){at, constants[segment], slopes[segment], square_at(at)};
}

#ifdef __AVX512F__
/* 16 of table[at >> 17], by permutations: loads lane by lane take four times as long. */
static inline __m512i look_up_16(const int32_t *table, uint32_t n, __m512i at) {
    __m512i segment = _mm512_srli_epi32(at, 17), result[2];
    for (uint32_t i = 0; i < n / 64; i++) {
        const int32_t *part = table + 64 * i;
        __m512i low = _mm512_permutex2var_epi32(_mm512_loadu_si512(part), segment,
                                                _mm512_loadu_si512(part + 16));
        __m512i high = _mm512_permutex2var_epi32(_mm512_loadu_si512(part + 32), segment,
                                                 _mm512_loadu_si512(part + 48));
        result[i] = _mm512_mask_mov_epi32(
            low, _mm512_test_epi32_mask(at, _mm512_set1_epi32(1 << 22)), high);
    }
    if (n == 64) return result[0];
    return _mm512_mask_mov_epi32(result[0], _mm512_test_epi32_mask(at, _mm512_set1_epi32(1 << 23)),
                                 result[1]);
}
static inline void look_up(struct points *p, enum segments first) {
    for (int l = 0; l < WARP_SIZE; l += 16) {
        __m512i at = _mm512_loadu_si512(p->at + l);
        _mm512_storeu_si512(p->constant + l,
                            look_up_16(constants + first, segments_from(first), at));
        _mm512_storeu_si512(p->slope + l, look_up_16(slopes + first, segments_from(first), at));
    }
}
#else
static inline void look_up(struct points *p, enum segments first) {
    VECTOR_LANES {
        uint32_t segment = p->at[l] >> 17 & (segments_from(first) - 1);
        p->constant[l] = constants[first + segment];
        p->slope[l] = slopes[first + segment];
    }
}
#endif

static inline void find_squares(struct points *p) {
    uint16_t upper[WARP_SIZE], lower[WARP_SIZE];
    VECTOR_LANES upper[l] = upper_place(p->at[l]), lower[l] = lower_place(p->at[l]);
    VECTOR_LANES p->square[l] = special_square(upper[l], lower[l]);
}

static inline int32_t slope1(struct point p) {
    return p.slope >> 13;
}
static inline int32_t slope2(struct point p) {
    return (int32_t)((uint32_t)p.slope << 19) >> 19;
}

/*
 * The 24 bits of a result between 2^(shift + 23) and 2^(shift + 24). 32 bits of the sum are exact,
 * but lack the upper ones; these come from a sum that is less than 2^14 off.
 */
static inline uint32_t special_significand(struct point p, int bias, int shift) {
    uint32_t place = p.at & PLACE;
    int32_t c0 = p.constant, c1 = slope1(p), c2 = slope2(p), x = (int32_t)place;
    uint32_t sum =
        ((uint32_t)c0 << 13) + (uint32_t)c1 * place + (uint32_t)c2 * p.square + (uint32_t)bias;
    int32_t about = (c0 >> (shift - 13)) + (c1 * (x >> 4) >> (shift - 4));
    return (uint32_t)(about + ((int32_t)(((sum >> shift) - (uint32_t)about) << shift) >> shift));
}

/* The result of another function before it is cut. Its c1 and c2 are kept as quarters. */
static inline double special_value(struct point p, int bias) {
    uint32_t place = p.at & PLACE;
    double curve = (double)slope1(p) * (int32_t)place + (double)slope2(p) * p.square;
    return (8192.0 * p.constant + 4 * curve + bias) * 0x1p-40;
}
