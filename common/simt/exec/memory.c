/*
 * exec/memory.c: loads and stores in every space.
 *
 * The address operand is a row; op->mem.offset is added. An access of op->vector elements of
 * op->size bytes reads or writes op->vector rows: op->d (load) or op->b (store) when it is one,
 * op->refs otherwise. Rows are 64 bits wide where OP_WIDE is set.
 *
 * Each space has the same parts: find the bytes and check them, count, move. A handler returns NULL
 * after a fault, and NEXT at once where no lane executes it.
 */
#include "local_row.h"
#include "simt/access/request.h"

#define MAX_WORDS 8 /* of 4 bytes in a lane's access */
/* Kept out of the handlers of the common forms, which then need no stack. */
#define SELDOM __attribute__((noinline))

/* ---- Moving one element between memory and a row ---- */

/* A value in memory, extended to 64 bits. PTX extends a narrow load to its register: ld.s8 with the
 * sign, ld.u8 and ld.b8 with zeros. */
static inline uint64_t read_element(const void *from, uint32_t size, bool is_signed) {
    switch (size) {
    case 1: return is_signed ? (uint64_t)(int64_t)(*(const int8_t *)from) : *(const uint8_t *)from;
    case 2:
        return is_signed ? (uint64_t)(int64_t)(*(const int16_t *)from) : *(const uint16_t *)from;
    case 4:
        return is_signed ? (uint64_t)(int64_t)(*(const int32_t *)from) : *(const uint32_t *)from;
    default: return *(const uint64_t *)from;
    }
}

/* The low `size` bytes of a value. */
static inline void write_element(void *to, uint32_t size, uint64_t value) {
    switch (size) {
    case 1: *(uint8_t *)to = (uint8_t)value; break;
    case 2: *(uint16_t *)to = (uint16_t)value; break;
    case 4: *(uint32_t *)to = (uint32_t)value; break;
    default: *(uint64_t *)to = value;
    }
}

/* The row of element e. */
static inline uint32_t element_ref(const struct op *op, uint32_t e, bool store) {
    return op->vector > 1 ? op->refs[e] : store ? op->b : op->d;
}

/* Lane l of a row, as wide as OP_WIDE says. A narrower row takes the low bits. */
static inline void row_put(const struct warp *w, const struct op *op, uint32_t ref, uint32_t l,
                           uint64_t value) {
    if (op->flags & OP_WIDE)
        ((uint64_t *)row(w, ref))[l] = value;
    else
        ((uint32_t *)row(w, ref))[l] = (uint32_t)value;
}

static inline uint64_t row_get(const struct warp *w, const struct op *op, uint32_t ref,
                               uint32_t l) {
    return op->flags & OP_WIDE ? ((const uint64_t *)row(w, ref))[l]
                               : ((const uint32_t *)row(w, ref))[l];
}

/*
 * Lane l's elements between its rows and host memory. Elements lie side by side in memory, the
 * first lowest.
 *
 *   ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [a]
 *   lane l's bytes:    | e0 | e1 | e2 | e3 |       refs[0] .. refs[3]: the rows of %r1 .. %r4
 */
static inline void lane_load(struct warp *w, const struct op *op, uint32_t l, const char *from) {
    for (uint32_t e = 0; e < op->vector; e++)
        row_put(w, op, element_ref(op, e, false), l,
                read_element(from + e * op->size, op->size, op->flags & OP_SIGNED));
}

static inline void lane_store(struct warp *w, const struct op *op, uint32_t l, char *to) {
    for (uint32_t e = 0; e < op->vector; e++)
        write_element(to + e * op->size, op->size, row_get(w, op, element_ref(op, e, true), l));
}

/* ---- Moving a request's bytes ---- */

/* All lanes of a group with one value. */
#define GROUP_OF(t, value) ((group_##t){0} + (value))

/* A loop over the lanes of mask for an element of type m, which lies `at` bytes into each lane's,
 * in a row of type t. A narrow one is extended by its sign, or by zeros. An inactive lane's step is
 * 0, so it reads the first active lane's element, and drops it. */
