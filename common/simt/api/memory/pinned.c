/* api/memory/pinned.c: host memory that the device can reach: allocated here, or registered memory
 * of the program. */
#include "simt/api/clock.h"

#include <stdio.h>
#include <stdlib.h>

#define ALLOC_FLAGS (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)
#define REGISTER_FLAGS                                                                             \
    (cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |                \
     cudaHostRegisterReadOnly)

struct pinned {
    uintptr_t address;
    size_t size;
    unsigned flags;
    bool registered; /* memory of the program, not allocated here */
    struct pinned *next;
};

static struct pinned *all;

static struct pinned *pinned_find(const void *pointer) {
    for (struct pinned *pinned = all; pinned; pinned = pinned->next)
        if ((uintptr_t)pointer - pinned->address < pinned->size) return pinned;
    return NULL;
}

bool rt_pinned_flags(const void *pointer, unsigned *flags) {
    const struct pinned *pinned = pinned_find(pointer);
    if (pinned) *flags = pinned->flags;
    return pinned;
}

static cudaError_t pinned_note(void *pointer, size_t size, unsigned flags, bool registered) {
    struct pinned *pinned = malloc(sizeof *pinned);
    if (!pinned) return cudaErrorMemoryAllocation;
    *pinned = (struct pinned){(uintptr_t)pointer, size, flags, registered, all};
    all = pinned;
    return cudaSuccess;
}

/* Removes the memory that starts at pointer, if it is registered, or else allocated here, as asked.
 * Returns whether it was. */
static bool pinned_forget(const void *pointer, bool registered) {
    for (struct pinned **link = &all; *link; link = &(*link)->next) {
        struct pinned *pinned = *link;
        if (pinned->address != (uintptr_t)pointer || pinned->registered != registered) continue;
        *link = pinned->next;
        rt_call_bytes(pinned->size);
        free(pinned);
        return memory_free((uintptr_t)pointer);
    }
    return false;
}

void rt_pinned_reset(void) {
    for (struct pinned **link = &all; *link;) {
        struct pinned *pinned = *link;
        const struct allocation *allocation = memory_find(pinned->address, 0);
        if (allocation && allocation->device != device_current()) {
            link = &pinned->next;
            continue;
        }
        *link = pinned->next;
        free(pinned);
    }
}

static cudaError_t pinned_allocate(void **pointer, size_t size, unsigned flags) {
    if (flags & ~(unsigned)ALLOC_FLAGS) return cudaErrorInvalidValue;
    cudaError_t error = rt_allocate(pointer, size, ALLOC_PINNED);
    return error || !size ? error : pinned_note(*pointer, size, flags | cudaHostAllocMapped, false);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
    RT_ACTING_CALL(pinned_allocate(pointer, size, flags));
}

cudaError_t cudaMallocHost(void **pointer, size_t size) {
    RT_ACTING_CALL(pinned_allocate(pointer, size, cudaHostAllocDefault));
}

static cudaError_t free_host(void *pointer) {
    cudaError_t fault = rt_synchronise_device(device_current());
    if (fault || !pointer) return fault;
    return pinned_forget(pointer, false) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaFreeHost(void *pointer) {
    RT_CALL(free_host(pointer));
}

static bool pinned_overlaps(uintptr_t address, size_t size) {
    for (const struct pinned *pinned = all; pinned; pinned = pinned->next)
        if (address < pinned->address + pinned->size && pinned->address < address + size)
            return true;
    return false;
}

/* May the program read all of these bytes, and write them if asked? */
static bool may_access(uintptr_t address, size_t size, bool writing) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t room = 0;
    uintptr_t from, to, reached = address;
    char readable, writable;
    while (maps && reached < address + size && getline(&line, &room, maps) > 0) {
        if (sscanf(line, "%lx-%lx %c%c", &from, &to, &readable, &writable) != 4 || to <= reached)
            continue;
        if (from > reached || readable != 'r' || (writing && writable != 'w')) break;
        reached = to;
    }
    free(line);
    if (maps) fclose(maps);
    return reached >= address + size;
}

/* Any memory of the program, from any byte on: malloc's, the stack, mapped files. The errors are
 * those of an H200, but that a driver may also refuse files that are mapped shared and for
 * writing. */
static cudaError_t register_host(void *pointer, size_t size, unsigned flags) {
    bool read_only = flags & cudaHostRegisterReadOnly;
    if (!pointer || !size || (flags & ~(unsigned)REGISTER_FLAGS)) return cudaErrorInvalidValue;
    const struct pinned *known = pinned_find(pointer);
    if (rt_place(pointer, 1) != RT_HOST && !(known && known->registered))
        return cudaErrorInvalidValue;
    if (pinned_overlaps((uintptr_t)pointer, size)) return cudaErrorHostMemoryAlreadyRegistered;
    if (!may_access((uintptr_t)pointer, size, !read_only)) return cudaErrorInvalidValue;
    rt_call_bytes(size);
    struct allocation *allocation = memory_adopt(pointer, size, ALLOC_PINNED);
    if (!allocation) return cudaErrorMemoryAllocation;
    allocation->read_only = read_only;
    return pinned_note(pointer, size, flags | cudaHostRegisterMapped, true);
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags) {
    RT_ACTING_CALL(register_host(pointer, size, flags));
}

static cudaError_t unregister_host(void *pointer) {
    cudaError_t fault = rt_synchronise_device(device_current());
    if (fault) return fault;
    const struct pinned *pinned = pinned_find(pointer);
    if (!pointer || (pinned && pinned->address != (uintptr_t)pointer)) return cudaErrorInvalidValue;
    return pinned_forget(pointer, true) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

cudaError_t cudaHostUnregister(void *pointer) {
    RT_CALL(unregister_host(pointer));
}

/* Gives the device's address, which is the host's. */
static cudaError_t device_pointer(void **device, void *host, unsigned flags) {
    if (!device || flags || !pinned_find(host)) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    RT_ACTING_CALL(device_pointer(device, host, flags));
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *pointer) {
    RT_ACTING_CALL(flags && rt_pinned_flags(pointer, flags) ? cudaSuccess : cudaErrorInvalidValue);
}
