/*
 * extra/graphs/memory.c: memory that graphs allocate and free. An alloc node's memory has the same
 * address at each launch: the node reserves it. A launch allocates it there, and it stays until
 * something frees it: the graph, another graph, cudaFree or cudaFreeAsync.
 */
#include "graph.h"

#include <stdlib.h>

/* An address that an alloc node has reserved. It stays reserved. */
struct place {
    uintptr_t address;
    size_t size;
    int device;
    const struct rt_backing *backing; /* what backed it last; NULL: nothing so far */
    struct place *next;
};

static struct place *places;
static struct rt_backing *launched[MAX_DEVICES]; /* what backs the graph that is being launched;
                                                    NULL: it allocates nothing */

bool rt_node_has_memory(const struct rt_node *node) {
    return node->params.type == cudaGraphNodeTypeMemAlloc ||
           node->params.type == cudaGraphNodeTypeMemFree;
}

static bool is_in_use(uintptr_t address) {
    const struct allocation *allocation = memory_find(address, 0);
    return allocation && allocation->address == address;
}

bool rt_graph_memory_holds(const void *pointer, size_t size) {
    for (const struct place *place = places; place; place = place->next) {
        uintptr_t offset = (uintptr_t)pointer - place->address;
        if (offset < place->size && size <= place->size - offset) return true;
    }
    return false;
}

/* ---- Addresses ---- */

static struct place *graph_memory_find(uintptr_t address) {
    struct place *place = places;
    while (place && place->address != address) place = place->next;
    return place;
}

static uintptr_t node_address(const struct rt_node *node) {
    bool allocates = node->params.type == cudaGraphNodeTypeMemAlloc;
    return (uintptr_t)(allocates ? node->params.alloc.dptr : node->params.free.dptr);
}

/* Allocations of the address among the nodes that are marked (rt_mark_before), less those that are
 * freed. all: among all nodes. */
static int allocated(const struct rt_graph *graph, uintptr_t address, bool all) {
    int n = 0;
    for (size_t i = 0; i < graph->count; i++) {
        const struct rt_node *node = graph->nodes[i];
        if ((!all && !node->mark) || !rt_node_has_memory(node) || node_address(node) != address)
            continue;
        n += node->params.type == cudaGraphNodeTypeMemAlloc ? 1 : -1;
    }
    return n;
}

/* Has the graph an alloc node of the address? */
static bool is_of_graph(const struct rt_graph *graph, uintptr_t address) {
    for (size_t i = 0; i < graph->count; i++) {
        const struct rt_node *node = graph->nodes[i];
        if (node->params.type == cudaGraphNodeTypeMemAlloc && node_address(node) == address)
            return true;
    }
    return false;
}

/* A place of the graph, large enough, that is free again before the node; NULL: none. */
static struct place *free_place(struct rt_node *node) {
    struct rt_graph *graph = node->graph;
    rt_mark_before(graph, (cudaGraphNode_t[]){(cudaGraphNode_t)node}, 1);
    for (size_t i = 0; i < graph->count; i++) {
        const struct rt_node *before = graph->nodes[i];
        if (!before->mark || before->params.type != cudaGraphNodeTypeMemFree) continue;
        struct place *place = graph_memory_find(node_address(before));
        bool free_again = place && is_of_graph(graph, place->address) &&
                          !allocated(graph, place->address, false) &&
                          !allocated(graph, place->address, true);
        if (free_again && place->device == node->device &&
            place->size >= node->params.alloc.bytesize)
            return place;
    }
    return NULL;
}

static struct place *new_place(const struct rt_node *node) {
    struct place *place = malloc(sizeof *place);
    size_t size = node->params.alloc.bytesize;
    uintptr_t address = place && size <= rt.gpu->dram_bytes ? memory_reserve(size) : 0;
    if (!address) {
        free(place);
        return NULL;
    }
    *place = (struct place){address, size, node->device, NULL, places};
    return places = place;
}

cudaError_t rt_graph_memory_place(struct rt_node *node, struct cudaGraphNodeParams *params) {
    node->device = params->alloc.poolProps.location.id;
    node->params.alloc.dptr = NULL;
    struct place *place = free_place(node);
    if (!place) place = new_place(node);
    if (!place) return cudaErrorMemoryAllocation;
    node->params.alloc.dptr = params->alloc.dptr = (void *)place->address;
    return cudaSuccess;
}

