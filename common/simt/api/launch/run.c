/* api/launch/run.c: runs a launch: its grid, the grids that it launches, its time, and its row in
 * the profile. */
#include "launch.h"

#include "simt/api/clock.h"
#include "simt/api/hints.h"
#include "simt/check/host.h"
#include "simt/machine/trace.h"
#include "simt/run/grid.h"
#include "simt/run/repeat.h"
#include "simt/run/sample.h"
#include "simt/see/see.h"
#include "simt/see/source.h"
#include "simt/time/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies the arguments to a parameter block in the kernel's layout, to be freed; NULL: no memory.
 */
static void *pack(const struct rt_request *request) {
    const struct ptx_function *entry = request->function->entry;
    void **arguments = request->arguments;
    char *block = calloc(1, entry->param_bytes + 1);
    if (block && request->params) memcpy(block, request->params, entry->param_bytes);
    if (!block || !arguments) return block;
    for (int i = 0; i < entry->nparams; i++)
        memcpy(block + entry->frame[i].offset, arguments[i], entry->frame[i].size);
    return block;
}

static struct launch describe(const struct rt_request *request, const struct occupancy *occupancy,
                              const void *params) {
    return (struct launch){
        .kernel = request->function->kernel,
        .shape = request->shape,
        .params = params,
        .gpu = rt.gpu,
        .threads = rt.threads,
        .sample = rt.sample,
        .resident_blocks_per_sm = (uint32_t)occupancy->blocks_per_sm,
        .cooperative = request->cooperative,
        .count = rt.count,
        .check = rt.check,
        .stack_bytes = rt_stack_bytes(),
        .heap_bytes = rt_heap_bytes(),
        .printf_bytes = rt_printf_bytes(),
        .depth = request->depth,
        .waiting = request->waiting,
        .device_runtime = &rt_device_runtime,
        .idles = rt_async_kernel_idle,
        .beside = rt_async_kernel_is_job(),
        .clock_base = (uint64_t)(rt_work_expected(request->stream) + request->later_ns),
    };
}

/* Bytes in a device's L2 that its DRAM does not have. */
static double dirty[MAX_DEVICES];

void rt_l2_stored(int device, size_t bytes) {
    dirty[device] = traffic_dirty(rt.gpu, dirty[device], (double)bytes);
}

void rt_l2_reset(void) {
    dirty[device_current()] = 0;
}

/* A grid that runs, and its time. */
struct timed_run {
    const struct rt_request *request;
    struct profile_row *row;
    struct source *source; /* NULL: not wanted */
    struct watch *watch;   /* the same */
    struct trace trace;
    struct replayed *replayed; /* while the grid still ran; NULL: not */
};

static struct timing_launch timing_launch_of(struct timed_run *run,
                                             const struct counters *counters) {
    return (struct timing_launch){.shape = run->request->shape,
                                  .occupancy = run->row->occupancy,
                                  .code_bytes = run->request->function->code_bytes,
                                  .nested = run->request->depth > 0,
                                  .counters = counters,
                                  .kernel = run->request->function->kernel,
                                  .trace = &run->trace,
                                  .threads = rt.threads,
                                  .before = run->replayed,
                                  .insn_cycles = source_insn_cycles(run->source),
                                  .watch = run->watch};
}

/* Replays the traced blocks, which have ended, on a thread of the grid. The other blocks are
 * expected to store as much, and every sector once at least: a trace that was cut off has not all
 * stores. */
static void replay_traced(void *argument, const struct counters *footprint) {
    struct timed_run *run = argument;
    struct counters expected = *footprint;
    trace_finish(&run->trace);
    expected.gst_sectors =
        (uint64_t)(run->trace.stores_per_block * (double)run->trace.blocks + 0.5);
    if (expected.gst_sectors < footprint->footprint_write_sectors)
        expected.gst_sectors = footprint->footprint_write_sectors;
    struct timing_launch launch = timing_launch_of(run, &expected);
    run->replayed = timing_replay(rt.gpu, &launch);
}

/* Models the kernel's time. */
static void take_time(struct timed_run *run, struct timing *timing) {
    if (!run->replayed) trace_finish(&run->trace);
    struct timing_launch launch = timing_launch_of(run, &run->row->counters);
    timing_kernel(rt.gpu, &launch, timing);
}

/* Completes it by what ran before. */
static void take_order(struct timing *timing) {
    timing_after_previous(rt.gpu, dirty[device_current()], timing);
    dirty[device_current()] = timing->dirty;
}

static void write_source(struct source *source, const struct profile_row *row,
                         const struct timing *timing) {
    struct source_launch launch = {row->launch, row->parent, row->kernel, timing};
    source_write(source, &launch);
}

