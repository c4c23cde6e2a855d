/*
 * native/special.c: exec/special.h's functions for a warp. exec/special.h says what is computed.
 *
 * AVX-512's own approximations give the upper bits of the result, and all bits where the argument is special. The lower
 * bits follow from the segments in arithmetic of 16 bits, for all 32 lanes at once:
 *
 *   lane       31  0            31  0              31     16 15      0
 *            x[ 16 ]          x[ 0 ]     ->  PLACE [  x[16]  |  x[0]  ]    bits 0 to 15 of the two arguments
 *                                            INDEX [  x[16]  |  x[0]  ]    bits 16 to 31: that of the place, the
 * segment
 *
 * Tables of 128 entries are looked up by permutations of their registers, as loads lane by lane take longer.
 */
#include "special.h"

#include "simt/machine/isa.h"

#define WORDS WIDE /* the bit that chooses lanes of 64 bits is that for lanes of 16 elsewhere */
static const struct encoding move = {1, 0, 0x28}, move_words = {1, 3 | WORDS, 0x6F},
                             permute = {2, 1 | WORDS, 0x7D}, and = {1, 1, 0xDB}, or = {1, 1, 0xEB}, add = {1, 1, 0xFE},
                             subtract = {1, 1, 0xFA}, add_words = {1, 1, 0xFD}, subtract_words = {1, 1, 0xF9},
                             multiply = {1, 1, 0xD5}, multiply_high = {1, 1, 0xE5},
                             multiply_high_unsigned = {1, 1, 0xE4}, shift = {1, 1, 0x72}, shift_words = {1, 1, 0x71},
                             test = {2, 1 | WORDS, 0x26}, test_none = {2, 2 | WORDS, 0x26},
                             compare_words = {3, 1 | WORDS, 0x3E}, ternary = {3, 1, 0x25}, mantissa = {3, 1, 0x26},
                             class_of = {3, 1, 0x66}, approximate_inverse_root = {2, 1, 0x4E};
enum direction { RIGHT = 2, RIGHT_SIGNED = 4, LEFT = 6 };
enum { EQUAL = 0, LESS = 1, FIRST_WHERE_SET = 0xE4, FROM_HALF_TO_2 = 1, ALL_BUT_POSITIVE = 0xDF };
/* Mask registers: lanes whose place has its upper bit, whose argument is a power of 4, whose segment is from 64 on. */
enum { UPPER = 3, POWER_OF_4 = 4, SECOND = 5, MOMENT = 6 };
/* Vector registers. */
enum { X = SPECIAL_REGISTER, SQUARE = X, LOWER, PLACE, INDEX, HIGH, LOW, FACTOR, OTHER };

#define ZERO_OTHERS  0x80 /* on a mask: lanes that are not in it become 0 */
#define IN(z)        ((struct place){PLACE_VECTOR, z, 0})
#define AT(at)       ((struct place){PLACE_TABLE, 0, (int32_t)(at)})
#define VECTOR_BYTES 64
#define LANES_16     32

/* Tables in the code, of lanes of 16 bits. */
struct tables {
    size_t bit[16]; /* constants: 1, 2, 4 ... */
    size_t one;     /* a constant: INDEX of 1.0f */
    size_t c0, c1, c2;
};

/* d = a e b, in the lanes of k. */
static void of_registers(struct code_buffer *code, struct encoding e, int d, int a, int b, int k) {
    emit_vector(code, e, d, a, IN(b), k, NO_IMMEDIATE);
}
static void of_constant(struct code_buffer *code, struct encoding e, int d, int a, uint32_t value) {
    emit_vector(code, e, d, a, emit_constant(code, value), 0, NO_IMMEDIATE);
}
static void of_table(struct code_buffer *code, struct encoding e, int d, int a, size_t table, int k) {
    emit_vector(code, e, d, a, AT(table), k, NO_IMMEDIATE);
}
static void of_shift(struct code_buffer *code, struct encoding e, enum direction direction, int d, int a, uint32_t by) {
    emit_vector(code, e, (int)direction, d, IN(a), 0, (int)by);
}

static size_t write_constant(struct code_buffer *code, uint16_t value) {
    size_t at = code->length;
    for (int i = 0; i < LANES_16; i++) emit_bytes(code, &value, sizeof value);
    return at;
}

