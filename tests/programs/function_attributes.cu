// Attributes of kernels, launch bounds and the occupancy calculator.
#include "check.h"

__global__ void plain(float *p) {
    p[threadIdx.x] *= 2;
}
__global__ void __launch_bounds__(128, 2) bounded(float *p) {
    p[threadIdx.x] += 1;
}
__global__ void with_shared(float *p) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = tile[1023 - threadIdx.x];
}
__constant__ int table[100];
__global__ void with_local(int *p) {
    int mine[64];
    for (int i = 0; i < 64; i++) mine[i] = p[i] + table[i];
    for (int i = 0; i < 64; i++) p[threadIdx.x] += mine[(p[i] + i) & 63];
}

int main() {
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, plain));
    same("maximum threads", 0, a.maxThreadsPerBlock, 1024);
    same("static shared memory", 0, a.sharedSizeBytes, 0);
    same("registers", 0, a.numRegs > 0 && a.numRegs <= 255, true);
    same("PTX version", 0, a.ptxVersion >= 75, true);
    CHECK(cudaFuncGetAttributes(&a, bounded));
    same("bounded threads", 0, a.maxThreadsPerBlock, 128);
    CHECK(cudaFuncGetAttributes(&a, with_shared));
    same("shared memory", 0, a.sharedSizeBytes, 4096);
    CHECK(cudaFuncGetAttributes(&a, (const void *)with_local));
    same("local memory", 0, a.localSizeBytes >= 256, true);
    float *p = poisoned<float>(2048);
    bounded<<<1, 129>>>(p);
    same("over the launch bounds", 0, (int)cudaGetLastError(), (int)cudaErrorInvalidValue);

    int blocks, grid, block, sms;
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    sms = properties.multiProcessorCount;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
    same("blocks of 256", 0, blocks, properties.maxThreadsPerMultiProcessor / 256);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 0));
    same("blocks of 32", 0, blocks, properties.maxBlocksPerMultiProcessor);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 64, 40 * 1024));
    same("limited by shared memory", 0, blocks,
         properties.sharedMemPerMultiprocessor /
             (40 * 1024 + properties.reservedSharedMemPerBlock));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, plain, 1024, 0,
                                                                 cudaOccupancyDefault));
    same("blocks of 1024", 0, blocks, properties.maxThreadsPerMultiProcessor / 1024);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain));
    same("a full grid", 0, grid * block, sms * properties.maxThreadsPerMultiProcessor);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
    same("potential within the bounds", 0, block <= 128 && block > 0, true);
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        &grid, &block, plain, [](int threads) { return threads * (size_t)16; }, 512));
    same("limited to 512", 0, block <= 512, true);
    size_t dynamic;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, plain, 1, 64));
    same("dynamic shared memory", 0,
         dynamic > 0 && dynamic <= properties.sharedMemPerMultiprocessor, true);
    CHECK(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferL1));
    CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)properties.sharedMemPerBlockOptin));
    CHECK(cudaFuncGetAttributes(&a, plain));
    same("opted in", 0, a.maxDynamicSharedSizeBytes, properties.sharedMemPerBlockOptin);
    same("too much shared memory", 0,
         (int)cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
         (int)cudaErrorInvalidValue);
    cudaGetLastError();
    int not_a_kernel;
    const int want =
        CUDART_VERSION >= 13000 ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    same("not a kernel", 0, (int)cudaFuncGetAttributes(&a, (const void *)&not_a_kernel),
         want); // on an H200
    cudaGetLastError();
    return finish();
}
