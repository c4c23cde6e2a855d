// Device queries: properties against attributes, limits, cache and shared-memory configuration,
// versions, device selection.
#include "check.h"

static int attribute(cudaDeviceAttr which) {
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

/* What of the L2 persisting accesses keep, and windows of such accesses. */
static void persisting(const cudaDeviceProp &p) {
    size_t most = p.persistingL2CacheMaxSize, set;
    if (!most) return;
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most));
    CHECK(cudaDeviceGetLimit(&set, cudaLimitPersistingL2CacheSize));
    same("persisting", 0, set, most);
    same("refused", 0, (int)cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most + 1),
         (int)cudaErrorInvalidValue);
    cudaStreamAttrValue value = {}, got;
    CHECK(cudaMalloc(&value.accessPolicyWindow.base_ptr, 1 << 20));
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.hitRatio = 0.6f;
    value.accessPolicyWindow.num_bytes = p.accessPolicyMaxWindowSize;
    CHECK(cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value));
    CHECK(cudaStreamGetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &got));
    same("window", 0, got.accessPolicyWindow.num_bytes, value.accessPolicyWindow.num_bytes);
    value.accessPolicyWindow.num_bytes++;
    same("refused", 0,
         (int)cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value),
         (int)cudaErrorInvalidValue);
    value.accessPolicyWindow.num_bytes = 1 << 20;
    value.accessPolicyWindow.hitRatio = 1.5f;
    same("refused", 0,
         (int)cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value),
         (int)cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK(cudaCtxResetPersistingL2Cache());
    CHECK(cudaFree(value.accessPolicyWindow.base_ptr));
}

int main() {
    int count = 0, device = -1, runtime = 0, driver = 0;
    CHECK(cudaGetDeviceCount(&count));
    same("devices", 0, count >= 1, true);
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    same("device", 0, device, 0);
    same("no such device", 0, (int)cudaSetDevice(count), (int)cudaErrorInvalidDevice);
    same("no such device's error", 0, (int)cudaGetLastError(), (int)cudaErrorInvalidDevice);
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDriverGetVersion(&driver));
    same("runtime's major version", 0, runtime / 1000, CUDART_VERSION / 1000);
    same("driver serves the runtime", 0, driver / 1000 >= runtime / 1000, true);
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    same("name", 0, strlen(p.name) > 0 && strlen(p.name) < sizeof p.name, true);
    const struct {
        const char *what;
        cudaDeviceAttr attribute;
        long long value;
    } pairs[] = {
        {"major", cudaDevAttrComputeCapabilityMajor, p.major},
        {"minor", cudaDevAttrComputeCapabilityMinor, p.minor},
        {"multiProcessorCount", cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {"maxThreadsPerBlock", cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {"maxThreadsDim[0]", cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {"maxThreadsDim[2]", cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {"maxGridSize[0]", cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {"maxGridSize[1]", cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {"warpSize", cudaDevAttrWarpSize, p.warpSize},
        {"sharedMemPerBlock", cudaDevAttrMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock},
        {"sharedMemPerBlockOptin", cudaDevAttrMaxSharedMemoryPerBlockOptin,
         (long long)p.sharedMemPerBlockOptin},
        {"sharedMemPerMultiprocessor", cudaDevAttrMaxSharedMemoryPerMultiprocessor,
         (long long)p.sharedMemPerMultiprocessor},
        {"reservedSharedMemPerBlock", cudaDevAttrReservedSharedMemoryPerBlock,
         (long long)p.reservedSharedMemPerBlock},
        {"regsPerBlock", cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {"regsPerMultiprocessor", cudaDevAttrMaxRegistersPerMultiprocessor,
         p.regsPerMultiprocessor},
        {"maxThreadsPerMultiProcessor", cudaDevAttrMaxThreadsPerMultiProcessor,
         p.maxThreadsPerMultiProcessor},
        {"maxBlocksPerMultiProcessor", cudaDevAttrMaxBlocksPerMultiprocessor,
         p.maxBlocksPerMultiProcessor},
        {"totalConstMem", cudaDevAttrTotalConstantMemory, (long long)p.totalConstMem},
        {"l2CacheSize", cudaDevAttrL2CacheSize, p.l2CacheSize},
        {"memoryBusWidth", cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
        {"textureAlignment", cudaDevAttrTextureAlignment, (long long)p.textureAlignment},
        {"concurrentKernels", cudaDevAttrConcurrentKernels, p.concurrentKernels},
        {"asyncEngineCount", cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
        {"unifiedAddressing", cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {"managedMemory", cudaDevAttrManagedMemory, p.managedMemory},
        {"canMapHostMemory", cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {"cooperativeLaunch", cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
        {"integrated", cudaDevAttrIntegrated, p.integrated},
        {"ECCEnabled", cudaDevAttrEccEnabled, p.ECCEnabled},
    };
    for (auto &pair : pairs)
        same(pair.what, pair.attribute, (long long)attribute(pair.attribute), pair.value);
    same("clock rate", 0, attribute(cudaDevAttrClockRate) > 100000, true); // kHz
    same("memory clock rate", 0, attribute(cudaDevAttrMemoryClockRate) > 100000, true);
    same("warp size", 0, p.warpSize, 32);
    same("threads per block", 0, p.maxThreadsPerBlock, 1024);
    same("grid y", 0, p.maxGridSize[1], 65535);
    same("constant memory", 0, p.totalConstMem, 65536);
    same("block z", 0, p.maxThreadsDim[2], 64);
    same("capability", 0, p.major * 10 + p.minor >= 50, true);
    same("memory", 0, p.totalGlobalMem > (size_t)1 << 30, true);
    same("bad attribute", 0, (int)cudaDeviceGetAttribute(&count, (cudaDeviceAttr)-5, 0),
         (int)cudaErrorInvalidValue);
    cudaGetLastError();
    size_t limit;
    for (cudaLimit which : {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize}) {
        CHECK(cudaDeviceGetLimit(&limit, which));
        CHECK(cudaDeviceSetLimit(which, 2 * limit));
        size_t doubled;
        CHECK(cudaDeviceGetLimit(&doubled, which));
        same("limit", which, doubled, 2 * limit);
    }
    persisting(p);
    cudaFuncCache cache;
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    CHECK(cudaDeviceGetCacheConfig(&cache));
    char bus[32];
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    int by_bus = -1;
    CHECK(cudaDeviceGetByPCIBusId(&by_bus, bus));
    same("device by bus", 0, by_bus, 0);
    cudaDeviceProp wish = {};
    int chosen = -1;
    CHECK(cudaChooseDevice(&chosen, &wish));
    same("chosen", 0, chosen >= 0, true);
    unsigned flags;
    CHECK(cudaGetDeviceFlags(&flags));
    return finish();
}
