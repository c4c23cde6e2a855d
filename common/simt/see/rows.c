/*
 * see/rows.c: what events name by number: texts, each kept once, as most occur again and again. The
 * values of a warp's lanes:
 *
 *   7              all lanes have 7
 *   256+4          lane l has 256 + 4 l, in the register's width
 *   1,,5           lane by lane; empty: the lane was not asked
 *   =AAECAw..      lane by lane: 32 words of 4 or of 8 bytes, little-endian, in base64
 *   p255           a predicate: the mask of the lanes in which it holds
 *
 * Numbers are the register's bits, without sign, in decimal.
 */
#include "see.h"

#include "lib/json.h"
#include "lib/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROW_TEXT (WARP_SIZE * 21 + 1)

static char **texts;
static uint32_t ntexts, capacity;
static size_t bytes;    /* of all texts */
static uint32_t *table; /* by hash: a text's number + 1; 0: none */
static uint32_t table_size;

/* ---- Texts, each once ---- */

/* FNV-1a, 64 bits. */
static uint64_t hash_of_row(const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 1099511628211u;
    return hash;
}

static uint32_t *row_slot(const char *text) {
    uint32_t i = (uint32_t)hash_of_row(text) & (table_size - 1);
    while (table[i] && strcmp(texts[table[i] - 1], text) != 0) i = (i + 1) & (table_size - 1);
    return &table[i];
}

/* The table stays half empty at least. */
static void rows_grow(void) {
    capacity = capacity ? 2 * capacity : 1024;
    texts = need(realloc(texts, capacity * sizeof *texts));
    free(table);
    table_size = 2 * capacity;
    table = need(calloc(table_size, sizeof *table));
    for (uint32_t i = 0; i < ntexts; i++) *row_slot(texts[i]) = i + 1;
}

uint32_t see_text(const char *text) {
    if (ntexts == capacity) rows_grow();
    uint32_t *slot = row_slot(text);
    if (*slot) return *slot - 1;
    texts[ntexts] = need(strdup(text));
    bytes += strlen(text) + 3;
    *slot = ++ntexts;
    return ntexts - 1;
}

size_t see_rows_bytes(void) {
    return bytes;
}

/* An empty text keeps its place: no other one is found there. */
void see_rows_keep(const bool *used) {
    for (uint32_t i = 0; i < ntexts; i++) {
        if (used[i]) continue;
        bytes -= strlen(texts[i]);
        *texts[i] = '\0';
    }
}

const char *const *see_rows(uint32_t *n) {
    *n = ntexts;
    return (const char *const *)texts;
}

/* ---- Values ---- */

static uint64_t lane_of(const void *row, unsigned width, int lane) {
    return width == 8 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

/* The lanes as first + lane * step, which wraps around at the width. The two lowest lanes of mask
 * say which step. */
static bool is_affine(const void *row, unsigned width, uint32_t mask, uint64_t *first,
                      int64_t *step) {
    uint64_t bits = width == 8 ? UINT64_MAX : UINT32_MAX;
    uint32_t others = mask & (mask - 1);
    int a = __builtin_ctz(mask), b = others ? __builtin_ctz(others) : a + 1;
    uint64_t apart = others ? lane_of(row, width, b) - lane_of(row, width, a) : 0;
    int64_t distance = width == 8 ? (int64_t)apart : (int32_t)apart;
    *step = distance / (b - a);
    *first = (lane_of(row, width, a) - (uint64_t)*step * (uint64_t)a) & bits;
    for (int l = a; l < WARP_SIZE; l++)
        if (mask >> l & 1 &&
            lane_of(row, width, l) != ((*first + (uint64_t)*step * (uint64_t)l) & bits))
            return false;
    return true;
}

static void list(const void *row, unsigned width, uint32_t mask, char *text) {
    for (int l = 0; l < WARP_SIZE; l++) {
        if (mask >> l & 1) text += sprintf(text, "%" PRIu64, lane_of(row, width, l));
        if (!(mask >> l >> 1)) return;
        *text++ = ',';
    }
}

/* Lane by lane, in the shorter way. Lanes outside the mask are left out of a list alone. */
static void spell(const void *row, unsigned width, uint32_t mask, char *text) {
    char packed[MAX_ROW_TEXT];
    list(row, width, mask, text);
    if (mask != UINT32_MAX) return;
    *packed = '=';
    json_base64(row, (size_t)width * WARP_SIZE, packed + 1);
    if (strlen(packed) < strlen(text)) strcpy(text, packed);
}

uint32_t see_row(const void *row, unsigned width, uint32_t mask) {
    char text[MAX_ROW_TEXT] = "";
    uint64_t first;
    int64_t step;
    if (width == 0)
        sprintf(text, "p%u", *(const uint32_t *)row & mask);
    else if (mask && is_affine(row, width, mask, &first, &step))
        sprintf(text, step ? "%" PRIu64 "+%" PRId64 : "%" PRIu64, first, step);
    else
        spell(row, width, mask, text);
    return see_text(text);
}
