/* exec/coalesce.h: how many 32-byte sectors a warp's request touches. An aligned access of at most 32 bytes lies in one
 * sector. So a request touches as many sectors as its active lanes have distinct values of address / 32. Lanes with a
 * false predicate do not count. */
#ifndef SIMT_EXEC_COALESCE_H
#define SIMT_EXEC_COALESCE_H

#include "simt/device/memory.h"

#include <stdbool.h>
#include <stdint.h>

#define SECTOR_SHIFT 5
#define HASH_SLOTS   64 /* twice the lanes, so that probing stays short */

/* Sectors of lanes that lie side by side: lane l at base + l * size, size a power of two up to 32, base aligned to it.
 * Returns a mask with one bit per sector, bit 0 for the sector of lane 0, whether or not lane 0 is in the mask.
 *
 *   lanes   0 1 2 3 4 5 6 7 8 9 ...      size 4, base at byte 8 of a sector
 *   shifted by 2:  . . 0 1 2 3 4 5 | 6 7 8 9 10 11 12 13 | ...    any bit set in a group of 8: the sector is touched
 */
static inline uint64_t sectors_side_by_side(uint64_t base, unsigned size, uint32_t mask) {
    unsigned lanes = SECTOR_BYTES / size, shift = (unsigned)(base % SECTOR_BYTES) / size;
    if (lanes == 1) return mask;
    uint64_t bits = (uint64_t)mask << shift, sectors = 0;
    uint64_t group = ((uint64_t)1 << lanes) - 1;
    for (unsigned i = 0; bits; i++, bits >>= lanes)
        if (bits & group) sectors |= (uint64_t)1 << i;
    return sectors;
}

/* Distinct values among n in any order: a table with open addressing. The upper 6 bits of the product choose one of 64
 * slots; the factor is 2^64 divided by the golden ratio. */
static inline uint32_t distinct_hashed(const uint64_t *values, uint32_t n) {
    uint64_t table[HASH_SLOTS], used = 0;
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < n; i++) {
        unsigned slot = (unsigned)(values[i] * 0x9E3779B97F4A7C15ull >> 58);
        while (used >> slot & 1 && table[slot] != values[i]) slot = (slot + 1) % HASH_SLOTS;
        if (used >> slot & 1) continue;
        used |= (uint64_t)1 << slot;
        table[slot] = values[i];
        distinct++;
    }
    return distinct;
}

/* Distinct values among n, at most 32. Ascending or descending sequences are the common case and need one comparison a
 * lane: equal values are neighbours there. */
static inline uint32_t distinct_values(const uint64_t *values, uint32_t n) {
    uint32_t changes = 0, falls = 0, rises = 0;
    for (uint32_t i = 1; i < n; i++) {
        changes += values[i] != values[i - 1];
        falls += values[i] < values[i - 1];
        rises += values[i] > values[i - 1];
    }
    if (n == 0) return 0;
    return falls == 0 || rises == 0 ? changes + 1 : distinct_hashed(values, n);
}

/* Distinct bytes that n accesses of `size` bytes cover in `sectors` sectors. Each access is aligned to its size, so two
 * of them are the same or do not overlap. Those in different sectors are different. */
static inline uint32_t distinct_bytes(const uint64_t *addresses, uint32_t n, uint32_t size, uint32_t sectors) {
    return size * (sectors == n ? n : distinct_values(addresses, n));
}

/*
 * Sectors of a local-memory request. The hardware interleaves local memory: the same word of all 32 lanes lies side by
 * side.
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

/* The same where all lanes have one offset: each group of 8 lanes with an active one has one sector of every word. */
static inline uint32_t sectors_local_row(unsigned size, uint32_t mask) {
    uint32_t groups = 0;
    for (unsigned group = 0; group < 32; group += 8) groups += (mask >> group & 0xFF) != 0;
    return groups * (size > 4 ? size / 4 : 1);
}

#endif
