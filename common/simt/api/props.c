/*
 * api/props.c: cudaDeviceProp and cudaDeviceAttr. One list gives each attribute once; the
 * structure's fields come from it.
 *
 * Figures that differ between GPUs come from gpus.tsv. The others are the same on every GPU of
 * compute capability 6 to 9 (CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability"), or describe the simulator.
 */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

#define KHZ_PER_MHZ    1000
#define CONSTANT_BYTES 65536
#define MAX_PITCH      0x7fffffff
#define WINDOW_BYTES   (128 << 20) /* of an access policy, on an H200 */

/* ATTRIBUTE(name after cudaDevAttr, value); g is the GPU, device its number. */
#define ATTRIBUTES(ATTRIBUTE)                                                                      \
    ATTRIBUTE(MaxThreadsPerBlock, MAX_THREADS_PER_BLOCK)                                           \
    ATTRIBUTE(MaxBlockDimX, 1024)                                                                  \
    ATTRIBUTE(MaxBlockDimY, 1024)                                                                  \
    ATTRIBUTE(MaxBlockDimZ, 64)                                                                    \
    ATTRIBUTE(MaxGridDimX, 0x7fffffff)                                                             \
    ATTRIBUTE(MaxGridDimY, 65535)                                                                  \
    ATTRIBUTE(MaxGridDimZ, 65535)                                                                  \
    ATTRIBUTE(MaxSharedMemoryPerBlock, g->shared_per_block)                                        \
    ATTRIBUTE(TotalConstantMemory, CONSTANT_BYTES)                                                 \
    ATTRIBUTE(WarpSize, WARP_SIZE)                                                                 \
    ATTRIBUTE(MaxPitch, MAX_PITCH)                                                                 \
    ATTRIBUTE(MaxRegistersPerBlock, g->registers_per_block)                                        \
    ATTRIBUTE(ClockRate, (g->boost_mhz ? g->boost_mhz : g->clock_mhz) * KHZ_PER_MHZ)               \
    ATTRIBUTE(TextureAlignment, 512)                                                               \
    ATTRIBUTE(GpuOverlap, 1)                                                                       \
    ATTRIBUTE(MultiProcessorCount, g->sms)                                                         \
    ATTRIBUTE(KernelExecTimeout, 0)                                                                \
    ATTRIBUTE(Integrated, 0)                                                                       \
    ATTRIBUTE(CanMapHostMemory, 1)                                                                 \
    ATTRIBUTE(ComputeMode, cudaComputeModeDefault)                                                 \
    ATTRIBUTE(MaxTexture1DWidth, 131072)                                                           \
    ATTRIBUTE(MaxTexture2DWidth, 131072)                                                           \
    ATTRIBUTE(MaxTexture2DHeight, 65536)                                                           \
    ATTRIBUTE(MaxTexture3DWidth, 16384)                                                            \
    ATTRIBUTE(MaxTexture3DHeight, 16384)                                                           \
    ATTRIBUTE(MaxTexture3DDepth, 16384)                                                            \
    ATTRIBUTE(MaxTexture2DLayeredWidth, 32768)                                                     \
    ATTRIBUTE(MaxTexture2DLayeredHeight, 32768)                                                    \
    ATTRIBUTE(MaxTexture2DLayeredLayers, 2048)                                                     \
    ATTRIBUTE(SurfaceAlignment, 512)                                                               \
    ATTRIBUTE(ConcurrentKernels, 1)                                                                \
    ATTRIBUTE(EccEnabled, g->ecc)                                                                  \
    ATTRIBUTE(PciBusId, rt_pci_bus(device))                                                        \
    ATTRIBUTE(PciDeviceId, 0)                                                                      \
    ATTRIBUTE(TccDriver, 0)                                                                        \
    ATTRIBUTE(MemoryClockRate, g->memory_clock_mhz *KHZ_PER_MHZ)                                   \
    ATTRIBUTE(GlobalMemoryBusWidth, g->memory_bus_bits)                                            \
    ATTRIBUTE(L2CacheSize, g->l2_bytes)                                                            \
    ATTRIBUTE(MaxThreadsPerMultiProcessor, g->threads_per_sm)                                      \
    ATTRIBUTE(AsyncEngineCount, g->async_engines)                                                  \
    ATTRIBUTE(UnifiedAddressing, 1)                                                                \
    ATTRIBUTE(MaxTexture1DLayeredWidth, 32768)                                                     \
    ATTRIBUTE(MaxTexture1DLayeredLayers, 2048)                                                     \
    ATTRIBUTE(MaxTexture2DGatherWidth, 32768)                                                      \
    ATTRIBUTE(MaxTexture2DGatherHeight, 32768)                                                     \
    ATTRIBUTE(MaxTexture3DWidthAlt, 8192)                                                          \
    ATTRIBUTE(MaxTexture3DHeightAlt, 8192)                                                         \
    ATTRIBUTE(MaxTexture3DDepthAlt, 32768)                                                         \
    ATTRIBUTE(PciDomainId, 0)                                                                      \
    ATTRIBUTE(TexturePitchAlignment, 32)                                                           \
    ATTRIBUTE(MaxTextureCubemapWidth, 32768)                                                       \
    ATTRIBUTE(MaxTextureCubemapLayeredWidth, 32768)                                                \
    ATTRIBUTE(MaxTextureCubemapLayeredLayers, 2046)                                                \
    ATTRIBUTE(MaxSurface1DWidth, 32768)                                                            \
    ATTRIBUTE(MaxSurface2DWidth, 131072)                                                           \
    ATTRIBUTE(MaxSurface2DHeight, 65536)                                                           \
    ATTRIBUTE(MaxSurface3DWidth, 16384)                                                            \
    ATTRIBUTE(MaxSurface3DHeight, 16384)                                                           \
    ATTRIBUTE(MaxSurface3DDepth, 16384)                                                            \
    ATTRIBUTE(MaxSurface1DLayeredWidth, 32768)                                                     \
    ATTRIBUTE(MaxSurface1DLayeredLayers, 2048)                                                     \
    ATTRIBUTE(MaxSurface2DLayeredWidth, 32768)                                                     \
    ATTRIBUTE(MaxSurface2DLayeredHeight, 32768)                                                    \
    ATTRIBUTE(MaxSurface2DLayeredLayers, 2048)                                                     \
    ATTRIBUTE(MaxSurfaceCubemapWidth, 32768)                                                       \
    ATTRIBUTE(MaxSurfaceCubemapLayeredWidth, 32768)                                                \
    ATTRIBUTE(MaxSurfaceCubemapLayeredLayers, 2046)                                                \
    ATTRIBUTE(MaxTexture1DLinearWidth, 268435456)                                                  \
    ATTRIBUTE(MaxTexture2DLinearWidth, 131072)                                                     \
    ATTRIBUTE(MaxTexture2DLinearHeight, 65000)                                                     \
    ATTRIBUTE(MaxTexture2DLinearPitch, 2097120)                                                    \
    ATTRIBUTE(MaxTexture2DMipmappedWidth, 32768)                                                   \
    ATTRIBUTE(MaxTexture2DMipmappedHeight, 32768)                                                  \
    ATTRIBUTE(ComputeCapabilityMajor, g->cc_major)                                                 \
    ATTRIBUTE(ComputeCapabilityMinor, g->cc_minor)                                                 \
    ATTRIBUTE(MaxTexture1DMipmappedWidth, 32768)                                                   \
    ATTRIBUTE(StreamPrioritiesSupported, 1)                                                        \
    ATTRIBUTE(GlobalL1CacheSupported, 1)                                                           \
    ATTRIBUTE(LocalL1CacheSupported, 1)                                                            \
    ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, g->shared_per_sm)                                  \
    ATTRIBUTE(MaxRegistersPerMultiprocessor, g->registers_per_sm)                                  \
    ATTRIBUTE(ManagedMemory, 1)                                                                    \
    ATTRIBUTE(IsMultiGpuBoard, 0)                                                                  \
    ATTRIBUTE(MultiGpuBoardGroupID, device)                                                        \
    ATTRIBUTE(HostNativeAtomicSupported, 0)                                                        \
    ATTRIBUTE(SingleToDoublePrecisionPerfRatio, g->fp32_per_sm / g->fp64_per_sm)                   \
    ATTRIBUTE(PageableMemoryAccess, 0)                                                             \
    ATTRIBUTE(ConcurrentManagedAccess, 1)                                                          \
    ATTRIBUTE(ComputePreemptionSupported, 1)                                                       \
    ATTRIBUTE(CanUseHostPointerForRegisteredMem, 1)                                                \
    ATTRIBUTE(CooperativeLaunch, 1)                                                                \
    ATTRIBUTE(MaxSharedMemoryPerBlockOptin, g->shared_per_block_optin)                             \
    ATTRIBUTE(CanFlushRemoteWrites, 0)                                                             \
    ATTRIBUTE(HostRegisterSupported, 1)                                                            \
    ATTRIBUTE(PageableMemoryAccessUsesHostPageTables, 0)                                           \
    ATTRIBUTE(DirectManagedMemAccessFromHost, 0)                                                   \
    ATTRIBUTE(MaxBlocksPerMultiprocessor, g->blocks_per_sm)                                        \
    ATTRIBUTE(MaxPersistingL2CacheSize, g->persisting_l2_bytes)                                    \
    ATTRIBUTE(MaxAccessPolicyWindowSize, g->persisting_l2_bytes ? WINDOW_BYTES : 0)                \
    ATTRIBUTE(ReservedSharedMemoryPerBlock, g->shared_reserved_per_block)                          \
    ATTRIBUTE(SparseCudaArraySupported, 0)                                                         \
    ATTRIBUTE(HostRegisterReadOnlySupported, 1)                                                    \
    ATTRIBUTE(TimelineSemaphoreInteropSupported, 0)                                                \
    ATTRIBUTE(MemoryPoolsSupported, 1)                                                             \
    ATTRIBUTE(GPUDirectRDMASupported, 0)                                                           \
    ATTRIBUTE(GPUDirectRDMAFlushWritesOptions, 0)                                                  \
    ATTRIBUTE(GPUDirectRDMAWritesOrdering, 0)                                                      \
    ATTRIBUTE(MemoryPoolSupportedHandleTypes, 0)                                                   \
    ATTRIBUTE(ClusterLaunch, 0)                                                                    \
    ATTRIBUTE(DeferredMappingCudaArraySupported, 0)                                                \
    ATTRIBUTE(IpcEventSupport, 0)                                                                  \
    ATTRIBUTE(MemSyncDomainCount, 1)                                                               \
    ATTRIBUTE(NumaConfig, cudaDeviceNumaConfigNone)                                                \
    ATTRIBUTE(NumaId, -1)                                                                          \
    ATTRIBUTE(MpsEnabled, 0)                                                                       \
    ATTRIBUTE(HostNumaId, -1)                                                                      \
    ATTRIBUTE(D3D12CigSupported, 0)                                                                \
    ATTRIBUTE(VulkanCigSupported, 0)                                                               \
    ATTRIBUTE(GpuPciDeviceId, 0)                                                                   \
    ATTRIBUTE(GpuPciSubsystemId, 0)                                                                \
    ATTRIBUTE(HostNumaMemoryPoolsSupported, 0)                                                     \
    ATTRIBUTE(HostNumaMultinodeIpcSupported, 0)                                                    \
    ATTRIBUTE(HostMemoryPoolsSupported, 0)                                                         \
    ATTRIBUTE(OnlyPartialHostNativeAtomicSupported, 0)

