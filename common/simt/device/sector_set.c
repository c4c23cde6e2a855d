/* device/sector_set.c: open addressing of rows, at most half full. */
#include "sector_set.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 16
#define NEIGHBOURS 8 /* rows that follow each other lie side by side */

static struct sector_row *place_of_row(const struct sector_set *set, uint64_t row) {
    uint64_t hash = row / NEIGHBOURS * 0x9E3779B97F4A7C15ull >> 32;
    uint32_t i = (uint32_t)(hash * NEIGHBOURS + row % NEIGHBOURS) & (set->size - 1);
    while (set->rows[i].key && set->rows[i].key != row + 1) i = (i + 1) & (set->size - 1);
    return &set->rows[i];
}

static void sector_set_grow(struct sector_set *set) {
    struct sector_set wider = *set;
    wider.size = set->size ? 2 * set->size : FIRST_SIZE;
    wider.rows = need(calloc(wider.size, sizeof *wider.rows));
    for (uint32_t i = 0; i < set->size; i++)
        if (set->rows[i].key) *place_of_row(&wider, set->rows[i].key - 1) = set->rows[i];
    free(set->rows);
    wider.last = NULL;
    *set = wider;
}

struct sector_row *sector_set_make_row(struct sector_set *set, uint64_t number) {
    if (set->last && set->last->key == number + 1) return set->last;
    if (2 * set->nrows >= set->size) sector_set_grow(set);
    struct sector_row *row = set->last = place_of_row(set, number);
    set->nrows += !row->key;
    row->key = number + 1;
    return row;
}

uint32_t *sector_set_find(struct sector_set *set, uint64_t key) {
    return sector_row_word(set, sector_set_make_row(set, key / SECTOR_ROW), key % SECTOR_ROW);
}

const struct sector_row *sector_set_row(const struct sector_set *set, uint64_t number) {
    const struct sector_row *row = set->n ? place_of_row(set, number) : NULL;
    return row && row->key ? row : NULL;
}

const uint32_t *sector_set_known(const struct sector_set *set, uint64_t key) {
    const struct sector_row *row = sector_set_row(set, key / SECTOR_ROW);
    return row && row->known >> key % SECTOR_ROW & 1 ? &row->words[key % SECTOR_ROW] : NULL;
}

const uint32_t *sector_set_next(const struct sector_set *set, uint64_t *at, uint64_t *key) {
    for (; *at < (uint64_t)set->size * SECTOR_ROW; (*at)++) {
        const struct sector_row *row = &set->rows[*at / SECTOR_ROW];
        uint32_t i = *at % SECTOR_ROW;
        if (!(row->known >> i)) *at += SECTOR_ROW - 1 - i;
        if (!(row->known >> i & 1)) continue;
        *key = (row->key - 1) * SECTOR_ROW + i;
        (*at)++;
        return &row->words[i];
    }
    return NULL;
}

void sector_set_free(struct sector_set *set) {
    free(set->rows);
    memset(set, 0, sizeof *set);
}
