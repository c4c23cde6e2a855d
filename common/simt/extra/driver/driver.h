/*
 * extra/driver/driver.h: the driver API, libcuda.so.1, over the runtime's functions. Both are one
 * library, so they share devices, memory, streams and kernels: a CUstream is a cudaStream_t, a
 * CUfunction a function of the runtime. A context is no more than its device.
 *
 *   driver.c     how a call begins and ends; errors; cuGetProcAddress
 *   context.c    devices and contexts
 *   module.c     modules, libraries, kernels, the linker
 *   memory.c     memory, copies, fills
 *   virtual.c    reserved addresses, and what is mapped there
 *   image.c      arrays, textures, surfaces
 *   launch.c     launches, streams, events, occupancy
 */
#pragma once

#include "simt/api/runtime.h"

/* The functions have their own names here. */
#define SIMT_OWN_DRIVER
#include <cuda.h>

/* What a call needs: nothing, cuInit, a current context. */
enum driver_need { NEEDS_NOTHING, NEEDS_INIT, NEEDS_CONTEXT };

/* Begins a call: until it ends, the runtime's functions that it calls are the driver's. Returns the
 * error of a call that lacks what it needs. */
CUresult driver_begin(const char *name, enum driver_need need);
/* Ends it, with the driver's error for the runtime's. */
CUresult driver_end(cudaError_t error);

/* The body of a function of the driver. */
#define DRIVER_BODY(name, need, call)                                                              \
    {                                                                                              \
        CUresult error_ = driver_begin(name, need);                                                \
        return error_ ? error_ : driver_end((cudaError_t)(call));                                  \
    }

/* DRIVER(name, parameters, call): exports a function that needs a context; DRIVER_INIT and
 * DRIVER_ANY: one that needs less. */
#define DRIVER_FUNCTION(name, parameters, need, call)                                              \
    RT_PUBLIC CUresult name parameters;                                                            \
    CUresult name parameters DRIVER_BODY(#name, need, call)
#define DRIVER(name, parameters, call)      DRIVER_FUNCTION(name, parameters, NEEDS_CONTEXT, call)
#define DRIVER_INIT(name, parameters, call) DRIVER_FUNCTION(name, parameters, NEEDS_INIT, call)
#define DRIVER_ANY(name, parameters, call)  DRIVER_FUNCTION(name, parameters, NEEDS_NOTHING, call)
/* The same and its variant for per-thread default streams: of a function whose parameter `stream`
 * may be NULL; of one that waits, which has the variable `stream`. */
#define DRIVER_STREAM(name, parameters, call)                                                      \
    DRIVER(name, parameters, call)                                                                 \
    RT_PUBLIC CUresult name##_ptsz parameters;                                                     \
    CUresult name##_ptsz parameters {                                                              \
        stream = RT_PER_THREAD(stream);                                                            \
        DRIVER_BODY(#name, NEEDS_CONTEXT, call)                                                    \
    }
#define DRIVER_WAITS(name, parameters, call)                                                       \
    RT_PUBLIC CUresult name parameters;                                                            \
    CUresult name parameters {                                                                     \
        const cudaStream_t stream = cudaStreamLegacy;                                              \
        DRIVER_BODY(#name, NEEDS_CONTEXT, call)                                                    \
    }                                                                                              \
    RT_PUBLIC CUresult name##_ptds parameters;                                                     \
    CUresult name##_ptds parameters {                                                              \
        const cudaStream_t stream = cudaStreamPerThread;                                           \
        DRIVER_BODY(#name, NEEDS_CONTEXT, call)                                                    \
    }

/* The calling thread's context: what it made current, or the primary one that the runtime uses;
 * NULL: none. */
CUcontext driver_context(void);
/* The primary context of a device; of a stream the one of its device. */
CUcontext driver_primary(int device);

/* Bytes of an array's element; 0: no array. */
size_t driver_texel_bytes(CUarray array);

/* A device pointer as the runtime has it. */
static inline void *driver_pointer(CUdeviceptr pointer) {
    return (void *)(uintptr_t)pointer;
}
