/*
 * api/memory/pages.h: where the pages of managed memory are, and what it takes to move them.
 *
 *   the host fills    [host]    a kernel touches: a fault, pages move      [device]
 *                     [host]    the host touches: a fault, pages move      [device]
 *
 * Memory that nobody has touched is nowhere, and then where it is touched first. Pages move in
 * units of 64 KiB. Where most of an aligned stretch of 2, 4, ... 32 units is there after a fault,
 * the driver brings the rest of it too: 2 MiB that are touched from front to back take six faults,
 * of 64, 64, 128, 256, 512 and 1024 KiB, and each comes in two copies, the page of the fault first.
 *
 * What the host touches is seen from its page table: when a call returns, it has none of the pages
 * that are on a device (MADV_DONTNEED takes shared memory's pages from the table, and no bytes).
 * Those that it has at the next call, the program touched meanwhile, or a system call for it; the
 * host's clock then moves by their faults. The time of a kernel contains the faults of its threads.
 *
 * Not seen: whether the host's touch was a store (of cudaMemAdviseSetReadMostly it is none); what
 * it touches beside a kernel that waits for it; with more than MOST_FOLLOWED allocations, or
 * without /proc/self/pagemap, all that it touches on a device.
 */
#pragma once

#include "simt/api/runtime.h"

#define HOST_BIT (1u << MAX_DEVICES) /* in sets of places; the devices have the bits below */

/* A place, as cudaMemLocation, but small. Type cudaMemLocationTypeInvalid: none. */
struct place {
    uint8_t type, id;
};

/* What was said of one page of 4 KiB. */
struct page_advice {
    struct place preferred, prefetched;
    uint32_t accessed_by : MAX_DEVICES + 1, read_mostly : 1;
};

/* A call of the API begins: what has the host touched since the last one? */
void rt_pages_begin_call(void);
/* It ends: the next touch of the host will be seen. */
void rt_pages_end_call(void);
/* Work begins that touches managed memory: what the host has touched first is the host's. */
void rt_pages_begin_work(void);
/* Moves these bytes to a place without faults, if they are managed memory. Returns what that takes,
 * in ns. */
double rt_pages_bring(uintptr_t address, size_t bytes, uint32_t place);
/* The device's threads touch these bytes. */
void rt_pages_touch(struct allocation *allocation, size_t at, size_t bytes, bool stored);
/* What the pages take that were touched since the last call of it, in ns. call: the number of the
 * API call that launched the kernel. */
double rt_pages_ns(uint64_t call);
