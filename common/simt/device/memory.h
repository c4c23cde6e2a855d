/*
 * device/memory.h: the address space of all devices.
 *
 * The host cannot dereference a device pointer. cudaMalloc's addresses lie in a reserved,
 * inaccessible range; the bytes lie at address + delta. A host program that dereferences a device
 * pointer crashes, as it does on a GPU. Managed, pinned and mapped memory has delta 0. Generic
 * addresses of shared and local memory lie in two windows outside any real address.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARED_WINDOW 0x5A00000000000000ull /* + offset in the block's shared memory */
#define LOCAL_WINDOW  0x5B00000000000000ull /* + offset in the thread's local memory */
#define WINDOW_MASK   0xFF00000000000000ull

#define GUARD_BYTES (64u * 1024) /* after each allocation */

#define SECTOR_BYTES 32u
#define LINE_SECTORS 4 /* of a line of the caches */
#define DRAM_SECTORS 2 /* that the DRAM gives at once */
#define LINE_BYTES   (LINE_SECTORS * SECTOR_BYTES)

/* The fewest sectors that hold so many bytes; no more than were touched, as threads may ask for the
 * same bytes. */
static inline uint64_t least_sectors(uint64_t bytes, uint64_t touched) {
    uint64_t least = (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    return least < touched ? least : touched;
}

enum allocation_kind {
    ALLOC_DEVICE,
    ALLOC_GLOBAL_VAR,
    ALLOC_CONST_VAR,
    ALLOC_MANAGED,
    ALLOC_PINNED,
    ALLOC_DEVICE_HEAP,
    ALLOC_IMPORTED, /* memory of another process's device */
    ALLOC_ARRAY     /* texels: no address is a pointer to them */
};

struct allocation {
    uint64_t address; /* as the device sees it */
    size_t size;      /* bytes asked for; the guard after them is not part of it */
    intptr_t delta;   /* host address = address + delta */
    enum allocation_kind kind;
    int device; /* that owns it: the current one when it was made */
    const unsigned
        *access;      /* bit by device that may access it; NULL: its device and that one's peers */
    const char *name; /* variable's name, or NULL */
    const void *caller; /* place in the program that asked for it; NULL: not known */
    uint64_t serial;    /* 1 for the first allocation of the process, and so on */
    uint8_t *touched;   /* while a kernel runs with counting: one byte per sector for loads, then as
                           many for stores; see   device/touched.h */
    uint8_t *touch_map; /* its memory, kept for the next kernel: zeros between kernels */
    uint64_t changed;   /* another number whenever a kernel or a call may have written to it: see
                           memory_changed() */
    bool races_watched; /* not only saved */
    struct race_line *races;    /* while a kernel runs: machine/races.h */
    struct race_line *race_map; /* its memory, kept for the next kernel */
    size_t race_lines;          /* that have room there */
    bool adopted;               /* host memory that is not ours to free */
    bool read_only;             /* kernels may not write it: registered so */
    int file; /* that has its bytes, for other processes: device/share.c; -1: none */
    struct page_advice *advice; /* on managed memory, by page: api/memory/managed.c; NULL: none */
    uint32_t *places;           /* where its pages are: api/memory/pages.c; NULL: not known */
    struct shadow *shadow;      /* of --check: check/shadow.c */
    void (*on_free)(struct allocation *); /* called before the memory goes; NULL: nothing */
};

/* Allocate size bytes (0 is allowed: a unique address) aligned to 256. Contents are as on an H200:
 * zero, except that less than 2 MiB in the place of a freed allocation of the same kind hold its
 * bytes. The current device owns them. NULL: the host has no memory. */
struct allocation *memory_allocate(size_t size, enum allocation_kind kind, const char *name);
/* Reserve address space for size bytes, which memory_allocate_at() may make an allocation of, as
 * often as that has been freed. 0: no room. */
uint64_t memory_reserve(size_t size);
/* Contents are what the last allocation there left. NULL: no memory. */
struct allocation *memory_allocate_at(uint64_t address, size_t size);
/* Is it an address that devices alone can have? */
bool memory_is_of_devices(uint64_t address);
/* Adopt host memory (cudaHostRegister): delta 0, not freed by memory_free. */
struct allocation *memory_adopt(void *host, size_t size, enum allocation_kind kind);
/* Put the bytes of device memory into a file of memory, which is its storage from then on; another
 * process can map it. Returns its descriptor, the same at each call; -1 with errno. */
int memory_share(struct allocation *allocation);
/* Make the first size bytes of such a file memory of the current device. The descriptor is the
 * allocation's from then on. NULL: the host has no memory. */
struct allocation *memory_import(int file, size_t size);
/* Put zeros in the place of the file, and close it: for memory_free(). */
void memory_unshare(struct allocation *allocation);
/* Free the allocation that starts at address; false if there is none. The range stays unmapped for
 * a while, so stale use is caught. */
bool memory_free(uint64_t address);
/* The allocation that holds [address, address + size), or NULL. Safe from any thread while no
 * allocation is made or freed. */
struct allocation *memory_find(uint64_t address, size_t size);
/* From now on accesses may go beyond an allocation, as on a GPU, where pages of 2 MiB are
 * mapped. */
void memory_allow_overruns(void);
/* May this access of device memory go beyond an allocation? What lies there begins as zeros, and
 * keeps what is stored; its host address is address + *delta. */
bool memory_overrun(uint64_t address, size_t size, intptr_t *delta);
/* The live or most recently freed allocation nearest to address, for messages; NULL if there never
 * was one. freed says which. */
struct allocation *memory_nearest(uint64_t address, bool *freed);
/* Host pointer to a device range, or NULL when it is not wholly inside one allocation. */
void *memory_host(uint64_t address, size_t size);
/* May kernels of the current device access it? Managed and pinned memory, its own, and that of a
 * peer. */
bool memory_reached(const struct allocation *allocation);
/* Is it another device's, whose DRAM and L2 serve it? */
bool memory_is_remote(const struct allocation *allocation);
/* Bytes allocated on a device (managed included, pinned not). */
size_t memory_used(int device);
/* Bytes of the current device that kernels have allocated. */
size_t memory_heap_used(void);
/* Call visit for each live allocation, oldest first. */
void memory_each(void (*visit)(const struct allocation *, void *), void *context);
/* All live allocations, *n of them, by address. Good until one is made or freed. */
struct allocation *const *memory_live(size_t *n);
/* A kernel or a call writes to the allocation, or to the one at the address, if there is one. */
void memory_changed(struct allocation *allocation);
void memory_changed_at(uint64_t address);
/* Is every change of its bytes one of those? Not of memory that the host or another process can
 * write to. */
bool memory_is_followed(const struct allocation *allocation);
/* Another number whenever a constant variable may have changed. */
uint64_t memory_constants(void);
/* Is there memory that the host and the device both reach (managed or pinned)? */
bool memory_is_shared(void);
/* Free everything of the current device (cudaDeviceReset). */
void memory_reset(void);

/* Increases whenever an allocation is freed: pointers to allocations that were kept are then
 * invalid. */
uint64_t memory_generation(void);
