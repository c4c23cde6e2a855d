/* api/memory/memory.c: device memory: allocating, freeing, and the place of a pointer. */
#include "simt/api/caller.h"
#include "simt/api/clock.h"
#include "simt/api/extra.h"
#include "simt/device/l2.h"

#include <stdio.h>
#include <stdlib.h>

/* bytes; alignment of cudaMallocPitch's rows, as on every GPU since Fermi */
#define PITCH_ALIGN 512u
#define MAX_PITCH   0x7fffffffu /* cudaDeviceProp.memPitch */
#define OWN_PAGES   (2u << 20)  /* of so many bytes: when they go, the L2 gives copies up */

enum rt_place rt_place(const void *pointer, size_t size) {
    const struct allocation *allocation = memory_find((uintptr_t)pointer, 0);
    if (!allocation) allocation = memory_find((uintptr_t)pointer, 1);
    /* Freed device memory must not count as the host's: the simulator would crash instead of
     * reporting the error. */
    if (!allocation) return memory_is_of_devices((uintptr_t)pointer) ? RT_INVALID : RT_HOST;
    if (size > allocation->size - ((uintptr_t)pointer - allocation->address)) return RT_INVALID;
    if (allocation->kind == ALLOC_DEVICE_HEAP) return RT_HEAP;
    return allocation->kind == ALLOC_MANAGED || allocation->kind == ALLOC_PINNED ? RT_BOTH
                                                                                 : RT_DEVICE;
}

int rt_owner(const void *pointer) {
    const struct allocation *allocation = memory_find((uintptr_t)pointer, 1);
    return allocation && rt_place(pointer, 1) == RT_DEVICE ? allocation->device : device_current();
}

bool rt_is_pageable(const void *pointer) {
    return !memory_find((uintptr_t)pointer, 1);
}

const char *rt_memory_name(const void *pointer, bool peer) {
    static char devices[MAX_DEVICES][16];
    const struct allocation *allocation = memory_find((uintptr_t)pointer, 1);
    if (!allocation) return "pageable";
    if (allocation->kind == ALLOC_PINNED) return "pinned";
    if (allocation->kind == ALLOC_MANAGED) return "managed";
    if (allocation->kind == ALLOC_ARRAY && !peer) return "array";
    char *name = devices[rt_owner(pointer)];
    snprintf(name, sizeof devices[0], "device:%d", rt_owner(pointer));
    return peer ? name : "device";
}

/* Returns cudaErrorMemoryAllocation if the GPU lacks room. */
static cudaError_t check_room(size_t size) {
    bool fits =
        size <= rt.gpu->dram_bytes && memory_used(device_current()) <= rt.gpu->dram_bytes - size;
    return fits ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t rt_allocate(void **pointer, size_t size, enum allocation_kind kind) {
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = NULL;
    if (!size) return cudaSuccess;
    if (kind != ALLOC_PINNED && check_room(size)) return cudaErrorMemoryAllocation;
    struct allocation *allocation = memory_allocate(size, kind, NULL);
    if (!allocation) {
        report_note("out of memory: this machine cannot give %zu MiB (the %s would have had them)",
                    size >> 20, rt.gpu->product);
        return cudaErrorMemoryAllocation;
    }
    if (rt.check) allocation->caller = rt_caller();
    *pointer = (void *)allocation->address;
    rt_call_bytes(size);
    return cudaSuccess;
}

/* Waits for the memory's device, as a GPU does. Only memory of cudaMalloc and its variants can be
 * freed. */
cudaError_t rt_free(void *pointer) {
    const struct allocation *allocation = memory_find((uintptr_t)pointer, 0);
    cudaError_t fault = rt_synchronise_device(allocation ? allocation->device : device_current());
    if (fault || !pointer) return fault;
    bool ours = allocation && allocation->address == (uintptr_t)pointer &&
                (allocation->kind == ALLOC_DEVICE || allocation->kind == ALLOC_MANAGED);
    if (!ours) return cudaErrorInvalidValue;
    rt_extras_freeing((uintptr_t)pointer);
    rt_call_bytes(allocation->size);
    if (allocation->size >= OWN_PAGES) l2_drop_copies(allocation->device);
    return memory_free((uintptr_t)pointer) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMalloc(void **pointer, size_t size) {
    RT_ACTING_CALL(rt_allocate(pointer, size, ALLOC_DEVICE));
}

cudaError_t cudaFree(void *pointer) {
    if (!pointer) RT_ACTING_CALL(cudaSuccess);
    RT_CALL(rt_free(pointer));
}

/* Allocates rows of width bytes at aligned addresses. */
static cudaError_t allocate_rows(void **pointer, size_t *pitch, size_t width, size_t rows) {
    if (!pointer || !pitch) return cudaErrorInvalidValue;
    size_t padded = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    if (width > MAX_PITCH) return cudaErrorInvalidValue;
    if (rows && padded > SIZE_MAX / rows) return cudaErrorMemoryAllocation;
    *pitch = padded;
    return rt_allocate(pointer, padded * rows, ALLOC_DEVICE);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    RT_ACTING_CALL(allocate_rows(pointer, pitch, width, height));
}

static cudaError_t allocate_3d(struct cudaPitchedPtr *pitched, struct cudaExtent extent) {
    if (!pitched) return cudaErrorInvalidValue;
    if (extent.height && extent.depth > SIZE_MAX / extent.height) return cudaErrorMemoryAllocation;
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return allocate_rows(&pitched->ptr, &pitched->pitch, extent.width,
                         extent.height * extent.depth);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent) {
    RT_ACTING_CALL(allocate_3d(pitched, extent));
}

static cudaError_t allocate_managed(void **pointer, size_t size, unsigned flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    if (!size) return cudaErrorInvalidValue;
    return rt_allocate(pointer, size, ALLOC_MANAGED);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
    RT_ACTING_CALL(allocate_managed(pointer, size, flags));
}

static cudaError_t memory_get_info(size_t *free_bytes, size_t *total) {
    if (!free_bytes || !total) return cudaErrorInvalidValue;
    size_t used = memory_used(device_current());
    *total = rt.gpu->dram_bytes;
    *free_bytes = used < *total ? *total - used : 0;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
    RT_ACTING_CALL(memory_get_info(free_bytes, total));
}

static enum cudaMemoryType type_of(const struct allocation *allocation) {
    if (!allocation) return cudaMemoryTypeUnregistered;
    if (allocation->kind == ALLOC_MANAGED) return cudaMemoryTypeManaged;
    return allocation->kind == ALLOC_PINNED ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
}

/* Describes a pointer. Memory unknown to CUDA, such as that of malloc in kernels, is
 * "unregistered", without an error. */
static cudaError_t pointer_attributes(struct cudaPointerAttributes *attributes,
                                      const void *pointer) {
    if (!attributes || !pointer) return cudaErrorInvalidValue;
    const struct allocation *allocation = memory_find((uintptr_t)pointer, 1);
    if (allocation && allocation->kind == ALLOC_DEVICE_HEAP) allocation = NULL;
    enum cudaMemoryType type = type_of(allocation);
    int device = allocation ? allocation->device : cudaInvalidDeviceId;
    *attributes = (struct cudaPointerAttributes){.type = type, .device = device};
    if (allocation && memory_reached(allocation)) attributes->devicePointer = (void *)pointer;
    if (type != cudaMemoryTypeDevice) attributes->hostPointer = (void *)pointer;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    RT_BESIDE_CALL(pointer_attributes(attributes, pointer));
}
