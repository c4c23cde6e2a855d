/*
 * run/block.c: one thread block from start to end, on one host thread. Its warps take turns:
 *
 *      block_start()   set memory, barriers and warps up
 *      block_turn()    each warp that can run has a turn; again until the block is done or fails
 *      block_end()     give the block's memory back for the next block
 *
 * A warp's turn ends when none of its paths can go on, before some stores (decode/turns.c), or
 * when its fuel is used up. Backward branches cost one unit of fuel, looks at memory that others
 * may change cost POLL_COST (access/request.h).
 */
#include "run.h"

#include "lib/memory.h"
#include "simt/check/check.h"
#include "simt/machine/async_copy.h"
#include "simt/machine/report.h"
#include "simt/see/see.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_BRANCHES 16384 /* fuel of a turn: backward branches */

/* ---- Start ---- */

/* The block's linear index in launch order, and %ctaid: x runs fastest. */
static void set_index(struct block *block, uint64_t index) {
    const uint32_t *grid = block->worker->grid->launch->shape.grid;
    block->index = index;
    block->ctaid[0] = (uint32_t)(index % grid[0]);
    block->ctaid[1] = (uint32_t)(index / grid[0] % grid[1]);
    block->ctaid[2] = (uint32_t)(index / grid[0] / grid[1]);
}

/* Memory for a block and its warps. Later blocks use it again (worker->spare_blocks), so only
 * values that are the same in every block (%tid, %warpid) are set here. */
static struct block *block_new(struct worker *worker) {
    struct block *block = need(calloc(1, sizeof *block));
    uint32_t nwarps = (worker->grid->block_threads + WARP_SIZE - 1) / WARP_SIZE;
    block->worker = worker;
    block->nwarps = nwarps;
    block->warps = need(aligned_alloc(64, round_up(nwarps * sizeof *block->warps, 64)));
    memset(block->warps, 0, nwarps * sizeof *block->warps);
    block->rows = operand_rows_new(worker->kernel, ROWS_BLOCK);
    block->shared = need(aligned_alloc(ROW_ALIGN, round_up(worker->shared_bytes + 1, ROW_ALIGN)));
    if (worker->grid->check) block->check = check_block_open(block);
    size_t local = round_up(worker->local_stride, 4) * WARP_SIZE;
    for (uint32_t i = 0; i < nwarps; i++) {
        struct warp *w = &block->warps[i];
        w->index = i;
        w->worker = worker;
        w->block = block;
        w->own_rows = operand_rows_new(worker->kernel, ROWS_WARP);
        w->rows[ROWS_LAUNCH] = worker->launch_rows - ROWS_LAUNCH;
        w->rows[ROWS_BLOCK] = block->rows - ROWS_BLOCK;
        w->rows[ROWS_WARP] = w->own_rows - ROWS_WARP;
        w->local = local ? need(malloc(local)) : NULL;
        operand_rows_fill(worker, ROWS_WARP, w->own_rows, block, w);
    }
    return block;
}

/* Begin a warp of a new block at the kernel's first operation. threads: of the block, from the
 * warp's first one on; the last warp of a block may have fewer than 32. */
static void warp_start(struct warp *w, uint32_t threads) {
    const struct code *code = w->worker->kernel->codes[0];
    struct frame *frame = frame_new(w->worker, code);
    frame->caller = NULL;
    frame->call = NULL;
    frame->local_base = 0;
    frame->local_top = code->local_bytes;
    w->launched = w->live = threads >= WARP_SIZE ? FULL_MASK : (1u << threads) - 1;
    w->npaths = 0;
    w->polled = w->gave_way = false;
    w->inst = w->times_gave_way = 0;
    async_copy_reset(w);
    w->root = frame;
    if (w->worker->local_stride)
        memset(w->local, POISON, (size_t)w->worker->local_stride * WARP_SIZE);
    path_push(w, code->ops, frame, NULL, w->live);
}

/* Shared and local memory are poisoned: a kernel that reads before it writes must not see what an
 * earlier block left. */
struct block *block_start(struct worker *worker, uint64_t index) {
    struct block *block =
        worker->nspare ? worker->spare_blocks[--worker->nspare] : block_new(worker);
    uint32_t threads = worker->grid->block_threads;
    set_index(block, index);
    operand_rows_fill(worker, ROWS_BLOCK, block->rows, block, NULL);
    if (worker->shared_bytes) memset(block->shared, POISON, worker->shared_bytes);
    memset(block->shared, 0, worker->kernel->reserved_shared);
    if (block->barriers_begun) memset(block->barriers, 0, sizeof block->barriers);
    block->barriers_begun = block->barriers_passed = 0;
    block->live_threads = threads;
    block->live_warps = block->nwarps;
    block->failed = block->polled = block->polled_before_barrier = false;
    block->yield_rounds = block->polls.n = 0;
    block->unopened = index < PARTITIONS ? 3 /* load, store */ : 0;
    /* NULL for most blocks: a few are traced (machine/trace.h). */
    struct trace *trace = worker->grid->launch->trace;
    const struct block_trace *traced = trace ? trace_block(trace, index) : NULL;
    for (uint32_t i = 0; i < block->nwarps; i++) {
        warp_start(&block->warps[i], threads - i * WARP_SIZE);
        block->warp_order[i] = (uint8_t)i;
        block->warps[i].trace = traced ? &traced->warps[i] : NULL;
    }
    if (block->check) check_block_start(block);
    worker->counters.warps_launched += block->nwarps;
    worker->counters.blocks_launched++;
    worker->counters.threads_launched += threads;
    return block;
}

/* ---- Turns ---- */

/* The first ready path wins. waits keeps the first waiting one for a block that has no ready
 * path. */
