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

__global__ void more(int *to) {
    ++*to;
}

static cudaStream_t one, two, blocking;

static cudaStream_t new_stream() {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

// A GPU may load a kernel when it is first asked for, and then waits for the kernels that run.
static void load_fresh() {
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, fresh));
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
    CHECK(cudaFreeAsync(memory[4], two));
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

// A graph is captured and made ready, and launched in a stream that waits for the kernel. It has
// its parameters of then, and a second launch waits for it: other stays, to[0] is 3 in the end.
static void launch_graph(int *to, int *other) {
    cudaGraph_t graph, empty;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    size_t nodes = 1;
    CHECK(cudaStreamBeginCapture(two, cudaStreamCaptureModeRelaxed));
    more<<<1, 1, 0, two>>>(to);
    CHECK(cudaStreamEndCapture(two, &graph));
    CHECK(cudaGraphCreate(&empty, 0));
    CHECK(cudaGraphAddEmptyNode(&node, empty, NULL, 0));
    CHECK(cudaGraphGetNodes(graph, &node, &nodes));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, two));
    CHECK(cudaStreamSynchronize(two));
    same("a graph beside", 0, to_host(to, 1)[0], 1);
    CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaGraphLaunch(exec, two));
    same("waits for the first", 0, (int)cudaStreamQuery(two), (int)cudaErrorNotReady);
    cudaKernelNodeParams params;
    void *arguments[] = {&other};
    CHECK(cudaGraphKernelNodeGetParams(node, &params));
    params.kernelParams = arguments;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(empty));
}

static void count(void *number) {
    ++*(int *)number;
}

static void count_call(cudaStream_t, cudaError_t, void *number) {
    ++*(int *)number;
}

// Each kind of work in a stream; from and to are pinned, of two rows. Ends with to = from.
static void give_work(cudaStream_t stream, int *memory, int *from, int *to) {
    enum { WIDTH = BYTES / 2 };
    void *pooled;
    CHECK(cudaMallocAsync(&pooled, BYTES, stream));
    CHECK(cudaMemsetAsync(pooled, 0, BYTES, stream));
    CHECK(cudaMemset2DAsync(memory, WIDTH, 1, WIDTH, 2, stream));
    CHECK(cudaMemcpyToSymbolAsync(numbers, from, BYTES, 0, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyFromSymbolAsync(memory, numbers, BYTES, 0, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemcpyPeerAsync(pooled, 0, memory, 0, BYTES, stream));
    CHECK(cudaMemcpyAsync(memory, pooled, BYTES, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemcpy2DAsync(to, WIDTH, memory, WIDTH, WIDTH, 2, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, count, to));
    CHECK(cudaStreamAddCallback(stream, count_call, to, 0));
    CHECK(cudaFreeAsync(pooled, stream));
}

// Wrong arguments are told at the call, though the work would wait.
static void test_errors(int *memory, int *pinned) {
    same("direction", 0, (int)cudaMemcpyAsync(memory, pinned, BYTES, (cudaMemcpyKind)77, one),
         (int)cudaErrorInvalidMemcpyDirection);
    same("too long a copy", 0,
         (int)cudaMemcpyAsync(memory, pinned, 1 << 30, cudaMemcpyHostToDevice, one),
         (int)cudaErrorInvalidValue);
    same("too long a fill", 0, (int)cudaMemsetAsync(memory, 0, 1 << 30, one),
         (int)cudaErrorInvalidValue);
    same("beyond the symbol", 0,
         (int)cudaMemcpyToSymbolAsync(numbers, pinned, BYTES, 4, cudaMemcpyHostToDevice, one),
         (int)cudaErrorInvalidValue);
    same("nothing to free", 0, (int)cudaFreeAsync(pinned, one), (int)cudaErrorInvalidValue);
    cudaEvent_t event;
    cudaMemLocation device;
    device.type = cudaMemLocationTypeDevice, device.id = 0;
    CHECK(cudaEventCreate(&event));
    same("flags of a record", 0, (int)cudaEventRecordWithFlags(event, one, 64),
         (int)cudaErrorInvalidValue);
    same("flags of a wait", 0, (int)cudaStreamWaitEvent(one, event, 64),
         (int)cudaErrorInvalidValue);
    same("no managed memory", 0, (int)cudaMemPrefetchAsync(memory, BYTES, device, 0, one),
         (int)cudaErrorInvalidValue);
    CHECK(cudaEventDestroy(event));
    fresh<<<1, 2048, 0, one>>>(memory);
    same("too large a block", 0, (int)cudaGetLastError(),
         (int)(CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration));
}

// Small copies from pageable memory have read it when they return, though the kernel still waits.
// The kernels' streams may go.
static void copy_pageable(int *flag, int *late) {
    int values[3] = {0, 11, 12};
    wait_for<<<1, 1, 0, blocking>>>(flag);
    CHECK(cudaMemcpyAsync(late + 1, values + 1, sizeof(int), cudaMemcpyHostToDevice, one));
    CHECK(cudaMemcpyAsync(late + 2, values + 2, sizeof(int), cudaMemcpyHostToDevice, blocking));
    values[1] = values[2] = 0;
    same("still waits", 1, (int)cudaStreamQuery(blocking), (int)cudaErrorNotReady);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(blocking));
}

int main() {
    enum { N = BYTES / sizeof(int) };
    int *flag, *memory = poisoned<int>(N), *late = poisoned<int>(3), *pinned;
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    one = new_stream(), two = new_stream();
    CHECK(cudaStreamCreate(&blocking));
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    CHECK(cudaMallocHost(&pinned, 4 * BYTES));
    for (int i = 0; i < N; i++) pinned[i] = pinned[2 * N + i] = i;
    *flag = 0;
    load_fresh();
    CHECK(cudaMemset(late, 0, sizeof *late));
    CHECK(cudaDeviceSynchronize());
    wait_for<<<1, 1, 0, one>>>(flag);
    ask_of_functions();
    ask_of_device();
    ask_of_memory(flag, memory);
    std::vector<void *> allocated = allocate();
    CHECK(cudaMallocArray(&array, &channels, 64, 4));
    CHECK(cudaFree(NULL));
    CHECK(cudaStreamAttachMemAsync(one, allocated[1]));
    record_twice();
    give_work(two, memory, pinned, pinned + N);
    CHECK(cudaStreamSynchronize(two));
    for (int i = 1; i < N; i++) same("beside", i, pinned[N + i], i);
    same("host functions beside", 0, pinned[N], 2);
    give_work(one, memory, pinned + 2 * N, pinned + 3 * N);
    CHECK(cudaMemsetAsync(memory, 0, BYTES, one));
    fresh<<<1, 1, 0, one>>>(memory);
    test_errors(memory, pinned);
    same("still waits", 0, (int)cudaStreamQuery(one), (int)cudaErrorNotReady);
    launch_graph(late, memory);
    copy_pageable(flag, late);
    *(volatile int *)flag = 1;
    FINISH_KERNEL();
    for (int i = 0; i < 3; i++) same("late", i, to_host(late, 3)[i], i ? 10 + i : 3);
    for (int i = 1; i < N; i++) same("after", i, pinned[3 * N + i], i);
    same("host functions after", 0, pinned[3 * N], 2);
    same("a kernel after", 0, to_host(memory, 2)[0], 1);
    same("a fill after", 0, to_host(memory, 2)[1], 0);
    CHECK(cudaFreeHost(pinned));
    release(allocated, array);
    CHECK(cudaFreeHost(flag));
    return finish();
}
