/* exec/cvt.c: conversions. The common ones are vector loops. cvt_any does all, one lane at a time:
 * it takes the source value apart into an integer or a double, and puts it together again in the
 * destination type. */
#include "half.h"
#include "rounding.h"
#include "simt/access/lane.h"

/* A float to an integer, towards zero and saturating; NaN becomes 0. low and high: bounds as
 * floats, high one past the largest, which a float cannot hold exactly. C leaves the cast of other
 * values undefined. */
#define TO_INTEGER(v, t, low, high, least, most)                                                   \
    ((v) >= (high) ? (most) : (v) < (low) ? (least) : (v) == (v) ? (t)(v) : 0)

/* Named by destination, then source. Rounding is C's: integers to floats as the processor rounds
 * (nearest even), floats to integers towards zero. */
LANE_OP1(cvt_f32_s32, f32, s32, (float)a)
LANE_OP1(cvt_f32_u32, f32, u32, (float)a)
LANE_OP1(cvt_f64_s32, f64, s32, (double)a)
LANE_OP1(cvt_f64_u32, f64, u32, (double)a)
LANE_OP1(cvt_f64_s64, f64, s64, (double)a)
LANE_OP1(cvt_f64_u64, f64, u64, (double)a)
LANE_OP1(cvt_f64_f32, f64, f32, (double)a)
LANE_OP1(cvt_f32_f64, f32, f64, canonical32((float)a))
LANE_OP1(cvt_s32_f32, s32, f32, TO_INTEGER(a, int32_t, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX))
LANE_OP1(cvt_u32_f32, u32, f32, TO_INTEGER(a, uint32_t, 0.0f, 0x1p32f, 0u, UINT32_MAX))
LANE_OP1(cvt_u64_u32, u64, u32, a)
LANE_OP1(cvt_s64_s32, s64, s32, a)
LANE_OP1(cvt_u32_u64, u32, u64, (uint32_t)a)
LANE_OP1(cvt_u32_u16, u32, u16, a)
LANE_OP1(cvt_s32_s16, s32, s16, a)
LANE_OP1(cvt_u32_u8, u32, u8, a)
LANE_OP1(cvt_s32_s8, s32, s8, a)
LANE_OP1(cvt_u16_u32, u16, u32, (uint16_t)a)
LANE_OP1(cvt_f32_f16, f32, u16, half_to_float(a))
LANE_OP1(cvt_f16_f32, u16, f32, half_from_float(a))

/* ---- Any conversion ---- */

/*
 * op->type: the destination; op->size: bytes of its register; OP_WIDE: the source row is 64 bits
 * wide.
 *
 *   integer -> integer     __int128 holds both, signed or not; .sat clamps
 *   integer -> float       a cast under the processor's rounding; halves through a double
 *   float   -> integer     rounded to a whole double, then clamped
 *   float   -> float       a double holds every source exactly; then one rounding
 */

static inline bool is_float(uint8_t type) {
    return type >= PTX_F16;
}
static inline bool is_single(uint8_t type) {
    return type == PTX_F32;
}

/* Both kinds of suffix: .rz rounds a float, .rzi to an integer. */
static inline enum rounding rounding_of(uint8_t mode) {
    return mode == PTX_RZ || mode == PTX_RZI   ? ROUND_ZERO
           : mode == PTX_RM || mode == PTX_RMI ? ROUND_DOWN
           : mode == PTX_RP || mode == PTX_RPI ? ROUND_UP
                                               : ROUND_NEAREST;
}

/* A double holds halves and floats exactly. .ftz flushes a float before. */
static double source_float(const struct op *op, uint64_t raw) {
    switch (op->insn->type2) {
    case PTX_F16: return (double)half_to_float((uint16_t)raw);
    case PTX_BF16: return (double)bfloat_to_float((uint16_t)raw);
    case PTX_F32:
        return (double)(op->flags & OP_FTZ ? flush32(float32((uint32_t)raw))
                                           : float32((uint32_t)raw));
    default: return float64(raw);
    }
}

/* The value of the low bits of raw as that type. */
static __int128 source_integer(uint8_t type, uint64_t raw) {
    switch (type) {
    case PTX_S8: return (int8_t)raw;
    case PTX_S16: return (int16_t)raw;
    case PTX_S32: return (int32_t)raw;
    case PTX_S64: return (int64_t)raw;
    case PTX_U8:
    case PTX_B8: return (uint8_t)raw;
    case PTX_U16:
    case PTX_B16: return (uint16_t)raw;
    case PTX_U32:
    case PTX_B32: return (uint32_t)raw;
    default: return raw;
    }
}

