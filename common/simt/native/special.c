/*
 * native/special.c: exec/special.h's functions for 16 lanes. exec/special.h says what is computed; here a table of 128
 * entries is looked up by permutations of its registers, which takes a quarter of the time of loads lane by lane.
 */
#include "special.h"

#include "simt/machine/isa.h"

static const struct encoding move = {1, 0, 0x28}, load = {1, 0, 0x10}, permute = {2, 1, 0x7E}, and = {1, 1, 0xDB},
                             or = {1, 1, 0xEB}, add = {1, 1, 0xFE}, subtract = {1, 1, 0xFA}, multiply = {2, 1, 0x40},
                             shift = {1, 1, 0x72}, test = {2, 1, 0x27}, test_none = {2, 2, 0x27},
                             compare = {3, 1, 0x1F}, compare_unsigned = {3, 1, 0x1E}, blend = {2, 1, 0x64},
                             multiply_float = {1, 0, 0x59};
enum direction { RIGHT = 2, RIGHT_SIGNED = 4, LEFT = 6 };
enum { EQUAL = 0, NOT_LESS = 5, SMALL = 5, LOW = 6, HIGH = 7 };

#define IN(z) ((struct place){PLACE_VECTOR, z, 0})

/* d = a e b, in the lanes of k. */
static void of_registers(struct code_buffer *code, struct encoding e, int d, int a, int b, int k) {
    emit_vector(code, e, d, a, IN(b), k, NO_IMMEDIATE);
}
static void of_constant(struct code_buffer *code, struct encoding e, int d, int a, uint32_t value, int k) {
    emit_vector(code, e, d, a, emit_constant(code, value), k, NO_IMMEDIATE);
}

static void of_shift(struct code_buffer *code, enum direction direction, int d, int a, uint32_t by) {
    emit_vector(code, shift, direction, d, IN(a), 0, (int)by);
}

/* d = table[index]: 32 entries by each permutation; bits 5 and 6 of the index, in LOW and HIGH, choose one of four. */
static void look_up(struct code_buffer *code, int d, int index, size_t table, int moment) {
    int to[] = {d, moment, moment, moment + 1};
    for (int i = 0; i < 4; i++) {
        struct place part = {PLACE_TABLE, 0, (int32_t)table + 128 * i};
        emit_vector(code, load, to[i], 0, part, 0, NO_IMMEDIATE);
        part.offset += 64;
        emit_vector(code, permute, to[i], index, part, 0, NO_IMMEDIATE);
        if (i == 1) of_registers(code, move, d, 0, moment, LOW);
        if (i == 3) of_registers(code, move, moment, 0, moment + 1, LOW);
    }
    of_registers(code, move, d, 0, moment, HIGH);
}

/* d = special_square(place). */
static void square(struct code_buffer *code, int d, int place, int lower, int moment) {
    of_shift(code, RIGHT, moment, place, 10);
    of_registers(code, multiply, d, moment, moment, 0);
    of_registers(code, add, d, d, d, 0);
    of_shift(code, RIGHT, lower, place, 2);
    of_constant(code, and, lower, lower, 255, 0);
    for (uint32_t i = 0; i < 7; i++) {
        emit_vector(code, test, HIGH, place, emit_constant(code, 1u << (10 + i)), 0, NO_IMMEDIATE);
        if (i < 6) of_shift(code, RIGHT, moment, lower, 6 - i);
        of_registers(code, add, d, d, i < 6 ? moment : lower, HIGH);
    }
}

