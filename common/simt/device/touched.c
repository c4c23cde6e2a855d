/* device/touched.c: the maps of the sectors that a kernel touched, and what they show. */
#include "touched.h"

#include "l2.h"
#include "lib/memory.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FETCHED_SECTORS 2                     /* that the DRAM gives at once: 64 bytes */
#define MANY            128                   /* sectors whose marks are compared at once */
#define GAP_SECTORS     (4096 / SECTOR_BYTES) /* between two stretches, at least */

static pthread_mutex_t touch_lock = PTHREAD_MUTEX_INITIALIZER;

size_t memory_touch_sectors(const struct allocation *allocation) {
    /* An adopted or malloc'ed start need not lie on a sector; the last sector may be begun. */
    return allocation->size / SECTOR_BYTES + 2;
}

static size_t touch_page(size_t sector) {
    return sector / TOUCH_PAGE_SECTORS;
}

static uint8_t *touch_pages(const struct allocation *allocation) {
    return allocation->touched + 2 * memory_touch_sectors(allocation);
}

void memory_touch_pages(const struct allocation *allocation, uint64_t *from, uint64_t *to) {
    uint64_t base = allocation->address / SECTOR_BYTES * SECTOR_BYTES,
             limit = allocation->address + allocation->size;
    size_t first = (*from - base) / TOUCH_PAGE_BYTES, last = (*to - 1 - base) / TOUCH_PAGE_BYTES;
    memset(touch_pages(allocation) + first, 1, last - first + 1);
    *from = first ? base + first * TOUCH_PAGE_BYTES : allocation->address;
    *to = base + (last + 1) * TOUCH_PAGE_BYTES;
    if (*to > limit) *to = limit;
}

bool memory_touch_next(const struct allocation *allocation, size_t *first, size_t *end) {
    if (!allocation->touched) return false;
    const uint8_t *pages = touch_pages(allocation);
    size_t n = memory_touch_sectors(allocation), npages = touch_page(n) + 1;
    size_t page = (*end + TOUCH_PAGE_SECTORS - 1) / TOUCH_PAGE_SECTORS;
    while (page < npages && !pages[page]) page++;
    *first = page * TOUCH_PAGE_SECTORS;
    while (page < npages && pages[page]) page++;
    *end = page * TOUCH_PAGE_SECTORS < n ? page * TOUCH_PAGE_SECTORS : n;
    return *first < *end;
}

uint8_t *memory_touch_map(struct allocation *allocation) {
    pthread_mutex_lock(&touch_lock);
    size_t sectors = memory_touch_sectors(allocation);
    if (!allocation->touch_map)
        allocation->touch_map = need(calloc(1, 2 * sectors + touch_page(sectors) + 1));
    allocation->touched = allocation->touch_map;
    pthread_mutex_unlock(&touch_lock);
    return allocation->touched;
}

struct touch_maps {
    size_t n;
    struct {
        const struct allocation *allocation;
        uint64_t address;
        uint8_t *map;
    } of[];
};

struct touch_maps *memory_touch_put_aside(void) {
    size_t nlive;
    struct allocation *const *live = memory_live(&nlive);
    struct touch_maps *maps = need(malloc(sizeof *maps + nlive * sizeof maps->of[0]));
    maps->n = 0;
    for (size_t i = 0; i < nlive; i++) {
        struct allocation *allocation = live[i];
        if (!allocation->touched) continue;
        memory_changed(allocation);
        maps->of[maps->n].allocation = allocation;
        maps->of[maps->n].address = allocation->address;
        maps->of[maps->n++].map = allocation->touched;
        allocation->touched = allocation->touch_map = NULL;
    }
    return maps;
}

/* Memory that was freed meanwhile needs no map. */
void memory_touch_take_back(struct touch_maps *maps) {
    size_t nlive, at = 0;
    struct allocation *const *live = memory_live(&nlive);
    for (size_t i = 0; i < maps->n; i++) {
        while (at < nlive && live[at]->address < maps->of[i].address) at++;
        bool is_live = at < nlive && live[at] == maps->of[i].allocation;
        free(is_live ? live[at]->touch_map : maps->of[i].map);
        if (is_live) live[at]->touched = live[at]->touch_map = maps->of[i].map;
    }
    free(maps);
}

