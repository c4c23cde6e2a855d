/*
 * extra/images/exec/sample.h: what one thread gets from a texture: which texels its coordinates
 * mean, and their weighted sum.
 *
 *   coordinates -> level(s) -> planes of 4 texels with weights -> a value for each channel
 *
 * A plane is what a row or a rectangle of an image gives. A 3D image gives two, and so does each of
 * two levels.
 */
#pragma once

#include "cube.h"
#include "filter.h"
#include "simt/ptx/ptx.h"

#define MAX_PLANES 4

/* What a fetch asks for. */
struct sampling {
    const struct texture *texture;
    uint8_t geometry; /* enum ptx_geometry */
    bool whole;       /* coordinates are integers */
    float at[3];      /* coordinates, or */
    int32_t texel[3]; /* those */
    uint32_t layer;
    float level;
};

struct plane {
    const struct image *image; /* NULL: the plane has no weight */
    uint32_t weights[4];
    uint64_t offset[4]; /* of the texels, from the image's address */
    bool border[4];
};

struct planes {
    struct plane plane[MAX_PLANES];
    uint32_t n;
};

/* ---- Texels ---- */

static inline int32_t channel_integer(struct texel_format format, const char *from) {
    bool is_signed = format.kind == TEXEL_SIGNED;
    switch (format.bits) {
    case 8: return is_signed ? *(const int8_t *)from : *(const uint8_t *)from;
    case 16: return is_signed ? *(const int16_t *)from : *(const uint16_t *)from;
    default: return *(const int32_t *)from;
    }
}

