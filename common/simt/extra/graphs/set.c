/* extra/graphs/set.c: reads and replaces the parameters of nodes, in a graph or in an executable
 * graph. */
#include "graph.h"

/* ---- Reading ---- */

static const struct cudaGraphNodeParams *set_params_of(cudaGraphNode_t handle,
                                                       enum cudaGraphNodeType type) {
    const struct rt_node *node = rt_node(handle);
    return node && node->params.type == type ? &node->params : NULL;
}

/* GET(function, type of node, type of the result, member): a function that stores a member of the
 * parameters. */
#define GET(function, node_type, result_type, member)                                              \
    static cudaError_t get_##function(cudaGraphNode_t node, result_type *result) {                 \
        const struct cudaGraphNodeParams *params = set_params_of(node, node_type);                 \
        if (!params || !result) return cudaErrorInvalidValue;                                      \
        *result = params->member;                                                                  \
        return cudaSuccess;                                                                        \
    }                                                                                              \
    cudaError_t function(cudaGraphNode_t node, result_type *result) {                              \
        RT_ACTING_CALL(get_##function(node, result));                                              \
    }

GET(cudaGraphKernelNodeGetParams, cudaGraphNodeTypeKernel, struct cudaKernelNodeParams, kernel)
GET(cudaGraphMemcpyNodeGetParams, cudaGraphNodeTypeMemcpy, struct cudaMemcpy3DParms,
    memcpy.copyParams)
GET(cudaGraphMemsetNodeGetParams, cudaGraphNodeTypeMemset, struct cudaMemsetParams, memset)
GET(cudaGraphHostNodeGetParams, cudaGraphNodeTypeHost, struct cudaHostNodeParams, host)
GET(cudaGraphChildGraphNodeGetGraph, cudaGraphNodeTypeGraph, cudaGraph_t, graph.graph)
GET(cudaGraphEventRecordNodeGetEvent, cudaGraphNodeTypeEventRecord, cudaEvent_t, eventRecord.event)
GET(cudaGraphEventWaitNodeGetEvent, cudaGraphNodeTypeWaitEvent, cudaEvent_t, eventWait.event)
GET(cudaGraphMemAllocNodeGetParams, cudaGraphNodeTypeMemAlloc, struct cudaMemAllocNodeParams, alloc)

static cudaError_t get_freed(cudaGraphNode_t node, void **pointer) {
    const struct cudaGraphNodeParams *params = set_params_of(node, cudaGraphNodeTypeMemFree);
    if (!params || !pointer) return cudaErrorInvalidValue;
    *pointer = params->free.dptr;
    return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer) {
    RT_ACTING_CALL(get_freed(node, pointer));
}

/* ---- Replacing: in a graph, and in an executable one ---- */

static cudaError_t graphs_set(cudaGraphNode_t handle, const struct cudaGraphNodeParams *params) {
    struct rt_node *node = rt_node(handle);
    if (!node || !params || rt_node_has_memory(node)) return cudaErrorInvalidValue;
    return rt_params_set(node, params);
}

static cudaError_t set_exec(cudaGraphExec_t exec, cudaGraphNode_t node,
                            const struct cudaGraphNodeParams *params) {
    return rt_exec(exec) && rt_node(node) && params
               ? rt_exec_set(rt_exec(exec), rt_node(node), params)
               : cudaErrorInvalidValue;
}

/* SET(function, exec_function, type of node, member, type): the functions that replace what the
 * program points to. */
#define SET(function, exec_function, node_type, member, value_type)                                \
    cudaError_t function(cudaGraphNode_t node, const value_type *value) {                          \
        struct cudaGraphNodeParams params = {.type = (node_type)};                                 \
        if (value) params.member = *value;                                                         \
        RT_ACTING_CALL(graphs_set(node, value ? &params : NULL));                                  \
    }                                                                                              \
    cudaError_t exec_function(cudaGraphExec_t exec, cudaGraphNode_t node,                          \
                              const value_type *value) {                                           \
        struct cudaGraphNodeParams params = {.type = (node_type)};                                 \
        if (value) params.member = *value;                                                         \
        RT_ACTING_CALL(set_exec(exec, node, value ? &params : NULL));                              \
    }

SET(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams, cudaGraphNodeTypeKernel, kernel,
    struct cudaKernelNodeParams)
SET(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, cudaGraphNodeTypeMemcpy,
    memcpy.copyParams, struct cudaMemcpy3DParms)
SET(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, cudaGraphNodeTypeMemset, memset,
    struct cudaMemsetParams)
SET(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, cudaGraphNodeTypeHost, host,
    struct cudaHostNodeParams)

/* SET_HANDLE: the same for a handle; only an executable graph's child can be replaced. */
#define SET_HANDLE(exec_function, node_type, member, handle_type)                                  \
    cudaError_t exec_function(cudaGraphExec_t exec, cudaGraphNode_t node, handle_type handle) {    \
        struct cudaGraphNodeParams params = {.type = (node_type), .member = handle};               \
        RT_ACTING_CALL(set_exec(exec, node, &params));                                             \
    }
SET_HANDLE(cudaGraphExecChildGraphNodeSetParams, cudaGraphNodeTypeGraph, graph.graph, cudaGraph_t)
SET_HANDLE(cudaGraphExecEventRecordNodeSetEvent, cudaGraphNodeTypeEventRecord, eventRecord.event,
           cudaEvent_t)
SET_HANDLE(cudaGraphExecEventWaitNodeSetEvent, cudaGraphNodeTypeWaitEvent, eventWait.event,
           cudaEvent_t)

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeEventRecord,
                                         .eventRecord.event = event};
    RT_ACTING_CALL(graphs_set(node, &params));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeWaitEvent,
                                         .eventWait.event = event};
    RT_ACTING_CALL(graphs_set(node, &params));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
    RT_ACTING_CALL(graphs_set(node, params));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *params) {
    RT_ACTING_CALL(set_exec(exec, node, params));
}

