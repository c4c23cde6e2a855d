/*
 * native/special.c: exec/special.h's functions for a warp. The unit gets arguments between 1/2 and 2, without their
 * exponents, and what AVX-512 approximates of these completes the results.
 */
#include "interpolate.h"

#include <math.h>
#include <string.h>

static const struct encoding move = {1, 0, 0x28}, load = {1, 0, 0x10}, and = {1, 1, 0xDB}, or = {1, 1, 0xEB},
                             exclusive_or = {1, 1, 0xEF}, add = {1, 1, 0xFE}, subtract_words = {1, 1, 0xF9},
                             shift = {1, 1, 0x72}, test_words_none = {2, 2 | WIDE, 0x26}, test = {2, 1, 0x27},
                             compare_words = {3, 1 | WIDE, 0x3E}, compare = {3, 1, 0x1F}, compare_floats = {1, 0, 0xC2},
                             mantissa = {3, 1, 0x26}, exponent = {2, 1, 0x42}, scale = {2, 1, 0x2C},
                             class_of = {3, 1, 0x66}, approximate_inverse = {2, 1, 0x4C},
                             approximate_inverse_root = {2, 1, 0x4E}, multiply = {1, 0, 0x59},
                             add_floats = {1, 0, 0x58}, multiply_add = {2, 1, 0xA8}, least = {1, 0, 0x5D},
                             most = {1, 0, 0x5F}, to_integer = {1, 2, 0x5B};
enum { EQUAL = 0, LESS = 1, UNORDERED = 3 };
enum { FROM_1_TO_2 = 0, FROM_HALF_TO_2 = 1, UNSIGNED = 4, ALL_BUT_POSITIVE = 0xDF, NEGATIVE = 0x50 };

#define FRACTION 0x7FFFFFu

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Below the stack, where the functions of a leaf may keep 128 bytes. */
static struct place slot(int i) {
    return (struct place){PLACE_MEMORY, RSP, -VECTOR_BYTES * (i + 1)};
}
static void store(struct code_buffer *code, int z, struct place place) {
    emit_store(code, z, place.number, place.offset, 0);
}

/* The approximation has the exponents already, and the results of all but positive numbers. */
static size_t write_inverse_root(struct code_buffer *code, const struct segment_table *segments) {
    enum { POWER_OF_4 = FREE };
    struct tables t = write_tables(code, segments, (struct curve){-1, 16, true, 1});
    size_t begin = code->length;
    for (int half = 0; half < 2; half++) store(code, X + half, slot(half));
    /* The exponent's lowest bit stays: it is the segment's upper one. */
    emit_vector(code, mantissa, FACTOR, 0, VECTOR(X), 0, FROM_HALF_TO_2);
    emit_vector(code, mantissa, OTHER, 0, VECTOR(X + 1), 0, FROM_HALF_TO_2);
    pack(code, FACTOR, OTHER);
    of_registers(code, test_words_none, POWER_OF_4, PLACE, PLACE, 0);
    emit_vector(code, compare_words, POWER_OF_4, INDEX, (struct place){PLACE_TABLE, 0, (int32_t)t.one}, POWER_OF_4,
                EQUAL);
    interpolate(code, &t);
    of_table(code, subtract_words, HIGH, HIGH, t.bit[0], POWER_OF_4); /* whose result is exact */
    for (int half = 0; half < 2; half++) {
        emit_vector(code, approximate_inverse_root, FACTOR, 0, slot(half), 0, NO_IMMEDIATE);
        complete(code, &t, half);
        emit_vector(code, class_of, MOMENT, 0, slot(half), 0, ALL_BUT_POSITIVE);
        of_registers(code, move, X + half, 0, FACTOR, MOMENT);
    }
    EMIT(code, 0xC3);
    return begin;
}

