/*
 * api/older/older.c: the functions of CUDA 11's and 12's runtime libraries that differ from CUDA
 * 13's. The rest of the simulator's library is common to all versions. For each older version it is
 * linked again after these functions, and its own functions of these names are called simt13_...
 * (rules.mk). SIMT_CUDA_VERSION is the version: 11080 or 12040.
 */
#include "simt/api/runtime.h"

#include <string.h>

/* ---- Structures that CUDA 13 has changed ---- */

/* cudaDeviceProp of CUDA 12; CUDA 11's is its beginning. */
struct older_properties {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
        computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2],
        maxTexture2DMipmap[2];
    int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3],
        maxTextureCubemap;
    int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2],
        maxSurface2DLayered[3];
    int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
        asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported,
        localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
        hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
        computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
        maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    /* CUDA 11 lacks the following fields. */
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch,
        unifiedFunctionPointers;
    int reserved[63];
};

#define CUDA_11_PROPERTIES offsetof(struct older_properties, hostRegisterSupported) /* bytes */

cudaError_t simt13_cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t simt13_cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *symbol);
cudaError_t simt13_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                            const void *pointer);
cudaError_t simt13_cudaMemPrefetchAsync(const void *pointer, size_t size,
                                        struct cudaMemLocation location, unsigned flags,
                                        cudaStream_t stream);
cudaError_t simt13_cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                                 struct cudaMemLocation location);

/* Copies the fields from first to last, which both structures have in the same order. */
#define SAME_RUN(to, from, first, last)                                                            \
    memcpy(&(to)->first, &(from)->first,                                                           \
           (size_t)((char *)(&(from)->last + 1) - (char *)&(from)->first))

static void older_fill(struct older_properties *to, const struct cudaDeviceProp *from) {
    memset(to, 0, sizeof *to);
    SAME_RUN(to, from, name, maxGridSize);
    SAME_RUN(to, from, totalConstMem, texturePitchAlignment);
    to->multiProcessorCount = from->multiProcessorCount;
    SAME_RUN(to, from, integrated, canMapHostMemory);
    SAME_RUN(to, from, maxTexture1D, maxTexture1DMipmap);
    SAME_RUN(to, from, maxTexture2D, maxSurfaceCubemapLayered);
    SAME_RUN(to, from, surfaceAlignment, unifiedAddressing);
    SAME_RUN(to, from, memoryBusWidth, localL1CacheSupported);
    SAME_RUN(to, from, sharedMemPerMultiprocessor, hostNativeAtomicSupported);
    SAME_RUN(to, from, pageableMemoryAccess, cooperativeLaunch);
    SAME_RUN(to, from, sharedMemPerBlockOptin, accessPolicyMaxWindowSize);
    SAME_RUN(to, from, reservedSharedMemPerBlock, unifiedFunctionPointers);
}

/* Fills the fields that CUDA 13's structure has lost. */
static void fill_attributes(struct older_properties *to, int device) {
    cudaDeviceGetAttribute(&to->clockRate, cudaDevAttrClockRate, device);
    cudaDeviceGetAttribute(&to->memoryClockRate, cudaDevAttrMemoryClockRate, device);
    cudaDeviceGetAttribute(&to->deviceOverlap, cudaDevAttrGpuOverlap, device);
    cudaDeviceGetAttribute(&to->maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth, device);
    cudaDeviceGetAttribute(&to->singleToDoublePrecisionPerfRatio,
                           cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
}

/* Fills as many bytes as the program's structure has. */
static cudaError_t older_get_properties(void *properties, size_t bytes, int device) {
    struct cudaDeviceProp now;
    struct older_properties then;
    cudaError_t error = simt13_cudaGetDeviceProperties(properties ? &now : NULL, device);
    if (error) return error;
    older_fill(&then, &now);
    fill_attributes(&then, device);
    memcpy(properties, &then, bytes);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    return older_get_properties(properties, CUDA_11_PROPERTIES, device);
}

/* CUDA 12's headers call cudaGetDeviceProperties so. */
RT_PUBLIC cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *properties, int device);
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *properties, int device) {
    return older_get_properties(properties, sizeof(struct older_properties), device);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *symbol) {
    const size_t bytes = SIMT_CUDA_VERSION < 12000
                             ? offsetof(struct cudaFuncAttributes, clusterDimMustBeSet)
                             : sizeof(struct cudaFuncAttributes);
    struct cudaFuncAttributes now;
    cudaError_t error = simt13_cudaFuncGetAttributes(attributes ? &now : NULL, symbol);
    if (!error) memcpy(attributes, &now, bytes);
    return error;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    struct cudaPointerAttributes now;
    cudaError_t error = simt13_cudaPointerGetAttributes(attributes ? &now : NULL, pointer);
    if (!error) memcpy(attributes, &now, offsetof(struct cudaPointerAttributes, reserved));
    return error;
}

/* ---- Functions whose parameters CUDA 13 has changed ---- */

/* The older functions name a place by a device's number, or -1 for the host. */
static struct cudaMemLocation older_place(int device) {
    struct cudaMemLocation location = {cudaMemLocationTypeDevice, device};
    if (device == cudaCpuDeviceId) location = (struct cudaMemLocation){cudaMemLocationTypeHost, 0};
    return location;
}

#define OLDER_NAME(name)                                                                           \
    __asm__(name) /* the symbol's name: the header declares other parameters                       \
                   */

RT_PUBLIC cudaError_t prefetch(const void *pointer, size_t size, int device, cudaStream_t stream)
    OLDER_NAME("cudaMemPrefetchAsync");
cudaError_t prefetch(const void *pointer, size_t size, int device, cudaStream_t stream) {
    return simt13_cudaMemPrefetchAsync(pointer, size, older_place(device), 0, stream);
}

RT_PUBLIC cudaError_t advise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                             int device) OLDER_NAME("cudaMemAdvise");
cudaError_t advise(const void *pointer, size_t size, enum cudaMemoryAdvise advice, int device) {
    return simt13_cudaMemAdvise(pointer, size, advice, older_place(device));
}

/* ---- The version ---- */

int rt_cuda_version = SIMT_CUDA_VERSION;
