/*
 * damage.h: random damage for files and texts that a reader must survive.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The same numbers in every run. xorshift: G. Marsaglia, "Xorshift RNGs", 2003. */
static inline uint64_t next_random(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Overwrite three of the size bytes. */
static inline void damage_bytes(void *bytes, size_t size) {
    for (int n = 0; n < 3; n++) ((uint8_t *)bytes)[next_random() % size] = (uint8_t)next_random();
}
