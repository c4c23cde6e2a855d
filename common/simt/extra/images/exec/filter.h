/*
 * extra/images/exec/filter.h: the arithmetic of texture filters, bit by bit as an H200's, from
 * whose results it was derived (tests/data/textures.def).
 *
 * A coordinate becomes a fixed-point number with 8 fraction bits; halves are rounded up. A
 * normalised one is first cut to 21 fraction bits. The fraction is the weight of the texel after,
 * in 256ths. Weights of 4 or 8 texels are products that are rounded to 256ths, too, so that they
 * add up to 256.
 */
#pragma once

#include "simt/exec/half.h"
#include "simt/extra/images/texture.h"

#include <math.h>
#include <string.h>

#define WEIGHT_ONE   256
#define COORD_BITS   21 /* fraction bits of a normalised coordinate */
#define GUARD_BITS   4  /* below the last bit of the largest texel */
#define SUM_BITS     15 /* the same where the sums of two planes are added */
#define HALF_DROPPED 13 /* bits of a float's mantissa that half precision lacks */
#define FARTHEST     (1 << 28)

/* ---- Coordinates ---- */

/* A place along one dimension: the two texels around it, and the weight of the second. */
struct place {
    int32_t texel[2];
    bool border[2]; /* outside, with border addressing */
    uint32_t weight;
};

static inline int32_t modulo(int32_t i, int32_t n) {
    int32_t rest = i % n;
    return rest < 0 ? rest + n : rest;
}

/* The texel in the image that i means. */
static inline int32_t addressed(int32_t i, int32_t extent, uint8_t mode) {
    if (mode == ADDRESS_WRAP) return modulo(i, extent);
    if (mode == ADDRESS_MIRROR) {
        int32_t at = modulo(i, 2 * extent);
        return at < extent ? at : 2 * extent - 1 - at;
    }
    return i < 0 ? 0 : i >= extent ? extent - 1 : i;
}

/* What a coordinate is in texels. NaN counts as 0. */
static inline double in_texels(float coordinate, int32_t extent, bool normalized, uint8_t mode) {
    double x = coordinate;
    if (isnan(x)) return 0;
    if (!normalized) return fmin(fmax(x, -FARTHEST), FARTHEST);
    bool repeats = mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR;
    if (isinf(x) && repeats) return 0;
    x = floor(x * (1 << COORD_BITS)) / (1 << COORD_BITS);
    x = repeats ? x - 2 * floor(x / 2) : fmin(fmax(x, -8), 8);
    return x * extent;
}

/* Wrapping and mirroring need normalised coordinates: others are clamped. */
static inline uint8_t address_mode(const struct texture *t, int dimension) {
    uint8_t mode = t->address_mode[dimension];
    return !t->normalized && (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR) ? ADDRESS_CLAMP
                                                                              : mode;
}

static inline struct place place_of(int32_t i, uint32_t weight, int32_t extent, uint8_t mode) {
    struct place p = {.weight = weight};
    for (int k = 0; k < 2; k++) {
        int32_t at = i + k;
        p.border[k] = mode == ADDRESS_BORDER && (at < 0 || at >= extent);
        p.texel[k] = addressed(at, extent, mode);
    }
    if (mode == ADDRESS_CLAMP && p.texel[0] == p.texel[1]) p.weight = 0;
    return p;
}

static inline struct place place_at(const struct texture *t, float coordinate, int32_t extent,
                                    int dimension) {
    uint8_t mode = address_mode(t, dimension);
    double x = in_texels(coordinate, extent, t->normalized, mode);
    if (!t->linear) return place_of((int32_t)floor(x), 0, extent, mode);
    double fixed = floor((x - 0.5) * WEIGHT_ONE + 0.5);
    int32_t i = (int32_t)floor(fixed / WEIGHT_ONE);
    return place_of(i, (uint32_t)(fixed - (double)i * WEIGHT_ONE), extent, mode);
}

