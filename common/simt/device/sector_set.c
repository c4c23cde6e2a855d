/* device/sector_set.c: open addressing, at most half full. */
#include "sector_set.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024

static uint32_t slot_of(const struct sector_set *set, uint64_t key) {
    uint32_t slot = (uint32_t)(key * 0x9E3779B97F4A7C15ull >> 32) & (set->slots - 1);
    while (set->keys[slot] && set->keys[slot] != key + 1) slot = (slot + 1) & (set->slots - 1);
    return slot;
}

static void grow(struct sector_set *set) {
    struct sector_set wider = {.n = set->n, .slots = set->slots ? 2 * set->slots : FIRST_SLOTS};
    wider.keys = need(calloc(wider.slots, sizeof *wider.keys));
    wider.values = need(calloc(wider.slots, sizeof *wider.values));
    for (uint32_t i = 0; i < set->slots; i++) {
        if (!set->keys[i]) continue;
        uint32_t slot = slot_of(&wider, set->keys[i] - 1);
        wider.keys[slot] = set->keys[i];
        wider.values[slot] = set->values[i];
    }
    sector_set_free(set);
    *set = wider;
}

uint32_t *sector_set_find(struct sector_set *set, uint64_t key) {
    if (2 * set->n >= set->slots) grow(set);
    uint32_t slot = slot_of(set, key);
    if (!set->keys[slot]) {
        set->keys[slot] = key + 1;
        set->n++;
    }
    return &set->values[slot];
}

void sector_set_free(struct sector_set *set) {
    free(set->keys);
    free(set->values);
    memset(set, 0, sizeof *set);
}
