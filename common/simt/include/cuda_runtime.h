/*
 * cuda_runtime.h: CUDA C++ for clang where there is no CUDA toolkit: what nvcc takes from NVIDIA's
 * header of this name.
 *
 * Built-in variables, shuffles, votes and the like are in headers that clang itself brings; they
 * call mathematical functions by the names of NVIDIA's library (__nv_sinf), which device_math.h has
 * in our own version. The order of the includes matters: clang's headers want theirs.
 */
#ifndef SIMT_CUDA_RUNTIME_H
#define SIMT_CUDA_RUNTIME_H

#if !defined(__CUDA__) || !defined(__clang__)
#error "this cuda_runtime.h is for clang -x cuda: common/front/cudac calls it so"
#endif

#include <__clang_cuda_math_forward_declares.h>

/* libstdc++ keeps to what device code can have when it sees nvcc's mark. */
#define __CUDACC__
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <math.h>
#include <new>
#include <utility>

#include "host_defines.h"

SIMT_HEADER_BEGIN

/* programs have PTX alone: what ptxas would say, such as registers, is estimated */
#define SIMT_NO_MACHINE_CODE 1
#define CUDA_VERSION         11000 /* what clang's headers offer */
typedef unsigned int cuuint32_t;

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "per_thread.h"
#endif

#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

/* clang calls this for <<<>>>. */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
extern "C" unsigned simtPushLaunch(dim3 grid, dim3 block, size_t dynamic,
                                   void *stream) __asm__("__cudaPushCallConfiguration");
static inline unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic = 0,
                                                   void *stream = 0) {
    return simtPushLaunch(grid, block, dynamic, stream ? stream : cudaStreamPerThread);
}
#else
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic = 0,
                                                void *stream = 0);
#endif

#include <__clang_cuda_builtin_vars.h>

#include <__clang_cuda_libdevice_declares.h>

#include "device_calls.h"
#include "device_math.h"

#include <__clang_cuda_device_functions.h>

#include <__clang_cuda_math.h>

#include <__clang_cuda_cmath.h>

#include "device_spaces.h"

/* Newer clangs' headers have functions for newer GPUs, which clang does not compile for 7.5. */
#pragma push_macro("__CUDA_ARCH__")
#ifdef __CUDA_ARCH__
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 750
#endif
#include <__clang_cuda_intrinsics.h>
#pragma pop_macro("__CUDA_ARCH__")

#include "device_atomics.h"
#include "device_cache.h"
#include "device_dpx.h"
#include "device_math_overloads.h"
#include "device_repairs.h"
#include "texel_types.h"

#include "device_textures.h"

#include "device_surfaces.h"
#include "device_variables.h"
#include "device_warp.h"
#include "host_templates.h"

#ifdef SIMT_NESTED
#include "device_launch.h"
#endif

SIMT_HEADER_END

#endif
