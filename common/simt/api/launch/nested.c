/*
 * api/launch/nested.c: nested launches: the checks, the runs, and what device code can query.
 *
 * Time: the simulator runs the grids one after the other; in modelled time they run concurrently,
 * as far as their streams allow (time/launch_tree.h).
 *
 * Counters: the row of a launch has the sums over its whole tree, as on a GPU, where a profiler
 * sees the host's kernels only. The children's rows name their parent.
 */
#include "launch.h"
#include "lib/memory.h"
#include "module.h"
#include "simt/api/extra.h"
#include "simt/device/l2.h"
#include "simt/time/launch_tree.h"
#include "simt/time/transfer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most grids in a chain of launches, including the host's. NVIDIA's guide says 24, but an H200
 * with CUDA 13 limits only the pending launches (tail launches went 20000 deep). Here each level
 * needs stack. */
#define MAX_DEPTH 4096

/* The most grids that wait for each other, as in CUDA 11. */
#define MAX_WAITING 24

static cudaError_t launch_of_child(const struct child *child, const struct launch *parent,
                                   struct launch *launch) {
    *launch = (struct launch){
        .shape = child->shape,
        .stream = parent ? parent->stream : NULL,
        .depth = parent ? parent->depth + 1 : 0,
        .waiting = parent ? parent->waiting + !child_is_tail(child) : 0,
        .parent = parent ? parent->number : 0,
    };
    cudaError_t error = rt_module_function(child->entry, &launch->function);
    return error ? error : rt_launch_check(launch);
}

/* ---- Queries of the device runtime ---- */

static int check_child(const struct child *child, unsigned depth) {
    struct launch launch;
    if (depth + 1 >= MAX_DEPTH) return cudaErrorLaunchMaxDepthExceeded;
    cudaError_t error = launch_of_child(child, NULL, &launch);
    return error == cudaErrorInvalidValue ? cudaErrorInvalidConfiguration
                                          : (int)error; /* an H200 */
}

static int nested_attribute(int *value, int which, int device) {
    return (int)rt_device_attribute(value, (enum cudaDeviceAttr)which, device);
}

static int nested_limit(size_t *value, int which) {
    return (int)rt_limit(value, (enum cudaLimit)which);
}

static int nested_function_attributes(void *attributes, size_t *size,
                                      const struct ptx_function *entry) {
    struct rt_function *function;
    struct cudaFuncAttributes all;
    cudaError_t error = rt_module_function(entry, &function);
    if (error || sizeof all > *size) return error ? (int)error : (int)cudaErrorInvalidValue;
    all = rt_function_attributes(function);
    memcpy(attributes, &all, sizeof all);
    *size = sizeof all;
    return cudaSuccess;
}

static int nested_active_blocks(int *blocks, const struct ptx_function *entry, int block,
                                size_t dynamic, unsigned flags) {
    struct rt_function *function;
    cudaError_t error = rt_module_function(entry, &function);
    return error ? (int)error
                 : (int)rt_function_active_blocks(blocks, function, block, dynamic, flags);
}

static const char *nested_error_name(int error) {
    return cudaGetErrorName((cudaError_t)error);
}

static const char *nested_error_text(int error) {
    return cudaGetErrorString((cudaError_t)error);
}

/* ---- Running what was queued ---- */

/* The part's weight in a sum. */
static double nested_weight_of(double sum, double part) {
    return sum + part > 0 ? part / (sum + part) : 0;
}

/* Adds a child's work to its parent's. Averages are weighted by the cycles in which multiprocessors
 * had blocks, stalls by those of all their warps. */
