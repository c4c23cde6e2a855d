/*
 * api/launch/run.c: one launch, from its check to its row in the profile:
 *
 *   check    rt_launch_check    as CUDA does; fills in what is known before it runs
 *   plan     launch_plan        how to run it, and what to take down
 *   run      run_blocks         its blocks, again in order if they raced
 *   time     take_time          the model's time of the blocks that were traced
 *   record   rt_launch_run      calls these and rt_nested_run; a row in the profile
 */
#include "launch.h"

#include "simt/api/clock.h"
#include "simt/api/hints.h"
#include "simt/api/memory/pages.h"
#include "simt/api/trust.h"
#include "simt/device/l2.h"
#include "simt/explore/explore.h"
#include "simt/machine/trace.h"
#include "simt/run/grid.h"
#include "simt/run/profile.h"
#include "simt/run/repeat.h"
#include "simt/run/sample.h"
#include "simt/see/see.h"
#include "simt/see/source.h"
#include "simt/time/flow_walk.h"
#include "simt/time/traffic.h"

#include <stdlib.h>
#include <string.h>

#define MAX_GRID_X  0x7fffffffu
#define MAX_GRID_YZ 0xffffu
#define MAX_BLOCK_Z 64u

/* The error for a shape that no device accepts. Measured on an H200: an invalid value in CUDA 13,
 * an invalid configuration up to CUDA 12. */
#define BAD_SHAPE (rt_cuda_version >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration)

/* ---- Check ---- */

static bool check_fits(const uint32_t size[3], uint32_t x, uint32_t y, uint32_t z) {
    return size[0] <= x && size[1] <= y && size[2] <= z;
}

static cudaError_t check_shape(const struct launch_shape *shape) {
    if (!shape_blocks(shape) || !shape_threads(shape)) return BAD_SHAPE;
    if (!check_fits(shape->grid, MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ)) return BAD_SHAPE;
    if (!check_fits(shape->block, MAX_THREADS_PER_BLOCK, MAX_THREADS_PER_BLOCK, MAX_BLOCK_Z))
        return BAD_SHAPE;
    return shape_threads(shape) > MAX_THREADS_PER_BLOCK ? BAD_SHAPE : cudaSuccess;
}

/* Checks the block against the kernel's launch bounds and its registers. */
static cudaError_t check_block(const struct rt_function *function, uint64_t threads) {
    uint64_t bound = rt_bound(function->entry->maxntid),
             required = rt_bound(function->entry->reqntid);
    if ((bound && threads > bound) || (required && threads != required))
        return cudaErrorInvalidValue;
    return threads > (uint64_t)rt_function_max_threads(function) ? cudaErrorLaunchOutOfResources
                                                                 : cudaSuccess;
}

/* Checks shared memory. Static and dynamic memory together stay within 48 KiB; if the kernel has
 * opted in to more dynamic memory, within that and the GPU's limit. */
