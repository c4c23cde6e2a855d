/* machine/trace.c: which blocks are traced, and how a trace is written. */
#include "trace.h"

#include "lib/memory.h"
#include "simt/device/gpu.h"
#include "simt/device/launch_shape.h"

#include <stdlib.h>
#include <string.h>

#define TRACED_WARPS     512 /* of a launch, about */
#define FEWEST_BLOCKS    8   /* traced blocks, whatever their warps */
#define MOST_BLOCKS      64  /* and the limit for small blocks */
#define LEAST_ODD_STRIDE 5
#define MOST_SIZE        32768 /* of a warp's trace, in words: about 256 KiB */
#define GOLDEN_PART      0.618
#define FIRST_CAPACITY   16 /* of enters and accesses */
/* most sectors in a request: two words of 8 bytes a lane, or 16-byte vectors */
#define LANES_OF_SECTORS 64

/* ---- Which blocks ---- */

/* Blocks to trace of a grid, when each has this many warps. */
static uint64_t wanted_blocks(uint64_t blocks, uint32_t warps) {
    uint64_t n = TRACED_WARPS / warps;
    n = n < FEWEST_BLOCKS ? FEWEST_BLOCKS : n > MOST_BLOCKS ? MOST_BLOCKS : n;
    return n < blocks ? n : blocks;
}

/* A stride near this one that is no multiple of 2 or 3: kernels give every second or third block
 * other work. Smaller ones stay, as many more blocks would be traced. */
static uint64_t stride_of(uint64_t stride) {
    while (stride > LEAST_ODD_STRIDE && gcd(stride, 6) > 1) stride--;
    return stride;
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
    trace->stride = stride_of(wanted > 1 ? (blocks - 1) / (wanted - 1) : 1);
    uint64_t last = (blocks - 1) / trace->stride;
    bool last_is_on_stride = last * trace->stride == blocks - 1;
    uint64_t n = last + 1 + !last_is_on_stride;
    trace->traced = need(calloc(n, sizeof *trace->traced));
    for (; trace->n < n; trace->n++) {
        struct block_trace *block = &trace->traced[trace->n];
        block->index = trace->n <= last ? trace->n * trace->stride : blocks - 1;
        block->nwarps = trace->warps_per_block;
        block->warps = need(calloc(block->nwarps, sizeof *block->warps));
        for (uint32_t w = 0; w < block->nwarps; w++) block->warps[w].block = block;
    }
    trace->left = trace->n;
}

/* All traced blocks in turn, in steps of about the golden ratio's part of them. So however few are
 * replayed, they come from the whole row. */
uint32_t trace_replayed(uint32_t n, uint64_t i) {
    uint64_t step = (uint64_t)(GOLDEN_PART * n) | 1;
    while (gcd(step, n) > 1) step += 2;
    return (uint32_t)(i * step % n);
}

static void free_warp(struct warp_trace *warp) {
    for (struct sector_chunk *chunk = warp->chunk, *before; chunk; chunk = before) {
        before = chunk->before;
        free(chunk);
    }
    free(warp->enters);
    free(warp->accesses);
}

void trace_close(struct trace *trace) {
    for (uint32_t i = 0; i < trace->n; i++) {
        for (uint32_t w = 0; w < trace->traced[i].nwarps; w++)
            free_warp(&trace->traced[i].warps[w]);
        free(trace->traced[i].warps);
        sector_set_free(&trace->traced[i].touched);
    }
    sector_set_free(&trace->sharers);
    free(trace->traced);
    free(trace->tallies);
    memset(trace, 0, sizeof *trace);
}

/* The index tells the place in traced[], so there is no search and no lock. */
struct block_trace *trace_block(struct trace *trace, uint64_t index) {
    uint64_t at = index % trace->stride == 0   ? index / trace->stride
                  : index == trace->blocks - 1 ? trace->n - 1
                                               : trace->n;
    return at < trace->n ? &trace->traced[at] : NULL;
}

bool trace_ended(struct trace *trace, uint64_t index) {
    return trace_block(trace, index) && __atomic_sub_fetch(&trace->left, 1, __ATOMIC_ACQ_REL) == 0;
}

/* Between two traced blocks are stride - 1 others. With a stride of 1 all blocks are traced. */
uint64_t trace_turn(const struct trace *trace, uint64_t turn) {
    if (turn < trace->n) return trace->traced[turn].index;
    uint64_t other = turn - trace->n, between = trace->stride - 1;
    return other / between * trace->stride + other % between + 1;
}

/* ---- Writing ---- */

/* Is there room for this much more? If not, the trace is full and stays so, since what follows a
 * gap means nothing. */
static bool trace_fits(struct warp_trace *trace, uint32_t size) {
    trace->full |= trace->size + size > MOST_SIZE;
    if (!trace->full) trace->size += size;
    return !trace->full;
}

/* Room for one more element after the n of an array. */
static void *trace_grown(void *array, uint32_t n, uint32_t *capacity, size_t element) {
    if (n < *capacity) return array;
    *capacity = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    return need(realloc(array, *capacity * element));
}