#define LOAD_ROW(t, m, ref, at)                                                                    \
    do {                                                                                           \
        ROW_##t *d = row(w, ref);                                                                  \
        const char *from = first + (at);                                                           \
        const int32_t *step = lanes->step;                                                         \
        if (lanes->shape == LANES_SAME) {                                                          \
            const ROW_##t value = (ROW_##t) * (const m *)from;                                     \
            const uint32_t *active = spread(w, mask);                                              \
            VECTOR_LANES {                                                                         \
                const ROW_##t keeps = (ROW_##t)(int32_t)~active[l];                                \
                d[l] = (value & ~keeps) | (d[l] & keeps);                                          \
            }                                                                                      \
        } else if (lanes->shape == LANES_SAME_BY_8) {                                              \
            EACH_GROUP GROUP(t, d + l) = GROUP_OF(t, (ROW_##t) * (const m *)(from + step[l]));     \
        } else if (mask == FULL_MASK) {                                                            \
            VECTOR_LANES d[l] = (ROW_##t) * (const m *)(from + step[l]);                           \
        } else {                                                                                   \
            ROW_##t loaded[WARP_SIZE] __attribute__((aligned(64)));                                \
            EACH_LANE                                                                              \
                loaded[l] = (ROW_##t) * (const m *)(from + step[l]);                               \
            WRITE_LANES(t, mask, loaded[l]);                                                       \
        }                                                                                          \
    } while (0)

/* Of several lanes that store to one address, PTX leaves open whose value stays. On an H200 it is
 * the lowest lane's, and of elements of 8 bytes, which are served half a warp at a time, the lowest
 * of the upper half's. So the lanes of each part store from the highest to the lowest. */
#define EACH_STORING(r)                                                                            \
    for (uint32_t lanes_ = (r)->bytes > 4 ? 4 * WARP_SIZE / (r)->bytes : WARP_SIZE, at_ = 0;       \
         at_ < WARP_SIZE; at_ += lanes_)                                                           \
        for (uint32_t rest_ = (r)->mask & (FULL_MASK >> (WARP_SIZE - lanes_) << at_), l = 0;       \
             rest_ && (l = WARP_SIZE - 1 - (uint32_t)__builtin_clz(rest_), 1); rest_ ^= 1u << l)
/* The same of a full warp, without a search for each lane: `turn` is the last lane of a part. */
#define STORE_ROW(t, m, ref, at)                                                                   \
    do {                                                                                           \
        const ROW_##t *value = row(w, ref);                                                        \
        char *to = r->first + (at);                                                                \
        const int32_t *step = r->lanes->step;                                                      \
        uint32_t turn = r->bytes > 4 ? 4 * WARP_SIZE / r->bytes - 1 : WARP_SIZE - 1;               \
        if (r->mask == FULL_MASK)                                                                  \
            for (uint32_t i = 0; i < WARP_SIZE; i++)                                               \
                *(m *)(to + step[i ^ turn]) = (m)value[i ^ turn];                                  \
        else                                                                                       \
            EACH_STORING(r) * (m *)(to + step[l]) = (m)value[l];                                   \
    } while (0)

/* One element as wide as its row, the form that matters most. A full warp whose lanes lie side by
 * side is one memcpy, and rows of a tile are one each. */
#define WHOLE_ROW(t)                                                                               \
    static SELDOM void load_apart_##t(struct warp *w, uint32_t ref,                                \
                                      const struct lane_pattern *lanes, const char *first,         \
                                      uint32_t mask) {                                             \
        LOAD_ROW(t, ROW_##t, ref, 0);                                                              \
    }                                                                                              \
    static inline void load_row_##t(struct warp *w, const struct op *op,                           \
                                    const struct request *r) {                                     \
        ROW_##t *to = DST(t);                                                                      \
        const int32_t *step = r->lanes->step;                                                      \
        if (r->lanes->shape == LANES_SIDE_BY_SIDE)                                                 \
            EACH_GROUP GROUP(t, to + l) = GROUP(t, r->first + l * sizeof *to);                     \
        else if (r->lanes->shape == LANES_ROWS_OF_8)                                               \
            EACH_GROUP GROUP(t, to + l) = GROUP(t, r->first + step[l]);                            \
        else                                                                                       \
            load_apart_##t(w, op->d, r->lanes, r->first, r->mask);                                 \
    }                                                                                              \
    static inline void store_row_##t(struct warp *w, const struct op *op,                          \
                                     const struct request *r) {                                    \
        const ROW_##t *from = SRC(t, op->b);                                                       \
        const int32_t *step = r->lanes->step;                                                      \
        if (r->lanes->shape == LANES_SIDE_BY_SIDE)                                                 \
            EACH_GROUP GROUP(t, r->first + l * sizeof *from) = GROUP(t, from + l);                 \
        else if (r->lanes->shape == LANES_ROWS_OF_8)                                               \
            for (int g = WARP_SIZE - LANE_GROUP; g >= 0; g -= LANE_GROUP) {                        \
                int l = sizeof *from > 4 ? g ^ WARP_SIZE / 2 : g; /* as EACH_STORING */            \
                memcpy(r->first + step[l], from + l, LANE_GROUP * sizeof *from);                   \
            }                                                                                      \
        else                                                                                       \
            STORE_ROW(t, ROW_##t, op->b, 0);                                                       \
    }
WHOLE_ROW(u32)
WHOLE_ROW(u64)

/* Elements of any form. Those that moves_as_row() tells of move row by row, others lane by lane. */
static void load_elements(struct warp *w, const struct op *op, const struct request *r) {
    if (r->scattered || !moves_as_row(op)) {
        EACH_ACTIVE(r->mask) lane_load(w, op, l, host_of(r, l));
        return;
    }
    const struct lane_pattern *lanes = r->lanes;
    const char *first = r->first;
    uint32_t mask = r->mask;
    bool is_signed = op->flags & OP_SIGNED;
    for (uint32_t e = 0; e < op->vector; e++) {
        uint32_t ref = element_ref(op, e, false), at = e * op->size;
        if (op->size == 4)
            LOAD_ROW(u32, uint32_t, ref, at);
        else if (op->size == 8)
            LOAD_ROW(u64, uint64_t, ref, at);
        else if (op->size == 2 && is_signed)
            LOAD_ROW(u32, int16_t, ref, at);
        else if (op->size == 2)
            LOAD_ROW(u32, uint16_t, ref, at);
        else if (is_signed)
            LOAD_ROW(u32, int8_t, ref, at);
        else
            LOAD_ROW(u32, uint8_t, ref, at);
    }
}

static void store_elements(struct warp *w, const struct op *op, const struct request *r) {
    if (r->scattered || !moves_as_row(op)) {
        EACH_STORING(r) lane_store(w, op, l, host_of(r, l));
        return;
    }
    for (uint32_t e = 0; e < op->vector; e++) {
        uint32_t ref = element_ref(op, e, true), at = e * op->size;
        if (op->size == 4)
            STORE_ROW(u32, uint32_t, ref, at);
        else if (op->size == 8)
            STORE_ROW(u64, uint64_t, ref, at);
        else if (op->size == 2)
            STORE_ROW(u32, uint16_t, ref, at);
        else
            STORE_ROW(u32, uint8_t, ref, at);
    }
}

/* ---- Global memory ---- */

static SELDOM bool load_global_lanes(struct warp *w, const struct op *op, uint32_t mask) {
    struct request r = request_of(w, op, mask, (uint32_t)op->size * op->vector);
    if (!request_global(w, op, &r, REQUEST_LOAD)) return false;
    if (op->flags & OP_VOLATILE) poll_global(w, &r);
    load_elements(w, op, &r);
    return true;
}

static SELDOM bool store_global_lanes(struct warp *w, const struct op *op, uint32_t mask) {
    struct request r = request_of(w, op, mask, (uint32_t)op->size * op->vector);
    if (!request_global(w, op, &r, REQUEST_STORE)) return false;
    store_elements(w, op, &r);
    return true;
}

HANDLER(load_global) {
    uint32_t mask = guard(w, op);
    return !mask || load_global_lanes(w, op, mask) ? NEXT : NULL;
}

HANDLER(store_global) {
    uint32_t mask = guard(w, op);
    return !mask || store_global_lanes(w, op, mask) ? NEXT : NULL;
}

/* One element as wide as its row. Lanes without a pattern, and faults, are left to the others. */
#define WHOLE_ROW_GLOBAL(t)                                                                        \
    HANDLER(load_global_##t) {                                                                     \
        uint32_t mask = guard(w, op);                                                              \
        if (!mask) return RUN(NEXT);                                                               \
        struct request r = request_of(w, op, mask, sizeof(ROW_##t));                               \
        if (!request_pattern(w, op, &r, REQUEST_LOAD)) return load_global(w, op);                  \
        if (op->flags & OP_VOLATILE) poll_global(w, &r);                                           \
        load_row_##t(w, op, &r);                                                                   \
        return RUN(NEXT);                                                                          \
    }                                                                                              \
    HANDLER(store_global_##t) {                                                                    \
        uint32_t mask = guard(w, op);                                                              \
        if (!mask) return RUN(NEXT);                                                               \
        struct request r = request_of(w, op, mask, sizeof(ROW_##t));                               \
        if (!request_pattern(w, op, &r, REQUEST_STORE)) return store_global(w, op);                \
        store_row_##t(w, op, &r);                                                                  \
        return RUN(NEXT);                                                                          \
    }
WHOLE_ROW_GLOBAL(u32)
WHOLE_ROW_GLOBAL(u64)

/* The constant cache serves one address at a time: a request takes as many passes as it has
 * different addresses. */
static void trace_const(struct warp *w, const struct op *op, uint32_t mask) {
    const uint64_t *address = SRC(u64, op->a);
    uint64_t addresses[WARP_SIZE];
    uint32_t n = 0;
    EACH_ACTIVE(mask) addresses[n++] = address[l];
    trace_passes(w->trace, op->insn, ACCESS_CONST, ACCESS_RESULT, distinct_values(addresses, n), 1);
}

/* Constant memory is global memory whose requests have their own counters (OP_UNCOUNTED keeps them
 * out of the others). */
HANDLER(load_const) {
    uint32_t mask = guard(w, op);
    if (!mask) return NEXT;
    w->worker->counters.const_requests++;
    if (w->trace) trace_const(w, op, mask);
    return load_global_lanes(w, op, mask) ? NEXT : NULL;
}

/* ---- Shared memory ---- */

/* Ask for the bytes and count. False: a fault was raised. */
static inline bool ask_shared(struct warp *w, const struct op *op, struct request *r, bool store) {
    if (op->flags & OP_VOLATILE && !store) poll_shared(w);
    if (!request_shared(w, op, r)) return false;
    count_shared(w, op, r, store);
    return true;
}

static SELDOM bool load_shared_lanes(struct warp *w, const struct op *op, uint32_t mask) {
    struct request r = request_of(w, op, mask, (uint32_t)op->size * op->vector);
    if (!ask_shared(w, op, &r, false)) return false;
    load_elements(w, op, &r);
    return true;
}

static SELDOM bool store_shared_lanes(struct warp *w, const struct op *op, uint32_t mask) {
    struct request r = request_of(w, op, mask, (uint32_t)op->size * op->vector);
    if (!ask_shared(w, op, &r, true)) return false;
    store_elements(w, op, &r);
    return true;
}

HANDLER(load_shared) {
    uint32_t mask = guard(w, op);
    return !mask || load_shared_lanes(w, op, mask) ? NEXT : NULL;
}

HANDLER(store_shared) {
    uint32_t mask = guard(w, op);
    return !mask || store_shared_lanes(w, op, mask) ? NEXT : NULL;
}

/* The common form: one word for each lane. Faults are left to the others. */
HANDLER(load_shared_u32) {
    uint32_t mask = guard(w, op);
    if (!mask) return RUN(NEXT);
    struct request r = request_of(w, op, mask, 4);
    if (!request_shared_pattern(w, op, &r)) return load_shared(w, op);
    if (op->flags & OP_VOLATILE) poll_shared(w);
    count_shared(w, op, &r, false);
    load_row_u32(w, op, &r);
    return RUN(NEXT);
}

HANDLER(store_shared_u32) {
    uint32_t mask = guard(w, op);
    if (!mask) return RUN(NEXT);
    struct request r = request_of(w, op, mask, 4);
    if (!request_shared_pattern(w, op, &r)) return store_shared(w, op);
    count_shared(w, op, &r, true);
    store_row_u32(w, op, &r);
    return RUN(NEXT);
}

/* ---- Local memory ---- */

/* Byte offsets of the lanes in local memory. in_frame: relative to the frame of the running
 * function. */
static inline void local_offsets(const struct warp *w, const struct op *op,
                                 uint32_t offset[WARP_SIZE]) {
    uint32_t shift = (uint32_t)op->mem.offset + (op->mem.in_frame ? w->frame->local_base : 0);
    if (op->flags & OP_ADDRESS32) {
        const uint32_t *address = SRC(u32, op->a);
        VECTOR_LANES offset[l] = address[l] + shift;
    } else {
        const uint64_t *address = SRC(u64, op->a);
        VECTOR_LANES offset[l] = (uint32_t)address[l] + shift;
    }
}

/* Are all active lanes' accesses aligned and inside of the thread's local memory? False: a fault
 * was raised for the first that is not. The report shows the generic address. */
static inline bool local_valid(struct warp *w, const struct op *op,
                               const uint32_t offset[WARP_SIZE], uint32_t mask, uint32_t bytes) {
    uint32_t limit = w->worker->local_stride;
    EACH_ACTIVE(mask) {
        if (offset[l] & (bytes - 1))
            return fault_access(w, op, (int)l, LOCAL_WINDOW | offset[l], bytes, "misaligned");
        if (offset[l] >= limit || limit - offset[l] < bytes)
            return fault_access(w, op, (int)l, LOCAL_WINDOW | offset[l], bytes, "out of bounds");
    }
    return true;
}

/* Sectors of local memory, as sectors_local() counts them, numbered from the beginning of the
 * warp's own. At most MAX_WORDS words a lane. */
static void trace_local(struct warp *w, const struct op *op, const uint32_t offset[WARP_SIZE],
                        uint32_t mask, uint32_t bytes, bool store) {
    uint64_t sectors[MAX_WORDS * WARP_SIZE];
    uint32_t n = 0, words = bytes > 4 ? bytes / 4 : 1;
    for (uint32_t word = 0; word < words; word++)
        EACH_ACTIVE(mask) sectors[n++] = (uint64_t)(offset[l] / 4 + word) * 4 + l / 8;
    trace_sectors(w->trace, op->insn, store ? ACCESS_LOCAL_STORE : ACCESS_LOCAL_LOAD, 0, sectors, n,
                  bytes * (uint32_t)__builtin_popcount(mask));
}

/* same: all lanes have one offset. */
static inline void count_local(struct warp *w, const struct op *op,
                               const uint32_t offset[WARP_SIZE], uint32_t mask, uint32_t bytes,
                               bool same, bool store) {
    if (op->flags & OP_UNCOUNTED) return;
    struct counters *n = &w->worker->counters;
    uint32_t sectors = same ? sectors_local_row(bytes, mask) : sectors_local(offset, bytes, mask);
    if (w->trace) trace_local(w, op, offset, mask, bytes, store);
    if (store)
        n->local_st_requests++, n->local_st_sectors += sectors;
    else
        n->local_ld_requests++, n->local_ld_sectors += sectors;
}

/* The byte at `offset` of lane l's local memory. Narrow values lie inside their word; layout in
 * exec/local_row.h. */
static inline char *local_byte(const struct warp *w, uint32_t offset, uint32_t l) {
    return w->local + (size_t)(offset / 4) * (WARP_SIZE * 4) + l * 4 + offset % 4;
}

/* An element of 8 bytes is two words, which lie a row apart. */
static inline uint64_t local_get(const struct warp *w, uint32_t offset, uint32_t l, uint32_t size,
                                 bool is_signed) {
    if (size < 8) return read_element(local_byte(w, offset, l), size, is_signed);
    uint64_t low = *(const uint32_t *)local_byte(w, offset, l),
             high = *(const uint32_t *)local_byte(w, offset + 4, l);
    return high << 32 | low;
}

static inline void local_put(const struct warp *w, uint32_t offset, uint32_t l, uint32_t size,
                             uint64_t value) {
    write_element(local_byte(w, offset, l), size < 8 ? size : 4, value);
    if (size == 8) write_element(local_byte(w, offset + 4, l), 4, value >> 32);
}

/* Bounds and alignment, then the counters. same: all lanes have one offset, so it is enough to
 * check the first (mask & -mask). False: a fault was raised. */
static inline bool local_request(struct warp *w, const struct op *op,
                                 const uint32_t offset[WARP_SIZE], uint32_t mask, bool same,
                                 bool store) {
    uint32_t bytes = (uint32_t)op->size * op->vector;
    if (!local_valid(w, op, offset, same ? mask & -mask : mask, bytes)) return false;
    count_local(w, op, offset, mask, bytes, same, store);
    return true;
}

/* An element of each lane, at offsets that differ. size: op->size; where the caller has it as a
 * constant, the loop has no branch for it. */
static inline __attribute__((always_inline)) void load_each(struct warp *w, const struct op *op,
                                                            uint32_t ref, uint32_t mask,
                                                            const uint32_t offset[WARP_SIZE],
                                                            uint32_t at, const uint32_t size) {
    const bool is_signed = op->flags & OP_SIGNED;
    EACH_ACTIVE(mask) row_put(w, op, ref, l, local_get(w, offset[l] + at, l, size, is_signed));
}

static inline __attribute__((always_inline)) void store_each(struct warp *w, const struct op *op,
                                                             uint32_t ref, uint32_t mask,
                                                             const uint32_t offset[WARP_SIZE],
                                                             uint32_t at, const uint32_t size) {
    EACH_ACTIVE(mask) local_put(w, offset[l] + at, l, size, row_get(w, op, ref, l));
}

/* Elements at one offset move as rows, others lane by lane. */
static bool load_local_lanes(struct warp *w, const struct op *op, uint32_t mask) {
    uint32_t offset[WARP_SIZE];
    local_offsets(w, op, offset);
    bool same = local_same_offset(w, offset, mask);
    if (!local_request(w, op, offset, mask, same, false)) return false;
    for (uint32_t e = 0; e < op->vector; e++) {
        uint32_t ref = element_ref(op, e, false), at = e * op->size;
        if (same && moves_as_row(op)) {
            local_row_load(w, op, ref, mask, offset[first_lane(mask)] + at);
            continue;
        }
        switch (op->size) {
        case 1: load_each(w, op, ref, mask, offset, at, 1); break;
        case 2: load_each(w, op, ref, mask, offset, at, 2); break;
        case 4: load_each(w, op, ref, mask, offset, at, 4); break;
        default: load_each(w, op, ref, mask, offset, at, 8);
        }
    }
    return true;
}

/* The same the other way. Other lanes' words in the row stay as they are. */
static bool store_local_lanes(struct warp *w, const struct op *op, uint32_t mask) {
    uint32_t offset[WARP_SIZE];
    local_offsets(w, op, offset);
    bool same = local_same_offset(w, offset, mask);
    if (!local_request(w, op, offset, mask, same, true)) return false;
    for (uint32_t e = 0; e < op->vector; e++) {
        uint32_t ref = element_ref(op, e, true), at = e * op->size;
        if (same && moves_as_row(op))
            local_row_store(w, op, ref, mask, offset[first_lane(mask)] + at);
        else if (op->size == 4)
            store_each(w, op, ref, mask, offset, at, 4);
        else
            store_each(w, op, ref, mask, offset, at, op->size);
    }
    return true;
}

HANDLER(load_local) {
    uint32_t mask = guard(w, op);
    return !mask || load_local_lanes(w, op, mask) ? NEXT : NULL;
}

HANDLER(store_local) {
    uint32_t mask = guard(w, op);
    return !mask || store_local_lanes(w, op, mask) ? NEXT : NULL;
}

/* ---- Kernel parameters at a computed address ---- */

/* ld.param with a register as base. The parameter block is the same for all blocks, and cannot be
 * written. */
static bool load_param_lanes(struct warp *w, const struct op *op, uint32_t mask) {
    const char *params = w->worker->grid->params;
    uint64_t limit = w->worker->kernel->entry->param_bytes;
    const uint64_t *address = SRC(u64, op->a);
    uint32_t bytes = (uint32_t)op->size * op->vector;
    EACH_ACTIVE(mask) {
        uint64_t offset = (address[l] + (uint64_t)op->mem.offset) & ~WINDOW_MASK;
        if (offset > limit || limit - offset < bytes)
            return fault_access(w, op, (int)l, PARAM_WINDOW | offset, bytes, "out of bounds");
        lane_load(w, op, l, params + offset);
    }
    return true;
}

HANDLER(load_param) {
    uint32_t mask = guard(w, op);
    return !mask || load_param_lanes(w, op, mask) ? NEXT : NULL;
}

/* ---- Generic addresses: the lanes of each space in turn ---- */

/* Loads of lanes whose generic addresses are in the same space. The handlers of shared and local
 * memory use the low 32 bits of an address, and those of the windows are 0. */
static bool load_class(struct warp *w, const struct op *op, uint32_t mask, enum space_class class) {
    switch (class) {
    case CLASS_SHARED: return load_shared_lanes(w, op, mask);
    case CLASS_LOCAL: return load_local_lanes(w, op, mask);
    case CLASS_PARAM: return load_param_lanes(w, op, mask);
    default: return load_global_lanes(w, op, mask);
    }
}

/* Parameters are read-only: a fault. */
static bool store_class(struct warp *w, const struct op *op, uint32_t mask,
                        enum space_class class) {
    const uint64_t *address = SRC(u64, op->a);
    switch (class) {
    case CLASS_SHARED: return store_shared_lanes(w, op, mask);
    case CLASS_LOCAL: return store_local_lanes(w, op, mask);
    case CLASS_PARAM:
        return fault_access(w, op, first_lane(mask), address[first_lane(mask)], op->size,
                            "constant");
    default: return store_global_lanes(w, op, mask);
    }
}

/* Each turn of the loop serves all lanes that are in the space of the first lane left, so at most
 * four are needed. */
HANDLER(load_generic) {
    for (uint32_t rest = guard(w, op); rest;) {
        enum space_class class;
        uint32_t mask = same_class(w, SRC(u64, op->a), rest, &class);
        if (!load_class(w, op, mask, class)) return NULL;
        rest &= ~mask;
    }
    return NEXT;
}

HANDLER(store_generic) {
    for (uint32_t rest = guard(w, op); rest;) {
        enum space_class class;
        uint32_t mask = same_class(w, SRC(u64, op->a), rest, &class);
        if (!store_class(w, op, mask, class)) return NULL;
        rest &= ~mask;
    }
    return NEXT;
}

/* An H200 counts what .cg copies by where it goes: sectors of shared memory, and one more for each
 * further line of 128 bytes that a sector's bytes come from. */
static uint32_t sectors_filled(const struct request *from, const uint64_t *address,
                               const struct request *to) {
    uint64_t filled[WARP_SIZE];
    uint32_t n = 0;
    EACH_ACTIVE(from->mask) {
        uint64_t line = (address[l] + (uint64_t)from->offset) / LINE_BYTES;
        uint64_t sector = (to->at + (uint64_t)to->lanes->step[l]) / SECTOR_BYTES;
        filled[n] = line << 16 | sector; /* shared memory has fewer sectors */
        uint32_t i = n;
        while (i > 0 && filled[i - 1] != filled[n]) i--;
        n += i == 0;
    }
    return n;
}

/* cp.async [shared], [global], bytes{, source bytes}. op->b: address in global memory; op->c:
 * source bytes. Both ends are checked and counted now. The bytes are read now, and arrive in shared
 * memory at the wait (machine/async_copy.h). Fewer source bytes are filled up with zeros. */
HANDLER(copy_async) {
    uint32_t mask = guard(w, op);
    if (!mask) return NEXT;
    const uint32_t *count = SRC(u32, op->c);
    struct request from = request_of(w, op, mask, op->size), to = from;
    from.address = SRC(u64, op->b);
    from.offset = op->mem.from_offset;
    to.patterns++;
    struct counters *counted = &w->worker->counters;
    uint64_t sectors = counted->gld_sectors;
    if (!request_shared(w, op, &to) || !request_global(w, op, &from, REQUEST_LOAD)) return NULL;
    count_shared(w, op, &to, true);
    /* No store instruction: an H200's counter leaves it out. */
    if (!(op->flags & OP_UNCOUNTED)) counted->shared_st_requests--;
    if (!(op->flags & OP_UNCOUNTED) && op->insn->cache == 'g')
        counted->gld_sectors = sectors + sectors_filled(&from, from.address, &to);
    EACH_ACTIVE(mask) {
        uint32_t n = count[l] < op->size ? count[l] : op->size;
        async_copy_begin(w, op, (uint32_t)l, (uint32_t)to.at + (uint32_t)to.lanes->step[l],
                         host_of(&from, l), n);
    }
    return NEXT;
}

/* The copies since the last commit become a group. */
HANDLER(copy_commit) {
    async_copy_commit(w, guard(w, op));
    return NEXT;
}

/* wait_all also waits for copies without a group, which a commit gives one. pending is 0 then. */
HANDLER(copy_wait) {
    uint32_t mask = guard(w, op);
    if (op->wait.waits_all) async_copy_commit(w, mask);
    async_copy_wait(w, mask, (uint32_t)op->wait.pending);
    return NEXT;
}

/* The decoder's table. size 0: any element. size 4 or 8: one element as wide as its row. */
const struct access_rule EXEC(access_rules)[] = {
    {PTX_LD, PTX_GLOBAL, 4, load_global_u32},
    {PTX_LD, PTX_GLOBAL, 8, load_global_u64},
    {PTX_LD, PTX_GLOBAL, 0, load_global},
    {PTX_LD, PTX_SHARED, 4, load_shared_u32},
    {PTX_LD, PTX_SHARED, 0, load_shared},
    {PTX_LD, PTX_LOCAL, 0, load_local},
    {PTX_LD, PTX_FRAME, 0, load_local},
    {PTX_LD, PTX_CONST, 0, load_const},
    {PTX_LD, PTX_KPARAM, 0, load_param},
    {PTX_LD, PTX_GENERIC, 0, load_generic},
    {PTX_ST, PTX_GLOBAL, 4, store_global_u32},
    {PTX_ST, PTX_GLOBAL, 8, store_global_u64},
    {PTX_ST, PTX_GLOBAL, 0, store_global},
    {PTX_ST, PTX_SHARED, 4, store_shared_u32},
    {PTX_ST, PTX_SHARED, 0, store_shared},
    {PTX_ST, PTX_LOCAL, 0, store_local},
    {PTX_ST, PTX_FRAME, 0, store_local},
    {PTX_ST, PTX_GENERIC, 0, store_generic},
    {0, 0, 0, NULL},
};

/* Handlers that the decoder names; the others it finds in the tables. */
void EXEC(memory_names)(struct handlers *handlers) {
    handlers->copy_async = copy_async;
    handlers->copy_commit = copy_commit;
    handlers->copy_wait = copy_wait;
}
