/*
 * device/memory.c: the devices' address space. See device/memory.h for what an address means.
 *
 *   reserved range  |guard| allocation |guard| ...   PROT_NONE: the host cannot follow a device
 *                                                    pointer
 *   storage         |     | its bytes  |     | ...   readable and writable, at address + delta
 *
 * Both ranges are only address space until touched. Addresses are handed out upwards and used again
 * only when the range is exhausted, so a freed address stays invalid for a long time.
 */
#include "memory.h"

#include "current.h"
#include "host.h"
#include "lib/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HOSTED_ADDRESS   (3ull << 44) /* the same for memory that the host may follow too */
#define ALIGN_BYTES      256u
#define PAGE_BYTES       4096u
#define HUGE_BYTES       (4u << 20) /* of smaller arrays huge pages clear more than they use */
#define HEAP_GUARD_BYTES 256u       /* between blocks of device malloc, which are many and small */
#define CHECKED_BYTES                                                                              \
    (64ull << 20) /* smaller requests are not compared with the memory available */
#define KEPT_LIMIT_BYTES                                                                           \
    (2ull << 20) /* larger ones a GPU's driver gives back to the system, which clears them */
#define KEPT_GRAIN_BYTES 512u /* cudaMalloc's blocks are multiples of it */
/* freed allocations whose bytes may come again, while their blocks are in use */
#define KEPT_LENGTH       64
#define QUARANTINE_LENGTH 4096 /* freed allocations remembered for messages */

static struct {
    uint64_t base, end, next; /* the reserved range and the next address to hand out */
    size_t hosted;            /* bytes handed out that the host may follow too */
    intptr_t delta;
    struct allocation **live; /* sorted by address */
    size_t nlive, capacity;
    struct kept { /* the storage of a freed allocation */
        uint64_t address;
        size_t size; /* 0: none */
        enum allocation_kind kind;
        int device;
    } kept[KEPT_LENGTH];                         /* the oldest first */
    struct allocation *freed[QUARANTINE_LENGTH]; /* ring */
    size_t nfreed;
    bool overruns;
    uint64_t serial, generation, changes, constants;
    size_t used[MAX_DEVICES], heap_used[MAX_DEVICES];
} memory;

/* ---- The reserved range ---- */

static bool arena_open(void) {
    if (memory.base) return true;
    if (!host_reserve(&memory.base, &memory.end, &memory.delta)) return false;
    memory.next = memory.base + GUARD_BYTES;
    return true;
}