/* Add what the sectors of a line have, n at the most. Returns how many they are. */
static size_t count_line(const uint8_t *loads, const uint8_t *stores, size_t n,
                         struct touched *touched) {
    uint64_t partial = 0, either = touched->either, stored = touched->stored;
    bool fetched[LINE_SECTORS / FETCHED_SECTORS] = {false};
    if (n > LINE_SECTORS) n = LINE_SECTORS;
    for (size_t i = 0; i < n; i++) {
        touched->loaded += loads[i];
        touched->stored += stores[i] != 0;
        touched->either += loads[i] || stores[i];
        fetched[i / FETCHED_SECTORS] |= loads[i];
        partial += stores[i] && stores[i] < SECTOR_BYTES && !loads[i];
    }
    for (size_t i = 0; i < LINE_SECTORS / FETCHED_SECTORS; i++)
        touched->fetched += fetched[i] * FETCHED_SECTORS;
    touched->lines += touched->either != either;
    touched->stored_lines += touched->stored != stored;
    touched->partial += partial;
    touched->partial_lines += partial != 0;
    return n;
}

/* The same of MANY or eight sectors with equal marks, as most have, none of them stored in part.
 * Returns 0 where they are not. */
static size_t count_same(const uint8_t *loads, const uint8_t *stores, size_t n,
                         struct touched *touched) {
    const uint64_t each = 0x0101010101010101;
    uint64_t loaded, stored;
    if (n < sizeof each) return 0;
    memcpy(&loaded, loads, sizeof loaded);
    memcpy(&stored, stores, sizeof stored);
    if ((loaded && loaded != each) || (stored && stored != each * SECTOR_BYTES)) return 0;
    bool many = n >= MANY && memory_marks_same(loads, MANY) && memory_marks_same(stores, MANY);
    size_t sectors = many ? MANY : sizeof each;
    touched->loaded += loaded ? sectors : 0;
    touched->fetched += loaded ? sectors : 0;
    touched->stored += stored ? sectors : 0;
    touched->either += loaded | stored ? sectors : 0;
    touched->lines += loaded | stored ? sectors / LINE_SECTORS : 0;
    touched->stored_lines += stored ? sectors / LINE_SECTORS : 0;
    return sectors;
}

/* Do its marks count as the device's memory? */
static bool counts_as_own(const struct allocation *allocation) {
    return allocation->touched && allocation->kind != ALLOC_PINNED && !memory_is_remote(allocation);
}

static void count_marks(const uint8_t *loads, const uint8_t *stores, size_t n,
                        struct touched *touched) {
    for (size_t at = 0; at < n;) {
        size_t rest = n - at, step = count_same(loads + at, stores + at, rest, touched);
        if (!step) step = count_line(loads + at, stores + at, rest, touched);
        at += step;
    }
}

/* Add what the allocation's marks have. */
static void count_touched(const struct allocation *allocation, struct touched *touched) {
    const uint8_t *loads = allocation->touched, *stores = loads + memory_touch_sectors(allocation);
    for (size_t first, end = 0; memory_touch_next(allocation, &first, &end);)
        count_marks(loads + first, stores + first, end - first, touched);
}

static void clear_marks(struct allocation *allocation) {
    size_t n = memory_touch_sectors(allocation);
    for (size_t first, end = 0; memory_touch_next(allocation, &first, &end);) {
        memset(allocation->touched + first, 0, end - first);
        memset(allocation->touched + n + first, 0, end - first);
    }
    memset(touch_pages(allocation), 0, touch_page(n) + 1);
}

