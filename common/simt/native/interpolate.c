/* native/interpolate.c: native/interpolate.h says what it does, exec/special_unit.h what is computed. */
#include "interpolate.h"

#define WORDS WIDE /* the bit that chooses lanes of 64 bits is that for lanes of 16 elsewhere */
static const struct encoding move = {1, 0, 0x28}, move_words = {1, 3 | WORDS, 0x6F},
                             permute = {2, 1 | WORDS, 0x7D}, and = {1, 1, 0xDB}, or = {1, 1, 0xEB}, add = {1, 1, 0xFE},
                             subtract = {1, 1, 0xFA}, add_words = {1, 1, 0xFD}, subtract_words = {1, 1, 0xF9},
                             multiply = {1, 1, 0xD5}, multiply_high = {1, 1, 0xE5},
                             multiply_high_unsigned = {1, 1, 0xE4}, shift = {1, 1, 0x72}, shift_words = {1, 1, 0x71},
                             test = {2, 1 | WORDS, 0x26}, compare_words = {3, 1 | WORDS, 0x3E}, ternary = {3, 1, 0x25};
enum { LESS = 1, FIRST_WHERE_SET = 0xE4 };

#define LANES_16 32

void of_registers(struct code_buffer *code, struct encoding e, int d, int a, int b, int k) {
    emit_vector(code, e, d, a, VECTOR(b), k, NO_IMMEDIATE);
}
void of_constant(struct code_buffer *code, struct encoding e, int d, int a, uint32_t value, int k) {
    emit_vector(code, e, d, a, emit_constant(code, value), k, NO_IMMEDIATE);
}
void of_table(struct code_buffer *code, struct encoding e, int d, int a, size_t table, int k) {
    emit_vector(code, e, d, a, (struct place){PLACE_TABLE, 0, (int32_t)table}, k, NO_IMMEDIATE);
}
void of_shift(struct code_buffer *code, struct encoding e, enum direction direction, int d, int a, uint32_t by) {
    emit_vector(code, e, (int)direction, d, VECTOR(a), 0, (int)by);
}

static size_t write_constant(struct code_buffer *code, uint16_t value) {
    size_t at = code->length;
    for (int i = 0; i < LANES_16; i++) emit_bytes(code, &value, sizeof value);
    return at;
}

/* The bits of the sum below the table of c0: 8192 * c0, and quarters of it. */
static int bits_below_c0(const struct tables *t) {
    return t->curve.quarters == 4 ? 11 : 13;
}
/* What the sum has beside the coefficients. Where the curve falls, the negative of the sum cut off is
 * (-1 - sum) / 2^16 + 1, rounded down; the 1 is in c0's table. */
static int32_t rest(const struct tables *t) {
    return t->curve.falls ? -1 - t->curve.bias : t->curve.bias / t->curve.quarters;
}

/* Coefficients of both signs fit into 16 bits: c1 as it is without a sign, c2 with one. */
struct tables write_tables(struct code_buffer *code, const struct segment_table *segments, struct curve curve) {
    static const uint8_t padding[VECTOR_BYTES];
    struct tables t = {.curve = curve, .n = segments->n};
    emit_bytes(code, padding, -code->length % sizeof padding);
    for (int i = 0; i < 16; i++) t.bit[i] = write_constant(code, (uint16_t)(1 << i));
    t.one = write_constant(code, 0x3F80);
    int32_t sign = curve.falls ? -1 : 1, more = (rest(&t) >> bits_below_c0(&t)) + (curve.falls ? 8 : 0);
    size_t *const at[] = {&t.c0, &t.c1, &t.c2};
    for (int k = 0; k < 3; k++) {
        *at[k] = code->length;
        for (uint32_t i = 0; i < t.n; i++) {
            int32_t slope = segments->slopes[i], c1 = slope >> 13, c2 = (int32_t)((uint32_t)slope << 19) >> 19;
            const int32_t values[] = {more + sign * segments->constants[i], sign * c1 / curve.quarters,
                                      sign * c2 / curve.quarters};
            t.is_steep |= k == 1 && values[k] > UINT16_MAX;
            emit_bytes(code, &(uint16_t){(uint16_t)values[k]}, 2);
        }
    }
    return t;
}