static inline unsigned type_bits(uint8_t type) {
    switch (type) {
    case PTX_U8:
    case PTX_S8:
    case PTX_B8: return 8;
    case PTX_U16:
    case PTX_S16:
    case PTX_B16:
    case PTX_F16:
    case PTX_BF16: return 16;
    case PTX_U64:
    case PTX_S64:
    case PTX_B64:
    case PTX_F64: return 64;
    default: return 32;
    }
}

/* .sat: the nearest value that the type has. */
static __int128 clamp_integer(__int128 v, uint8_t type) {
    unsigned bits = type_bits(type);
    __int128 most = ((__int128)1 << (bits - ptx_is_signed(type))) - 1,
             least = ptx_is_signed(type) ? -most - 1 : 0;
    return v > most ? most : v < least ? least : v;
}

/* An integer in the destination register: wrapped to its type, then extended to the register. */
static uint64_t put_integer(const struct op *op, __int128 v) {
    return (uint64_t)source_integer(op->type, (uint64_t)v);
}

/* rint() rounds to nearest even: cvt_any leaves the processor's rounding at that for these. */
static double round_to_integer(double v, uint8_t mode) {
    switch (rounding_of(mode)) {
    case ROUND_ZERO: return trunc(v);
    case ROUND_DOWN: return floor(v);
    case ROUND_UP: return ceil(v);
    default: return rint(v);
    }
}

/* Float to integer always saturates. NaN is 0. Where 64 bits are involved, it is the bit pattern
 * with only the top bit of the type set. */
static uint64_t float_to_integer(const struct op *op, double v) {
    unsigned bits = type_bits(op->type);
    if (v != v)
        return bits == 64 || op->insn->type2 == PTX_F64 ? put_integer(op, (__int128)1 << (bits - 1))
                                                        : 0;
    double whole = round_to_integer(v, op->insn->round);
    if (fabs(whole) >= 0x1p100) whole = copysign(0x1p100, whole);
    return put_integer(op, clamp_integer((__int128)whole, op->type));
}

/* A float of the destination type, as its bits. Under the rounding that rounding_begin() set. */
static uint64_t put_float(const struct op *op, double v) {
    if (op->insn->sat) v = saturate64(v);
    if (op->insn->relu && !(v > 0)) v = v == v ? 0 : v;
    switch (op->type) {
    case PTX_F16: return half_from_double(v, rounding_of(op->insn->round));
    case PTX_BF16: return bfloat_from_double(v, rounding_of(op->insn->round));
    case PTX_F32: {
        float single = canonical32((float)v);
        return bits32(op->flags & OP_FTZ ? flush32(single) : single);
    }
    default: return bits64(v);
    }
}

/* A 64-bit integer is cast directly: through a double, a float would be rounded twice. */
static uint64_t integer_to_float(const struct op *op, uint64_t raw) {
    __int128 v = source_integer(op->insn->type2, raw);
    if (op->type == PTX_F32) {
        float single = ptx_is_signed(op->insn->type2) ? (float)(int64_t)v : (float)(uint64_t)v;
        return bits32(op->insn->sat ? saturate32(single) : single);
    }
    return put_float(op, ptx_is_signed(op->insn->type2) ? (double)(int64_t)v : (double)(uint64_t)v);
}

/* .rni, .rzi, .rmi, .rpi are the last of enum ptx_round. */
static bool rounds_to_integer(uint8_t mode) {
    return mode >= PTX_RNI;
}

/* One lane: raw has the bits of the source row, the result those of the destination. */
static uint64_t convert(const struct op *op, uint64_t raw) {
    if (!is_float(op->insn->type2) && !is_float(op->type)) {
        __int128 v = source_integer(op->insn->type2, raw);
        return put_integer(op, op->insn->sat ? clamp_integer(v, op->type) : v);
    }
    if (!is_float(op->insn->type2)) return integer_to_float(op, raw);
    double v = source_float(op, raw);
    if (!is_float(op->type)) return float_to_integer(op, v);
    return put_float(op,
                     rounds_to_integer(op->insn->round) ? round_to_integer(v, op->insn->round) : v);
}

