/*
 * extra/images/exec/gradient.h: the level that two gradients ask for, from an H200's results.
 *
 * Gradients u and v, in texels, span the ellipse of texels that a step covers. Its longer radius is
 * about the length of the longest of u, v, u + v and u - v, the last two by 11/16, which stands for
 * sqrt(1/2). Lengths are not roots but weighted sums of the components by size. Numbers have 10
 * bits. The level is the logarithm of the length.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LEVEL_ONE 256.0f /* a level has 8 fraction bits */

/* The logarithm of 1 + i / 256, in 256ths, as read from an H200. */
static const uint8_t level_fractions[256] = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,
    27,  28,  30,  31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,
    52,  53,  54,  55,  57,  58,  59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,
    75,  76,  77,  78,  79,  81,  82,  83,  84,  85,  86,  88,  89,  90,  91,  92,  93,  94,  95,
    97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116,
    117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136,
    137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154,
    155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172,
    173, 173, 174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188,
    189, 190, 191, 192, 193, 194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205,
    205, 206, 207, 208, 209, 210, 210, 211, 212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220,
    221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229, 229, 230, 231, 232, 233, 233, 234, 235,
    236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245, 246, 247, 248, 248, 249,
    250, 251, 251, 252, 253, 253, 254, 255, 255,
};

/* The first 10 bits of a number. */
static inline float gradient_short(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= 0xFFFFC000;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float gradient_length(const float v[3]) {
    float x = fabsf(v[0]), y = fabsf(v[1]), z = fabsf(v[2]);
    float most = fmaxf(fmaxf(x, y), z), least = fminf(fminf(x, y), z);
    float middle = fmaxf(fminf(x, y), fminf(fmaxf(x, y), z));
    return most + middle * (11.0f / 32) + least * (1.0f / 4);
}

/* The gradients' longer radius, in texels. */
static inline float gradient_radius(const float u[3], const float v[3]) {
    float a[3], b[3], sum[3], difference[3];
    for (int i = 0; i < 3; i++) {
        a[i] = gradient_short(u[i]), b[i] = gradient_short(v[i]);
        sum[i] = gradient_short(a[i] + b[i]), difference[i] = gradient_short(a[i] - b[i]);
    }
    float across = fmaxf(gradient_length(sum), gradient_length(difference)) * (11.0f / 16);
    return fmaxf(fmaxf(gradient_length(a), gradient_length(b)), across);
}

/* The level whose texels are as long as the radius. */
static inline float gradient_level(const float u[3], const float v[3]) {
    float radius = gradient_radius(u, v);
    uint32_t bits;
    memcpy(&bits, &radius, sizeof bits);
    int exponent = (int)(bits >> 23) - 127;
    return (float)exponent + (float)level_fractions[bits >> 15 & 255] / LEVEL_ONE;
}
