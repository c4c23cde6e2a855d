/*
 * half_functions.h: what __half and __nv_bfloat16 can do, by CUDA's names. It is included once for
 * each, after half_types.h, whose first comment explains the parameters.
 *
 * On the device a function is an instruction. The host computes in float and rounds again, which
 * gives the same: a float has more than twice the bits.
 */

#define SIMT_HD      static __inline__ __host__ __device__
#define SIMT_TO(one) SIMT_WIDEN(one.__x)

#ifdef __CUDA_ARCH__
#define SIMT_UNARY(name, ptx, host)                                                                \
    SIMT_HD SIMT_ONE name(SIMT_ONE a) {                                                            \
        asm(ptx "." SIMT_PTX " %0, %0;" : "+h"(a.__x));                                            \
        return a;                                                                                  \
    }                                                                                              \
    SIMT_HD SIMT_TWO name##2(SIMT_TWO a) {                                                         \
        unsigned word = __builtin_bit_cast(unsigned, a);                                           \
        asm(ptx "." SIMT_PTX2 " %0, %0;" : "+r"(word));                                            \
        return __builtin_bit_cast(SIMT_TWO, word);                                                 \
    }
#define SIMT_BINARY(name, pair, ptx, host)                                                         \
    SIMT_HD SIMT_ONE name(SIMT_ONE a, SIMT_ONE b) {                                                \
        asm(ptx "." SIMT_PTX " %0, %0, %1;" : "+h"(a.__x) : "h"(b.__x));                           \
        return a;                                                                                  \
    }                                                                                              \
    SIMT_HD SIMT_TWO pair(SIMT_TWO a, SIMT_TWO b) {                                                \
        unsigned word = __builtin_bit_cast(unsigned, a);                                           \
        asm(ptx "." SIMT_PTX2 " %0, %0, %1;" : "+r"(word) : "r"(__builtin_bit_cast(unsigned, b))); \
        return __builtin_bit_cast(SIMT_TWO, word);                                                 \
    }
#define SIMT_FUSED(name, pair, ptx, host)                                                          \
    SIMT_HD SIMT_ONE name(SIMT_ONE a, SIMT_ONE b, SIMT_ONE c) {                                    \
        asm(ptx "." SIMT_PTX " %0, %0, %1, %2;" : "+h"(a.__x) : "h"(b.__x), "h"(c.__x));           \
        return a;                                                                                  \
    }                                                                                              \
    SIMT_HD SIMT_TWO pair(SIMT_TWO a, SIMT_TWO b, SIMT_TWO c) {                                    \
        unsigned word = __builtin_bit_cast(unsigned, a);                                           \
        asm(ptx "." SIMT_PTX2 " %0, %0, %1, %2;"                                                   \
            : "+r"(word)                                                                           \
            : "r"(__builtin_bit_cast(unsigned, b)), "r"(__builtin_bit_cast(unsigned, c)));         \
        return __builtin_bit_cast(SIMT_TWO, word);                                                 \
    }
#else
#define SIMT_UNARY(name, ptx, host)                                                                \
    SIMT_HD SIMT_ONE name(SIMT_ONE one) {                                                          \
        float a = SIMT_TO(one);                                                                    \
        return SIMT_ONE((float)(host));                                                            \
    }                                                                                              \
    SIMT_HD SIMT_TWO name##2(SIMT_TWO a) {                                                         \
        return SIMT_TWO(name(a.x), name(a.y));                                                     \
    }
#define SIMT_BINARY(name, pair, ptx, host)                                                         \
    SIMT_HD SIMT_ONE name(SIMT_ONE one, SIMT_ONE two) {                                            \
        float a = SIMT_TO(one), b = SIMT_TO(two);                                                  \
        return SIMT_ONE((float)(host));                                                            \
    }                                                                                              \
    SIMT_HD SIMT_TWO pair(SIMT_TWO a, SIMT_TWO b) {                                                \
        return SIMT_TWO(name(a.x, b.x), name(a.y, b.y));                                           \
    }
