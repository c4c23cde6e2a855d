/*
 * extra/driver/virtual.c: addresses that a program reserves, and memory that it maps to them.
 *
 *   cuMemAddressReserve    cuMemCreate             addresses; memory that has none
 *            \               /
 *             cuMemMap                             a mapping: nobody reaches it
 *                |
 *             cuMemSetAccess                       a run: mappings side by side, one allocation
 *
 * An allocation keeps its bytes where its address is. So where a run changes, its memory takes its
 * bytes along: the run is closed, and what is left of it opened again. All of them then count as
 * written. Memory is mapped at one place at a time.
 */
#include "driver.h"

#include "lib/memory.h"
#include "simt/check/host.h"

#include <stdlib.h>
#include <string.h>

#define GRANULARITY ((size_t)2 << 20)

/* What cuMemCreate made. It stays while it is mapped, though released. */
struct physical {
    size_t size;
    int device;
    bool mapped, released;
    void *bytes; /* those that it had when its run was closed; NULL: zeros */
};

static struct mapping {
    uint64_t address;
    struct physical *of;
    bool open; /* cuMemSetAccess was called: it is in a run */
} * mappings;  /* in the order of their addresses */
static size_t nmappings;

static uint64_t end_of(const struct mapping *m) {
    return m->address + m->of->size;
}

static void physical_free(struct physical *p) {
    if (p->mapped || !p->released) return;
    free(p->bytes);
    free(p);
}

/* The open mappings of one device side by side from the i-th on: the index after them. */
static size_t run_after(size_t i) {
    size_t after = i + 1;
    while (mappings[i].open && after < nmappings && mappings[after].open &&
           mappings[after].of->device == mappings[i].of->device &&
           mappings[after].address == end_of(&mappings[after - 1]))
        after++;
    return after;
}

/* Makes allocations of the runs that are none, and gives them their bytes. */
static cudaError_t open_runs(void) {
    for (size_t i = 0, after; i < nmappings; i = after) {
        after = run_after(i);
        if (!mappings[i].open || memory_find(mappings[i].address, 1)) continue;
        size_t size = end_of(&mappings[after - 1]) - mappings[i].address;
        int device = device_current();
        device_use(mappings[i].of->device);
        bool made = memory_allocate_at(mappings[i].address, size);
        device_use(device);
        if (!made) return cudaErrorMemoryAllocation;
        char *to = memory_host(mappings[i].address, size);
        for (size_t k = i; k < after; k++) {
            struct physical *p = mappings[k].of;
            if (p->bytes) {
                memcpy(to, p->bytes, p->size);
                check_host_wrote(mappings[k].address, p->size);
            } else {
                memset(to, 0, p->size);
            }
            free(p->bytes);
            p->bytes = NULL;
            to += p->size;
        }
    }
    return cudaSuccess;
}

/* Takes the bytes of the runs in the range and beside it, and frees their allocations. */
static void close_runs(uint64_t address, size_t size) {
    for (size_t i = 0, after; i < nmappings; i = after) {
        after = run_after(i);
        bool beside =
            mappings[i].address <= address + size && end_of(&mappings[after - 1]) >= address;
        if (!mappings[i].open || !beside) continue;
        for (size_t k = i; k < after; k++) {
            struct physical *p = mappings[k].of;
            p->bytes = need(malloc(p->size));
            memcpy(p->bytes, memory_host(mappings[k].address, p->size), p->size);
        }
        memory_free(mappings[i].address);
    }
}

static bool is_whole(size_t size) {
    return size && size % GRANULARITY == 0;
}

static cudaError_t granularity(size_t *size, const CUmemAllocationProp *of) {
    return size && of ? RT_SET(size, GRANULARITY) : cudaErrorInvalidValue;
}

static cudaError_t reserve(CUdeviceptr *start, size_t size, size_t alignment) {
    if (!start || !is_whole(size) || alignment & (alignment - 1)) return cudaErrorInvalidValue;
    if (alignment < GRANULARITY) alignment = GRANULARITY;
    uint64_t address = memory_reserve(size + alignment);
    if (!address) return cudaErrorMemoryAllocation;
    return RT_SET(start, (address + alignment - 1) / alignment * alignment);
}

/* The first mapping that ends after the address. */
static size_t mapping_after(uint64_t address) {
    size_t i = 0;
    while (i < nmappings && end_of(&mappings[i]) <= address) i++;
    return i;
}

