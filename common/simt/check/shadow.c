/*
 * check/shadow.c: shadow memory.
 *
 *      memory    | b0 b1 b2 b3 | b4 b5 b6 b7 | ...        size bytes
 *      written     1  1  1  1    0  0  0  0               a bit for each byte: was it written?
 *      last        struct access struct access            for each 4 bytes: who wrote them last?
 *      ...                                                and the other kinds of enum last_access
 *
 * All are pages of zeros. The system provides a page when it is touched, so memory that no kernel
 * accesses costs nothing. No word is ever cleared: what happened before a grid, or before a block
 * that has the shared memory now, has an earlier epoch than the grid's or block's start, and is
 * ordered by that.
 */
#include "check.h"

#include "lib/memory.h"
#include "simt/decode/decode.h"
#include "simt/machine/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool is_enabled;

void check_enable(void) {
    is_enabled = true;
    decode_watch = check_decode;
}

bool check_enabled(void) {
    return is_enabled;
}

/* ---- Bits ---- */

/* Set n bits from bit `from` on: within one byte at once, else whole bytes in the middle. */
void bits_set(uint8_t *bits, size_t from, size_t n) {
    size_t end = from + n;
    if (from % 8 + n <= 8) {
        bits[from / 8] |= (uint8_t)(((1u << n) - 1) << from % 8);
        return;
    }
    for (; from < end && from % 8; from++) bits[from / 8] |= (uint8_t)(1u << from % 8);
    if (from < end) memset(bits + from / 8, 0xFF, (end - from) / 8);
    for (from += (end - from) / 8 * 8; from < end; from++)
        bits[from / 8] |= (uint8_t)(1u << from % 8);
}

void bits_clear(uint8_t *bits, size_t at) {
    bits[at / 8] &= (uint8_t) ~(1u << at % 8);
}

/* Is one of the n bits set? */
bool bits_any(const uint8_t *bits, size_t from, size_t n) {
    if (from % 8 + n <= 8) return bits[from / 8] >> from % 8 & ((1u << n) - 1);
    for (size_t i = from; i < from + n; i++)
        if (bits[i / 8] >> i % 8 & 1) return true;
    return false;
}

/* ---- Shadows ---- */

/* Address space that gets memory when it is touched. */
static void *zero_pages(size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return need(pages == MAP_FAILED ? NULL : pages);
}

/* A shadow of size bytes. written: all of it counts as written, so there are no bits. words: look
 * for races. */
void shadow_open(struct shadow *shadow, size_t size, bool written, bool words) {
    memset(shadow, 0, sizeof *shadow);
    shadow->size = size;
    shadow->mapped_bits = written ? 0 : size / 8 + 1;
    shadow->nwords = words ? size / WORD_BYTES + 2 : 0;
    shadow->mapped_words = LAST_ACCESSES * shadow->nwords * sizeof *shadow->last;
    if (!written) shadow->written = zero_pages(shadow->mapped_bits);
    if (words) shadow->last = zero_pages(shadow->mapped_words);
}

void shadow_close(struct shadow *shadow) {
    if (shadow->written) munmap(shadow->written, shadow->mapped_bits);
    if (shadow->last) munmap(shadow->last, shadow->mapped_words);
    if (shadow->ordered) munmap(shadow->ordered, shadow->mapped_ordered);
    memset(shadow, 0, sizeof *shadow);
}

void shadow_open_order(struct shadow *shadow) {
    if (shadow->ordered) return;
    shadow->mapped_ordered = (shadow->size / WORD_BYTES + 2) * sizeof *shadow->ordered;
    shadow->ordered = zero_pages(shadow->mapped_ordered);
}

void shadow_mark(struct shadow *shadow, size_t from, size_t size) {
    if (shadow->written) bits_set(shadow->written, from, size);
}

bool shadow_written(const struct shadow *shadow, size_t from, size_t size) {
    return !shadow->written || bits_any(shadow->written, from, size);
}

/* Does the allocation's memory count as written from the start? Variables have their values, and
 * memory that the host reaches may have been written unseen. Only cudaMalloc and device malloc give
 * memory with unknown contents. */
static bool begins_written(const struct allocation *allocation) {
    return allocation->kind != ALLOC_DEVICE && allocation->kind != ALLOC_DEVICE_HEAP;
}

/* Host memory that the checker may take for each byte that kernels touch, with the byte itself: the
 * last write and the last read of four bytes. Most arrays take less, few more. */
#define COST_OF_BYTE (1 + 2 * sizeof(struct access) / WORD_BYTES)

/* Say, once, that so much memory may be more than the machine has: it would be killed without a
 * word. */
static void warn_of_memory(size_t more) {
    static size_t bytes;
    static bool warned;
    size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    bytes += more;
    if (warned || bytes < machine / COST_OF_BYTE) return;
    warned = true;
    report_note("--check takes about %zu bytes of memory for each byte that kernels touch: for all "
                "%zu MB of the program's arrays that is more than this machine's %zu MB. Try it on "
                "a smaller problem",
                COST_OF_BYTE, bytes >> 20, machine >> 20);
}

/* The allocation frees its shadow: memory_free() calls on_free. */
struct shadow *shadow_of(struct allocation *allocation) {
    if (allocation->shadow) return allocation->shadow;
    struct shadow *shadow = need(malloc(sizeof *shadow));
    warn_of_memory(allocation->size);
    shadow_open(shadow, allocation->size, begins_written(allocation),
                allocation->kind != ALLOC_CONST_VAR);
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

bool check_is_written(uintptr_t address, size_t size) {
    struct allocation *in = is_enabled ? memory_find(address, size) : NULL;
    return !in || shadow_written(shadow_of(in), address - in->address, size);
}

/* Number of bytes from `at` on that are written, or that are not; at most up to `end`. */
static size_t run_length(const uint8_t *bits, size_t at, size_t end, bool written) {
    size_t n = 0;
    while (at + n < end && bits_any(bits, at + n, 1) == written) n++;
    return n;
}

/* Only the written parts of the source are marked in the target. Unwritten parts leave the target's
 * marks as they were. */
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