/*
 * The negative of a sum (exec/special.h) in units of 2^-16 of the result's last bit, and that bit more:
 *   2^16 - 1 - bias - 8192 * c0 - c1 * x - c2 * square(x)
 * c1 is negative, and 16 bits long. Of the constant part, the lower 13 bits are the same in all segments.
 */
static struct tables write_tables(struct code_buffer *code, const int32_t *const segments[2], int32_t bias) {
    static const uint8_t padding[VECTOR_BYTES];
    struct tables t;
    emit_bytes(code, padding, -code->length % sizeof padding);
    for (int i = 0; i < 16; i++) t.bit[i] = write_constant(code, (uint16_t)(1 << i));
    t.one = write_constant(code, 0x3F80);
    size_t *const at[] = {&t.c0, &t.c1, &t.c2};
    for (int k = 0; k < 3; k++) {
        *at[k] = code->length;
        for (int i = 0; i < ROOT_TABLE; i++) {
            int32_t c0 = segments[0][i], c1 = segments[1][i] >> 13,
                    c2 = (int32_t)((uint32_t)segments[1][i] << 19) >> 19;
            const int32_t values[] = {8 + ((-1 - bias) >> 13) - c0, -c1, -c2};
            emit_bytes(code, &(uint16_t){(uint16_t)values[k]}, 2);
        }
    }
    return t;
}

/* PLACE and INDEX from two registers of arguments; the second one is PLACE, too. */
static void pack(struct code_buffer *code, int first, int second) {
    of_shift(code, shift, RIGHT, INDEX, first, 16);
    emit_vector(code, ternary, INDEX, second, emit_constant(code, 0xFFFF), 0, FIRST_WHERE_SET);
    of_shift(code, shift, LEFT, PLACE, second, 16);
    emit_vector(code, ternary, PLACE, first, emit_constant(code, 0xFFFF0000), 0, FIRST_WHERE_SET);
}

/* SQUARE = special_square(). */
static void square(struct code_buffer *code, const struct tables *t) {
    of_shift(code, shift_words, RIGHT, SQUARE, PLACE, 10);
    of_shift(code, shift_words, LEFT, OTHER, INDEX, 6);
    emit_vector(code, ternary, SQUARE, OTHER, emit_constant(code, 0x003F003F), 0, FIRST_WHERE_SET);
    of_constant(code, and, SQUARE, SQUARE, 0x007F007F);
    of_registers(code, multiply, SQUARE, SQUARE, SQUARE, 0);
    of_registers(code, add_words, SQUARE, SQUARE, SQUARE, 0);
    of_shift(code, shift_words, RIGHT, LOWER, PLACE, 2);
    of_constant(code, and, LOWER, LOWER, 0x00FF00FF);
    enum { SUM = LOW }; /* a second one, so that additions overlap */
    of_registers(code, move_words, SUM, 0, LOWER, UPPER | ZERO_OTHERS);
    for (uint32_t i = 0; i < 6; i++) {
        int sum = i % 2 ? SQUARE : SUM;
        of_table(code, test, MOMENT, PLACE, t->bit[10 + i], 0);
        of_shift(code, shift_words, RIGHT, OTHER, LOWER, 6 - i);
        of_registers(code, add_words, sum, sum, OTHER, MOMENT);
    }
    of_registers(code, add_words, SQUARE, SQUARE, SUM, 0);
}

/* FACTOR = table[segment]: 64 entries by each permutation. */
static void look_up(struct code_buffer *code, size_t table) {
    const int to[] = {FACTOR, OTHER};
    for (int i = 0; i < 2; i++) {
        of_table(code, move, to[i], 0, table + 2 * VECTOR_BYTES * (size_t)i, 0);
        of_table(code, permute, to[i], INDEX, table + 2 * VECTOR_BYTES * (size_t)i + VECTOR_BYTES, 0);
    }
    of_registers(code, move_words, FACTOR, 0, OTHER, SECOND);
}

/* LOW += OTHER, and carry to HIGH. */
static void add_low(struct code_buffer *code, const struct tables *t) {
    of_registers(code, add_words, LOW, LOW, OTHER, 0);
    emit_vector(code, compare_words, MOMENT, LOW, IN(OTHER), 0, LESS);
    of_table(code, add_words, HIGH, HIGH, t->bit[0], MOMENT);
}

