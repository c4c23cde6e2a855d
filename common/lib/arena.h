/*
 * arena.h: memory that is freed all at once. What is parsed together lives and dies together.
 */
#ifndef SIMT_ARENA_H
#define SIMT_ARENA_H

#include <stddef.h>

struct arena;

/* A new, empty arena. Like all below, it ends the program where there is no memory (memory.h). */
struct arena *arena_new(void);
/* Free the arena and everything in it. NULL is allowed. */
void arena_free(struct arena *arena);
/* size zeroed bytes, aligned for any type */
void *arena_alloc(struct arena *arena, size_t size);
/* count zeroed elements of size bytes each. */
void *arena_array(struct arena *arena, size_t count, size_t size);
/* A NUL-terminated copy of length bytes of text. */
char *arena_string(struct arena *arena, const char *text, size_t length);

#endif
