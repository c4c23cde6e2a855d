// Conditional nodes: if with and without else, while, switch, nested ones, and default values.
#include "check.h"

__global__ void count_down(cudaGraphConditionalHandle handle, int *left) {
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}
__global__ void choose(cudaGraphConditionalHandle handle, const unsigned *value) {
    if (threadIdx.x == 0) cudaGraphSetConditional(handle, *value);
}
__global__ void add(int *out, int value) {
    *out += value;
}

static cudaStream_t stream;

template <class... P>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t before, void (*kernel)(P...),
                                  P... arguments) {
    void *list[] = {&arguments...};
    cudaKernelNodeParams params = {};
    cudaGraphNode_t node;
    params.func = (void *)kernel;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = list;
    CHECK(cudaGraphAddKernelNode(&node, graph, &before, before != NULL, &params));
    return node;
}

/* A conditional node, and its bodies. */
static cudaGraph_t *add_condition(cudaGraph_t graph, cudaGraphNode_t before,
                                  cudaGraphConditionalHandle handle,
                                  cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraphNodeParams params = {};
    cudaGraphNode_t node;
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    CHECK(cudaGraphAddNode(&node, graph, &before, NULL, before != NULL, &params));
    return params.conditional.phGraph_out;
}

static cudaGraphConditionalHandle handle_of(cudaGraph_t graph, unsigned value, unsigned flags) {
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, value, flags));
    return handle;
}

static int launched(cudaGraphExec_t exec, int *out) {
    CHECK(cudaMemset(out, 0, sizeof *out));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    return to_host(out, 1)[0];
}

/* Body i of a node adds 1, 10, 100, ...; what is added for each value of the condition. */
static void chosen(const char *what, cudaGraphConditionalNodeType type, unsigned size,
                   std::vector<int> want) {
    int *out = poisoned<int>(1);
    unsigned *value = poisoned<unsigned>(1);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle = handle_of(graph, 0, 0);
    cudaGraphNode_t node = add_kernel<cudaGraphConditionalHandle, const unsigned *>(
        graph, NULL, choose, handle, value);
    cudaGraph_t *bodies = add_condition(graph, node, handle, type, size);
    for (unsigned i = 0, term = 1; i < size; i++, term *= 10)
        add_kernel(bodies[i], NULL, add, out, (int)term);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 0; i < want.size(); i++) {
        CHECK(cudaMemcpy(value, &i, sizeof i, cudaMemcpyHostToDevice));
        same(what, i, launched(exec, out), want[i]);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* Two loops, one in the other, captured. */
static void loops() {
    int *outer_left = poisoned<int>(1), *inner_left = poisoned<int>(1), *out = poisoned<int>(1);
    const int outer = 3, inner = 4;
    cudaGraph_t graph, same_graph;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle = handle_of(graph, 1, cudaGraphCondAssignDefault);
    cudaGraph_t body = add_condition(graph, NULL, handle, cudaGraphCondTypeWhile, 1)[0];
    cudaGraphConditionalHandle inner_handle = handle_of(body, 1, cudaGraphCondAssignDefault);
    cudaGraphNode_t set;
    cudaMemsetParams four = {};
    four.dst = inner_left;
    four.elementSize = 4;
    four.width = four.height = 1;
    four.value = inner;
    CHECK(cudaGraphAddMemsetNode(&set, body, NULL, 0, &four));
    unsigned *one = poisoned<unsigned>(1), value = 1;
    CHECK(cudaMemcpy(one, &value, sizeof value, cudaMemcpyHostToDevice));
    set = add_kernel<cudaGraphConditionalHandle, const unsigned *>(body, set, choose, inner_handle,
                                                                   one);
    cudaGraph_t inner_body = add_condition(body, set, inner_handle, cudaGraphCondTypeWhile, 1)[0];
    CHECK(cudaStreamBeginCaptureToGraph(stream, inner_body, NULL, NULL, 0,
                                        cudaStreamCaptureModeThreadLocal));
    add<<<1, 1, 0, stream>>>(out, 1);
    count_down<<<1, 1, 0, stream>>>(inner_handle, inner_left);
    CHECK(cudaStreamEndCapture(stream, &same_graph));
    same("captured into a body", 0, same_graph == inner_body, true);
    size_t n = 0;
    std::vector<cudaGraphNode_t> nodes(8);
    n = nodes.size();
    CHECK(cudaGraphGetNodes(body, nodes.data(), &n));
    add_kernel(body, nodes[n - 1], count_down, handle, outer_left);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaMemcpy(outer_left, &outer, sizeof outer, cudaMemcpyHostToDevice));
        same("nested loops", round, launched(exec, out), outer * inner);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void refused() {
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec, second;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle = handle_of(graph, 1, cudaGraphCondAssignDefault);
    same("a handle that no node has", 0, (int)cudaGraphInstantiate(&exec, graph, 0),
         (int)cudaErrorInvalidValue);
    cudaGraph_t body = add_condition(graph, NULL, handle, cudaGraphCondTypeIf, 1)[0];
    same("a body is not the program's", 0, (int)cudaGraphDestroy(body), (int)cudaErrorInvalidValue);
    same("no clones", 0, (int)cudaGraphClone(&clone, graph), (int)cudaErrorNotSupported);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    same("one executable graph", 0, (int)cudaGraphInstantiate(&second, graph, 0),
         (int)cudaErrorNotSupported);
    CHECK(cudaGraphExecDestroy(exec));
    cudaEvent_t event;
    cudaGraphNode_t node;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaGraphAddEventRecordNode(&node, body, NULL, 0, event));
    same("no events in a body", 0, (int)cudaGraphInstantiate(&exec, graph, 0),
         (int)cudaErrorInvalidValue);
    CHECK(cudaEventDestroy(event));
    CHECK(cudaGraphDestroy(graph));
    cudaGetLastError();
}

int main() {
    CHECK(cudaStreamCreate(&stream));
    chosen("if", cudaGraphCondTypeIf, 1, {0, 1, 1});
    chosen("if and else", cudaGraphCondTypeIf, 2, {10, 1, 1});
    chosen("switch", cudaGraphCondTypeSwitch, 3, {1, 10, 100, 0, 0});
    loops();
    refused();
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
