/*
 * extra/graphs/footprint.c: physical memory of graphs. A launch backs all memory that the graph
 * allocates, in whole pieces. It takes those that the graph still has, then those of graphs whose
 * launches have ended in modelled time, or come before it in its stream, then new ones. Pieces stay
 * with the process until cudaDeviceGraphMemTrim. An H200 does so: measured on 2026-11-22.
 */
#include "graph.h"
#include "simt/api/clock.h"

#include <stdlib.h>

#define PIECE_BYTES (32ull << 20) /* measured on an H200 */

/* Pieces that back a graph's memory on a device. */
struct rt_backing {
    uint64_t graph;
    int device;
    uint64_t pieces;
    unsigned long long stream; /* of the last launch */
    struct work *end;          /* of the last launch; NULL: it did no work */
    struct rt_backing *next;
};

static struct rt_backing *backings;
static uint64_t highest[MAX_DEVICES]; /* bytes at most */

uint64_t rt_footprint(int device) {
    uint64_t pieces = 0;
    for (const struct rt_backing *b = backings; b; b = b->next)
        if (b->device == device) pieces += b->pieces;
    return pieces * PIECE_BYTES;
}

uint64_t rt_footprint_highest(int device) {
    return highest[device];
}

void rt_footprint_reset(int device) {
    highest[device] = rt_footprint(device);
}

/* May a launch into the stream (NULL: none) have the pieces? */
static bool is_idle(const struct rt_backing *b, const struct rt_stream *stream) {
    if (rt_graph_memory_kept(b)) return false;
    if (!b->end || (stream && b->stream == stream->id)) return true;
    work_advance(rt_host_ns());
    return b->end->done && b->end->end_ns <= rt_host_ns();
}

/* Frees the backings of the device that have no pieces. */
static void drop_empty(int device) {
    struct rt_backing **link = &backings;
    while (*link) {
        struct rt_backing *b = *link;
        if (b->device != device || b->pieces) {
            link = &b->next;
            continue;
        }
        *link = b->next;
        work_release(b->end);
        free(b);
    }
}

void rt_footprint_trim(int device) {
    for (struct rt_backing *b = backings; b; b = b->next)
        if (b->device == device && is_idle(b, NULL)) b->pieces = 0;
    drop_empty(device);
}

/* Up to n pieces of launches that are over. */
static uint64_t take_idle(int device, uint64_t n, const struct rt_stream *stream) {
    uint64_t taken = 0;
    for (struct rt_backing *b = backings; b && taken < n; b = b->next) {
        if (b->device != device || !is_idle(b, stream)) continue;
        uint64_t part = b->pieces < n - taken ? b->pieces : n - taken;
        b->pieces -= part;
        taken += part;
    }
    drop_empty(device);
    return taken;
}

static struct rt_backing *own(uint64_t graph, int device, uint64_t pieces) {
    struct rt_backing *b = backings;
    while (b && (b->graph != graph || b->device != device || b->pieces != pieces)) b = b->next;
    return b;
}

struct rt_backing *rt_footprint_begin(uint64_t graph, int device, uint64_t bytes,
                                      struct rt_stream *stream) {
    uint64_t pieces = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
    struct rt_backing *b = own(graph, device, pieces);
    if (b) return b;
    uint64_t again = take_idle(device, pieces, stream);
    double ns = (double)again * rt_cost_ns("graph memory mapped again") +
                (double)(pieces - again) * rt_cost_ns("graph memory");
    rt_call_more(ns);
    rt_stream_pass(stream, ns);
    b = malloc(sizeof *b);
    if (!b) return NULL;
    *b = (struct rt_backing){.graph = graph, .device = device, .pieces = pieces, .next = backings};
    backings = b;
    if (rt_footprint(device) > highest[device]) highest[device] = rt_footprint(device);
    return b;
}

void rt_footprint_end(struct rt_backing *b, const struct rt_stream *stream) {
    work_release(b->end);
    b->end = work_hold(stream->last);
    b->stream = stream->id;
}
