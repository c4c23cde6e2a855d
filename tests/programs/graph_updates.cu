// Executable graphs changed after they were made: node by node, by another graph of the same shape,
// and switched off.
#include "check.h"

enum { COUNT = 32 };

__global__ void set(int *out, int value) {
    out[threadIdx.x] = value + blockIdx.x;
}
__global__ void multiply(int *out, int value) {
    out[threadIdx.x] *= value;
}

static void CUDART_CB count_call(void *calls) {
    ++*(int *)calls;
}

static cudaStream_t stream;

static cudaKernelNodeParams launch(void (*kernel)(int *, int), void **arguments) {
    cudaKernelNodeParams params = {};
    params.func = (void *)kernel;
    params.gridDim = dim3(1);
    params.blockDim = dim3(COUNT);
    params.kernelParams = arguments;
    return params;
}

/* set, multiply, copy to the host, and a call there. */
struct Chain {
    cudaGraph_t graph;
    cudaGraphNode_t set, multiply, copy, call;
};

static int got[COUNT], calls;

static Chain chain_of(int *out, int value, int times) {
    Chain c;
    void *first[] = {&out, &value}, *second[] = {&out, &times};
    cudaKernelNodeParams params = launch(set, first);
    cudaHostNodeParams host = {count_call, &calls};
    CHECK(cudaGraphCreate(&c.graph, 0));
    CHECK(cudaGraphAddKernelNode(&c.set, c.graph, NULL, 0, &params));
    params = launch(multiply, second);
    CHECK(cudaGraphAddKernelNode(&c.multiply, c.graph, &c.set, 1, &params));
    CHECK(cudaGraphAddMemcpyNode1D(&c.copy, c.graph, &c.multiply, 1, got, out, sizeof got,
                                   cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddHostNode(&c.call, c.graph, &c.copy, 1, &host));
    return c;
}

static void runs(const char *what, cudaGraphExec_t exec, int want) {
    calls = 0;
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    same(what, 0, got[COUNT - 1], want);
    same("calls", 0, calls, 1);
}

static void node_by_node(int *out, int *other) {
    Chain c = chain_of(out, 5, 10);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, c.graph, 0));
    runs("at first", exec, 50);
    int value = 6;
    void *arguments[] = {&out, &value};
    cudaKernelNodeParams params = launch(set, arguments);
    params.gridDim = dim3(1);
    CHECK(cudaGraphExecKernelNodeSetParams(exec, c.set, &params));
    runs("another argument", exec, 60);
    params.func = (void *)set;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, c.multiply, &params)); /* another kernel */
    runs("another kernel", exec, 6);
    CHECK(cudaMemset(other, 0, sizeof got));
    CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, c.copy, got, other, sizeof got,
                                             cudaMemcpyDeviceToHost));
    runs("another source", exec, 0);
    unsigned enabled;
    CHECK(cudaGraphNodeSetEnabled(exec, c.copy, 0));
    CHECK(cudaGraphNodeGetEnabled(exec, c.copy, &enabled));
    same("enabled", 0, enabled, 0u);
    got[COUNT - 1] = 77;
    runs("no copy", exec, 77);
    CHECK(cudaGraphNodeSetEnabled(exec, c.copy, 1));
    runs("the copy again", exec, 0);
    same("host functions are always called", 0, (int)cudaGraphNodeSetEnabled(exec, c.call, 0),
         (int)cudaErrorInvalidValue);
    cudaGetLastError();
    same("no other direction", 0,
         (int)cudaGraphExecMemcpyNodeSetParams1D(exec, c.copy, other, got, sizeof got,
                                                 cudaMemcpyHostToDevice),
         (int)cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(c.graph));
}

static cudaGraphExecUpdateResult update(cudaGraphExec_t exec, cudaGraph_t graph,
                                        cudaGraphNode_t *node) {
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    cudaError_t want =
        info.result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
    same("the call's error", 0, (int)error, (int)want);
    cudaGetLastError();
    *node = info.errorNode;
    return info.result;
}

