/* access/pattern.h: find out how the lanes of a memory operation lie, and what sectors and passes
 * follow from it (machine/lane_pattern.h). */
#pragma once

#include "banks.h"
#include "coalesce.h"
#include "lane.h"

/* Keep the lanes' steps, and forget what followed from the old ones. False: lanes are 2 GiB or more
 * apart. */
static __attribute__((noinline, unused)) bool pattern_learn(struct warp *w, struct lane_pattern *p,
                                                            const uint64_t address[WARP_SIZE],
                                                            uint32_t mask, uint32_t bytes) {
    const uint32_t *m = spread(w, mask);
    int32_t low = 0, high = 0, first = first_lane(mask);
    uint32_t bits = 0, apart = 0, groups_differ = 0, rows_apart = 0;
    uint64_t far = 0, base = address[first];
    VECTOR_LANES {
        int64_t distance = m[l] ? (int64_t)(address[l] - base) : 0;
        int32_t step = (int32_t)distance;
        far |= (uint64_t)(distance ^ step);
        low = step < low ? step : low, high = step > high ? step : high, bits |= (uint32_t)step;
        apart |= m[l] & ((uint32_t)step ^ (uint32_t)(l - first) * bytes);
        p->step[l] = step;
    }
    p->mask = far ? 0 : mask;
    p->low = low, p->high = high, p->bits = bits;
    EACH_LANE {
        uint32_t in_group = (uint32_t)(p->step[l] - p->step[l / LANE_GROUP * LANE_GROUP]);
        groups_differ |= in_group;
        rows_apart |= in_group ^ l % LANE_GROUP * bytes;
    }
    p->shape = bits == 0            ? LANES_SAME
               : mask != FULL_MASK  ? LANES_ANYHOW
               : apart == 0         ? LANES_SIDE_BY_SIDE
               : groups_differ == 0 ? LANES_SAME_BY_8
               : rows_apart == 0    ? LANES_ROWS_OF_8
                                    : LANES_ANYHOW;
    p->has_ends = false;
    p->nsectors = 0;
    p->nlines = 0;
    p->load_passes = 0;
    p->passes.least = 0;
    return !far;
}

/* Do the lanes of mask lie at these steps from the first one? An instruction set's own comparison
 * gives a mask at once; a sum over lanes would take longer than the rest of a load. */
static inline bool are_steps(const uint32_t address[WARP_SIZE], uint32_t first,
                             const int32_t step[WARP_SIZE], uint32_t mask) {
    uint32_t differs[WARP_SIZE] __attribute__((aligned(64)));
#ifdef __AVX512DQ__
    (void)differs;
    const host_words *at = (const host_words *)address;
    const host_ints *wanted = (const host_ints *)step;
    host_ints low = (host_ints)(at[0] - first), high = (host_ints)(at[1] - first);
    return (__builtin_ia32_cmpd512_mask(low, wanted[0], HOST_UNEQUAL, 0xFFFF) & mask) == 0 &&
           (__builtin_ia32_cmpd512_mask(high, wanted[1], HOST_UNEQUAL, 0xFFFF) & mask >> 16) == 0;
#else
    VECTOR_LANES differs[l] = address[l] - first != (uint32_t)step[l] ? ~0u : 0;
    return (pack(differs) & mask) == 0;
#endif
}

/* The same for 64-bit addresses. */
static inline bool are_steps_wide(const uint64_t address[WARP_SIZE], uint64_t first,
                                  const int32_t step[WARP_SIZE], uint32_t mask) {
    uint32_t differs[WARP_SIZE] __attribute__((aligned(64)));
#ifdef __AVX512DQ__
    (void)differs;
    typedef int32_t half_ints __attribute__((vector_size(32), aligned(4)));
    uint32_t lanes = 0;
    for (int i = 0; i < WARP_SIZE / 8; i++) {
        host_longs steps = __builtin_convertvector(((const half_ints *)step)[i], host_longs);
        host_longs distance = (host_longs)(((const host_wide *)address)[i] - first);
        lanes |= (uint32_t)__builtin_ia32_cmpq512_mask(distance, steps, HOST_UNEQUAL, 0xFF)
                 << 8 * i;
    }
    return (lanes & mask) == 0;
#else
    VECTOR_LANES differs[l] = address[l] - first != (uint64_t)step[l] ? ~0u : 0;
    return (pack(differs) & mask) == 0;
#endif
}

/* Look for the pattern of the lanes in mask among the others, or learn it in the place of the
 * oldest. bytes: of a lane's access. False: the lanes are too far apart for a pattern. */
static __attribute__((noinline, unused)) bool pattern_change(struct warp *w,
                                                             struct lane_patterns *all,
                                                             const uint64_t address[WARP_SIZE],
                                                             uint32_t mask, uint32_t bytes) {
    uint64_t first = address[first_lane(mask)];
    int last = last_lane(mask);
    for (uint32_t i = 0; i < LANE_PATTERNS; i++) {
        const struct lane_pattern *p = &all->of[i];
        if (p->mask == mask && address[last] - first == (uint64_t)p->step[last] &&
            are_steps_wide(address, first, p->step, mask)) {
            all->last = i;
            return true;
        }
    }
    all->last = all->oldest;
    all->oldest = (all->oldest + 1) % LANE_PATTERNS;
    return pattern_learn(w, &all->of[all->last], address, mask, bytes);
}