static inline float channel_float(struct texel_format format, const char *from) {
    if (format.bits == 16) return half_to_float(*(const uint16_t *)from);
    float value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* An integer as a number from 0 or -1 to 1. */
static inline float channel_normalized(struct texel_format format, const char *from) {
    int32_t value = channel_integer(format, from), most = format.bits == 8 ? 255 : 65535;
    if (format.kind == TEXEL_UNSIGNED) return (float)value / (float)most;
    return fmaxf((float)value / (float)(most / 2), -1);
}

/* ---- Which texels ---- */

static inline void plane_texels(struct plane *plane, const struct place *x, const struct place *y,
                                uint32_t z, bool outside) {
    for (int k = 0; k < 4; k++) {
        int32_t column = x->texel[k & 1], row = y->texel[k >> 1];
        plane->border[k] = outside || x->border[k & 1] || y->border[k >> 1];
        plane->offset[k] = image_offset(plane->image, (uint32_t)column * plane->image->texel_bytes,
                                        (uint32_t)row, z);
    }
}

/* Add the plane at layer z of a level's image, with this part of the whole. */
static inline void add_plane(struct planes *planes, const struct image *image,
                             const struct place *x, const struct place *y, uint32_t z, bool outside,
                             uint32_t part) {
    struct plane *plane = &planes->plane[planes->n++];
    plane->image = image;
    plane_weights(x->weight, y->weight, part, plane->weights);
    plane_texels(plane, x, y, z, outside);
}

/* A place that the coordinates name as an integer. */
static inline struct place integer_place(const struct sampling *s, int dimension, int32_t extent) {
    return place_of(s->texel[dimension], 0, extent, address_mode(s->texture, dimension));
}

static inline struct place place_in(const struct sampling *s, int dimension, int32_t extent) {
    return s->whole ? integer_place(s, dimension, extent)
                    : place_at(s->texture, s->at[dimension], extent, dimension);
}

static inline uint32_t clamped(uint32_t i, uint32_t count) {
    return i < count ? i : count - 1;
}

/* Texels after an edge of a face are those of its neighbour; a corner, where three faces meet, has
 * none. Its weight is shared out among the other three. */
static inline void plane_over_edges(struct plane *plane, int face, const int32_t first[2],
                                    int32_t layer) {
    int32_t extent = (int32_t)plane->image->width;
    for (int k = 0; k < 4; k++) {
        int32_t column = first[0] + (k & 1), row = first[1] + (k >> 1);
        int at = face;
        bool over_x = column < 0 || column >= extent, over_y = row < 0 || row >= extent;
        if (over_x != over_y) cube_step(&at, &column, &row, extent);
        if (over_x && over_y) {
            uint32_t third = (plane->weights[k] + 1) / 3; /* rounded */
            plane->weights[k ^ 1] += third;
            plane->weights[k ^ 2] += third;
            plane->weights[k ^ 3] += plane->weights[k] - 2 * third;
            plane->weights[k] = 0;
            continue;
        }
        plane->offset[k] = image_offset(plane->image, (uint32_t)column * plane->image->texel_bytes,
                                        (uint32_t)row, (uint32_t)(layer + at));
    }
}

static inline void add_cube(struct planes *planes, const struct sampling *s,
                            const struct image *image, uint32_t part) {
    const struct texture *t = s->texture;
    float at[2];
    int face = cube_face(s->at);
    cube_coordinates(s->at, face, at);
    int32_t extent = (int32_t)image->width;
    uint32_t layer = 6 * (s->geometry == PTX_ACUBE ? clamped(s->layer, image->depth / 6) : 0);
    struct place place[2];
    int32_t first[2];
    bool over = false;
    for (int d = 0; d < 2; d++) {
        double fixed =
            floor((in_texels(at[d], extent, true, ADDRESS_CLAMP) - 0.5) * WEIGHT_ONE + 0.5);
        first[d] = (int32_t)floor(fixed / WEIGHT_ONE);
        over |= first[d] < 0 || first[d] + 1 >= extent;
        place[d] = place_at(t, at[d], extent, d);
        if (t->linear && t->seamless)
            place[d].weight = (uint32_t)(fixed - (double)first[d] * WEIGHT_ONE);
    }
    add_plane(planes, image, &place[0], &place[1], layer + (uint32_t)face, false, part);
    if (over && t->linear && t->seamless)
        plane_over_edges(&planes->plane[planes->n - 1], face, first, (int32_t)layer);
}

/* The planes of one level, which has this part of the whole. */
static inline void add_level(struct planes *planes, const struct sampling *s, uint32_t level,
                             uint32_t part) {
    const struct texture *t = s->texture;
    const struct image *image = &t->level[level];
    struct place z = {{0, 0}, {false, false}, 0};
    if (s->geometry == PTX_CUBE || s->geometry == PTX_ACUBE) {
        add_cube(planes, s, image, part);
        return;
    }
    bool rows = s->geometry == PTX_2D || s->geometry == PTX_A2D || s->geometry == PTX_3D;
    struct place x = place_in(s, 0, (int32_t)image->width);
    struct place y = rows ? place_in(s, 1, (int32_t)image->height) : z;
    /* on the edge: half of a border is seen */
    if (s->geometry == PTX_1D && !s->whole) y = place_at(t, 0, 1, 1);
    if (s->geometry == PTX_3D) z = place_in(s, 2, (int32_t)image->depth);
    if (s->geometry == PTX_A1D || s->geometry == PTX_A2D)
        z.texel[0] = z.texel[1] = (int32_t)clamped(s->layer, image->depth);
    uint32_t back = (z.weight * part + 128) >> 8;
    if (back < part)
        add_plane(planes, image, &x, &y, (uint32_t)z.texel[0], z.border[0], part - back);
    if (back) add_plane(planes, image, &x, &y, (uint32_t)z.texel[1], z.border[1], back);
}

/* Which levels: the nearest, or the two around it. */
static inline void find_planes(const struct sampling *s, struct planes *planes) {
    const struct texture *t = s->texture;
    planes->n = 0;
    float level = isnan(s->level) ? 0 : s->level + t->bias;
    level = fmaxf(fminf(level, t->most_level), t->least_level);
    level = fmaxf(fminf(level, (float)(t->nlevels - 1)), 0);
    if (t->nlevels < 2 || !t->level_linear) {
        add_level(planes, s, t->nlevels < 2 ? 0 : (uint32_t)floorf(level + 0.5f), WEIGHT_ONE);
        return;
    }
    uint32_t fixed = (uint32_t)floorf(level * WEIGHT_ONE), first = fixed >> 8, part = fixed & 255;
    add_level(planes, s, first, WEIGHT_ONE - part);
    if (part) add_level(planes, s, first + 1, part);
}

/* ---- The border ---- */

/* The border's colour, a number, as an integer that counts as one. */
static inline int32_t border_integer(const struct texture *t, int channel) {
    bool is_signed = t->format.kind == TEXEL_SIGNED;
    int32_t most = (int32_t)((1u << (t->format.bits - is_signed)) - 1);
    return (int32_t)floorf(fmaxf(fminf(t->border[channel], 1), is_signed ? -1 : 0) * (float)most +
                           0.5f);
}

static inline float border_float(const struct texture *t, int channel) {
    if (t->format.bits == 32) return t->border[channel];
    return half_to_float(half_from_double(t->border[channel], ROUND_ZERO));
}

/* What a channel is outside, where no filter weighs it. */
static inline uint32_t border_value(const struct texture *t, int channel) {
    if (t->format.kind == TEXEL_FLOAT) return bits32(border_float(t, channel));
    uint32_t raw = bits32(t->border[channel]);
    /* its lowest bits */
    if (!t->as_float) return (uint32_t)channel_integer(t->format, (const char *)&raw);
    raw = (uint32_t)border_integer(t, channel);
    return bits32(channel_normalized(t->format, (const char *)&raw));
}

/* ---- Values ---- */

static inline const char *texel_host(const struct plane *plane, int k) {
    return (const char *)(plane->image->address + (uintptr_t)plane->image->delta +
                          plane->offset[k]);
}

/* Infinities and NaNs have no place in sums of mantissas. */
static inline float plain_sum(const struct planes *planes, float texels[MAX_PLANES][4]) {
    double sum = 0;
    for (uint32_t i = 0; i < planes->n; i++)
        for (int k = 0; k < 4; k++)
            if (planes->plane[i].weights[k])
                sum += (double)texels[i][k] * planes->plane[i].weights[k] / WEIGHT_ONE;
    return (float)sum;
}

/* The filtered value of one channel of a floating-point texture. */
static inline float filtered_float(const struct texture *t, const struct planes *planes,
                                   int channel) {
    bool half = t->format.bits == 16, finite = true;
    float texels[MAX_PLANES][4];
    struct sum sum = {0, -200};
    for (uint32_t i = 0; i < planes->n; i++) {
        const struct plane *plane = &planes->plane[i];
        for (int k = 0; k < 4; k++) {
            texels[i][k] =
                plane->border[k]
                    ? border_float(t, channel)
                    : channel_float(t->format, texel_host(plane, k) + channel * t->format.bits / 8);
            finite &= !plane->weights[k] || isfinite(texels[i][k]);
        }
        sum = sum_add(sum, sum_of(texels[i], plane->weights, half ? HALF_DROPPED : 0));
    }
    if (!finite) return plain_sum(planes, texels);
    return half ? sum_round(sum, 11, -24) : sum_round(sum, 24, -149);
}

/* An integer texel, or the border's colour as one. */
static inline int32_t texel_integer(const struct texture *t, const struct plane *plane, int k,
                                    int channel) {
    if (!plane->border[k])
        return channel_integer(t->format, texel_host(plane, k) + channel * t->format.bits / 8);
    return border_integer(t, channel);
}

/* The same of integers that count as numbers up to 1. */
static inline float filtered_normalized(const struct texture *t, const struct planes *planes,
                                        int channel) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < planes->n; i++)
        for (int k = 0; k < 4; k++)
            if (planes->plane[i].weights[k])
                sum += (int64_t)planes->plane[i].weights[k] *
                       texel_integer(t, &planes->plane[i], k, channel);
    return normalized_sum(t->format, sum);
}