static void whole_graphs(int *out) {
    Chain c = chain_of(out, 5, 10), d = chain_of(out, 7, 3);
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, c.graph, 0));
    same("same shape", 0, (int)update(exec, d.graph, &node), (int)cudaGraphExecUpdateSuccess);
    runs("another graph's parameters", exec, 21);
    CHECK(cudaGraphMemcpyNodeSetParams1D(d.copy, out, got, sizeof got, cudaMemcpyHostToDevice));
    same("other direction", 0, (int)update(exec, d.graph, &node),
         (int)cudaGraphExecUpdateErrorParametersChanged);
    same("which node", 0, node == d.copy, true);
    runs("a failed update changes nothing", exec, 21);
    CHECK(cudaGraphAddDependencies(d.graph, &d.set, &d.call, NULL, 1));
    CHECK(cudaGraphMemcpyNodeSetParams1D(d.copy, got, out, sizeof got, cudaMemcpyDeviceToHost));
    same("one more edge", 0, (int)update(exec, d.graph, &node),
         (int)cudaGraphExecUpdateErrorTopologyChanged);
    same("which node", 1, node == d.call, true);
    CHECK(cudaGraphDestroyNode(d.call));
    same("one node less", 0, (int)update(exec, d.graph, &node),
         (int)cudaGraphExecUpdateErrorTopologyChanged);
    CHECK(cudaGraphAddEmptyNode(&d.call, d.graph, &d.copy, 1));
    same("other type", 0, (int)update(exec, d.graph, &node),
         (int)cudaGraphExecUpdateErrorNodeTypeChanged);
    same("which node", 2, node == d.call, true);
    runs("still", exec, 21);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(c.graph));
    CHECK(cudaGraphDestroy(d.graph));
}

/* A captured loop: the same executable graph gets each round's parameters. */
static void captured(int *out) {
    cudaGraphExec_t exec = NULL;
    for (int round = 0; round < 4; round++) {
        cudaGraph_t graph;
        cudaGraphNode_t node;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        set<<<1, COUNT, 0, stream>>>(out, round);
        multiply<<<1, COUNT, 0, stream>>>(out, 100 + round);
        CHECK(cudaStreamEndCapture(stream, &graph));
        if (!exec)
            CHECK(cudaGraphInstantiate(&exec, graph, 0));
        else
            same("captured again", round, (int)update(exec, graph, &node),
                 (int)cudaGraphExecUpdateSuccess);
        CHECK(cudaGraphDestroy(graph));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        same("round", round, to_host(out, COUNT)[0], round * (100 + round));
    }
    CHECK(cudaGraphExecDestroy(exec));
}

static void children(int *out) {
    Chain inner = chain_of(out, 1, 2), other = chain_of(out, 3, 4);
    cudaGraph_t graph, own;
    cudaGraphNode_t child, node;
    cudaGraphExec_t exec;
    size_t n = 1;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddChildGraphNode(&child, graph, NULL, 0, inner.graph));
    CHECK(cudaGraphChildGraphNodeGetGraph(child, &own));
    CHECK(cudaGraphGetNodes(own, &node, &n));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    runs("child", exec, 2);
    CHECK(cudaGraphExecChildGraphNodeSetParams(exec, child, other.graph));
    runs("another child's parameters", exec, 12);
    CHECK(cudaGraphNodeSetEnabled(exec, node,
                                  0)); /* set: the node of a child is found through the child */
    runs("a child without its first node", exec, 48);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(inner.graph));
    CHECK(cudaGraphDestroy(other.graph));
}

int main() {
    int *out = poisoned<int>(COUNT), *other = poisoned<int>(COUNT);
    CHECK(cudaStreamCreate(&stream));
    node_by_node(out, other);
    whole_graphs(out);
    captured(out);
    children(out);
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
