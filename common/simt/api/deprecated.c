/* api/deprecated.c: functions that the toolkit has dropped but programs still call. */
#include "runtime.h"

#define OLD(type, name, parameters, call)                                                          \
    RT_PUBLIC type name parameters;                                                                \
    type name parameters {                                                                         \
        return call;                                                                               \
    }

OLD(cudaError_t, cudaThreadSynchronize, (void), cudaDeviceSynchronize())
OLD(cudaError_t, cudaThreadExit, (void), cudaDeviceReset())
OLD(cudaError_t, cudaThreadSetLimit, (enum cudaLimit limit, size_t value),
    cudaDeviceSetLimit(limit, value))
OLD(cudaError_t, cudaThreadGetLimit, (size_t * value, enum cudaLimit limit),
    cudaDeviceGetLimit(value, limit))
OLD(cudaError_t, cudaThreadSetCacheConfig, (enum cudaFuncCache cache),
    cudaDeviceSetCacheConfig(cache))
OLD(cudaError_t, cudaThreadGetCacheConfig, (enum cudaFuncCache * cache),
    cudaDeviceGetCacheConfig(cache))
OLD(cudaError_t, cudaGetDeviceProperties_v2, (struct cudaDeviceProp * prop, int device),
    cudaGetDeviceProperties(prop, device))
OLD(cudaError_t, cudaEventElapsedTime_v2, (float *ms, cudaEvent_t from, cudaEvent_t to),
    cudaEventElapsedTime(ms, from, to))
