/*
 * native/interpolate.h: what the special-function unit interpolates (exec/special_unit.h), for a warp.
 *
 * An approximation gives the result's upper bits. The lower ones follow from the segments in arithmetic of 16 bits, for
 * all 32 lanes at once:
 *
 *   31  0      31 0             31    16 15     0
 *   x[16]  and  x[0]  ->  PLACE [  x[16] | x[0]  ]  bits 0 to 15 of both arguments: of their places
 *                         INDEX [  x[16] | x[0]  ]  bits 16 to 31: the place's highest bit, the segment
 *
 * Tables of 64 or 128 entries are looked up by permutations of their registers, as loads lane by lane take longer.
 */
#ifndef SIMT_NATIVE_INTERPOLATE_H
#define SIMT_NATIVE_INTERPOLATE_H

#include "special.h"

#define VECTOR_BYTES 64

/* Vector registers. Mask registers: lanes whose place has its highest bit, whose segment is from 64 on, and for the
 * moment. */
enum { X = SPECIAL_REGISTER, SQUARE = X, LOWER, PLACE, INDEX, HIGH, LOW, FACTOR, OTHER };
enum { UPPER = 3, FREE = 4, SECOND = 5, MOMENT = 6 };

/* How the unit's sum becomes a function's significand. bias, shift: of special_significand() in exec/special_unit.h. */
struct curve {
    int32_t bias, shift;
    bool falls;   /* c1 is negative */
    int quarters; /* 4: all coefficients and the bias are multiples of 4, and the sum is taken in quarters; or 1 */
};

/* Tables in the code, of lanes of 16 bits. */
struct tables {
    struct curve curve;
    uint32_t n;     /* segments */
    bool is_steep;  /* the first 64 segments' c1 is 2^16 more than the table has */
    size_t bit[16]; /* constants: 1, 2, 4 ... */
    size_t one;     /* a constant: INDEX of 1.0f */
    size_t c0, c1, c2;
};

struct tables write_tables(struct code_buffer *code, const struct segment_table *segments, struct curve curve);

/* PLACE and INDEX from two registers of arguments. */
void pack(struct code_buffer *code, int first, int second);
/* HIGH = the lower bits of the significands, or of their negative where the curve falls. */
void interpolate(struct code_buffer *code, const struct tables *t);
/* X + half = FACTOR, an approximation of the result between 1/2 and 2, but for the lower 12 bits, which follow from
 * HIGH. Changes LOW. */
void complete(struct code_buffer *code, const struct tables *t, int half);

/* d = a e b, in the lanes of k. ZERO_OTHERS on k: other lanes become 0. */
#define ZERO_OTHERS 0x80
void of_registers(struct code_buffer *code, struct encoding e, int d, int a, int b, int k);
void of_constant(struct code_buffer *code, struct encoding e, int d, int a, uint32_t value, int k);
void of_table(struct code_buffer *code, struct encoding e, int d, int a, size_t table, int k);
enum direction { RIGHT = 2, RIGHT_SIGNED = 4, LEFT = 6 };
void of_shift(struct code_buffer *code, struct encoding e, enum direction direction, int d, int a, uint32_t by);

#endif
