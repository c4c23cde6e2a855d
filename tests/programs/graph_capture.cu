// Graphs by stream capture: forks and joins, each kind of work, memory, and what a capture says of
// itself.
#include "check.h"

#include <string>

enum { COUNT = 64 };

__device__ int symbol;

__global__ void set(int *out, int value) {
    out[threadIdx.x] = value;
}
__global__ void sum(int *out, const int *a, const int *b) {
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
__global__ void add_symbol(int *out) {
    out[threadIdx.x] += symbol;
}

static void CUDART_CB count_call(void *calls) {
    ++*(int *)calls;
}

static cudaStream_t first, second, third;
static cudaEvent_t forked, joined, also_joined;

static void begin(cudaStream_t stream) {
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
}

static cudaGraph_t end(cudaStream_t stream) {
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static void counts(const char *what, cudaGraph_t graph, size_t nodes, size_t edges, size_t roots) {
    size_t n = 0, e = 0, r = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &n));
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &e));
    CHECK(cudaGraphGetRootNodes(graph, NULL, &r));
    same((std::string(what) + ": nodes").c_str(), 0, n, nodes);
    same((std::string(what) + ": edges").c_str(), 0, e, edges);
    same((std::string(what) + ": roots").c_str(), 0, r, roots);
}

/* Launches the graph, which is destroyed then. */
static void run(cudaGraph_t graph, int times) {
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    for (int i = 0; i < times; i++) CHECK(cudaGraphLaunch(exec, first));
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaGraphExecDestroy(exec));
}

/* One stream forks into three, which join again. */
static void forks() {
    int *a = poisoned<int>(COUNT), *b = poisoned<int>(COUNT), *c = poisoned<int>(COUNT),
        *out = poisoned<int>(COUNT);
    CHECK(cudaDeviceSynchronize()); // a fill in the default stream, and streams that do not wait
                                    // for it
    begin(first);
    set<<<1, COUNT, 0, first>>>(out, 0);
    CHECK(cudaEventRecord(forked, first));
    CHECK(cudaStreamWaitEvent(second, forked, 0));
    CHECK(cudaStreamWaitEvent(third, forked, 0));
    set<<<1, COUNT, 0, first>>>(a, 1);
    set<<<1, COUNT, 0, second>>>(b, 20);
    set<<<1, COUNT, 0, third>>>(c, 300);
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(third, &status));
    same("the third stream captures", 0, (int)status, (int)cudaStreamCaptureStatusActive);
    CHECK(cudaEventRecord(joined, second));
    CHECK(cudaEventRecord(also_joined, third));
    CHECK(cudaStreamWaitEvent(first, joined, 0));
    sum<<<1, COUNT, 0, first>>>(out, a, b);
    CHECK(cudaStreamWaitEvent(first, also_joined, 0));
    sum<<<1, COUNT, 0, first>>>(out, out, c);
    cudaGraph_t graph = end(first);
    CHECK(cudaStreamIsCapturing(third, &status));
    same("the third stream captures no longer", 0, (int)status, (int)cudaStreamCaptureStatusNone);
    counts("fork", graph, 6, 7, 1);
    run(graph, 2);
    for (int value : to_host(out, COUNT)) same("fork and join", 0, value, 321);
}

/* Nothing runs while a stream captures, and each kind of work becomes a node. */
static void kinds() {
    int *a = poisoned<int>(COUNT), *b = poisoned<int>(COUNT), calls = 0, nine = 9;
    CHECK(cudaDeviceSynchronize()); // a fill in the default stream, and streams that do not wait
                                    // for it
    std::vector<int> in(COUNT, 5), back(COUNT, -1);
    begin(first);
    CHECK(cudaMemcpyAsync(a, in.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice, first));
    CHECK(cudaMemsetAsync(b, 1, COUNT * sizeof(int), first));
    CHECK(cudaMemcpyToSymbolAsync(symbol, &nine, sizeof nine, 0, cudaMemcpyHostToDevice, first));
    sum<<<1, COUNT, 0, first>>>(b, b, a);
    add_symbol<<<1, COUNT, 0, first>>>(b);
    CHECK(cudaMemcpy2DAsync(back.data(), 2 * sizeof(int), b, 2 * sizeof(int), sizeof(int),
                            COUNT / 2, cudaMemcpyDeviceToHost, first));
    CHECK(cudaLaunchHostFunc(first, count_call, &calls));
    CHECK(cudaMemcpyAsync(a, b, 0, cudaMemcpyDeviceToDevice, first)); /* no node */
    cudaGraph_t graph = end(first);
    counts("kinds", graph, 7, 6, 1);
    same("nothing has run", 0, calls, 0);
    run(graph, 3);
    same("calls of the host", 0, calls, 3);
    for (int i = 0; i < COUNT; i++)
        same("kinds", i, back[(size_t)i], i % 2 ? -1 : 0x01010101 + 5 + 9);
}