/* Make the last pattern that of the lanes in mask at these addresses, which it mostly is already.
 */
static inline bool pattern_of(struct warp *w, struct lane_patterns *all,
                              const uint64_t address[WARP_SIZE], uint32_t mask, uint32_t bytes) {
    const struct lane_pattern *p = &all->of[all->last];
    if (p->mask == mask && are_steps_wide(address, address[first_lane(mask)], p->step, mask))
        return true;
    return pattern_change(w, all, address, mask, bytes);
}

/* The same for 32-bit addresses, which are never too far apart. */
static inline void pattern_of_short(struct warp *w, struct lane_patterns *all,
                                    const uint32_t address[WARP_SIZE], uint32_t mask,
                                    uint32_t bytes) {
    const struct lane_pattern *p = &all->of[all->last];
    uint32_t first = address[first_lane(mask)];
    if (p->mask == mask && are_steps(address, first, p->step, mask)) return;
    uint64_t distance[WARP_SIZE];
    VECTOR_LANES distance[l] = (uint64_t)(int32_t)(address[l] - first);
    pattern_change(w, all, distance, mask, bytes);
}

/* The pattern of the lanes of a steady operation for which it is not known yet. The lanes keep
 * their distances, except where 32 bits wrapped before they were extended: the distance of the
 * lowest and the highest address tells. False: as pattern_of(). */
static __attribute__((noinline, unused)) bool pattern_of_steady(struct warp *w,
                                                                struct lane_patterns *all,
                                                                const uint64_t address[WARP_SIZE],
                                                                uint32_t mask, uint32_t bytes) {
    bool follow = pattern_of(w, all, address, mask, bytes);
    struct lane_pattern *p = &all->of[all->last];
    EACH_ACTIVE(mask) {
        if (p->step[l] == p->low) p->low_lane = (uint8_t)l;
        if (p->step[l] == p->high) p->high_lane = (uint8_t)l;
    }
    p->has_ends = follow;
    return follow;
}

static inline bool is_steady(const struct lane_pattern *p, const uint64_t address[WARP_SIZE],
                             uint32_t mask) {
    return p->mask == mask && p->has_ends &&
           address[p->high_lane] - address[p->low_lane] == (uint64_t)((int64_t)p->high - p->low);
}

/* Is an active lane's step less than that of the one before? */
static inline bool steps_fall(const struct lane_pattern *p) {
    int32_t before = 0, lower = 0;
    if (p->mask == FULL_MASK) {
        VECTOR_LATER_LANES lower |= p->step[l] < p->step[l - 1];
        return lower;
    }
    EACH_ACTIVE(p->mask) {
        if (p->step[l] < before) return true;
        before = p->step[l];
    }
    return false;
}

/* The lanes of mask whose value the active lane before has not: the first of each value, where
 * values do not fall. */
static inline uint32_t changes(const uint32_t values[WARP_SIZE], uint32_t mask) {
    uint32_t differs[WARP_SIZE] __attribute__((aligned(64)));
    uint32_t firsts = mask & -mask, before = values[first_lane(mask)];
    if (mask == FULL_MASK) {
        differs[0] = ~0u;
        VECTOR_LATER_LANES differs[l] = values[l] != values[l - 1] ? ~0u : 0;
        return pack(differs);
    }
    EACH_ACTIVE(mask) {
        firsts |= (uint32_t)(values[l] != before) << l;
        before = values[l];
    }
    return firsts;
}

/* Work out the sectors for a first lane that is `phase` bytes into its sector. Inactive lanes have
 * the first active lane's, so they count for nothing. Where steps do not fall, the lanes of a
 * sector follow each other. */
static __attribute__((noinline, unused)) void pattern_find_sectors(struct lane_pattern *p,
                                                                   uint32_t bytes, uint32_t phase) {
    const uint32_t *steps = (const uint32_t *)p->step;
    uint32_t sectors[WARP_SIZE], n = 0, mask = p->mask, firsts, different;
    VECTOR_LANES sectors[l] = (uint32_t)((int32_t)((int64_t)p->step[l] + phase) >> SECTOR_SHIFT);
    bool falls = steps_fall(p);
    firsts = falls ? first_of_each(sectors, mask) : changes(sectors, mask);
    different = firsts == mask ? firsts : falls ? first_of_each(steps, mask) : changes(steps, mask);
    EACH_ACTIVE(firsts) p->sectors[n++] = (int32_t)sectors[l];
    p->sectors_follow = p->sectors[n - 1] - p->sectors[0] == (int32_t)n - 1;
    for (uint32_t i = 1; i < n && falls; i++)
        p->sectors_follow &= p->sectors[i] == p->sectors[i - 1] + 1;
    p->sector_bytes[0] = 0;
    p->runs = falls ? 0 : firsts;
    p->nsectors = n;
    p->asked = bytes * count_lanes(different);
    p->all_whole = p->asked == p->nsectors * SECTOR_BYTES;
    p->phase = phase;
}

