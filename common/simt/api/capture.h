/*
 * api/capture.h: stream capture: streams that add nodes to a graph instead of giving work to their
 * device.
 *
 * A capture begins in one stream. Others join it when they wait for an event that was recorded in
 * it. Each has its latest nodes, which its next node will wait for.
 */
#pragma once

#include "runtime.h"

struct rt_exec;
struct rt_graph;

struct rt_capture {
    uint64_t id;
    struct rt_graph *graph;
    bool owns_graph; /* it made the graph */
    bool invalid;
    enum cudaStreamCaptureMode mode;
    struct rt_stream *origin;
    const void *thread;   /* that began it */
    struct rt_nodes lost; /* the latest nodes of streams that were destroyed */
    const struct rt_capture_calls *calls;
    struct rt_capture *next;
};

/* What extra/graphs/capture.c does for rt_capture_add(), _kernel() and _leave(). */
struct rt_capture_calls {
    cudaError_t (*add)(struct rt_stream *stream, struct cudaGraphNodeParams *params);
    cudaError_t (*kernel)(const struct launch *launch);
    void (*leave)(struct rt_stream *stream);
};

/* ---- Captures (api/capture.c; those that begin and end: extra/graphs/capture.c) ---- */

/* Adds nodes to a list that lacks them. Returns false without memory. */
bool rt_nodes_add(struct rt_nodes *to, const cudaGraphNode_t *nodes, size_t n);
void rt_nodes_free(struct rt_nodes *nodes);
/* Begins a capture; NULL: no memory. */
struct rt_capture *rt_capture_begin(struct rt_stream *stream, enum cudaStreamCaptureMode mode,
                                    struct rt_graph *graph);
/* Ends it in all its streams. Returns its graph, or NULL if the capture made the graph and it is
 * not kept. */
struct rt_graph *rt_capture_end(struct rt_capture *capture, bool keep);
/* All active captures, linked by next. */
extern struct rt_capture *rt_captures;
/* The active capture with that number; NULL: it has ended. */
struct rt_capture *rt_capture_find(uint64_t id);
/* Does a capture add to this graph? */
bool rt_capture_adds_to(const struct rt_graph *graph);
/* From here on the capture can only be ended. Returns the error. */
cudaError_t rt_capture_spoil(struct rt_capture *capture, cudaError_t error);
/* Has a stream of the capture nodes that the first stream's latest nodes do not wait for? */
bool rt_capture_is_unjoined(struct rt_capture *capture);
/* The stream's latest nodes become `nodes` too; alone: no others. */
cudaError_t rt_capture_follow(struct rt_stream *stream, const cudaGraphNode_t *nodes, size_t n,
                              bool alone);
/* A stream that is destroyed leaves its capture. */
void rt_capture_leave(struct rt_stream *stream);
/* Adds a node after the stream's latest nodes. */
cudaError_t rt_capture_add(struct rt_stream *stream, struct cudaGraphNodeParams *params);
/* Adds a launch; the executable graph as a child. */
cudaError_t rt_capture_kernel(const struct launch *launch);
cudaError_t rt_capture_launch(struct rt_stream *stream, const struct rt_exec *exec);

/* ---- What captures forbid (api/capture.c) ---- */

/* An address that no other thread has. */
const void *rt_this_thread(void);
/* Returns the error of a call that captures forbid: cudaErrorStreamCaptureUnsupported if work may
 * not be waited for and memory may not be allocated now. It spoils the captures. */
cudaError_t rt_capture_guard(void);
/* The same for an API function, if it is such a call. */
cudaError_t rt_capture_guard_function(const char *function);
/* Returns cudaErrorStreamCaptureImplicit if the stream is the legacy one, which would wait for a
 * capturing stream. spoil: those captures. */
cudaError_t rt_capture_guard_legacy(const struct rt_stream *stream, bool spoil);
