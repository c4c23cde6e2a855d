/* device_math_bits.h: integers, conversions, rounding to whole numbers, and arithmetic with the
 * rounding named. */

SIMT_NV int __nv_abs(int a) {
    return a < 0 ? -a : a;
}
SIMT_NV long long __nv_llabs(long long a) {
    return a < 0 ? -a : a;
}
SIMT_NV unsigned __nv_brev(unsigned a) {
    return __builtin_bitreverse32(a);
}
SIMT_NV unsigned long long __nv_brevll(unsigned long long a) {
    return __builtin_bitreverse64(a);
}
SIMT_NV unsigned __nv_byte_perm(unsigned a, unsigned b, unsigned selector) {
    return __nvvm_prmt(a, b, selector);
}
SIMT_NV int __nv_clz(int a) {
    return a ? __builtin_clz(a) : 32;
}
SIMT_NV int __nv_clzll(long long a) {
    return a ? __builtin_clzll(a) : 64;
}
SIMT_NV int __nv_ffs(int a) {
    return __builtin_ffs(a);
}
SIMT_NV int __nv_ffsll(long long a) {
    return __builtin_ffsll(a);
}
SIMT_NV int __nv_popc(unsigned a) {
    return __builtin_popcount(a);
}
SIMT_NV int __nv_popcll(unsigned long long a) {
    return __builtin_popcountll(a);
}
SIMT_NV int __nv_mul24(int a, int b) {
    return (a << 8 >> 8) * (b << 8 >> 8);
}
SIMT_NV unsigned __nv_umul24(unsigned a, unsigned b) {
    return (a & 0xFFFFFFu) * (b & 0xFFFFFFu);
}
SIMT_NV int __nv_mulhi(int a, int b) {
    return (int)((long long)a * b >> 32);
}
SIMT_NV unsigned __nv_umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
SIMT_NV long long __nv_mul64hi(long long a, long long b) {
    return (long long)((__int128)a * b >> 64);
}
SIMT_NV unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
SIMT_NV unsigned __nv_sad(int a, int b, unsigned c) {
    return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
SIMT_NV unsigned __nv_usad(unsigned a, unsigned b, unsigned c) {
    return c + (a < b ? b - a : a - b);
}
SIMT_NV int __nv_hadd(int a, int b) {
    return (int)(((long long)a + b) >> 1);
}
SIMT_NV int __nv_rhadd(int a, int b) {
    return (int)(((long long)a + b + 1) >> 1);
}
SIMT_NV int __nv_uhadd(unsigned a, unsigned b) {
    return (int)(((unsigned long long)a + b) >> 1);
}
SIMT_NV unsigned __nv_urhadd(unsigned a, unsigned b) {
    return (int)(((unsigned long long)a + b + 1) >> 1);
}

/* ---- The same bits as another type ---- */

SIMT_NV int __nv_float_as_int(float a) {
    return __builtin_bit_cast(int, a);
}
SIMT_NV unsigned __nv_float_as_uint(float a) {
    return __builtin_bit_cast(unsigned, a);
}
SIMT_NV float __nv_int_as_float(int a) {
    return __builtin_bit_cast(float, a);
}
SIMT_NV float __nv_uint_as_float(unsigned a) {
    return __builtin_bit_cast(float, a);
}
SIMT_NV unsigned long long __nv_double_as_longlong(double a) {
    return __builtin_bit_cast(unsigned long long, a);
}
SIMT_NV double __nv_longlong_as_double(long long a) {
    return __builtin_bit_cast(double, a);
}
SIMT_NV int __nv_double2hiint(double a) {
    return (int)(__nv_double_as_longlong(a) >> 32);
}
SIMT_NV int __nv_double2loint(double a) {
    return (int)__nv_double_as_longlong(a);
}
SIMT_NV double __nv_hiloint2double(int high, int low) {
    return __nv_longlong_as_double(
        (long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

/* ---- Signs, whole numbers, remainders ---- */

/* NAME for double and NAMEf for float, both by the compiler's built-in function of that name. */
#define SIMT_BUILTIN1(name)                                                                        \
    SIMT_NV double __nv_##name(double a) {                                                         \
        return __builtin_##name(a);                                                                \
    }                                                                                              \
    SIMT_NV float __nv_##name##f(float a) {                                                        \
        return __builtin_##name##f(a);                                                             \
    }
#define SIMT_BUILTIN2(name)                                                                        \
    SIMT_NV double __nv_##name(double a, double b) {                                               \
        return __builtin_##name(a, b);                                                             \
    }                                                                                              \
    SIMT_NV float __nv_##name##f(float a, float b) {                                               \
        return __builtin_##name##f(a, b);                                                          \
    }

