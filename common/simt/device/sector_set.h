/* device/sector_set.h: a growing map from 64-bit keys to 32-bit words, for the time model. */
#ifndef SIMT_DEVICE_SECTOR_SET_H
#define SIMT_DEVICE_SECTOR_SET_H

#include <stdint.h>

struct sector_set {
    uint64_t *keys; /* + 1; 0: empty */
    uint32_t *values;
    uint32_t n, slots; /* slots: 0 or a power of two */
};

/* The word that belongs to key, 0 when it is new. Good until the next call. */
uint32_t *sector_set_find(struct sector_set *set, uint64_t key);
void sector_set_free(struct sector_set *set);

#endif
