/* device/sector_set.c: open addressing, at most half full. */
#include "sector_set.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 128
#define NEIGHBOURS 8

/* Keys mostly come in a row, so NEIGHBOURS of them lie side by side. */
static struct sector_slot *sector_slot(const struct sector_set *set, uint64_t key) {
    uint64_t hash = key / NEIGHBOURS * 0x9E3779B97F4A7C15ull >> 32;
    uint32_t i = (uint32_t)(hash * NEIGHBOURS + key % NEIGHBOURS) & (set->size - 1);
    while (set->slots[i].key && set->slots[i].key != key + 1) i = (i + 1) & (set->size - 1);
    return &set->slots[i];
}

static void sector_set_grow(struct sector_set *set) {
    struct sector_set wider = {.n = set->n, .size = set->size ? 2 * set->size : FIRST_SIZE};
    wider.slots = need(calloc(wider.size, sizeof *wider.slots));
    for (uint32_t i = 0; i < set->size; i++)
        if (set->slots[i].key) *sector_slot(&wider, set->slots[i].key - 1) = set->slots[i];
    sector_set_free(set);
    *set = wider;
}

uint32_t *sector_set_find(struct sector_set *set, uint64_t key) {
    if (2 * set->n >= set->size) sector_set_grow(set);
    struct sector_slot *slot = sector_slot(set, key);
    if (!slot->key) {
        slot->key = key + 1;
        set->n++;
    }
    return &slot->value;
}

uint32_t *sector_set_known(struct sector_set *set, uint64_t key) {
    struct sector_slot *slot = set->n ? sector_slot(set, key) : NULL;
    return slot && slot->key ? &slot->value : NULL;
}

void sector_set_free(struct sector_set *set) {
    free(set->slots);
    memset(set, 0, sizeof *set);
}
