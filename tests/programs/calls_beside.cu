// Calls that need not wait for a kernel which waits for the host: they return while it polls. A
// kernel that polls too long is stopped: env SIMT_TIMEOUT=20
#include "check.h"

enum { BYTES = 256 };

__device__ int numbers[BYTES / sizeof(int)];

__global__ void wait_for(volatile int *flag) {
    while (*flag == 0)
        ;
}

__global__ void fresh(int *to) {
    *to = 1;
}

static cudaStream_t one, two;

static cudaStream_t new_stream() {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static void ask_of_functions() {
    cudaFuncAttributes attributes;
    int blocks, size;
    CHECK(cudaFuncGetAttributes(&attributes, wait_for));
    CHECK(cudaFuncGetAttributes(&attributes, fresh));
    CHECK(cudaFuncSetAttribute(fresh, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    CHECK(cudaFuncSetCacheConfig(fresh, cudaFuncCachePreferL1));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fresh, 128, 0));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, fresh));
}

static void ask_of_device() {
    cudaDeviceProp properties;
    size_t free, total;
    int value, least;
    cudaMemPool_t pool;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    CHECK(cudaGetDeviceCount(&value));
    CHECK(cudaDeviceGetLimit(&total, cudaLimitStackSize));
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &value));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemGetInfo(&free, &total));
}

static void ask_of_memory(int *flag, const int *memory) {
    cudaPointerAttributes attributes;
    void *address;
    size_t size;
    CHECK(cudaPointerGetAttributes(&attributes, memory));
    CHECK(cudaHostGetDevicePointer(&address, flag, 0));
    CHECK(cudaGetSymbolAddress(&address, numbers));
    CHECK(cudaGetSymbolSize(&size, numbers));
    same("size of the symbol", 0, (int)size, BYTES);
}

// Device, managed, pinned, of two streams.
static std::vector<void *> allocate() {
    std::vector<void *> memory(5);
    CHECK(cudaMalloc(&memory[0], BYTES));
    CHECK(cudaMallocManaged(&memory[1], BYTES));
    CHECK(cudaMallocHost(&memory[2], BYTES));
    CHECK(cudaMallocAsync(&memory[3], BYTES, two));
    CHECK(cudaMallocAsync(&memory[4], BYTES, one));
    return memory;
}

static void release(const std::vector<void *> &memory, cudaArray_t array) {
    CHECK(cudaFree(memory[0]));
    CHECK(cudaFree(memory[1]));
    CHECK(cudaFreeHost(memory[2]));
    CHECK(cudaFreeAsync(memory[3], two));
    CHECK(cudaFreeAsync(memory[4], one));
    CHECK(cudaFreeArray(array));
}

// An event that is recorded in another stream after one that waits: the latest record counts.
static void record_twice() {
    cudaEvent_t event, start;
    float ms;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventRecord(start, two));
    CHECK(cudaEventRecord(event, one));
    same("recorded after the kernel", 0, (int)cudaEventQuery(event), (int)cudaErrorNotReady);
    same("no time yet", 0, (int)cudaEventElapsedTime(&ms, start, event), (int)cudaErrorNotReady);
    CHECK(cudaEventRecord(event, two));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventElapsedTime(&ms, start, event));
    CHECK(cudaStreamWaitEvent(two, event, 0));
    CHECK(cudaStreamSynchronize(two));
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaStreamDestroy(new_stream()));
}

int main() {
    int *flag, *memory = poisoned<int>(BYTES / sizeof(int));
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    one = new_stream(), two = new_stream();
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    *flag = 0;
    CHECK(cudaDeviceSynchronize());
    wait_for<<<1, 1, 0, one>>>(flag);
    ask_of_functions();
    ask_of_device();
    ask_of_memory(flag, memory);
    std::vector<void *> allocated = allocate();
    CHECK(cudaMallocArray(&array, &channels, 64, 4));
    record_twice();
    same("still waits", 0, (int)cudaStreamQuery(one), (int)cudaErrorNotReady);
    *(volatile int *)flag = 1;
    FINISH_KERNEL();
    release(allocated, array);
    CHECK(cudaFreeHost(flag));
    return finish();
}
