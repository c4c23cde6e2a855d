/*
 * machine/races.h: do blocks of a launch race in place: does one access what another one stores?
 * Then what they compute depends on the order in which they run. Private to the interpreter.
 *
 * A launch whose kernel loads from and stores to one allocation is watched: the allocation has a
 * map by line of 32 words. The first block that touches a line owns it.
 *
 *   at first   words have 4 bytes, and the map has those that the owner, a second block and all
 *              others loaded and stored; those between a warp's lanes count, too. One that a block
 *              stores and another one touches makes the launch suspect.
 *   exactly    a word is the kernel's smallest access. The owner's words are in the map, others' in
 *              a table of their worker.
 *
 * What a grid stores to is saved before. A suspect grid stops, is undone, and runs again in block
 * order and watched exactly. If blocks raced, the kernel's later launches run in block order, and
 * are not watched.
 */
#pragma once

#include "machine.h"

#define RACE_WORDS_SHIFT 5 /* 32 words of a line */
#define RACE_WORD_SHIFT  2 /* 4 bytes of a word, at first */
#define RACE_LINE_SHIFT  (RACE_WORD_SHIFT + RACE_WORDS_SHIFT)
#define RACE_LAST_WORD   ((1u << RACE_WORDS_SHIFT) - 1)

/* States of a line, as bits. The first two are kept only where it is watched exactly. */
enum race_state {
    RACE_SHARED = 1, /* a block that does not own it touched it */
    RACE_STORED = 2,
    RACE_SAVING = 4,
    RACE_SAVED = 8
};

struct race_line {
    uint32_t owner, second;        /* a block's index plus 1; 0: none. Atomic */
    uint32_t loaded[3], stored[3]; /* words, by enum race_who. Atomic where not the owner's */
    uint8_t state;                 /* Atomic */
};

enum race_who { RACE_OWNER, RACE_SECOND, RACE_OTHERS };

/* Make the line the block's if it is nobody's; *owner is its owner, or the second one. True: the
 * block is that. alone: no other host thread runs blocks. */
static inline bool race_take_line(uint32_t *owner, uint32_t me, bool alone) {
    uint32_t nobody = 0;
    if (alone && !*owner) *owner = me;
    return *owner == me ||
           (!*owner && __atomic_compare_exchange_n(owner, &nobody, me, false, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED));
}

/* What a launch keeps. The workers change suspect and incomplete alone, which are atomic. */
struct races {
    bool exact;
    uint32_t shift;      /* a line has 1 << shift bytes */
    uint32_t word_shift; /* and a word so many */
    bool saves;          /* what the grid stores to is saved */
    uint8_t final_state; /* exactly: the state of a line that its owner may store to at once */
    bool suspect;
    bool incomplete; /* the grid wrote to memory without a map, or so much was shared that it was
                        not written down */
    struct allocation **mapped;
    size_t nmapped;
    struct race_sharer *sharers; /* of all workers that have ended */
    size_t nsharers;
};

struct request;
/* access/races.c: the block accesses words of a line of the allocation, and that is not noted yet.
 */
void races_note(struct warp *w, int kind, const struct alloc_cache *alloc_cache,
                struct race_line *line, uint32_t words);
/* The same, exactly: words of the line. r: the request, whose lanes have the values of a store. */
void races_note_words(struct warp *w, const struct op *op, const struct request *r, int kind,
                      const struct alloc_cache *alloc_cache, struct race_line *line,
                      uint32_t words);

/* A grid begins: make the maps. save: for races_undo(). NULL: it is not watched. */
struct races *races_open(const struct grid *grid, bool save);
/* A worker has ended: take what it noted. */
void races_collect(struct races *races, struct worker *worker);
/* All workers have ended, of a grid that was watched exactly: bytes that one block stored and
 * another one accessed. */
uint64_t races_bytes(struct races *races);
/* Undo all that the grid wrote, from what its workers saved. False: it cannot be undone. */
bool races_undo(struct races *races, struct worker *workers, unsigned n);
void races_close(struct races *races);
void races_worker_close(struct worker *worker);

/* decode/stored.c: the pointers through which a kernel loads and stores. To be freed. */
struct stored;
struct stored *stored_find(const struct kernel *kernel);
/* Call visit for each allocation that a launch with these parameters may store to, or load from. */
void stored_each(const struct stored *stored, const void *params, bool loads,
                 void (*visit)(struct allocation *, void *), void *context);
/* Bytes of the kernel's smallest access to global memory, at most 4. */
uint32_t stored_smallest(const struct stored *stored);
