/*
 * run/grid.c: kernel_launch: set a grid up, run its blocks on host threads, add up what they
 * counted.
 *
 * Blocks are independent, so each host thread takes the next one. Where several do, the blocks that
 * are traced come first: the time model then replays them while the other blocks run. Each host
 * thread has its own counters; their sum is the same however the blocks are spread. Kernels whose
 * results may depend on the order of blocks (decode/block_order.c), cooperative grids and checked
 * grids run on one thread. Where blocks turn out to have raced (machine/races.h), the caller
 * launches once more, in order.
 *
 *      kernel_launch()          thread of the host's call
 *        workers[0]             the same thread: takes blocks at once
 *        workers[1] .. [n-1]    further threads, started after ALONE_NS by grid_call_helpers()
 *        grid_collect()         after all have ended: sums into counters
 */
#include "grid.h"
#include "lib/memory.h"
#include "repeat.h"
#include "run.h"
#include "sample.h"
#include "simt/check/check.h"
#include "simt/device/gpu.h"
#include "simt/machine/nested.h"
#include "simt/machine/races.h"
#include "simt/see/source.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_HOST_THREADS 256
#define ALONE_NS         50000 /* a launch shorter than this is not worth a second host thread */
#define WORKSPACE_BYTES  64    /* of a cooperative grid; the barrier's word is the second */

static uint64_t grid_count;

/* ---- Limits ---- */

/* ns of processor time in which no block ends before the kernel is stopped; 0: never. Only
 * SIMT_TIMEOUT sets a limit: long kernels are no error. */
static int64_t timeout_ns(void) {
    const char *text = getenv("SIMT_TIMEOUT");
    double seconds = text ? atof(text) : 0;
    return seconds > 0 ? (int64_t)(seconds * 1e9) : 0;
}

/*
 * Shared memory of a block, in bytes. The extern array, as long as the launch asks for, follows the
 * static variables:
 *
 *   | reserved | static variables | padding to dynamic_align | dynamic_shared |
 */
static uint32_t shared_bytes(const struct launch *launch) {
    const struct kernel *kernel = launch->kernel;
    uint32_t bytes = kernel->reserved_shared + kernel->static_shared;
    if (!launch->shape.dynamic_shared) return bytes;
    return (uint32_t)round_up(bytes, kernel->dynamic_align) +
           (uint32_t)launch->shape.dynamic_shared;
}

/* Local memory of a thread in bytes, a multiple of 16: what the kernel and its calls need.
 * Recursive kernels have no static bound; the stack limit, or 1024 bytes where it is 0, is added
 * for them. */
static uint32_t local_stride(const struct launch *launch) {
    const struct kernel *kernel = launch->kernel;
    uint64_t bytes = kernel->local_bytes;
    if (kernel->recursive) bytes += launch->stack_bytes ? launch->stack_bytes : 1024;
    return (uint32_t)round_up(bytes, 16);
}

/* Most blocks that a worker keeps at once for blocks that wait for each other: what the GPU holds;
 * of a cooperative grid all blocks. */
static uint32_t grid_resident_blocks(const struct grid *grid) {
    uint64_t sms = grid->launch->gpu ? (uint64_t)grid->launch->gpu->sms : 1;
    uint64_t n = sms * (uint64_t)(grid->launch->occupancy.blocks_per_sm > 0
                                      ? grid->launch->occupancy.blocks_per_sm
                                      : 1);
    if (grid->launch->cooperative && n < grid->nblocks) n = grid->nblocks;
    if (n > grid->nblocks) n = grid->nblocks;
    return n ? (uint32_t)n : 1;
}

/* Asked for once: the answer takes as long as a small launch. */
static uint64_t host_cores(void) {
    static long cores;
    long n = __atomic_load_n(&cores, __ATOMIC_RELAXED);
    if (!n) n = sysconf(_SC_NPROCESSORS_ONLN);
    __atomic_store_n(&cores, n, __ATOMIC_RELAXED);
    return n > 0 ? (uint64_t)n : 1;
}

/* Host threads to use. One thread: if the order of blocks matters; if the grid is cooperative,
 * since all its blocks are resident on one worker; and with --check, whose shadow memory has no
 * locks. */
static unsigned host_threads(const struct grid *grid) {
    uint64_t n = grid->launch->threads ? grid->launch->threads : host_cores();
    if (grid->kernel->serial || grid->launch->cooperative || grid->launch->check ||
        grid->launch->in_order)
        return 1;
    if (n > grid->to_run) n = grid->to_run;
    return n < 1 ? 1 : n > MAX_HOST_THREADS ? MAX_HOST_THREADS : (unsigned)n;
}

/* ---- Counters ---- */

/* Add what a worker counted. Handlers only count entries of basic blocks (tallies); costs[i] says
 * what an entry of tally i stands for. */