/* HIGH += FACTOR * register, the product's upper half, and LOW += its lower half. */
static void add_product(struct code_buffer *code, const struct tables *t, struct encoding high, int with) {
    of_registers(code, multiply, OTHER, FACTOR, with, 0);
    of_registers(code, high, FACTOR, FACTOR, with, 0);
    of_registers(code, add_words, HIGH, HIGH, FACTOR, 0);
    add_low(code, t);
}

/* HIGH = the lower 13 bits of the negative of a significand, from PLACE and INDEX. What waits for the square comes
 * last. */
static void interpolate(struct code_buffer *code, const struct tables *t, int32_t bias) {
    of_table(code, test, UPPER, INDEX, t->bit[0], 0);
    of_table(code, test, SECOND, INDEX, t->bit[7], 0);
    square(code, t);
    of_shift(code, shift_words, RIGHT, INDEX, INDEX, 1);
    look_up(code, t->c0);
    of_shift(code, shift_words, LEFT, LOW, FACTOR, 13);
    uint32_t rest = (uint32_t)(-1 - bias) & 8191;
    if (rest) of_constant(code, or, LOW, LOW, rest * 0x10001);
    of_shift(code, shift_words, RIGHT, HIGH, FACTOR, 3);
    look_up(code, t->c1);
    of_registers(code, add_words, HIGH, HIGH, FACTOR, UPPER);
    add_product(code, t, multiply_high_unsigned, PLACE);
    look_up(code, t->c2);
    add_product(code, t, multiply_high, SQUARE);
}

/* The arguments lie below the stack meanwhile, where the functions of a leaf may keep 128 bytes. */
static struct place argument(int half) {
    return (struct place){PLACE_MEMORY, RSP, (half - 2) * VECTOR_BYTES};
}

/* X = approximation of the argument, but for the lower 13 bits, which follow from HIGH, in lanes not of these classes.
 */
static void complete(struct code_buffer *code, int half, struct encoding approximation, int classes) {
    enum { ABOUT = FACTOR, CHANGE = LOW };
    emit_vector(code, approximation, ABOUT, 0, argument(half), 0, NO_IMMEDIATE);
    if (half) of_shift(code, shift, LEFT, CHANGE, ABOUT, 16);
    of_registers(code, add, CHANGE, half ? CHANGE : ABOUT, HIGH, 0);
    of_shift(code, shift, LEFT, CHANGE, CHANGE, half ? 3 : 19);
    of_shift(code, shift, RIGHT_SIGNED, CHANGE, CHANGE, 19);
    emit_vector(code, class_of, MOMENT, 0, argument(half), 0, classes);
    of_registers(code, subtract, X + half, ABOUT, CHANGE, 0);
    of_registers(code, move, X + half, 0, ABOUT, MOMENT);
}

size_t write_inverse_root(struct code_buffer *code, const int32_t *const segments[2]) {
    enum { BIAS = -1 };
    struct tables t = write_tables(code, segments, BIAS);
    size_t begin = code->length;
    for (int half = 0; half < 2; half++) emit_store(code, X + half, RSP, argument(half).offset, 0);
    /* The exponent's lowest bit stays: it is the segment's upper one. */
    emit_vector(code, mantissa, FACTOR, 0, IN(X), 0, FROM_HALF_TO_2);
    emit_vector(code, mantissa, OTHER, 0, IN(X + 1), 0, FROM_HALF_TO_2);
    pack(code, FACTOR, OTHER);
    of_registers(code, test_none, POWER_OF_4, PLACE, PLACE, 0);
    emit_vector(code, compare_words, POWER_OF_4, INDEX, AT(t.one), POWER_OF_4, EQUAL);
    interpolate(code, &t, BIAS);
    of_table(code, subtract_words, HIGH, HIGH, t.bit[0], POWER_OF_4); /* whose result is exact */
    for (int half = 0; half < 2; half++) complete(code, half, approximate_inverse_root, ALL_BUT_POSITIVE);
    EMIT(code, 0xC3);
    return begin;
}
