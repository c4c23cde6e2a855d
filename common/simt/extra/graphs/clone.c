/* extra/graphs/clone.c: copies of graphs, and graphs inside graphs: children and bodies of
 * conditions. */
#include "graph.h"
#include "simt/api/clock.h"

#include <stdlib.h>

/* ---- Graphs inside a node ---- */

static unsigned inner_count(const struct rt_node *node) {
    if (node->params.type == cudaGraphNodeTypeGraph) return 1;
    return node->params.type == cudaGraphNodeTypeConditional ? node->params.conditional.size : 0;
}

static cudaGraph_t *inner_handles(const struct rt_node *node) {
    bool child = node->params.type == cudaGraphNodeTypeGraph;
    return child ? (cudaGraph_t *)&node->params.graph.graph : node->params.conditional.phGraph_out;
}

struct rt_graph *rt_inner(const struct rt_node *node, unsigned i) {
    return i < inner_count(node) ? rt_graph(inner_handles(node)[i]) : NULL;
}

bool rt_each_inner(const struct rt_node *node, bool visit(struct rt_graph *)) {
    struct rt_graph *inner;
    for (unsigned i = 0; (inner = rt_inner(node, i)); i++)
        if (!visit(inner)) return false;
    return true;
}

bool rt_graph_has(const struct rt_graph *graph, bool (*is)(const struct rt_node *)) {
    for (size_t i = 0; i < graph->count; i++) {
        struct rt_graph *inner;
        if (is(graph->nodes[i])) return true;
        for (unsigned k = 0; (inner = rt_inner(graph->nodes[i], k)); k++)
            if (rt_graph_has(inner, is)) return true;
    }
    return false;
}

/* ---- Clones ---- */

/* Gives a copied node copies of the graphs inside it. */
static bool clone_inner(struct rt_node *to, const struct rt_node *from) {
    for (unsigned i = 0; i < inner_count(from); i++) {
        struct rt_graph *inner = rt_graph_clone(rt_inner(from, i));
        inner_handles(to)[i] = (cudaGraph_t)inner;
        if (!inner) return false;
        inner->owner = to;
    }
    return true;
}

static bool clone_node(struct rt_graph *graph, const struct rt_node *from) {
    struct rt_node *to = rt_node_new(graph, cudaGraphNodeTypeEmpty);
    if (!to || !rt_params_copy(&to->params, &from->params)) return false;
    to->origin = from->id;
    to->device = from->device;
    to->disabled = from->disabled;
    return rt_attributes_copy(&to->attributes, &from->attributes) && clone_inner(to, from);
}

/* Nodes have the same places in both lists. */
static bool clone_edges(struct rt_graph *to, const struct rt_graph *from) {
    bool ok = true;
    for (size_t i = 0; i < from->count; i++) from->nodes[i]->mark = i;
    for (size_t i = 0; i < from->count && ok; i++) {
        const struct rt_edges *after = &from->nodes[i]->after;
        for (size_t k = 0; k < after->count && ok; k++)
            ok = !rt_edge_add(to->nodes[i], to->nodes[after->list[k].node->mark],
                              &after->list[k].data);
    }
    for (size_t i = 0; i < from->count; i++) from->nodes[i]->mark = 0;
    return ok;
}

struct rt_graph *rt_graph_clone(const struct rt_graph *graph) {
    struct rt_graph *clone = rt_graph_new();
    if (!clone) return NULL;
    bool ok = true;
    clone->origin = graph->id;
    for (size_t i = 0; i < graph->count && ok; i++) ok = clone_node(clone, graph->nodes[i]);
    if (ok && clone_edges(clone, graph)) {
        rt_objects_share(clone, graph);
        return clone;
    }
    rt_graph_free(clone);
    return NULL;
}

struct rt_node *rt_clone_of(const struct rt_graph *clone, const struct rt_node *node) {
    for (size_t i = 0; i < clone->count; i++) {
        struct rt_graph *inner;
        struct rt_node *found = clone->nodes[i];
        if (found->origin == node->id) return found;
        for (unsigned k = 0; (inner = rt_inner(clone->nodes[i], k)); k++)
            if ((found = rt_clone_of(inner, node))) return found;
    }
    return NULL;
}

cudaError_t rt_child_open(struct rt_node *node, struct cudaGraphNodeParams *params) {
    struct rt_graph *child = rt_graph(params->graph.graph);
    bool moves = params->graph.ownership == cudaGraphChildGraphOwnershipMove;
    node->params.graph.graph = NULL;
    if (child->owner || child == node->graph) return cudaErrorInvalidValue;
    if (!moves && rt_graph_has(child, rt_node_is_single)) return cudaErrorNotSupported;
    struct rt_graph *own = moves ? child : rt_graph_clone(child);
    if (!own) return cudaErrorMemoryAllocation;
    own->owner = node;
    node->params.graph.graph = (cudaGraph_t)own;
    return cudaSuccess;
}

/* ---- The API ---- */

bool rt_node_is_single(const struct rt_node *node) {
    return rt_node_has_memory(node) || node->params.type == cudaGraphNodeTypeConditional;
}

static cudaError_t clone(cudaGraph_t *handle, const struct rt_graph *graph) {
    if (!handle || !graph) return cudaErrorInvalidValue;
    if (rt_graph_has(graph, rt_node_is_single)) return cudaErrorNotSupported;
    rt_call_nodes("cloned node", graph->count);
    *handle = (cudaGraph_t)rt_graph_clone(graph);
    return *handle ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphClone(cudaGraph_t *handle, cudaGraph_t graph) {
    RT_CALL(clone(handle, rt_graph(graph)));
}

/* A clone's nodes know their originals; a child's nodes are found through the child. */
static cudaError_t clone_find(cudaGraphNode_t *handle, const struct rt_node *node,
                              const struct rt_graph *clone) {
    if (!handle || !node || !clone) return cudaErrorInvalidValue;
    *handle = (cudaGraphNode_t)rt_clone_of(clone, node);
    return *handle ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *handle, cudaGraphNode_t node,
                                     cudaGraph_t clone) {
    RT_CALL(clone_find(handle, rt_node(node), rt_graph(clone)));
}
