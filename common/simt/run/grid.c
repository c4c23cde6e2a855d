/*
 * run/grid.c: kernel_launch: set a grid up, run its blocks on the host's threads, add up what they counted.
 *
 * Blocks are independent, so every host thread takes the next one in launch order and keeps counters of its own; sums
 * do not depend on who ran what. Kernels whose results may depend on the order of blocks (run/block_order.c), and
 * cooperative ones, run on one thread.
 */
#include "grid.h"
#include "lib/memory.h"
#include "run.h"
#include "simt/check/check.h"
#include "simt/device/gpu.h"
#include "simt/machine/nested.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_HOST_THREADS    256
#define MAX_RESIDENT_BLOCKS 1024  /* of a grid that spins: bounds the host memory for their registers */
#define ALONE_NS            50000 /* a launch shorter than this is not worth a second host thread */
#define WORKSPACE_BYTES     64    /* of a cooperative grid; the barrier's word is the second */

static uint64_t grid_count;

/* ---- Limits ---- */

/* Where SIMT_TIMEOUT does not say so, no kernel is stopped: it may have as much to do as that. */
static int64_t timeout_ns(void) {
    const char *text = getenv("SIMT_TIMEOUT");
    double seconds = text ? atof(text) : 0;
    return seconds > 0 ? (int64_t)(seconds * 1e9) : 0;
}

static uint32_t align_up(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

static uint32_t shared_bytes(const struct launch *launch) {
    const struct kernel *kernel = launch->kernel;
    if (!launch->shape.dynamic_shared) return kernel->static_shared;
    return align_up(kernel->static_shared, kernel->dynamic_align) + (uint32_t)launch->shape.dynamic_shared;
}

/* Local memory of a thread: what the kernel and its calls need, or where that has no bound, its own and the stack
 * limit. */
static uint32_t local_stride(const struct launch *launch) {
    const struct kernel *kernel = launch->kernel;
    uint64_t bytes = kernel->local_bytes;
    if (kernel->recursive) bytes += launch->stack_bytes ? launch->stack_bytes : 1024;
    return align_up((uint32_t)bytes, 16);
}

/* Blocks that may be there at once, should they wait for each other. */
static uint32_t resident_blocks(const struct grid *grid) {
    uint64_t sms = grid->launch.gpu ? (uint64_t)grid->launch.gpu->sms : 1;
    uint64_t n = sms * (grid->launch.resident_blocks_per_sm ? grid->launch.resident_blocks_per_sm : 1);
    if (grid->launch.cooperative && n < grid->nblocks) n = grid->nblocks;
    if (!grid->launch.cooperative && n > MAX_RESIDENT_BLOCKS) n = MAX_RESIDENT_BLOCKS;
    if (n > grid->nblocks) n = grid->nblocks;
    return n ? (uint32_t)n : 1;
}

static unsigned host_threads(const struct grid *grid) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t n = grid->launch.threads ? grid->launch.threads : cores > 0 ? (uint64_t)cores : 1;
    if (grid->kernel->serial || grid->launch.cooperative || grid->launch.check) return 1;
    if (n > grid->nblocks) n = grid->nblocks;
    return n < 1 ? 1 : n > MAX_HOST_THREADS ? MAX_HOST_THREADS : (unsigned)n;
}

/* ---- Counters ---- */

static void collect(const struct worker *worker, struct counters *counters) {
    counters_add(counters, &worker->counters);
    for (uint32_t i = 0; i < worker->kernel->ntallies; i++)
        counters_add_block(counters, &worker->kernel->costs[i], worker->tallies[i].warps, worker->tallies[i].threads);
}

/* ---- Running ---- */

/* The host threads of a launch. The first begins alone; the others are started when the launch turns out to take long
 * enough. */
struct crew {
    struct worker *workers;
    unsigned n, started; /* the first one is started from the beginning */
    pthread_t threads[MAX_HOST_THREADS];
};

static void *run_worker(void *argument) {
    worker_run(argument);
    return NULL;
}

void grid_call_helpers(struct grid *grid) {
    struct crew *crew = grid->crew;
    if (crew->started == crew->n || now_ns() - grid->started_ns < ALONE_NS) return;
    while (crew->started < crew->n) {
        unsigned i = crew->started;
        worker_open(&crew->workers[i], grid, true);
        if (pthread_create(&crew->threads[i], NULL, run_worker, &crew->workers[i]) != 0) {
            worker_close(&crew->workers[i]);
            crew->n = i; /* the system gives no more */
            return;
        }
        crew->started++;
    }
}