static void grid_collect(struct worker *worker, struct counters *counters) {
    source_collect(worker->grid->launch->source, worker);
    counters_add(counters, &worker->counters);
    struct trace *trace = worker->grid->launch->trace;
    uint32_t n = worker->kernel->ntallies;
    if (trace && worker->longest > trace->longest) trace->longest = worker->longest;
    if (trace) trace->polls += worker->polls;
    if (trace && !trace->tallies) trace->tallies = need(calloc(n + 1, sizeof *trace->tallies));
    for (uint32_t i = 0; trace && i < n; i++) {
        trace->tallies[i].warps += worker->tallies[i].warps;
        trace->tallies[i].threads += worker->tallies[i].threads;
    }
    for (uint32_t i = 0; i < n; i++)
        counters_add_block(counters, &worker->kernel->costs[i], worker->tallies[i].warps,
                           worker->tallies[i].threads);
}

/* ---- Running ---- */

/* The host threads of a launch. workers[0] runs on the thread that launches; workers[i] runs on
 * threads[i]. Only the first thread writes this; the others read started alone. */
struct crew {
    struct worker *workers;
    unsigned n, started; /* started: workers that run, workers[0] included. Atomic */
    pthread_t threads[MAX_HOST_THREADS];
};

/* The first worker calls this before each turn of a block. Short launches end before ALONE_NS and
 * start no thread. */
void grid_call_helpers(struct grid *grid) {
    struct crew *crew = grid->crew;
    if (crew->started == crew->n || now_ns() - grid->started_ns < ALONE_NS) return;
    while (crew->started < crew->n) {
        unsigned i = crew->started;
        worker_open(&crew->workers[i], grid, true);
        if (pthread_create(&crew->threads[i], NULL, worker_run, &crew->workers[i]) != 0) {
            worker_close(&crew->workers[i]);
            crew->n = i; /* the system gives no more threads: go on with these */
            return;
        }
        __atomic_store_n(&crew->started, i + 1, __ATOMIC_RELAXED);
    }
}

/* What the grid's arrays show of the sectors that it touched. */
static void take_footprint(const struct touched *touched, struct counters *counters) {
    counters->footprint_read_sectors = touched->loaded;
    counters->footprint_write_sectors = touched->stored;
    counters->footprint_sectors = touched->either;
    counters->footprint_lines = touched->lines;
    counters->footprint_write_lines = touched->stored_lines;
    counters->footprint_fetched_sectors = touched->fetched;
    counters->footprint_partial_sectors = touched->partial;
    counters->footprint_partial_lines = touched->partial_lines;
}

/* The first block and the last are among the traced ones, so they show where the grid's part of an
 * array begins and ends. */
void grid_traced(struct grid *grid) {
    struct launch *launch = grid->launch;
    struct touched touched = {0};
    struct counters expected = {0};
    bool others = __atomic_load_n(&grid->next_block, __ATOMIC_RELAXED) < grid->nblocks;
    bool helped = __atomic_load_n(&grid->crew->started, __ATOMIC_RELAXED) > 1;
    bool failed = __atomic_load_n(&grid->fault_block, __ATOMIC_RELAXED) != UINT64_MAX;
    if (!launch->traced || !others || !helped || failed) return;
    memory_touch_expect(&touched);
    take_footprint(&touched, &expected);
    launch->traced(launch, &expected);
}

/* Did blocks race, or may they have? Then undo what they wrote, unless they ran in order and were
 * watched exactly. */
static void settle_races(struct grid *grid, const struct crew *crew) {
    struct races *races = grid->races;
    struct race_report *report = grid->launch->races;
    if (!races || grid->fault_block != UINT64_MAX) return;
    for (unsigned i = 0; i < crew->started; i++) races_collect(races, &crew->workers[i]);
    report->bytes = races_bytes(races);
    report->suspect = races->suspect;
    report->undone =
        (report->bytes || report->suspect) && races_undo(races, crew->workers, crew->started);
}

/* The first worker uses atomic host instructions from the start where others may join it. */
static void crew_open(struct crew *crew, struct grid *grid) {
    crew->n = host_threads(grid);
    crew->started = 1;
    crew->workers = need(aligned_alloc(_Alignof(struct worker), crew->n * sizeof *crew->workers));
    grid->crew = crew;
    grid->traced_first = grid->launch->trace && crew->n > 1 && !grid->order;
    worker_open(&crew->workers[0], grid, crew->n > 1);
    crew->workers[0].is_first = true;
}

/* Wait for the other threads, and add up what all have counted. */
static void crew_close(struct crew *crew, struct grid *grid, struct counters *counters) {
    for (unsigned i = 1; i < crew->started; i++) pthread_join(crew->threads[i], NULL);
    settle_races(grid, crew);
    for (unsigned i = 0; i < crew->started; i++) {
        grid_collect(&crew->workers[i], counters);
        worker_close(&crew->workers[i]);
    }
    free(crew->workers);
}

/* The blocks that run next. */
static void choose_blocks(struct grid *grid, const uint64_t *order, uint64_t n) {
    grid->order = order;
    grid->to_run = n;
    grid->next_block = 0;
}

/* ---- Waiting for nested launches ---- */

/* The text printed so far goes out before the text of the grids that run now. They count their own
 * sectors. They may free memory, so cached allocations are forgotten. Their time does not count
 * towards this grid's limit. Called on the only thread of the launch: kernels that launch are
 * serial. */