static cudaError_t check_shared(const struct rt_function *function, size_t dynamic) {
    size_t statics = (size_t)function->static_shared, opted = (size_t)function->max_dynamic_shared;
    if (statics > rt.gpu->shared_per_block_optin ||
        dynamic > rt.gpu->shared_per_block_optin - statics)
        return cudaErrorInvalidValue;
    bool by_default = statics + dynamic <= rt.gpu->shared_per_block;
    return by_default || dynamic <= opted ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t rt_launch_check(struct launch *launch) {
    struct rt_function *function = launch->function;
    uint64_t threads = shape_threads(&launch->shape), blocks = shape_blocks(&launch->shape);
    size_t dynamic = launch->shape.dynamic_shared;
    launch->kernel = function->kernel;
    launch->name = function->name;
    launch->gpu = rt.gpu;
    launch->static_shared = (size_t)function->static_shared;
    launch->registers = rt_function_registers(function, (int)threads);
    launch->code_bytes = function->code_bytes;
    cudaError_t error = check_shape(&launch->shape);
    if (!error) error = check_block(function, threads);
    if (!error) error = check_shared(function, dynamic);
    if (error) return error;
    struct occupancy_kernel needs = rt_occupancy_kernel(function, (int)threads);
    if (!occupancy_find(rt.gpu, &needs, (int)threads, dynamic, &launch->occupancy))
        return cudaErrorInvalidValue;
    if (!launch->occupancy.blocks_per_sm) return cudaErrorLaunchOutOfResources;
    /* A cooperative grid is resident all at once. */
    uint64_t room = (uint64_t)launch->occupancy.blocks_per_sm * (uint64_t)rt.gpu->sms;
    return launch->cooperative && blocks > room ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

/* ---- Plan ---- */

/* Blocks that are known to race run in order, and are watched no more. What is known of launches
 * like this one is not asked for where blocks may race: their results are those of an order, so
 * their kernels always run. */
static void launch_plan(struct launch *launch) {
    const struct rt_function *function = launch->function;
    launch->threads = rt.threads;
    launch->sample = rt.sample;
    launch->count = rt.count;
    launch->check = rt.check;
    launch->removed = rt.removed;
    launch->stack_bytes = rt_stack_bytes();
    launch->heap_bytes = rt_heap_bytes();
    launch->printf_bytes = rt_printf_bytes();
    launch->device_runtime = &rt_device_runtime;
    launch->idles = rt_async_kernel_idle;
    launch->async = rt_async_kernel_is_job();
    launch->clock_base = (uint64_t)(rt_work_expected(launch->stream) + launch->later_ns);
    if (!launch->depth)
        explore_launch(&(struct explored){launch, function->entry, function->max_dynamic_shared,
                                          function->carveout});
    launch->see = see_launch(launch);
    launch->watch = see_watch(launch->see);
    launch->suspect = function->suspect;
    launch->in_order = function->races || launch->see;
    if (!rt.rerun && !function->suspect && !source_is_open()) launch->repeat = repeat_open(launch);
}

/* ---- Run ---- */

/* Replays the traced blocks, which have ended, on a thread of the grid. The other blocks are
 * expected to store as much, and every sector once at least: a trace that was cut off has not all
 * stores. */
static void replay_traced(struct launch *launch, const struct counters *footprint) {
    struct launch expected = *launch;
    struct counters *counters = &expected.counters;
    const struct trace *trace = launch->trace;
    trace_finish(launch->trace);
    *counters = *footprint;
    counters->gst_sectors = (uint64_t)(trace->stores_per_block * (double)trace->blocks + 0.5);
    if (counters->gst_sectors < footprint->footprint_write_sectors)
        counters->gst_sectors = footprint->footprint_write_sectors;
    launch->replayed = timing_replay(rt.gpu, &expected);
}

/* Was the device's launch before this one the same, but for its parameters? Its blocks were then on
 * the same multiprocessors. */
static bool is_again(const struct launch *launch) {
    static const struct kernel *kernels[MAX_DEVICES];
    static struct launch_shape shapes[MAX_DEVICES];
    int device = device_current();
    bool again = kernels[device] == launch->kernel &&
                 memcmp(&shapes[device], &launch->shape, sizeof launch->shape) == 0;
    kernels[device] = launch->kernel;
    shapes[device] = launch->shape;
    return again;
}

/* What is taken down begins anew with each run. */
static void begin_run(struct launch *launch, struct trace *trace) {
    launch->source = source_new(launch->kernel);
    launch->insn_cycles = source_insn_cycles(launch->source);
    if (!rt.timing) return;
    launch->l2 = l2_current();
    trace_open(trace, &launch->shape);
    launch->trace = trace;
    launch->traced = replay_traced;
}

static void end_run(struct launch *launch) {
    source_drop(launch->source);
    if (launch->trace) trace_close(launch->trace);
    free(launch->replayed);
    launch->replayed = NULL;
}

/* Runs the grid's own blocks. If they may have raced, undoes that and runs them in order, to see
 * whether they do. Not inlined: its stack frame must be gone while the nested grids run, thousands
 * of levels deep. */
static __attribute__((noinline)) cudaError_t run_blocks(struct launch *launch,
                                                        struct trace *trace) {
    struct rt_function *function = launch->function;
    struct race_report races = {0};
    struct fault fault = {0};
    launch->sampled = sample_blocks(launch);
    launch->races = function->races ? NULL : &races;
    if (launch->repeat) repeat_begin(launch->repeat);
    begin_run(launch, trace);
    bool ok = kernel_launch(launch, &launch->counters, &fault);
    function->suspect |= races.suspect;
    if (races.undone) {
        end_run(launch);
        races = (struct race_report){0};
        launch->in_order = launch->suspect = true;
        l2_forget();
        begin_run(launch, trace);
        ok = kernel_launch(launch, &launch->counters, &fault);
    }
    if (races.bytes) rt_hint_races(function, races.bytes);
    function->races |= races.bytes != 0;
    if (ok) return cudaSuccess;
    if (launch->see) see_launched(launch->see, fault.report);
    /* no second report on a kernel that waited for a failed one */
    if (!rt_faulted()) rt_fault(&fault);
    return (cudaError_t)fault.error;
}

/* ---- Time ---- */

/* Bytes in a device's L2 that its DRAM does not have. */
static double dirty[MAX_DEVICES];

void rt_l2_stored(int device, uintptr_t address, size_t span, size_t bytes) {
    l2_touch(device, address, span);
    l2_settle(device);
    dirty[device] = traffic_dirty(rt.gpu, dirty[device], (double)bytes);
}

void rt_l2_reset(void) {
    dirty[device_current()] = 0;
    l2_flush(device_current());
}

/* Models the kernel's time. Its instructions are then counted on the machine code where a profile
 * asks for them; but not where they are taken down one by one, as those are the PTX's. */
static void take_time(struct launch *launch, struct timing *timing) {
    bool by_insn = source_is_open() || see_is_open();
    if (!launch->replayed) trace_finish(launch->trace);
    launch->l2_found = l2_found();
    timing_kernel(rt.gpu, launch, timing);
    if (profile_has_what_ifs()) timing_what_if(rt.gpu, launch, timing);
    if (!profile_is_open() || by_insn || rt.ptx_counts || launch->depth) return;
    flow_counters(launch->kernel, launch->trace, &launch->counters);
}

/* ---- Record ---- */

/* For later launches that repeat this one. */
static void keep_repeat(const struct launch *launch, bool keeps, const struct timing *timing) {
    if (launch->repeat && keeps)
        repeat_end(launch->repeat, &launch->counters, timing);
    else if (launch->repeat)
        repeat_drop(launch->repeat);
}

cudaError_t rt_launch_run(struct launch *launch, struct timing *timing) {
    struct rt_nested nested = {.launch = launch, .timing = timing};
    struct trace trace;
    rt_pages_begin_work();
    launch->number = profile_number();
    launch->stream_number = launch->stream ? rt_stream_number(launch->stream) : 0;
    launch->nested = &nested;
    launch->children = &nested.children;
    launch->timing = rt.timing ? timing : NULL;
    launch->l2_near = is_again(launch);
    children_open(&nested.children);
    launch_plan(launch);
    bool repeats = launch->repeat && repeat_serves(launch->repeat, &launch->counters, timing);
    cudaError_t error = repeats ? cudaSuccess : run_blocks(launch, &trace);
    bool timed = !error && rt.timing;
    if (timed && !repeats) take_time(launch, timing);
    l2_settle(device_current());
    if (!repeats) keep_repeat(launch, !error && !launch->function->suspect, timing);
    rt_hint_sampled(launch->sampled > 0);
    if (timed) timing_after_previous(rt.gpu, dirty[device_current()], timing);
    if (timed) dirty[device_current()] = timing->dirty;
    if (!error) source_write(launch->source, launch);
    end_run(launch);

    double own_ns = timing->time_ns;
    if (!error) error = rt_nested_run(&nested);
    timing_what_if_add(timing, timing->time_ns - own_ns);
    free(nested.waited);
    children_close(&nested.children);
    if (error) launch->failure = cudaGetErrorName(error);
    profile_write(launch);
    if (launch->depth) return error;
    launch->pages_ns = rt_pages_ns(launch->call);
    if (error || !rt.timing) return error;
    bool machine_code = launch->kernel->machine_code;
    rt_trust_kernel(&launch->counters, machine_code);
    rt_hint_kernel(timing->time_ns + launch->pages_ns);
    return cudaSuccess;
}
