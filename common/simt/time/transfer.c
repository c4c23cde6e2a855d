/* time/transfer.c: what a kind of copy takes beside its bytes, and for its bytes. */
#include "transfer.h"

#include <string.h>

double transfer_event_way_ns(const struct gpu *gpu) {
    return gpu->launch_ns;
}

/* A copy that takes so long between a pair of events: the second one waits for the copy, and the
 * first one is on the way to the device as long as an event is. engine_ns: the engine's part of
 * what it takes beside its bytes. */
static struct transfer between_events(const struct gpu *gpu, double beside_ns, double engine_ns,
                                      double bytes_ns) {
    return (struct transfer){.way_ns = transfer_event_way_ns(gpu) + beside_ns - engine_ns,
                             .engine_ns = engine_ns + bytes_ns};
}

/* ---- The host's caches ---- */

#define LINE_BYTES ((size_t)1 << 20) /* that the model follows together */
#define MAX_LINES  64

static uintptr_t lines[MAX_LINES]; /* held, the one touched last first */
static size_t nlines;

/* Touches a line. Returns whether the caches did not hold it. */
static bool transfer_touch(uintptr_t line, size_t room) {
    size_t i = 0;
    while (i < nlines && lines[i] != line) i++;
    bool far = i == room;
    if (i == nlines && !far) nlines++;
    if (far) i--;
    memmove(&lines[1], &lines[0], i * sizeof lines[0]);
    lines[0] = line;
    return far;
}

struct host_bytes transfer_host_bytes(const struct gpu *gpu, bool pageable, uintptr_t address,
                                      size_t bytes) {
    struct host_bytes host = {.pageable = pageable, .bytes = bytes};
    size_t room = (size_t)gpu->pageable_near_bytes / LINE_BYTES;
    if (room > MAX_LINES) room = MAX_LINES;
    for (size_t at = 0; pageable && at < bytes; at += LINE_BYTES)
        if (transfer_touch((address + at) / LINE_BYTES, room))
            host.far += bytes - at < LINE_BYTES ? bytes - at : LINE_BYTES;
    return host;
}

/* ---- Copies ---- */

/* What the host takes to move the bytes, at the rates where its caches hold them and where they do
 * not. */
static double staged_ns(struct host_bytes host, double near_gbs, double far_gbs) {
    return (double)(host.bytes - host.far) / near_gbs + (double)host.far / far_gbs;
}

static struct transfer pinned(const struct gpu *gpu, double engine_ns, size_t bytes) {
    return between_events(gpu, gpu->pinned_copy_ns, engine_ns,
                          (double)bytes / (gpu->pcie_gbs * gpu->pinned_share));
}

struct transfer transfer_to_device(const struct gpu *gpu, struct host_bytes host) {
    struct transfer transfer;
    if (!host.pageable) return pinned(gpu, gpu->copy_engine_ns, host.bytes);
    if (host.bytes <= (size_t)gpu->inline_copy_bytes) {
        transfer = between_events(gpu, gpu->inline_copy_ns, gpu->copy_engine_ns,
                                  (double)host.bytes / gpu->inline_copy_gbs);
        transfer.kind = TRANSFER_INLINE;
        transfer.host_ns = (double)host.bytes / gpu->inline_write_gbs;
        return transfer;
    }
    double bytes_ns = staged_ns(host, gpu->pageable_to_device_gbs, gpu->far_to_device_gbs);
    transfer = between_events(gpu, gpu->pinned_copy_ns, gpu->copy_engine_ns, bytes_ns);
    transfer.kind = TRANSFER_STAGED;
    return transfer;
}

struct transfer transfer_to_host(const struct gpu *gpu, struct host_bytes host) {
    if (!host.pageable) return pinned(gpu, gpu->copy_back_engine_ns, host.bytes);
    double bytes_ns = staged_ns(host, gpu->pageable_to_host_gbs, gpu->far_to_host_gbs);
    struct transfer transfer =
        between_events(gpu, gpu->pinned_copy_ns, gpu->copy_back_engine_ns, bytes_ns);
    transfer.kind = TRANSFER_STAGED;
    return transfer;
}

struct transfer transfer_to_peer(const struct gpu *gpu, bool access, size_t bytes) {
    double ns = access ? gpu->peer_copy_ns + (double)bytes / gpu->peer_copy_gbs
                       : gpu->staged_copy_ns + (double)bytes / gpu->staged_copy_gbs;
    return (struct transfer){.engine_ns = ns};
}

double transfer_within_ns(const struct gpu *gpu, size_t bytes) {
    return (double)bytes / gpu->dram_gbs * (1 / gpu->dram_read_share + 1 / gpu->dram_write_share);
}

double transfer_fill_ns(const struct gpu *gpu, size_t bytes) {
    return (double)bytes / (gpu->dram_gbs * gpu->dram_write_share);
}

struct transfer transfer_within(const struct gpu *gpu, size_t bytes) {
    return between_events(gpu, gpu->device_copy_ns, gpu->copy_engine_ns,
                          transfer_within_ns(gpu, bytes));
}

struct transfer transfer_fill(const struct gpu *gpu, size_t bytes) {
    return between_events(gpu, gpu->device_fill_ns, gpu->copy_engine_ns,
                          transfer_fill_ns(gpu, bytes));
}
