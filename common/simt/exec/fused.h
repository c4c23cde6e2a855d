/*
 * exec/fused.h: sums of products as tensor cores add them up.
 *
 * The products of a block are exact. They and the accumulator are aligned to the largest of their
 * exponents, and each keeps `fraction` bits after its point; what lies below is cut off. The sum
 * of what is left is exact, and cut off (f32) or rounded to nearest even (f16). Significands of
 * subnormal operands are not normalised first, so an exponent is the sum of the operands'
 * exponents.
 *
 *   exponent of the largest term ->  xx.xxxxxxxxxxxxxxxxxxxxxxxxx
 *                                           x.xxxxxxxxxxxxxxxxxxx|xx   cut off
 *
 * A column of D is computed at once, in vectors of its rows.
 */
#pragma once

#include "half.h"
#include "simt/machine/mma.h"

#ifdef __AVX__
#include <immintrin.h>
#endif

#define ZERO_BELOW   (-1000) /* exponent of a zero: it aligns nothing */
#define LEAST_MOST   (-900)  /* below the exponents of all terms but zeros */
#define MOST_SHIFT   60      /* nothing is left of a term that is shifted further */
#define TERMS        16      /* below 4 * 2^25, whose sum has 31 bits */
#define SINGLE_LEAST 0x1p-126
#define EACH_ROW     _Pragma("GCC ivdep") for (int i = 0; i < MMA_ROWS; i++)

/* A value for each of some rows, as many as the host's vectors have. They are never passed to
 * functions: how, depends on the instruction set. LARGER: of two, row by row. */
#if defined __AVX512F__
#define ROWS_AT_ONCE 16
#define LARGER(a, b) ((row_ints)_mm512_max_epi32((__m512i)(a), (__m512i)(b)))
#elif defined __AVX2__
#define ROWS_AT_ONCE 8
#define LARGER(a, b) ((row_ints)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#else
#define ROWS_AT_ONCE 4
#define LARGER(a, b)                                                                               \
    ({                                                                                             \
        row_ints is_larger_ = (a) > (b);                                                           \
        ((a)&is_larger_) | ((b) & ~is_larger_);                                                    \
    })
#endif
typedef int32_t row_ints __attribute__((vector_size(4 * ROWS_AT_ONCE), aligned(4)));
typedef float row_floats __attribute__((vector_size(4 * ROWS_AT_ONCE), aligned(4)));

/* special: the bits of the first infinity or NaN; infinity: those of infinity, 0: there is none. */
struct float_format {
    uint8_t exponent_bits, fraction_bits;
    uint32_t special, infinity;
};

/* Elements as they are added up: value = significand * 2^exponent, with significands below 2. */
struct factors {
    const uint32_t *raw; /* in this format */
    struct float_format format;
    float significand[MMA_MAX_ELEMENTS];
    int32_t exponent[MMA_MAX_ELEMENTS];
    bool has_special; /* infinities or NaN */
};

static inline struct float_format float_format_of(uint8_t type) {
    switch ((enum ptx_type)type) {
    case PTX_BF16: return (struct float_format){8, 7, 0x7F80, 0x7F80};
    case PTX_TF32: return (struct float_format){8, 10, 0x3FC00, 0x3FC00};
    case PTX_F32: return (struct float_format){8, 23, 0x7F800000, 0x7F800000};
    case PTX_E4M3: return (struct float_format){4, 3, 0x7F, 0};
    case PTX_E5M2: return (struct float_format){5, 2, 0x7C, 0x7C};
    default: return (struct float_format){5, 10, 0x7C00, 0x7C00};
    }
}