/* ---- Copies of one line ---- */

/* LINE(name, parameters, error): the functions that replace a copy by one of a line; `error` fills
 * `copy`. */
#define LINE(name, parameters, error)                                                              \
    static cudaError_t set_##name parameters {                                                     \
        struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemcpy};                     \
        struct cudaMemcpy3DParms *copy = &params.memcpy.copyParams;                                \
        cudaError_t failed = (error);                                                              \
        if (failed) return failed;                                                                 \
        return exec ? set_exec(exec, node, &params) : graphs_set(node, &params);                   \
    }
#define WHERE cudaGraphExec_t exec, cudaGraphNode_t node
LINE(line, (WHERE, void *to, const void *from, size_t count, enum cudaMemcpyKind kind),
     (*copy = rt_line(to, from, count, kind), cudaSuccess))
LINE(to_symbol,
     (WHERE, const void *symbol, const void *from, size_t count, size_t offset,
      enum cudaMemcpyKind kind),
     rt_line_to_symbol(copy, symbol, from, count, offset, kind))
LINE(from_symbol,
     (WHERE, void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
     rt_line_from_symbol(copy, to, symbol, count, offset, kind))

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t count, enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(set_line(NULL, node, to, from, count, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *from, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(set_to_symbol(NULL, node, symbol, from, count, offset, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
                                                   const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(set_from_symbol(NULL, node, to, symbol, count, offset, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(WHERE, void *to, const void *from, size_t count,
                                               enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(rt_exec(exec) ? set_line(exec, node, to, from, count, kind)
                                 : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(WHERE, const void *symbol, const void *from,
                                                     size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(rt_exec(exec) ? set_to_symbol(exec, node, symbol, from, count, offset, kind)
                                 : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(WHERE, void *to, const void *symbol,
                                                       size_t count, size_t offset,
                                                       enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(rt_exec(exec) ? set_from_symbol(exec, node, to, symbol, count, offset, kind)
                                 : cudaErrorInvalidValue);
}

/* ---- Attributes of kernel nodes ---- */

static struct rt_node *kernel_node(cudaGraphNode_t handle) {
    struct rt_node *node = rt_node(handle);
    return node && node->params.type == cudaGraphNodeTypeKernel ? node : NULL;
}

/* A stream alone has a policy of synchronisation. */
static bool is_of_kernels(cudaLaunchAttributeID id) {
    return id != cudaLaunchAttributeSynchronizationPolicy;
}

static cudaError_t graphs_set_attribute(struct rt_node *node, cudaLaunchAttributeID id,
                                        const cudaLaunchAttributeValue *value) {
    return node && is_of_kernels(id) ? rt_attribute_set(&node->attributes, id, value)
                                     : cudaErrorInvalidValue;
}

static cudaError_t set_get_attribute(const struct rt_node *node, cudaLaunchAttributeID id,
                                     cudaLaunchAttributeValue *value) {
    return node && is_of_kernels(id) ? rt_attribute_get(&node->attributes, id, value)
                                     : cudaErrorInvalidValue;
}

static cudaError_t set_copy_attributes(struct rt_node *to, const struct rt_node *from) {
    if (!to || !from) return cudaErrorInvalidValue;
    return rt_attributes_copy(&to->attributes, &from->attributes) ? cudaSuccess
                                                                  : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value) {
    RT_ACTING_CALL(graphs_set_attribute(kernel_node(node), id, value));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value) {
    RT_ACTING_CALL(set_get_attribute(kernel_node(node), id, value));
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    RT_ACTING_CALL(set_copy_attributes(kernel_node(to), kernel_node(from)));
}
