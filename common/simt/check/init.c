/*
 * check/init.c: reads of memory that nobody wrote.
 *
 * Device memory is written by copies and fills, stores and atomics; variables and memory that the
 * host reaches too count as written. What a load gives of bytes that nobody wrote is undefined;
 * check/undefined.c says when that is a mistake. An atomic computes with what it reads: that must
 * be written.
 */
#include "check.h"

#include <string.h>

#define STRUCTURE_ALIGN 16u /* largest alignment of a C++ type: padding is shorter */

static const char GLOBAL[] = "__global__", SHARED[] = "__shared__", LOCAL[] = "__local__";

/* Are all of the n bytes written? */
static bool all_written(const uint8_t *written, size_t from, size_t n) {
    for (size_t i = from; i < from + n; i++)
        if (!bits_any(written, i, 1)) return false;
    return true;
}

/* Was some byte written near [at, at + bytes), in the aligned pieces of STRUCTURE_ALIGN bytes
 * around it? size: of the memory. Then the unwritten bytes may be padding. */
static bool is_near_written(const uint8_t *written, size_t at, size_t bytes, size_t size) {
    size_t from = at / STRUCTURE_ALIGN * STRUCTURE_ALIGN;
    size_t end = (at + bytes + STRUCTURE_ALIGN - 1) / STRUCTURE_ALIGN * STRUCTURE_ALIGN;
    return bits_any(written, from, (end < size ? end : size) - from);
}

/* Does a library look beyond the keys that it keeps in shared memory; of large types, in what its
 * kernels "vshmem" have for it? */
static bool is_beyond_keys(const struct check_request *r) {
    const struct ptx_function *kernel = r->w->worker->kernel->entry;
    return check_is_of_library(kernel) && (r->is_shared || strstr(kernel->name, "vshmem"));
}

/* What a load gives of unwritten bytes is undefined. It may be padding where the load is one of
 * those that copy structures (op->check.copies_structure). */
static void init_load_lane(struct check_request *r, uint32_t l) {
    const struct shadow *shadow = r->shadow[l];
    struct undefined_load from = {r->is_shared ? SHARED : GLOBAL, r->address[l], r->bytes, false};
    bool all = !shadow->written || all_written(shadow->written, r->offset[l], r->bytes);
    if (!all) all = is_beyond_keys(r);
    if (!all && r->op->check.copies_structure)
        from.may_be_padding =
            is_near_written(shadow->written, r->offset[l], r->bytes, shadow->size);
    check_loaded(r->w, r->op, l, shadow->written, r->offset[l], all ? NULL : &from);
}

/* An atomic, or cp.async, reads the bytes: report if none of them was written. They count as
 * written afterwards, so that the defect is told once. */
static void update_lane(struct check_request *r, uint32_t l) {
    uint8_t *written = r->shadow[l]->written;
    if (!written || all_written(written, r->offset[l], r->bytes)) return;
    if (!bits_any(written, r->offset[l], r->bytes))
        report_uninitialised(r->w, r->site, l, r->is_shared ? SHARED : GLOBAL, r->address[l],
                             r->bytes);
    bits_set(written, r->offset[l], r->bytes);
}

/* cp.async copies structures too, but its values are in no register. */
static void init_copy_lane(struct check_request *r, uint32_t l) {
    if (r->flags & ACCESS_READ)
        update_lane(r, l);
    else
        check_copy_begun(r->w->block, r->offset[l], r->bytes);
}

void check_init(struct check_request *r) {
    bool copies = r->op->insn->op == PTX_CP_ASYNC;
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest);
        if (copies)
            init_copy_lane(r, l);
        else if (r->flags & ACCESS_ATOMIC)
            update_lane(r, l);
        else if (r->flags & ACCESS_READ)
            init_load_lane(r, l);
        else
            check_stored(r->w, r->op, l, r->shadow[l]->written, r->offset[l], r->address[l], false);
    }
}

/* ---- Local memory: the lanes' bits one after the other ---- */

/* Bit of a byte of local memory in check_warp.local: lane l's bits are from l * local_stride on. */
static size_t local_bit(const struct warp *w, uint32_t lane, uint64_t offset) {
    return (size_t)lane * w->worker->local_stride + offset;
}

/* Are the bytes in the thread's local memory? */
static bool init_inside(const struct warp *w, uint64_t offset, uint32_t size) {
    uint64_t limit = w->worker->local_stride;
    return offset <= limit && size <= limit - offset;
}

void check_local_written(struct warp *w, int lane, uint64_t offset, uint32_t size) {
    if (init_inside(w, offset, size))
        bits_set(w->block->check->warps[w->index].local, local_bit(w, (uint32_t)lane, offset),
                 size);
}

void check_local_copied(struct warp *w, int lane, uint64_t to, uint64_t from, uint32_t size) {
    uint8_t *written = w->block->check->warps[w->index].local;
    if (!init_inside(w, to, size) || !init_inside(w, from, size)) return;
    for (uint32_t i = 0; i < size; i++)
        if (!bits_any(written, local_bit(w, (uint32_t)lane, from + i), 1))
            bits_clear(written, local_bit(w, (uint32_t)lane, to + i));
}

/* space is one of the strings above: pointers are compared. */
void check_init_mark(struct warp *w, uint32_t lane, const char *space, uint64_t address,
                     uint32_t bytes) {
    struct allocation *in = space == GLOBAL ? memory_find(address, bytes) : NULL;
    if (space == LOCAL) check_local_written(w, (int)lane, address, bytes);
    if (space == SHARED) shadow_mark(&w->block->check->shared, address, bytes);
    if (in) shadow_mark(shadow_of(in), address - in->address, bytes);
}

/* Offset of the lane's access in local memory. */
static uint32_t local_offset(const struct warp *w, const struct op *op, uint32_t l) {
    const void *addresses = row(w, op->a);
    uint32_t address = op->flags & OP_ADDRESS32 ? ((const uint32_t *)addresses)[l]
                                                : (uint32_t)((const uint64_t *)addresses)[l];
    return address + (uint32_t)op->check.offset + (op->check.in_frame ? w->frame->local_base : 0);
}

/* As init_load_lane, in local memory. lane_end keeps the look around inside the lane's bits. */
static void load_local(struct warp *w, const struct op *op, uint32_t l, uint32_t offset,
                       uint32_t bytes) {
    const uint8_t *written = w->block->check->warps[w->index].local;
    size_t at = local_bit(w, l, offset), lane_end = local_bit(w, l + 1, 0);
    struct undefined_load from = {LOCAL, offset, bytes, false};
    bool all = all_written(written, at, bytes);
    if (!all && op->check.copies_structure)
        from.may_be_padding = is_near_written(written, at, bytes, lane_end);
    check_loaded(w, op, l, written, at, all ? NULL : &from);
}

void check_init_local(struct warp *w, const struct op *op, uint32_t mask, bool store) {
    uint32_t bytes = (uint32_t)op->size * op->vector;
    uint8_t *written = w->block->check->warps[w->index].local;
    for (; mask; mask &= mask - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(mask), offset = local_offset(w, op, l);
        if (!init_inside(w, offset, bytes)) return; /* the access itself will raise a fault */
        if (!check_local_bounds(w, op, l, offset)) continue;
        if (store)
            check_stored(w, op, l, written, local_bit(w, l, offset), offset, true);
        else
            load_local(w, op, l, offset, bytes);
    }
}
