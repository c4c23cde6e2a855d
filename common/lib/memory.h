/* memory.h: sizes, hashes, and allocations that must not fail. The CUDA API does not use it for
 * what a program asks for: there the program gets cudaErrorMemoryAllocation. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The smallest multiple of unit that is not below value. */
static inline uint64_t round_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* The greatest common divisor. */
static inline size_t gcd(size_t a, size_t b) {
    return b ? gcd(b, a % b) : a;
}

enum { OUT_OF_MEMORY = 2 }; /* exit status; 1 would mean a difference or a wrong result */

/* Returns memory, the result of malloc, calloc, realloc, strdup or open_memstream. NULL ends the
 * program with "NAME: out of memory" (die.h). */
void *need(void *memory);

/* The formatted text in new memory, which the caller frees. */
char *need_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The FNV-1a hash (Fowler, Noll, Vo), 64 bits, of what was hashed before and these bytes; begin
 * with HASH_START. */
#define HASH_START UINT64_C(0xCBF29CE484222325)
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
    for (const unsigned char *byte = data, *end = byte + size; byte < end; byte++)
        hash = (hash ^ *byte) * 0x100000001B3u;
    return hash;
}
