/* device/sector_set.h: a growing map from 64-bit keys to 32-bit words, for the time model. */
#pragma once

#include <stdint.h>

/* Place i of the table is empty where its key is 0. */
struct sector_set {
    struct sector_slot {
        uint64_t key; /* + 1 */
        uint32_t value;
    } * slots;
    uint32_t n, size; /* keys; slots: 0 or a power of two */
};

/* The word that belongs to key, 0 when it is new. Good until the next call. */
uint32_t *sector_set_find(struct sector_set *set, uint64_t key);
/* The same of a key that is there; NULL: it is not. */
uint32_t *sector_set_known(struct sector_set *set, uint64_t key);
void sector_set_free(struct sector_set *set);
