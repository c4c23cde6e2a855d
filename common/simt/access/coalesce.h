/* access/coalesce.h: how many 32-byte sectors a warp's request touches. An aligned access of at
 * most 32 bytes lies in one sector. So a request touches as many sectors as its active lanes have
 * distinct values of address / 32. Lanes with a false predicate do not count. */
#pragma once

#include "simt/device/memory.h"

#include <stdbool.h>
#include <stdint.h>

#define SECTOR_SHIFT 5
#define HASH_SLOTS   64 /* twice the lanes, so that probing stays short */

/* Keep the distinct values of a list in any order: a table with open addressing. The upper 6 bits
 * of the product choose one of 64 slots; the factor is 2^64 divided by the golden ratio. */
static inline uint32_t distinct_hashed(uint64_t *values, uint32_t n) {
    uint64_t table[HASH_SLOTS], used = 0;
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < n; i++) {
        unsigned slot = (unsigned)(values[i] * 0x9E3779B97F4A7C15ull >> 58);
        while (used >> slot & 1 && table[slot] != values[i]) slot = (slot + 1) % HASH_SLOTS;
        if (used >> slot & 1) continue;
        used |= (uint64_t)1 << slot;
        table[slot] = values[distinct++] = values[i];
    }
    return distinct;
}

/* Keep the distinct values among n, at most 32, in the order in which they come first, and return
 * how many they are. Ascending or descending sequences are the common case and need one comparison
 * a lane: equal values are neighbours there. */
static inline uint32_t distinct_values(uint64_t *values, uint32_t n) {
    uint32_t falls = 0, rises = 0, distinct = 1;
    for (uint32_t i = 1; i < n; i++) {
        falls += values[i] < values[i - 1];
        rises += values[i] > values[i - 1];
    }
    if (n == 0) return 0;
    if (falls && rises) return distinct_hashed(values, n);
    for (uint32_t i = 1; i < n; i++) {
        values[distinct] = values[i];
        distinct += values[i] != values[distinct - 1];
    }
    return distinct;
}

/* Distinct bytes that n accesses of `size` bytes cover in `sectors` sectors. Each access is aligned
 * to its size, so two of them are the same or do not overlap. Those in different sectors are
 * different. The addresses are not kept. */
static inline uint32_t distinct_bytes(uint64_t *addresses, uint32_t n, uint32_t size,
                                      uint32_t sectors) {
    return size * (sectors == n ? n : distinct_values(addresses, n));
}

/*
 * Sectors of a local-memory request. The hardware interleaves local memory: the same word of all 32
 * lanes lies side by side.
 *
 *   word i:     lanes 0-7     lanes 8-15    lanes 16-23   lanes 24-31
 *   sector      4 i           4 i + 1       4 i + 2       4 i + 3
 *
 * So lanes in different groups of 8 never share a sector. Within a group the different words count.
 */
static inline uint32_t sectors_local(const uint32_t offset[32], unsigned size, uint32_t mask) {
    uint32_t sectors = 0, words = size > 4 ? size / 4 : 1;
    for (unsigned group = 0; group < 32; group += 8) {
        uint64_t seen[8];
        uint32_t n = 0;
        for (unsigned l = group; l < group + 8; l++)
            if (mask >> l & 1) seen[n++] = offset[l] / 4;
        sectors += words * distinct_values(seen, n);
    }
    return sectors;
}

/* The same where all lanes have one offset: each group of 8 lanes with an active one has one sector
 * of every word. */
static inline uint32_t sectors_local_row(unsigned size, uint32_t mask) {
    uint32_t groups = 0;
    for (unsigned group = 0; group < 32; group += 8) groups += (mask >> group & 0xFF) != 0;
    return groups * (size > 4 ? size / 4 : 1);
}
