/*
 * machine/trace.h: what some blocks of a launch did, warp by warp, for the time model to replay.
 *
 * A few blocks, chosen by their index alone, write down which basic blocks each of their warps
 * entered and what its memory accesses touched; all others run as if there were no trace. The
 * instructions themselves are in the kernel's uop lists (machine/uops.h). A warp's trace:
 *
 *   enters     tally, 0     tally, 2                tally, 3     a basic block, its first access
 *                |            `---------------.       `------.
 *   accesses   [0] load     [1] shared      [2] store      [3] ...
 *                |                            |
 *   sectors    .. .. .. ..                  .. ..                   only of global and local memory
 */
#pragma once

#include "simt/device/memory.h"
#include "simt/device/sector_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel;
struct launch_shape;
struct ptx_insn;
struct tally;

enum access_kind {
    ACCESS_LOAD, /* global */
    ACCESS_STORE,
    ACCESS_ATOM, /* with a result */
    ACCESS_RED,
    ACCESS_TEXTURE, /* and loads of surfaces */
    ACCESS_LOCAL_LOAD,
    ACCESS_LOCAL_STORE,
    ACCESS_SHARED, /* from here on without sectors */
    ACCESS_CONST,
    ACCESS_BARRIER,
    ACCESS_MALLOC, /* calls of the device's runtime: count threads make them */
    ACCESS_FREE,
    ACCESS_PRINT,
    ACCESS_MATCH /* match.any: a pass for each value */
};

enum traced_flag {
    ACCESS_PARTIAL = 1,   /* some sectors only in part */
    ACCESS_RESULT = 2,    /* a thread waits for what comes back */
    ACCESS_LEAVES = 4,    /* a barrier that does not hold the warp: bar.arrive */
    ACCESS_HOST = 8,      /* memory of the host */
    ACCESS_PEER = 16,     /* memory of another device */
    ACCESS_ONE_WORD = 32, /* an atomic of all its threads on one word */
    ACCESS_RETRIED = 64,  /* the same, repeated until it has success */
    ACCESS_SELECTS = 128  /* or until another thread's value is better; or the load before */
};

/* in the flags of an atomic: turns that its sectors take in the L2 */
#define ACCESS_PASSES_SHIFT 8
#define ONE_PASS            (1 << ACCESS_PASSES_SHIFT)

#define SLICE_LINES 4 /* neighbours in one slice of the L2: 512 bytes */
#define SECTOR_SHARED                                                                              \
    (1ull << 63) /* on a sector: more than one of the traced blocks touched it                     \
                  */

/* A warp enters the basic block of this tally. */
struct traced_enter {
    uint32_t tally;
    uint32_t access; /* its first one in accesses[] */
    uint32_t lanes;  /* that enter */
};

struct traced_access {
    const struct ptx_insn *insn;
    uint64_t *sectors; /* count of them, each once; NULL: of a kind without */
    uint32_t count; /* without sectors: the passes, or for a barrier the threads that it waits for
                       (0: all) */
    union {
        uint32_t width; /* bytes of a thread, as the replay knows from machine code; 0: not known */
        uint32_t place; /* of an atomic in shared memory: the word of its first thread */
    };
    uint8_t kind;      /* enum access_kind */
    uint8_t least;     /* sectors, or passes, that would do for the bytes asked for */
    uint16_t flags;    /* enum traced_flag, and passes << ACCESS_PASSES_SHIFT */
    bool stores;       /* as the replay knows from the uop */
    bool first;        /* as the replay knows: of a block that needed to wait for no place */
    bool side_by_side; /* its sectors count as neighbours, wherever they are (time/without.h) */
};

/* The sectors of accesses lie in chunks that stay where they are. */
struct sector_chunk {
    struct sector_chunk *before;
    uint32_t n, capacity;
    uint64_t sectors[];
};

/* What one warp did, in the order in which things happened. */
struct warp_trace {
    struct block_trace *block;
    struct traced_enter *enters;
    struct traced_access *accesses;
    struct sector_chunk *chunk; /* the newest */
    uint32_t nenters, naccesses, enter_capacity, access_capacity;
    uint32_t size;   /* what bounds it: 1 for each enter, 2 and its sectors for each access */
    bool full;       /* more happened than was written down */
    uint32_t looked; /* enters up to here have no rounds of waiting any more */
};

