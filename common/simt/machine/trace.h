/*
 * machine/trace.h: what some blocks of a launch did, warp by warp, for the time model to replay.
 *
 * A few blocks, chosen by their index alone, write down which basic blocks each of their warps entered and what its
 * memory accesses touched; all others run as if there were no trace. The instructions themselves are in the kernel's
 * uop lists (machine/uops.h). A warp's trace is a row of words:
 *
 *   TRACE_ENTER    tally << 8
 *   TRACE_ACCESS   count << 32 | flags << 16 | kind << 8, the instruction's address, then for global and local accesses
 *                  count sectors, for the others nothing: count is then the passes they took, or for a barrier the
 *                  threads that it waits for (0: all)
 */
#ifndef SIMT_MACHINE_TRACE_H
#define SIMT_MACHINE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch_shape;
struct ptx_insn;

enum { TRACE_ENTER, TRACE_ACCESS };

enum access_kind {
    ACCESS_LOAD, /* global */
    ACCESS_STORE,
    ACCESS_ATOM, /* with a result */
    ACCESS_RED,
    ACCESS_LOCAL_LOAD,
    ACCESS_LOCAL_STORE,
    ACCESS_SHARED, /* from here on without sectors */
    ACCESS_CONST,
    ACCESS_BARRIER
};

enum traced_flag {
    ACCESS_PARTIAL = 1, /* some sectors only in part */
    ACCESS_RESULT = 2,  /* a thread waits for what comes back */
    ACCESS_LEAVES = 4   /* a barrier that does not hold the warp: bar.arrive */
};

#define SECTOR_SHARED (1ull << 63) /* on a sector: more than one of the traced blocks touched it */

/* The words of one warp, in the order in which things happened. */
struct warp_trace {
    uint64_t *words;
    uint32_t n, capacity;
    bool full; /* more happened than was written down */
};

struct block_trace {
    uint64_t index; /* of the block in its grid */
    uint32_t nwarps;
    double issues; /* machine instructions of all its warps, as far as written down */
    struct warp_trace *warps;
};

struct trace {
    uint64_t blocks; /* of the grid */
    uint64_t stride; /* every stride-th block is traced, and the last */
    uint32_t n;      /* traced blocks */
    uint32_t warps_per_block;
    struct block_trace *traced; /* in the order of their indices */
    double sectors_per_block;   /* distinct sectors that a traced block loads, on average: after trace_finish() */
};

/* A TRACE_ACCESS, unpacked. */
struct traced_access {
    enum access_kind kind;
    uint32_t flags, count;
    const struct ptx_insn *insn;
    const uint64_t *sectors;
    uint32_t width; /* bytes of a thread, as the replay knows from machine code; 0: not known */
    bool stores;    /* the same */
};

/* Choose the blocks of a grid to trace. */
void trace_open(struct trace *trace, const struct launch_shape *shape);
/* Free it. */
void trace_close(struct trace *trace);
/* The trace of a block that is about to start; NULL: it is not traced. Called once for each block, by any worker's
 * thread. */
struct block_trace *trace_block(struct trace *trace, uint64_t index);
/* After the last block: find what the blocks share. */
void trace_finish(struct trace *trace);

/* Write down that the warp enters the basic block of this tally. After the trace is full, this and the next two do
 * nothing. */
void trace_enter(struct warp_trace *trace, uint32_t tally);
/* Write down an access to these sectors. Sectors may repeat; the trace has each once. */
void trace_sectors(struct warp_trace *trace, const struct ptx_insn *insn, enum access_kind kind, uint32_t flags,
                   const uint64_t *sectors, uint32_t n);
/* Write down an access without sectors: passes through shared or constant memory, or a barrier's thread count. */
void trace_passes(struct warp_trace *trace, const struct ptx_insn *insn, enum access_kind kind, uint32_t flags,
                  uint32_t passes);

/* Is the word a TRACE_ENTER? It is one word long. Where it is not, trace_access() reads from it on. */
static inline bool trace_is_enter(uint64_t word) {
    return (word & 0xFF) == TRACE_ENTER;
}

/* Read the word at *at, which must be a TRACE_ACCESS, and step over it. */
struct traced_access trace_access(const struct warp_trace *trace, uint32_t *at);

#endif
