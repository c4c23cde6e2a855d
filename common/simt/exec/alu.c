/*
 * exec/alu.c: integer arithmetic, logic, shifts and bit operations. The list is exec/alu.def; here
 * are the functions that its expressions call, and the handlers that no expression describes.
 *
 * The functions are inline and mostly without branches, so that the loop over lanes is vectorised.
 * WRITE_LANES evaluates them for inactive lanes, too: none may trap.
 */
#include "floats.h"
#include "simt/access/lane.h"

/* .sat of s32. */
static inline int32_t clamp_s32(int64_t v) {
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}
/* mul24 and mad24 multiply the low 24 bits, with their sign for s32. */
static inline uint32_t low24(uint32_t v) {
    return v & 0xFFFFFF;
}
static inline int32_t low24_s(int32_t v) {
    return (int32_t)((uint32_t)v << 8) >> 8;
}
static inline uint64_t pair(uint32_t high, uint32_t low) {
    return (uint64_t)high << 32 | low;
}

/* Division by zero gives all ones, as on the hardware; PTX leaves it open. 32-bit division in
 * double precision is exact: a quotient that is no integer lies at least 1 / divisor from the next
 * integer, far more than the rounding error. Host vector units divide doubles, but not integers.
 * INT_MIN / -1 wraps to INT_MIN. */
static inline uint32_t divide_u32(uint32_t a, uint32_t b) {
    double quotient = (double)a / (double)b;
    return b ? (uint32_t)quotient : ~0u;
}
static inline uint32_t remain_u32(uint32_t a, uint32_t b) {
    double quotient = (double)a / (double)b;
    return b ? a - b * (uint32_t)quotient : a;
}
static inline int32_t divide_s32(int32_t a, int32_t b) {
    double quotient = (double)a / (double)b;
    return b == 0 ? -1 : b == -1 ? (int32_t)(0u - (uint32_t)a) : (int32_t)quotient;
}
static inline int32_t remain_s32(int32_t a, int32_t b) {
    double quotient = (double)a / (double)b;
    return b == 0    ? a
           : b == -1 ? 0
                     : (int32_t)((uint32_t)a - (uint32_t)b * (uint32_t)(int32_t)quotient);
}
static inline uint64_t divide_u64(uint64_t a, uint64_t b) {
    return b ? a / b : ~0ull;
}
static inline int64_t divide_s64(int64_t a, int64_t b) {
    if (b == 0) return -1;
    return b == -1 ? (int64_t)(0ull - (uint64_t)a) : a / b;
}

/* Set bits: sums of neighbours in 2, 4 and 8 bits; the product adds the four bytes in the top one.
 * Instruction sets without a vector popcount vectorise this. */
static inline uint32_t count_bits(uint32_t v) {
    v -= v >> 1 & 0x55555555;
    v = (v & 0x33333333) + (v >> 2 & 0x33333333);
    v = (v + (v >> 4)) & 0x0F0F0F0F;
    return v * 0x01010101 >> 24;
}

/* Bits in reverse order: swap neighbours, pairs, nibbles, bytes. */
static inline uint32_t reverse32(uint32_t v) {
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0F0F0F0F) | (v & 0x0F0F0F0F) << 4;
    return v >> 24 | (v >> 8 & 0xFF00) | (v & 0xFF00) << 8 | v << 24;
}

/* Position of the highest set bit; all ones if there is none. */
static inline uint32_t top_bit(uint64_t v) {
    return v ? 63u - (uint32_t)__builtin_clzll(v) : ~0u;
}
/* bfind.shiftamt: how far left the highest bit must move to be at `top`. */
static inline uint32_t shift_amount(uint64_t v, uint32_t top) {
    return v ? top - top_bit(v) : ~0u;
}

/* fns: position of the |offset|-th set bit from base, upwards for positive offsets, downwards for
 * negative. Offset 0 asks for bit base itself. All ones: there is no bit to find. */
