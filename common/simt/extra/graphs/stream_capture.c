/* extra/graphs/stream_capture.c: begins and ends stream captures, and says what they have so
 * far. */
#include "graph.h"
#include "simt/api/capture.h"

#include "lib/memory.h"

#include <stdlib.h>

/* ---- Beginning and ending ---- */

static cudaError_t capture_begin(cudaStream_t handle, enum cudaStreamCaptureMode mode,
                                 struct rt_graph *graph, const cudaGraphNode_t *nodes, size_t n) {
    struct rt_stream *stream = rt_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed || (n && !nodes))
        return cudaErrorInvalidValue;
    if (stream == rt_legacy_stream(stream->device)) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return cudaErrorIllegalState;
    for (size_t i = 0; i < n; i++)
        if (!rt_node(nodes[i]) || rt_node(nodes[i])->graph != graph) return cudaErrorInvalidValue;
    if (!rt_capture_begin(stream, mode, graph)) return cudaErrorMemoryAllocation;
    return rt_capture_follow(stream, nodes, n, true);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    RT_ACTING_CALL(capture_begin(stream, mode, NULL, NULL, 0));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *nodes,
                                          const cudaGraphEdgeData *data, size_t n,
                                          enum cudaStreamCaptureMode mode) {
    /* kernels start when those before them have ended, which every kind of edge allows */
    (void)data;
    RT_ACTING_CALL(rt_graph(graph) ? capture_begin(stream, mode, rt_graph(graph), nodes, n)
                                   : cudaErrorInvalidValue);
}

/* Why the capture gives no graph. */
static cudaError_t check_end(struct rt_capture *capture) {
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    bool other_thread =
        capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != rt_this_thread();
    if (other_thread) return cudaErrorStreamCaptureWrongThread;
    return rt_capture_is_unjoined(capture) ? cudaErrorStreamCaptureUnjoined : cudaSuccess;
}

static cudaError_t capture_end(cudaStream_t handle, cudaGraph_t *graph) {
    const struct rt_stream *stream = rt_stream(handle);
    if (graph) *graph = NULL;
    if (!stream) return cudaErrorInvalidResourceHandle;
    struct rt_capture *capture = stream->capture;
    if (!capture) return cudaErrorIllegalState;
    if (capture->origin != stream)
        return rt_capture_spoil(capture, cudaErrorStreamCaptureUnmatched);
    cudaError_t error = check_end(capture);
    struct rt_graph *result = rt_capture_end(capture, !error && graph);
    if (graph && !error) *graph = (cudaGraph_t)result;
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    RT_ACTING_CALL(capture_end(stream, graph));
}

/* ---- What a stream captures ---- */

static cudaError_t get_status(const struct rt_stream *stream,
                              enum cudaStreamCaptureStatus *status) {
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!status) return cudaErrorInvalidValue;
    cudaError_t error = rt_capture_guard_legacy(stream, false);
    if (error) return error;
    *status = cudaStreamCaptureStatusNone;
    if (stream->capture)
        *status = stream->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                           : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    RT_ACTING_CALL(get_status(rt_stream(stream), status));
}

/* Zeroed data for so many edges, valid until the next question. */
static const cudaGraphEdgeData *ordinary_edges(size_t n) {
    static cudaGraphEdgeData *edges;
    free(edges);
    return edges = need(calloc(n + 1, sizeof *edges));
}

static cudaError_t capture_get_info(const struct rt_stream *stream,
                                    enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                    cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                    const cudaGraphEdgeData **edges, size_t *n) {
    cudaError_t error = get_status(stream, status);
    if (error || *status != cudaStreamCaptureStatusActive) return error;
    if (id) *id = stream->capture->id;
    if (graph) *graph = (cudaGraph_t)stream->capture->graph;
    if (nodes) *nodes = stream->latest.list;
    if (edges) *edges = ordinary_edges(stream->latest.count);
    if (n) *n = stream->latest.count;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                     size_t *n) {
    RT_ACTING_CALL(capture_get_info(rt_stream(stream), status, id, graph, nodes, edges, n));
}

static cudaError_t capture_update(cudaStream_t handle, const cudaGraphNode_t *nodes, size_t n,
                                  unsigned flags) {
    struct rt_stream *stream = rt_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!stream->capture) return cudaErrorIllegalState;
    if (stream->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (flags > cudaStreamSetCaptureDependencies || (n && !nodes)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++)
        if (!rt_node(nodes[i]) || rt_node(nodes[i])->graph != stream->capture->graph)
            return cudaErrorInvalidValue;
    return rt_capture_follow(stream, nodes, n, flags == cudaStreamSetCaptureDependencies);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *data, size_t n,
                                                unsigned flags) {
    (void)data; /* as above */
    RT_ACTING_CALL(capture_update(stream, nodes, n, flags));
}
