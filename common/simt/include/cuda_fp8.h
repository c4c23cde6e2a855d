/*
 * cuda_fp8.h: floats of 8 bits (CUDA Math API, "FP8 Conversion and Data Movement").
 *
 *     e4m3: sign 1 | exponent 4 | fraction 3    no infinity; all ones are NaN; at most 448
 *     e5m2: sign 1 | exponent 5 | fraction 2    the upper byte of a half; at most 57344
 */
#ifndef SIMT_CUDA_FP8_H
#define SIMT_CUDA_FP8_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

SIMT_HEADER_BEGIN

#define SIMT_HD static __inline__ __host__ __device__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* ---- From other types, rounded to nearest; saturated: the largest instead of infinity ---- */

/* As a float of 5 exponent bits e4m3 is 2^8 times smaller; the magnitude's bits are the same. */
SIMT_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
    if (x != x) return 0x7F;
    const bool wide = kind == __NV_E5M2, minus = __builtin_signbit(x);
    const unsigned most = wide ? 0x7B : 0x7E, beyond = wide ? 0x7C : 0x7F;
    unsigned bits = simtNarrow(__builtin_fabs(wide ? x : x * 0x1p-8), 5, wide ? 2 : 3);
    if (bits > most) bits = saturate == __NV_SATFINITE ? most : beyond;
    return (__nv_fp8_storage_t)(bits | (unsigned)minus << 7);
}
SIMT_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(x, saturate, kind);
}
SIMT_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                   __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(__half2float(x), saturate, kind);
}
SIMT_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                       __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(__bfloat162float(x), saturate, kind);
}
SIMT_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}
/* The instructions saturate always. */
SIMT_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
#ifdef __CUDA_ARCH__
    if (saturate == __NV_SATFINITE) {
        unsigned short bits;
        if (kind == __NV_E5M2)
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(x.y), "f"(x.x));
        else
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(x.y), "f"(x.x));
        return bits;
    }
#endif
    return __nv_cvt_double2_to_fp8x2(make_double2(x.x, x.y), saturate, kind);
}
SIMT_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float2_to_fp8x2(__half22float2(x), saturate, kind);
}
SIMT_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                            __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(x), saturate, kind);
}

/* ---- To half, which has all their values ---- */

SIMT_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    const unsigned magnitude = x & 0x7Fu;
    const bool nan = kind == __NV_E5M2 ? magnitude > 0x7C : magnitude == 0x7F;
    if (nan) return __half_raw{0x7FFF};
    if (kind == __NV_E5M2) return __half_raw{(unsigned short)(x << 8)};
    float value = simtWiden(magnitude, 5, 3) * 0x1p8f;
    return __float2half(x & 0x80 ? -value : value);
}
SIMT_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                               __nv_fp8_interpretation_t kind) {
    return __half2(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind),
                   __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind));
}

/* ---- One, two and four of them as types ---- */

#define SIMT_FP8(name, kind)                                                                       \
    struct name {                                                                                  \
        __nv_fp8_storage_t __x;                                                                    \
        name() = default;                                                                          \
        __host__ __device__ explicit name(double a)                                                \
            : __x(__nv_cvt_double_to_fp8(a, __NV_SATFINITE, kind)) {}                              \
        __host__ __device__ explicit name(float a) : name((double)a) {}                            \
        __host__ __device__ explicit name(int a) : name((double)a) {}                              \
        __host__ __device__ explicit name(__half a) : name((double)__half2float(a)) {}             \
        __host__ __device__ explicit name(__nv_bfloat16 a) : name((double)__bfloat162float(a)) {}  \
        __host__ __device__ explicit operator __half() const {                                     \
            return __nv_cvt_fp8_to_halfraw(__x, kind);                                             \
        }                                                                                          \
        __host__ __device__ explicit operator float() const {                                      \
            return __half2float(__half(*this));                                                    \
        }                                                                                          \
    };                                                                                             \
    struct __align__(2) name##x2 { /* the first is the lower byte */                               \
        __nv_fp8x2_storage_t __x;                                                                  \
        name##x2() = default;                                                                      \
        __host__ __device__ explicit name##x2(float2 a)                                            \
            : __x(__nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, kind)) {}                            \
        __host__ __device__ explicit name##x2(__half2 a) : name##x2(__half22float2(a)) {}          \
        __host__ __device__ explicit operator __half2() const {                                    \
            return __nv_cvt_fp8x2_to_halfraw2(__x, kind);                                          \
        }                                                                                          \
        __host__ __device__ explicit operator float2() const {                                     \
            return __half22float2(__half2(*this));                                                 \
        }                                                                                          \
    };                                                                                             \
    struct __align__(4) name##x4 {                                                                 \
        __nv_fp8x4_storage_t __x;                                                                  \
        name##x4() = default;                                                                      \
        __host__ __device__ explicit name##x4(float4 a)                                            \
            : __x(name##x2(make_float2(a.x, a.y)).__x |                                            \
                  (unsigned)name##x2(make_float2(a.z, a.w)).__x << 16) {}                          \
        __host__ __device__ explicit operator float4() const {                                     \
            float2 low = __half22float2(                                                           \
                       __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, kind)),               \
                   high = __half22float2(                                                          \
                       __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), kind));       \
            return make_float4(low.x, low.y, high.x, high.y);                                      \
        }                                                                                          \
    };
SIMT_FP8(__nv_fp8_e4m3, __NV_E4M3)
SIMT_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef SIMT_FP8
#undef SIMT_HD

SIMT_HEADER_END

#endif
