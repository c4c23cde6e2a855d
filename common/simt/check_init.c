/*
 * check_init.c: reads of memory that nobody wrote.
 *
 * Device memory is written by copies and fills, stores and atomics; variables and memory that the host reaches too
 * count as written. An element is uninitialised where none of its bytes was written: padding inside a structure that is
 * copied as a whole is no mistake. In local memory, where the compiler copies structures word by word, that goes for a
 * whole vector, and a load whose value is only stored again is no read. What was reported counts as written from then
 * on, so that one mistake is not told at every later read.
 */
#include "check.h"

/* The first of the lane's elements that nobody wrote; r->bytes: there is none. */
static uint32_t first_unwritten(const struct check_request *r, uint32_t l) {
    uint32_t at = 0;
    while (at < r->bytes && shadow_written(r->shadow[l], r->offset[l] + at, r->op->size)) at += r->op->size;
    return at;
}

void check_init(struct check_request *r) {
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest);
        if (!r->shadow[l]->written) continue;
        bool missing = r->flags & ACCESS_READ && first_unwritten(r, l) < r->bytes;
        if (missing) report_uninitialised(r, l, r->is_shared ? "__shared__" : "__global__");
        if (missing || r->flags & ACCESS_WRITE) shadow_mark(r->shadow[l], r->offset[l], r->bytes);
    }
}

/* ---- Local memory: the lanes' bits one after the other ---- */

static size_t local_bit(const struct warp *w, uint32_t lane, uint64_t offset) {
    return (size_t)lane * w->worker->local_stride + offset;
}

static bool inside(const struct warp *w, uint64_t offset, uint32_t size) {
    uint64_t limit = w->worker->local_stride;
    return offset <= limit && size <= limit - offset;
}

void check_local_written(struct warp *w, int lane, uint64_t offset, uint32_t size) {
    if (inside(w, offset, size))
        bits_set(w->block->check->warps[w->index].local, local_bit(w, (uint32_t)lane, offset), size);
}

/* Offset of the lane's access, as in exec_memory.c: kind 1 is relative to the frame. */
static uint32_t local_offset(const struct warp *w, const struct op *op, uint32_t l) {
    const void *addresses = w->area[op->a >> AREA_SHIFT] + REF_OFFSET(op->a);
    uint32_t address =
        op->flags & OP_ADDRESS32 ? ((const uint32_t *)addresses)[l] : (uint32_t)((const uint64_t *)addresses)[l];
    return address + (uint32_t)op->offset + (op->kind == 1 && op->type2 == PTX_LOCAL ? w->frame->local_base : 0);
}

void check_init_local(struct warp *w, const struct op *op, uint32_t mask, bool store) {
    uint32_t bytes = (uint32_t)op->size * op->vector;
    const uint8_t *written = w->block->check->warps[w->index].local;
    for (; mask; mask &= mask - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(mask), offset = local_offset(w, op, l);
        if (!inside(w, offset, bytes)) return; /* the access itself will say so */
        if (!store && !op->c_flip && !bits_any(written, local_bit(w, l, offset), bytes))
            report_uninitialised_local(w, op, l, offset, bytes);
        check_local_written(w, (int)l, offset, bytes);
    }
}
