/*
 * extra/images/exec/surface.c: suld, sust and sured.
 *
 * An operation's refs are the rows of its values, then those of its coordinates as PTX writes them
 * (the layer first). The first coordinate counts bytes; of sust.p and sured.p it counts texels. A
 * request is that of 8 threads.
 */
#include "simt/access/sectors.h"
#include "simt/exec/half.h"
#include "simt/extra/images/texture.h"

#define REQUEST_LANES 8

/* Where an access goes. */
struct spot {
    bool inside; /* false: with .zero, nothing is read or written */
    uint64_t address;
    char *host;
};

static const char *const kinds[] = {"read", "write", "reduction"};

static const char *access_kind_name(const struct op *op) {
    return kinds[op->insn->op == PTX_SULD ? 0 : op->insn->op == PTX_SUST ? 1 : 2];
}

/* The dimensions of the surface that an access of this geometry sees. */
static void find_extents(const struct op *op, const struct image *image, uint32_t bytes,
                         int64_t extent[3]) {
    bool texels = op->insn->formatted;
    extent[0] = texels ? image->width : (int64_t)image->width * image->texel_bytes - (bytes - 1);
    extent[1] = op->insn->geometry == PTX_1D || op->insn->geometry == PTX_A1D ? 1 : image->height;
    extent[2] = image->depth;
}

/* The place of lane l's bytes. False: a fault was raised. */
static bool find_spot(struct warp *w, const struct op *op, const struct image *image, uint32_t l,
                      uint32_t bytes, struct spot *spot) {
    const struct ptx_insn *insn = op->insn;
    bool layered = insn->geometry == PTX_A1D || insn->geometry == PTX_A2D;
    int n = ptx_coordinates(insn->geometry);
    int64_t at[3] = {0, 0, 0}, extent[3];
    find_extents(op, image, bytes, extent);
    for (int i = 0; i < n; i++) {
        int dimension = !layered ? i : i == 0 ? 2 : i - 1;
        at[dimension] = ((const int32_t *)row(w, op->refs[op->vector + i]))[l];
    }
    int64_t last = insn->formatted
                       ? extent[0] - 1
                       : (extent[0] - 1) / bytes * bytes; /* that the first coordinate means */
    spot->inside = true;
    for (int d = 0; d < 3; d++) {
        if (at[d] >= 0 && at[d] < extent[d]) continue;
        spot->inside = false;
        at[d] = at[d] < 0 ? 0 : d == 0 ? last : extent[d] - 1;
    }
    if (!spot->inside && insn->boundary == PTX_BOUNDARY_TRAP) {
        fault_raise(
            w, op, SIM_ERROR_ILLEGAL_ADDRESS, (int)l,
            "Invalid surface %s of size %u bytes: outside of the surface of %u x %u x %u texels",
            access_kind_name(op), bytes, image->width, image->height, image->depth);
        return false;
    }
    if (!insn->formatted && at[0] % bytes) {
        fault_raise(w, op, SIM_ERROR_MISALIGNED, (int)l,
                    "Invalid surface %s of size %u bytes: byte %lld is misaligned",
                    access_kind_name(op), bytes, (long long)at[0]);
        return false;
    }
    if (insn->boundary == PTX_BOUNDARY_CLAMP) spot->inside = true;
    uint32_t x = (uint32_t)(insn->formatted ? at[0] * image->texel_bytes : at[0]);
    spot->address = image->address + image_offset(image, x, (uint32_t)at[1], (uint32_t)at[2]);
    spot->host = (char *)(uintptr_t)(spot->address + (uint64_t)image->delta);
    return true;
}

/* ---- Values ---- */

static uint64_t surface_value_of(const struct warp *w, const struct op *op, uint32_t e,
                                 uint32_t l) {
    const void *values = row(w, op->refs[e]);
    return op->flags & OP_WIDE ? ((const uint64_t *)values)[l] : ((const uint32_t *)values)[l];
}

static void set_value(const struct warp *w, const struct op *op, uint32_t e, uint32_t l,
                      uint64_t value) {
    void *values = row(w, op->refs[e]);
    if (op->flags & OP_WIDE)
        ((uint64_t *)values)[l] = value;
    else
        ((uint32_t *)values)[l] = (uint32_t)value;
}

static void surface_load_lane(struct warp *w, const struct op *op, const struct texture *t,
                              uint32_t l, const struct spot *spot) {
    (void)t;
    for (uint32_t e = 0; e < op->vector; e++) {
        uint64_t value = 0;
        if (spot->inside) memcpy(&value, spot->host + e * op->size, op->size);
        set_value(w, op, e, l, value);
    }
}

/* A 32-bit value as a channel of the surface. */
static uint32_t formatted(struct texel_format format, uint32_t value) {
    if (format.kind == TEXEL_FLOAT)
        return format.bits == 16 ? half_from_float(float32(value)) : value;
    if (format.bits == 32) return value;
    if (format.kind == TEXEL_UNSIGNED) {
        uint32_t most = (1u << format.bits) - 1;
        return value > most ? most : value;
    }
    int32_t most = (1 << (format.bits - 1)) - 1, number = (int32_t)value;
    return (uint32_t)(number > most ? most : number < -most - 1 ? -most - 1 : number);
}

