/*
 * extra/graphs/update.c: gives an executable graph the parameters of another graph of the same
 * shape. CUDA pairs the nodes in the order in which they were added, so both graphs must have been
 * made in the same way.
 */
#include "graph.h"
#include "simt/api/clock.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* What differs first, in CUDA's words. */
struct difference {
    enum cudaGraphExecUpdateResult result;
    const struct rt_node *node; /* of the graph that is to be taken over; NULL: none */
};

static int by_id(const void *left, const void *right) {
    uint64_t a = (*(struct rt_node *const *)left)->id, b = (*(struct rt_node *const *)right)->id;
    return (a > b) - (a < b);
}

/* The graph's nodes in the order in which they were added; each node's mark is its place. To be
 * freed. */
static struct rt_node **in_order(const struct rt_graph *graph) {
    size_t bytes = graph->count * sizeof(struct rt_node *);
    struct rt_node **nodes = need(malloc(bytes + 1));
    if (bytes) memcpy(nodes, graph->nodes, bytes);
    qsort(nodes, graph->count, sizeof(struct rt_node *), by_id);
    for (size_t i = 0; i < graph->count; i++) nodes[i]->mark = i;
    return nodes;
}

static bool wait_for_the_same(const struct rt_node *now, const struct rt_node *then) {
    if (now->before.count != then->before.count) return false;
    for (size_t i = 0; i < now->before.count; i++)
        if (now->before.list[i].node->mark != then->before.list[i].node->mark) return false;
    return true;
}

static struct difference compare_graphs(const struct rt_graph *now, const struct rt_graph *then);

static struct difference compare_nodes(const struct rt_node *now, const struct rt_node *then) {
    struct rt_graph *inner;
    if (now->params.type != then->params.type)
        return (struct difference){cudaGraphExecUpdateErrorNodeTypeChanged, then};
    if (!wait_for_the_same(now, then))
        return (struct difference){cudaGraphExecUpdateErrorTopologyChanged, then};
    if (!rt_may_replace(&now->params, &then->params))
        return (struct difference){cudaGraphExecUpdateErrorParametersChanged, then};
    for (unsigned i = 0; (inner = rt_inner(now, i)); i++) {
        if (!rt_inner(then, i))
            return (struct difference){cudaGraphExecUpdateErrorParametersChanged, then};
        struct difference difference = compare_graphs(inner, rt_inner(then, i));
        if (difference.result) return difference;
    }
    return (struct difference){cudaGraphExecUpdateSuccess, NULL};
}

static struct difference compare_graphs(const struct rt_graph *now, const struct rt_graph *then) {
    struct difference difference = {cudaGraphExecUpdateErrorTopologyChanged, NULL};
    if (now->count != then->count) return difference;
    struct rt_node **old = in_order(now), **new = in_order(then);
    difference.result = cudaGraphExecUpdateSuccess;
    for (size_t i = 0; i < now->count && !difference.result; i++)
        difference = compare_nodes(old[i], new[i]);
    free(old);
    free(new);
    return difference;
}

/* Memory and conditions stay as they are. */
static cudaError_t take_params(struct rt_node *now, const struct rt_node *then) {
    struct rt_graph *inner;
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; (inner = rt_inner(now, i)) && !error; i++)
        error = rt_graph_take(inner, rt_inner(then, i));
    if (now->params.type == cudaGraphNodeTypeGraph || rt_node_is_single(now)) return error;
    if (!rt_attributes_copy(&now->attributes, &then->attributes)) return cudaErrorMemoryAllocation;
    return rt_params_set(now, &then->params);
}

cudaError_t rt_graph_take(struct rt_graph *now, const struct rt_graph *then) {
    struct rt_node **old = in_order(now), **new = in_order(then);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < now->count && !error; i++) error = take_params(old[i], new[i]);
    free(old);
    free(new);
    return error;
}

cudaError_t rt_exec_set_child(struct rt_node *node, const struct rt_graph *child) {
    struct rt_graph *now = rt_inner(node, 0);
    if (!child) return cudaErrorInvalidValue;
    return compare_graphs(now, child).result ? cudaErrorGraphExecUpdateFailure
                                             : rt_graph_take(now, child);
}

static cudaError_t graph_update_update(struct rt_exec *exec, const struct rt_graph *graph,
                                       cudaGraphExecUpdateResultInfo *info) {
    if (!exec || !graph) return cudaErrorInvalidValue;
    rt_call_nodes("updated node", graph->count);
    struct difference difference = compare_graphs(exec->graph, graph);
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){.result = difference.result,
                                                .errorNode = (cudaGraphNode_t)difference.node};
    return difference.result ? cudaErrorGraphExecUpdateFailure : rt_graph_take(exec->graph, graph);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
    RT_ACTING_CALL(graph_update_update(rt_exec(exec), rt_graph(graph), info));
}