/* Half of the exponent, rounded up, is added at the end. That of zero is infinite. */
static size_t write_root(struct code_buffer *code, const struct segment_table *segments) {
    enum { INTERVAL = FROM_HALF_TO_2 | UNSIGNED };
    struct tables t = write_tables(code, segments, (struct curve){-1, 17, false, 1});
    size_t begin = code->length;
    for (int half = 0; half < 2; half++) {
        store(code, X + half, slot(half));
        emit_vector(code, mantissa, FACTOR + half, 0, VECTOR(X + half), 0, INTERVAL);
    }
    pack(code, FACTOR, OTHER);
    interpolate(code, &t);
    for (int half = 0; half < 2; half++) {
        emit_vector(code, mantissa, OTHER, 0, slot(half), 0, INTERVAL);
        of_registers(code, approximate_inverse_root, FACTOR, 0, OTHER, 0);
        of_registers(code, multiply, FACTOR, FACTOR, OTHER, 0);
        complete(code, &t, half);
        emit_vector(code, exponent, OTHER, 0, slot(half), 0, NO_IMMEDIATE);
        of_constant(code, multiply, OTHER, OTHER, bits_of(0.5f), 0);
        of_constant(code, add_floats, OTHER, OTHER, bits_of(0.5f), 0);
        of_registers(code, scale, X + half, X + half, OTHER, 0);
        emit_spread(code, OTHER, 0x80000000); /* -0 is its own root */
        emit_vector(code, and, OTHER, OTHER, slot(half), 0, NO_IMMEDIATE);
        of_registers(code, or, X + half, X + half, OTHER, 0);
        emit_vector(code, class_of, MOMENT, 0, slot(half), 0, NEGATIVE);
        of_constant(code, or, X + half, X + half, 0x7FFFFFFF, MOMENT);
    }
    EMIT(code, 0xC3);
    return begin;
}

/* The exponent is subtracted at the end, which rounds subnormal results. Zeros and infinities have infinite exponents.
 */
static size_t write_reciprocal(struct code_buffer *code, const struct segment_table *segments) {
    struct tables t = write_tables(code, segments, (struct curve){4046, 16, true, 1});
    size_t begin = code->length;
    for (int half = 0; half < 2; half++) {
        store(code, X + half, slot(half));
        emit_vector(code, mantissa, FACTOR + half, 0, VECTOR(X + half), 0, FROM_1_TO_2);
        of_shift(code, shift, LEFT, FACTOR + half, FACTOR + half, 1);
    }
    pack(code, FACTOR, OTHER);
    interpolate(code, &t);
    for (int half = 0; half < 2; half++) {
        emit_vector(code, mantissa, FACTOR, 0, slot(half), 0, FROM_1_TO_2);
        of_registers(code, approximate_inverse, FACTOR, 0, FACTOR, 0);
        complete(code, &t, half);
        emit_vector(code, exponent, OTHER, 0, slot(half), 0, NO_IMMEDIATE);
        of_constant(code, exclusive_or, OTHER, OTHER, 0x80000000, 0);
        of_registers(code, scale, X + half, X + half, OTHER, 0);
    }
    EMIT(code, 0xC3);
    return begin;
}

/* c[0] + c[1] * m + ...: the cubic through 2^(m - 1) at the Chebyshev nodes of [1, 2], by Newton's divided differences.
 * It is less than 2^-13 off. */
static void cubic_of_power(double c[4]) {
    double m[4], d[4];
    for (int i = 0; i < 4; i++) {
        m[i] = 1.5 + 0.5 * cos((2 * i + 1) * acos(-1) / 8);
        d[i] = exp2(m[i] - 1);
    }
    for (int k = 1; k < 4; k++)
        for (int i = 3; i >= k; i--) d[i] = (d[i] - d[i - 1]) / (m[i] - m[i - k]);
    c[0] = d[3], c[1] = c[2] = c[3] = 0;
    for (int k = 2; k >= 0; k--) {
        for (int i = 3; i > 0; i--) c[i] = c[i - 1] - m[k] * c[i];
        c[0] = d[k] - m[k] * c[0];
    }
}

/* The numbers in register z as integers, in units of 2^-23: those from -252 to 128, and half of those below -126.
 * Negative ones that are cut off become one less. */
