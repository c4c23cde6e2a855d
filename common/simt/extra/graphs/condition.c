/*
 * extra/graphs/condition.c: conditions: values that kernels set (cudaGraphSetConditional) and that
 * choose the body of a conditional node. A handle is a number from 1. A condition's value outlives
 * its graph, as executable graphs use it.
 */
#include "graph.h"
#include "simt/api/extra.h"

#include <stdlib.h>

static struct condition {
    uint64_t graph; /* number of the graph for which it was made */
    unsigned value, initial;
    bool has_initial, used;
} * conditions;
static size_t count;

static struct condition *condition_find(cudaGraphConditionalHandle handle) {
    return handle - 1 < count ? &conditions[handle - 1] : NULL;
}

unsigned rt_condition(cudaGraphConditionalHandle handle) {
    return condition_find(handle) ? condition_find(handle)->value : 0;
}

/* Called by kernels. They ask for it without the lock, while the call that runs them holds it. */
static void set_condition(uint64_t handle, uint32_t value) {
    if (condition_find(handle))
        __atomic_store_n(&condition_find(handle)->value, value, __ATOMIC_RELAXED);
}

/* May a node of the graph have the condition? It is the graph's, or that of a graph around it. */
static bool belongs(const struct condition *condition, const struct rt_graph *graph) {
    while (graph && graph->id != condition->graph)
        graph = graph->owner ? graph->owner->graph : NULL;
    return graph;
}

cudaError_t rt_condition_open(struct rt_node *node, struct cudaGraphNodeParams *params) {
    struct cudaConditionalNodeParams *own = &node->params.conditional;
    struct condition *condition = condition_find(own->handle);
    if (!condition || condition->used || !belongs(condition, node->graph))
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < own->size; i++) {
        struct rt_graph *body = rt_graph_new();
        if (!body) return cudaErrorMemoryAllocation;
        body->owner = node;
        own->phGraph_out[i] = (cudaGraph_t)body;
    }
    condition->used = true;
    params->conditional.phGraph_out = own->phGraph_out;
    return cudaSuccess;
}

bool rt_conditions_are_used(const struct rt_graph *graph) {
    for (size_t i = 0; i < count; i++)
        if (conditions[i].graph == graph->id && !conditions[i].used) return false;
    return true;
}

void rt_conditions_reset(const struct rt_graph *graph) {
    for (size_t i = 0; i < graph->count; i++) {
        const struct rt_node *node = graph->nodes[i];
        struct rt_graph *inner;
        if (node->params.type == cudaGraphNodeTypeConditional) {
            struct condition *condition = condition_find(node->params.conditional.handle);
            if (condition->has_initial) condition->value = condition->initial;
        }
        for (unsigned k = 0; (inner = rt_inner(node, k)); k++) rt_conditions_reset(inner);
    }
}

static cudaError_t condition_create(cudaGraphConditionalHandle *handle,
                                    const struct rt_graph *graph, unsigned initial,
                                    unsigned flags) {
    if (!handle || !graph || (flags & ~(unsigned)cudaGraphCondAssignDefault))
        return cudaErrorInvalidValue;
    struct condition *list = realloc(conditions, (count + 1) * sizeof *list);
    if (!list) return cudaErrorMemoryAllocation;
    conditions = list;
    conditions[count++] = (struct condition){
        .graph = graph->id, .initial = initial, .has_initial = flags & cudaGraphCondAssignDefault};
    *handle = count;
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned initial, unsigned flags) {
    RT_CALL(condition_create(handle, rt_graph(graph), initial, flags));
}

__attribute__((constructor)) static void enter(void) {
    static struct rt_extra room = {.will_hold = rt_graph_memory_holds,
                                   .set_condition = set_condition};
    rt_extra_add(&room);
}
