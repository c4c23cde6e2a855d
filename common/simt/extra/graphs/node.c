/* extra/graphs/node.c: graphs and their nodes: making, listing and destroying them. */
#include "graph.h"
#include "simt/api/capture.h"
#include "simt/api/clock.h"

#include <stdlib.h>
#include <string.h>

/* Destroyed graphs and nodes: kept, so that a handle to one is recognised, and used again. */
static struct rt_graph *spare_graphs;
static struct rt_node *spare_nodes;
static uint64_t last_graph, last_node;

struct rt_graph *rt_graph(cudaGraph_t handle) {
    struct rt_graph *graph = (struct rt_graph *)handle;
    return graph && graph->alive ? graph : NULL;
}

struct rt_node *rt_node(cudaGraphNode_t handle) {
    struct rt_node *node = (struct rt_node *)handle;
    return node && node->graph ? node : NULL;
}

/* ---- Making ---- */

struct rt_graph *rt_graph_new(void) {
    struct rt_graph *graph = spare_graphs;
    if (graph)
        spare_graphs = graph->spare;
    else
        graph = malloc(sizeof *graph);
    if (graph) *graph = (struct rt_graph){.alive = true, .id = ++last_graph};
    return graph;
}

static bool node_append(struct rt_graph *graph, struct rt_node *node) {
    size_t n = graph->count;
    bool full = !(n & (n - 1)); /* the capacity doubles at each power of two */
    struct rt_node **nodes =
        full ? realloc(graph->nodes, (n ? 2 * n : 1) * sizeof(struct rt_node *)) : graph->nodes;
    if (!nodes) return false;
    graph->nodes = nodes;
    nodes[graph->count++] = node;
    return true;
}

struct rt_node *rt_node_new(struct rt_graph *graph, enum cudaGraphNodeType type) {
    struct rt_node *node = spare_nodes;
    if (node)
        spare_nodes = node->spare;
    else
        node = malloc(sizeof *node);
    if (!node) return NULL;
    *node = (struct rt_node){
        .graph = graph, .id = ++last_node, .device = device_current(), .params = {.type = type}};
    if (node_append(graph, node)) return node;
    node->graph = NULL;
    node->spare = spare_nodes;
    spare_nodes = node;
    return NULL;
}

static cudaError_t node_create(cudaGraph_t *handle, unsigned flags) {
    if (!handle || flags) return cudaErrorInvalidValue;
    *handle = (cudaGraph_t)rt_graph_new();
    return *handle ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    RT_ACTING_CALL(node_create(graph, flags));
}

/* ---- Destroying ---- */

/* Frees a node that is in no list any more. */
static void node_free(struct rt_node *node) {
    struct rt_graph *inner;
    for (unsigned i = 0; (inner = rt_inner(node, i)); i++) rt_graph_free(inner);
    rt_params_free(&node->params);
    rt_attributes_free(&node->attributes);
    free(node->before.list);
    free(node->after.list);
    node->graph = NULL;
    node->spare = spare_nodes;
    spare_nodes = node;
}

void rt_node_remove(struct rt_node *node) {
    struct rt_graph *graph = node->graph;
    size_t at = 0;
    while (graph->nodes[at] != node) at++;
    graph->count--;
    memmove(graph->nodes + at, graph->nodes + at + 1,
            (graph->count - at) * sizeof(struct rt_node *));
    rt_edges_drop(node);
    node_free(node);
}

void rt_graph_free(struct rt_graph *graph) {
    for (size_t i = 0; i < graph->count; i++) node_free(graph->nodes[i]);
    free(graph->nodes);
    rt_objects_release(graph);
    graph->alive = false;
    graph->spare = spare_graphs;
    spare_graphs = graph;
}

