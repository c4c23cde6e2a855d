/*
 * cuda_fp16.h: half precision (CUDA Math API, "Half Precision Intrinsics").
 *
 *     sign 1 | exponent 5 | fraction 10
 */
#ifndef SIMT_CUDA_FP16_H
#define SIMT_CUDA_FP16_H

#include "small_floats.h"

SIMT_HEADER_BEGIN

static __inline__ __host__ __device__ float simtWidenHalf(unsigned short bits) {
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#else
    return simtWiden(bits, 5, 10);
#endif
}

#define SIMT_ONE         __half
#define SIMT_TWO         __half2
#define SIMT_RAW1        __half_raw
#define SIMT_RAW2        __half2_raw
#define SIMT_NAME        half
#define SIMT_PTX         "f16"
#define SIMT_PTX2        "f16x2"
#define SIMT_EXPONENT    5
#define SIMT_FRACTION    10
#define SIMT_WIDEN(bits) simtWidenHalf(bits)
#include "half_types.h"

#include "half_functions.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

SIMT_HEADER_END

#endif
