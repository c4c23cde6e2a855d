/* arena.c: a bump allocator over a chain of chunks. */
#include "arena.h"

#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES     ((size_t)64 << 10) /* of the first chunk; each next one doubles */
#define CHUNK_MAX_BYTES ((size_t)4 << 20)
#define ALIGNMENT       16u

struct chunk {
    struct chunk *next;
    size_t size, used; /* bytes of data */
    _Alignas(ALIGNMENT) unsigned char data[];
};

struct arena {
    struct chunk *chunks; /* newest first */
};

struct arena *arena_new(void) {
    return need(calloc(1, sizeof(struct arena)));
}

void arena_free(struct arena *arena) {
    if (!arena) return;
    for (struct chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

void *arena_alloc(struct arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) need(NULL);
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->chunks || arena->chunks->size - arena->chunks->used < size) {
        /* Put a chunk in front that has room for size bytes. calloc: fresh pages come zeroed
         * without being touched. */
        size_t bytes = arena->chunks ? arena->chunks->size * 2 : CHUNK_BYTES;
        if (bytes > CHUNK_MAX_BYTES) bytes = CHUNK_MAX_BYTES;
        if (bytes < size) bytes = size;
        struct chunk *chunk = need(calloc(1, sizeof *chunk + bytes));
        chunk->size = bytes;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    void *memory = arena->chunks->data + arena->chunks->used;
    arena->chunks->used += size;
    return memory;
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) need(NULL);
    return arena_alloc(arena, count * size);
}

char *arena_string(struct arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}
