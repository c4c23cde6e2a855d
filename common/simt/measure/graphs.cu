/*
 * graphs.cu: what graphs cost, beside the same work launched into a stream. It prints a table like
 * timeline.cu's:
 *
 *   experiment  graph: between two events around one launch; call, graph call: the host's time in
 *               one call, for a graph of one node and for others
 *   variant     the shape of the graph and what its nodes do; or the name of an API function
 *   streams     nodes of the graph, or rounds of its loop
 *
 * A chain's nodes follow each other, a fork's have one node before them and one after.
 */
#include "timeline.h"

enum {
    MOST_NODES = 256,
    BYTES = 1024,
    SHORT_ROUNDS = 0,
    LONG_ROUNDS = 300 /* some 80 microseconds */
};

typedef std::vector<cudaGraphNode_t> Nodes;
/* Adds a node after those, and returns it. */
typedef std::function<cudaGraphNode_t(cudaGraph_t, const Nodes &)> Add;

static cudaStream_t stream;
static char *from, *to;

/* ---- Nodes ---- */

static cudaGraphNode_t addKernel(cudaGraph_t graph, const Nodes &before, int rounds) {
    float *out = NULL;
    void *arguments[] = {&out, &rounds};
    cudaKernelNodeParams params = {};
    cudaGraphNode_t node;
    params.func = (void *)turn;
    params.gridDim = dim3(1);
    params.blockDim = dim3(WARP);
    params.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &params));
    return node;
}

static cudaGraphNode_t addShort(cudaGraph_t graph, const Nodes &before) {
    return addKernel(graph, before, SHORT_ROUNDS);
}

static cudaGraphNode_t addLong(cudaGraph_t graph, const Nodes &before) {
    return addKernel(graph, before, LONG_ROUNDS);
}

static cudaGraphNode_t addCopy(cudaGraph_t graph, const Nodes &before) {
    cudaGraphNode_t node;
    CHECK(cudaGraphAddMemcpyNode1D(&node, graph, before.data(), before.size(), to, from, BYTES,
                                   cudaMemcpyDeviceToDevice));
    return node;
}

static cudaGraphNode_t addFill(cudaGraph_t graph, const Nodes &before) {
    cudaMemsetParams params = {};
    cudaGraphNode_t node;
    params.dst = to;
    params.elementSize = 1;
    params.width = BYTES;
    params.height = 1;
    CHECK(cudaGraphAddMemsetNode(&node, graph, before.data(), before.size(), &params));
    return node;
}

static cudaGraphNode_t addEmpty(cudaGraph_t graph, const Nodes &before) {
    cudaGraphNode_t node;
    CHECK(cudaGraphAddEmptyNode(&node, graph, before.data(), before.size()));
    return node;
}

static void CUDART_CB hostFunction(void *unused) {
    (void)unused;
}

static cudaGraphNode_t addHost(cudaGraph_t graph, const Nodes &before) {
    cudaHostNodeParams params = {hostFunction, NULL};
    cudaGraphNode_t node;
    CHECK(cudaGraphAddHostNode(&node, graph, before.data(), before.size(), &params));
    return node;
}

/* ---- Graphs ---- */

static cudaGraph_t chainOf(int n, const Add &add) {
    cudaGraph_t graph;
    Nodes last;
    CHECK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < n; i++) last = {add(graph, last)};
    return graph;
}

static cudaGraph_t forkOf(int n, const Add &add) {
    cudaGraph_t graph;
    Nodes branches;
    CHECK(cudaGraphCreate(&graph, 0));
    Nodes first = {addEmpty(graph, {})};
    for (int i = 0; i < n; i++) branches.push_back(add(graph, first));
    addEmpty(graph, branches);
    return graph;
}

/* Sets the condition while rounds are left. */
static __global__ void countDown(cudaGraphConditionalHandle handle, int *left, int rounds) {
    if (*left == 0) *left = rounds;
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

/* A loop of so many rounds around one kernel. */
static cudaGraph_t loopOf(int rounds) {
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    int *left = (int *)to;
    void *arguments[] = {&handle, &left, &rounds};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)countDown;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    CHECK(cudaMemset(to, 0, BYTES));
    CHECK(cudaGraphAddKernelNode(&node, params.conditional.phGraph_out[0], NULL, 0, &kernel));
    return graph;
}

/* ---- Times ---- */

/* The calls with larger graphs have another name: the first are those that simt's costs are
 * compared with. */
static const char *callOf(int n) {
    return n <= 1 ? "call" : "graph call";
}

static void launchGraph(cudaGraphExec_t exec) {
    CHECK(cudaGraphLaunch(exec, stream));
}

