/*
 * check/access.c: the operation before an access: find the shadow of each lane's bytes, then
 * check.
 *
 *      check_access()   guard, registers, fences
 *        access_place()        lane -> shadow, offset in it, host bytes       r->shadow[l],
 * r->offset[l], r->host[l] check_bounds() shared memory of another variable check/bounds.c
 *        check_copies() shared memory that cp.async still writes       check/copy.c
 *        check_race()   who else accessed the words                    check/race.c
 *        check_init()   whether the bytes were written                 check/init.c
 *
 * A generic access is split by the lanes' windows: shared, local, parameters, which are not
 * checked, and the rest, which is global. An access that the interpreter will refuse is not
 * checked: its fault reports it. A checked grid runs on one host thread, so nothing here is locked.
 */
#include "check.h"

#include <string.h>

/* Each lane's address, with the offset of the instruction. The row has elements of 32 or of 64
 * bits. */
static void read_addresses(struct check_request *r) {
    const void *addresses = row(r->w, r->op->a);
    bool narrow = r->op->flags & OP_ADDRESS32;
    for (int l = 0; l < WARP_SIZE; l++) {
        uint64_t address =
            narrow ? ((const uint32_t *)addresses)[l] : ((const uint64_t *)addresses)[l];
        r->address[l] = address + (uint64_t)r->op->check.offset;
    }
}

/* The lanes of mask whose address is in this window. */
static uint32_t lanes_in(const struct check_request *r, uint32_t mask, uint64_t window) {
    uint32_t lanes = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        lanes |= (uint32_t)((r->address[l] & WINDOW_MASK) == window) << l;
    }
    return lanes;
}

/* Shared memory has one shadow for the block. A generic address is reduced to the offset. False:
 * out of bounds. */
static bool place_shared(struct check_request *r, uint32_t l) {
    struct block *block = r->w->block;
    uint32_t offset = (uint32_t)r->address[l];
    if (!shared_is_inside(r->w->worker, offset, r->bytes)) return false;
    r->shadow[l] = &block->check->shared;
    r->offset[l] = offset;
    r->address[l] = offset;
    r->host[l] = block->shared + offset;
    return true;
}

/* Lanes mostly lie in one allocation: *last is tried first. False: in no allocation. */
static bool place_global(struct check_request *r, uint32_t l, struct allocation **last) {
    uint64_t address = r->address[l];
    struct allocation *in = *last;
    if (!in || address < in->address || address + r->bytes > in->address + in->size)
        *last = in = memory_find(address, r->bytes);
    if (!in) return false;
    r->shadow[l] = shadow_of(in);
    r->offset[l] = address - in->address;
    r->host[l] = (const char *)(address + (uint64_t)in->delta);
    return r->shadow[l];
}

/* Find all lanes' bytes. False: some lane's address is misaligned or out of bounds; the access
 * itself will raise a fault. */
static bool access_place(struct check_request *r) {
    struct allocation *last = NULL;
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest);
        if (r->address[l] & (r->bytes - 1)) return false;
        if (!(r->is_shared ? place_shared(r, l) : place_global(r, l, &last))) return false;
    }
    return true;
}

/* Check the lanes of mask, which all access shared memory or all access global memory. Where a lane
 * meets a copy that has not arrived, that is reported and nothing else is checked. */
static void access_check_lanes(struct check_request *r, uint32_t mask, bool is_shared) {
    r->mask = mask;
    r->is_shared = is_shared;
    if (!mask || !access_place(r)) return;
    if (is_shared) check_bounds(r);
    if (is_shared && check_copies(r)) return;
    if (!is_shared && r->flags & ACCESS_WRITE) check_copied_from(r);
    check_race(r);
    check_init(r);
}

/* What the operation does beside an access: publish (a release), signal (a store that others may
 * look for). */
static void access_synchronise(struct warp *w, const struct op *op) {
    bool special = op->check.access & (ACCESS_ATOMIC | ACCESS_VOLATILE | ACCESS_STRONG);
    if (op->check.publishes) check_publish(w, op->check.publishes == PUBLISHES_TO_GRID);
    if (special && op->check.access & ACCESS_WRITE) check_signal(w);
}

/* Values that must be defined: the guard, the address, and an atomic's operands, which other
 * threads see. */
static void check_registers(struct warp *w, const struct op *op, uint32_t mask) {
    bool atomic = op->check.access & ACCESS_ATOMIC;
    if (op->guard != PRED_TRUE_OFFSET) check_use(w, REF(ROWS_REGS, op->guard), w->active);
    check_use(w, op->a, mask);
    if (!atomic) return;
    check_use(w, op->b, mask);
    check_use(w, op->c, mask);
    check_result_defined(w, op->d, mask);
}

/* The handler. It goes on with the access, the next operation. */
const struct op *check_access(struct warp *w, const struct op *op) {
    uint32_t mask = guard(w, op) & op->check.lanes;
    check_registers(w, op, mask);
    if (!mask) return op + 1;
    access_synchronise(w, op);
    if (op->check.space == PTX_LOCAL || op->check.space == PTX_FRAME) {
        check_init_local(w, op, mask, op->check.access & ACCESS_WRITE);
        return op + 1;
    }
    struct check_request r;
    r.w = w;
    r.op = op;
    r.site = op->check.site;
    r.flags = op->check.access;
    r.bytes = (uint32_t)op->size * op->vector;
    read_addresses(&r);
    if (op->check.space == PTX_GENERIC) {
        uint32_t shared = lanes_in(&r, mask, SHARED_WINDOW),
                 local = lanes_in(&r, mask, LOCAL_WINDOW);
        uint32_t params = lanes_in(&r, mask, PARAM_WINDOW);
        access_check_lanes(&r, shared, true);
        access_check_lanes(&r, mask & ~shared & ~local & ~params, false);
        if (local) check_init_local(w, op, local, op->check.access & ACCESS_WRITE);
    } else {
        access_check_lanes(&r, mask, op->check.space == PTX_SHARED);
    }
    return op + 1;
}
