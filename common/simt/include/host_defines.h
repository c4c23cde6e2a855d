/* host_defines.h: CUDA's words for where functions and variables live, as clang understands
 * them. */
#ifndef SIMT_HOST_DEFINES_H
#define SIMT_HOST_DEFINES_H

#define CUDART_CB

#if defined(__CUDA__) && defined(__clang__)

#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#define __global__             __attribute__((global))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __forceinline__        __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n)           __attribute__((aligned(n)))

/* Newer clangs have the word themselves. */
#if __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif

/* What clang does without. */
#define __grid_constant__

/* common/front/registers.awk writes these into the PTX. */
#define __maxnreg__(n) __attribute__((annotate("maxnreg", n)))
#define __managed__    __attribute__((device)) __attribute__((annotate("managed")))

/* Around functions of our headers: what the checker finds in them is to have the line where a
 * program calls them. They have none. */
#define SIMT_HEADER_BEGIN                                                                          \
    _Pragma("clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))")
#define SIMT_HEADER_END _Pragma("clang attribute pop")

#else

#define __host__
#define __device__
#define __forceinline__ inline

#endif

#endif