/* The processor's rounding is switched once for all lanes. */
HANDLER(cvt_any) {
    uint32_t mask = guard(w, op);
    const void *a = row(w, op->a);
    void *d = DST(u32);
    /* floor() and its kin want the default */
    bool directed = is_float(op->type) && !rounds_to_integer(op->insn->round);
    unsigned before = rounding_begin(directed ? op->insn->round : PTX_RN);
    EACH_ACTIVE(mask) {
        uint64_t raw = op->flags & OP_WIDE ? ((const uint64_t *)a)[l] : ((const uint32_t *)a)[l];
        uint64_t value = convert(op, raw);
        if (op->size == 8)
            ((uint64_t *)d)[l] = value;
        else
            ((uint32_t *)d)[l] = op->size == 4 ? (uint32_t)value : (uint16_t)value;
    }
    rounding_end(before);
    return NEXT;
}

/* cvt.f16x2.f32 d, a, b: a becomes the upper half. Each half is converted alone, by a copy of the
 * operation with the type of a half. */
HANDLER(cvt_pair) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const float *a = SRC(f32, op->a), *b = SRC(f32, op->b);
    struct op one = *op;
    one.type = op->type == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    EACH_ACTIVE(mask)
        d[l] =
            (uint32_t)put_float(&one, (double)a[l]) << 16 | (uint32_t)put_float(&one, (double)b[l]);
    return NEXT;
}

/* The decoder's table: opcode, destination, source. Integers of one size share a handler, signed or
 * not, where the result has the same bits. Conversions that are not here take cvt_any. */
const struct rule EXEC(cvt_rules)[] = {
    {PTX_CVT, PTX_F32, PTX_S32, FORM_PLAIN, cvt_f32_s32},
    {PTX_CVT, PTX_F32, PTX_U32, FORM_PLAIN, cvt_f32_u32},
    {PTX_CVT, PTX_F64, PTX_S32, FORM_PLAIN, cvt_f64_s32},
    {PTX_CVT, PTX_F64, PTX_U32, FORM_PLAIN, cvt_f64_u32},
    {PTX_CVT, PTX_F64, PTX_S64, FORM_PLAIN, cvt_f64_s64},
    {PTX_CVT, PTX_F64, PTX_U64, FORM_PLAIN, cvt_f64_u64},
    {PTX_CVT, PTX_F64, PTX_F32, FORM_PLAIN, cvt_f64_f32},
    {PTX_CVT, PTX_F32, PTX_F64, FORM_PLAIN, cvt_f32_f64},
    {PTX_CVT, PTX_S32, PTX_F32, FORM_PLAIN, cvt_s32_f32},
    {PTX_CVT, PTX_U32, PTX_F32, FORM_PLAIN, cvt_u32_f32},
    {PTX_CVT, PTX_U64, PTX_U32, FORM_PLAIN, cvt_u64_u32},
    {PTX_CVT, PTX_S64, PTX_U32, FORM_PLAIN, cvt_u64_u32},
    {PTX_CVT, PTX_S64, PTX_S32, FORM_PLAIN, cvt_s64_s32},
    {PTX_CVT, PTX_U64, PTX_S32, FORM_PLAIN, cvt_s64_s32},
    {PTX_CVT, PTX_U32, PTX_U64, FORM_PLAIN, cvt_u32_u64},
    {PTX_CVT, PTX_U32, PTX_S64, FORM_PLAIN, cvt_u32_u64},
    {PTX_CVT, PTX_S32, PTX_U64, FORM_PLAIN, cvt_u32_u64},
    {PTX_CVT, PTX_S32, PTX_S64, FORM_PLAIN, cvt_u32_u64},
    {PTX_CVT, PTX_U32, PTX_U16, FORM_PLAIN, cvt_u32_u16},
    {PTX_CVT, PTX_S32, PTX_U16, FORM_PLAIN, cvt_u32_u16},
    {PTX_CVT, PTX_S32, PTX_S16, FORM_PLAIN, cvt_s32_s16},
    {PTX_CVT, PTX_U32, PTX_S16, FORM_PLAIN, cvt_s32_s16},
    {PTX_CVT, PTX_U32, PTX_U8, FORM_PLAIN, cvt_u32_u8},
    {PTX_CVT, PTX_S32, PTX_S8, FORM_PLAIN, cvt_s32_s8},
    {PTX_CVT, PTX_U16, PTX_U32, FORM_PLAIN, cvt_u16_u32},
    {PTX_CVT, PTX_U16, PTX_S32, FORM_PLAIN, cvt_u16_u32},
    {PTX_CVT, PTX_F32, PTX_F16, FORM_PLAIN, cvt_f32_f16},
    {PTX_CVT, PTX_F16, PTX_F32, FORM_PLAIN, cvt_f16_f32},
    {0, 0, 0, 0, NULL},
};

void EXEC(cvt_names)(struct handlers *handlers) {
    handlers->cvt_any = cvt_any;
    handlers->cvt_pair = cvt_pair;
}