/* Take n numbers apart, given as the format's bits. Returns whether some are infinities or NaN. */
static inline bool take_apart(const uint32_t *raw, int n, struct float_format f,
                              float *significands, int32_t *exponents) {
    const uint32_t top = (1u << f.exponent_bits) - 1, sign_bit = f.exponent_bits + f.fraction_bits,
                   one = 0x3F800000;
    const int32_t bias = (int32_t)(top >> 1);
    uint32_t special = 0;
    _Pragma("GCC ivdep") for (int i = 0; i < n; i++) {
        uint32_t exponent = raw[i] >> f.fraction_bits & top,
                 fraction = raw[i] << (23 - f.fraction_bits) & 0x7FFFFF;
        uint32_t sign = raw[i] >> sign_bit << 31, hidden = exponent ? 0 : one;
        significands[i] = float32(bits32(float32(one | fraction) - float32(hidden)) | sign);
        exponents[i] = exponent ? (int32_t)exponent - bias : fraction ? 1 - bias : ZERO_BELOW;
        special |= (raw[i] & ((1u << sign_bit) - 1)) >= f.special ? 1 : 0;
    }
    return special;
}

/* Infinity or NaN, as a double, or a finite value of the right sign. */
static inline double stand_in(uint32_t raw, struct float_format f) {
    uint32_t sign_bit = f.exponent_bits + f.fraction_bits, size = raw & ((1u << sign_bit) - 1);
    double value = size < f.special ? size != 0 : size == f.infinity ? INFINITY : NAN;
    return raw >> sign_bit & 1 ? -value : value;
}

/* Infinity or NaN as f16 or f32. */
static inline uint32_t special_bits(double value, uint8_t type) {
    if (value != value) return type == PTX_F16 ? HALF_NAN_BITS : NAN32_BITS;
    uint32_t infinity = type == PTX_F16 ? 0x7C00 : 0x7F800000,
             sign = type == PTX_F16 ? 0x8000 : 0x80000000;
    return value < 0 ? sign | infinity : infinity;
}

/* A part of factors, or other numbers taken apart as they are. */
struct numbers {
    const float *significand;
    const int32_t *exponent;
};

/* n products of all rows of a, from element at_a on, with b's elements from at_b on. */
struct dot {
    const struct factors *a, *b;
    size_t at_a, at_b;
    int n;
};

/* Give the rows their results where an operand is infinity or NaN. from: the format of c. */
static void set_specials(const struct dot *dot, const uint32_t *c, struct float_format from,
                         uint32_t *d, uint8_t type) {
    const uint32_t *a = dot->a->raw + dot->at_a, *b = dot->b->raw + dot->at_b;
    for (int i = 0; i < MMA_ROWS; i++) {
        double sum = stand_in(c[i], from);
        for (int k = 0; k < dot->n; k++)
            sum += stand_in(a[k * MMA_ROWS + i], dot->a->format) * stand_in(b[k], dot->b->format);
        if (sum - sum != 0) d[i] = special_bits(sum, type);
    }
}

/* Add terms to sums, aligned to the largest exponents and cut off: in units of 2^(most - fraction).
 * values: significands. */
#define ADD_TERMS(sums, values, exponents, most, fraction)                                         \
    do {                                                                                           \
        row_ints near_ = (exponents) - (most), far_ = (row_ints){0} - MOST_SHIFT;                  \
        near_ = LARGER(near_, far_);                                                               \
        sums += __builtin_convertvector(                                                           \
            (values) * (row_floats)((near_ + (127 + (fraction))) << 23), row_ints);                \
    } while (0)

/* The largest exponents of the terms of ROWS_AT_ONCE rows, and the terms' sums. a, b and c: from
 * the first of these rows on. */
