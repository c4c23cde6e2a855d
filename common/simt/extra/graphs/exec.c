/* extra/graphs/exec.c: executable graphs: instantiating and destroying them, and changing one of
 * their nodes. */
#include "graph.h"
#include "simt/api/clock.h"

#include <stdlib.h>

#define KNOWN_FLAGS                                                                                \
    (cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |                   \
     cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority)

static struct rt_exec *execs;

struct rt_exec *rt_exec(cudaGraphExec_t handle) {
    struct rt_exec *exec = execs;
    while (exec && (cudaGraphExec_t)exec != handle) exec = exec->next;
    return exec;
}

/* ---- Instantiating ---- */

static bool may_be_in_body(const struct rt_node *node) {
    switch (node->params.type) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeConditional: return true;
    default: return false;
    }
}

static bool is_kept_out_of_bodies(const struct rt_node *node) {
    return !may_be_in_body(node);
}

static bool has_bad_body(const struct rt_node *node) {
    struct rt_graph *body;
    if (node->params.type != cudaGraphNodeTypeConditional) return false;
    for (unsigned i = 0; (body = rt_inner(node, i)); i++)
        if (rt_graph_has(body, is_kept_out_of_bodies)) return true;
    return false;
}

/* Why the graph cannot be instantiated now. */
static cudaError_t exec_check(const struct rt_graph *graph,
                              enum cudaGraphInstantiateResult *result) {
    *result = cudaGraphInstantiateError;
    if (rt_graph_has(graph, rt_node_is_single))
        for (struct rt_exec *exec = execs; exec; exec = exec->next)
            if (exec->graph->origin == graph->id) return cudaErrorNotSupported;
    if (rt_graph_has(graph, has_bad_body)) return cudaErrorInvalidValue;
    *result = cudaGraphInstantiateConditionalHandleUnused;
    return rt_conditions_are_used(graph) ? cudaSuccess : cudaErrorInvalidValue;
}

static struct rt_exec *exec_new(struct rt_graph *clone, unsigned long long flags) {
    struct rt_exec *exec = malloc(sizeof *exec);
    struct rt_launched *last = calloc(1, sizeof *last);
    if (!exec || !last) {
        free(exec);
        free(last);
        return NULL;
    }
    last->users = 1;
    *exec = (struct rt_exec){clone, flags, execs, last};
    return execs = exec;
}

static cudaError_t exec_instantiate(cudaGraphExec_t *handle, const struct rt_graph *graph,
                                    unsigned long long flags,
                                    enum cudaGraphInstantiateResult *result) {
    *result = cudaGraphInstantiateError;
    if (!handle || !graph || (flags & ~(unsigned long long)KNOWN_FLAGS))
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return rt_unsupported(
            "cudaGraphInstantiate for launches by kernels (cudaGraphInstantiateFlagDeviceLaunch)");
    cudaError_t error = exec_check(graph, result);
    if (error) return error;
    rt_call_nodes("instantiated node", graph->count);
    struct rt_graph *clone = rt_graph_clone(graph);
    if (!clone) return cudaErrorMemoryAllocation;
    bool sorted = rt_graph_sort(clone);
    *result = sorted ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
    *handle = sorted ? (cudaGraphExec_t)exec_new(clone, flags) : NULL;
    if (*handle) return cudaSuccess;
    rt_graph_free(clone);
    return sorted ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
}

static cudaError_t instantiate_flags(cudaGraphExec_t *handle, const struct rt_graph *graph,
                                     unsigned long long flags) {
    enum cudaGraphInstantiateResult result;
    return exec_instantiate(handle, graph, flags, &result);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
    RT_ACTING_CALL(instantiate_flags(exec, rt_graph(graph), flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    RT_ACTING_CALL(instantiate_flags(exec, rt_graph(graph), flags));
}

static cudaError_t instantiate_with(cudaGraphExec_t *handle, const struct rt_graph *graph,
                                    cudaGraphInstantiateParams *params) {
    if (!params) return cudaErrorInvalidValue;
    params->errNode_out = NULL;
    return exec_instantiate(handle, graph, params->flags, &params->result_out);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params) {
    RT_ACTING_CALL(instantiate_with(exec, rt_graph(graph), params));
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
    RT_ACTING_CALL(rt_exec(exec) ? RT_SET(flags, rt_exec(exec)->flags) : cudaErrorInvalidValue);
}

void rt_launched_release(struct rt_launched *last) {
    if (--last->users) return;
    work_release(last->end);
    free(last);
}

static cudaError_t exec_destroy(struct rt_exec *exec) {
    if (!exec) return cudaErrorInvalidValue;
    struct rt_exec **link = &execs;
    while (*link != exec) link = &(*link)->next;
    *link = exec->next;
    rt_call_nodes("destroyed executable node", exec->graph->count);
    rt_launched_release(exec->last);
    rt_graph_free(exec->graph);
    free(exec);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    RT_BESIDE_QUERY(exec_destroy(rt_exec(exec)));
}

/* ---- One node of an executable graph ---- */

/* Which sides of a copy are the device's: an executable graph's copy keeps them. */
static unsigned exec_sides_of(const struct cudaMemcpy3DParms *copy) {
    bool to = rt_place(copy->dstPtr.ptr, 1) != RT_DEVICE,
         from = rt_place(copy->srcPtr.ptr, 1) != RT_DEVICE;
    return (unsigned)to << 1 | (unsigned)from;
}

bool rt_may_replace(const struct cudaGraphNodeParams *now, const struct cudaGraphNodeParams *then) {
    if (now->type == cudaGraphNodeTypeMemcpy)
        return exec_sides_of(&now->memcpy.copyParams) == exec_sides_of(&then->memcpy.copyParams);
    if (now->type == cudaGraphNodeTypeMemset)
        return (now->memset.height == 1) == (then->memset.height == 1);
    return true;
}

cudaError_t rt_exec_set(struct rt_exec *exec, const struct rt_node *original,
                        const struct cudaGraphNodeParams *params) {
    struct rt_node *node = rt_clone_of(exec->graph, original);
    if (!node || node->params.type != params->type) return cudaErrorInvalidValue;
    if (params->type == cudaGraphNodeTypeGraph)
        return rt_exec_set_child(node, rt_graph(params->graph.graph));
    if (rt_node_is_single(node) || !rt_may_replace(&node->params, params))
        return cudaErrorInvalidValue;
    return rt_params_set(node, params);
}

/* Kernels, copies and fills can be left out of launches. */
static struct rt_node *optional_node(const struct rt_exec *exec, const struct rt_node *original) {
    struct rt_node *node = exec && original ? rt_clone_of(exec->graph, original) : NULL;
    return node && node->params.type <= cudaGraphNodeTypeMemset ? node : NULL;
}

static cudaError_t set_enabled(struct rt_node *node, unsigned enabled) {
    if (!node) return cudaErrorInvalidValue;
    node->disabled = !enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    RT_ACTING_CALL(set_enabled(optional_node(rt_exec(exec), rt_node(node)), enabled));
}

static cudaError_t get_enabled(const struct rt_node *node, unsigned *enabled) {
    if (!node || !enabled) return cudaErrorInvalidValue;
    *enabled = !node->disabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled) {
    RT_ACTING_CALL(get_enabled(optional_node(rt_exec(exec), rt_node(node)), enabled));
}
