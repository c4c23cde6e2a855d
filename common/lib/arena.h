/* arena.h: an allocator whose memory is freed all at once, for what is parsed together. */
#pragma once

#include <stddef.h>

struct arena;

/* A new, empty arena. Without memory this function and those below end the program (memory.h). */
struct arena *arena_new(void);
/* Free the arena and everything in it. NULL is allowed. */
void arena_free(struct arena *arena);
/* size zeroed bytes, aligned for any type. They live as long as the arena. */
void *arena_alloc(struct arena *arena, size_t size);
/* count zeroed elements of size bytes each. */
void *arena_array(struct arena *arena, size_t count, size_t size);
/* A NUL-terminated copy of length bytes of text. */
char *arena_string(struct arena *arena, const char *text, size_t length);
