/*
 * half_types.h: the types that __half and __nv_bfloat16 are, and their conversions, by CUDA's
 * names. It is included once for each, as half_functions.h is after it, with
 *
 *   SIMT_ONE, SIMT_TWO            the type and the vector of two; SIMT_RAW1 and SIMT_RAW2: their
 * bits SIMT_NAME                     what functions call it: half in __float2half SIMT_PTX,
 * SIMT_PTX2           their suffixes in PTX: "f16", "f16x2" SIMT_EXPONENT, SIMT_FRACTION  how many
 * bits SIMT_WIDEN(bits)              a float from bits
 */

#define SIMT_HD static __inline__ __host__ __device__

/* Names made of what SIMT_NAME stands for: SIMT_FN(__float2, half, 2_rn) */
#define SIMT_JOIN(a, b, c) a##b##c
#define SIMT_FN(a, b, c)   SIMT_JOIN(a, b, c)

typedef struct __align__(2) {
    unsigned short x;
}
SIMT_RAW1;
typedef struct __align__(4) {
    unsigned short x, y;
}
SIMT_RAW2;

/* The four roundings of a float to bits. */
#ifdef __CUDA_ARCH__
#define SIMT_ROUND(way, ptx, rounding)                                                             \
    SIMT_HD unsigned short SIMT_FN(simt_, SIMT_NAME, way)(float a) {                               \
        unsigned short bits;                                                                       \
        asm("cvt." ptx "." SIMT_PTX ".f32 %0, %1;" : "=h"(bits) : "f"(a));                         \
        return bits;                                                                               \
    }
#else
#define SIMT_ROUND(way, ptx, rounding)                                                             \
    SIMT_HD unsigned short SIMT_FN(simt_, SIMT_NAME, way)(float a) {                               \
        return (unsigned short)simtNarrow(a, SIMT_EXPONENT, SIMT_FRACTION, rounding);              \
    }
#endif
SIMT_ROUND(_rn, "rn", SIMT_NEAREST)
SIMT_ROUND(_rz, "rz", SIMT_TO_ZERO)
SIMT_ROUND(_ru, "rp", SIMT_UP)
SIMT_ROUND(_rd, "rm", SIMT_DOWN)
#undef SIMT_ROUND

struct __align__(2) SIMT_ONE {
    unsigned short __x;

    SIMT_ONE() = default;
    __host__ __device__ constexpr SIMT_ONE(SIMT_RAW1 raw) : __x(raw.x) {}
    __host__ __device__ SIMT_ONE(float a) : __x(SIMT_FN(simt_, SIMT_NAME, _rn)(a)) {}
    __host__ __device__ SIMT_ONE(double a)
        : __x((unsigned short)simtNarrow(a, SIMT_EXPONENT, SIMT_FRACTION)) {}
    __host__ __device__ SIMT_ONE(short a) : SIMT_ONE((float)a) {}
    __host__ __device__ SIMT_ONE(unsigned short a) : SIMT_ONE((float)a) {}
    __host__ __device__ SIMT_ONE(int a) : SIMT_ONE((double)a) {}
    __host__ __device__ SIMT_ONE(unsigned a) : SIMT_ONE((double)a) {}
    __host__ __device__ SIMT_ONE(long a) : SIMT_ONE((double)a) {}
    __host__ __device__ SIMT_ONE(unsigned long a) : SIMT_ONE((double)a) {}
    __host__ __device__ SIMT_ONE(long long a) : SIMT_ONE((double)a) {}
    __host__ __device__ SIMT_ONE(unsigned long long a) : SIMT_ONE((double)a) {}
    __host__ __device__ operator SIMT_RAW1() const {
        return SIMT_RAW1{__x};
    }
    __host__ __device__ operator float() const {
        return SIMT_WIDEN(__x);
    }
#define SIMT_CONVERSION(type)                                                                      \
    __host__ __device__ explicit operator type() const {                                           \
        return (type)SIMT_WIDEN(__x);                                                              \
    }
    SIMT_CONVERSION(signed char)
    SIMT_CONVERSION(unsigned char)
    SIMT_CONVERSION(short)
    SIMT_CONVERSION(unsigned short)
    SIMT_CONVERSION(int)
    SIMT_CONVERSION(unsigned)
    SIMT_CONVERSION(long long)
    SIMT_CONVERSION(unsigned long long)
#undef SIMT_CONVERSION
    __host__ __device__ explicit operator bool() const {
        return (__x & 0x7FFF) != 0;
    }
};

struct __align__(4) SIMT_TWO {
    SIMT_ONE x, y;

    SIMT_TWO() = default;
    __host__ __device__ constexpr SIMT_TWO(const SIMT_ONE &x, const SIMT_ONE &y) : x(x), y(y) {}
    __host__ __device__ SIMT_TWO(const SIMT_RAW2 &raw) : x(SIMT_RAW1{raw.x}), y(SIMT_RAW1{raw.y}) {}
    __host__ __device__ operator SIMT_RAW2() const {
        return SIMT_RAW2{x.__x, y.__x};
    }
};

SIMT_HD float SIMT_FN(__, SIMT_NAME, 2float)(SIMT_ONE a) {
    return SIMT_WIDEN(a.__x);
}

/* ---- Bits ---- */

SIMT_HD unsigned short SIMT_FN(__, SIMT_NAME, _as_ushort)(SIMT_ONE a) {
    return a.__x;
}
SIMT_HD short SIMT_FN(__, SIMT_NAME, _as_short)(SIMT_ONE a) {
    return (short)a.__x;
}
SIMT_HD SIMT_ONE SIMT_FN(__ushort_as_, SIMT_NAME, )(unsigned short bits) {
    return SIMT_RAW1{bits};
}
SIMT_HD SIMT_ONE SIMT_FN(__short_as_, SIMT_NAME, )(short bits) {
    return SIMT_RAW1{(unsigned short)bits};
}