static inline uint32_t nth_set_bit(uint32_t mask, uint32_t base, int32_t offset) {
    if (offset == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
    int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
    for (int64_t i = base; i >= 0 && i < 32; i += step)
        if ((mask >> i & 1) && --left == 0) return (uint32_t)i;
    return ~0u;
}

/* bfe: `length` bits of a from `position`, both taken modulo 256. Bits beyond the top are 0. */
static inline uint32_t extract_u32(uint32_t a, uint32_t position, uint32_t length) {
    position &= 0xFF, length &= 0xFF;
    uint64_t field = position > 31 ? 0 : a >> position;
    return (uint32_t)(length > 31 ? field : field & ((1u << length) - 1));
}

static inline uint64_t extract_u64(uint64_t a, uint32_t position, uint32_t length) {
    position &= 0xFF, length &= 0xFF;
    uint64_t field = position > 63 ? 0 : a >> position;
    return length > 63 ? field : field & ((1ull << length) - 1);
}

/*
 * Signed fields take their sign from their last bit, or from the top bit of a where they reach
 * beyond it.
 *
 *   63        last     position      0
 *   |  ...   | s field |      ...    |    ->   s s s s s field
 */
static inline uint64_t extract_s64(uint64_t a, uint32_t position, uint32_t length) {
    position &= 0xFF, length &= 0xFF;
    if (length == 0) return 0;
    uint32_t last = position + length - 1;
    uint64_t fill = a >> (last > 63 ? 63 : last) & 1 ? ~0ull : 0;
    uint64_t field = position > 63 ? fill : (uint64_t)((int64_t)a >> position);
    return length > 63 ? field : (field & ((1ull << length) - 1)) | fill << length;
}

/* 32-bit fields are fields of the value extended to 64 bits. */
static inline uint32_t extract_s32(uint32_t a, uint32_t position, uint32_t length) {
    return (uint32_t)extract_s64((uint64_t)(int64_t)(int32_t)a, position, length);
}

/* bmsk: `width` ones from bit `start` up. */
static inline uint32_t bit_mask(uint32_t start, uint32_t width) {
    uint64_t ones = width > 31 ? 0xFFFFFFFFull : (1ull << width) - 1;
    return start > 31 ? 0 : (uint32_t)(ones << start);
}

/* szext: keep the low `bits` bits; 0 bits give 0. */
static inline uint32_t zero_extend(uint32_t v, uint32_t bits) {
    return bits > 31 ? v : v & ((1u << bits) - 1);
}
static inline uint32_t sign_extend(uint32_t v, uint32_t bits) {
    return bits == 0 ? 0 : bits > 31 ? v : (uint32_t)((int32_t)(v << (32 - bits)) >> (32 - bits));
}

/* vabsdiff2, vabsdiff4: |a - b| of each part of so many bits, unsigned and signed. */
static inline uint32_t differences(uint32_t a, uint32_t b, uint32_t bits) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < 32; i += bits) {
        uint32_t x = a >> i & ((1u << bits) - 1), y = b >> i & ((1u << bits) - 1);
        result |= (x > y ? x - y : y - x) << i;
    }
    return result;
}

static inline uint32_t differences_s(uint32_t a, uint32_t b, uint32_t bits) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < 32; i += bits) {
        int32_t x = (int32_t)sign_extend(a >> i, bits), y = (int32_t)sign_extend(b >> i, bits);
        result |= (uint32_t)(x > y ? x - y : y - x) << i;
    }
    return result;
}

static inline uint32_t half_sum(uint32_t v) {
    return (v & 0xFFFF) + (v >> 16);
}

/* A mask of the 16-bit halves in which a is below b. Turning the sign bits over makes signed values
 * compare as unsigned ones. */
static inline uint32_t lower_halves(uint32_t a, uint32_t b) {
    return (a >> 16 < b >> 16 ? 0xFFFF0000 : 0) | ((a & 0xFFFF) < (b & 0xFFFF) ? 0xFFFF : 0);
}

static inline uint32_t lower_halves_s(uint32_t a, uint32_t b) {
    return lower_halves(a ^ 0x80008000, b ^ 0x80008000);
}