#define SIMT_FUSED(name, pair, ptx, host)                                                          \
    SIMT_HD SIMT_ONE name(SIMT_ONE one, SIMT_ONE two, SIMT_ONE three) {                            \
        float a = SIMT_TO(one), b = SIMT_TO(two), c = SIMT_TO(three);                              \
        return SIMT_ONE((float)(host));                                                            \
    }                                                                                              \
    SIMT_HD SIMT_TWO pair(SIMT_TWO a, SIMT_TWO b, SIMT_TWO c) {                                    \
        return SIMT_TWO(name(a.x, b.x, c.x), name(a.y, b.y, c.y));                                 \
    }
#endif

/* ---- Arithmetic ---- */

#define SIMT_CLAMPED(value) ((value) > 1 ? 1.0f : (value) > 0 ? (value) : 0.0f)
#define SIMT_LESS_NAN(way)  (a != a ? b : b != b ? a : a way b ? a : b)
#define SIMT_MORE_NAN(way)  (a != a || b != b ? __builtin_nanf("") : a way b ? a : b)
SIMT_UNARY(__hneg, "neg", -a)
SIMT_UNARY(__habs, "abs", __builtin_fabsf(a))
SIMT_BINARY(__hadd, __hadd2, "add.rn", a + b)
SIMT_BINARY(__hsub, __hsub2, "sub.rn", a - b)
SIMT_BINARY(__hmul, __hmul2, "mul.rn", a *b)
SIMT_BINARY(__hadd_rn, __hadd2_rn, "add.rn", a + b)
SIMT_BINARY(__hsub_rn, __hsub2_rn, "sub.rn", a - b)
SIMT_BINARY(__hmul_rn, __hmul2_rn, "mul.rn", a *b)
SIMT_BINARY(__hadd_sat, __hadd2_sat, "add.rn.sat", SIMT_CLAMPED(a + b))
SIMT_BINARY(__hsub_sat, __hsub2_sat, "sub.rn.sat", SIMT_CLAMPED(a - b))
SIMT_BINARY(__hmul_sat, __hmul2_sat, "mul.rn.sat", SIMT_CLAMPED(a *b))
SIMT_BINARY(__hmin, __hmin2, "min", SIMT_LESS_NAN(<))
SIMT_BINARY(__hmax, __hmax2, "max", SIMT_LESS_NAN(>))
SIMT_BINARY(__hmin_nan, __hmin2_nan, "min.NaN", SIMT_MORE_NAN(<))
SIMT_BINARY(__hmax_nan, __hmax2_nan, "max.NaN", SIMT_MORE_NAN(>))
SIMT_FUSED(__hfma, __hfma2, "fma.rn", (float)__builtin_fma((double)a, b, c))
SIMT_FUSED(__hfma_sat, __hfma2_sat, "fma.rn.sat",
           SIMT_CLAMPED((float)__builtin_fma((double)a, b, c)))
SIMT_FUSED(__hfma_relu, __hfma2_relu, "fma.rn.relu",
           __builtin_fmaxf((float)__builtin_fma((double)a, b, c), 0))
#undef SIMT_CLAMPED
#undef SIMT_LESS_NAN
#undef SIMT_MORE_NAN
#undef SIMT_UNARY
#undef SIMT_BINARY
#undef SIMT_FUSED

