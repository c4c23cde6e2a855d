/*
 * explore/fill.h: arrays that need not be written down byte by byte: all bytes equal, or what
 * initialData of common.h makes, random ints or floats.
 */
#pragma once

#include <stdint.h>
#include <string.h>

enum array_fill { FILL_NONE, FILL_BYTE, FILL_INTS, FILL_FLOATS };

/* Element i of a generated array; *state is the seed at first. As nextRandom in common.h. */
static inline uint32_t fill_next(enum array_fill fill, uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    uint32_t value = (uint32_t)((z ^ (z >> 31)) >> 56), bits;
    float number = (float)value / 10.0f;
    memcpy(&bits, &number, sizeof bits);
    return fill == FILL_INTS ? value : bits;
}
