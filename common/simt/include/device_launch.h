/*
 * device_launch.h: kernels that launch kernels. clang has no <<<>>> in device code:
 * build/bin/launches writes such a launch as simtLaunch<kernel>(grid, block, ...)(arguments), which
 * does here what nvcc generates: a buffer for the arguments, the arguments, and the launch.
 */
#ifndef SIMT_DEVICE_LAUNCH_H
#define SIMT_DEVICE_LAUNCH_H

#include "cuda_runtime_api.h"

extern "C" {
__device__ void *__cudaCDP2GetParameterBufferV2(void *kernel, dim3 grid, dim3 block,
                                                unsigned dynamic);
__device__ cudaError_t __cudaCDP2LaunchDeviceV2(void *buffer, cudaStream_t stream);
}

/* A launch that still lacks its arguments. The kernel takes parameters of types P. */
template <class... P> struct simtNestedLaunch {
    void *kernel;
    dim3 grid, block;
    unsigned dynamic;
    cudaStream_t stream;

    __device__ void operator()(P... arguments) const {
        char *buffer = (char *)__cudaCDP2GetParameterBufferV2(kernel, grid, block, dynamic);
        if (buffer == nullptr) return; /* refused: cudaGetLastError says why */
        size_t used = 0;
        (place(buffer, &used, arguments), ...);
        __cudaCDP2LaunchDeviceV2(buffer, stream);
    }

  private:
    /* Each argument lies at the next multiple of its alignment. */
    template <class T> static __device__ void place(char *buffer, size_t *used, const T &argument) {
        size_t at = (*used + alignof(T) - 1) / alignof(T) * alignof(T);
        *(T *)(buffer + at) = argument;
        *used = at + sizeof(T);
    }
};

/* The address of a kernel is a constant; a function of the device may not name the kernel
 * otherwise. */
template <auto kernel> struct simtKernel;
template <class... P, void (*kernel)(P...)> struct simtKernel<kernel> {
    static constexpr void (*address)(P...) = kernel;
    typedef simtNestedLaunch<P...> Launch;
};

template <auto kernel>
__device__ typename simtKernel<kernel>::Launch simtLaunch(dim3 grid, dim3 block, size_t dynamic = 0,
                                                          cudaStream_t stream = 0) {
    return {(void *)simtKernel<kernel>::address, grid, block, (unsigned)dynamic, stream};
}

/* ---- The part of the runtime API that device code has ---- */

extern "C" {
#define SIMT_DEVICE_CALL(name, parameters, arguments)                                              \
    __device__ cudaError_t __cudaCDP2##name parameters;                                            \
    __device__ static inline cudaError_t cuda##name parameters {                                   \
        return __cudaCDP2##name arguments;                                                         \
    }

#ifdef CUDA_FORCE_CDP1_IF_SUPPORTED /* nvcc has it on this request, for compute capabilities       \
                                       below 9.0 */
SIMT_DEVICE_CALL(DeviceSynchronize, (void), ())
#endif
SIMT_DEVICE_CALL(GetLastError, (void), ())
SIMT_DEVICE_CALL(PeekAtLastError, (void), ())
SIMT_DEVICE_CALL(GetDevice, (int *device), (device))
SIMT_DEVICE_CALL(GetDeviceCount, (int *count), (count))
SIMT_DEVICE_CALL(DeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
                 (value, attribute, device))
SIMT_DEVICE_CALL(DeviceGetLimit, (size_t * value, enum cudaLimit limit), (value, limit))
SIMT_DEVICE_CALL(StreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
SIMT_DEVICE_CALL(StreamDestroy, (cudaStream_t stream), (stream))
SIMT_DEVICE_CALL(StreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                 (stream, event, flags))
SIMT_DEVICE_CALL(EventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
SIMT_DEVICE_CALL(EventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
SIMT_DEVICE_CALL(EventDestroy, (cudaEvent_t event), (event))
SIMT_DEVICE_CALL(MemcpyAsync,
                 (void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                  cudaStream_t stream),
                 (to, from, size, kind, stream))
SIMT_DEVICE_CALL(MemsetAsync, (void *pointer, int value, size_t size, cudaStream_t stream),
                 (pointer, value, size, stream))
SIMT_DEVICE_CALL(Malloc, (void **pointer, size_t size), (pointer, size))
SIMT_DEVICE_CALL(Free, (void *pointer), (pointer))
#undef SIMT_DEVICE_CALL
}

#endif