struct warp *block_current(const struct block *block, const struct path **path) {
    struct warp *waits = NULL;
    for (uint32_t i = 0; i < block->nwarps; i++) {
        struct warp *w = &block->warps[i];
        for (int p = w->npaths - 1; p >= 0; p--) {
            if (waits && w->paths[p].wait != WAIT_NONE) continue;
            *path = &w->paths[p];
            waits = w;
            if (w->paths[p].wait == WAIT_NONE) return w;
        }
    }
    return waits;
}

/* No warp can go on: raise a fault at the first path found, with what it waits for and who is
 * missing. */
static void fault_deadlock(struct block *block) {
    for (uint32_t i = 0; i < block->nwarps; i++) {
        struct warp *w = &block->warps[i];
        for (int p = 0; p < w->npaths; p++) {
            const struct path *path = &w->paths[p];
            int lane = __builtin_ctz(path->mask);
            w->frame = path->frame;
            if (path->wait == WAIT_COLLECTIVE) {
                fault_raise(w, path->pc, SIM_ERROR_LAUNCH, lane,
                            "Barrier error detected. Divergent thread(s) in warp. Lanes 0x%08x of "
                            "warp %u wait for lanes "
                            "0x%08x, which never come here\n" HINT_WARP "\n",
                            path->mask, i, path->needs & w->live & ~path->mask);
                return;
            }
            const struct barrier *barrier = &block->barriers[path->barrier];
            uint32_t expected = barrier->expected ? barrier->expected : block->live_threads;
            fault_raise(w, path->pc, SIM_ERROR_LAUNCH, lane,
                        "Barrier error detected. Divergent thread(s) in block. %u of %u threads "
                        "wait at barrier %u, and the "
                        "others never come there\n" HINT_BLOCK "\n",
                        barrier->arrived, expected, path->barrier);
            return;
        }
    }
}

/* Let lanes go on that wait in a reconvergence, where the hardware would not have held them. True:
 * there were some. */
static bool unblock(struct block *block) {
    bool any = false;
    for (uint32_t i = 0; i < block->nwarps; i++) any |= path_unblock(&block->warps[i]);
    return any;
}

/* Warps that only give way and poll may wait for another block, in a loop that stores, too. */
enum { YIELD_ROUNDS = 64 };

/* Did warps get on by giving way, `gave_way`? Not any more after as many rounds. */
static bool gets_on(struct block *block, bool gave_way) {
    bool gets_on = gave_way && !block->progressed && ++block->yield_rounds < YIELD_ROUNDS;
    if (!gets_on) block->yield_rounds = 0;
    return gets_on;
}

/* Give every warp that can run a turn, until one completes a barrier: that one begins a new round.
 * SPINNING: the turns only polled memory. FAILED: a fault was raised, here or by worker_stops(). */
enum block_state block_turn(struct block *block) {
    bool ran = false, gave_way = false;
    struct warp_trace *trace = block->warps[0].trace;
    if (trace && block->polls.n && !block->polls.incomplete && !polls_unchanged(&block->polls))
        trace_waited(trace->block, block->worker->kernel);
    block->progressed = block->polled = block->reordered = false;
    block->polls.n = 0;
    block->polls.incomplete = false;
    for (uint32_t i = 0; i < block->nwarps && !block->reordered; i++) {
        struct warp *w = &block->warps[block->warp_order[i]];
        const struct op *op = path_next(w);
        if (!op) continue;
        ran = true;
        if (!w->gave_way) w->fuel = TURN_BRANCHES;
        w->gave_way = false;
        /* The interpreter: each operation runs for all active lanes and returns the next. */
        while (op) op = op->run(w, op);
        gave_way |= w->gave_way;
        if (block->failed) return BLOCK_FAILED;
        /* A turn that used up its fuel may be one of an endless loop. */
        if (w->fuel <= 0 && worker_stops(block->worker, block)) return BLOCK_FAILED;
    }
    if (!block->live_warps) return BLOCK_DONE;
    if (!ran && !unblock(block)) {
        fault_deadlock(block);
        return BLOCK_FAILED;
    }
    block->progressed |= gets_on(block, gave_way);
    return block->polled && !block->progressed ? BLOCK_SPINNING : BLOCK_RUNNING;
}

/* ---- End ---- */

/* Note the instructions of the block's longest warp: no launch ends before its longest block. */
static void note_longest(const struct block *block) {
    uint64_t longest = 0;
    for (uint32_t i = 0; i < block->nwarps; i++)
        if (block->warps[i].inst > longest) longest = block->warps[i].inst;
    if (block->warps[0].trace) block->warps[0].trace->block->longest = longest;
    if (longest > block->worker->longest) block->worker->longest = longest;
}

/* The text goes to the grid. Frames of calls were given back when their last lane returned or
 * exited; the kernel's own frames are given back here. */
void block_end(struct block *block) {
    struct worker *worker = block->worker;
    if (worker->grid->launch->see) see_block_end(worker->grid->launch->see, block);
    output_add(worker->grid->output, block);
    note_longest(block);
    free(block->nested);
    block->nested = NULL;
    for (uint32_t i = 0; i < block->nwarps; i++) frame_free(worker, block->warps[i].root);
    worker->spare_blocks[worker->nspare++] = block;
}

void block_delete(struct block *block) {
    for (uint32_t i = 0; i < block->nwarps; i++) {
        free(block->warps[i].own_rows);
        free(block->warps[i].local);
        async_copy_free(&block->warps[i]);
    }
    if (block->check) check_block_close(block->check, block->nwarps);
    free(block->warps);
    free(block->rows);
    free(block->shared);
    free(block->output.bytes);
    free(block->nested);
    free(block);
}
