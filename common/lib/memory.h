/* memory.h: sizes, and allocations that must not fail. The CUDA API does not use it for what a
 * program asks for: there the program gets cudaErrorMemoryAllocation. */
#pragma once

#include <stddef.h>

/* The smallest multiple of unit that is not below value. */
static inline size_t round_up(size_t value, size_t unit) {
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
