// Graphs made node by node: every type of node, their order, their edges, clones, destroyed nodes,
// user objects.
#include "check.h"

#include <string>
#include <unistd.h>

enum { COUNT = 256 };

__device__ int factor[2];
__constant__ int offset;

__global__ void fill(int *out, int value) {
    out[threadIdx.x] = value;
}
__global__ void add(int *out, const int *in, int times) {
    out[threadIdx.x] += times * in[threadIdx.x];
}
__global__ void scale(int *out) {
    out[threadIdx.x] = out[threadIdx.x] * factor[1] + offset;
}

static void CUDART_CB count_call(void *calls) {
    ++*(int *)calls;
}

typedef std::vector<cudaGraphNode_t> Nodes;

/* A type that is not deduced from an argument. */
template <class T> struct Same { typedef T type; };

/* Adds a launch of one block of COUNT threads. */
template <class... P>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, const Nodes &before, void (*kernel)(P...),
                                  typename Same<P>::type... arguments) {
    void *list[] = {&arguments...};
    cudaKernelNodeParams params = {};
    params.func = (void *)kernel;
    params.gridDim = dim3(1);
    params.blockDim = dim3(COUNT);
    params.kernelParams = list;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &params));
    return node;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

/* What a graph has, as text: the types of its nodes, and its edges by the nodes' places. */
static std::string shape_of(cudaGraph_t graph) {
    static const char *const names[] = {"kernel", "copy",  "fill", "host",
                                        "child",  "empty", "wait", "record"};
    size_t n = 0, edges = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &n));
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    Nodes nodes(n), from(edges), to(edges);
    if (n) CHECK(cudaGraphGetNodes(graph, nodes.data(), &n));
    if (edges) CHECK(cudaGraphGetEdges(graph, from.data(), to.data(), NULL, &edges));
    std::string text;
    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(node, &type));
        text += std::string(names[type]) + " ";
    }
    auto place = [&](cudaGraphNode_t node) {
        size_t i = 0;
        while (nodes[i] != node) i++;
        return std::to_string(i);
    };
    for (size_t i = 0; i < edges; i++) text += place(from[i]) + ">" + place(to[i]) + " ";
    return text;
}

static void same_text(const char *what, const std::string &got, const std::string &want) {
    if (got == want) return;
    printf("%s: got \"%s\", want \"%s\"\n", what, got.c_str(), want.c_str());
    differences++;
}

/* A graph with a node of each type; what it computes. */
static void every_type(cudaStream_t stream) {
    int *a = poisoned<int>(COUNT), *b = poisoned<int>(COUNT), calls = 0;
    std::vector<int> host(COUNT, 7), back(COUNT);
    const int factors[2] = {0, 3}, five = 5;
    cudaEvent_t before, after;
    cudaGraph_t graph, child;
    cudaGraphNode_t node;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    CHECK(cudaGraphCreate(&child, 0));
    cudaGraphNode_t first = add_kernel(child, {}, fill, b, 2);
    add_kernel(child, {first}, add, b, a, 10); /* b = 2 + 10 a */

    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t start, copy, set, to_symbol, from_symbol, to_constant, inner, call, join;
    int symbol_back[2] = {-1, -1};
    cudaMemsetParams pattern = {};
    pattern.dst = b;
    pattern.elementSize = 2;
    pattern.value = 0x0102;
    pattern.width = 2 * COUNT;
    pattern.height = 1;
    cudaHostNodeParams host_params = {count_call, &calls};
    CHECK(cudaGraphAddEventRecordNode(&start, graph, NULL, 0, before));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &start, 1, a, host.data(), COUNT * sizeof(int),
                                   cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemsetNode(&set, graph, &start, 1, &pattern));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, &start, 1, factor, factors,
                                         sizeof factors, 0, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_constant, graph, NULL, 0, offset, &five, sizeof five,
                                         0, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, graph, &to_symbol, 1, &symbol_back[0],
                                           factor, sizeof(int), sizeof(int),
                                           cudaMemcpyDeviceToHost));
    Nodes both = {copy, set};
    CHECK(cudaGraphAddEmptyNode(&join, graph, both.data(), 2));
    CHECK(cudaGraphAddChildGraphNode(&inner, graph, &join, 1, child));
    cudaGraphNode_t scaled = add_kernel(graph, {inner, to_symbol, to_constant}, scale, b);
    CHECK(cudaGraphAddMemcpyNode1D(&node, graph, &scaled, 1, back.data(), b, COUNT * sizeof(int),
                                   cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddHostNode(&call, graph, &node, 1, &host_params));
    CHECK(cudaGraphAddEventWaitNode(&node, graph, &call, 1, before));
    CHECK(cudaGraphAddEventRecordNode(&node, graph, &node, 1, after));
    same_text("every type", shape_of(graph),
              "record copy fill copy copy copy empty child kernel copy host wait record "
              "0>1 0>2 0>3 1>6 2>6 3>5 3>8 4>8 6>7 7>8 8>9 9>10 10>11 11>12 ");
    cudaGraphExec_t exec = instantiate(graph);
    for (int round = 1; round <= 3; round++) {
        float ms = -1;
        std::fill(back.begin(), back.end(), 0);
        CHECK(cudaGraphLaunch(exec, round == 3 ? 0 : stream));
        CHECK(cudaEventSynchronize(after));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, before, after));
        for (int i = 0; i < COUNT; i++)
            same("every type", i, back[(size_t)i], (2 + 10 * 7) * 3 + 5);
        same("part of a symbol", round, symbol_back[0], 3);
        same("calls of the host", round, calls, round);
        same("time passes", round, ms > 0, true);
    }
    CHECK(cudaGraphExecDestroy(exec));

    /* The fill alone: elements of two bytes. */
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &pattern));
    exec = instantiate(graph);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int value : to_host(b, COUNT)) same("elements of two bytes", 0, value, 0x01020102);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaEventDestroy(before));
    CHECK(cudaEventDestroy(after));
}

