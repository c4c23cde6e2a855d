/* extra/graphs/capture.c: the captures that are active, and the latest nodes of their streams. */
#include "simt/api/capture.h"

#include "graph.h"
#include "simt/api/clock.h"

#include <stdlib.h>
#include <string.h>

static uint64_t last_id;
static const struct rt_capture_calls calls;

/* ---- Captures ---- */

struct rt_capture *rt_capture_begin(struct rt_stream *stream, enum cudaStreamCaptureMode mode,
                                    struct rt_graph *graph) {
    struct rt_capture *capture = calloc(1, sizeof *capture);
    struct rt_graph *target = graph ? graph : rt_graph_new();
    if (!capture || !target) {
        free(capture);
        return NULL;
    }
    *capture = (struct rt_capture){.id = ++last_id,
                                   .graph = target,
                                   .owns_graph = !graph,
                                   .mode = mode,
                                   .origin = stream,
                                   .thread = rt_this_thread(),
                                   .calls = &calls,
                                   .next = rt_captures};
    stream->capture = rt_captures = capture;
    return capture;
}

/* In each stream of the capture: forgets it. */
static void capture_forget(struct rt_stream *stream, void *capture) {
    if (stream->capture != capture) return;
    stream->capture = NULL;
    rt_nodes_free(&stream->latest);
}

struct rt_graph *rt_capture_end(struct rt_capture *capture, bool keep) {
    struct rt_graph *graph = capture->graph;
    struct rt_capture **link = &rt_captures;
    for (int device = 0; device < devices_count(); device++)
        rt_each_stream(device, capture_forget, capture);
    while (*link != capture) link = &(*link)->next;
    *link = capture->next;
    if (!keep && capture->owns_graph) {
        rt_graph_free(graph);
        graph = NULL;
    }
    rt_nodes_free(&capture->lost);
    free(capture);
    return graph;
}

/* ---- The latest nodes of its streams ---- */

/* A capture that is to end, and whether a node of it is left over. */
struct joining {
    struct rt_capture *capture;
    bool unjoined;
};

static bool is_left_over(const struct rt_nodes *nodes) {
    for (size_t i = 0; i < nodes->count; i++)
        if (!((struct rt_node *)nodes->list[i])->mark) return true;
    return false;
}

static void check_joined(struct rt_stream *stream, void *context) {
    struct joining *joining = context;
    if (stream->capture == joining->capture && is_left_over(&stream->latest))
        joining->unjoined = true;
}

bool rt_capture_is_unjoined(struct rt_capture *capture) {
    const struct rt_nodes *latest = &capture->origin->latest;
    rt_mark_before(capture->graph, latest->list, latest->count);
    struct joining joining = {capture, is_left_over(&capture->lost)};
    for (int device = 0; device < devices_count(); device++)
        rt_each_stream(device, check_joined, &joining);
    return joining.unjoined;
}

static void capture_leave(struct rt_stream *stream) {
    struct rt_capture *capture = stream->capture;
    rt_nodes_add(&capture->lost, stream->latest.list, stream->latest.count);
    if (capture->origin == stream)
        rt_capture_end(capture, false);
    else
        capture_forget(stream, capture);
}

static cudaError_t capture_add(struct rt_stream *stream, struct cudaGraphNodeParams *params) {
    cudaGraphNode_t node;
    int caller = device_current();
    if (stream->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    device_use(stream->device);
    rt_call_as("captured node");
    cudaError_t error = rt_graph_add(stream->capture->graph, stream->latest.list, NULL,
                                     stream->latest.count, params, &node);
    device_use(caller);
    return error ? error : rt_capture_follow(stream, &node, 1, true);
}

static cudaError_t capture_kernel(const struct launch *launch) {
    const uint32_t *grid = launch->shape.grid, *block = launch->shape.block;
    struct cudaGraphNodeParams params = {
        .type = cudaGraphNodeTypeKernel,
        .kernel = {.func = (void *)launch->function->host,
                   .gridDim = {grid[0], grid[1], grid[2]},
                   .blockDim = {block[0], block[1], block[2]},
                   .sharedMemBytes = (unsigned)launch->shape.dynamic_shared,
                   .kernelParams = launch->arguments},
    };
    const cudaLaunchAttributeValue cooperative = {.cooperative = 1};
    cudaError_t error = capture_add(launch->stream, &params);
    if (error || !launch->cooperative) return error;
    struct rt_node *node = rt_node(launch->stream->latest.list[0]);
    return rt_attribute_set(&node->attributes, cudaLaunchAttributeCooperative, &cooperative);
}

static const struct rt_capture_calls calls = {capture_add, capture_kernel, capture_leave};

cudaError_t rt_capture_launch(struct rt_stream *stream, const struct rt_exec *exec) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeGraph,
                                         .graph.graph = (cudaGraph_t)exec->graph};
    return rt_capture_add(stream, &params);
}