/* The first sector from `from` on that is marked, or that is not; n: there is none. */
static size_t next_sector(const uint8_t *loads, const uint8_t *stores, size_t from, size_t n,
                          bool marked) {
    const uint64_t each = 0x0101010101010101, top = each << 7;
    uint64_t loaded, stored;
    while (from < n) {
        if (from + sizeof each <= n) {
            memcpy(&loaded, loads + from, sizeof loaded);
            memcpy(&stored, stores + from, sizeof stored);
            /* not 0: some byte is 0 */
            uint64_t marks = loaded | stored, zeros = (marks - each) & ~marks & top;
            if (marked ? !marks : !zeros) {
                from += sizeof each;
                continue;
            }
        }
        if ((loads[from] || stores[from]) == marked) return from;
        from++;
    }
    return n;
}

/* ---- Managed memory ---- */

static managed_visitor *on_managed_touch;

void memory_on_managed_touch(managed_visitor *visit) {
    on_managed_touch = visit;
}

void memory_managed_touched(struct allocation *allocation, size_t at, size_t bytes, bool stored) {
    if (on_managed_touch && allocation->kind == ALLOC_MANAGED)
        on_managed_touch(allocation, at, bytes, stored);
}

/* Its marks, a few sectors at a time. */
static void tell_managed(struct allocation *allocation) {
    if (allocation->kind != ALLOC_MANAGED) return;
    const uint8_t *loads = allocation->touched, *stores = loads + memory_touch_sectors(allocation);
    for (size_t at, last = 0; memory_touch_next(allocation, &at, &last);)
        for (size_t end; at < last; at = end) {
            end = at + GAP_SECTORS < last ? at + GAP_SECTORS : last;
            if (next_sector(loads, stores, at, end, true) == end) continue;
            bool stored = next_sector(stores, stores, at, end, true) < end;
            memory_managed_touched(allocation, at * SECTOR_BYTES, 1, stored);
        }
}

void memory_touch_collect(struct touched *touched) {
    size_t nlive;
    struct allocation *const *live = memory_live(&nlive);
    for (size_t i = 0; i < nlive; i++) {
        if (!live[i]->touched) continue;
        bool counts = counts_as_own(live[i]);
        uint64_t stored = touched->stored;
        if (counts) count_touched(live[i], touched);
        if (counts) l2_touch_marked(live[i]);
        tell_managed(live[i]);
        if (!counts || touched->stored > stored) memory_changed(live[i]);
        clear_marks(live[i]);
        live[i]->touched = NULL;
    }
}

/* The next marked sector; the number of sectors: there is none. */
static size_t next_marked(const struct allocation *allocation, size_t from) {
    const uint8_t *loads = allocation->touched, *stores = loads + memory_touch_sectors(allocation);
    size_t first = from, end = touch_page(from) * TOUCH_PAGE_SECTORS;
    while (memory_touch_next(allocation, &first, &end)) {
        size_t at = next_sector(loads, stores, first > from ? first : from, end, true);
        if (at < end) return at;
    }
    return memory_touch_sectors(allocation);
}

/* Visit the bytes of these sectors that are the allocation's. */
static void visit_sectors(struct allocation *allocation, size_t first, size_t end,
                          touched_visitor *visit, void *context) {
    uint64_t base = allocation->address / SECTOR_BYTES * SECTOR_BYTES,
             limit = allocation->address + allocation->size;
    uint64_t from = base + first * SECTOR_BYTES, to = base + end * SECTOR_BYTES;
    if (from < allocation->address) from = allocation->address;
    if (to > limit) to = limit;
    visit(allocation, from - allocation->address, to - from, context);
}

void memory_touched(touched_visitor *visit, void *context) {
    size_t nlive;
    struct allocation *const *live = memory_live(&nlive);
    for (size_t i = 0; i < nlive; i++) {
        struct allocation *a = live[i];
        const uint8_t *loads = a->touched;
        size_t n = loads ? memory_touch_sectors(a) : 0;
        for (size_t first = n ? next_marked(a, 0) : 0, end, next; first < n; first = next) {
            end = next_sector(loads, loads + n, first, n, false);
            next = next_marked(a, end);
            while (next < n && next - end <= GAP_SECTORS) {
                end = next_sector(loads, loads + n, next, n, false);
                next = next_marked(a, end);
            }
            visit_sectors(a, first, end, visit, context);
        }
    }
}

