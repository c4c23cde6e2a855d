/*
 * exec/round.c: add, sub, mul, fma, div, rcp, sqrt with directed rounding (.rz .rm .rp). mad of
 * floats is fma: PTX rounds it once.
 *
 * The processor computes under that rounding, switched once for all lanes. So every result is
 * rounded once, as PTX asks.
 */
#include "floats.h"
#include "rounding.h"
#include "simt/access/lane.h"

/* One operation under the processor's current rounding. */
static float apply32(uint16_t opcode, float a, float b, float c) {
    switch ((enum ptx_opcode)opcode) {
    case PTX_ADD: return a + b;
    case PTX_SUB: return a - b;
    case PTX_MUL: return a * b;
    case PTX_DIV: return a / b;
    case PTX_RCP: return 1.0f / a;
    case PTX_SQRT: return __builtin_sqrtf(a);
    default: return fmaf(a, b, c);
    }
}

static double apply64(uint16_t opcode, double a, double b, double c) {
    switch ((enum ptx_opcode)opcode) {
    case PTX_ADD: return canonical64(a + b, a, b, 0);
    case PTX_SUB: return canonical64(a - b, a, b, 0);
    case PTX_MUL: return canonical64(a * b, a, b, 0);
    case PTX_DIV: return canonical64(a / b, a, b, 0);
    case PTX_RCP: return canonical64(1.0 / a, a, 0, 0);
    case PTX_SQRT: return canonical64(__builtin_sqrt(a), a, 0, 0);
    default: return canonical64(fma(a, b, c), a, b, c);
    }
}

static inline float flush_if(bool flush, float v) {
    return flush ? flush32(v) : v;
}

/* Flushing does not round, so it may stand inside of the switched part. */
HANDLER(round_f32) {
    uint32_t mask = guard(w, op);
    bool ftz = op->flags & OP_FTZ;
    float *d = DST(f32);
    const float *a = SRC(f32, op->a), *b = SRC(f32, op->b), *c = SRC(f32, op->c);
    unsigned before = rounding_begin(op->insn->round);
    EACH_ACTIVE(mask) {
        float result =
            apply32(op->insn->op, flush_if(ftz, a[l]), flush_if(ftz, b[l]), flush_if(ftz, c[l]));
        d[l] = flush_if(ftz, canonical32(result));
    }
    rounding_end(before);
    return NEXT;
}

HANDLER(round_f64) {
    uint32_t mask = guard(w, op);
    double *d = DST(f64);
    const double *a = SRC(f64, op->a), *b = SRC(f64, op->b), *c = SRC(f64, op->c);
    unsigned before = rounding_begin(op->insn->round);
    EACH_ACTIVE(mask) d[l] = apply64(op->insn->op, a[l], b[l], c[l]);
    rounding_end(before);
    return NEXT;
}

void EXEC(round_names)(struct handlers *handlers) {
    handlers->round_f32 = round_f32;
    handlers->round_f64 = round_f64;
}
