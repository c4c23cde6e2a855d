/*
 * extra/images/exec/texture.c: tex, tld4, txq and suq.
 *
 * An operation's refs are the rows of its four results, then those of its coordinates as PTX writes
 * them (the layer first), then the level, or both gradients.
 *
 * The texture unit takes a warp's fetch in requests of 4 threads, or 8 where a linear texture of up
 * to 8 bytes is read by integers. It fetches no texel of weight 0. What reads much takes several
 * passes, of fewer threads each: filters of more than 8 bytes a texel, or between planes. Each pass
 * counts the different sectors that it touches.
 */
#include "gradient.h"
#include "sample.h"
#include "simt/access/sectors.h"

#define RESULTS    4
#define QUAD       4
#define UNIT_BYTES 8
#define PASS_BYTES 128 /* of filtered texels */

/* ---- Coordinates ---- */

static inline uint32_t coordinate(const struct warp *w, const struct op *op, int i, uint32_t l) {
    return ((const uint32_t *)row(w, op->refs[RESULTS + i]))[l];
}

static inline float coordinate_float(const struct warp *w, const struct op *op, int i, uint32_t l) {
    return float32(coordinate(w, op, i, l));
}

/* Gradient number `step` of lane l, in texels. n: its components. Returns whether it leads to
 * another face of a cube. */
static bool gradient(const struct warp *w, const struct op *op, const struct sampling *s, int step,
                     int n, uint32_t l, float texels[3]) {
    const struct texture *t = s->texture;
    const uint32_t extents[3] = {t->level[0].width, t->level[0].height, t->level[0].depth};
    int first = ptx_coordinates(op->insn->geometry) + step * n;
    for (int i = 0; i < 3; i++) texels[i] = i < n ? coordinate_float(w, op, first + i, l) : 0;
    bool is_cube = s->geometry == PTX_CUBE || s->geometry == PTX_ACUBE;
    bool leaves_face = is_cube && cube_gradient(s->at, texels);
    for (int i = 0; i < 3 && t->normalized; i++) texels[i] *= (float)extents[i];
    return leaves_face;
}

/* The level that lane l's gradients ask for. Those to different faces of a cube have no sum. */
static float level_of_gradients(const struct warp *w, const struct op *op, const struct sampling *s,
                                int n, uint32_t l) {
    float u[3], v[3];
    const float none[3] = {0, 0, 0};
    bool leaves_face = gradient(w, op, s, 0, n, l, u);
    leaves_face |= gradient(w, op, s, 1, n, l, v);
    return leaves_face ? fmaxf(gradient_level(u, none), gradient_level(v, none))
                       : gradient_level(u, v);
}

/* What lane l asks for. */
static struct sampling sampling_of(const struct warp *w, const struct op *op,
                                   const struct texture *t, uint32_t l) {
    const struct ptx_insn *insn = op->insn;
    bool layered = insn->geometry >= PTX_A1D && insn->geometry != PTX_CUBE;
    int n = ptx_coordinates(insn->geometry) - layered;
    struct sampling s = {.texture = t, .geometry = insn->geometry, .whole = insn->type2 == PTX_S32};
    if (layered) s.layer = coordinate(w, op, 0, l);
    for (int i = 0; i < n && i < 3; i++) {
        s.texel[i] = (int32_t)coordinate(w, op, layered + i, l);
        s.at[i] = float32((uint32_t)s.texel[i]);
    }
    if (insn->lod == PTX_LOD_LEVEL)
        s.level = coordinate_float(w, op, ptx_coordinates(insn->geometry), l);
    if (insn->lod == PTX_LOD_GRAD) s.level = level_of_gradients(w, op, &s, n, l);
    return s;
}

/* ---- Requests ---- */

/* Lanes that one pass serves. */
static uint32_t pass_lanes(const struct texture *t, const struct op *op) {
    bool linear_memory = t->level[0].pitch && op->insn->geometry == PTX_1D;
    if (linear_memory) return t->level[0].texel_bytes > 8 ? QUAD : 2 * QUAD;
    if (!t->linear || op->insn->op == PTX_TLD4) return QUAD;
    uint32_t lanes = PASS_BYTES / (4 * t->level[0].texel_bytes),
             planes = op->insn->geometry == PTX_3D ? 2 : 1;
    lanes = (lanes < QUAD ? lanes : QUAD) / planes;
    return lanes ? lanes : 1;
}

/* Cycles that the unit takes for a request: a quad's texels of 8 bytes pass in one. */
static uint32_t request_cycles(const struct texture *t, const struct op *op) {
    uint32_t bytes = t->level[0].texel_bytes;
    if (t->level[0].pitch && op->insn->geometry == PTX_1D) return 1;
    if (op->insn->op == PTX_TLD4)
        bytes *= 4;
    else if (t->linear)
        bytes *= op->insn->geometry == PTX_3D ? 4 : 2;
    return bytes > UNIT_BYTES ? bytes / UNIT_BYTES : 1;
}

static void add_taps(struct sectors *sectors, const struct planes *planes) {
    for (uint32_t i = 0; i < planes->n; i++)
        for (int k = 0; k < 4; k++)
            if (planes->plane[i].weights[k] && !planes->plane[i].border[k])
                sectors_add(sectors, planes->plane[i].image->address + planes->plane[i].offset[k]);
}

/* ---- tex ---- */

/* Texels by integers: outside of the image there is 0, and so it is for a 1D array everywhere. */
static bool is_outside(const struct sampling *s) {
    const struct image *image = &s->texture->level[0];
    bool array = !image->pitch && (s->geometry == PTX_1D || s->geometry == PTX_A1D);
    bool rows = s->geometry != PTX_1D && s->geometry != PTX_A1D;
    if (!s->whole) return false;
    return array || (uint32_t)s->texel[0] >= image->width ||
           (rows && (uint32_t)s->texel[1] >= image->height) ||
           (s->geometry == PTX_3D && (uint32_t)s->texel[2] >= image->depth) ||
           (s->geometry == PTX_A2D && s->layer >= image->depth);
}