static void to_fixed_point(struct code_buffer *code, int z, int argument) {
    emit_spread(code, z, bits_of(-252));
    of_registers(code, most, z, z, argument, 0);
    of_constant(code, least, z, z, bits_of(128), 0);
    emit_vector(code, compare_floats, MOMENT, z, emit_constant(code, bits_of(-126)), 0, LESS);
    of_constant(code, multiply, z, z, bits_of(0.5f), MOMENT);
    of_constant(code, multiply, z, z, bits_of(0x1p23f), 0);
    of_registers(code, to_integer, z, 0, z, 0);
    of_constant(code, test, MOMENT, z, FRACTION, 0);
    emit_vector(code, compare, MOMENT, z, emit_constant(code, 0), MOMENT, LESS);
    of_constant(code, add, z, z, 0xFFFFFFFF, MOMENT);
}

/* The fraction has a segment; what is above it is added to the result's exponent. Below -126, the square is taken. */
static size_t write_power(struct code_buffer *code, const struct segment_table *segments) {
    enum { FIXED = OTHER, MANTISSA = LOW, ARGUMENT = LOW };
    struct tables t = write_tables(code, segments, (struct curve){8072, 17, false, 4});
    double c[4];
    cubic_of_power(c);
    size_t begin = code->length;
    EMIT(code, 0x48, 0x81, 0xEC, 0x80, 0, 0, 0); /* sub rsp, 128 */
    for (int half = 0; half < 2; half++) {
        store(code, X + half, slot(half));
        to_fixed_point(code, FACTOR + half, X + half);
        store(code, FACTOR + half, slot(half - 2));
    }
    pack(code, FACTOR, OTHER);
    interpolate(code, &t);
    for (int half = 0; half < 2; half++) {
        emit_vector(code, load, FIXED, 0, slot(half - 2), 0, NO_IMMEDIATE);
        of_constant(code, and, MANTISSA, FIXED, FRACTION, 0);
        of_constant(code, or, MANTISSA, MANTISSA, bits_of(1), 0);
        of_constant(code, multiply, FACTOR, MANTISSA, bits_of((float)c[3]), 0);
        of_constant(code, add_floats, FACTOR, FACTOR, bits_of((float)c[2]), 0);
        of_constant(code, multiply_add, FACTOR, MANTISSA, bits_of((float)c[1]), 0);
        of_constant(code, multiply_add, FACTOR, MANTISSA, bits_of((float)c[0]), 0);
        complete(code, &t, half);
        of_constant(code, and, FIXED, FIXED, ~FRACTION, 0);
        of_registers(code, add, X + half, X + half, FIXED, 0);
        emit_vector(code, load, ARGUMENT, 0, slot(half), 0, NO_IMMEDIATE);
        emit_vector(code, compare_floats, MOMENT, ARGUMENT, emit_constant(code, bits_of(-126)), 0, LESS);
        of_registers(code, multiply, X + half, X + half, X + half, MOMENT);
        emit_vector(code, compare_floats, MOMENT, ARGUMENT, VECTOR(ARGUMENT), 0, UNORDERED);
        of_registers(code, move, X + half, 0, ARGUMENT, MOMENT);
    }
    EMIT(code, 0x48, 0x81, 0xC4, 0x80, 0, 0, 0); /* add rsp, 128 */
    EMIT(code, 0xC3);
    return begin;
}

void write_specials(struct code_buffer *code, const struct segment_table segments[SPECIALS], size_t at[SPECIALS]) {
    at[SPECIAL_INVERSE_ROOT] = write_inverse_root(code, &segments[SPECIAL_INVERSE_ROOT]);
    at[SPECIAL_ROOT] = write_root(code, &segments[SPECIAL_ROOT]);
    at[SPECIAL_RECIPROCAL] = write_reciprocal(code, &segments[SPECIAL_RECIPROCAL]);
    at[SPECIAL_POWER] = write_power(code, &segments[SPECIAL_POWER]);
}
