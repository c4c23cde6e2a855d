/* exec/float.c: single and double precision arithmetic, rounded to nearest even. The list is
 * exec/float.def. Each F32 line makes two handlers: as it is, and with .ftz, which flushes
 * subnormal operands and results to zero. */
#include "floats.h"
#include "simt/access/lane.h"
#include "special.h"

/* One handler from a line of exec/float.def, and one with .ftz. There the flushed operands take the
 * names a, b, c that the expression uses. a_ stands between them, as `const float a = flush32(a)`
 * would read the new a. */
#define F32_1(opcode, name, value)                                                                 \
    LANE_OP1(name##_f32, f32, f32, value)                                                          \
    LANE_OP1(name##_f32_ftz, f32, f32, flush32(({                                                  \
                 const float a_ = flush32(a);                                                      \
                 const float a = a_;                                                               \
                 value;                                                                            \
             })))
#define F32_2(opcode, name, value)                                                                 \
    LANE_OP2(name##_f32, f32, f32, f32, value)                                                     \
    LANE_OP2(name##_f32_ftz, f32, f32, f32, flush32(({                                             \
                 const float a_ = flush32(a), b_ = flush32(b);                                     \
                 const float a = a_, b = b_;                                                       \
                 value;                                                                            \
             })))
#define F32_3(opcode, name, value)                                                                 \
    LANE_OP3(name##_f32, f32, f32, f32, f32, value)                                                \
    LANE_OP3(name##_f32_ftz, f32, f32, f32, f32, flush32(({                                        \
                 const float a_ = flush32(a), b_ = flush32(b), c_ = flush32(c);                    \
                 const float a = a_, b = b_, c = c_;                                               \
                 value;                                                                            \
             })))
/* A function of a and b in three loops over the lanes: where they are in its segments, the points
 * there, the values. */
#define SAME(v) (v)
#define SPECIAL(name, flush, segments, where, value)                                               \
    HANDLER(name) {                                                                                \
        uint32_t mask = guard(w, op);                                                              \
        float *d = DST(f32);                                                                       \
        const float *pa = SRC(f32, op->a), *pb = SRC(f32, op->b);                                  \
        struct points points;                                                                      \
        VECTOR_LANES {                                                                             \
            UNUSED const float a = flush(pa[l]), b = flush(pb[l]);                                 \
            points.at[l] = where;                                                                  \
        }                                                                                          \
        look_up(&points, segments);                                                                \
        find_squares(&points);                                                                     \
        WRITE_LANES(f32, mask, ({                                                                  \
                        UNUSED const float a = flush(pa[l]), b = flush(pb[l]);                     \
                        const struct point p = {points.at[l], points.constant[l], points.slope[l], \
                                                points.square[l]};                                 \
                        flush(canonical32(value));                                                 \
                    }));                                                                           \
        return NEXT;                                                                               \
    }
#define F64_1(opcode, name, value) LANE_OP1(name##_f64, f64, f64, canonical64(value, a, 0, 0))
#define F64_2(opcode, name, value) LANE_OP2(name##_f64, f64, f64, f64, canonical64(value, a, b, 0))
#define F64_3(opcode, name, value)                                                                 \
    LANE_OP3(name##_f64, f64, f64, f64, f64, canonical64(value, a, b, c))
#define F32_FMA                             F32_3
#define F32_FORM(form, opcode, name, value) F32_2(opcode, name, value)
#define F64_FMA                             F64_3
#define F32_SPECIAL(form, opcode, name, segments, at, value)                                       \
    SPECIAL(name##_f32, SAME, segments##_SEGMENTS, at, value)                                      \
    SPECIAL(name##_f32_ftz, flush32, segments##_SEGMENTS, at, value)
#include "float.def"
#undef F32_1
#undef F32_2
#undef F32_3
#undef F64_1
#undef F64_2
#undef F64_3
#undef F32_FMA
#undef F32_FORM
#undef F64_FMA
#undef F32_SPECIAL

LANE_OP1(rcp_ftz_f64, f64, f64, special_inverse64(a))
LANE_OP1(rsqrt_ftz_f64, f64, f64, special_inverse_root64(a))

/* .sat: a second operation on the first one's result. */
LANE_OP1(saturate_f32, f32, f32, saturate32(a))
LANE_OP1(saturate_f64, f64, f64, saturate64(a))

/* testp: what kind of number v is. least: the smallest normal value of the type. A float widened to
 * double is never subnormal as a double, so the bound is the float's. */
static bool testp_holds(uint8_t kind, double v, double least) {
    switch (kind) {
    case PTX_TESTP_FINITE: return isfinite(v);
    case PTX_TESTP_INFINITE: return isinf(v);
    case PTX_TESTP_NUMBER: return !isnan(v);
    case PTX_TESTP_NOTANUMBER: return isnan(v);
    case PTX_TESTP_NORMAL: return isfinite(v) && (v == 0 || fabs(v) >= least);
    default: return v != 0 && fabs(v) < least;
    }
}

HANDLER(testp) {
    uint32_t mask = guard(w, op), result = 0;
    bool is64 = op->type == PTX_F64;
    EACH_ACTIVE(mask) {
        double v = is64 ? SRC(f64, op->a)[l] : (double)SRC(f32, op->a)[l];
        result |= (uint32_t)testp_holds(op->sub, v, is64 ? DBL_MIN : (double)FLT_MIN) << l;
    }
    set_pred((uint32_t *)DST(u32), mask, result);
    return NEXT;
}

const struct rule EXEC(float_rules)[] = {
#define F32_1(opcode, name, ...)                                                                   \
    {PTX_##opcode, PTX_F32, PTX_TYPE_NONE, FORM_PLAIN, name##_f32},                                \
        {PTX_##opcode, PTX_F32, PTX_TYPE_NONE, FORM_FTZ, name##_f32_ftz},
#define F32_2                    F32_1
#define F32_3                    F32_1
#define F64_1(opcode, name, ...) {PTX_##opcode, PTX_F64, PTX_TYPE_NONE, FORM_PLAIN, name##_f64},
#define F64_2                    F64_1
#define F64_3                    F64_1
#define F32_FMA(form, name, ...)                                                                   \
    {PTX_FMA, PTX_F32, PTX_TYPE_NONE, FORM_##form, name##_f32},                                    \
        {PTX_FMA, PTX_F32, PTX_TYPE_NONE, FORM_##form | FORM_FTZ, name##_f32_ftz},
#define F64_FMA(form, name, ...) {PTX_FMA, PTX_F64, PTX_TYPE_NONE, FORM_##form, name##_f64},
#define F32_FORM(form, opcode, name, ...)                                                          \
    {PTX_##opcode, PTX_F32, PTX_TYPE_NONE, FORM_##form, name##_f32},                               \
        {PTX_##opcode, PTX_F32, PTX_TYPE_NONE, FORM_##form | FORM_FTZ, name##_f32_ftz},
#define F32_SPECIAL F32_FORM
#include "float.def"
    {PTX_RCP, PTX_F64, PTX_TYPE_NONE, FORM_APPROX | FORM_FTZ, rcp_ftz_f64},
    {PTX_RSQRT, PTX_F64, PTX_TYPE_NONE, FORM_FTZ, rsqrt_ftz_f64},
    {0, 0, 0, 0, NULL},
};

void EXEC(float_names)(struct handlers *handlers) {
    handlers->saturate_f32 = saturate_f32;
    handlers->saturate_f64 = saturate_f64;
    handlers->testp = testp;
}
