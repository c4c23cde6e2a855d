/* api/memory/pages.c: moves the pages of managed memory. */
#include "pages.h"

#include "lib/memory.h"
#include "simt/api/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE_BYTES    4096u
#define UNIT_BYTES    (64u << 10) /* that move together */
#define UNIT_PAGES    (UNIT_BYTES / PAGE_BYTES)
#define BLOCK_UNITS   32 /* the most that one fault brings */
#define MOST_PERCENT  51 /* of a stretch of units: then the rest comes, too */
#define MOST_FOLLOWED 4096

/* ---- What moves for a call or for the work under way ---- */

static struct {
    double ns;
    double fault_ns;   /* of it: what kernels waited for their faults */
    unsigned groups;   /* of these faults: a group has one of each array */
    unsigned of_array; /* faults on the array that is looked at, and its number */
    uint64_t serial;
} moved;

static double link_ns(size_t bytes) {
    return (double)bytes / (rt.gpu->pcie_gbs * rt.gpu->pinned_share);
}

/* A row of the timeline: it is nvprof's summary that asks for these, not their order. */
static void show(const char *name, int device, size_t bytes, double ns, uint64_t call) {
    uint64_t begin = (uint64_t)rt_host_ns();
    timeline_write(&(struct timeline_row){.record = TIMELINE_PAGES,
                                          .name = name,
                                          .device = device,
                                          .bytes = bytes,
                                          .start_ns = begin,
                                          .end_ns = begin + (uint64_t)(ns + 0.5),
                                          .correlation = call});
}

static int device_of(uint32_t places) {
    return __builtin_ctz(places);
}

static void copy_pages(uint32_t from, uint32_t to, size_t bytes) {
    const char *name = to == HOST_BIT ? "DtoH" : from & HOST_BIT ? "HtoD" : "DtoD";
    if (!bytes) return;
    show(name, device_of(to == HOST_BIT ? from : to), bytes, link_ns(bytes), rt_call_number());
    moved.ns += link_ns(bytes);
}

/* ---- Units ---- */

static size_t unit_count(const struct allocation *allocation) {
    return (allocation->size + UNIT_BYTES - 1) / UNIT_BYTES;
}

static size_t unit_bytes(const struct allocation *allocation, size_t unit) {
    size_t rest = allocation->size - unit * UNIT_BYTES;
    return rest < UNIT_BYTES ? rest : UNIT_BYTES;
}

static bool any_places; /* of some allocation are known */

/* By unit, the set of the places that have it. */
static uint32_t *places_of(struct allocation *allocation) {
    any_places = true;
    if (!allocation->places)
        allocation->places = need(calloc(unit_count(allocation), sizeof *allocation->places));
    return allocation->places;
}

static struct page_advice advice_of(const struct allocation *allocation, size_t unit) {
    return allocation->advice ? allocation->advice[unit * UNIT_PAGES] : (struct page_advice){0};
}

/* Units first to end, of which a place gets those that it lacks. Returns the bytes that move, and
 * in *from where the last of them were. */
static size_t take_units(struct allocation *allocation, size_t first, size_t end, uint32_t place,
                         bool stored, uint32_t *from) {
    uint32_t *places = places_of(allocation);
    size_t bytes = 0;
    for (size_t unit = first; unit < end; unit++) {
        bool lacks = !(places[unit] & place), copies = lacks && places[unit];
        if (copies) *from = places[unit];
        if (copies) bytes += unit_bytes(allocation, unit);
        bool keeps = advice_of(allocation, unit).read_mostly && !stored;
        places[unit] = keeps ? places[unit] | place : place;
    }
    return bytes;
}

/* The stretch of units that a fault on one of them brings. */
static void stretch_of(struct allocation *allocation, size_t unit, uint32_t place, size_t *first,
                       size_t *end) {
    const uint32_t *places = places_of(allocation);
    size_t n = unit_count(allocation);
    *first = unit;
    *end = unit + 1;
    for (size_t size = 2; size <= BLOCK_UNITS; size *= 2) {
        size_t low = unit / size * size, high = low + size < n ? low + size : n,
               there = *end - *first;
        for (size_t u = low; u < high; u++) there += (u < *first || u >= *end) && places[u] & place;
        if (there * 100 <= size * MOST_PERCENT) continue;
        *first = low;
        *end = high;
    }
}

/* Brings the unit that was touched at a place, in two copies: its first page, then the rest. */
static void unit_fault(struct allocation *allocation, size_t unit, uint32_t place, bool stored) {
    uint32_t from = 0;
    size_t first, end;
    stretch_of(allocation, unit, place, &first, &end);
    size_t bytes = take_units(allocation, first, end, place, stored, &from),
           page = bytes < PAGE_BYTES ? bytes : PAGE_BYTES;
    copy_pages(from, place, page);
    copy_pages(from, place, bytes - page);
}

/* ---- Devices ---- */

/* May the device reach the unit where it is? Then it stays there. */
static bool reaches(uint32_t places, struct page_advice advice, uint32_t place) {
    bool prefers_host = advice.preferred.type == cudaMemLocationTypeHost;
    return places & HOST_BIT && (advice.accessed_by & place || prefers_host);
}

static void device_touches(struct allocation *allocation, size_t unit, bool stored) {
    uint32_t place = 1u << device_current(), *places = places_of(allocation);
    if (places[unit] & place) {
        if (stored) places[unit] = place;
    } else if (reaches(places[unit], advice_of(allocation, unit), place)) {
        moved.ns += link_ns(unit_bytes(allocation, unit));
    } else {
        double before = moved.ns;
        unit_fault(allocation, unit, place, stored);
        moved.ns += rt.gpu->page_fault_ns;
        moved.fault_ns += moved.ns - before;
        moved.of_array = moved.serial == allocation->serial ? moved.of_array + 1 : 1;
        moved.serial = allocation->serial;
        if (moved.of_array > moved.groups) moved.groups = moved.of_array;
    }
}

