/*
 * run/worker.c: a host thread that runs blocks of a grid, one block at a time to its end.
 *
 * A block may wait for another block by polling memory. Then it sleeps while other resident blocks
 * run. When all of them sleep, the worker starts the next one, up to grid->resident_blocks. When
 * none can start, it wakes those that look at memory which has changed (warp/polls.c), else all. So
 * a barrier of the whole grid costs each block one turn. A loop that polls may hold a barrier of
 * the block: after many turns, too, the next block starts.
 *
 *      blocks[0]  only polls   BLOCK_SPINNING   sleeps
 *      blocks[1]  computes     BLOCK_RUNNING    no further block is started
 *      blocks[2]  ends         BLOCK_DONE       leaves blocks[], its memory goes to spare_blocks[]
 *
 * All workers of a grid share next_block, done_blocks and fault_block of struct grid, and access
 * them atomically. The fields of a worker belong to its thread while it runs.
 */
#include "run.h"

#include "lib/memory.h"
#include "simt/device/gpu.h"
#include "simt/machine/races.h"
#include "simt/see/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* turns without a block's start or end before one more block starts */
#define TURNS_OF_LOOKS  64
#define TURNS_PER_CHECK 16         /* turns of a block between looks at the clock */
#define LOOK_EVERY_NS   50000000   /* between looks at progress and the time limit */
#define LONG_TURNS      65536      /* and before the host may go on */
#define HOST_AFTER_NS   10000000   /* all blocks poll for this long: the host may go on */
#define TELL_AFTER_NS   2000000000 /* and for this long: tell the user */
#define MANY_BARRIERS   1000       /* more than a loop that ends has, mostly */
#define CACHE_LINES     128        /* a line and the one that is fetched with it */

/* Zeroed memory on cache lines that no other allocation uses. A worker writes tallies and
 * alloc_caches all the time; a line shared with another host thread would slow both. */
static void *own_lines(size_t bytes) {
    size_t size = (bytes / CACHE_LINES + 1) * CACHE_LINES;
    void *memory = need(aligned_alloc(CACHE_LINES, size));
    memset(memory, 0, size);
    return memory;
}

/* Are the distances between the lanes' %tid the same in all warps of a block? */
static bool warps_are_alike(const uint32_t block[3]) {
    uint32_t rows = WARP_SIZE / block[0]; /* in a warp */
    return (block[1] == 1 && block[2] == 1) || block[0] % WARP_SIZE == 0 ||
           (WARP_SIZE % block[0] == 0 && block[1] % rows == 0);
}

void worker_open(struct worker *worker, struct grid *grid, bool atomic) {
    const struct kernel *kernel = grid->kernel;
    memset(worker, 0, sizeof *worker);
    worker->grid = grid;
    worker->kernel = kernel;
    worker->atomic = atomic;
    worker->steady = warps_are_alike(grid->launch->shape.block) ? OP_STEADY : 0;
    worker->generation = memory_generation();
    worker->alloc_caches = own_lines((kernel->nalloc_caches + 1) * sizeof *worker->alloc_caches);
    worker->lane_patterns = own_lines((kernel->nalloc_caches + 1) * sizeof *worker->lane_patterns);
    worker->tallies = own_lines((kernel->ntallies + 1) * sizeof *worker->tallies);
    worker->launch_rows = operand_rows_new(kernel, ROWS_LAUNCH);
    worker->first_shared = kernel->asks_reserved ? 0 : kernel->reserved_shared;
    worker->shared_bytes = grid->shared_bytes;
    worker->local_stride = grid->local_stride;
    worker->spare_frames = need(calloc((size_t)kernel->ncodes, sizeof *worker->spare_frames));
    worker->blocks = need(calloc(grid->resident_blocks, sizeof *worker->blocks));
    worker->spare_blocks = need(calloc(grid->resident_blocks, sizeof *worker->spare_blocks));
    operand_rows_fill(worker, ROWS_LAUNCH, worker->launch_rows, NULL, NULL);
    source_worker_open(worker);
}

/* Free all frames and reconvergences that the worker ever made. Those in use and the spare ones
 * alike are in the owned lists, so blocks that a fault stopped need no clean-up. */
static void free_frames(struct worker *worker) {
    for (struct frame *frame = worker->owned_frames, *next; frame; frame = next) {
        next = frame->next_owned;
        free(frame->undefined);
        free(frame);
    }
    for (struct reconvergence *point = worker->owned_reconvergences, *next; point; point = next) {
        next = point->next_owned;
        free(point);
    }
}

