/* device/sector_set.h: a growing map from 64-bit keys to 32-bit words, for the time model. */
#pragma once

#include <stdint.h>

#define SECTOR_ROW 16 /* keys that lie side by side, as they mostly come in a row */

/* A row of the table is empty where its key is 0. */
struct sector_set {
    struct sector_row {
        uint64_t key;   /* of its first word / SECTOR_ROW, + 1 */
        uint32_t known; /* bit by word: its key is there */
        uint32_t words[SECTOR_ROW];
    } * rows;
    struct sector_row *last; /* that was found or made; NULL: none */
    uint32_t n;              /* keys */
    uint32_t nrows, size;    /* rows in use; in the table: 0 or a power of two */
};

/* The word that belongs to key, 0 when it is new. Good until the next call. */
uint32_t *sector_set_find(struct sector_set *set, uint64_t key);
/* The same of a key that is there; NULL: it is not. */
const uint32_t *sector_set_known(const struct sector_set *set, uint64_t key);
/* The row of the keys from number * SECTOR_ROW on, an empty one when it is new. Good until the next
 * call. */
struct sector_row *sector_set_make_row(struct sector_set *set, uint64_t number);
/* Word i of the set's row, which is there from now on. */
static inline uint32_t *sector_row_word(struct sector_set *set, struct sector_row *row,
                                        uint32_t i) {
    set->n += !(row->known >> i & 1);
    row->known |= 1u << i;
    return &row->words[i];
}
/* The row of the keys from number * SECTOR_ROW on; NULL: none of them is there. */
const struct sector_row *sector_set_row(const struct sector_set *set, uint64_t number);
/* The words one after the other, in no order: the one at place *at or the first behind it, from
 * place 0 on. NULL: there is none. */
const uint32_t *sector_set_next(const struct sector_set *set, uint64_t *at, uint64_t *key);
void sector_set_free(struct sector_set *set);