/* a where from_a has ones, b elsewhere. */
static inline uint32_t choose_halves(uint32_t a, uint32_t b, uint32_t from_a) {
    return (a & from_a) | (b & ~from_a);
}

/* Signed halves: 0 in the place of what is less. */
static inline uint32_t positive_halves(uint32_t v) {
    return choose_halves(0, v, lower_halves_s(v, 0));
}

static inline uint32_t byte_sum(uint32_t v) {
    return (v & 0xFF) + (v >> 8 & 0xFF) + (v >> 16 & 0xFF) + (v >> 24);
}

#define OP1(name, opcode, type, form, td, ta, value)         LANE_OP1(name, td, ta, value)
#define OP2(name, opcode, type, form, td, ta, tb, value)     LANE_OP2(name, td, ta, tb, value)
#define OP3(name, opcode, type, form, td, ta, tb, tc, value) LANE_OP3(name, td, ta, tb, tc, value)
#include "alu.def"
#undef OP1
#undef OP2
#undef OP3

/* The power of two that all lanes have, at most 2^30; 0: they have something else. */
static inline uint32_t power_of_all(const uint32_t values[WARP_SIZE]) {
    const uint32_t value = values[0];
    uint32_t differ = (value & (value - 1)) | value >> 31;
    VECTOR_LANES differ |= values[l] ^ value;
    return differ ? 0 : value;
}

/* Division by a power of two that all lanes have, as most are, takes a shift and a mask. by_power
 * reads `shift`, and `low`, the power - 1. */
#define DIVISION(name, type, value, by_power)                                                      \
    HANDLER(name) {                                                                                \
        uint32_t mask = guard(w, op);                                                              \
        ROW_##type *d = DST(type);                                                                 \
        const ROW_##type *pa = SRC(type, op->a), *pb = SRC(type, op->b);                           \
        const uint32_t power = power_of_all(pb);                                                   \
        if (power) {                                                                               \
            UNUSED const VAL_##type low = (VAL_##type)power - 1, shift = __builtin_ctz(power);     \
            WRITE_RESULT(type, mask, ({                                                            \
                             const VAL_##type a = GET_##type(pa[l]);                               \
                             by_power;                                                             \
                         }));                                                                      \
            return RUN(NEXT);                                                                      \
        }                                                                                          \
        WRITE_RESULT(type, mask, ({                                                                \
                         const VAL_##type a = GET_##type(pa[l]), b = GET_##type(pb[l]);            \
                         value;                                                                    \
                     }));                                                                          \
        return RUN(NEXT);                                                                          \
    }
DIVISION(div_u32, u32, divide_u32(a, b), a >> shift)
DIVISION(rem_u32, u32, remain_u32(a, b), a &low)
/* Rounded towards 0: the low bits that a negative number has count up. */
DIVISION(div_s32, s32, divide_s32(a, b),
         (int32_t)((uint32_t)a + (uint32_t)(a >> 31 & low)) >> shift)
DIVISION(rem_s32, s32, remain_s32(a, b),
         (int32_t)((((uint32_t)a + (uint32_t)(a >> 31 & low)) & (uint32_t)low) -
                   (uint32_t)(a >> 31 & low)))

/* slct with a float condition: -0.0 selects a, NaN selects b. */
LANE_OP3(slct_b32_f32, u32, u32, u32, f32, c >= 0 ? a : b)
LANE_OP3(slct_b64_f32, u64, u64, u64, f32, c >= 0 ? a : b)
LANE_OP3(slct_b32_f32_ftz, u32, u32, u32, f32, flush32(c) >= 0 ? a : b)
LANE_OP3(slct_b64_f32_ftz, u64, u64, u64, f32, flush32(c) >= 0 ? a : b)

/* Carry chains: bit l of a mask in the frame is lane l's carry flag. As on the hardware,
 * subtraction adds the complement and leaves a carry where nothing was borrowed: the compiler's
 * 128-bit division reads it with addc. */
static inline uint32_t *carry_flags(struct warp *w) {
    return (uint32_t *)(w->rows[ROWS_REGS] + CARRY_OFFSET);
}