/* Memory that the graph allocates and frees. */
static void memory() {
    int *out = poisoned<int>(COUNT), *temporary, *more;
    CHECK(cudaDeviceSynchronize()); // a fill in the default stream, and streams that do not wait
                                    // for it
    begin(first);
    CHECK(cudaMallocAsync(&temporary, COUNT * sizeof(int), first));
    CHECK(cudaMallocAsync(&more, COUNT * sizeof(int), first));
    set<<<1, COUNT, 0, first>>>(temporary, 40);
    set<<<1, COUNT, 0, first>>>(more, 2);
    sum<<<1, COUNT, 0, first>>>(out, temporary, more);
    CHECK(cudaFreeAsync(temporary, first));
    CHECK(cudaFreeAsync(more, first));
    run(end(first), 3);
    for (int value : to_host(out, COUNT)) same("captured memory", 0, value, 42);
}

/* A capture into a graph that has a node already, and nodes added by hand while it goes on. */
static void by_hand() {
    int *a = poisoned<int>(COUNT), *b = poisoned<int>(COUNT), *out = poisoned<int>(COUNT);
    CHECK(cudaDeviceSynchronize()); // a fill in the default stream, and streams that do not wait
                                    // for it
    cudaGraph_t graph, told, ended;
    cudaGraphNode_t empty, extra;
    const cudaGraphNode_t *latest;
    size_t n = 0;
    unsigned long long id = 0;
    cudaStreamCaptureStatus status;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    CHECK(
        cudaStreamBeginCaptureToGraph(first, graph, &empty, NULL, 1, cudaStreamCaptureModeRelaxed));
    set<<<1, COUNT, 0, first>>>(a, 3);
    CHECK(cudaStreamGetCaptureInfo(first, &status, &id, &told, &latest, NULL, &n));
    same("told: active", 0, (int)status, (int)cudaStreamCaptureStatusActive);
    same("told: a number", 0, id > 0, true);
    same("told: the graph", 0, told == graph, true);
    same("told: one latest node", 0, n, 1);
    cudaMemsetParams fill = {};
    fill.dst = b;
    fill.elementSize = 4;
    fill.value = 4;
    fill.width = COUNT;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&extra, graph, &empty, 1, &fill));
    CHECK(cudaStreamUpdateCaptureDependencies(first, &extra, NULL, 1,
                                              cudaStreamAddCaptureDependencies));
    sum<<<1, COUNT, 0, first>>>(out, a, b);
    CHECK(cudaStreamEndCapture(first, &ended));
    same("the same graph", 0, ended == graph, true);
    counts("by hand", graph, 4, 4, 1);
    run(graph, 1);
    for (int value : to_host(out, COUNT)) same("by hand", 0, value, 7);
}

/* Events of a launched graph: what waits for them outside, and what the graph waits for. */
static void external() {
    int *out = poisoned<int>(COUNT), *copy = poisoned<int>(COUNT);
    CHECK(cudaDeviceSynchronize()); // a fill in the default stream, and streams that do not wait
                                    // for it
    cudaEvent_t ready, done;
    CHECK(cudaEventCreate(&ready));
    CHECK(cudaEventCreate(&done));
    begin(first);
    CHECK(cudaStreamWaitEvent(first, ready, cudaEventWaitExternal));
    set<<<1, COUNT, 0, first>>>(out, 8);
    CHECK(cudaEventRecordWithFlags(done, first, cudaEventRecordExternal));
    cudaGraph_t graph = end(first);
    counts("external", graph, 3, 2, 1);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaEventRecord(ready, second));
    CHECK(cudaGraphLaunch(exec, first));
    CHECK(cudaStreamWaitEvent(second, done, 0));
    CHECK(cudaMemcpyAsync(copy, out, COUNT * sizeof(int), cudaMemcpyDeviceToDevice, second));
    CHECK(cudaStreamSynchronize(second));
    for (int value : to_host(copy, COUNT)) same("external", 0, value, 8);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaEventDestroy(done));
}

/* Cooperative launches keep their attribute. */
static __global__ void cooperative(int *out) {
    out[threadIdx.x] = 6;
}

static void attributes() {
    int *out = poisoned<int>(COUNT);
    CHECK(cudaDeviceSynchronize()); // a fill in the default stream, and streams that do not wait
                                    // for it
    void *arguments[] = {&out};
    begin(first);
    CHECK(cudaLaunchCooperativeKernel((void *)cooperative, dim3(1), dim3(COUNT), arguments, 0,
                                      first));
    cudaGraph_t graph = end(first);
    cudaGraphNode_t node;
    size_t n = 1;
    CHECK(cudaGraphGetNodes(graph, &node, &n));
    cudaKernelNodeParams params;
    CHECK(cudaGraphKernelNodeGetParams(node, &params));
    same("threads of a captured launch", 0, params.blockDim.x, COUNT);
    same("its argument", 0, *(int **)params.kernelParams[0] == out, true);
    cudaKernelNodeAttrValue value;
    CHECK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value));
    same("cooperative", 0, value.cooperative, 1);
    run(graph, 1);
    same("cooperative launch", 0, to_host(out, COUNT)[1], 6);
}

int main() {
    for (cudaStream_t *stream : {&first, &second, &third})
        CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    for (cudaEvent_t *event : {&forked, &joined, &also_joined}) CHECK(cudaEventCreate(event));
    forks();
    kinds();
    memory();
    by_hand();
    external();
    attributes();
    for (cudaStream_t stream : {first, second, third}) CHECK(cudaStreamDestroy(stream));
    for (cudaEvent_t event : {forked, joined, also_joined}) CHECK(cudaEventDestroy(event));
    return finish();
}