int grid_wait(struct worker *worker, struct block *block, bool *stops) {
    struct grid *grid = worker->grid;
    const struct launch *launch = grid->launch;
    if (!launch->children || !launch->device_runtime || !launch->device_runtime->wait)
        return SIM_ERROR_NOT_SUPPORTED;
    output_add(grid->output, block);
    output_flush(grid->output);
    /* a sector touched before and after the wait counts twice */
    memory_touch_collect(&grid->touched);
    int error = launch->device_runtime->wait(launch, stops);
    memset(worker->alloc_caches, 0, grid->kernel->nalloc_caches * sizeof *worker->alloc_caches);
    worker->seen_ns = thread_ns();
    worker->seen_tick_ns = tick_ns();
    return error;
}

/* ---- A launch ---- */

/* Memory of a cooperative grid's barrier: word 0 is the size, word 1 the count of arrivals, which
 * cooperative groups expect to begin at 0. */
static void open_workspace(struct grid *grid) {
    if (!grid->launch->cooperative || !grid->kernel->cooperative_grid) return;
    struct allocation *workspace =
        memory_allocate(WORKSPACE_BYTES, ALLOC_GLOBAL_VAR, "grid barrier");
    if (!workspace) return;
    uint32_t *words = (uint32_t *)(workspace->address + (uintptr_t)workspace->delta);
    memset(words, 0, WORKSPACE_BYTES);
    words[0] = WORKSPACE_BYTES;
    grid->workspace_address = workspace->address;
}

static void grid_open(struct grid *grid, struct launch *launch, struct fault *fault) {
    uint64_t bytes = launch->kernel->entry->param_bytes;
    *grid = (struct grid){
        .launch = launch, .kernel = launch->kernel, .fault = fault, .fault_block = UINT64_MAX};
    grid->nblocks = grid->to_run = shape_blocks(&launch->shape);
    grid->block_threads = (uint32_t)shape_threads(&launch->shape);
    grid->shared_bytes = shared_bytes(launch);
    grid->local_stride = local_stride(launch);
    grid->resident_blocks = grid_resident_blocks(grid);
    grid->limit_ns = timeout_ns();
    grid->started_ns = now_ns();
    grid->started_clock = clock();
    grid->on_terminal = isatty(STDERR_FILENO);
    grid->id = __atomic_add_fetch(&grid_count, 1, __ATOMIC_RELAXED);
    grid->params = need(calloc(1, bytes + 8));
    grid->output = output_new();
    if (bytes) memcpy(grid->params, launch->params, bytes);
    if (launch->heap_bytes) device_heap_set_limit(launch->heap_bytes);
    if (launch->printf_bytes) device_printf_set_limit(launch->printf_bytes);
    open_workspace(grid);
    if (launch->check) grid->check = check_grid_open(grid);
}

static void grid_close(struct grid *grid) {
    const struct race_report *races = grid->launch->races;
    if (races && races->undone)
        output_drop(grid->output);
    else
        output_print(grid->output);
    if (grid->check) check_grid_close(grid->check);
    if (grid->check) report_launch(device_printf_flush);
    free(grid->params);
    progress_clear(grid);
}

/* Of a sample, the blocks between the edges run first: their counts stand for all between. */
bool kernel_launch(struct launch *launch, struct counters *counters, struct fault *fault) {
    struct grid grid;
    struct touched whole = {0};
    uint64_t sample = sample_blocks(launch), *order = sample ? sample_choose(launch, sample) : NULL;
    unsigned threads;
    memset(counters, 0, sizeof *counters);
    if (launch->kernel->prints) device_printf_use();
    grid_open(&grid, launch, fault);
    if (launch->races && !sample)
        grid.races = races_open(&grid, !launch->suspect || host_threads(&grid) > 1);
    if (sample) choose_blocks(&grid, order + 1, sample - 2);
    for (bool edges = false;; edges = true) {
        struct crew crew;
        crew_open(&crew, &grid);
        worker_run(&crew.workers[0]);
        crew_close(&crew, &grid, counters);
        if (!edges) threads = crew.started;
        if (!sample || edges) break;
        sample_scale(counters, grid.nblocks, sample);
        order[1] = order[sample - 1];
        choose_blocks(&grid, order, 2);
    }
    if (sample) memory_touch_grow(&grid.touched, (double)grid.nblocks / (double)sample);
    free(order);
    if (grid.workspace_address) memory_free(grid.workspace_address);
    if (launch->repeat) repeat_take_touched(launch->repeat, counters);
    races_close(grid.races);
    memory_touch_collect(sample ? &whole : &grid.touched);
    take_footprint(&grid.touched, counters);
    counters->load_partitions = (uint64_t)__builtin_popcount(grid.partitions[0]);
    counters->store_partitions = (uint64_t)__builtin_popcount(grid.partitions[1]);
    bench_note(&grid, threads, counters);
    /* bench_note() needs counters even where the caller wants none. */
    if (!launch->count) memset(counters, 0, sizeof *counters);
    grid_close(&grid);
    return grid.fault_block == UINT64_MAX;
}
