/* exec/floats.h: single values as PTX defines them: flushing, NaN, minima, saturation. They work on
 * bits where a C operation would not keep the sign of zero or of NaN. Choices instead of branches
 * let the compiler vectorise loops over lanes. */
#pragma once

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NAN32_BITS 0x7FFFFFFFu /* what single-precision instructions give for every NaN */
/* what double-precision ones give where no operand is one */
#define NAN64_BITS 0xFFF8000000000000ull

/* The bits of a value and back: memcpy is C's way to do that, and costs nothing. */
static inline uint32_t bits32(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static inline float float32(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
static inline uint64_t bits64(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static inline double float64(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Subnormal values become zeros of their sign. */
static inline float flush32(float v) {
    uint32_t bits = bits32(v);
    return float32(bits & 0x7F800000 ? bits : bits & 0x80000000);
}

/* PTX gives one bit pattern for every single-precision NaN. Host NaN keep the operand's bits, so
 * results pass through here. */
static inline float canonical32(float v) {
    return v == v ? v : float32(NAN32_BITS);
}
/* The result v of a double-precision instruction on a, b and c (0: no operand). A NaN among these
 * stays as it is, and is the result. Of numbers, x86 makes PTX's NaN; other processors make one of
 * another sign. */
static inline double canonical64(double v, double a, double b, double c) {
#ifndef __x86_64__
    if (v != v && a == a && b == b && c == c) return float64(NAN64_BITS);
#endif
    (void)a, (void)b, (void)c;
    return v;
}

/* The smaller; -0 is smaller than +0, which ORing (for max ANDing) equal values decides. A NaN
 * counts only if both are one. */
static inline float min32(float a, float b) {
    float least = a < b ? a : b;
    least = a == b ? float32(bits32(a) | bits32(b)) : least;
    least = b != b ? a : least;
    return a != a ? b : least;
}
static inline float max32(float a, float b) {
    float most = a > b ? a : b;
    most = a == b ? float32(bits32(a) & bits32(b)) : most;
    most = b != b ? a : most;
    return a != a ? b : most;
}
static inline double min64(double a, double b) {
    double least = a < b ? a : b;
    least = a == b ? float64(bits64(a) | bits64(b)) : least;
    least = b != b ? a : least;
    return a != a ? b : least;
}
static inline double max64(double a, double b) {
    double most = a > b ? a : b;
    most = a == b ? float64(bits64(a) & bits64(b)) : most;
    most = b != b ? a : most;
    return a != a ? b : most;
}
/* .NaN: one NaN is enough. */
static inline float min32_nan(float a, float b) {
    return a != a || b != b ? float32(NAN32_BITS) : min32(a, b);
}
static inline float max32_nan(float a, float b) {
    return a != a || b != b ? float32(NAN32_BITS) : max32(a, b);
}

/* .xorsign.abs: what was chosen of absolute values, with the sign of the product of a and b. */
static inline float xorsign32(float v, float a, float b) {
    return v != v ? float32(NAN32_BITS)
                  : float32(bits32(v) | ((bits32(a) ^ bits32(b)) & 0x80000000u));
}
/* A signalling NaN as a quiet one. */
static inline double quiet64(double v) {
    return v != v ? float64(bits64(v) | (uint64_t)1 << 51) : v;
}

/* To [0, 1]; NaN becomes 0. */
static inline float saturate32(float v) {
    return v > 0 ? (v < 1 ? v : 1) : 0;
}
static inline double saturate64(double v) {
    return v > 0 ? (v < 1 ? v : 1) : 0;
}

static inline float absolute32(float v) {
    return float32(bits32(v) & 0x7FFFFFFFu);
}
/* neg and abs of 64 bits leave NaN its sign, and make it quiet. */
static inline double negate64(double v) {
    return v == v ? float64(bits64(v) ^ 0x8000000000000000ull) : quiet64(v);
}
static inline double absolute64(double v) {
    return v == v ? float64(bits64(v) & 0x7FFFFFFFFFFFFFFFull) : quiet64(v);
}