static cudaError_t unreserve(uint64_t address, size_t size) {
    size_t i = mapping_after(address);
    bool in_use = i < nmappings && mappings[i].address < address + size;
    return in_use || !is_whole(size) ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t create(CUmemGenericAllocationHandle *handle, size_t size,
                          const CUmemAllocationProp *of) {
    int devices = 0;
    if (!handle || !of || !is_whole(size) || of->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        of->location.type != cudaMemLocationTypeDevice || cudaGetDeviceCount(&devices) ||
        of->location.id < 0 || of->location.id >= devices)
        return cudaErrorInvalidValue;
    if (size > rt.gpu->dram_bytes - memory_used(of->location.id)) return cudaErrorMemoryAllocation;
    struct physical *made = need(calloc(1, sizeof *made));
    *made = (struct physical){.size = size, .device = of->location.id};
    return RT_SET(handle, (uintptr_t)made);
}

static cudaError_t release(CUmemGenericAllocationHandle handle) {
    struct physical *p = (struct physical *)(uintptr_t)handle;
    if (!p || p->released) return cudaErrorInvalidValue;
    p->released = true;
    physical_free(p);
    return cudaSuccess;
}

static cudaError_t map(uint64_t address, size_t size, size_t offset,
                       CUmemGenericAllocationHandle handle) {
    struct physical *p = (struct physical *)(uintptr_t)handle;
    size_t i = mapping_after(address);
    if (!p || offset || size != p->size || address % GRANULARITY ||
        !memory_is_of_devices(address) || (i < nmappings && mappings[i].address < address + size))
        return cudaErrorInvalidValue;
    if (p->mapped) return rt_unsupported("memory that cuMemMap maps at two places");
    mappings = need(realloc(mappings, (nmappings + 1) * sizeof *mappings));
    memmove(mappings + i + 1, mappings + i, (nmappings++ - i) * sizeof *mappings);
    mappings[i] = (struct mapping){address, p, false};
    p->mapped = true;
    return cudaSuccess;
}

/* Do mappings fill the range, and end where it ends? *first, *after: which. */
static bool fills(uint64_t address, size_t size, size_t *first, size_t *after) {
    uint64_t at = address;
    *after = *first = mapping_after(address);
    while (*after < nmappings && mappings[*after].address == at && at < address + size)
        at = end_of(&mappings[(*after)++]);
    return size && at == address + size;
}

static cudaError_t set_access(uint64_t address, size_t size, const CUmemAccessDesc *to, size_t n) {
    size_t first, after;
    bool reads = false;
    for (size_t i = 0; to && i < n; i++) reads |= to[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    if (!to || !n || !fills(address, size, &first, &after)) return cudaErrorInvalidValue;
    close_runs(address, size);
    for (size_t i = first; i < after; i++) mappings[i].open = reads;
    return open_runs();
}

static cudaError_t unmap(uint64_t address, size_t size) {
    size_t first, after;
    if (!fills(address, size, &first, &after)) return cudaErrorInvalidValue;
    close_runs(address, size);
    for (size_t i = first; i < after; i++) {
        mappings[i].of->mapped = false;
        physical_free(mappings[i].of);
    }
    memmove(mappings + first, mappings + after, (nmappings - after) * sizeof *mappings);
    nmappings -= after - first;
    return open_runs();
}

/* As a call of the runtime's, which has all work's effects first. */
static cudaError_t entered(const char *name, cudaError_t (*call)(const void *), const void *with) {
    cudaError_t error = rt_enter(name);
    return rt_leave(error ? error : call(with));
}

struct access {
    uint64_t address;
    size_t size;
    const CUmemAccessDesc *to;
    size_t n;
};

static cudaError_t call_set_access(const void *with) {
    const struct access *a = with;
    return set_access(a->address, a->size, a->to, a->n);
}

static cudaError_t call_unmap(const void *with) {
    const struct access *a = with;
    return unmap(a->address, a->size);
}

DRIVER(cuMemGetAllocationGranularity,
       (size_t * size, const CUmemAllocationProp *of, CUmemAllocationGranularity_flags option),
       ((void)option, granularity(size, of)))
DRIVER(cuMemAddressReserve,
       (CUdeviceptr * start, size_t size, size_t alignment, CUdeviceptr wanted,
        unsigned long long flags),
       ((void)wanted, (void)flags, reserve(start, size, alignment)))
DRIVER(cuMemAddressFree, (CUdeviceptr start, size_t size), unreserve(start, size))
DRIVER(cuMemCreate,
       (CUmemGenericAllocationHandle * handle, size_t size, const CUmemAllocationProp *of,
        unsigned long long flags),
       ((void)flags, create(handle, size, of)))
DRIVER(cuMemRelease, (CUmemGenericAllocationHandle handle), release(handle))
DRIVER(cuMemMap,
       (CUdeviceptr start, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
        unsigned long long flags),
       ((void)flags, map(start, size, offset, handle)))
DRIVER(cuMemSetAccess, (CUdeviceptr start, size_t size, const CUmemAccessDesc *to, size_t n),
       entered("cuMemSetAccess", call_set_access, &(struct access){start, size, to, n}))
DRIVER(cuMemUnmap, (CUdeviceptr start, size_t size),
       entered("cuMemUnmap", call_unmap, &(struct access){start, size, NULL, 0}))