static void add_work(struct timing *sum, const struct timing *part) {
    double active = nested_weight_of(sum->active_cycles, part->active_cycles);
    double warps = nested_weight_of(sum->active_cycles * sum->achieved_occupancy,
                                    part->active_cycles * part->achieved_occupancy);
#define AVERAGE(name, weight) sum->name += weight * (part->name - sum->name)
    AVERAGE(achieved_occupancy, active);
    AVERAGE(eligible_warps, active);
    AVERAGE(l1_hit_rate, active);
    AVERAGE(stall_barrier, warps);
    AVERAGE(stall_membar, warps);
    AVERAGE(stall_long_scoreboard, warps);
    AVERAGE(stall_short_scoreboard, warps);
    AVERAGE(stall_wait, warps);
    AVERAGE(stall_branch, warps);
    AVERAGE(stall_drain, warps);
    AVERAGE(stall_throttle, warps);
    AVERAGE(stall_not_selected, warps);
#undef AVERAGE
#define ADD(name) sum->name += part->name
    ADD(dram_read_bytes);
    ADD(dram_write_bytes);
    ADD(l2_read_sectors);
    ADD(l2_write_sectors);
    ADD(active_cycles);
    ADD(pipe_cycles);
    ADD(load_store_cycles);
    ADD(divergence_cycles);
    ADD(l1_cycles);
    ADD(send_cycles);
    ADD(l2_cycles);
#undef ADD
    sum->rounds = fmax(sum->rounds, part->rounds);
}

/* Adds the work of the device's runtime for all launches below a host's kernel: one warp at a
 * time. */
static void add_runtime(struct timing *timing, const struct launch_sums *launched) {
    const struct gpu *gpu = rt.gpu;
    add_work(timing, &(struct timing){
                         .active_cycles = launch_sums_cycles(launched, gpu) / gpu->sms,
                         .achieved_occupancy = (double)WARP_SIZE / gpu->threads_per_sm,
                         .eligible_warps = timing->eligible_warps,
                         .l1_hit_rate = timing->l1_hit_rate,
                         .stall_membar = 100 * gpu->nested_sync_share,
                         .stall_long_scoreboard = 100 * gpu->nested_memory_share,
                         .stall_wait = 100 * gpu->nested_exec_share,
                     });
}

/* Extends the grid's time to the end of its tree. */
static void nested_extend(struct timing *timing, const struct launch_tree *tree,
                          const struct launch *launch) {
    static bool launched_before; /* profilers that begin each launch anew have had one */
    bool first = !launched_before && l2_is_followed();
    double own_ns = launch->depth ? 0 : launch_tree_launching(tree, first);
    double end_ns = launch->depth ? tree->end_ns : fmax(own_ns, launch_tree_end(tree, rt.gpu));
    timing->time_ns += end_ns;
    timing->event_ns += end_ns;
    timing->elapsed_cycles += end_ns * rt.gpu->clock_mhz / 1000;
    timing->launched = tree->sums;
    if (launch->depth) return;
    timing->later_ns = end_ns - own_ns;
    launched_before = true;
    add_runtime(timing, &tree->sums);
    size_t pending = 0;
    rt_limit(&pending, cudaLimitDevRuntimePendingLaunchCount);
    timing->dram_read_bytes += launch_sums_bytes(&tree->sums, rt.gpu, (double)pending);
}

/* ---- The runs ---- */

/* A chain of launches is one of calls, too: what is large of each does not lie on the stack. */
static cudaError_t nested_run_kernel(struct rt_nested *nested, struct child *child) {
    struct {
        struct launch launch;
        struct timing timing;
    } *run = need(calloc(1, sizeof *run));
    double start_ns = launch_tree_start(&nested->tree, rt.gpu, child);
    cudaError_t error = launch_of_child(child, nested->launch, &run->launch);
    run->launch.params = memory_host(child->params, child->entry->param_bytes);
    run->launch.later_ns = nested->start_ns + start_ns;
    if (!error) error = rt_launch_run(&run->launch, &run->timing);
    counters_add(nested->counters, &run->launch.counters);
    add_work(nested->sum, &run->timing);
    launch_tree_add(&nested->tree, rt.gpu, child, start_ns, run->timing.time_ns - rt.gpu->kernel_ns,
                    &run->timing.launched);
    free(run);
    return error;
}

