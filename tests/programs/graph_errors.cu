// What captures and graphs refuse, and with which error.
#include "check.h"

#include <string>
#include <thread>

__global__ void add(int *out, int value) {
    *out += value;
}
static void CUDART_CB count_call(void *calls) {
    ++*(int *)calls;
}
static void CUDART_CB count_callback(cudaStream_t, cudaError_t, void *calls) {
    ++*(int *)calls;
}

static int *out;

static void is(const std::string &what, cudaError_t got, cudaError_t want) {
    if (got != want) {
        printf("%s: got %s, want %s\n", what.c_str(), cudaGetErrorName(got),
               cudaGetErrorName(want));
        differences++;
    }
    cudaGetLastError();
}

/* A call inside a capture: its error, and that of the end. */
template <class Call>
static void inside(const std::string &what, cudaStreamCaptureMode mode, bool blocking, Call call,
                   cudaError_t want, cudaError_t end) {
    cudaStream_t stream;
    cudaGraph_t graph;
    CHECK(cudaStreamCreateWithFlags(&stream, blocking ? cudaStreamDefault : cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, mode));
    is(what, call(stream), want);
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(stream, &status));
    same((what + ": status").c_str(), 0, (int)status,
         (int)(end ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive));
    is(what + ": end", cudaStreamEndCapture(stream, &graph), end);
    if (!end) CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

static void unsafe_calls() {
    static cudaStream_t idle;
    static cudaEvent_t event, old;
    static void *memory;
    static int host[4];
    CHECK(cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventCreate(&old));
    CHECK(cudaEventRecord(old, idle));
    CHECK(cudaDeviceSynchronize());
    const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal,
                                relaxed = cudaStreamCaptureModeRelaxed;
    const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported,
                      invalid = cudaErrorStreamCaptureInvalidated,
                      implicit = cudaErrorStreamCaptureImplicit, fine = cudaSuccess;
    typedef cudaStream_t S;
    inside(
        "synchronise", global, true, [](S s) { return cudaStreamSynchronize(s); }, unsupported,
        invalid);
    inside(
        "synchronise, relaxed", relaxed, false, [](S s) { return cudaStreamSynchronize(s); },
        unsupported, invalid);
    inside(
        "query", global, true, [](S s) { return cudaStreamQuery(s); }, unsupported, invalid);
    inside(
        "query another", global, true, [](S) { return cudaStreamQuery(idle); }, unsupported,
        invalid);
    inside(
        "query another, relaxed", relaxed, true, [](S) { return cudaStreamQuery(idle); }, fine,
        fine);
    inside(
        "device", global, true, [](S) { return cudaDeviceSynchronize(); }, unsupported, invalid);
    inside(
        "legacy stream", global, true, [](S) { return cudaStreamSynchronize(0); }, implicit,
        invalid);
    inside(
        "copy", global, true, [](S) { return cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost); },
        implicit, invalid);
    inside(
        "fill", global, true, [](S) { return cudaMemset(out, 0, 4); }, implicit, invalid);
    inside(
        "launch into the legacy stream", global, true,
        [](S) {
            add<<<1, 1>>>(out, 1);
            return cudaGetLastError();
        },
        implicit, invalid);
    inside(
        "allocate", global, true, [](S) { return cudaMalloc(&memory, 4); }, unsupported, invalid);
    inside(
        "free", global, true, [](S) { return cudaFree(NULL); }, unsupported, invalid);
    inside(
        "allocate, relaxed", relaxed, true,
        [](S) {
            cudaError_t error = cudaMalloc(&memory, 4);
            return error ? error : cudaFree(memory);
        },
        fine, fine);
    inside(
        "callback", global, true,
        [](S s) { return cudaStreamAddCallback(s, count_callback, host, 0); }, unsupported,
        invalid);
    inside(
        "other event", global, true, [](S) { return cudaEventQuery(old); }, unsupported, invalid);
    inside(
        "captured event", global, true,
        [](S s) {
            CHECK(cudaEventRecord(event, s));
            return cudaEventQuery(event);
        },
        cudaErrorCapturedEvent, invalid);
    inside(
        "isolation", global, true, [](S s) { return cudaStreamWaitEvent(s, old, 0); },
        cudaErrorStreamCaptureIsolation, invalid);
    inside(
        "a launch that cannot be", global, true,
        [](S s) {
            add<<<1, 2000, 0, s>>>(out, 1);
            return cudaGetLastError();
        },
        cudaErrorInvalidValue, invalid);
    inside(
        "memory of another stream", global, true,
        [](S) { return cudaMallocAsync(&memory, 4, idle); }, unsupported, invalid);
    inside(
        "a graph", global, true, [](S s) { return cudaGraphLaunch(NULL, s); }, unsupported,
        invalid);
    inside(
        "a limit", global, true, [](S) { return cudaDeviceSetLimit(cudaLimitStackSize, 2048); },
        unsupported, invalid);
    inside(
        "twice", global, true,
        [](S s) { return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); },
        cudaErrorIllegalState, fine);
    inside(
        "a null function", global, true, [](S s) { return cudaLaunchHostFunc(s, NULL, host); },
        cudaErrorInvalidValue, fine);
    inside(
        "a null pointer", global, true,
        [](S s) { return cudaMemcpyAsync(out, NULL, 16, cudaMemcpyDefault, s); },
        cudaErrorInvalidValue, fine);
    inside(
        "another thread", global, true,
        [](S) {
            cudaError_t error;
            std::thread([&] { error = cudaMalloc(&memory, 4); }).join();
            return error;
        },
        unsupported, invalid);
    inside(
        "another thread, thread-local", cudaStreamCaptureModeThreadLocal, true,
        [](S) {
            cudaError_t error;
            std::thread([&] {
                error = cudaMalloc(&memory, 4);
                cudaFree(memory);
            }).join();
            return error;
        },
        fine, fine);
    inside(
        "exchanged mode", global, true,
        [](S) {
            cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
            CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
            cudaError_t error = cudaMalloc(&memory, 4);
            CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
            return error;
        },
        fine, fine);
    CHECK(cudaFree(memory));
    CHECK(cudaStreamDestroy(idle));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaEventDestroy(old));
}