/* Index of the first live allocation above address. */
static size_t live_above(uint64_t address) {
    size_t low = 0, high = memory.nlive;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (memory.live[middle]->address > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The first gap of size bytes between live allocations; only needed when the range has been handed
 * out once. 0: none. */
static uint64_t arena_gap(size_t size, size_t guard) {
    uint64_t start = memory.base + GUARD_BYTES;
    for (size_t i = live_above(memory.base); i <= memory.nlive; i++) {
        uint64_t limit = i < memory.nlive && memory.live[i]->address < memory.end
                             ? memory.live[i]->address
                             : memory.end;
        if (start + size + guard <= limit) return start;
        if (limit == memory.end) return 0;
        start = round_up(limit + memory.live[i]->size + guard, PAGE_BYTES);
    }
    return 0;
}

static uint64_t arena_take(size_t size, size_t guard, size_t align) {
    if (!arena_open() || size > memory.end - memory.base) return 0;
    uint64_t start = round_up(memory.next, align);
    if (start + size + guard > memory.end) return arena_gap(size, guard);
    memory.next = start + size + guard;
    return start;
}

/* ---- The list of allocations ---- */

static bool live_insert(struct allocation *allocation) {
    if (memory.nlive == memory.capacity) {
        size_t capacity = memory.capacity ? 2 * memory.capacity : 64;
        struct allocation **live = realloc(memory.live, capacity * sizeof *live);
        if (!live) return false;
        memory.live = live;
        memory.capacity = capacity;
    }
    size_t at = live_above(allocation->address);
    memmove(memory.live + at + 1, memory.live + at, (memory.nlive - at) * sizeof *memory.live);
    memory.live[at] = allocation;
    memory.nlive++;
    return true;
}

/* Counts bytes that an allocation takes; to give them back, their negative, which wraps around. */
static void add_used(const struct allocation *allocation, size_t bytes) {
    bool takes_room = allocation->kind != ALLOC_PINNED && allocation->kind != ALLOC_IMPORTED;
    if (takes_room) memory.used[allocation->device] += bytes;
    if (allocation->kind == ALLOC_DEVICE_HEAP) memory.heap_used[allocation->device] += bytes;
}

static struct allocation *allocation_new(uint64_t address, size_t size, intptr_t delta,
                                         enum allocation_kind kind, const char *name) {
    struct allocation *allocation = calloc(1, sizeof *allocation);
    if (!allocation) return NULL;
    *allocation = (struct allocation){
        .address = address,
        .size = size,
        .delta = delta,
        .kind = kind,
        .device = device_current(),
        .name = name,
        .file = -1,
        .serial = ++memory.serial,
        .changed = ++memory.changes,
    };
    if (!live_insert(allocation)) {
        free(allocation);
        return NULL;
    }
    add_used(allocation, size);
    return allocation;
}

/* Memory that the host may follow too has an address of its own, with a guard page after it. */
static uint64_t host_take(size_t size, int flag) {
    size_t taken = round_up(size, PAGE_BYTES) + PAGE_BYTES;
    char *range = mmap((void *)(HOSTED_ADDRESS + memory.hosted), taken, PROT_READ | PROT_WRITE,
                       flag | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) return 0;
    memory.hosted += taken;
    mprotect(range + round_up(size, PAGE_BYTES), PAGE_BYTES, PROT_NONE);
    return (uint64_t)range;
}

/* ---- What memory holds that was used before ---- */

/* Give the bytes back to the system: they read as zero from then on. The addresses stay
 * reserved. */
static void clear_storage(uint64_t address, size_t size) {
    uint64_t start = round_up(address, PAGE_BYTES), end = address + size;
    if (end > start && end - start >= PAGE_BYTES)
        host_clear((void *)(start + memory.delta), (end - start) / PAGE_BYTES * PAGE_BYTES);
}

static bool is_kept(const struct allocation *allocation) {
    bool is_data = allocation->kind == ALLOC_DEVICE || allocation->kind == ALLOC_DEVICE_HEAP;
    return is_data && allocation->size && allocation->size < KEPT_LIMIT_BYTES;
}

static void kept_forget(size_t i) {
    memmove(memory.kept + i, memory.kept + i + 1, (KEPT_LENGTH - 1 - i) * sizeof *memory.kept);
    memory.kept[KEPT_LENGTH - 1].size = 0;
}

static void kept_remove(size_t i) {
    clear_storage(memory.kept[i].address, memory.kept[i].size);
    kept_forget(i);
}

/* The new allocation has a new address, but what a GPU's would hold: the bytes of one freed lately,
 * of this kind and device, in whose place it fits. Else it is zero. */
static void restore_kept(const struct allocation *allocation) {
    for (size_t i = KEPT_LENGTH; i-- > 0;) {
        const struct kept *kept = &memory.kept[i];
        if (!kept->size || kept->kind != allocation->kind || kept->device != allocation->device)
            continue;
        if (allocation->size > round_up(kept->size, KEPT_GRAIN_BYTES)) continue;
        size_t size = allocation->size < kept->size ? allocation->size : kept->size;
        memcpy((char *)allocation->address + memory.delta, (char *)kept->address + memory.delta,
               size);
        kept_remove(i);
        return;
    }
}

static void keep_bytes(const struct allocation *allocation) {
    size_t n = 0;
    while (n < KEPT_LENGTH && memory.kept[n].size) n++;
    if (n == KEPT_LENGTH) kept_remove(0), n--;
    memory.kept[n] =
        (struct kept){allocation->address, allocation->size, allocation->kind, allocation->device};
}

/* cudaMalloc takes small pieces from blocks that it gives back when their last piece is freed. */
static void forget_blocks_if_empty(int device) {
    for (size_t i = 0; i < memory.nlive; i++) {
        const struct allocation *live = memory.live[i];
        if (live->device == device && live->kind == ALLOC_DEVICE && is_kept(live)) return;
    }
    for (size_t i = KEPT_LENGTH; i-- > 0;) {
        const struct kept *kept = &memory.kept[i];
        if (kept->size && kept->device == device && kept->kind == ALLOC_DEVICE) kept_remove(i);
    }
}

struct allocation *memory_allocate(size_t size, enum allocation_kind kind, const char *name) {
    if (size > CHECKED_BYTES && size > host_available()) return NULL;
    bool hosted = kind == ALLOC_MANAGED || kind == ALLOC_PINNED;
    bool heap = kind == ALLOC_DEVICE_HEAP;
    /* shared: its pages can be taken from the page table (api/memory/pages.h) */
    int flag = kind == ALLOC_MANAGED ? MAP_SHARED : MAP_PRIVATE;
    uint64_t address = hosted ? host_take(size, flag)
                              : arena_take(size, heap ? HEAP_GUARD_BYTES : GUARD_BYTES,
                                           heap ? ALIGN_BYTES : PAGE_BYTES);
    if (!address) return NULL;
    if (!hosted && size >= HUGE_BYTES) host_enlarge_pages((char *)address + memory.delta, size);
    struct allocation *allocation =
        allocation_new(address, size, hosted ? 0 : memory.delta, kind, name);
    if (allocation && is_kept(allocation)) restore_kept(allocation);
    return allocation;
}

uint64_t memory_reserve(size_t size) {
    return arena_take(size, GUARD_BYTES, PAGE_BYTES);
}

struct allocation *memory_allocate_at(uint64_t address, size_t size) {
    for (size_t i = KEPT_LENGTH; i-- > 0;)
        if (memory.kept[i].size && memory.kept[i].address == address) kept_forget(i);
    return arena_open() ? allocation_new(address, size, memory.delta, ALLOC_DEVICE, NULL) : NULL;
}

bool memory_is_of_devices(uint64_t address) {
    return address >= memory.base && address < memory.end;
}

struct allocation *memory_adopt(void *host, size_t size, enum allocation_kind kind) {
    struct allocation *allocation = allocation_new((uint64_t)host, size, 0, kind, NULL);
    if (allocation) allocation->adopted = true;
    return allocation;
}

static void allocation_release(struct allocation *allocation) {
    if (allocation->adopted) return;
    if (allocation->file >= 0)
        memory_unshare(allocation);
    else if (!memory_is_of_devices(allocation->address))
        munmap((void *)allocation->address, round_up(allocation->size, PAGE_BYTES) + PAGE_BYTES);
    else if (is_kept(allocation))
        keep_bytes(allocation);
    else
        clear_storage(allocation->address, allocation->size);
}

static void quarantine(struct allocation *allocation) {
    struct allocation **slot = &memory.freed[memory.nfreed++ % QUARANTINE_LENGTH];
    free(*slot);
    *slot = allocation;
}

bool memory_free(uint64_t address) {
    size_t at = live_above(address);
    if (at == 0 || memory.live[at - 1]->address != address) return false;
    struct allocation *allocation = memory.live[at - 1];
    memmove(memory.live + at - 1, memory.live + at, (memory.nlive - at) * sizeof *memory.live);
    memory.nlive--;
    memory.generation++;
    add_used(allocation, -allocation->size);
    free(allocation->touch_map);
    free(allocation->race_map);
    allocation->touched = allocation->touch_map = NULL;
    allocation->races = allocation->race_map = NULL;
    free(allocation->advice);
    free(allocation->places);
    allocation->advice = NULL;
    allocation->places = NULL;
    if (allocation->on_free) allocation->on_free(allocation);
    allocation_release(allocation);
    if (allocation->kind == ALLOC_DEVICE) forget_blocks_if_empty(allocation->device);
    quarantine(allocation);
    return true;
}

struct allocation *memory_find(uint64_t address, size_t size) {
    size_t at = live_above(address);
    if (at == 0) return NULL;
    struct allocation *allocation = memory.live[at - 1];
    uint64_t offset = address - allocation->address;
    bool inside = offset < allocation->size || (offset == 0 && size == 0);
    return inside && size <= allocation->size - offset ? allocation : NULL;
}

void memory_allow_overruns(void) {
    memory.overruns = true;
}

/* The storage of the guard after an allocation is there. */
bool memory_overrun(uint64_t address, size_t size, intptr_t *delta) {
    size_t at = live_above(address);
    if (!memory.overruns || !at || !memory_is_of_devices(address)) return false;
    const struct allocation *before = memory.live[at - 1];
    uint64_t end = before->address + before->size;
    bool room = at == memory.nlive || address + size <= memory.live[at]->address;
    *delta = before->delta;
    return room && before->delta == memory.delta && before->kind != ALLOC_DEVICE_HEAP &&
           memory_reached(before) && address + size <= end + GUARD_BYTES;
}

/* Bytes between address and the allocation; 0 inside it. */
static uint64_t allocation_distance(const struct allocation *allocation, uint64_t address) {
    if (address < allocation->address) return allocation->address - address;
    uint64_t end = allocation->address + allocation->size;
    return address < end ? 0 : address - end + 1;
}

static void keep_nearer(struct allocation **best, struct allocation *candidate, uint64_t address) {
    if (candidate &&
        (!*best || allocation_distance(candidate, address) < allocation_distance(*best, address)))
        *best = candidate;
}

struct allocation *memory_nearest(uint64_t address, bool *freed) {
    struct allocation *best = NULL, *stale = NULL;
    for (size_t i = 0; i < memory.nlive; i++) keep_nearer(&best, memory.live[i], address);
    for (size_t i = 0; i < QUARANTINE_LENGTH; i++) keep_nearer(&stale, memory.freed[i], address);
    *freed = stale &&
             (!best || allocation_distance(stale, address) < allocation_distance(best, address));
    return *freed ? stale : best;
}

void *memory_host(uint64_t address, size_t size) {
    const struct allocation *allocation = memory_find(address, size);
    return allocation ? (void *)(address + allocation->delta) : NULL;
}

/* Memory that the host and all devices reach. */
static bool is_shared(const struct allocation *allocation) {
    return allocation->kind == ALLOC_MANAGED || allocation->kind == ALLOC_PINNED;
}

bool memory_reached(const struct allocation *allocation) {
    if (is_shared(allocation)) return true;
    if (allocation->access) return *allocation->access >> device_current() & 1;
    return device_reaches(device_current(), allocation->device);
}

bool memory_is_remote(const struct allocation *allocation) {
    return !is_shared(allocation) && allocation->device != device_current();
}

size_t memory_used(int device) {
    return memory.used[device];
}

size_t memory_heap_used(void) {
    return memory.heap_used[device_current()];
}

uint64_t memory_generation(void) {
    return memory.generation;
}

static int by_serial(const void *left, const void *right) {
    uint64_t a = (*(struct allocation *const *)left)->serial,
             b = (*(struct allocation *const *)right)->serial;
    return (a > b) - (a < b);
}

void memory_each(void (*visit)(const struct allocation *, void *), void *context) {
    size_t n = memory.nlive;
    struct allocation **ordered = need(malloc((n + 1) * sizeof *ordered));
    if (n) memcpy(ordered, memory.live, n * sizeof *ordered);
    qsort(ordered, n, sizeof *ordered, by_serial);
    for (size_t i = 0; i < n; i++) visit(ordered[i], context);
    free(ordered);
}

struct allocation *const *memory_live(size_t *n) {
    *n = memory.nlive;
    return memory.live;
}

void memory_changed(struct allocation *allocation) {
    allocation->changed = ++memory.changes;
    if (allocation->kind == ALLOC_CONST_VAR) memory.constants = memory.changes;
}

void memory_changed_at(uint64_t address) {
    struct allocation *allocation = memory_find(address, 1);
    if (allocation) memory_changed(allocation);
}

bool memory_is_followed(const struct allocation *allocation) {
    return !is_shared(allocation) && allocation->kind != ALLOC_IMPORTED && allocation->file < 0;
}

uint64_t memory_constants(void) {
    return memory.constants;
}

bool memory_is_shared(void) {
    for (size_t i = 0; i < memory.nlive; i++)
        if (is_shared(memory.live[i])) return true;
    return false;
}

void memory_reset(void) {
    for (size_t i = memory.nlive; i-- > 0;)
        if (memory.live[i]->device == device_current()) memory_free(memory.live[i]->address);
    for (size_t i = KEPT_LENGTH; i-- > 0;)
        if (memory.kept[i].size && memory.kept[i].device == device_current()) kept_remove(i);
}