void rt_pages_touch(struct allocation *allocation, size_t at, size_t bytes, bool stored) {
    if (!bytes || allocation->kind != ALLOC_MANAGED || !rt.timing) return;
    for (size_t unit = at / UNIT_BYTES; unit <= (at + bytes - 1) / UNIT_BYTES; unit++)
        if (unit < unit_count(allocation)) device_touches(allocation, unit, stored);
}

double rt_pages_bring(uintptr_t address, size_t bytes, uint32_t place) {
    struct allocation *allocation = memory_find(address, bytes);
    if (!bytes || !allocation || allocation->kind != ALLOC_MANAGED || !rt.timing) return 0;
    rt_pages_begin_work();
    size_t at = address - allocation->address, end = (at + bytes - 1) / UNIT_BYTES + 1, next;
    for (size_t first = at / UNIT_BYTES; first < end; first = next) {
        uint32_t from = 0;
        next = first / BLOCK_UNITS * BLOCK_UNITS + BLOCK_UNITS;
        if (next > end) next = end;
        size_t copied = take_units(allocation, first, next, place, false, &from);
        copy_pages(from, place, copied);
    }
    return rt_pages_ns(0);
}

double rt_pages_ns(uint64_t call) {
    double ns = moved.ns;
    for (unsigned i = 0; i < moved.groups; i++)
        show("faults", device_current(), 0, moved.fault_ns / moved.groups, call);
    moved.ns = moved.fault_ns = 0;
    moved.groups = moved.of_array = 0;
    return ns;
}

/* ---- The host ---- */

static int pagemap = -2;  /* -2: not opened yet; -1: there is none */
static bool on_device;    /* some unit is on a device */
static bool kernel_ran;   /* beside the host: the page table does not tell its touches from that */
static long faults_ended; /* of the process, when the last call ended */

static long process_faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Reads which pages of a block of units the page table has. False: nobody knows. */
static bool read_table(const struct allocation *allocation, size_t block,
                       uint64_t entries[BLOCK_UNITS * UNIT_PAGES]) {
    size_t at = block * UNIT_BYTES, rest = (allocation->size - at + PAGE_BYTES - 1) / PAGE_BYTES,
           n = rest < BLOCK_UNITS * UNIT_PAGES ? rest : BLOCK_UNITS * UNIT_PAGES;
    off_t page = (off_t)((allocation->address + at) / PAGE_BYTES);
    if (pagemap == -2) pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    memset(entries, 0, BLOCK_UNITS * UNIT_PAGES * sizeof *entries);
    size_t bytes = n * sizeof *entries;
    return pagemap >= 0 &&
           pread(pagemap, entries, bytes, page * (off_t)sizeof *entries) == (ssize_t)bytes;
}

static bool unit_is_present(const uint64_t *entries) {
    uint64_t any = 0;
    for (size_t i = 0; i < UNIT_PAGES; i++) any |= entries[i];
    return any >> 63;
}

/* The host's touches of units that are on devices, or of those that are nowhere. Where nobody knows
 * it has touched the latter. */
static void see_host(struct allocation *allocation, bool devices) {
    uint64_t entries[BLOCK_UNITS * UNIT_PAGES];
    uint32_t *places = places_of(allocation);
    bool read = false, known = false;
    for (size_t unit = 0; unit < unit_count(allocation); unit++) {
        read &= unit % BLOCK_UNITS != 0;
        bool asked = devices ? places[unit] && !(places[unit] & HOST_BIT) : !places[unit];
        if (!asked) continue;
        if (!read) known = read_table(allocation, unit / BLOCK_UNITS * BLOCK_UNITS, entries);
        read = true;
        if (known ? !unit_is_present(entries + unit % BLOCK_UNITS * UNIT_PAGES) : devices) continue;
        unit_fault(allocation, unit, HOST_BIT, false);
        show("host", device_current(), 0, 0, rt_call_number());
        if (devices) moved.ns += rt.gpu->host_page_fault_ns;
    }
}

/* Calls visit for all managed memory, unless there is so much that it is not followed. */
static void each_managed(void (*visit)(struct allocation *, bool), bool argument) {
    size_t n;
    struct allocation *const *live = memory_live(&n);
    for (size_t i = 0; rt.timing && n <= MOST_FOLLOWED && i < n; i++)
        if (live[i]->kind == ALLOC_MANAGED) visit(live[i], argument);
}

void rt_pages_begin_call(void) {
    if (!on_device || kernel_ran || process_faults() == faults_ended) return;
    each_managed(see_host, true);
    rt_host_reach(rt_host_ns() + rt_pages_ns(0));
}

void rt_pages_begin_work(void) {
    each_managed(see_host, false);
}

/* Takes the pages of memory that is on a device from the page table. */
static void hide(struct allocation *allocation, bool unused) {
    (void)unused;
    bool found = false;
    for (size_t unit = 0; allocation->places && unit < unit_count(allocation) && !found; unit++)
        found = allocation->places[unit] & ~HOST_BIT;
    if (!found) return;
    on_device = true;
    madvise((void *)allocation->address, allocation->size, MADV_DONTNEED);
}

void rt_pages_end_call(void) {
    kernel_ran = rt_async_kernel_runs();
    if (!any_places) return;
    on_device = false;
    each_managed(hide, false);
    faults_ended = process_faults();
}