/* Parameters are those at the time when the node was added; a launch sees those of its executable
 * graph. */
static void parameters(cudaStream_t stream) {
    int *out = poisoned<int>(COUNT);
    cudaGraph_t graph;
    cudaKernelNodeParams params;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t node = add_kernel(graph, {}, fill, out, 11);
    cudaGraphExec_t exec = instantiate(graph);
    CHECK(cudaGraphKernelNodeGetParams(node, &params));
    same("function", 0, params.func == (void *)fill, true);
    same("threads", 0, params.blockDim.x, COUNT);
    same("argument", 0, *(int *)params.kernelParams[1], 11);
    int value = 22;
    void *list[] = {&out, &value};
    params.kernelParams = list;
    CHECK(cudaGraphKernelNodeSetParams(node, &params));
    value = 33;
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("instantiated before", 0, to_host(out, COUNT)[0], 11);
    CHECK(cudaGraphExecDestroy(exec));
    exec = instantiate(graph);
    CHECK(cudaGraphDestroy(graph)); /* an executable graph needs it no longer */
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("instantiated afterwards", 0, to_host(out, COUNT)[0], 22);
    CHECK(cudaGraphExecDestroy(exec));
}

static void clones(cudaStream_t stream) {
    int *out = poisoned<int>(COUNT), *other = poisoned<int>(COUNT);
    cudaGraph_t graph, clone;
    cudaGraphNode_t twin;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = add_kernel(graph, {}, fill, out, 1),
                    b = add_kernel(graph, {a}, fill, other, 2);
    cudaGraphNode_t c = add_kernel(graph, {a, b}, add, out, other, 1);
    CHECK(cudaGraphClone(&clone, graph));
    same_text("clone", shape_of(clone), "kernel kernel kernel 0>1 0>2 1>2 ");
    CHECK(cudaGraphNodeFindInClone(&twin, b, clone));
    same("another node", 0, twin != b, true);
    size_t n = 5;
    Nodes list(n);
    CHECK(cudaGraphNodeGetDependencies(c, list.data(), NULL, &n));
    same("dependencies", 0, n, 2);
    same("first dependency", 0, list[0] == a && list[1] == b && list[2] == NULL, true);
    n = 1;
    CHECK(cudaGraphNodeGetDependentNodes(a, list.data(), NULL, &n));
    same("dependent nodes", 0, list[0] == b, true);
    n = 3;
    CHECK(cudaGraphGetRootNodes(clone, list.data(), &n));
    same("roots", 0, n, 1);
    CHECK(cudaGraphDestroyNode(b));
    same_text("node destroyed", shape_of(graph), "kernel kernel 0>1 ");
    CHECK(cudaGraphRemoveDependencies(graph, &a, &c, NULL, 1));
    same_text("edge removed", shape_of(graph), "kernel kernel ");
    CHECK(cudaGraphAddDependencies(graph, &a, &c, NULL, 1));
    same_text("edge added", shape_of(graph), "kernel kernel 0>1 ");
    cudaGraphExec_t exec = instantiate(clone);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("the clone runs", 0, to_host(out, COUNT)[0], 3);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(graph));
}