/* Do the lanes lie in the same pieces of `size` bytes, a power of two, if the first lane is this or
 * that many bytes into its piece? So it is where no step carries into the next piece. */
static inline bool in_same_pieces(const struct lane_pattern *p, uint32_t size, uint32_t one,
                                  uint32_t other) {
    return one == other || p->bits % size + (one > other ? one : other) < size;
}

/* The same, unless they are known. */
static inline void pattern_sectors(struct lane_pattern *p, uint32_t bytes, uint64_t first) {
    uint32_t phase = first % SECTOR_BYTES;
    bool known = p->nsectors && in_same_pieces(p, SECTOR_BYTES, phase, p->phase);
    if (!known) pattern_find_sectors(p, bytes, phase);
}

/* The active lanes that touch this sector. */
static inline uint32_t lanes_of_sector(const struct lane_pattern *p, int32_t sector) {
    uint32_t equal[WARP_SIZE] __attribute__((aligned(64)));
    VECTOR_LANES equal[l] =
        (int32_t)(((int64_t)p->step[l] + p->phase) >> SECTOR_SHIFT) == sector ? ~0u : 0;
    return pack(equal) & p->mask;
}

/* How many bytes of each sector the lanes ask for: at most those, where lanes ask for the same
 * ones. After pattern_sectors(). */
static __attribute__((noinline, unused)) void pattern_find_sector_bytes(struct lane_pattern *p,
                                                                        uint32_t bytes) {
    uint32_t rest = p->runs, first;
    for (uint32_t i = 0; i < p->nsectors; i++) {
        rest ^= first = rest & -rest;
        uint32_t lanes =
            p->runs ? p->mask & -first & ((rest & -rest) - 1) : lanes_of_sector(p, p->sectors[i]);
        uint32_t asked = bytes * (uint32_t)__builtin_popcount(lanes);
        p->sector_bytes[i] = (uint8_t)(asked < SECTOR_BYTES ? asked : SECTOR_BYTES);
    }
}

static inline const uint8_t *pattern_sector_bytes(struct lane_pattern *p, uint32_t bytes) {
    if (!p->sector_bytes[0]) pattern_find_sector_bytes(p, bytes);
    return p->sector_bytes;
}

/* Turns that an atomic's sectors take: the L2 updates words of a sector at once, and a word for one
 * lane after the other. After pattern_sectors(). */
static inline uint32_t pattern_passes_l2(const struct lane_pattern *p) {
    uint32_t passes = 0;
    if (p->shape == LANES_SAME) return (uint32_t)__builtin_popcount(p->mask);
    for (uint32_t i = 0; i < p->nsectors; i++) {
        uint32_t left = lanes_of_sector(p, p->sectors[i]), turns = 0;
        for (; left; turns++) left &= ~first_of_each((const uint32_t *)p->step, left);
        passes += turns;
    }
    return passes;
}

/* Work out the passes for a first lane that is `phase` bytes into its word. Words at equal
 * distances, or each in a bank of its own, need no list of banks. An inactive lane's step is 0, so
 * a partial mask has equal distances only where all lanes ask for one word. */
static __attribute__((noinline, unused)) void pattern_find_passes(struct lane_pattern *p,
                                                                  uint32_t bytes, uint32_t phase) {
    uint32_t offset[WARP_SIZE], stride = (uint32_t)(p->step[1] - p->step[0]), uneven = 0, banks = 0,
                                lanes = count_lanes(p->mask);
    VECTOR_LANES {
        offset[l] = (uint32_t)p->step[l] + phase;
        banks |= 1u << (offset[l] / 4 % BANKS);
        uneven |= (uint32_t)(p->step[l] - p->step[0]) ^ (uint32_t)l * stride;
    }
    if (uneven == 0 && bytes == 4 && stride % 4 == 0)
        p->passes =
            (struct passes){bank_passes_strided(stride / 4), 1, stride == 0 ? 4 : 4 * WARP_SIZE};
    else if (bytes == 4 && (uint32_t)__builtin_popcount(banks) == lanes)
        p->passes = (struct passes){1, 1, 4 * lanes};
    else
        p->passes = bank_request(offset, bytes, p->mask);
    p->passes_phase = phase;
}

/* The passes of a request to shared memory of `bytes` bytes a lane, the first lane's at offset
 * first. Only where in its word that is matters: the banks of all lanes move together. */
static inline struct passes pattern_passes(struct lane_pattern *p, uint32_t first, uint32_t bytes) {
    uint32_t phase = first % 4;
    if (p->passes.least && p->passes_phase == phase) return p->passes;
    pattern_find_passes(p, bytes, phase);
    return p->passes;
}

/* The passes of an atomic. */
static inline uint32_t pattern_passes_atomic(const struct lane_pattern *p, uint32_t first) {
    uint32_t offset[WARP_SIZE];
    VECTOR_LANES offset[l] = (uint32_t)p->step[l] + first % 4;
    return bank_passes_atomic(offset, p->mask);
}
