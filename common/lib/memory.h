/* memory.h: memory that a program cannot go on without. Only the CUDA API is asked for memory that may be lacking; it
 * returns cudaErrorMemoryAllocation. */
#ifndef LIB_MEMORY_H
#define LIB_MEMORY_H

#include <stddef.h>

enum { OUT_OF_MEMORY = 2 }; /* the exit status: as after a wrong option, nothing was found out */

/* What malloc, calloc, realloc, strdup, open_memstream and their like have returned. NULL ends the program with
 * "NAME: out of memory" (die.h). */
void *need(void *memory);

/* The text in memory of its own; the caller frees it. */
char *need_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
