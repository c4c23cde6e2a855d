/* device/touched.h: which sectors of its memory a kernel touched. */
#pragma once

#include "memory.h"

#include <string.h>

/* Which sectors a kernel touched. The map of an allocation has memory_touch_sectors() bytes for
 * loads and as many for stores. A byte becomes 1 when its sector is loaded; of stores it says how
 * many bytes of the sector they wrote, up to all. Bytes, not bits: several threads may set
 * neighbours. After them comes a byte for each page of sectors: 0 where none has marks. */
#define TOUCH_PAGE_SECTORS 16384u
#define TOUCH_PAGE_BYTES   (TOUCH_PAGE_SECTORS * SECTOR_BYTES)
size_t memory_touch_sectors(const struct allocation *allocation);
/* The kernel may touch [*from, *to) of the allocation, which has a map. Widens that to the pages.
 */
void memory_touch_pages(const struct allocation *allocation, uint64_t *from, uint64_t *to);
/* The next row of touched pages after sector *end: sectors [*first, *end). False: none is left. */
bool memory_touch_next(const struct allocation *allocation, size_t *first, size_t *end);
/* The allocation's map, made of zeros at the first call of a launch. Safe from any thread. */
uint8_t *memory_touch_map(struct allocation *allocation);
/* Another kernel may run before the one that runs now goes on: put its maps aside, and take them
 * back. What it stored to counts as changed. */
struct touch_maps;
struct touch_maps *memory_touch_put_aside(void);
void memory_touch_take_back(struct touch_maps *maps);
/* Are n marks all the same? */
static inline bool memory_marks_same(const uint8_t *marks, size_t n) {
    return memcmp(marks, marks + 1, n - 1) == 0;
}
/* Sectors, counted. */
struct touched {
    uint64_t loaded, stored, either;
    uint64_t fetched;       /* what DRAM gives for those loaded: two at a time */
    uint64_t lines;         /* that have such sectors, */
    uint64_t stored_lines;  /* and those that have stored ones */
    uint64_t partial;       /* stored in part, and not loaded */
    uint64_t partial_lines; /* lines that have such sectors */
};
/* From now on visit is called for the bytes of managed memory that kernels touched, when maps are
 * thrown away. */
typedef void managed_visitor(struct allocation *allocation, size_t at, size_t bytes, bool stored);
void memory_on_managed_touch(managed_visitor *visit);
void memory_managed_touched(struct allocation *allocation, size_t at, size_t bytes, bool stored);
/* Add what all maps of the current device's own memory have, tell its L2, and throw all maps
 * away. */
void memory_touch_collect(struct touched *touched);
/* Add what all maps would have if each array were touched from its first touched sector to its
 * last. Safe from any thread. */
void memory_touch_expect(struct touched *touched);
/* Count the marks of a part of a grid for all of it: `most` times as many in each array, but no
 * more than there are from the first mark to the last. */
void memory_touch_grow(struct touched *touched, double most);
/* Call visit for each stretch of an allocation that has marks: `bytes` bytes from byte `at` on.
 * Stretches with small gaps between them are one. */
typedef void touched_visitor(const struct allocation *allocation, size_t at, size_t bytes,
                             void *context);
void memory_touched(touched_visitor *visit, void *context);