SIMT_BUILTIN1(fabs)
SIMT_BUILTIN1(floor)
SIMT_BUILTIN1(ceil)
SIMT_BUILTIN1(trunc)
SIMT_BUILTIN1(rint)
SIMT_BUILTIN1(nearbyint)
SIMT_BUILTIN2(copysign)
SIMT_BUILTIN2(fmin)
SIMT_BUILTIN2(fmax)
#undef SIMT_BUILTIN1
#undef SIMT_BUILTIN2

SIMT_NV double __nv_fma(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
SIMT_NV float __nv_fmaf(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
SIMT_NV double __nv_fdim(double a, double b) {
    return a <= b ? 0 : a - b;
}
SIMT_NV float __nv_fdimf(float a, float b) {
    return a <= b ? 0 : a - b;
}
/* Halves away from zero. */
SIMT_NV double __nv_round(double a) {
    double whole = __builtin_trunc(a);
    return __builtin_fabs(a - whole) >= 0.5 ? whole + __builtin_copysign(1.0, a)
                                            : __builtin_copysign(whole, a);
}
SIMT_NV float __nv_roundf(float a) {
    float whole = __builtin_truncf(a);
    return __builtin_fabsf(a - whole) >= 0.5f ? whole + __builtin_copysignf(1.0f, a)
                                              : __builtin_copysignf(whole, a);
}

#define SIMT_IS(name, test)                                                                        \
    SIMT_NV int __nv_##name##d(double a) {                                                         \
        return test;                                                                               \
    }                                                                                              \
    SIMT_NV int __nv_##name##f(float a) {                                                          \
        return test;                                                                               \
    }
SIMT_IS(isinf, __builtin_isinf(a) != 0)
SIMT_IS(isnan, a != a)
#undef SIMT_IS
SIMT_NV int __nv_finitef(float a) {
    return __builtin_isfinite(a);
}
SIMT_NV int __nv_isfinited(double a) {
    return __builtin_isfinite(a);
}
SIMT_NV int __nv_signbitf(float a) {
    return __nv_float_as_int(a) < 0;
}
SIMT_NV int __nv_signbitd(double a) {
    return (long long)__nv_double_as_longlong(a) < 0;
}

/* ---- Arithmetic and conversions in the four roundings: to nearest, to zero, down, up ---- */

/* A rounded operation of floats, which flushes subnormals with -ftz=true. */
#ifdef SIMT_FTZ
#define SIMT_NVVM(operation, rounding) __nvvm_##operation##_##rounding##_ftz_f
#else
#define SIMT_NVVM(operation, rounding) __nvvm_##operation##_##rounding##_f
#endif