/* The sum is computed in a type that is twice as wide: the bit above the word is the carry out. in:
 * the carry in, 0 where the form reads none; a subtraction without one adds 1 to the complement. */
#define CARRY_OP(name, t, wide, sum)                                                               \
    HANDLER(name) {                                                                                \
        uint32_t mask = guard(w, op), *flags = carry_flags(w), carry = *flags, out = 0;            \
        ROW_##t *d = DST(t);                                                                       \
        const ROW_##t *pa = SRC(t, op->a), *pb = SRC(t, op->b), *pc = SRC(t, op->c);               \
        EACH_ACTIVE(mask) {                                                                        \
            wide a = pa[l], b = pb[l], c = pc[l], in = carry >> l & op->math.carry_in;             \
            wide r = sum;                                                                          \
            d[l] = (ROW_##t)r;                                                                     \
            out |= (uint32_t)(r >> (8 * sizeof *d) & 1) << l;                                      \
            (void)a, (void)b, (void)c;                                                             \
        }                                                                                          \
        if (op->math.carry_out) set_pred(flags, mask, out);                                        \
        return NEXT;                                                                               \
    }
CARRY_OP(carry_add_32, u32, uint64_t, a + b + in)
CARRY_OP(carry_add_64, u64, unsigned __int128, a + b + in)
CARRY_OP(carry_sub_32, u32, uint64_t, a + (uint32_t)~b + (op->math.carry_in ? in : 1))
CARRY_OP(carry_sub_64, u64, unsigned __int128, a + (uint64_t)~b + (op->math.carry_in ? in : 1))
CARRY_OP(carry_mad_lo_32, u32, uint64_t, (a * b & 0xFFFFFFFF) + c + in)
CARRY_OP(carry_mad_lo_64, u64, unsigned __int128, (uint64_t)(a *b) + c + in)
CARRY_OP(carry_mad_hi_u32, u32, uint64_t, (a * b >> 32) + c + in)
CARRY_OP(carry_mad_hi_u64, u64, unsigned __int128, (a * b >> 64) + c + in)
CARRY_OP(carry_mad_hi_s32, u32, uint64_t,
         (uint32_t)((int64_t)(int32_t)a *(int32_t)b >> 32) + c + in)
CARRY_OP(carry_mad_hi_s64, u64, unsigned __int128,
         (uint64_t)((__int128)(int64_t)a *(int64_t)b >> 64) + c + in)

/* bfi d, field, base, position, length: inserts the low `length` bits of a in b. Position and
 * length are taken modulo 256. The length is the fourth operand, op->math.e. */
#define INSERT_OP(name, t, bits)                                                                   \
    HANDLER(name) {                                                                                \
        uint32_t mask = guard(w, op);                                                              \
        ROW_##t *d = DST(t);                                                                       \
        const ROW_##t *pa = SRC(t, op->a), *pb = SRC(t, op->b);                                    \
        const uint32_t *position = SRC(u32, op->c), *length = SRC(u32, op->math.e);                \
        EACH_ACTIVE(mask) {                                                                        \
            uint32_t p = position[l] & 0xFF, n = length[l] & 0xFF;                                 \
            ROW_##t ones = n >= bits ? ~(ROW_##t)0 : ((ROW_##t)1 << n) - 1;                        \
            ROW_##t field = p >= bits ? 0 : ones << p;                                             \
            d[l] = (pb[l] & ~field) | (p >= bits ? 0 : (pa[l] & ones) << p);                       \
        }                                                                                          \
        return NEXT;                                                                               \
    }
INSERT_OP(bfi_32, u32, 32)
INSERT_OP(bfi_64, u64, 64)

/* dp4a: the sum of four products of bytes and c. dp2a: of two products of a 16-bit value and a
 * byte. The types are those of a and b. dp2a.hi takes b's upper two
 * bytes. */
static inline int32_t byte_of(uint32_t v, int i, uint8_t type) {
    uint8_t byte = (uint8_t)(v >> 8 * i);
    return ptx_is_signed(type) ? (int8_t)byte : byte;
}

HANDLER(dp4a) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const uint32_t *a = SRC(u32, op->a), *b = SRC(u32, op->b), *c = SRC(u32, op->c);
    EACH_ACTIVE(mask) {
        uint32_t sum = c[l];
        for (int i = 0; i < 4; i++)
            sum += (uint32_t)(byte_of(a[l], i, op->insn->type) * byte_of(b[l], i, op->insn->type2));
        d[l] = sum;
    }
    return NEXT;
}