/* Captures that end badly. */
static void ends() {
    cudaStream_t a, b;
    cudaEvent_t event;
    cudaGraph_t graph;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaEventCreate(&event));
    auto fork = [&] {
        CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
        CHECK(cudaEventRecord(event, a));
        CHECK(cudaStreamWaitEvent(b, event, 0));
    };
    is("nothing begun", cudaStreamEndCapture(a, &graph), cudaErrorIllegalState);
    is("the legacy stream", cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal),
       cudaErrorStreamCaptureUnsupported);
    fork();
    add<<<1, 1, 0, b>>>(out, 1);
    is("unjoined", cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined);
    same("no graph", 0, graph == NULL, true);
    fork();
    CHECK(cudaStreamEndCapture(a, &graph)); /* b has nothing that could be lost */
    CHECK(cudaGraphDestroy(graph));
    is("event of a capture that has ended", cudaStreamWaitEvent(b, event, 0),
       cudaErrorInvalidValue);
    is("asked about it", cudaEventQuery(event), cudaErrorInvalidValue);
    fork();
    is("another stream", cudaStreamEndCapture(b, &graph), cudaErrorStreamCaptureUnmatched);
    is("then the first", cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(event, a));
    is("merge", cudaStreamWaitEvent(b, event, 0), cudaErrorStreamCaptureMerge);
    is("end of one", cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
    is("end of the other", cudaStreamEndCapture(b, &graph), cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    std::thread([&] {
        is("wrong thread", cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureWrongThread);
    }).join();
    is("has ended", cudaStreamEndCapture(a, &graph), cudaErrorIllegalState);
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaEventDestroy(event));
}

static void nodes() {
    int value = 1, host[4] = {0};
    void *arguments[] = {&out, &value};
    cudaGraph_t graph, other;
    cudaGraphNode_t a, b, stranger, node;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&other, 0));
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&a, graph, NULL, 0, &kernel));
    CHECK(cudaGraphAddKernelNode(&b, graph, &a, 1, &kernel));
    CHECK(cudaGraphAddKernelNode(&stranger, other, NULL, 0, &kernel));
    const cudaError_t invalid = cudaErrorInvalidValue;
    is("no parameters", cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL), invalid);
    is("another graph's node", cudaGraphAddKernelNode(&node, graph, &stranger, 1, &kernel),
       invalid);
    cudaGraphNode_t twice[] = {a, a};
    is("the same node twice", cudaGraphAddKernelNode(&node, graph, twice, 2, &kernel), invalid);
    kernel.blockDim = dim3(2000);
    is("a block too large", cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel), invalid);
    kernel.blockDim = dim3(1);
    kernel.func = NULL;
    is("no kernel", cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel),
       cudaErrorInvalidDeviceFunction);
    is("an edge twice", cudaGraphAddDependencies(graph, &a, &b, NULL, 1), invalid);
    is("an edge to itself", cudaGraphAddDependencies(graph, &a, &a, NULL, 1), invalid);
    is("no such edge", cudaGraphRemoveDependencies(graph, &b, &a, NULL, 1), invalid);
    CHECK(cudaGraphAddDependencies(graph, &b, &a, NULL, 1));
    cudaGraphInstantiateParams params = {};
    is("a circle", cudaGraphInstantiateWithParams(&exec, graph, &params), invalid);
    same("its result", 0, (int)params.result_out, (int)cudaGraphInstantiateInvalidStructure);
    CHECK(cudaGraphRemoveDependencies(graph, &b, &a, NULL, 1));
    is("no such flag", cudaGraphInstantiate(&exec, graph, 64), invalid);
    is("nothing copied",
       cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, out, host, 0, cudaMemcpyHostToDevice),
       invalid);
    is("wrong direction",
       cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, host, out, 4, cudaMemcpyHostToDevice),
       invalid);
    is("no direction",
       cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, out, host, 4, (cudaMemcpyKind)9),
       cudaErrorInvalidMemcpyDirection);
    cudaMemsetParams fill = {};
    fill.dst = out;
    fill.elementSize = 3;
    fill.width = fill.height = 1;
    is("elements of three bytes", cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), invalid);
    fill.elementSize = 4;
    fill.width = 0;
    is("nothing filled", cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), invalid);
    cudaHostNodeParams call = {NULL, NULL};
    is("no function", cudaGraphAddHostNode(&node, graph, NULL, 0, &call), invalid);
    call.fn = count_call;
    CHECK(cudaGraphAddHostNode(&node, graph, NULL, 0, &call));
    is("not a kernel", cudaGraphKernelNodeGetParams(node, &kernel), invalid);
    is("no file", cudaGraphDebugDotPrint(graph, "/nowhere/graph", 0), cudaErrorOperatingSystem);
    is("no graph", cudaGraphDestroy(NULL), invalid);
    is("nothing to launch", cudaGraphLaunch(NULL, 0), invalid);
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(other));
}

int main() {
    out = poisoned<int>(4);
    unsafe_calls();
    ends();
    nodes();
    return finish();
}
