/* exec/local_row.h: local memory where all lanes of an access have the same offset, as they do for
 * nearly all variables of a function. Word i of lane l lies at byte (32 i + l) * 4 of the warp's
 * local memory. So the 32 words at one offset are a row, side by side in memory, and move as
 * registers do. */
#pragma once

#include "simt/access/lane.h"

/* Do the active lanes all have the same offset? */
static inline bool local_same_offset(struct warp *w, const uint32_t offset[WARP_SIZE],
                                     uint32_t mask) {
    uint32_t first = offset[first_lane(mask)], wrong = 0;
    if (mask == FULL_MASK) {
        VECTOR_LANES wrong |= offset[l] ^ first;
    } else {
        const uint32_t *m = spread(w, mask);
        VECTOR_LANES wrong |= m[l] & (offset[l] ^ first);
    }
    return wrong == 0;
}

/* The row of the word at `offset` bytes of each lane's local memory. */
static inline uint32_t *local_row(const struct warp *w, uint32_t offset) {
    return (uint32_t *)(w->local + (size_t)(offset / 4) * (WARP_SIZE * 4));
}

/* Do elements move as rows? Those as wide as their registers do, one word or two, and narrow ones
 * of 32-bit registers. */
static inline bool moves_as_row(const struct op *op) {
    return op->flags & OP_WIDE ? op->size == 8 : op->size <= 4;
}

/* One element of each lane of mask, from local memory to the row ref. The two words of a 64-bit
 * element are two rows. A narrow one is shifted to the top of its word, and from there to the
 * bottom. */
static inline void local_row_load(struct warp *w, const struct op *op, uint32_t ref, uint32_t mask,
                                  uint32_t offset) {
    const uint32_t *low = local_row(w, offset), *high = low + WARP_SIZE;
    uint32_t down = 32 - op->size * 8u, up = down - offset % 4 * 8;
    if (op->size == 8) {
        uint64_t *d = row(w, ref);
        WRITE_LANES(u64, mask, (uint64_t)high[l] << 32 | low[l]);
    } else if (op->flags & OP_SIGNED) {
        uint32_t *d = row(w, ref);
        WRITE_LANES(u32, mask, (uint32_t)((int32_t)(low[l] << up) >> down));
    } else {
        uint32_t *d = row(w, ref);
        WRITE_LANES(u32, mask, low[l] << up >> down);
    }
}

/* The other way. Each word of the element is stored by itself, so that d in WRITE_LANES is a row of
 * local memory. */
static inline void local_row_store(struct warp *w, const struct op *op, uint32_t ref, uint32_t mask,
                                   uint32_t offset) {
    uint32_t *d = local_row(w, offset);
    if (op->size == 4) {
        const uint32_t *value = row(w, ref);
        WRITE_LANES(u32, mask, value[l]);
    } else if (op->size < 4) {
        const uint32_t *value = row(w, ref), shift = offset % 4 * 8,
                       field = ((1u << op->size * 8) - 1) << shift;
        WRITE_LANES(u32, mask, (d[l] & ~field) | (value[l] << shift & field));
    } else {
        const uint64_t *value = row(w, ref);
        WRITE_LANES(u32, mask, value[l]);
        d += WARP_SIZE;
        WRITE_LANES(u32, mask, value[l] >> 32);
    }
}