HANDLER(dp2a) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const uint32_t *a = SRC(u32, op->a), *b = SRC(u32, op->b), *c = SRC(u32, op->c);
    EACH_ACTIVE(mask) {
        uint32_t sum = c[l];
        for (int i = 0; i < 2; i++) {
            uint16_t half = (uint16_t)(a[l] >> 16 * i);
            int32_t x = ptx_is_signed(op->insn->type) ? (int16_t)half : half;
            sum += (uint32_t)(x * byte_of(b[l], i + 2 * op->insn->hi, op->insn->type2));
        }
        d[l] = sum;
    }
    return NEXT;
}

/*
 * Selector of byte i of prmt's result: bits 0-2 name a byte of {b, a}, bit 3 replicates its sign.
 * In the default mode c has four selectors of 4 bits; the other modes make them from its low two
 * bits.
 *
 *   byte of {b, a}    7   6   5   4   3   2   1   0
 *                     b's bytes       a's bytes
 */
static inline uint32_t prmt_selector(uint32_t mode, uint32_t c, uint32_t i) {
    uint32_t s = c & 3;
    switch (mode) {
    case PTX_PRMT_F4E: return s + i;
    case PTX_PRMT_B4E: return (s - i) & 7;
    case PTX_PRMT_RC8: return s;
    case PTX_PRMT_ECL: return i > s ? i : s;
    case PTX_PRMT_ECR: return i < s ? i : s;
    case PTX_PRMT_RC16: return (s & 1) * 2 + (i & 1);
    default: return c >> 4 * i & 15;
    }
}

/* One lane's result, byte by byte. */
static inline uint32_t permute(uint32_t mode, uint32_t a, uint32_t b, uint32_t c) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t selector = prmt_selector(mode, c, i);
        uint32_t byte = (uint32_t)(bytes >> 8 * (selector & 7)) & 0xFF;
        if (selector & 8) byte = byte & 0x80 ? 0xFF : 0;
        result |= byte << 8 * i;
    }
    return result;
}

HANDLER(prmt) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const uint32_t *a = SRC(u32, op->a), *b = SRC(u32, op->b), *c = SRC(u32, op->c);
    EACH_ACTIVE(mask) d[l] = permute(op->sub, a[l], b[l], c[l]);
    return RUN(NEXT);
}

/* op->math.truth_table: bit 4a + 2b + c is the result for bits a, b, c. Each bit is spread over a
 * word, t[i]. The eight words are combined by a, b and c, 32 bits at a time. */
HANDLER(lop3) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const uint32_t *pa = SRC(u32, op->a), *pb = SRC(u32, op->b), *pc = SRC(u32, op->c);
    uint32_t t[8];
    for (int i = 0; i < 8; i++) t[i] = 0u - (op->math.truth_table >> i & 1u);
    WRITE_LANES(u32, mask, ({
                    uint32_t a = pa[l], b = pb[l], c = pc[l];
                    uint32_t low =
                        (~b & ((~c & t[0]) | (c & t[1]))) | (b & ((~c & t[2]) | (c & t[3])));
                    uint32_t high =
                        (~b & ((~c & t[4]) | (c & t[5]))) | (b & ((~c & t[6]) | (c & t[7])));
                    (~a & low) | (a & high);
                }));
    return RUN(NEXT);
}

/* A 64-bit index times a size, as a shift by a constant below 64, and an address. */
HANDLER(shl_add_64) {
    uint32_t mask = guard(w, op), by = *SRC(u32, op->b);
    uint64_t *d = DST(u64);
    const uint64_t *a = SRC(u64, op->a), *c = SRC(u64, op->c);
    WRITE_RESULT(u64, mask, (a[l] << by) + c[l]);
    return RUN(NEXT);
}

