/*
 * extra/images/texture.h: texture and surface objects: images, and how to read them. A kernel has a
 * handle, which is the object's number.
 */
#pragma once

#include "simt/device/image.h"

#define TEXTURE_LEVELS 18 /* of an image of 131072 texels */
#define SRGB_ONE       16384.0f

/* What an sRGB channel's value from 0 to 255 means, in units of 1 / SRGB_ONE. */
extern const uint16_t srgb_linear[256];

/* As cudaTextureAddressMode. */
enum texture_address { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

struct texture {
    struct image level[TEXTURE_LEVELS];
    struct texel_format format;
    uint8_t nlevels;
    uint8_t faces;           /* cube map: 6; else 1 */
    uint8_t address_mode[3]; /* enum texture_address, by dimension */
    bool is_surface;
    bool linear, level_linear; /* filter between texels, and between levels */
    bool normalized;           /* coordinates: 1 is the extent */
    bool as_float;             /* integers become numbers from 0 or -1 to 1 */
    bool srgb;                 /* the first three channels hold sRGB */
    bool seamless;             /* cube map: filter over edges */
    bool anisotropic;          /* several fetches along the longer of two gradients */
    float border[4];
    float bias, least_level, most_level;
};

/* Keeps a copy of the object. Returns its handle; 0: there are too many, or the host has no
 * memory. */
uint64_t texture_add(const struct texture *texture);
/* Removes it. Returns false if there is none, or it is of the other kind. */
bool texture_remove(uint64_t handle, bool is_surface);
/* The object of a handle; NULL: there is none. Safe from any thread while none is removed. */
const struct texture *texture_find(uint64_t handle);
