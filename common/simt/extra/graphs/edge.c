/* extra/graphs/edge.c: dependencies between the nodes of a graph, and the order of execution that
 * follows. */
#include "graph.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- One edge ---- */

static struct rt_edge *edge_find(const struct rt_edges *edges, const struct rt_node *node) {
    for (size_t i = 0; i < edges->count; i++)
        if (edges->list[i].node == node) return &edges->list[i];
    return NULL;
}

static bool edge_append(struct rt_edges *edges, struct rt_node *node, cudaGraphEdgeData data) {
    size_t n = edges->count;
    if (!(n & (n - 1))) { /* the capacity doubles at each power of two */
        struct rt_edge *list = realloc(edges->list, (n ? 2 * n : 1) * sizeof *list);
        if (!list) return false;
        edges->list = list;
    }
    edges->list[edges->count++] = (struct rt_edge){node, data};
    return true;
}

static void take_out(struct rt_edges *edges, const struct rt_node *node) {
    struct rt_edge *edge = edge_find(edges, node);
    if (!edge) return;
    edges->count--;
    memmove(edge, edge + 1, (size_t)(edges->list + edges->count - edge) * sizeof *edge);
}

cudaError_t rt_edge_add(struct rt_node *from, struct rt_node *to, const cudaGraphEdgeData *data) {
    const cudaGraphEdgeData ordinary = {0};
    if (!from || !to || from == to || from->graph != to->graph) return cudaErrorInvalidValue;
    const struct rt_edges *shorter =
        from->after.count < to->before.count ? &from->after : &to->before;
    if (edge_find(shorter, shorter == &from->after ? to : from)) return cudaErrorInvalidValue;
    if (!edge_append(&to->before, from, data ? *data : ordinary)) return cudaErrorMemoryAllocation;
    if (edge_append(&from->after, to, data ? *data : ordinary)) return cudaSuccess;
    to->before.count--;
    return cudaErrorMemoryAllocation;
}

void rt_edges_drop(struct rt_node *node) {
    for (size_t i = 0; i < node->before.count; i++)
        take_out(&node->before.list[i].node->after, node);
    for (size_t i = 0; i < node->after.count; i++)
        take_out(&node->after.list[i].node->before, node);
    node->before.count = node->after.count = 0;
}

/* ---- Walks ---- */

void rt_mark_before(struct rt_graph *graph, const cudaGraphNode_t *nodes, size_t n) {
    struct rt_node **open = need(malloc((graph->count + n + 1) * sizeof(struct rt_node *)));
    size_t count = 0;
    for (size_t i = 0; i < graph->count; i++) graph->nodes[i]->mark = 0;
    for (size_t i = 0; i < n; i++) open[count++] = (struct rt_node *)nodes[i];
    for (size_t i = 0; i < count; i++) open[i]->mark = 1;
    while (count) {
        struct rt_node *node = open[--count];
        for (size_t i = 0; i < node->before.count; i++) {
            struct rt_node *before = node->before.list[i].node;
            if (!before->mark) open[count++] = before;
            before->mark = 1;
        }
    }
    free(open);
}

/* A node's mark counts the nodes that it still waits for. */
bool rt_graph_sort(struct rt_graph *graph) {
    struct rt_node **order = malloc((graph->count + 1) * sizeof(struct rt_node *));
    size_t ready = 0;
    if (!order) return false;
    for (size_t i = 0; i < graph->count; i++) {
        struct rt_node *node = graph->nodes[i];
        node->mark = node->before.count;
        if (!node->mark) order[ready++] = node;
    }
    for (size_t i = 0; i < ready; i++)
        for (size_t k = 0; k < order[i]->after.count; k++) {
            struct rt_node *after = order[i]->after.list[k].node;
            if (!--after->mark) order[ready++] = after;
        }
    bool sorted = ready == graph->count;
    if (sorted) memcpy(graph->nodes, order, ready * sizeof(struct rt_node *));
    free(order);
    for (size_t i = 0; i < graph->count && sorted; i++)
        sorted = rt_each_inner(graph->nodes[i], rt_graph_sort);
    return sorted;
}

/* ---- The API ---- */

static cudaError_t edge_add(const struct rt_graph *graph, const cudaGraphNode_t *from,
                            const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n) {
    if (!graph || (n && (!from || !to))) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        struct rt_node *before = rt_node(from[i]), *after = rt_node(to[i]);
        if (!before || before->graph != graph) return cudaErrorInvalidValue;
        cudaError_t error = rt_edge_add(before, after, data ? data + i : NULL);
        if (error) return error;
    }
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t n) {
    RT_ACTING_CALL(edge_add(rt_graph(graph), from, to, data, n));
}

static cudaError_t take_off(const struct rt_graph *graph, const cudaGraphNode_t *from,
                            const cudaGraphNode_t *to, size_t n) {
    if (!graph || (n && (!from || !to))) return cudaErrorInvalidValue;
    if (rt_graph_has(graph, rt_node_has_memory)) return cudaErrorNotSupported;
    for (size_t i = 0; i < n; i++) {
        struct rt_node *before = rt_node(from[i]), *after = rt_node(to[i]);
        if (!before || !after || before->graph != graph || !edge_find(&after->before, before))
            return cudaErrorInvalidValue;
        take_out(&after->before, before);
        take_out(&before->after, after);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                        size_t n) {
    (void)data; /* two nodes have one edge at most */
    RT_ACTING_CALL(take_off(rt_graph(graph), from, to, n));
}

static struct rt_node *neighbour_at(const void *edges, size_t i) {
    return ((const struct rt_edges *)edges)->list[i].node;
}

static cudaError_t list_neighbours(const struct rt_edges *edges, cudaGraphNode_t *to,
                                   cudaGraphEdgeData *data, size_t *n) {
    if (!n || (data && !to)) return cudaErrorInvalidValue;
    for (size_t i = 0; data && i < *n && i < edges->count; i++) data[i] = edges->list[i].data;
    return rt_list_nodes(to, n, edges->count, neighbour_at, edges);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *data, size_t *n) {
    RT_ACTING_CALL(rt_node(node) ? list_neighbours(&rt_node(node)->before, nodes, data, n)
                                 : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *data, size_t *n) {
    RT_ACTING_CALL(rt_node(node) ? list_neighbours(&rt_node(node)->after, nodes, data, n)
                                 : cudaErrorInvalidValue);
}

/* All edges, by the nodes from which they come. */
static cudaError_t get_edges(const struct rt_graph *graph, cudaGraphNode_t *from,
                             cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n) {
    if (!graph || !n || !from != !to) return cudaErrorInvalidValue;
    size_t edges = 0;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->after.count; k++, edges++) {
            if (!from || edges >= *n) continue;
            from[edges] = (cudaGraphNode_t)graph->nodes[i];
            to[edges] = (cudaGraphNode_t)graph->nodes[i]->after.list[k].node;
            if (data) data[edges] = graph->nodes[i]->after.list[k].data;
        }
    for (size_t i = edges; from && i < *n; i++) from[i] = to[i] = NULL;
    if (!from || *n > edges) *n = edges;
    return cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *data, size_t *n) {
    RT_ACTING_CALL(get_edges(rt_graph(graph), from, to, data, n));
}
