/* extra/graphs/add.c: adds a node of each type to a graph. */
#include "graph.h"

#define DEPENDENCIES                                                                               \
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t n

/* Adds a node of the type, whose member of the parameters' union has this value. */
#define ADD(node_type, member, value)                                                              \
    do {                                                                                           \
        struct cudaGraphNodeParams params_ = {.type = (node_type), .member = (value)};             \
        RT_ACTING_CALL(rt_graph_add(rt_graph(graph), before, NULL, n, &params_, node));            \
    } while (0)

/* The same where the program gives a pointer to the value. */
#define ADD_FROM(node_type, member, pointer)                                                       \
    do {                                                                                           \
        struct cudaGraphNodeParams params_ = {.type = (node_type)};                                \
        if (pointer) params_.member = *(pointer);                                                  \
        RT_ACTING_CALL(                                                                            \
            rt_graph_add(rt_graph(graph), before, NULL, n, (pointer) ? &params_ : NULL, node));    \
    } while (0)

cudaError_t cudaGraphAddKernelNode(DEPENDENCIES, const struct cudaKernelNodeParams *kernel) {
    ADD_FROM(cudaGraphNodeTypeKernel, kernel, kernel);
}

cudaError_t cudaGraphAddMemcpyNode(DEPENDENCIES, const struct cudaMemcpy3DParms *copy) {
    ADD_FROM(cudaGraphNodeTypeMemcpy, memcpy.copyParams, copy);
}

cudaError_t cudaGraphAddMemcpyNode1D(DEPENDENCIES, void *to, const void *from, size_t count,
                                     enum cudaMemcpyKind kind) {
    ADD(cudaGraphNodeTypeMemcpy, memcpy.copyParams, rt_line(to, from, count, kind));
}

static cudaError_t add_to_symbol(DEPENDENCIES, const void *symbol, const void *from, size_t count,
                                 size_t offset, enum cudaMemcpyKind kind) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemcpy};
    cudaError_t error =
        rt_line_to_symbol(&params.memcpy.copyParams, symbol, from, count, offset, kind);
    return error ? error : rt_graph_add(rt_graph(graph), before, NULL, n, &params, node);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(DEPENDENCIES, const void *symbol, const void *from,
                                           size_t count, size_t offset, enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(add_to_symbol(node, graph, before, n, symbol, from, count, offset, kind));
}

static cudaError_t add_from_symbol(DEPENDENCIES, void *to, const void *symbol, size_t count,
                                   size_t offset, enum cudaMemcpyKind kind) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemcpy};
    cudaError_t error =
        rt_line_from_symbol(&params.memcpy.copyParams, to, symbol, count, offset, kind);
    return error ? error : rt_graph_add(rt_graph(graph), before, NULL, n, &params, node);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(DEPENDENCIES, void *to, const void *symbol,
                                             size_t count, size_t offset,
                                             enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(add_from_symbol(node, graph, before, n, to, symbol, count, offset, kind));
}

cudaError_t cudaGraphAddMemsetNode(DEPENDENCIES, const struct cudaMemsetParams *fill) {
    ADD_FROM(cudaGraphNodeTypeMemset, memset, fill);
}

cudaError_t cudaGraphAddHostNode(DEPENDENCIES, const struct cudaHostNodeParams *host) {
    ADD_FROM(cudaGraphNodeTypeHost, host, host);
}

cudaError_t cudaGraphAddChildGraphNode(DEPENDENCIES, cudaGraph_t child) {
    ADD(cudaGraphNodeTypeGraph, graph.graph, child);
}

cudaError_t cudaGraphAddEmptyNode(DEPENDENCIES) {
    ADD(cudaGraphNodeTypeEmpty, reserved2, 0);
}

cudaError_t cudaGraphAddEventRecordNode(DEPENDENCIES, cudaEvent_t event) {
    ADD(cudaGraphNodeTypeEventRecord, eventRecord.event, event);
}

cudaError_t cudaGraphAddEventWaitNode(DEPENDENCIES, cudaEvent_t event) {
    ADD(cudaGraphNodeTypeWaitEvent, eventWait.event, event);
}

/* Also tells the program the address. */
static cudaError_t add_alloc(DEPENDENCIES, struct cudaMemAllocNodeParams *alloc) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemAlloc};
    if (!alloc) return cudaErrorInvalidValue;
    params.alloc = *alloc;
    cudaError_t error = rt_graph_add(rt_graph(graph), before, NULL, n, &params, node);
    if (!error) alloc->dptr = params.alloc.dptr;
    return error;
}

cudaError_t cudaGraphAddMemAllocNode(DEPENDENCIES, struct cudaMemAllocNodeParams *alloc) {
    RT_ACTING_CALL(add_alloc(node, graph, before, n, alloc));
}

cudaError_t cudaGraphAddMemFreeNode(DEPENDENCIES, void *pointer) {
    ADD(cudaGraphNodeTypeMemFree, free.dptr, pointer);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *before, const cudaGraphEdgeData *data, size_t n,
                             struct cudaGraphNodeParams *params) {
    RT_ACTING_CALL(rt_graph_add(rt_graph(graph), before, data, n, params, node));
}