/* Children and bodies belong to their node. */
static cudaError_t node_destroy(struct rt_graph *graph) {
    if (!graph || graph->owner) return cudaErrorInvalidValue;
    if (rt_capture_adds_to(graph)) return cudaErrorIllegalState;
    rt_call_nodes("destroyed node", graph->count);
    rt_graph_free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    RT_BESIDE_QUERY(node_destroy(rt_graph(graph)));
}

/* In a graph that allocates memory, nodes and edges stay, as the addresses depend on them. */
static cudaError_t destroy_node(struct rt_node *node) {
    if (!node) return cudaErrorInvalidValue;
    if (rt_graph_has(node->graph, rt_node_has_memory)) return cudaErrorNotSupported;
    rt_node_remove(node);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    RT_ACTING_CALL(destroy_node(rt_node(node)));
}

/* ---- Adding a node ---- */

/* Gives a node what only its type has. */
static cudaError_t open_node(struct rt_node *node, struct cudaGraphNodeParams *params) {
    switch (params->type) {
    case cudaGraphNodeTypeGraph: return rt_child_open(node, params);
    case cudaGraphNodeTypeConditional: return rt_condition_open(node, params);
    case cudaGraphNodeTypeMemAlloc: return rt_graph_memory_place(node, params);
    case cudaGraphNodeTypeMemFree: return rt_graph_memory_check(node);
    default: return cudaSuccess;
    }
}

cudaError_t rt_graph_add(struct rt_graph *graph, const cudaGraphNode_t *before,
                         const cudaGraphEdgeData *data, size_t n,
                         struct cudaGraphNodeParams *params, cudaGraphNode_t *handle) {
    if (!graph || !handle || !params || (n && !before)) return cudaErrorInvalidValue;
    cudaError_t error = rt_params_check(params);
    if (error) return error;
    struct rt_node *node = rt_node_new(graph, params->type);
    if (!node) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < n && !error; i++)
        error = rt_edge_add(rt_node(before[i]), node, data ? data + i : NULL);
    if (!error && !rt_params_copy(&node->params, params)) error = cudaErrorMemoryAllocation;
    if (!error) error = open_node(node, params);
    if (error)
        rt_node_remove(node);
    else
        *handle = (cudaGraphNode_t)node;
    return error;
}

/* ---- Listing ---- */

cudaError_t rt_list_nodes(cudaGraphNode_t *to, size_t *n, size_t items,
                          struct rt_node *item(const void *, size_t), const void *list) {
    if (!n) return cudaErrorInvalidValue;
    for (size_t i = 0; to && i < *n; i++) to[i] = i < items ? (cudaGraphNode_t)item(list, i) : NULL;
    if (!to || *n > items) *n = items;
    return cudaSuccess;
}

static struct rt_node *node_at(const void *graph, size_t i) {
    return ((const struct rt_graph *)graph)->nodes[i];
}

static cudaError_t get_nodes(const struct rt_graph *graph, cudaGraphNode_t *to, size_t *n) {
    bool no_room = n && to && !*n; /* which an H200 refuses here */
    return graph && !no_room ? rt_list_nodes(to, n, graph->count, node_at, graph)
                             : cudaErrorInvalidValue;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    RT_ACTING_CALL(get_nodes(rt_graph(graph), nodes, n));
}

static struct rt_node *node_root_at(const void *graph, size_t i) {
    struct rt_node **node = ((const struct rt_graph *)graph)->nodes;
    for (;; node++)
        if (!(*node)->before.count && !i--) return *node;
}

static cudaError_t get_roots(const struct rt_graph *graph, cudaGraphNode_t *to, size_t *n) {
    size_t roots = 0;
    if (!graph) return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->count; i++) roots += !graph->nodes[i]->before.count;
    return rt_list_nodes(to, n, roots, node_root_at, graph);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    RT_ACTING_CALL(get_roots(rt_graph(graph), nodes, n));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    RT_ACTING_CALL(rt_node(node) ? RT_SET(type, rt_node(node)->params.type)
                                 : cudaErrorInvalidValue);
}