/* Runs the grid once. What it writes down begins anew. */
static bool run_once(struct timed_run *run, struct launch *launch, struct fault *fault) {
    const struct rt_request *request = run->request;
    launch->source = run->source = source_new(launch->kernel);
    if (rt.timing) {
        trace_open(&run->trace, &request->shape,
                   timing_replayed(rt.gpu, request->function->kernel, &request->shape));
        launch->trace = &run->trace;
        launch->traced = replay_traced;
        launch->traced_argument = run;
    }
    run->row->sampled = sample_blocks(launch);
    return kernel_launch(launch, &run->row->counters, fault);
}

static void forget_run(struct timed_run *run) {
    source_drop(run->source);
    trace_close(&run->trace);
    free(run->replayed);
    run->replayed = NULL;
}

/* Runs the grid. If blocks may have raced, undoes that and runs them in order, to see whether they
 * do. Blocks that are known to race run in order, and are watched no more. */
static bool run_in_order_if_raced(struct timed_run *run, struct launch *launch,
                                  struct fault *fault) {
    struct rt_function *function = run->request->function;
    struct race_report races = {0};
    launch->races = function->races ? NULL : &races;
    launch->suspect = function->suspect;
    launch->in_order = function->races || launch->see;
    bool ok = run_once(run, launch, fault);
    function->suspect |= races.suspect;
    if (races.undone) {
        forget_run(run);
        races = (struct race_report){0};
        launch->in_order = launch->suspect = true;
        ok = run_once(run, launch, fault);
    }
    if (races.bytes) rt_hint_races(function, races.bytes);
    function->races |= races.bytes != 0;
    return ok;
}

/* What is known of launches like this one. NULL: it runs whatever ran before. Results of blocks
 * that race are those of an order, so their kernels always run. */
static struct repeat *repeat_of(const struct rt_function *function, const struct launch *launch) {
    bool any = !rt.rerun && !function->suspect && !source_is_open();
    return any ? repeat_open(launch) : NULL;
}

/* Runs the grid, which repeats no earlier one, and models its time. */
static bool run_timed(struct timed_run *run, struct launch *launch, struct timing *timing,
                      struct fault *fault) {
    if (launch->repeat) repeat_begin(launch->repeat);
    bool ok = run_in_order_if_raced(run, launch, fault);
    if (launch->see && !ok) see_launched(launch->see, fault->report);
    if (ok && rt.timing) take_time(run, timing);
    if (launch->repeat && ok && !run->request->function->suspect)
        repeat_end(launch->repeat, &run->row->counters, timing);
    else if (launch->repeat)
        repeat_drop(launch->repeat);
    return ok;
}

/* Runs the grid's own blocks. Not inlined: its stack frame must be gone while the nested grids run,
 * thousands of levels deep. */
static __attribute__((noinline)) cudaError_t run_blocks(const struct rt_request *request,
                                                        struct children *children,
                                                        struct profile_row *row,
                                                        struct timing *timing) {
    struct fault fault = {0};
    struct timed_run run = {.request = request, .row = row};
    void *params = pack(request);
    if (!params) return cudaErrorMemoryAllocation;
    struct launch launch = describe(request, &row->occupancy, params);
    launch.children = children;
    launch.see = see_launch(&launch);
    run.watch = see_watch(launch.see);
    launch.repeat = repeat_of(request->function, &launch);
    bool repeats = launch.repeat && repeat_serves(launch.repeat, &row->counters, timing);
    bool ok = repeats || run_timed(&run, &launch, timing, &fault);
    rt_hint_sampled(row->sampled > 0);
    free(params);
    if (ok && rt.timing) take_order(timing);
    if (ok) write_source(run.source, row, rt.timing ? timing : NULL);
    forget_run(&run);
    if (!ok && !rt_faulted())
        rt_fault(&fault); /* no second report on a kernel that waited for a failed one */
    return ok ? cudaSuccess : (cudaError_t)fault.error;
}

/* The time of a kernel of the host, with all that it launched. */
static void set_time(struct work *work, const struct rt_request *request,
                     const struct timing *timing) {
    work->rounds = timing->rounds > 0 ? timing->rounds : 1; /* 0: not modelled */
    work->length_ns = timing->event_ns;
    if (request->in_graph)
        work->length_ns = fmax(0, timing->event_ns - rt_cost_ns("launch without a graph"));
    work->shown_ns = fmin(timing->time_ns - rt.gpu->ncu_ns, work->length_ns);
}