const struct rule EXEC(alu_rules)[] = {
    /* Before those of any second type. */
    {PTX_SLCT, PTX_B32, PTX_F32, FORM_PLAIN, slct_b32_f32},
    {PTX_SLCT, PTX_B64, PTX_F32, FORM_PLAIN, slct_b64_f32},
    {PTX_SLCT, PTX_B32, PTX_F32, FORM_FTZ, slct_b32_f32_ftz},
    {PTX_SLCT, PTX_B64, PTX_F32, FORM_FTZ, slct_b64_f32_ftz},
#define OP1(name, opcode, type, form, ...) {PTX_##opcode, PTX_##type, PTX_TYPE_NONE, form, name},
#define OP2                                OP1
#define OP3                                OP1
#include "alu.def"
#undef OP1
#undef OP2
#undef OP3
    {PTX_DIV, PTX_U32, PTX_TYPE_NONE, FORM_PLAIN, div_u32},
    {PTX_DIV, PTX_S32, PTX_TYPE_NONE, FORM_PLAIN, div_s32},
    {PTX_REM, PTX_U32, PTX_TYPE_NONE, FORM_PLAIN, rem_u32},
    {PTX_REM, PTX_S32, PTX_TYPE_NONE, FORM_PLAIN, rem_s32},
    {PTX_SHL, PTX_B64, PTX_TYPE_NONE, FORM_ACCUMULATE, shl_add_64},
    {PTX_ADD, PTX_S16X2, PTX_TYPE_NONE, FORM_PLAIN, add_u16x2},
    {PTX_BFI, PTX_B32, PTX_TYPE_NONE, FORM_PLAIN, bfi_32},
    {PTX_BFI, PTX_B64, PTX_TYPE_NONE, FORM_PLAIN, bfi_64},
    {PTX_DP4A, PTX_U32, PTX_TYPE_NONE, FORM_PLAIN, dp4a},
    {PTX_DP2A, PTX_U32, PTX_TYPE_NONE, FORM_PLAIN, dp2a},
    {PTX_DP2A, PTX_U32, PTX_TYPE_NONE, FORM_HI, dp2a},
    /* Carry chains: FORM_CARRY_OUT marks them all. The decoder sets op->math.carry_out and
     * op->math.carry_in. */
    {PTX_ADD, PTX_U32, PTX_TYPE_NONE, FORM_CARRY_OUT, carry_add_32},
    {PTX_ADD, PTX_U64, PTX_TYPE_NONE, FORM_CARRY_OUT, carry_add_64},
    {PTX_SUB, PTX_U32, PTX_TYPE_NONE, FORM_CARRY_OUT, carry_sub_32},
    {PTX_SUB, PTX_U64, PTX_TYPE_NONE, FORM_CARRY_OUT, carry_sub_64},
    {PTX_MAD, PTX_U32, PTX_TYPE_NONE, FORM_CARRY_OUT, carry_mad_lo_32},
    {PTX_MAD, PTX_U64, PTX_TYPE_NONE, FORM_CARRY_OUT, carry_mad_lo_64},
    {PTX_MAD, PTX_S32, PTX_TYPE_NONE, FORM_CARRY_OUT | FORM_HI, carry_mad_hi_s32},
    {PTX_MAD, PTX_S64, PTX_TYPE_NONE, FORM_CARRY_OUT | FORM_HI, carry_mad_hi_s64},
    {PTX_MAD, PTX_U32, PTX_TYPE_NONE, FORM_CARRY_OUT | FORM_HI, carry_mad_hi_u32},
    {PTX_MAD, PTX_U64, PTX_TYPE_NONE, FORM_CARRY_OUT | FORM_HI, carry_mad_hi_u64},
    {0, 0, 0, 0, NULL},
};

void EXEC(alu_names)(struct handlers *handlers) {
    handlers->prmt = prmt;
    handlers->lop3 = lop3;
}