SIMT_HD SIMT_ONE __hdiv(SIMT_ONE a, SIMT_ONE b) {
    return SIMT_ONE(SIMT_TO(a) / SIMT_TO(b));
}
SIMT_HD SIMT_TWO __h2div(SIMT_TWO a, SIMT_TWO b) {
    return SIMT_TWO(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

/* ---- Comparisons: of one, of each of two (1 or 0), of both; u: also true for NaN ---- */

#define SIMT_COMPARE(name, test)                                                                   \
    SIMT_HD bool __h##name(SIMT_ONE one, SIMT_ONE two) {                                           \
        float a = SIMT_TO(one), b = SIMT_TO(two);                                                  \
        return test;                                                                               \
    }                                                                                              \
    SIMT_HD SIMT_TWO __h##name##2(SIMT_TWO a, SIMT_TWO b) {                                        \
        return SIMT_TWO(SIMT_ONE((float)__h##name(a.x, b.x)),                                      \
                        SIMT_ONE((float)__h##name(a.y, b.y)));                                     \
    }                                                                                              \
    SIMT_HD bool __hb##name##2(SIMT_TWO a, SIMT_TWO b) {                                           \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }
SIMT_COMPARE(eq, a == b)
SIMT_COMPARE(ne, a<b || a> b)
SIMT_COMPARE(lt, a < b)
SIMT_COMPARE(le, a <= b)
SIMT_COMPARE(gt, a > b)
SIMT_COMPARE(ge, a >= b)
SIMT_COMPARE(equ, !(a < b || a > b))
SIMT_COMPARE(neu, !(a == b))
SIMT_COMPARE(ltu, !(a >= b))
SIMT_COMPARE(leu, !(a > b))
SIMT_COMPARE(gtu, !(a <= b))
SIMT_COMPARE(geu, !(a < b))
#undef SIMT_COMPARE

SIMT_HD bool __hisnan(SIMT_ONE a) {
    return SIMT_TO(a) != SIMT_TO(a);
}
SIMT_HD SIMT_TWO __hisnan2(SIMT_TWO a) {
    return SIMT_TWO(SIMT_ONE((float)__hisnan(a.x)), SIMT_ONE((float)__hisnan(a.y)));
}
SIMT_HD int __hisinf(SIMT_ONE a) {
    float x = SIMT_TO(a);
    return __builtin_fabsf(x) == __builtin_inff() ? (x > 0 ? 1 : -1) : 0;
}

/* ---- Operators ---- */

#define SIMT_OPERATOR(sign, one, two)                                                              \
    SIMT_HD SIMT_ONE operator sign(const SIMT_ONE &a, const SIMT_ONE &b) {                         \
        return one(a, b);                                                                          \
    }                                                                                              \
    SIMT_HD SIMT_TWO operator sign(const SIMT_TWO &a, const SIMT_TWO &b) {                         \
        return two(a, b);                                                                          \
    }                                                                                              \
    SIMT_HD SIMT_ONE &operator sign##=(SIMT_ONE &a, const SIMT_ONE &b) {                           \
        return a = one(a, b);                                                                      \
    }                                                                                              \
    SIMT_HD SIMT_TWO &operator sign##=(SIMT_TWO &a, const SIMT_TWO &b) {                           \
        return a = two(a, b);                                                                      \
    }
SIMT_OPERATOR(+, __hadd, __hadd2)
SIMT_OPERATOR(-, __hsub, __hsub2)
SIMT_OPERATOR(*, __hmul, __hmul2)
SIMT_OPERATOR(/, __hdiv, __h2div)
#undef SIMT_OPERATOR

#define SIMT_OPERATOR(sign, name)                                                                  \
    SIMT_HD bool operator sign(const SIMT_ONE &a, const SIMT_ONE &b) {                             \
        return __h##name(a, b);                                                                    \
    }                                                                                              \
    SIMT_HD bool operator sign(const SIMT_TWO &a, const SIMT_TWO &b) {                             \
        return __hb##name##2(a, b);                                                                \
    }
SIMT_OPERATOR(==, eq)
SIMT_OPERATOR(!=, neu)
SIMT_OPERATOR(<, lt)
SIMT_OPERATOR(<=, le)
SIMT_OPERATOR(>, gt)
SIMT_OPERATOR(>=, ge)
#undef SIMT_OPERATOR

SIMT_HD SIMT_ONE operator+(const SIMT_ONE &a) {
    return a;
}
SIMT_HD SIMT_ONE operator-(const SIMT_ONE &a) {
    return __hneg(a);
}
SIMT_HD SIMT_TWO operator-(const SIMT_TWO &a) {
    return __hneg2(a);
}
SIMT_HD SIMT_ONE &operator++(SIMT_ONE &a) {
    return a = __hadd(a, SIMT_ONE(1.0f));
}
SIMT_HD SIMT_ONE &operator--(SIMT_ONE &a) {
    return a = __hsub(a, SIMT_ONE(1.0f));
}

/* ---- Functions: those of float, rounded ---- */

#define SIMT_FUNCTION(name, value)                                                                 \
    static __inline__ __device__ SIMT_ONE h##name(SIMT_ONE one) {                                  \
        float a = SIMT_TO(one);                                                                    \
        return SIMT_ONE((float)(value));                                                           \
    }                                                                                              \
    static __inline__ __device__ SIMT_TWO h2##name(SIMT_TWO a) {                                   \
        return SIMT_TWO(h##name(a.x), h##name(a.y));                                               \
    }