/* From the first mark to the last. */
struct stretch {
    size_t first, end;
};

static struct stretch stretch_of(const struct allocation *allocation, const uint8_t *marks) {
    struct stretch all = {0, 0};
    for (size_t first, end = 0; memory_touch_next(allocation, &first, &end);) {
        size_t last = end;
        while (first < last && !marks[first]) first++;
        while (last > first && !marks[last - 1]) last--;
        if (first == last) continue;
        if (!all.end) all.first = first;
        all.end = last;
    }
    return all;
}

/* Add what the allocation's marks become if those between the first one and the last are set too,
 * for loads and for stores. */
static void count_filled(const struct allocation *allocation, struct touched *touched) {
    struct stretch loads = stretch_of(allocation, allocation->touched),
                   stores = stretch_of(allocation,
                                       allocation->touched + memory_touch_sectors(allocation));
    size_t loaded = loads.end - loads.first, stored = stores.end - stores.first,
           first = loads.first > stores.first ? loads.first : stores.first,
           end = loads.end < stores.end ? loads.end : stores.end;
    touched->loaded += loaded;
    touched->stored += stored;
    size_t either = loaded + stored - (first < end ? end - first : 0);
    touched->either += either;
    touched->lines += (either + LINE_SECTORS - 1) / LINE_SECTORS;
    touched->stored_lines += (stored + LINE_SECTORS - 1) / LINE_SECTORS;
    if (loaded)
        touched->fetched +=
            ((loads.end - 1) / FETCHED_SECTORS - loads.first / FETCHED_SECTORS + 1) *
            FETCHED_SECTORS;
}

void memory_touch_expect(struct touched *touched) {
    size_t nlive;
    struct allocation *const *live = memory_live(&nlive);
    pthread_mutex_lock(&touch_lock);
    for (size_t i = 0; i < nlive; i++)
        if (counts_as_own(live[i])) count_filled(live[i], touched);
    pthread_mutex_unlock(&touch_lock);
}

/* `most` times the part, but not more than the whole. */
static double touched_grown(uint64_t part, uint64_t whole, double most) {
    return part ? fmin(most, (double)whole / (double)part) : 1;
}

static void add_grown(uint64_t *sum, uint64_t part, double times) {
    *sum += (uint64_t)((double)part * times + 0.5);
}

void memory_touch_grow(struct touched *touched, double most) {
    size_t nlive;
    struct allocation *const *live = memory_live(&nlive);
    for (size_t i = 0; i < nlive; i++) {
        struct touched part = {0}, whole = {0};
        if (!counts_as_own(live[i])) continue;
        count_touched(live[i], &part);
        count_filled(live[i], &whole);
        double loads = touched_grown(part.loaded, whole.loaded, most),
               stores = touched_grown(part.stored, whole.stored, most);
        add_grown(&touched->loaded, part.loaded, loads);
        add_grown(&touched->fetched, part.fetched, loads);
        add_grown(&touched->stored, part.stored, stores);
        add_grown(&touched->stored_lines, part.stored_lines,
                  touched_grown(part.stored_lines, whole.stored_lines, most));
        /* Sectors that two neighbouring blocks store in part, each its own, are whole in the
         * end. */
        double shared = fmax(0, most * (double)part.stored - (double)whole.stored);
        touched->partial += (uint64_t)fmax(0, most * (double)part.partial - 2 * shared);
        touched->partial_lines += (uint64_t)fmax(0, most * (double)part.partial_lines - 2 * shared);
        add_grown(&touched->either, part.either, touched_grown(part.either, whole.either, most));
        add_grown(&touched->lines, part.lines, touched_grown(part.lines, whole.lines, most));
    }
}