/* The last bit that a filter keeps of sRGB channels, by the largest of them, in units of 1 /
 * SRGB_ONE. */
static inline int32_t srgb_last_bit(int32_t largest) {
    /* of those with this last bit */
    static const uint8_t first[] = {0, 33, 48, 69, 97, 134, 184, 249};
    int bit = 7;
    while (largest < first[bit]) bit--;
    return 1 << bit;
}

/* sRGB channels are filtered as numbers whose last bit is the largest one's. */
static inline float filtered_srgb(const struct texture *t, const struct planes *planes,
                                  int channel) {
    struct sum sum = {0, -22};
    for (uint32_t i = 0; i < planes->n; i++) {
        int32_t values[4], largest = 0;
        for (int k = 0; k < 4; k++) {
            values[k] = planes->plane[i].weights[k]
                            ? texel_integer(t, &planes->plane[i], k, channel) & 255
                            : 0;
            if (values[k] > largest) largest = values[k];
        }
        for (int k = 0; k < 4; k++)
            sum.value += (int64_t)planes->plane[i].weights[k] *
                         (srgb_linear[values[k]] & -srgb_last_bit(largest));
    }
    return sum_round(sum, 11, -24);
}

static inline bool is_srgb(const struct texture *t, int channel) {
    return t->srgb && channel < 3 && t->format.bits == 8 && t->format.kind == TEXEL_UNSIGNED;
}

/* One texel as it is. */
static inline uint32_t point_value(const struct texture *t, const struct plane *plane,
                                   int channel) {
    const char *from = texel_host(plane, 0) + channel * t->format.bits / 8;
    if (plane->border[0]) return border_value(t, channel);
    if (t->format.kind == TEXEL_FLOAT && t->format.bits == 16)
        return bits32(channel_float(t->format, from));
    if (t->format.kind == TEXEL_FLOAT || !t->as_float)
        return (uint32_t)channel_integer(t->format, from);
    if (is_srgb(t, channel)) return bits32((float)srgb_linear[*(const uint8_t *)from] / SRGB_ONE);
    return bits32(channel_normalized(t->format, from));
}

/* The value of a channel. Channels that the format lacks are 0. */
static inline uint32_t sampled_value(const struct texture *t, const struct planes *planes,
                                     int channel) {
    if (channel >= t->format.channels) return 0;
    bool one = planes->n == 1 && planes->plane[0].weights[0] == WEIGHT_ONE;
    if (one && (!t->linear || t->format.kind == TEXEL_FLOAT))
        return point_value(t, &planes->plane[0], channel);
    if (t->format.kind == TEXEL_FLOAT) return bits32(filtered_float(t, planes, channel));
    return bits32(is_srgb(t, channel) ? filtered_srgb(t, planes, channel)
                                      : filtered_normalized(t, planes, channel));
}