void worker_close(struct worker *worker) {
    for (uint32_t i = 0; i < worker->nspare; i++) block_delete(worker->spare_blocks[i]);
    for (uint32_t i = 0; i < worker->nblocks; i++) block_delete(worker->blocks[i]);
    free_frames(worker);
    source_worker_close(worker);
    races_worker_close(worker);
    free(worker->alloc_caches);
    free(worker->lane_patterns);
    free(worker->tallies);
    free(worker->launch_rows);
    free(worker->spare_frames);
    free(worker->blocks);
    free(worker->spare_blocks);
}

/* Take the next block: in launch order, or the traced blocks first. False: no block is left, or an
 * earlier block failed. Blocks before the failed one are still taken: the launch reports the fault
 * of the lowest block, as a run in block order would. */
static bool take_next(struct grid *grid, uint64_t *index) {
    const struct trace *first = grid->traced_first ? grid->launch->trace : NULL;
    /* Look before adding: the worker asks again each round while its blocks poll. */
    while (__atomic_load_n(&grid->next_block, __ATOMIC_RELAXED) < grid->to_run) {
        uint64_t turn = __atomic_fetch_add(&grid->next_block, 1, __ATOMIC_RELAXED);
        if (turn >= grid->to_run) return false;
        *index = grid->order ? grid->order[turn] : first ? trace_turn(first, turn) : turn;
        if (*index <= __atomic_load_n(&grid->fault_block, __ATOMIC_ACQUIRE)) return true;
        /* After a traced block may come others that lie before the failed one. */
        if (!first || turn >= first->n) return false;
    }
    return false;
}

/* Start the next block. False: no place, or no block. */
static bool start_next(struct worker *worker) {
    uint64_t index;
    if (worker->nblocks >= worker->grid->resident_blocks || !take_next(worker->grid, &index))
        return false;
    worker->blocks[worker->nblocks++] = block_start(worker, index);
    worker->last_change_turn = worker->turn_count;
    return true;
}

/* Take blocks[i] out, which is done or has failed. The blocks after it move up, so blocks[] stays
 * in launch order. */
static void worker_end_block(struct worker *worker, uint32_t i, enum block_state state) {
    struct grid *grid = worker->grid;
    uint64_t index = worker->blocks[i]->index;
    block_end(worker->blocks[i]);
    worker->last_change_turn = worker->turn_count;
    memmove(worker->blocks + i, worker->blocks + i + 1,
            (--worker->nblocks - i) * sizeof *worker->blocks);
    if (state == BLOCK_DONE) __atomic_fetch_add(&grid->done_blocks, 1, __ATOMIC_RELAXED);
    if (grid->traced_first && trace_ended(grid->launch->trace, index)) grid_traced(grid);
}

/* Raise a fault at the operation where the block is. Between turns a warp has no current path, so
 * the report gets its frame from the path found. */
static void stop(struct block *block, int error, const char *why) {
    const struct path *path;
    struct warp *w = block_current(block, &path);
    if (!w) return;
    w->frame = path->frame;
    fault_raise(w, path->pc, error, __builtin_ctz(path->mask), "The kernel was stopped: %s", why);
}

static void fault_timeout(struct block *block) {
    const double seconds = (double)block->worker->grid->limit_ns / 1e9;
    char why[256], barriers[64] = "";
    if (block->barriers_passed >= MANY_BARRIERS)
        snprintf(barriers, sizeof barriers, ", and its threads met at a barrier %u times",
                 block->barriers_passed);
    snprintf(why, sizeof why,
             "no block ended for %g second%s; it seems to loop forever%s (SIMT_TIMEOUT=seconds "
             "allows more, 0 any time)",
             seconds, seconds == 1 ? "" : "s", barriers);
    stop(block, SIM_ERROR_TIMEOUT, why);
}

bool worker_stops(struct worker *worker, struct block *block) {
    struct grid *grid = worker->grid;
    /* The coarse clock first: this function runs often, and the other clock costs a system call. */
    int64_t tick = tick_ns();
    if (tick - worker->looked_ns < LOOK_EVERY_NS) return false;
    worker->looked_ns = tick;
    uint64_t done = __atomic_load_n(&grid->done_blocks, __ATOMIC_RELAXED);
    int64_t now = thread_ns();
    /* Any block of the grid that ends restarts the limit. It counts processor time of this thread:
     * a busy host stops no kernel. */
    if (done != worker->seen_done) {
        worker->seen_done = done;
        worker->seen_ns = now;
        worker->seen_tick_ns = tick;
    }
    progress_show(block);
    progress_tell(block, tick - worker->seen_tick_ns);
    if (!grid->limit_ns || now - worker->seen_ns <= grid->limit_ns) return false;
    worker->looked_ns = 0; /* the other resident blocks stop at once, too */
    fault_timeout(block);
    return true;
}