static void fetch_lane(struct warp *w, const struct op *op, uint32_t l, struct sectors *sectors,
                       const struct texture *t) {
    struct sampling s = sampling_of(w, op, t, l);
    struct planes planes = {.n = 0};
    if (!is_outside(&s)) find_planes(&s, &planes);
    add_taps(sectors, &planes);
    for (int c = 0; c < RESULTS; c++)
        ((uint32_t *)row(w, op->refs[c]))[l] = planes.n ? sampled_value(t, &planes, c) : 0;
}

/* tld4: one channel of the four texels that a filter would weigh, from the lower left
 * counterclockwise. */
static void gather_lane(struct warp *w, const struct op *op, uint32_t l, struct sectors *sectors,
                        const struct texture *t) {
    static const int order[RESULTS] = {2, 3, 1, 0};
    struct texture linear = *t;
    struct sampling s = sampling_of(w, op, &linear, l);
    struct planes planes = {.n = 0};
    int channel = op->insn->component;
    linear.linear = true;
    find_planes(&s, &planes);
    struct plane *plane = &planes.plane[0];
    for (int k = 0; k < RESULTS; k++) plane->weights[k] = 1;
    add_taps(sectors, &planes);
    for (int k = 0; k < RESULTS; k++) {
        struct plane one = {.image = plane->image,
                            .offset = {plane->offset[order[k]]},
                            .border = {plane->border[order[k]]}};
        ((uint32_t *)row(w, op->refs[k]))[l] =
            channel < t->format.channels ? point_value(t, &one, channel) : 0;
    }
}

/* An H200 does not filter 3D textures so. */
static bool is_anisotropic(const struct texture *t, const struct op *op) {
    return t->anisotropic && op->insn->lod == PTX_LOD_GRAD && op->insn->geometry != PTX_3D;
}

/* The texture of the lanes that have the same handle as the first; NULL: a fault was raised. */
static const struct texture *texture_of(struct warp *w, const struct op *op, uint32_t mask,
                                        uint32_t *same) {
    const uint64_t *handle = SRC(u64, op->a);
    uint64_t first = handle[first_lane(mask)];
    const struct texture *t = texture_find(first);
    *same = 0;
    EACH_ACTIVE(mask) *same |= (uint32_t)(handle[l] == first) << l;
    if (!t)
        fault_raise(w, op, SIM_ERROR_ILLEGAL_ADDRESS, first_lane(mask),
                    "0x%llx is no texture or surface object", (unsigned long long)first);
    if (!t || !is_anisotropic(t, op)) return t;
    fault_raise(w, op, SIM_ERROR_NOT_SUPPORTED, first_lane(mask),
                "simt does not support gradients where maxAnisotropy is more than 1");
    return NULL;
}

/* The lanes of mask, in groups of QUAD or more, each of which is one request. */
static void fetch_lanes(struct warp *w, const struct op *op, uint32_t mask,
                        const struct texture *t) {
    struct sectors all;
    uint32_t lanes = pass_lanes(t, op), request = lanes > QUAD ? lanes : QUAD, requests = 0;
    struct counters *n = &w->worker->counters;
    all.n = 0;
    for (uint32_t begin = 0; begin < WARP_SIZE; begin += lanes) {
        uint32_t part = mask & ((1u << lanes) - 1) << begin;
        if (begin % request == 0) requests += (mask >> begin & ((1u << request) - 1)) != 0;
        struct sectors touched;
        touched.n = 0;
        EACH_ACTIVE(part)
            (op->insn->op == PTX_TLD4 ? gather_lane : fetch_lane)(w, op, l, &touched, t);
        n->tex_sectors += touched.n;
        sectors_join(&all, &touched);
    }
    n->tex_requests += requests;
    sectors_count(w, op, &all, REQUEST_LOAD, ACCESS_TEXTURE, requests * request_cycles(t, op));
}

HANDLER(texture_fetch) {
    uint32_t mask = guard(w, op);
    if (mask) w->worker->counters.tex_inst++;
    for (uint32_t same; mask; mask &= ~same) {
        const struct texture *t = texture_of(w, op, mask, &same);
        if (!t) return NULL;
        fetch_lanes(w, op, same, t);
    }
    return NEXT;
}

/* ---- txq, suq ---- */

static uint32_t exec_texture_query(const struct texture *t, const struct op *op, uint32_t level) {
    const struct image *image = &t->level[level < t->nlevels ? level : 0];
    switch (op->insn->sub) {
    case PTX_QUERY_WIDTH: return image->width;
    case PTX_QUERY_HEIGHT: return image->height;
    case PTX_QUERY_DEPTH: return image->depth;
    case PTX_QUERY_ARRAY_SIZE: return image->depth / t->faces;
    case PTX_QUERY_LEVELS: return t->nlevels;
    case PTX_QUERY_NORMALIZED: return t->normalized;
    case PTX_QUERY_SAMPLES: return 1;
    default: return 0;
    }
}

HANDLER(texture_query) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    const uint32_t *level = SRC(u32, op->b);
    for (uint32_t same; mask; mask &= ~same) {
        const struct texture *t = texture_of(w, op, mask, &same);
        if (!t) return NULL;
        EACH_ACTIVE(same) d[l] = exec_texture_query(t, op, level[l]);
    }
    return NEXT;
}

static void name_handlers(struct handlers *handlers) {
    handlers->texture_fetch = texture_fetch;
    handlers->texture_query = texture_query;
}
EXTEND_ISA(name_handlers)