/* Makes a kernel's work, but for its time. */
static struct work *work_of(const struct rt_request *request, const struct profile_row *row) {
    struct work *work = rt_work_new(request->stream, WORK_COMPUTE);
    work->idle_ns = rt.timing ? transfer_event_way_ns(rt.gpu) : 0;
    if (request->in_graph) work->queue = WORK_NO_QUEUE;
    struct timeline_row *shown = rt_work_show(work, request->stream, TIMELINE_KERNEL, row->kernel);
    memcpy(shown->grid, row->shape.grid, sizeof shown->grid);
    memcpy(shown->block, row->shape.block, sizeof shown->block);
    shown->correlation = request->call;
    shown->registers = row->registers;
    shown->static_shared = row->static_shared;
    shown->dynamic_shared = row->shape.dynamic_shared;
    return work;
}

/* Runs the grid, and then the grids that its threads launched. */
static cudaError_t run_tree(const struct rt_request *request, struct profile_row *row,
                            struct timing *timing) {
    struct children children;
    struct rt_parent parent = {.request = request, .launch = row->launch, .children = &children};
    children_open(&children);
    children.parent = &parent;
    cudaError_t error = run_blocks(request, &children, row, timing);
    if (!error) error = rt_children_run(&parent, row, timing);
    free(parent.waited);
    children_close(&children);
    return error;
}

cudaError_t rt_launch_run(const struct rt_request *request, struct profile_row *row,
                          struct timing *timing) {
    row->launch = profile_number();
    cudaError_t error = run_tree(request, row, timing);
    row->failure = error ? cudaGetErrorName(error) : NULL;
    row->timing = !error && rt.timing ? timing : NULL;
    profile_write(row);
    return error;
}

static cudaError_t run(const struct rt_request *request, struct profile_row *row,
                       struct timing *timing) {
    cudaError_t error = rt_launch_run(request, row, timing);
    if (!error && rt.timing)
        rt_hint_kernel(timing->time_ns, request->function->kernel->machine_code);
    return error;
}

/* rt_fault keeps a fault for later; a kernel that could not start gives its error now. */
cudaError_t rt_launch_now(const struct rt_request *request, struct profile_row *row) {
    struct timing timing = {0};
    cudaError_t error = run(request, row, &timing);
    if (!error) {
        struct work *work = work_of(request, row);
        order_after_all(&work->order);
        set_time(work, request, &timing);
        rt_work_enqueue(request->stream, work);
    }
    return rt_faulted() ? cudaSuccess : error;
}

/* A launch that has not run yet. */
struct later {
    struct rt_request request;
    struct profile_row row;
    bool pending; /* it was given to its stream before it ran */
};

/* Tells the checker whose accesses these are. */
static void name_work(const struct work *work, const struct rt_request *request) {
    char kernel[256], stream[RT_STREAM_NAME];
    struct text text = {kernel, sizeof kernel};
    text_name(&text, request->function->name);
    order_begin(work->order, "kernel %s in %s", kernel, rt_stream_name(request->stream, stream));
}

static void run_later(struct work *work, enum work_effect effect) {
    struct later *later = work->context;
    int caller = device_current();
    if (effect != WORK_ENDS && !rt_faulted()) {
        struct timing timing = {0};
        device_use(later->request.stream->device);
        name_work(work, &later->request);
        if (!run(&later->request, &later->row, &timing)) set_time(work, &later->request, &timing);
        order_end();
        if (later->pending) later->request.stream->expected_ns += work->length_ns;
        device_use(caller);
    }
    if (effect != WORK_ENDS && rt_faulted()) work->row.correlation = 0;
    if (effect == WORK_BEGINS) return;
    free((void *)later->request.params);
    free(later);
}

cudaError_t rt_launch_later(const struct rt_request *request, const struct profile_row *row) {
    struct later *later = malloc(sizeof *later);
    void *params = pack(request);
    if (!later || !params) {
        free(later);
        free(params);
        return cudaErrorMemoryAllocation;
    }
    *later = (struct later){.request = *request, .row = *row};
    later->request.arguments = NULL;
    later->request.params = params;
    struct work *work = work_of(request, row);
    work->rounds = 1;
    work->effect = run_later;
    work->context = later;
    later->pending = rt_work_defers();
    if (!later->pending) work_act(work);
    rt_work_enqueue(request->stream, work);
    return cudaSuccess;
}

struct profile_row rt_launch_row(const struct rt_request *request) {
    return (struct profile_row){
        .kernel = request->function->name,
        .shape = request->shape,
        .static_shared = (size_t)request->function->static_shared,
        .registers = rt_function_registers(request->function, (int)shape_threads(&request->shape)),
        .gpu = rt.gpu,
        .parent = request->parent,
    };
}