#define SIMT_ARITHMETIC(nv, nvvm)                                                                  \
    SIMT_NV float __nv_fadd_##nv(float a, float b) {                                               \
        return SIMT_NVVM(add, nvvm)(a, b);                                                         \
    }                                                                                              \
    SIMT_NV float __nv_fsub_##nv(float a, float b) {                                               \
        return SIMT_NVVM(add, nvvm)(a, -b);                                                        \
    }                                                                                              \
    SIMT_NV float __nv_fmul_##nv(float a, float b) {                                               \
        return SIMT_NVVM(mul, nvvm)(a, b);                                                         \
    }                                                                                              \
    SIMT_NV float __nv_fdiv_##nv(float a, float b) {                                               \
        return SIMT_NVVM(div, nvvm)(a, b);                                                         \
    }                                                                                              \
    SIMT_NV float __nv_fmaf_##nv(float a, float b, float c) {                                      \
        return SIMT_NVVM(fma, nvvm)(a, b, c);                                                      \
    }                                                                                              \
    SIMT_NV float __nv_frcp_##nv(float a) {                                                        \
        return SIMT_NVVM(rcp, nvvm)(a);                                                            \
    }                                                                                              \
    SIMT_NV float __nv_fsqrt_##nv(float a) {                                                       \
        return SIMT_NVVM(sqrt, nvvm)(a);                                                           \
    }                                                                                              \
    SIMT_NV double __nv_dadd_##nv(double a, double b) {                                            \
        return __nvvm_add_##nvvm##_d(a, b);                                                        \
    }                                                                                              \
    SIMT_NV double __nv_dsub_##nv(double a, double b) {                                            \
        return __nvvm_add_##nvvm##_d(a, -b);                                                       \
    }                                                                                              \
    SIMT_NV double __nv_dmul_##nv(double a, double b) {                                            \
        return __nvvm_mul_##nvvm##_d(a, b);                                                        \
    }                                                                                              \
    SIMT_NV double __nv_ddiv_##nv(double a, double b) {                                            \
        return __nvvm_div_##nvvm##_d(a, b);                                                        \
    }                                                                                              \
    SIMT_NV double __nv_fma_##nv(double a, double b, double c) {                                   \
        return __nvvm_fma_##nvvm##_d(a, b, c);                                                     \
    }                                                                                              \
    SIMT_NV double __nv_drcp_##nv(double a) {                                                      \
        return __nvvm_rcp_##nvvm##_d(a);                                                           \
    }                                                                                              \
    SIMT_NV double __nv_dsqrt_##nv(double a) {                                                     \
        return __nvvm_sqrt_##nvvm##_d(a);                                                          \
    }                                                                                              \
    SIMT_NV int __nv_float2int_##nv(float a) {                                                     \
        return __nvvm_f2i_##nvvm(a);                                                               \
    }                                                                                              \
    SIMT_NV unsigned __nv_float2uint_##nv(float a) {                                               \
        return __nvvm_f2ui_##nvvm(a);                                                              \
    }                                                                                              \
    SIMT_NV long long __nv_float2ll_##nv(float a) {                                                \
        return __nvvm_f2ll_##nvvm(a);                                                              \
    }                                                                                              \
    SIMT_NV unsigned long long __nv_float2ull_##nv(float a) {                                      \
        return __nvvm_f2ull_##nvvm(a);                                                             \
    }                                                                                              \
    SIMT_NV int __nv_double2int_##nv(double a) {                                                   \
        return __nvvm_d2i_##nvvm(a);                                                               \
    }                                                                                              \
    SIMT_NV unsigned __nv_double2uint_##nv(double a) {                                             \
        return __nvvm_d2ui_##nvvm(a);                                                              \
    }                                                                                              \
    SIMT_NV long long __nv_double2ll_##nv(double a) {                                              \
        return __nvvm_d2ll_##nvvm(a);                                                              \
    }                                                                                              \
    SIMT_NV unsigned long long __nv_double2ull_##nv(double a) {                                    \
        return __nvvm_d2ull_##nvvm(a);                                                             \
    }                                                                                              \
    SIMT_NV float __nv_double2float_##nv(double a) {                                               \
        return __nvvm_d2f_##nvvm(a);                                                               \
    }
SIMT_ARITHMETIC(rn, rn)
SIMT_ARITHMETIC(rz, rz)
SIMT_ARITHMETIC(rd, rm)
SIMT_ARITHMETIC(ru, rp)
#undef SIMT_ARITHMETIC

/* Whole numbers to floating point, in assembly: clang's optimiser takes rounding to zero for
 * rounding to nearest. */
#define SIMT_TO_FLOAT(name, type, letter, from, result, out, to)                                   \
    SIMT_NV result __nv_##name##_rn(type a) {                                                      \
        return (result)a;                                                                          \
    }                                                                                              \
    SIMT_TO_FLOAT_IN(name##_rz, type, letter, from, result, out, to, "rz")                         \
    SIMT_TO_FLOAT_IN(name##_rd, type, letter, from, result, out, to, "rm")                         \
    SIMT_TO_FLOAT_IN(name##_ru, type, letter, from, result, out, to, "rp")
#define SIMT_TO_FLOAT_IN(name, type, letter, from, result, out, to, rounding)                      \
    SIMT_NV result __nv_##name(type a) {                                                           \
        result value;                                                                              \
        asm("cvt." rounding "." to "." from " %0, %1;" : "=" out(value) : letter(a));              \
        return value;                                                                              \
    }
SIMT_TO_FLOAT(int2float, int, "r", "s32", float, "f", "f32")
SIMT_TO_FLOAT(uint2float, unsigned, "r", "u32", float, "f", "f32")
SIMT_TO_FLOAT(ll2float, long long, "l", "s64", float, "f", "f32")
SIMT_TO_FLOAT(ull2float, unsigned long long, "l", "u64", float, "f", "f32")
SIMT_TO_FLOAT(ll2double, long long, "l", "s64", double, "d", "f64")
SIMT_TO_FLOAT(ull2double, unsigned long long, "l", "u64", double, "d", "f64")
#undef SIMT_TO_FLOAT
#undef SIMT_TO_FLOAT_IN

SIMT_NV double __nv_int2double_rn(int a) {
    return a;
}
SIMT_NV double __nv_uint2double_rn(unsigned a) {
    return a;
}
SIMT_NV float __nv_saturatef(float a) {
    return __nvvm_saturate_f(a);
}

SIMT_NV double __nv_sqrt(double a) {
    return __nvvm_sqrt_rn_d(a);
}
SIMT_NV float __nv_sqrtf(float a) {
    return SIMT_NVVM(sqrt, rn)(a);
}

#undef SIMT_NVVM
