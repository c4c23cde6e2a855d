/* extra/graphs/object.c: user objects: resources that live as long as a graph or the program holds
 * them. */
#include "graph.h"

#include <stdlib.h>

struct object {
    void *data;
    cudaHostFn_t destroy;
    uint64_t references;
};

/* A graph's references to one object. */
struct rt_held {
    struct object *object;
    uint64_t references;
    struct rt_held *next;
};

/* Its destructor is called on the callback thread: it may not call the API. */
static void graph_drop(struct object *object, uint64_t references) {
    object->references -= references;
    if (object->references) return;
    rt_callback_add(object->destroy, object->data);
    free(object);
}

static struct rt_held *graph_find(const struct rt_graph *graph, const struct object *object) {
    struct rt_held *held = graph->held;
    while (held && held->object != object) held = held->next;
    return held;
}

/* Adds references that the object counts already. */
static bool hold(struct rt_graph *graph, struct object *object, uint64_t references) {
    struct rt_held *held = graph_find(graph, object);
    if (!held) {
        held = calloc(1, sizeof *held);
        if (!held) return false;
        held->object = object;
        held->next = graph->held;
        graph->held = held;
    }
    held->references += references;
    return true;
}

void rt_objects_share(struct rt_graph *to, const struct rt_graph *from) {
    for (const struct rt_held *held = from->held; held; held = held->next)
        if (hold(to, held->object, 1)) held->object->references++;
}

void rt_objects_release(struct rt_graph *graph) {
    while (graph->held) {
        struct rt_held *held = graph->held;
        graph->held = held->next;
        graph_drop(held->object, held->references);
        free(held);
    }
}

/* ---- The API ---- */

static cudaError_t graph_create(cudaUserObject_t *handle, void *data, cudaHostFn_t destroy,
                                unsigned references, unsigned flags) {
    if (!handle || !destroy || !references || flags != cudaUserObjectNoDestructorSync)
        return cudaErrorInvalidValue;
    struct object *object = malloc(sizeof *object);
    if (!object) return cudaErrorMemoryAllocation;
    *object = (struct object){data, destroy, references};
    *handle = (cudaUserObject_t)object;
    return cudaSuccess;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
    RT_CALL(graph_create(object, data, destroy, references, flags));
}

static cudaError_t retain(struct object *object, unsigned references) {
    if (!object || !references) return cudaErrorInvalidValue;
    object->references += references;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned references) {
    RT_CALL(retain((struct object *)object, references));
}

static cudaError_t graph_release(struct object *object, unsigned references) {
    if (!object || !references || references > object->references) return cudaErrorInvalidValue;
    graph_drop(object, references);
    return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned references) {
    RT_CALL(graph_release((struct object *)object, references));
}

/* The graph takes new references, or the caller's. */
static cudaError_t retain_graph(struct rt_graph *graph, struct object *object, unsigned references,
                                unsigned flags) {
    if (!graph || !object || !references || (flags & ~(unsigned)cudaGraphUserObjectMove))
        return cudaErrorInvalidValue;
    if (!hold(graph, object, references)) return cudaErrorMemoryAllocation;
    if (!flags) object->references += references;
    return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned references, unsigned flags) {
    RT_CALL(retain_graph(rt_graph(graph), (struct object *)object, references, flags));
}

static cudaError_t release_graph(const struct rt_graph *graph, struct object *object,
                                 unsigned references) {
    struct rt_held *held = graph && object ? graph_find(graph, object) : NULL;
    if (!held || !references || references > held->references) return cudaErrorInvalidValue;
    held->references -= references;
    graph_drop(object, references);
    return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned references) {
    RT_CALL(release_graph(rt_graph(graph), (struct object *)object, references));
}