/* Finds an attribute's value. Returns false for an unknown attribute. */
int rt_pci_bus(int device) {
    return device + 1;
}

static bool attribute_of(const struct gpu *g, int device, enum cudaDeviceAttr attribute,
                         int *value) {
    switch (attribute) {
#define ATTRIBUTE(name, expression)                                                                \
    case cudaDevAttr##name: *value = (int)(expression); return true;
        ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
    default: return false;
    }
}

cudaError_t rt_device_attribute(int *value, enum cudaDeviceAttr attribute, int device) {
    if (!value) return cudaErrorInvalidValue;
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    return attribute_of(rt.gpu, device, attribute, value) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    RT_BESIDE_QUERY(rt_device_attribute(value, attribute, device));
}

/* ---- The structure: FILL(field, attribute) for a field equal to an attribute ---- */

#define FIELDS(FILL)                                                                               \
    FILL(sharedMemPerBlock, MaxSharedMemoryPerBlock)                                               \
    FILL(regsPerBlock, MaxRegistersPerBlock)                                                       \
    FILL(warpSize, WarpSize)                                                                       \
    FILL(memPitch, MaxPitch)                                                                       \
    FILL(maxThreadsPerBlock, MaxThreadsPerBlock)                                                   \
    FILL(maxThreadsDim[0], MaxBlockDimX)                                                           \
    FILL(maxThreadsDim[1], MaxBlockDimY)                                                           \
    FILL(maxThreadsDim[2], MaxBlockDimZ)                                                           \
    FILL(maxGridSize[0], MaxGridDimX)                                                              \
    FILL(maxGridSize[1], MaxGridDimY)                                                              \
    FILL(maxGridSize[2], MaxGridDimZ)                                                              \
    FILL(totalConstMem, TotalConstantMemory)                                                       \
    FILL(major, ComputeCapabilityMajor)                                                            \
    FILL(minor, ComputeCapabilityMinor)                                                            \
    FILL(textureAlignment, TextureAlignment)                                                       \
    FILL(texturePitchAlignment, TexturePitchAlignment)                                             \
    FILL(multiProcessorCount, MultiProcessorCount)                                                 \
    FILL(integrated, Integrated)                                                                   \
    FILL(canMapHostMemory, CanMapHostMemory)                                                       \
    FILL(maxTexture1D, MaxTexture1DWidth)                                                          \
    FILL(maxTexture1DMipmap, MaxTexture1DMipmappedWidth)                                           \
    FILL(maxTexture2D[0], MaxTexture2DWidth)                                                       \
    FILL(maxTexture2D[1], MaxTexture2DHeight)                                                      \
    FILL(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth)                                        \
    FILL(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight)                                       \
    FILL(maxTexture2DLinear[0], MaxTexture2DLinearWidth)                                           \
    FILL(maxTexture2DLinear[1], MaxTexture2DLinearHeight)                                          \
    FILL(maxTexture2DLinear[2], MaxTexture2DLinearPitch)                                           \
    FILL(maxTexture2DGather[0], MaxTexture2DGatherWidth)                                           \
    FILL(maxTexture2DGather[1], MaxTexture2DGatherHeight)                                          \
    FILL(maxTexture3D[0], MaxTexture3DWidth)                                                       \
    FILL(maxTexture3D[1], MaxTexture3DHeight)                                                      \
    FILL(maxTexture3D[2], MaxTexture3DDepth)                                                       \
    FILL(maxTexture3DAlt[0], MaxTexture3DWidthAlt)                                                 \
    FILL(maxTexture3DAlt[1], MaxTexture3DHeightAlt)                                                \
    FILL(maxTexture3DAlt[2], MaxTexture3DDepthAlt)                                                 \
    FILL(maxTextureCubemap, MaxTextureCubemapWidth)                                                \
    FILL(maxTexture1DLayered[0], MaxTexture1DLayeredWidth)                                         \
    FILL(maxTexture1DLayered[1], MaxTexture1DLayeredLayers)                                        \
    FILL(maxTexture2DLayered[0], MaxTexture2DLayeredWidth)                                         \
    FILL(maxTexture2DLayered[1], MaxTexture2DLayeredHeight)                                        \
    FILL(maxTexture2DLayered[2], MaxTexture2DLayeredLayers)                                        \
    FILL(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth)                               \
    FILL(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers)                              \
    FILL(maxSurface1D, MaxSurface1DWidth)                                                          \
    FILL(maxSurface2D[0], MaxSurface2DWidth)                                                       \
    FILL(maxSurface2D[1], MaxSurface2DHeight)                                                      \
    FILL(maxSurface3D[0], MaxSurface3DWidth)                                                       \
    FILL(maxSurface3D[1], MaxSurface3DHeight)                                                      \
    FILL(maxSurface3D[2], MaxSurface3DDepth)                                                       \
    FILL(maxSurface1DLayered[0], MaxSurface1DLayeredWidth)                                         \
    FILL(maxSurface1DLayered[1], MaxSurface1DLayeredLayers)                                        \
    FILL(maxSurface2DLayered[0], MaxSurface2DLayeredWidth)                                         \
    FILL(maxSurface2DLayered[1], MaxSurface2DLayeredHeight)                                        \
    FILL(maxSurface2DLayered[2], MaxSurface2DLayeredLayers)                                        \
    FILL(maxSurfaceCubemap, MaxSurfaceCubemapWidth)                                                \
    FILL(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth)                               \
    FILL(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers)                              \
    FILL(surfaceAlignment, SurfaceAlignment)                                                       \
    FILL(concurrentKernels, ConcurrentKernels)                                                     \
    FILL(ECCEnabled, EccEnabled)                                                                   \
    FILL(pciBusID, PciBusId)                                                                       \
    FILL(pciDeviceID, PciDeviceId)                                                                 \
    FILL(pciDomainID, PciDomainId)                                                                 \
    FILL(tccDriver, TccDriver)                                                                     \
    FILL(asyncEngineCount, AsyncEngineCount)                                                       \
    FILL(unifiedAddressing, UnifiedAddressing)                                                     \
    FILL(memoryBusWidth, GlobalMemoryBusWidth)                                                     \
    FILL(l2CacheSize, L2CacheSize)                                                                 \
    FILL(persistingL2CacheMaxSize, MaxPersistingL2CacheSize)                                       \
    FILL(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor)                                 \
    FILL(streamPrioritiesSupported, StreamPrioritiesSupported)                                     \
    FILL(globalL1CacheSupported, GlobalL1CacheSupported)                                           \
    FILL(localL1CacheSupported, LocalL1CacheSupported)                                             \
    FILL(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor)                             \
    FILL(regsPerMultiprocessor, MaxRegistersPerMultiprocessor)                                     \
    FILL(managedMemory, ManagedMemory)                                                             \
    FILL(concurrentManagedAccess, ConcurrentManagedAccess)                                         \
    FILL(computePreemptionSupported, ComputePreemptionSupported)                                   \
    FILL(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem)                     \
    FILL(cooperativeLaunch, CooperativeLaunch)                                                     \
    FILL(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin)                                     \
    FILL(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor)                                   \
    FILL(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize)                                     \
    FILL(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock)                                  \
    FILL(hostRegisterSupported, HostRegisterSupported)                                             \
    FILL(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported)                             \
    FILL(memoryPoolsSupported, MemoryPoolsSupported)                                               \
    FILL(clusterLaunch, ClusterLaunch)                                                             \
    FILL(deviceNumaConfig, NumaConfig)                                                             \
    FILL(deviceNumaId, NumaId)                                                                     \
    FILL(hostNumaId, HostNumaId)

static void props_fill(struct cudaDeviceProp *prop, int device) {
    int value = 0;
    memset(prop, 0, sizeof *prop);
    snprintf(prop->name, sizeof prop->name, "%s (simt)", rt.gpu->product);
    snprintf(prop->uuid.bytes, sizeof prop->uuid.bytes, "simt-%.10s", rt.gpu->name);
    prop->uuid.bytes[sizeof prop->uuid.bytes - 1] = (char)device;
    prop->totalGlobalMem = rt.gpu->dram_bytes;
#define FILL(field, attribute)                                                                     \
    attribute_of(rt.gpu, device, cudaDevAttr##attribute, &value);                                  \
    prop->field = (__typeof__(prop->field))value;
    FIELDS(FILL)
#undef FILL
}

static cudaError_t props_get_properties(struct cudaDeviceProp *prop, int device) {
    if (!prop) return cudaErrorInvalidValue;
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    props_fill(prop, device);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    RT_KNOWN_QUERY(props_get_properties(prop, device));
}