/* ---- Weights ---- */

/* Weights of the texels (0,0), (1,0), (0,1), (1,1) of one plane that has `plane` 256ths of the
 * whole. */
static inline void plane_weights(uint32_t a, uint32_t b, uint32_t plane, uint32_t weights[4]) {
    uint32_t right = (a * plane + 128) >> 8, left = plane - right;
    weights[3] = (right * b + 128) >> 8;
    weights[2] = (left * b + 127) >> 8;
    weights[1] = right - weights[3];
    weights[0] = left - weights[2];
}

/* ---- Weighted sums of floating-point texels ---- */

/* A sum of products: value * 2^exponent. 0 has no exponent. */
struct sum {
    int64_t value;
    int exponent;
};

/* Sign, mantissa and exponent of a float, which is m * 2^*exponent. */
static inline int64_t split(float value, int *exponent) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    int e = bits >> 23 & 0xFF;
    int64_t m = (bits & 0x7FFFFF) | (e ? 0x800000 : 0);
    *exponent = (e ? e : 1) - 150;
    return bits >> 31 ? -m : m;
}

static inline int64_t shifted(int64_t m, int right) {
    uint64_t size = (uint64_t)(m < 0 ? -m : m);
    size = right >= 64 ? 0 : right > 0 ? size >> right : size << -right;
    return m < 0 ? -(int64_t)size : (int64_t)size;
}

/* Texels are aligned to the largest that has a weight. dropped: bits of a float's mantissa that the
 * format lacks. */
static inline struct sum sum_of(const float texels[4], const uint32_t weights[4], int dropped) {
    struct sum sum = {0, -200};
    int64_t m[4];
    int e[4], largest = -1000;
    for (int k = 0; k < 4; k++) {
        m[k] = split(texels[k], &e[k]);
        if (weights[k] && m[k] && e[k] > largest) largest = e[k];
    }
    if (largest == -1000) return sum;
    sum.exponent = largest - GUARD_BITS + dropped;
    for (int k = 0; k < 4; k++)
        if (weights[k]) sum.value += (int64_t)weights[k] * shifted(m[k], sum.exponent - e[k]);
    sum.exponent -= 8;
    return sum;
}

/* Two planes' sums. */
static inline struct sum sum_add(struct sum a, struct sum b) {
    if (!a.value) return b;
    if (!b.value) return a;
    int largest = a.exponent > b.exponent ? a.exponent : b.exponent,
        exponent = largest + 8 + GUARD_BITS - SUM_BITS;
    return (struct sum){shifted(a.value, exponent - a.exponent) +
                            shifted(b.value, exponent - b.exponent),
                        exponent};
}

/* Rounded to so many bits; halves away from 0. least: the smallest exponent of the last bit. */
static inline float sum_round(struct sum sum, int bits, int least) {
    uint64_t size = (uint64_t)(sum.value < 0 ? -sum.value : sum.value);
    if (!size) return 0;
    int drop = 64 - __builtin_clzll(size) - bits;
    if (sum.exponent + drop < least) drop = least - sum.exponent;
    if (drop > 63) return 0;
    if (drop > 0) size = (size + (1ull << (drop - 1))) >> drop, sum.exponent += drop;
    float value = (float)ldexp((double)size, sum.exponent);
    return sum.value < 0 ? -value : value;
}

/* ---- Weighted sums of integers that count as numbers up to 1 ---- */

/* sum: of texels times weights. 8 bits become 16 by repeating them. */
static inline float normalized_sum(struct texel_format format, int64_t sum) {
    if (format.kind == TEXEL_UNSIGNED)
        return (float)((sum * (format.bits == 8 ? 257 : 1) + 128) >> 8) / 65535.0f;
    int64_t value =
        format.bits == 16 ? (sum + 128) >> 8 : (sum * 2064 + (sum >> 12) * 256 + 1024) >> 11;
    return fmaxf((float)value / 32767.0f, -1);
}
