/*
 * device_math.h: the mathematical functions of device code, under the names that clang's headers
 * call them by: __nv_X is NVIDIA's library's name for X. Only what is declared there and defined
 * here exists; common/front/cudac names the others when a program uses them.
 */
#ifndef SIMT_DEVICE_MATH_H
#define SIMT_DEVICE_MATH_H

/* extern "C", as clang's header declares them. */
#define SIMT_NV extern "C" __device__ inline

#include "device_math_bits.h"
#include "device_math_double.h"
#include "device_math_fast.h"
#include "device_math_float.h"
#include "device_math_minmax.h"
#include "device_math_pairs.h"
#include "device_math_parts.h"
#include "device_math_rare.h"

#undef SIMT_NV

#endif