/* Returns the host threads used. */
static unsigned run_grid(struct grid *grid, struct counters *counters) {
    struct crew crew = {.n = host_threads(grid), .started = 1};
    crew.workers = need(aligned_alloc(_Alignof(struct worker), crew.n * sizeof *crew.workers));
    grid->crew = &crew;
    worker_open(&crew.workers[0], grid, crew.n > 1);
    crew.workers[0].is_first = true;
    worker_run(&crew.workers[0]);
    for (unsigned i = 1; i < crew.started; i++) pthread_join(crew.threads[i], NULL);
    for (unsigned i = 0; i < crew.started; i++) {
        collect(&crew.workers[i], counters);
        worker_close(&crew.workers[i]);
    }
    free(crew.workers);
    return crew.started;
}

/* ---- Waiting for nested launches ---- */

/* Sectors touched since this was called last count again. */
static void collect_touched(struct grid *grid) {
    uint64_t touched[3];
    memory_touch_collect(&touched[0], &touched[1], &touched[2]);
    for (int i = 0; i < 3; i++) grid->touched[i] += touched[i];
}

/* The grids that run meanwhile print behind what this one has printed, count their own sectors, and may free memory. */
int grid_wait(struct worker *worker, struct block *block, bool *stops) {
    struct grid *grid = worker->grid;
    const struct launch *launch = &grid->launch;
    if (!launch->children || !launch->device_runtime || !launch->device_runtime->wait) return SIM_ERROR_NOT_SUPPORTED;
    output_add(grid->output, block);
    output_flush(grid->output);
    collect_touched(grid);
    int error = launch->device_runtime->wait(launch->children, stops);
    memset(worker->alloc_caches, 0, grid->kernel->nalloc_caches * sizeof *worker->alloc_caches);
    worker->seen_ns = thread_ns();
    return error;
}

/* A cooperative grid's barrier: cooperative groups add to the word behind the size, and expect it to begin as 0. */
static struct allocation *open_workspace(struct grid *grid) {
    if (!grid->launch.cooperative || !grid->kernel->cooperative_grid) return NULL;
    struct allocation *workspace = memory_allocate(WORKSPACE_BYTES, ALLOC_GLOBAL_VAR, "grid barrier");
    if (!workspace) return NULL;
    uint32_t *words = (uint32_t *)(workspace->address + (uintptr_t)workspace->delta);
    memset(words, 0, WORKSPACE_BYTES);
    words[0] = WORKSPACE_BYTES;
    grid->workspace_address = workspace->address;
    return workspace;
}

static struct grid describe(const struct launch *launch, struct fault *fault) {
    struct grid grid = {.launch = *launch, .kernel = launch->kernel, .fault = fault, .fault_block = UINT64_MAX};
    grid.nblocks = shape_blocks(&launch->shape);
    grid.block_threads = (uint32_t)shape_threads(&launch->shape);
    grid.shared_bytes = shared_bytes(launch);
    grid.local_stride = local_stride(launch);
    grid.resident_blocks = resident_blocks(&grid);
    grid.limit_ns = timeout_ns();
    grid.started_ns = now_ns();
    grid.on_terminal = isatty(STDERR_FILENO);
    grid.id = __atomic_add_fetch(&grid_count, 1, __ATOMIC_RELAXED);
    return grid;
}

bool kernel_launch(const struct launch *launch, struct counters *counters, struct fault *fault) {
    uint64_t bytes = launch->kernel->entry->param_bytes;
    struct grid grid = describe(launch, fault);
    memset(counters, 0, sizeof *counters);
    grid.params = need(calloc(1, bytes + 8));
    grid.output = output_new();
    if (bytes) memcpy(grid.params, launch->params, bytes);
    if (launch->heap_bytes) device_heap_set_limit(launch->heap_bytes);
    struct allocation *workspace = open_workspace(&grid);
    if (launch->check) grid.check = check_grid_open(&grid);
    bench_note(&grid, run_grid(&grid, counters), counters);
    if (workspace) memory_free(workspace->address);
    collect_touched(&grid);
    counters->footprint_read_sectors = grid.touched[0];
    counters->footprint_write_sectors = grid.touched[1];
    counters->footprint_sectors = grid.touched[2];
    if (!launch->count) memset(counters, 0, sizeof *counters);
    output_print(grid.output);
    if (grid.check) check_grid_close(grid.check);
    if (grid.check) report_launch();
    free(grid.params);
    progress_clear(&grid);
    return grid.fault_block == UINT64_MAX;
}