/* Does a queued copy or fill. Fails if the memory has been freed since. */
static cudaError_t run_transfer(struct rt_nested *nested, struct child *child) {
    void *to = memory_host(child->to, child->bytes), *from = memory_host(child->from, child->bytes);
    bool copies = child->work == CHILD_COPY;
    if (!to || (copies && !from)) return cudaErrorIllegalAddress;
    if (copies)
        memmove(to, from, child->bytes);
    else
        memset(to, child->value, child->bytes);
    memory_changed_at(child->to);
    double ns =
        copies ? transfer_within_ns(rt.gpu, child->bytes) : transfer_fill_ns(rt.gpu, child->bytes);
    double start_ns = launch_tree_start(&nested->tree, rt.gpu, child);
    launch_tree_add(&nested->tree, rt.gpu, child, start_ns, ns, &(struct launch_sums){0});
    return cudaSuccess;
}

/* Reports that queued work failed. Not inlined: see run_blocks in api/launch/run.c. */
static __attribute__((noinline)) void nested_give_up(const struct launch *launch,
                                                     cudaError_t error) {
    struct fault fault = {.error = (int)error};
    snprintf(fault.report, sizeof fault.report,
             "Work that kernel %s put in a stream cannot be done: %s", launch->name,
             cudaGetErrorString(error));
    rt_fault(&fault);
}

static cudaError_t run_list(struct rt_nested *nested, struct child *child) {
    cudaError_t error = cudaSuccess;
    for (; child && !error; child = child->next)
        error = child->work == CHILD_KERNEL ? nested_run_kernel(nested, child)
                                            : run_transfer(nested, child);
    if (error && !rt_faulted()) nested_give_up(nested->launch, error);
    return error;
}

/* Sums of nested launches that ran while a block waited. They are added when the grid's own blocks
 * have ended. */
struct rt_waited {
    struct counters counters;
    struct timing timing;
};

static int wait_for_children(const struct launch *launch, bool *stops) {
    struct rt_nested *nested = launch->nested;
    struct children *children = &nested->children;
    struct child_list list = children->ready;
    if (launch->depth + 1 >= MAX_WAITING) return cudaErrorSyncDepthExceeded;
    if (!nested->waited) nested->waited = calloc(1, sizeof *nested->waited);
    if (!nested->waited) return cudaErrorMemoryAllocation;
    nested->counters = &nested->waited->counters;
    nested->sum = &nested->waited->timing;
    nested->start_ns = launch->later_ns;
    children->ready = (struct child_list){0};
    cudaError_t error = run_list(nested, list.first);
    *stops = error;
    if (!list.first) return error;
    list.last->next = children->done.first;
    children->done.first = list.first;
    return error;
}

cudaError_t rt_nested_run(struct rt_nested *nested) {
    struct launch *launch = nested->launch;
    struct timing *timing = nested->timing;
    nested->counters = &launch->counters;
    nested->sum = timing;
    nested->start_ns =
        launch->depth ? launch->later_ns + timing->time_ns - rt.gpu->kernel_ns : timing->event_ns;
    if (nested->waited) {
        counters_add(&launch->counters, &nested->waited->counters);
        add_work(timing, &nested->waited->timing);
    }
    cudaError_t error = run_list(nested, nested->children.ready.first);
    launch_tree_settle(&nested->tree);
    if (!error) error = run_list(nested, nested->children.tail.first);
    if (rt.timing && !error && nested->tree.sums.launches)
        nested_extend(timing, &nested->tree, launch);
    return error;
}

const struct device_runtime rt_device_runtime = {.check = check_child,
                                                 .attribute = nested_attribute,
                                                 .limit = nested_limit,
                                                 .function_attributes = nested_function_attributes,
                                                 .active_blocks = nested_active_blocks,
                                                 .wait = wait_for_children,
                                                 .set_condition = rt_extras_set_condition,
                                                 .error_name = nested_error_name,
                                                 .error_text = nested_error_text,
                                                 .version = CUDART_VERSION};
