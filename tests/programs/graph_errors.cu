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

/* The same of a call that is one expression; s is the stream. */
#define INSIDE(what, mode, blocking, call, want, end)                                              \
    inside(                                                                                        \
        what, mode, blocking, [](S s) { return (void)s, call; }, want, end)

typedef cudaStream_t S;

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
    INSIDE("synchronise", global, true, cudaStreamSynchronize(s), unsupported, invalid);
    INSIDE("synchronise, relaxed", relaxed, false, cudaStreamSynchronize(s), unsupported, invalid);
    INSIDE("query", global, true, cudaStreamQuery(s), unsupported, invalid);
    INSIDE("query another", global, true, cudaStreamQuery(idle), unsupported, invalid);
    INSIDE("query another, relaxed", relaxed, true, cudaStreamQuery(idle), fine, fine);
    INSIDE("device", global, true, cudaDeviceSynchronize(), unsupported, invalid);
    INSIDE("legacy stream", global, true, cudaStreamSynchronize(0), implicit, invalid);
    INSIDE("copy", global, true, cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost), implicit,
           invalid);
    INSIDE("fill", global, true, cudaMemset(out, 0, 4), implicit, invalid);
    inside(
        "launch into the legacy stream", global, true,
        [](S) {
            add<<<1, 1>>>(out, 1);
            return cudaGetLastError();
        },
        implicit, invalid);
    INSIDE("allocate", global, true, cudaMalloc(&memory, 4), unsupported, invalid);
    INSIDE("free", global, true, cudaFree(NULL), unsupported, invalid);
    inside(
        "allocate, relaxed", relaxed, true,
        [](S) {
            cudaError_t error = cudaMalloc(&memory, 4);
            return error ? error : cudaFree(memory);
        },
        fine, fine);
    INSIDE("callback", global, true, cudaStreamAddCallback(s, count_callback, host, 0), unsupported,
           invalid);
    INSIDE("other event", global, true, cudaEventQuery(old), unsupported, invalid);
    inside(
        "captured event", global, true,
        [](S s) {
            CHECK(cudaEventRecord(event, s));
            return cudaEventQuery(event);
        },
        cudaErrorCapturedEvent, invalid);
    INSIDE("isolation", global, true, cudaStreamWaitEvent(s, old, 0),
           cudaErrorStreamCaptureIsolation, invalid);
    inside(
        "a launch that cannot be", global, true,
        [](S s) {
            add<<<1, 2000, 0, s>>>(out, 1);
            return cudaGetLastError();
        },
        cudaErrorInvalidValue, invalid);
    INSIDE("memory of another stream", global, true, cudaMallocAsync(&memory, 4, idle), unsupported,
           invalid);
    INSIDE("a graph", global, true, cudaGraphLaunch(NULL, s), unsupported, invalid);
    INSIDE("a limit", global, true, cudaDeviceSetLimit(cudaLimitStackSize, 2048), unsupported,
           invalid);
    INSIDE("twice", global, true, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal),
           cudaErrorIllegalState, fine);
    INSIDE("a null function", global, true, cudaLaunchHostFunc(s, NULL, host),
           cudaErrorInvalidValue, fine);
    INSIDE("a null pointer", global, true, cudaMemcpyAsync(out, NULL, 16, cudaMemcpyDefault, s),
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