/* Do resident blocks pass barriers and look at memory, turn after turn? They may wait for a block
 * that has not started, in a loop with a barrier in it. */
static bool looks_long(const struct worker *worker) {
    if (worker->turn_count - worker->last_change_turn < TURNS_OF_LOOKS) return false;
    for (uint32_t i = 0; i < worker->nblocks; i++)
        if (worker->blocks[i]->polled_before_barrier) return true;
    return false;
}

/* Which resident blocks have a turn. A block that only polled in its last turn sleeps. */
enum turns { TURNS_OF_AWAKE, TURNS_OF_CHANGED, TURNS_OF_ALL };

/* CHANGED: what it polls has changed since. */
static bool has_turn(const struct block *block, enum turns turns) {
    bool slept = block->polled && !block->progressed;
    return !slept || turns == TURNS_OF_ALL ||
           (turns == TURNS_OF_CHANGED && !polls_unchanged(&block->polls));
}

/* Give resident blocks a turn: each until it ends, spins, or another one should have a turn. A lone
 * block that computes goes on at once. True: some block did more than poll, or ended. */
static bool run_resident(struct worker *worker, enum turns turns) {
    bool busy = false;
    /* After worker_end_block() the next block is at i, so i stays. */
    for (uint32_t i = 0; i < worker->nblocks;) {
        struct block *block = worker->blocks[i];
        if (!has_turn(block, turns)) {
            i++;
            continue;
        }
        enum block_state state;
        do {
            if (worker->is_first) grid_call_helpers(worker->grid);
            state = block_turn(block);
            bool ended = state == BLOCK_DONE || state == BLOCK_FAILED;
            bool looks = ++worker->turn_count % TURNS_PER_CHECK == 0 && !ended;
            if (looks && worker_stops(worker, block)) state = BLOCK_FAILED;
            if (fault_stops(block) && state != BLOCK_DONE) state = BLOCK_FAILED;
        } while (state == BLOCK_RUNNING && worker->nblocks == 1 && !looks_long(worker));
        bool ended = state == BLOCK_DONE || state == BLOCK_FAILED;
        busy |= ended || state == BLOCK_RUNNING;
        if (ended)
            worker_end_block(worker, i, state);
        else
            i++;
    }
    return busy;
}

/* Let other kernels work. Returns true if one did. */
static bool let_others(struct worker *worker, bool worked, bool is_long) {
    const struct launch *launch = worker->grid->launch;
    enum idle others = launch->idles ? launch->idles(worked, is_long) : IDLE_ALONE;
    if (others == IDLE_STOP) stop(worker->blocks[0], SIM_ERROR_LAUNCH, "another one has failed");
    return others == IDLE_MOVED;
}

/* All resident blocks poll, and no further block can start. What they wait for comes from the host,
 * from another kernel, or never. */
static void idle(struct worker *worker) {
    int64_t now = tick_ns();
    bool worked = !worker->idle_ns;
    if (worked) worker->idle_ns = now;
    if (let_others(worker, worked, now - worker->idle_ns > HOST_AFTER_NS))
        worker->idle_ns = tick_ns();
    if (now - worker->idle_ns > TELL_AFTER_NS) progress_idle(worker->blocks[0]);
}

/* Will what the grid wrote be undone, so that further blocks are in vain? Asked between blocks
 * alone: one that runs may wait for the next. Where a block that still runs makes it impossible to
 * undo, or fails, its worker goes on. */
static bool will_be_undone(const struct grid *grid) {
    const struct races *races = grid->races;
    return races && races->saves && __atomic_load_n(&races->suspect, __ATOMIC_RELAXED) &&
           !__atomic_load_n(&races->incomplete, __ATOMIC_RELAXED) &&
           __atomic_load_n(&grid->fault_block, __ATOMIC_RELAXED) == UINT64_MAX;
}

void *worker_run(void *argument) {
    struct worker *worker = argument;
    worker->seen_ns = thread_ns();
    worker->seen_tick_ns = tick_ns();
    while (worker->nblocks || (!will_be_undone(worker->grid) && start_next(worker))) {
        /* A block that polls may wait for a block that has not started, and all that a GPU holds
         * start before any of them goes on. It may also give up after a while, so when nothing else
         * is left all have a turn. */
        bool works = run_resident(worker, TURNS_OF_AWAKE) || start_next(worker) ||
                     run_resident(worker, TURNS_OF_CHANGED) || run_resident(worker, TURNS_OF_ALL);
        if (works && looks_long(worker) && !start_next(worker))
            let_others(worker, true, worker->turn_count - worker->last_change_turn > LONG_TURNS);
        if (works)
            worker->idle_ns = 0;
        else if (worker->nblocks)
            idle(worker);
        else
            break;
    }
    return NULL;
}