/* cudaGraphAddNode, for which all types have one structure. */
static void generic(cudaStream_t stream) {
    int *out = poisoned<int>(COUNT), value = 4;
    void *list[] = {&out, &value};
    cudaGraph_t graph;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = (void *)fill;
    params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(COUNT);
    params.kernel.kernelParams = list;
    CHECK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    cudaGraphExec_t exec = instantiate(graph);
    value = 6;
    CHECK(cudaGraphExecNodeSetParams(exec, node, &params));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("cudaGraphAddNode", 0, to_host(out, COUNT)[COUNT - 1], 6);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* A resource lives as long as the graph, a clone or an executable graph. */
static void objects() {
    static int freed;
    cudaUserObject_t object;
    cudaGraph_t graph, clone;
    CHECK(cudaUserObjectCreate(&object, &freed, count_call, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    CHECK(cudaGraphClone(&clone, graph));
    cudaGraphExec_t exec = instantiate(graph);
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(clone));
    usleep(50000);
    same("still held", 0, freed, 0);
    CHECK(cudaGraphExecDestroy(exec));
    for (int i = 0; i < 100 && !freed; i++) usleep(10000);
    same("freed once", 0, freed, 1);
}

/* Attributes of kernel nodes and of streams: what is set is read again, and can be copied. */
static void attributes(cudaStream_t stream) {
    int *out = poisoned<int>(COUNT);
    cudaGraph_t graph;
    cudaStream_t other;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = add_kernel(graph, {}, fill, out, 1),
                    b = add_kernel(graph, {a}, fill, out, 2);
    cudaKernelNodeAttrValue value = {};
    CHECK(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &value));
    same("priority at first", 0, value.priority, 0);
    value.priority = -3;
    CHECK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &value));
    CHECK(cudaGraphKernelNodeCopyAttributes(b, a));
    value.priority = 7;
    CHECK(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &value));
    same("priority copied", 0, value.priority, -3);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("with priorities", 0, to_host(out, COUNT)[0], 2);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    cudaStreamAttrValue policy = {};
    CHECK(cudaStreamCreate(&other));
    policy.syncPolicy = cudaSyncPolicySpin;
    CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &policy));
    CHECK(cudaStreamCopyAttributes(other, stream));
    policy.syncPolicy = cudaSyncPolicyAuto;
    CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeSynchronizationPolicy, &policy));
    same("a stream's policy", 0, (int)policy.syncPolicy, (int)cudaSyncPolicySpin);
    CHECK(cudaStreamDestroy(other));
}

/* A picture of a graph, for Graphviz. */
static void dot() {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = add_kernel(graph, {}, fill, (int *)NULL, 1);
    CHECK(cudaGraphAddEmptyNode(&a, graph, &a, 1));
    char path[] = "/tmp/graph-XXXXXX", text[4096];
    int file = mkstemp(path);
    CHECK(cudaGraphDebugDotPrint(graph, path, 0));
    ssize_t length = read(file, text, sizeof text - 1);
    text[length > 0 ? length : 0] = 0;
    same("dot: a digraph", 0, strncmp(text, "digraph dot {", 13), 0);
    same("dot: the kernel", 0, strstr(text, "fill") != NULL, true);
    same("dot: an edge", 0, strstr(text, "_node_0\" -> \"graph_") != NULL, true);
    same("dot: EMPTY", 0, strstr(text, "EMPTY") != NULL, true);
    close(file);
    unlink(path);
    CHECK(cudaGraphDestroy(graph));
}

int main() {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    every_type(stream);
    parameters(stream);
    clones(stream);
    generic(stream);
    attributes(stream);
    objects();
    dot();
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