struct block_trace {
    uint64_t index; /* of the block in its grid */
    uint32_t nwarps;
    struct warp_trace *warps;
    struct sector_set touched; /* of lines of global memory: bits of the sectors touched, and of
                                  those loaded << 4 */
    uint32_t loaded;           /* different sectors */
    uint32_t stored;           /* sectors of all stores and atomics */
    bool to_host;              /* some of it in the host's memory, which footprints leave out */
    double issues;             /* machine instructions, as the time model knows */
    double spun;               /* machine instructions that were taken out: trace_waited() */
    uint64_t longest;          /* of its warps, in instructions (struct warp's inst) */
};

struct trace {
    uint64_t blocks; /* of the grid */
    uint64_t stride; /* every stride-th block is traced, and the last */
    uint32_t n;      /* traced blocks */
    uint32_t warps_per_block;
    struct block_trace *traced; /* in the order of their indices */
    struct tally *tallies;      /* how often all blocks of the grid were entered, after it */
    uint32_t left;              /* traced blocks that have not ended. Atomic */
    uint64_t longest;           /* block's longest, of all blocks of the grid, after it */
    uint64_t polls;             /* looks of all blocks at what others may change */
    /* Of a traced block, on average, after trace_finish() */
    double sectors_per_block;  /* distinct ones that it loads */
    double paired_per_block;   /* the same with those that the DRAM gives with them */
    double stores_per_block;   /* sectors of all its stores and atomics */
    uint64_t replayed_sectors; /* distinct ones that all traced blocks together touch */
    double in_step;            /* of the lines that blocks share: the part that they first load at
                                  about the same point of their work, 0 to 1 */
    bool apart;                /* they share none */
    /* of SLICE_LINES lines: how many traced blocks touch them, and << 16 what trace_finish() needs
     */
    struct sector_set sharers;
    uint32_t compared; /* traced blocks */
    uint64_t hash;     /* of what the blocks did; 0: not known */
};

/* Choose the blocks of a grid to trace. */
void trace_open(struct trace *trace, const struct launch_shape *shape);
/* Which of n traced blocks is the i-th to replay. */
uint32_t trace_replayed(uint32_t n, uint64_t i);
/* Free it. */
void trace_close(struct trace *trace);
/* The trace of a block that is about to start; NULL: it is not traced. Called once for each block,
 * by any worker's thread. */
struct block_trace *trace_block(struct trace *trace, uint64_t index);
/* The block with this index has ended. True: it was the last of the traced ones. Called by any
 * worker's thread. */
bool trace_ended(struct trace *trace, uint64_t index);
/* The index of the block that comes at this turn, if traced blocks come first. Both parts are in
 * ascending order. */
uint64_t trace_turn(const struct trace *trace, uint64_t turn);
/* What the block looked at has changed since its last turn (trace_spins.c). */
void trace_waited(struct block_trace *block, const struct kernel *kernel);
/* After the last traced block: find what the traced blocks share. */
void trace_finish(struct trace *trace);

/* Write down that these lanes of the warp enter the basic block of this tally. After the trace is
 * full, this and the next two do nothing. */
void trace_enter(struct warp_trace *trace, uint32_t tally, uint32_t lanes);
/* Write down an access to these sectors, by lanes that asked for so many different bytes. Sectors
 * may repeat; the trace has each once. */
void trace_sectors(struct warp_trace *trace, const struct ptx_insn *insn, enum access_kind kind,
                   uint32_t flags, const uint64_t *sectors, uint32_t n, uint32_t asked);
/* Write down an access without sectors: passes through shared or constant memory, and the least
 * that would do, or a barrier's thread count. */
void trace_passes(struct warp_trace *trace, const struct ptx_insn *insn, enum access_kind kind,
                  uint32_t flags, uint32_t passes, uint32_t least);
/* The same of an atomic in shared memory at this place. */
void trace_atomic(struct warp_trace *trace, const struct ptx_insn *insn, uint32_t flags,
                  uint32_t passes, uint32_t place);

/* The sectors from number *i on that lie in one line: their bits, bit 0 for the line's first; *i is
 * stepped after them. */
static inline uint32_t trace_line_bits(const uint64_t *sectors, uint32_t n, uint32_t *i) {
    uint64_t line = sectors[*i] / LINE_SECTORS;
    uint32_t bits = 0;
    for (; *i < n && sectors[*i] / LINE_SECTORS == line; ++*i)
        bits |= 1u << sectors[*i] % LINE_SECTORS;
    return bits;
}

/* Where the accesses of enters[at] begin in accesses[]; at may be nenters: the end of all. */
static inline uint32_t trace_accesses_at(const struct warp_trace *trace, uint32_t at) {
    return at < trace->nenters ? trace->enters[at].access : trace->naccesses;
}