static inline void add_rows(const struct numbers *a, const struct numbers *b,
                            const struct numbers *c, int n, int fraction, int32_t *most,
                            double *sums) {
    row_ints least = (row_ints){0} + LEAST_MOST, largest = *(const row_ints *)c->exponent,
             start = {0};
    int32_t added[ROWS_AT_ONCE];
    largest = LARGER(largest, least);
    for (int k = 0; k < n; k++) {
        row_ints exponents = *(const row_ints *)(a->exponent + k * MMA_ROWS) + b->exponent[k];
        largest = LARGER(exponents, largest);
    }
    ADD_TERMS(start, *(const row_floats *)c->significand, *(const row_ints *)c->exponent, largest,
              fraction);
    *(row_ints *)added = start;
    for (int i = 0; i < ROWS_AT_ONCE; i++) sums[i] = added[i];
    for (int first = 0; first < n; first += TERMS) {
        row_ints products = {0};
        for (int k = first; k < n && k < first + TERMS; k++) {
            row_ints exponents = *(const row_ints *)(a->exponent + k * MMA_ROWS) + b->exponent[k];
            row_floats values =
                *(const row_floats *)(a->significand + k * MMA_ROWS) * b->significand[k];
            ADD_TERMS(products, values, exponents, largest, fraction);
        }
        *(row_ints *)added = products;
        for (int i = 0; i < ROWS_AT_ONCE; i++) sums[i] += added[i];
    }
    *(row_ints *)most = largest;
}

/* Sums as floats, cut off after `kept` fraction bits. Subnormal ones keep the bits that such
 * floats have. */
static inline void cut_to_floats(const double *sums, int kept, uint32_t *d) {
    const uint64_t keeps = ~0ull << (52 - kept);
    float cut[MMA_ROWS];
    EACH_ROW cut[i] = (float)float64(bits64(sums[i]) & keeps);
    uint32_t least = ~0u;
    memcpy(d, cut, sizeof cut);
    EACH_ROW {
        uint32_t size = bits32(cut[i]) & 0x7FFFFFFF;
        least = size < least ? size : least;
    }
    if (float32(least) > SINGLE_LEAST) return;
    for (int i = 0; i < MMA_ROWS; i++)
        if (sums[i] != 0 && fabs(sums[i]) < SINGLE_LEAST)
            d[i] = bits32((float)ldexp(trunc(ldexp(sums[i], 126 + kept)), -126 - kept));
}

/* Sums as f16, rounded to nearest even. What becomes zero has no sign. On the way they are floats
 * whose last bit tells of all below it, so that they are rounded once. */
static inline void round_to_halves(const double *sums, uint32_t *d) {
    float odd[MMA_ROWS];
    EACH_ROW {
        uint64_t bits = bits64(sums[i]), rest = bits & 0x1FFFFFFF;
        odd[i] = (float)float64((bits - rest) | (rest ? 0x20000000 : 0));
    }
#ifdef __F16C__
    for (int i = 0; i < MMA_ROWS; i += 8) {
        __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(odd + i), _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256((__m256i *)(d + i), _mm256_cvtepu16_epi32(halves));
    }
#else
    EACH_ROW d[i] = half_from_float(odd[i]);
#endif
    EACH_ROW d[i] = d[i] == 0x8000 ? 0 : d[i];
}

/* A column of D: d[i] = c[i] plus n products, as bits of f16 or f32. from: the type of c, which is
 * not d. Doubles hold the sums exactly. */
static void fused_column(const struct dot *dot, const uint32_t *c, uint8_t from, uint32_t *d,
                         uint8_t type, const struct mma_sum *sum) {
    const struct float_format format = float_format_of(from);
    float significand[MMA_ROWS];
    int32_t exponent[MMA_ROWS], most[MMA_ROWS];
    double sums[MMA_ROWS];
    bool special = take_apart(c, MMA_ROWS, format, significand, exponent);
    for (int i = 0; i < MMA_ROWS; i += ROWS_AT_ONCE) {
        struct numbers a = {dot->a->significand + dot->at_a + i, dot->a->exponent + dot->at_a + i},
                       b = {dot->b->significand + dot->at_b, dot->b->exponent + dot->at_b},
                       c_part = {significand + i, exponent + i};
        add_rows(&a, &b, &c_part, dot->n, sum->fraction, most + i, sums + i);
    }
    EACH_ROW sums[i] *= float64((uint64_t)((int64_t)most[i] + 1023 - sum->fraction) << 52);
    if (type == PTX_F16)
        round_to_halves(sums, d);
    else
        cut_to_floats(sums, sum->kept, d);
    if (special || dot->a->has_special || dot->b->has_special)
        set_specials(dot, c, format, d, type);
}
