/* exec/cvt_small.c: conversions to and from the formats of tensor cores: pairs of 8-bit floats, and
 * tf32. */
#include "half.h"
#include "simt/access/lane.h"

#define TF32_CUT 13 /* fraction bits of a float that tf32 has not */

static inline double relu(double v, const struct op *op) {
    return op->insn->relu && v <= 0 ? 0 : v;
}

/* cvt.e4m3x2.f32 d, a, b: a becomes the upper byte. */
HANDLER(cvt_bytes) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const float *a = SRC(f32, op->a), *b = SRC(f32, op->b);
    bool is_e4m3 = op->type == PTX_E4M3X2;
    EACH_ACTIVE(mask)
        d[l] = (uint32_t)byte_from_double(relu((double)a[l], op), is_e4m3) << 8 |
               byte_from_double(relu((double)b[l], op), is_e4m3);
    return NEXT;
}

/* cvt.e4m3x2.f16x2 d, a */
HANDLER(cvt_halves_to_bytes) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const uint32_t *a = SRC(u32, op->a);
    bool is_e4m3 = op->type == PTX_E4M3X2;
    EACH_ACTIVE(mask) {
        double high = (double)half_to_float((uint16_t)(a[l] >> 16)),
               low = (double)half_to_float((uint16_t)a[l]);
        d[l] = (uint32_t)byte_from_double(relu(high, op), is_e4m3) << 8 |
               byte_from_double(relu(low, op), is_e4m3);
    }
    return NEXT;
}

/* One half of cvt.f16x2.e4m3x2, with relu: what is negative becomes 0. */
static inline uint16_t half_of(uint32_t byte, const struct op *op) {
    uint16_t half = half_from_byte((uint8_t)byte, op->insn->type2 == PTX_E4M3X2);
    return op->insn->relu && half >> 15 ? 0 : half;
}

HANDLER(cvt_bytes_to_halves) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const uint32_t *a = SRC(u32, op->a);
    EACH_ACTIVE(mask)
        d[l] = (uint32_t)half_of(a[l] >> 8 & 0xFF, op) << 16 | half_of(a[l] & 0xFF, op);
    return NEXT;
}

/* A float with the fraction of tf32; the bits below are 0. .rna rounds ties away from zero. It
 * keeps a NaN's fraction, as an H200 does, where .rn and .rz give one NaN. */
static inline uint32_t tf32_of(uint32_t bits, const struct op *op) {
    const uint32_t unit = 1u << TF32_CUT, infinity = 0x7F800000;
    uint32_t sign = bits & 0x80000000, size = bits & 0x7FFFFFFF;
    if (size > infinity && op->insn->round != PTX_RNA) return NAN32_BITS & ~(unit - 1);
    if (op->insn->relu && sign) return 0;
    if (op->insn->round == PTX_RNA && size < infinity) size += unit / 2;
    if (op->insn->round == PTX_RN) size += unit / 2 - 1 + (size >> TF32_CUT & 1);
    size &= ~(unit - 1);
    if (op->insn->satfinite && size >= infinity) size -= unit;
    return sign | size;
}

HANDLER(cvt_tf32) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const uint32_t *a = SRC(u32, op->a);
    EACH_ACTIVE(mask) d[l] = tf32_of(a[l], op);
    return NEXT;
}

void EXEC(cvt_small_names)(struct handlers *handlers) {
    handlers->cvt_bytes = cvt_bytes;
    handlers->cvt_halves_to_bytes = cvt_halves_to_bytes;
    handlers->cvt_bytes_to_halves = cvt_bytes_to_halves;
    handlers->cvt_tf32 = cvt_tf32;
}
