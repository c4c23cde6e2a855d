/*
 * check/shadow.c: shadow memory.
 *
 * A bit per byte says that the byte was written; a struct word per word of 4 bytes, who accessed it last. Both are
 * pages of zeros that the system gives only where they are touched, so memory that no kernel accesses costs nothing. No
 * word is ever cleared: what happened before a grid, or before a block that has the shared memory now, has an earlier
 * moment than the grid's or block's start, and is ordered by that.
 */
#include "check.h"

#include "lib/memory.h"
#include "simt/decode/decode.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool is_enabled;

void check_enable(void) {
    is_enabled = true;
    decode_watch = check_decode;
}

bool check_enabled(void) {
    return is_enabled;
}

/* ---- Bits ---- */

void bits_set(uint8_t *bits, size_t from, size_t n) {
    size_t end = from + n;
    if (from % 8 + n <= 8) {
        bits[from / 8] |= (uint8_t)(((1u << n) - 1) << from % 8);
        return;
    }
    for (; from < end && from % 8; from++) bits[from / 8] |= (uint8_t)(1u << from % 8);
    if (from < end) memset(bits + from / 8, 0xFF, (end - from) / 8);
    for (from += (end - from) / 8 * 8; from < end; from++) bits[from / 8] |= (uint8_t)(1u << from % 8);
}

void bits_clear(uint8_t *bits, size_t at) {
    bits[at / 8] &= (uint8_t) ~(1u << at % 8);
}

bool bits_any(const uint8_t *bits, size_t from, size_t n) {
    if (from % 8 + n <= 8) return bits[from / 8] >> from % 8 & ((1u << n) - 1);
    for (size_t i = from; i < from + n; i++)
        if (bits[i / 8] >> i % 8 & 1) return true;
    return false;
}

/* ---- Shadows ---- */

static void *zero_pages(size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return need(pages == MAP_FAILED ? NULL : pages);
}

/* written: all of it counts as written; words: look for races. */
void shadow_open(struct shadow *shadow, size_t size, bool written, bool words) {
    memset(shadow, 0, sizeof *shadow);
    shadow->size = size;
    shadow->mapped_bits = written ? 0 : size / 8 + 1;
    shadow->mapped_words = words ? (size / WORD_BYTES + 2) * sizeof *shadow->words : 0;
    if (!written) shadow->written = zero_pages(shadow->mapped_bits);
    if (words) shadow->words = zero_pages(shadow->mapped_words);
}

void shadow_close(struct shadow *shadow) {
    if (shadow->written) munmap(shadow->written, shadow->mapped_bits);
    if (shadow->words) munmap(shadow->words, shadow->mapped_words);
    memset(shadow, 0, sizeof *shadow);
}

void shadow_mark(struct shadow *shadow, size_t from, size_t size) {
    if (shadow->written) bits_set(shadow->written, from, size);
}

bool shadow_written(const struct shadow *shadow, size_t from, size_t size) {
    return !shadow->written || bits_any(shadow->written, from, size);
}

/* Only what cudaMalloc and device malloc give begins without a value that anybody knows of: variables have theirs, and
 * what the host reaches too it may have written unseen. */
static bool begins_written(const struct allocation *allocation) {
    return allocation->kind != ALLOC_DEVICE && allocation->kind != ALLOC_DEVICE_HEAP;
}

struct shadow *shadow_of(struct allocation *allocation) {
    if (allocation->shadow) return allocation->shadow;
    struct shadow *shadow = need(malloc(sizeof *shadow));
    shadow_open(shadow, allocation->size, begins_written(allocation), allocation->kind != ALLOC_CONST_VAR);
    allocation->shadow = shadow;
    allocation->on_free = check_forget;
    return shadow;
}

void check_forget(struct allocation *allocation) {
    if (!allocation->shadow) return;
    shadow_close(allocation->shadow);
    free(allocation->shadow);
    allocation->shadow = NULL;
}

/* ---- The host's side ---- */

void check_host_wrote(uintptr_t address, size_t size) {
    struct allocation *allocation = is_enabled ? memory_find(address, size) : NULL;
    if (allocation) shadow_mark(shadow_of(allocation), address - allocation->address, size);
}

/* Bytes from `at` on that are alike in being written or not, at most up to `end`. */
static size_t run_length(const uint8_t *bits, size_t at, size_t end, bool written) {
    size_t n = 0;
    while (at + n < end && bits_any(bits, at + n, 1) == written) n++;
    return n;
}

void check_host_copied(uintptr_t to, uintptr_t from, size_t size) {
    struct allocation *source = is_enabled ? memory_find(from, size) : NULL;
    const struct shadow *shadow = source ? shadow_of(source) : NULL;
    if (!shadow || !shadow->written) {
        check_host_wrote(to, size);
        return;
    }
    size_t start = from - source->address;
    for (size_t at = 0, n; at < size; at += n) {
        bool written = bits_any(shadow->written, start + at, 1);
        n = run_length(shadow->written, start + at, start + size, written);
        if (written) check_host_wrote(to + at, n);
    }
}