/* The rows of a graph, which it destroys. */
static void printGraph(const std::string &variant, int n, cudaGraph_t graph, bool host) {
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    printRow("graph", variant, 0, n, deviceFigure(samplesFor(0), [=] { launchGraph(exec); }));
    if (host && !modelled)
        printRow(callOf(n), "cudaGraphLaunch", 0, n,
                 hostFigure(
                     samplesFor(0), [] {}, [=] { launchGraph(exec); },
                     [] { CHECK(cudaDeviceSynchronize()); }));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void printShapes(int n) {
    printGraph("chain", n, chainOf(n, addShort), true);
    printGraph("fork", n, forkOf(n, addShort), false);
    printGraph("chain of long kernels", n, chainOf(n, addLong), false);
    printGraph("fork of long kernels", n, forkOf(n, addLong), false);
    printGraph("chain of copies", n, chainOf(n, addCopy), false);
    printGraph("chain of fills", n, chainOf(n, addFill), false);
    printGraph("chain of empty nodes", n, chainOf(n, addEmpty), false);
    printGraph("loop", n, loopOf(n), false);
    printRow("graph", "launches instead of a chain", 0, n, deviceFigure(samplesFor(0), [=] {
                 for (int i = 0; i < n; i++) turn<<<1, WARP, 0, stream>>>(NULL, SHORT_ROUNDS);
             }));
    printRow("graph", "launches instead of a chain of long kernels", 0, n,
             deviceFigure(samplesFor(0), [=] {
                 for (int i = 0; i < n; i++) turn<<<1, WARP, 0, stream>>>(NULL, LONG_ROUNDS);
             }));
}

/* ---- Calls of the host ---- */

static cudaGraph_t graphs[SAMPLES + 1], parent;
static cudaGraphExec_t execs[SAMPLES + 1];
static int turnNumber;

/* The row of a call that is made once with each of the graphs. */
static void printCallOf(const char *function, int n, const std::function<void(int)> &timed) {
    turnNumber = 0;
    printRow(callOf(n), function, 0, n,
             hostFigure(
                 SAMPLES, nothing, [=] { timed(turnNumber++); }, nothing));
}

/* The calls in a graph's life, of n nodes. */
static void printLife(int n) {
    printCallOf("cudaGraphCreate", n, [](int i) { CHECK(cudaGraphCreate(&graphs[i], 0)); });
    for (cudaGraph_t graph : graphs) CHECK(cudaGraphDestroy(graph));
    for (cudaGraph_t &graph : graphs) graph = chainOf(n, addShort);
    printCallOf("cudaGraphInstantiate", n,
                [](int i) { CHECK(cudaGraphInstantiate(&execs[i], graphs[i], 0)); });
    printCallOf("cudaGraphUpload", n, [](int i) { CHECK(cudaGraphUpload(execs[i], stream)); });
    printCallOf("cudaGraphExecUpdate", n, [](int i) {
        cudaGraphExecUpdateResultInfo info;
        CHECK(cudaGraphExecUpdate(execs[i], graphs[i], &info));
    });
    printCallOf("cudaGraphExecDestroy", n, [](int i) { CHECK(cudaGraphExecDestroy(execs[i])); });
    printCallOf("cudaGraphAddKernelNode", n, [](int i) { addShort(graphs[i], {}); });
    printCallOf("cudaGraphDestroy", n, [](int i) { CHECK(cudaGraphDestroy(graphs[i])); });
    parent = chainOf(n, addShort);
    printCallOf("cudaGraphClone", n, [](int i) { CHECK(cudaGraphClone(&graphs[i], parent)); });
    for (cudaGraph_t graph : graphs) CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(parent));
}

static void printCapture() {
    printRow("call", "cudaStreamBeginCapture", 0, 0,
             hostFigure(
                 SAMPLES, nothing,
                 [] { CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed)); },
                 [] {
                     CHECK(cudaStreamEndCapture(stream, &parent));
                     CHECK(cudaGraphDestroy(parent));
                 }));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    std::vector<double> times;
    for (int i = 0; i < MOST_NODES; i++) {
        double begin = hostUs();
        turn<<<1, WARP, 0, stream>>>(NULL, SHORT_ROUNDS);
        times.push_back(hostUs() - begin);
    }
    double begin = hostUs();
    CHECK(cudaStreamEndCapture(stream, &parent));
    printRow("graph call", "cudaStreamEndCapture", 0, MOST_NODES, {hostUs() - begin, 0});
    printRow("call", "cudaLaunchKernel into a capture", 0, 1, figureOf(times));
    CHECK(cudaGraphDestroy(parent));
}

int main() {
    CHECK(cudaFree(0));
    bench = openBench("graphs");
    modelled = bench.device.modelled;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&from, BYTES));
    CHECK(cudaMalloc(&to, BYTES));
    printf("experiment,variant,bytes,streams,us,spread\n");
    for (int n : {1, 2, 4, 16, 64, (int)MOST_NODES}) printShapes(n);
    for (int n : {1, 4, 16}) printGraph("chain of host functions", n, chainOf(n, addHost), false);
    if (!modelled) {
        for (int n : {1, 16, (int)MOST_NODES}) printLife(n);
        printCapture();
    }
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return EXIT_OK;
}
