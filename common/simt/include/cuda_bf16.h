/*
 * cuda_bf16.h: bfloat16, the upper half of a float (CUDA Math API, "Bfloat16 Precision
 * Intrinsics"). The simulator has its instructions on all GPUs; nvcc computes in float before
 * compute capability 9.0, with the same results.
 *
 *     sign 1 | exponent 8 | fraction 7
 */
#ifndef SIMT_CUDA_BF16_H
#define SIMT_CUDA_BF16_H

#include "small_floats.h"

SIMT_HEADER_BEGIN

#define SIMT_ONE         __nv_bfloat16
#define SIMT_TWO         __nv_bfloat162
#define SIMT_RAW1        __nv_bfloat16_raw
#define SIMT_RAW2        __nv_bfloat162_raw
#define SIMT_NAME        bfloat16
#define SIMT_PTX         "bf16"
#define SIMT_PTX2        "bf16x2"
#define SIMT_EXPONENT    8
#define SIMT_FRACTION    7
#define SIMT_WIDEN(bits) simtWiden(bits, 8, 7)
#include "half_types.h"

#include "half_functions.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

SIMT_HEADER_END

#endif