cudaError_t rt_graph_memory_check(struct rt_node *node) {
    struct rt_graph *graph = node->graph;
    uintptr_t address = node_address(node);
    node->params.free.dptr = NULL;
    rt_mark_before(graph, (cudaGraphNode_t[]){(cudaGraphNode_t)node}, 1);
    int before = allocated(graph, address, false), all = allocated(graph, address, true);
    bool own = is_of_graph(graph, address);
    node->params.free.dptr = (void *)address;
    return graph_memory_find(address) && (own ? before > 0 : !all) ? cudaSuccess
                                                                   : cudaErrorInvalidValue;
}

/* ---- Launches ---- */

/* Has the graph, or one inside it, an alloc node of the address? */
static bool allocates(const struct rt_graph *graph, uintptr_t address) {
    bool found = is_of_graph(graph, address);
    for (size_t i = 0; i < graph->count && !found; i++)
        for (unsigned k = 0; rt_inner(graph->nodes[i], k) && !found; k++)
            found = allocates(rt_inner(graph->nodes[i], k), address);
    return found;
}

bool rt_graph_memory_kept(const struct rt_backing *backing) {
    for (const struct place *place = places; place; place = place->next)
        if (place->backing == backing && is_in_use(place->address)) return true;
    return false;
}

void rt_graph_memory_begin(const struct rt_graph *graph, struct rt_stream *stream) {
    for (int device = 0; device < MAX_DEVICES; device++) {
        uint64_t bytes = 0;
        for (const struct place *place = places; place; place = place->next)
            if (place->device == device && allocates(graph, place->address)) bytes += place->size;
        launched[device] = bytes ? rt_footprint_begin(graph->id, device, bytes, stream) : NULL;
    }
}

void rt_graph_memory_end(const struct rt_stream *stream) {
    for (int device = 0; device < MAX_DEVICES; device++)
        if (launched[device]) rt_footprint_end(launched[device], stream);
}

cudaError_t rt_graph_memory_take(const struct rt_node *node) {
    uintptr_t address = node_address(node);
    size_t size = node->params.alloc.bytesize;
    if (is_in_use(address)) return cudaErrorInvalidValue;
    bool has_room = memory_used(node->device) <= rt.gpu->dram_bytes - size;
    if (!has_room || !memory_allocate_at(address, size)) return cudaErrorMemoryAllocation;
    graph_memory_find(address)->backing = launched[node->device];
    return cudaSuccess;
}

/* Frees memory that the last launch left, or returns cudaErrorInvalidValue. */
static cudaError_t clear(const struct rt_graph *graph, bool frees) {
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->count && !error; i++) {
        const struct rt_node *node = graph->nodes[i];
        bool left = node->params.type == cudaGraphNodeTypeMemAlloc && is_in_use(node_address(node));
        if (rt_inner(node, 0)) error = clear(rt_inner(node, 0), frees);
        if (left && !frees) return cudaErrorInvalidValue;
        if (left) memory_free(node_address(node));
    }
    return error;
}

cudaError_t rt_graph_memory_clear(const struct rt_exec *exec) {
    return clear(exec->graph, exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
}

/* ---- The API ---- */

static cudaError_t graph_memory_trim(int device) {
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    rt_footprint_trim(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    RT_CALL(graph_memory_trim(device));
}

static cudaError_t graph_memory_get_attribute(int device, enum cudaGraphMemAttributeType attribute,
                                              void *value) {
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    if ((unsigned)attribute > cudaGraphMemAttrReservedMemHigh || !value)
        return cudaErrorInvalidValue;
    bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    *(uint64_t *)value = high ? rt_footprint_highest(device) : rt_footprint(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value) {
    RT_CALL(graph_memory_get_attribute(device, attribute, value));
}

/* Only a high-water mark can be set, to zero: it becomes what there is now. */
static cudaError_t graph_memory_set_attribute(int device, enum cudaGraphMemAttributeType attribute,
                                              const void *value) {
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    if (!high || !value || *(const uint64_t *)value) return cudaErrorInvalidValue;
    rt_footprint_reset(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value) {
    RT_CALL(graph_memory_set_attribute(device, attribute, value));
}
