/*
 * time/transfer.h: how long copies and fills take, as measured for each kind of memory (gpus.tsv).
 * Times in ns.
 *
 *   call begins --- way --->[ engine: what a profiler shows ]
 *
 * Pinned memory: the copy engine reads or writes it, at the pace of PCIe. Pageable memory: the
 * driver moves the bytes through pinned memory of its own, at the pace of the host's memory, which
 * is lower where the host's caches do not hold them. Small copies from pageable memory go inline,
 * among the commands to the device. Copies within the device and fills move at the pace of the
 * DRAM.
 */
#pragma once

#include "simt/device/gpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct transfer {
    double way_ns, engine_ns;
    double host_ns; /* that the host takes to write the bytes, beside the call; 0: it does not */
    enum {
        TRANSFER_BY_DEVICE, /* the host need not wait */
        TRANSFER_INLINE,    /* the host has written the bytes when the call ends */
        TRANSFER_STAGED,    /* the host moves the bytes while the engine does */
    } kind;
};

/* The host's side of a copy. */
struct host_bytes {
    bool pageable;
    size_t bytes, far; /* far: of pageable memory, those that the host's caches do not hold */
};

/* The host's side of a copy of bytes at an address. Notes that the host's caches hold them from now
 * on: they keep the pageable_near_bytes that copies touched last. What no copy has touched yet, the
 * program has just written. */
struct host_bytes transfer_host_bytes(const struct gpu *gpu, bool pageable, uintptr_t address,
                                      size_t bytes);
/* From an event's record to the event, on a device that has nothing to do, beside the call. */
double transfer_event_way_ns(const struct gpu *gpu);
struct transfer transfer_to_device(const struct gpu *gpu, struct host_bytes host);
struct transfer transfer_to_host(const struct gpu *gpu, struct host_bytes host);
/* To another device; without peer access the host's memory lies between. */
struct transfer transfer_to_peer(const struct gpu *gpu, bool access, size_t bytes);
/* Each byte is read and written. */
struct transfer transfer_within(const struct gpu *gpu, size_t bytes);
struct transfer transfer_fill(const struct gpu *gpu, size_t bytes);
/* The engine's time for the bytes alone. */
double transfer_within_ns(const struct gpu *gpu, size_t bytes);
double transfer_fill_ns(const struct gpu *gpu, size_t bytes);