/* The 24 bits of special_significand(), in register 31, of the argument in 24; its bits from 17 on are the segment. */
static void significand(struct code_buffer *code, const size_t tables[2], int32_t bias, uint32_t shift) {
    enum { X = 24, INDEX, PLACE, C0, A, B, SLOPE, SUM };
    of_shift(code, RIGHT, INDEX, X, 17);
    emit_vector(code, test, LOW, INDEX, emit_constant(code, 32), 0, NO_IMMEDIATE);
    emit_vector(code, test, HIGH, INDEX, emit_constant(code, 64), 0, NO_IMMEDIATE);
    look_up(code, C0, INDEX, tables[0], A);
    look_up(code, SLOPE, INDEX, tables[1], A);
    of_constant(code, and, PLACE, X, 0x1FFFF, 0);
    square(code, SUM, PLACE, A, B);
    of_shift(code, LEFT, A, SLOPE, 19);
    of_shift(code, RIGHT_SIGNED, A, A, 19);
    of_registers(code, multiply, SUM, SUM, A, 0);
    of_shift(code, RIGHT_SIGNED, SLOPE, SLOPE, 13);
    of_registers(code, multiply, A, SLOPE, PLACE, 0);
    of_registers(code, add, SUM, SUM, A, 0);
    of_shift(code, LEFT, A, C0, 13);
    of_registers(code, add, SUM, SUM, A, 0);
    of_constant(code, add, SUM, SUM, (uint32_t)bias, 0);
    /* About: the upper bits, from a sum of less precision. */
    of_shift(code, RIGHT, A, PLACE, 4);
    of_registers(code, multiply, A, A, SLOPE, 0);
    of_shift(code, RIGHT_SIGNED, A, A, shift - 4);
    of_shift(code, RIGHT_SIGNED, B, C0, shift - 13);
    of_registers(code, add, A, A, B, 0);
    of_shift(code, RIGHT, SUM, SUM, shift);
    of_registers(code, subtract, SUM, SUM, A, 0);
    of_shift(code, LEFT, SUM, SUM, shift);
    of_shift(code, RIGHT_SIGNED, SUM, SUM, shift);
    of_registers(code, add, SUM, SUM, A, 0);
}

size_t write_inverse_root(struct code_buffer *code, const int32_t *const tables[2]) {
    enum { X = SPECIAL_REGISTER, MOMENT = 25, RESULT = 31 };
    size_t at[2];
    for (int i = 0; i < 2; i++) {
        static const uint8_t padding[64];
        emit_bytes(code, padding, -code->length % sizeof padding);
        at[i] = code->length;
        emit_bytes(code, tables[i], ROOT_TABLE * sizeof *tables[i]);
    }
    size_t begin = code->length;
    /* Subnormal arguments and zeros are scaled by 2^24. */
    emit_vector(code, test_none, SMALL, X, emit_constant(code, 0x7F800000), 0, NO_IMMEDIATE);
    of_constant(code, multiply_float, X, X, 0x4B800000, SMALL);
    significand(code, at, -1, 16);
    /* An even power of 2 has an exact result. */
    of_constant(code, and, MOMENT, X, 0xFFFFFF, 0);
    emit_vector(code, compare, HIGH, MOMENT, emit_constant(code, 0x800000), 0, EQUAL);
    of_constant(code, blend, RESULT, RESULT, 1 << 24, HIGH);
    /* Less half of the argument's exponent: RESULT - ((half + 64 - 126 - 64 + 1) << 23), 12 less where it was scaled.
     */
    of_constant(code, add, MOMENT, X, 0x800000, 0);
    of_shift(code, RIGHT, MOMENT, MOMENT, 24);
    of_constant(code, subtract, MOMENT, MOMENT, 189, 0);
    of_constant(code, subtract, MOMENT, MOMENT, 12, SMALL);
    of_shift(code, LEFT, MOMENT, MOMENT, 23);
    of_registers(code, subtract, RESULT, RESULT, MOMENT, 0);
    /* What is no positive normal number gives NaN, but zeros infinity, and infinity 0. */
    of_constant(code, subtract, MOMENT, X, 0x800000, 0);
    emit_vector(code, compare_unsigned, LOW, MOMENT, emit_constant(code, 0x7F000000), 0, NOT_LESS);
    EMIT(code, 0xC5, 0xF8, 0x98, 0xF6); /* kortestw k6, k6 */
    size_t all_normal = emit_jump(code, IF_EQUAL);
    of_constant(code, blend, RESULT, RESULT, 0x7FFFFFFF, LOW);
    emit_vector(code, test_none, LOW, X, emit_constant(code, 0x7FFFFFFF), 0, NO_IMMEDIATE);
    of_constant(code, or, RESULT, X, 0x7F800000, LOW);
    emit_vector(code, compare, LOW, X, emit_constant(code, 0x7F800000), 0, EQUAL);
    of_registers(code, subtract, RESULT, RESULT, RESULT, LOW);
    emit_target(code, all_normal);
    of_registers(code, move, X, 0, RESULT, 0);
    EMIT(code, 0xC3);
    return begin;
}