SIMT_FUNCTION(sqrt, sqrtf(a))
SIMT_FUNCTION(rsqrt, rsqrtf(a))
SIMT_FUNCTION(rcp, 1 / a)
SIMT_FUNCTION(exp, expf(a))
SIMT_FUNCTION(exp2, exp2f(a))
SIMT_FUNCTION(exp10, exp10f(a))
SIMT_FUNCTION(log, logf(a))
SIMT_FUNCTION(log2, log2f(a))
SIMT_FUNCTION(log10, log10f(a))
SIMT_FUNCTION(sin, sinf(a))
SIMT_FUNCTION(cos, cosf(a))
SIMT_FUNCTION(tanh, tanhf(a))
SIMT_FUNCTION(floor, floorf(a))
SIMT_FUNCTION(ceil, ceilf(a))
SIMT_FUNCTION(trunc, truncf(a))
SIMT_FUNCTION(rint, rintf(a))
#undef SIMT_FUNCTION

/* ---- Between the lanes of a warp, and in memory ---- */

#define SIMT_SHUFFLE(name, type)                                                                   \
    static __inline__ __device__ SIMT_ONE name(unsigned mask, SIMT_ONE a, type lane,               \
                                               int width = 32) {                                   \
        a.__x = (unsigned short)name(mask, (unsigned)a.__x, lane, width);                          \
        return a;                                                                                  \
    }                                                                                              \
    static __inline__ __device__ SIMT_TWO name(unsigned mask, SIMT_TWO a, type lane,               \
                                               int width = 32) {                                   \
        return __builtin_bit_cast(SIMT_TWO,                                                        \
                                  name(mask, __builtin_bit_cast(unsigned, a), lane, width));       \
    }
SIMT_SHUFFLE(__shfl_sync, int)
SIMT_SHUFFLE(__shfl_up_sync, unsigned)
SIMT_SHUFFLE(__shfl_down_sync, unsigned)
SIMT_SHUFFLE(__shfl_xor_sync, int)
#undef SIMT_SHUFFLE

static __inline__ __device__ SIMT_ONE __ldg(const SIMT_ONE *from) {
    SIMT_ONE value;
    value.__x = __ldg((const unsigned short *)from);
    return value;
}
static __inline__ __device__ SIMT_TWO __ldg(const SIMT_TWO *from) {
    return __builtin_bit_cast(SIMT_TWO, __ldg((const unsigned *)from));
}
static __inline__ __device__ SIMT_ONE atomicAdd(SIMT_ONE *to, SIMT_ONE value) {
    asm volatile("atom.add.noftz." SIMT_PTX " %0, [%1], %0;"
                 : "+h"(value.__x)
                 : "l"(to)
                 : "memory");
    return value;
}
static __inline__ __device__ SIMT_TWO atomicAdd(SIMT_TWO *to, SIMT_TWO value) {
    unsigned word = __builtin_bit_cast(unsigned, value);
    asm volatile("atom.add.noftz." SIMT_PTX2 " %0, [%1], %0;" : "+r"(word) : "l"(to) : "memory");
    return __builtin_bit_cast(SIMT_TWO, word);
}

#undef SIMT_HD
#undef SIMT_TO
#undef SIMT_ONE
#undef SIMT_TWO
#undef SIMT_RAW1
#undef SIMT_RAW2
#undef SIMT_NAME
#undef SIMT_PTX
#undef SIMT_PTX2
#undef SIMT_EXPONENT
#undef SIMT_FRACTION
#undef SIMT_WIDEN
#undef SIMT_JOIN
#undef SIMT_FN
