/* machine/trace.c: which blocks are traced, and how a trace is written and read. */
#include "trace.h"

#include "lib/memory.h"
#include "simt/device/gpu.h"
#include "simt/device/launch_shape.h"

#include <stdlib.h>
#include <string.h>

#define TRACED_WARPS     512  /* of a launch, about */
#define FEWEST_BLOCKS    8    /* traced blocks, whatever their warps */
#define MOST_BLOCKS      64   /* and the limit for small blocks */
#define MOST_WORDS       8192 /* of a warp's trace: 64 KiB */
#define LANES_OF_SECTORS 64   /* most sectors in a request: two words of 8 bytes a lane, or 16-byte vectors */

/* ---- Which blocks ---- */

/* Blocks to trace of a grid, when each has this many warps. */
static uint64_t wanted_blocks(uint64_t blocks, uint32_t warps) {
    uint64_t n = TRACED_WARPS / warps;
    n = n < FEWEST_BLOCKS ? FEWEST_BLOCKS : n > MOST_BLOCKS ? MOST_BLOCKS : n;
    return n < blocks ? n : blocks;
}

/*
 * The blocks are spread over the grid: every stride-th one, and the last.
 *
 *   index   0      stride      2 * stride   ...   last * stride     blocks - 1
 *   traced  [0]    [1]         [2]                [last]            [last + 1], unless it is [last]
 */
void trace_open(struct trace *trace, const struct launch_shape *shape) {
    uint64_t blocks = shape_blocks(shape);
    memset(trace, 0, sizeof *trace);
    trace->blocks = blocks;
    trace->warps_per_block = ((uint32_t)shape_threads(shape) + WARP_SIZE - 1) / WARP_SIZE;
    uint64_t wanted = wanted_blocks(blocks, trace->warps_per_block);
    trace->stride = wanted > 1 ? (blocks - 1) / (wanted - 1) : 1;
    uint64_t last = (blocks - 1) / trace->stride;
    bool last_is_on_stride = last * trace->stride == blocks - 1;
    uint64_t n = last + 1 + !last_is_on_stride;
    trace->traced = need(calloc(n, sizeof *trace->traced));
    for (; trace->n < n; trace->n++) {
        struct block_trace *block = &trace->traced[trace->n];
        block->index = trace->n <= last ? trace->n * trace->stride : blocks - 1;
        block->nwarps = trace->warps_per_block;
        block->warps = need(calloc(block->nwarps, sizeof *block->warps));
    }
}

void trace_close(struct trace *trace) {
    for (uint32_t i = 0; i < trace->n; i++) {
        for (uint32_t w = 0; w < trace->traced[i].nwarps; w++) free(trace->traced[i].warps[w].words);
        free(trace->traced[i].warps);
    }
    free(trace->traced);
    memset(trace, 0, sizeof *trace);
}

/* The index tells the place in traced[], so there is no search and no lock. */
struct block_trace *trace_block(struct trace *trace, uint64_t index) {
    uint64_t at = index % trace->stride == 0   ? index / trace->stride
                  : index == trace->blocks - 1 ? trace->n - 1
                                               : trace->n;
    return at < trace->n ? &trace->traced[at] : NULL;
}

/* ---- Writing ---- */

/* Room for n more words. False: the trace is full and stays so, since words after a gap mean nothing. */
static bool reserve(struct warp_trace *trace, uint32_t n) {
    if (trace->full) return false;
    if (trace->n + n <= trace->capacity) return true;
    uint32_t capacity = trace->capacity ? 2 * trace->capacity : 64;
    while (capacity < trace->n + n) capacity *= 2;
    trace->full = capacity > MOST_WORDS;
    if (trace->full) return false;
    trace->words = need(realloc(trace->words, capacity * sizeof *trace->words));
    trace->capacity = capacity;
    return true;
}

void trace_enter(struct warp_trace *trace, uint32_t tally) {
    if (reserve(trace, 1)) trace->words[trace->n++] = (uint64_t)tally << 8 | TRACE_ENTER;
}

/* The two words that begin an access. */
static void put_header(struct warp_trace *trace, const struct ptx_insn *insn, enum access_kind kind, uint32_t flags,
                       uint32_t count) {
    trace->words[trace->n++] = (uint64_t)count << 32 | (uint64_t)flags << 16 | (uint64_t)kind << 8 | TRACE_ACCESS;
    trace->words[trace->n++] = (uint64_t)(uintptr_t)insn;
}

/* Is the sector in the list? Neighbouring lanes touch the same sectors, so the search begins at the end. */
static bool holds(const uint64_t *sectors, uint32_t n, uint64_t sector) {
    for (uint32_t i = n; i-- > 0;)
        if (sectors[i] == sector) return true;
    return false;
}

void trace_sectors(struct warp_trace *trace, const struct ptx_insn *insn, enum access_kind kind, uint32_t flags,
                   const uint64_t *sectors, uint32_t n) {
    uint64_t distinct[LANES_OF_SECTORS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n && count < LANES_OF_SECTORS; i++)
        if (!holds(distinct, count, sectors[i])) distinct[count++] = sectors[i];
    if (!reserve(trace, 2 + count)) return;
    put_header(trace, insn, kind, flags, count);
    memcpy(trace->words + trace->n, distinct, count * sizeof *distinct);
    trace->n += count;
}

void trace_passes(struct warp_trace *trace, const struct ptx_insn *insn, enum access_kind kind, uint32_t flags,
                  uint32_t passes) {
    if (reserve(trace, 2)) put_header(trace, insn, kind, flags, passes);
}

/* ---- Reading ---- */

/* sectors points into the trace: good as long as the trace is. */
struct traced_access trace_access(const struct warp_trace *trace, uint32_t *at) {
    const uint64_t *words = trace->words + *at;
    struct traced_access access = {
        .kind = words[0] >> 8 & 0xFF,
        .flags = words[0] >> 16 & 0xFFFF,
        .count = (uint32_t)(words[0] >> 32),
        .insn = (const struct ptx_insn *)(uintptr_t)words[1],
        .sectors = words + 2,
    };
    *at += 2 + (access.kind < ACCESS_SHARED ? access.count : 0);
    return access;
}
