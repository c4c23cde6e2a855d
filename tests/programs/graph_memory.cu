// Memory that graphs allocate: its address, who frees it, launches one after the other, and what is
// not allowed.
#include "check.h"

enum { BYTES = 1 << 20 };

__global__ void set(int *out, int value) {
    *out = value;
}
__global__ void copy(int *out, const int *in) {
    *out = *in + 1;
}

static cudaStream_t stream;

static cudaGraphNode_t add_alloc(cudaGraph_t graph, const cudaGraphNode_t *before, int **address,
                                 size_t bytes = BYTES) {
    cudaMemAllocNodeParams params = {};
    cudaGraphNode_t node;
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = bytes;
    CHECK(cudaGraphAddMemAllocNode(&node, graph, before, before != NULL, &params));
    *address = (int *)params.dptr;
    return node;
}

static cudaGraphNode_t add_free(cudaGraph_t graph, cudaGraphNode_t before, int *address) {
    cudaGraphNode_t node;
    CHECK(cudaGraphAddMemFreeNode(&node, graph, &before, 1, address));
    return node;
}

template <class F>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t before, F *kernel,
                                  void **arguments) {
    cudaKernelNodeParams params = {};
    cudaGraphNode_t node;
    params.func = (void *)kernel;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&node, graph, &before, 1, &params));
    return node;
}

/* A graph that leaves its memory to the program. */
static void left() {
    int *memory, value = 5, got = 0;
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec, second;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t alloc = add_alloc(graph, NULL, &memory);
    void *arguments[] = {&memory, &value};
    add_kernel(graph, alloc, set, arguments);
    refuse("not there before a launch", cudaMemcpy(&got, memory, 4, cudaMemcpyDeviceToHost),
           cudaErrorInvalidValue);
    refuse("nothing to free", cudaFree(memory), cudaErrorInvalidValue);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    refuse("one executable graph at a time", cudaGraphInstantiate(&second, graph, 0),
           cudaErrorNotSupported);
    refuse("no clones", cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    refuse("nodes stay", cudaGraphDestroyNode(alloc), cudaErrorNotSupported);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&got, memory, 4, cudaMemcpyDeviceToHost));
    same("memory of a graph", 0, got, 5);
    refuse("still in use", cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    CHECK(cudaFree(memory));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaFreeAsync(memory, stream));
    CHECK(cudaGraphLaunch(exec, stream));

    /* Another graph reads and frees it. */
    cudaGraph_t last;
    cudaGraphExec_t frees;
    cudaGraphNode_t read;
    CHECK(cudaGraphCreate(&last, 0));
    got = 0;
    CHECK(cudaGraphAddMemcpyNode1D(&read, last, NULL, 0, &got, memory, 4, cudaMemcpyDeviceToHost));
    add_free(last, read, memory);
    CHECK(cudaGraphInstantiate(&frees, last, 0));
    CHECK(cudaGraphLaunch(frees, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("read by another graph", 0, got, 5);
    refuse("freed already", cudaFree(memory), cudaErrorInvalidValue);
    CHECK(cudaGraphExecDestroy(frees));
    CHECK(cudaGraphDestroy(last));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* Memory freed in the graph serves a later node. */
static void reused() {
    int *first, *second, *out = poisoned<int>(1), value = 8;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t node = add_alloc(graph, NULL, &first);
    void *set_first[] = {&first, &value};
    node = add_kernel(graph, node, set, set_first);
    void *copy_out[] = {&out, &first};
    node = add_kernel(graph, node, copy, copy_out);
    node = add_free(graph, node, first);
    node = add_alloc(graph, &node, &second);
    same("the same address", 0, first == second, true);
    void *copy_in[] = {&second, &out};
    node = add_kernel(graph, node, copy, copy_in);
    void *copy_again[] = {&out, &second};
    node = add_kernel(graph, node, copy, copy_again);
    add_free(graph, node, second);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("reused memory", 0, to_host(out, 1)[0], 11);
    unsigned long long used = 0, high = 0, zero = 0;
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
    same("graphs have memory", 0, used >= BYTES, true);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaDeviceGraphMemTrim(0));
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    same("given back", 0, used, 0ull);
    same("at most", 0, high >= BYTES, true);
    CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    same("high mark reset", 0, high, 0ull);
}

/* A launch frees what the last one left. */
static void freed_by_launches() {
    int *memory, value = 9, got = 0;
    unsigned long long flags;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t alloc = add_alloc(graph, NULL, &memory);
    void *arguments[] = {&memory, &value};
    add_kernel(graph, alloc, set, arguments);
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    CHECK(cudaGraphExecGetFlags(exec, &flags));
    same("flags", 0, flags, (unsigned long long)cudaGraphInstantiateFlagAutoFreeOnLaunch);
    for (int i = 0; i < 3; i++) CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&got, memory, 4, cudaMemcpyDeviceToHost));
    same("the last launch's memory", 0, got, 9);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(memory));
}

__global__ void run_for(long long clocks) {
    long long begin = clock64();
    while (clock64() - begin < clocks) {
    }
}

/* A graph that holds two pieces of memory, of so many MiB together, while a kernel runs. */
static cudaGraphExec_t holder(size_t mib, long long clocks) {
    int *first, *second;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t node = add_alloc(graph, NULL, &first, mib << 19);
    node = add_alloc(graph, &node, &second, mib << 19);
    void *arguments[] = {&clocks};
    node = add_kernel(graph, node, run_for, arguments);
    node = add_free(graph, node, first);
    add_free(graph, node, second);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void launch_of_holder(const char *what, cudaGraphExec_t exec, cudaStream_t where,
                             unsigned long long mib) {
    unsigned long long used = 0;
    CHECK(cudaGraphLaunch(exec, where));
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    same(what, 0, used >> 20, mib);
}

/* Pieces of 32 MiB: graphs that run at the same time have their own, others share. */
static void pieces() {
    const long long long_time = 10000000;
    cudaStream_t streams[3];
    cudaGraphExec_t small[3], same_stream = holder(1, 1), two_pieces = holder(40, 1),
                              one_piece = holder(32, 1);
    unsigned long long used = 1;
    for (int i = 0; i < 3; i++) {
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        small[i] = holder(1, long_time);
    }
    for (int i = 0; i < 3; i++)
        launch_of_holder("beside others", small[i], streams[i], 32ull * (unsigned)(i + 1));
    launch_of_holder("after another", same_stream, streams[0], 96);
    CHECK(cudaDeviceSynchronize());
    launch_of_holder("after all others", two_pieces, streams[1], 96);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceGraphMemTrim(0));
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    same("trimmed", 0, used, 0ull);
    launch_of_holder("one piece", one_piece, streams[2], 32);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceGraphMemTrim(0));
    for (cudaGraphExec_t exec : {small[0], small[1], small[2], same_stream, two_pieces, one_piece})
        CHECK(cudaGraphExecDestroy(exec));
    for (cudaStream_t each : streams) CHECK(cudaStreamDestroy(each));
}

int main() {
    CHECK(cudaStreamCreate(&stream));
    pieces();
    left();
    reused();
    freed_by_launches();
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