/* ---- From floats ---- */

#define SIMT_FLOAT(way)                                                                            \
    SIMT_HD SIMT_ONE SIMT_FN(__float2, SIMT_NAME, way)(float a) {                                  \
        return SIMT_RAW1{SIMT_FN(simt_, SIMT_NAME, way)(a)};                                       \
    }
SIMT_FLOAT(_rn)
SIMT_FLOAT(_rz)
SIMT_FLOAT(_ru)
SIMT_FLOAT(_rd)
#undef SIMT_FLOAT
SIMT_HD SIMT_ONE SIMT_FN(__float2, SIMT_NAME, )(float a) {
    return SIMT_ONE(a);
}
SIMT_HD SIMT_ONE SIMT_FN(__double2, SIMT_NAME, )(double a) {
    return SIMT_ONE(a);
}
SIMT_HD SIMT_TWO SIMT_FN(__float2, SIMT_NAME, 2_rn)(float a) {
    return SIMT_TWO(SIMT_ONE(a), SIMT_ONE(a));
}
SIMT_HD SIMT_TWO SIMT_FN(__floats2, SIMT_NAME, 2_rn)(float a, float b) {
    return SIMT_TWO(SIMT_ONE(a), SIMT_ONE(b));
}
SIMT_HD SIMT_TWO SIMT_FN(__float22, SIMT_NAME, 2_rn)(float2 a) {
    return SIMT_TWO(SIMT_ONE(a.x), SIMT_ONE(a.y));
}

/* ---- From integers and to them ---- */

SIMT_HD SIMT_ONE SIMT_FN(simt_, SIMT_NAME, _of)(double a, simtRounding rounding) {
    return SIMT_RAW1{(unsigned short)simtNarrow(a, SIMT_EXPONENT, SIMT_FRACTION, rounding)};
}
#define SIMT_ROUND(name, type, way, rounding, whole)                                               \
    SIMT_HD SIMT_ONE SIMT_FN(__##name##2, SIMT_NAME, way)(type a) {                                \
        return SIMT_FN(simt_, SIMT_NAME, _of)((double)a, rounding);                                \
    }                                                                                              \
    SIMT_HD type SIMT_FN(__, SIMT_NAME, 2##name##way)(SIMT_ONE a) {                                \
        return simtInteger<type>(whole(SIMT_WIDEN(a.__x)));                                        \
    }
#define SIMT_INTEGER(name, type)                                                                   \
    SIMT_ROUND(name, type, _rn, SIMT_NEAREST, __builtin_rintf)                                     \
    SIMT_ROUND(name, type, _rz, SIMT_TO_ZERO, )                                                    \
    SIMT_ROUND(name, type, _ru, SIMT_UP, __builtin_ceilf)                                          \
    SIMT_ROUND(name, type, _rd, SIMT_DOWN, __builtin_floorf)
SIMT_INTEGER(int, int)
SIMT_INTEGER(uint, unsigned)
SIMT_INTEGER(short, short)
SIMT_INTEGER(ushort, unsigned short)
SIMT_INTEGER(ll, long long)
SIMT_INTEGER(ull, unsigned long long)
#undef SIMT_INTEGER
#undef SIMT_ROUND

/* ---- Parts of a vector ---- */

SIMT_HD SIMT_TWO SIMT_FN(make_, SIMT_NAME, 2)(SIMT_ONE x, SIMT_ONE y) {
    return SIMT_TWO(x, y);
}
SIMT_HD SIMT_TWO SIMT_FN(__halves2, SIMT_NAME, 2)(SIMT_ONE x, SIMT_ONE y) {
    return SIMT_TWO(x, y);
}
SIMT_HD SIMT_TWO SIMT_FN(SIMT_FN(__, SIMT_NAME, 2), SIMT_NAME, 2)(SIMT_ONE a) {
    return SIMT_TWO(a, a);
}
SIMT_HD SIMT_ONE SIMT_FN(__low2, SIMT_NAME, )(SIMT_TWO a) {
    return a.x;
}
SIMT_HD SIMT_ONE SIMT_FN(__high2, SIMT_NAME, )(SIMT_TWO a) {
    return a.y;
}
SIMT_HD SIMT_TWO SIMT_FN(__low2, SIMT_NAME, 2)(SIMT_TWO a) {
    return SIMT_TWO(a.x, a.x);
}
SIMT_HD SIMT_TWO SIMT_FN(__high2, SIMT_NAME, 2)(SIMT_TWO a) {
    return SIMT_TWO(a.y, a.y);
}
SIMT_HD SIMT_TWO __lowhigh2highlow(SIMT_TWO a) {
    return SIMT_TWO(a.y, a.x);
}
SIMT_HD SIMT_TWO SIMT_FN(__lows2, SIMT_NAME, 2)(SIMT_TWO a, SIMT_TWO b) {
    return SIMT_TWO(a.x, b.x);
}
SIMT_HD SIMT_TWO SIMT_FN(__highs2, SIMT_NAME, 2)(SIMT_TWO a, SIMT_TWO b) {
    return SIMT_TWO(a.y, b.y);
}
SIMT_HD float __low2float(SIMT_TWO a) {
    return SIMT_WIDEN(a.x.__x);
}
SIMT_HD float __high2float(SIMT_TWO a) {
    return SIMT_WIDEN(a.y.__x);
}
SIMT_HD float2 SIMT_FN(__, SIMT_NAME, 22float2)(SIMT_TWO a) {
    return make_float2(SIMT_WIDEN(a.x.__x), SIMT_WIDEN(a.y.__x));
}

#undef SIMT_HD