void trace_enter(struct warp_trace *trace, uint32_t tally, uint32_t lanes) {
    if (!trace_fits(trace, 1)) return;
    trace->enters =
        trace_grown(trace->enters, trace->nenters, &trace->enter_capacity, sizeof *trace->enters);
    trace->enters[trace->nenters++] = (struct traced_enter){tally, trace->naccesses, lanes};
}

static struct traced_access *new_access(struct warp_trace *trace) {
    trace->accesses = trace_grown(trace->accesses, trace->naccesses, &trace->access_capacity,
                                  sizeof *trace->accesses);
    return &trace->accesses[trace->naccesses++];
}

/* Is the sector in the list? Neighbouring lanes touch the same sectors, so the search begins at the
 * end. */
static bool trace_holds(const uint64_t *sectors, uint32_t n, uint64_t sector) {
    for (uint32_t i = n; i-- > 0;)
        if (sectors[i] == sector) return true;
    return false;
}

/* Copy these sectors to memory that stays where it is. */
static uint64_t *trace_keep(struct warp_trace *trace, const uint64_t *sectors, uint32_t n) {
    struct sector_chunk *chunk = trace->chunk;
    if (!chunk || chunk->capacity - chunk->n < n) {
        uint32_t capacity = chunk ? 2 * chunk->capacity : LANES_OF_SECTORS;
        chunk = need(malloc(sizeof *chunk + capacity * sizeof *chunk->sectors));
        *chunk = (struct sector_chunk){.before = trace->chunk, .capacity = capacity};
        trace->chunk = chunk;
    }
    chunk->n += n;
    return memcpy(chunk->sectors + chunk->n - n, sectors, n * sizeof *sectors);
}

/* Sectors of a line one after the other. */
static void trace_sort(uint64_t *sectors, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        uint64_t sector = sectors[i];
        uint32_t at = i;
        for (; at && sectors[at - 1] > sector; at--) sectors[at] = sectors[at - 1];
        sectors[at] = sector;
    }
}

/* Write down that the block touches global sectors. */
static void trace_touch(struct block_trace *block, enum access_kind kind, const uint64_t *sectors,
                        uint32_t n) {
    bool loads = kind == ACCESS_LOAD || kind == ACCESS_ATOM || kind == ACCESS_TEXTURE;
    block->stored += kind == ACCESS_LOAD || kind == ACCESS_TEXTURE ? 0 : n;
    for (uint32_t i = 0; i < n;) {
        uint32_t *word = sector_set_find(&block->touched, sectors[i] / LINE_SECTORS);
        uint32_t bits = trace_line_bits(sectors, n, &i), loaded = loads ? bits << LINE_SECTORS : 0;
        block->loaded += (uint32_t)__builtin_popcount(loaded & ~*word);
        *word |= bits | loaded;
    }
}

void trace_sectors(struct warp_trace *trace, const struct ptx_insn *insn, enum access_kind kind,
                   uint32_t flags, const uint64_t *sectors, uint32_t n, uint32_t asked) {
    uint64_t distinct[LANES_OF_SECTORS], end = 0; /* after the highest of them */
    uint32_t count = 0;
    if (trace->full) return;
    for (uint32_t i = 0; i < n && count < LANES_OF_SECTORS; i++) {
        if (sectors[i] < end && trace_holds(distinct, count, sectors[i])) continue;
        distinct[count++] = sectors[i];
        end = sectors[i] < end ? end : sectors[i] + 1;
    }
    if (!trace_fits(trace, 2 + count)) return;
    trace->block->to_host |= (flags & ACCESS_HOST) != 0;
    if (kind < ACCESS_LOCAL_LOAD) trace_touch(trace->block, kind, distinct, count);
    /* threads that index an array apart come back to lines */
    if (kind == ACCESS_LOCAL_STORE) trace_sort(distinct, count);
    if (kind == ACCESS_LOCAL_STORE && n < SECTOR_BYTES / 4 * count) flags |= ACCESS_PARTIAL;
    *new_access(trace) = (struct traced_access){.insn = insn,
                                                .count = count,
                                                .kind = (uint8_t)kind,
                                                .least = (uint8_t)least_sectors(asked, count),
                                                .flags = (uint16_t)flags,
                                                .sectors = trace_keep(trace, distinct, count)};
}

void trace_passes(struct warp_trace *trace, const struct ptx_insn *insn, enum access_kind kind,
                  uint32_t flags, uint32_t passes, uint32_t least) {
    if (!trace_fits(trace, 2)) return;
    *new_access(trace) = (struct traced_access){.insn = insn,
                                                .count = passes,
                                                .kind = (uint8_t)kind,
                                                .least = (uint8_t)least,
                                                .flags = (uint16_t)flags};
}

void trace_atomic(struct warp_trace *trace, const struct ptx_insn *insn, uint32_t flags,
                  uint32_t passes, uint32_t place) {
    uint32_t at = trace->naccesses;
    trace_passes(trace, insn, ACCESS_SHARED, flags, passes, 1);
    if (trace->naccesses > at) trace->accesses[at].place = place;
}