void pack(struct code_buffer *code, int first, int second) {
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
    of_constant(code, and, SQUARE, SQUARE, 0x007F007F, 0);
    of_registers(code, multiply, SQUARE, SQUARE, SQUARE, 0);
    of_registers(code, add_words, SQUARE, SQUARE, SQUARE, 0);
    of_shift(code, shift_words, RIGHT, LOWER, PLACE, 2);
    of_constant(code, and, LOWER, LOWER, 0x00FF00FF, 0);
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
static void look_up(struct code_buffer *code, const struct tables *t, size_t table) {
    const int to[] = {FACTOR, OTHER};
    for (uint32_t i = 0; i < t->n / 64; i++) {
        of_table(code, move, to[i], 0, table + 2 * VECTOR_BYTES * i, 0);
        of_table(code, permute, to[i], INDEX, table + 2 * VECTOR_BYTES * i + VECTOR_BYTES, 0);
    }
    if (t->n > 64) of_registers(code, move_words, FACTOR, 0, OTHER, SECOND);
}

/* HIGH += FACTOR * register, the product's upper half, and LOW += its lower half, with the carry. */
static void add_product(struct code_buffer *code, const struct tables *t, struct encoding high, int with) {
    of_registers(code, multiply, OTHER, FACTOR, with, 0);
    of_registers(code, high, FACTOR, FACTOR, with, 0);
    of_registers(code, add_words, HIGH, HIGH, FACTOR, 0);
    of_registers(code, add_words, LOW, LOW, OTHER, 0);
    emit_vector(code, compare_words, MOMENT, LOW, VECTOR(OTHER), 0, LESS);
    of_table(code, add_words, HIGH, HIGH, t->bit[0], MOMENT);
}

/* HIGH = the sum's bits from this one on: it has those from 16 on. */
static void align(struct code_buffer *code, int32_t bit) {
    if (bit == 17) of_shift(code, shift_words, RIGHT, HIGH, HIGH, 1);
    if (bit != 15) return;
    of_registers(code, add_words, HIGH, HIGH, HIGH, 0);
    of_shift(code, shift_words, RIGHT, LOW, LOW, 15);
    of_registers(code, or, HIGH, HIGH, LOW, 0);
}

/* What waits for the square comes last. */
void interpolate(struct code_buffer *code, const struct tables *t) {
    of_table(code, test, UPPER, INDEX, t->bit[0], 0);
    if (t->n > 64) of_table(code, test, SECOND, INDEX, t->bit[7], 0);
    square(code, t);
    of_shift(code, shift_words, RIGHT, INDEX, INDEX, 1);
    look_up(code, t, t->c0);
    uint32_t below = (uint32_t)bits_below_c0(t), constant = (uint32_t)rest(t) & ((1u << below) - 1);
    of_shift(code, shift_words, LEFT, LOW, FACTOR, below);
    if (constant) of_constant(code, or, LOW, LOW, constant * 0x10001, 0);
    of_shift(code, shift_words, RIGHT, HIGH, FACTOR, 16 - below);
    look_up(code, t, t->c1);
    of_registers(code, add_words, HIGH, HIGH, FACTOR, UPPER);
    if (t->is_steep) {
        of_registers(code, move, OTHER, 0, PLACE, 0);
        of_registers(code, subtract_words, OTHER, OTHER, OTHER, SECOND);
        of_registers(code, add_words, HIGH, HIGH, OTHER, 0);
    }
    add_product(code, t, multiply_high_unsigned, PLACE);
    look_up(code, t, t->c2);
    add_product(code, t, multiply_high, SQUARE);
    align(code, t->curve.shift - (t->curve.quarters == 4 ? 2 : 0));
}

void complete(struct code_buffer *code, const struct tables *t, int half) {
    enum { ABOUT = FACTOR, CHANGE = LOW };
    bool falls = t->curve.falls;
    if (half) of_shift(code, shift, LEFT, CHANGE, ABOUT, 16);
    of_registers(code, falls ? add : subtract, CHANGE, HIGH, half ? CHANGE : ABOUT, 0);
    of_shift(code, shift, LEFT, CHANGE, CHANGE, half ? 4 : 20);
    of_shift(code, shift, RIGHT_SIGNED, CHANGE, CHANGE, 20);
    of_registers(code, falls ? subtract : add, X + half, ABOUT, CHANGE, 0);
}