static void store_lane(struct warp *w, const struct op *op, const struct texture *t, uint32_t l,
                       const struct spot *spot) {
    if (!spot->inside) return;
    uint32_t size = op->insn->formatted ? t->format.bits / 8 : op->size;
    uint32_t n =
        op->insn->formatted && t->format.channels < op->vector ? t->format.channels : op->vector;
    for (uint32_t e = 0; e < n; e++) {
        uint64_t value = surface_value_of(w, op, e, l);
        if (op->insn->formatted) value = formatted(t->format, (uint32_t)value);
        memcpy(spot->host + e * size, &value, size);
    }
}

#define UPDATE(type)                                                                               \
    static void update_##type(VAL_##type *to, VAL_##type value, uint8_t sub) {                     \
        VAL_##type old = __atomic_load_n(to, __ATOMIC_RELAXED), next;                              \
        do {                                                                                       \
            switch (sub) {                                                                         \
            case PTX_ATOM_ADD: next = (VAL_##type)((ROW_##type)old + (ROW_##type)value); break;    \
            case PTX_ATOM_MIN: next = old < value ? old : value; break;                            \
            case PTX_ATOM_MAX: next = old > value ? old : value; break;                            \
            case PTX_ATOM_AND: next = old & value; break;                                          \
            case PTX_ATOM_OR: next = old | value; break;                                           \
            default: next = value; break;                                                          \
            }                                                                                      \
        } while (!__atomic_compare_exchange_n(to, &old, next, true, __ATOMIC_RELAXED,              \
                                              __ATOMIC_RELAXED));                                  \
    }
UPDATE(u32)
UPDATE(s32)
UPDATE(u64)
UPDATE(s64)

static void reduce_lane(struct warp *w, const struct op *op, const struct texture *t, uint32_t l,
                        const struct spot *spot) {
    (void)t;
    uint64_t value = surface_value_of(w, op, 0, l);
    if (!spot->inside) return;
    switch (op->insn->type) {
    case PTX_S32: update_s32((int32_t *)spot->host, (int32_t)value, op->insn->sub); break;
    case PTX_U64:
    case PTX_B64: update_u64((uint64_t *)spot->host, value, op->insn->sub); break;
    case PTX_S64: update_s64((int64_t *)spot->host, (int64_t)value, op->insn->sub); break;
    default: update_u32((uint32_t *)spot->host, (uint32_t)value, op->insn->sub); break;
    }
}

/* ---- Handlers ---- */

typedef void lane_access(struct warp *w, const struct op *op, const struct texture *t, uint32_t l,
                         const struct spot *spot);

static void surface_count(struct warp *w, const struct op *op, uint32_t requests,
                          uint32_t sectors) {
    struct counters *n = &w->worker->counters;
    if (op->insn->op == PTX_SULD) {
        n->surf_ld_inst++, n->surf_ld_requests += requests, n->surf_ld_sectors += sectors;
        return;
    }
    n->surf_st_requests += requests, n->surf_st_sectors += sectors;
    if (op->insn->op == PTX_SUST)
        n->surf_st_inst++;
    else
        n->surf_red_inst++, n->surf_red_requests += requests;
}

/* The lanes of mask, in requests of REQUEST_LANES. False: a fault was raised. */
static bool access_lanes(struct warp *w, const struct op *op, uint32_t mask, lane_access *access) {
    const uint64_t *handles = SRC(u64, op->a);
    struct sectors all;
    uint32_t requests = 0, sectors = 0,
             bytes = (uint32_t)op->size * (op->insn->formatted ? 1 : op->vector);
    all.n = 0;
    for (uint32_t begin = 0; begin < WARP_SIZE; begin += REQUEST_LANES) {
        uint32_t part = mask & 0xFFu << begin;
        struct sectors touched;
        touched.n = 0;
        EACH_ACTIVE(part) {
            const struct texture *t = texture_find(handles[l]);
            struct spot spot;
            if (!t || !t->is_surface) {
                fault_raise(w, op, SIM_ERROR_ILLEGAL_ADDRESS, (int)l, "0x%llx is no surface object",
                            (unsigned long long)handles[l]);
                return false;
            }
            if (!find_spot(w, op, &t->level[0], l, bytes, &spot)) return false;
            if (spot.inside) sectors_add(&touched, spot.address);
            access(w, op, t, l, &spot);
        }
        requests += part != 0;
        sectors += touched.n;
        sectors_join(&all, &touched);
    }
    surface_count(w, op, requests, sectors);
    bool loads = op->insn->op == PTX_SULD;
    sectors_count(w, op, &all,
                  loads                      ? REQUEST_LOAD
                  : op->insn->op == PTX_SUST ? REQUEST_STORE
                                             : REQUEST_RED,
                  loads                      ? ACCESS_TEXTURE
                  : op->insn->op == PTX_SUST ? ACCESS_STORE
                                             : ACCESS_RED,
                  requests);
    return true;
}

#define SURFACE(name, access)                                                                      \
    HANDLER(name) {                                                                                \
        uint32_t mask = guard(w, op);                                                              \
        return !mask || access_lanes(w, op, mask, access) ? NEXT : NULL;                           \
    }
SURFACE(surface_load, surface_load_lane)
SURFACE(surface_store, store_lane)
SURFACE(surface_reduce, reduce_lane)

static void name_handlers(struct handlers *handlers) {
    handlers->surface_load = surface_load;
    handlers->surface_store = surface_store;
    handlers->surface_reduce = surface_reduce;
}
EXTEND_ISA(name_handlers)
