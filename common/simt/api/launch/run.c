/*
 * api/launch/run.c: one launch, from the request to its row in the profile:
 *
 *   plan     rt_launch_plan     checks it, and fills in what is known before it runs
 *   queue    rt_launch          gives it to its stream, or to a capture, or to a thread of its own
 *   run      launch_run_blocks         its blocks, again in order if they raced
 *            rt_children_run    the grids that its threads launched
 *   time     take_time          the model's time of the blocks that were traced
 *   record   rt_launch_run      its row in the profile
 */
#include "launch.h"

#include "refused.h"
#include "simt/api/capture.h"
#include "simt/api/clock.h"
#include "simt/api/hints.h"
#include "simt/api/memory/pages.h"
#include "simt/api/trust.h"
#include "simt/check/host.h"
#include "simt/decode/flow.h"
#include "simt/machine/trace.h"
#include "simt/run/grid.h"
#include "simt/run/repeat.h"
#include "simt/run/sample.h"
#include "simt/see/see.h"
#include "simt/see/source.h"
#include "simt/time/flow_walk.h"
#include "simt/time/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Plan ---- */

cudaError_t rt_launch_plan(struct rt_launch *launch, const struct rt_request *request) {
    struct rt_function *function = request->function;
    *launch = (struct rt_launch){
        .request = *request,
        .row = {
            .kernel = function->name,
            .shape = request->shape,
            .static_shared = (size_t)function->static_shared,
            .registers = rt_function_registers(function, (int)shape_threads(&request->shape)),
            .gpu = rt.gpu,
            .parent = request->parent,
        }};
    return rt_launch_check(request, &launch->row.occupancy);
}

/* Copies the arguments to a parameter block in the kernel's layout, to be freed; NULL: no
 * memory. */
static void *launch_pack(const struct rt_request *request) {
    const struct ptx_function *entry = request->function->entry;
    void **arguments = request->arguments;
    char *block = calloc(1, entry->param_bytes + 1);
    if (block && request->params) memcpy(block, request->params, entry->param_bytes);
    if (!block || !arguments) return block;
    for (int i = 0; i < entry->nparams; i++)
        memcpy(block + entry->frame[i].offset, arguments[i], entry->frame[i].size);
    return block;
}

/* What the grid is told. */
static struct launch launch_describe(const struct rt_launch *launch, const void *params) {
    const struct rt_request *request = &launch->request;
    return (struct launch){
        .kernel = request->function->kernel,
        .shape = request->shape,
        .params = params,
        .gpu = rt.gpu,
        .threads = rt.threads,
        .sample = rt.sample,
        .resident_blocks_per_sm = (uint32_t)launch->row.occupancy.blocks_per_sm,
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

/* ---- Run ---- */

/* What is written down of a grid while it runs. */
struct timed_run {
    const struct rt_launch *launch;
    struct source *source; /* NULL: not wanted */
    struct watch *watch;   /* the same */
    struct trace trace;
    struct replayed *replayed; /* while the grid still ran; NULL: not */
};

static struct timing_launch timing_launch_of(struct timed_run *run,
                                             const struct counters *counters) {
    const struct rt_request *request = &run->launch->request;
    return (struct timing_launch){.shape = request->shape,
                                  .occupancy = run->launch->row.occupancy,
                                  .code_bytes = request->function->code_bytes,
                                  .nested = request->depth > 0,
                                  .counters = counters,
                                  .kernel = request->function->kernel,
                                  .trace = &run->trace,
                                  .threads = rt.threads,
                                  .before = run->replayed,
                                  .insn_cycles = source_insn_cycles(run->source),
                                  .watch = run->watch,
                                  .removed = rt.removed};
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

/* What is written down begins anew with each run. */
static void open_run(struct timed_run *run, struct launch *grid) {
    grid->source = run->source = source_new(grid->kernel);
    if (!rt.timing) return;
    trace_open(&run->trace, &grid->shape, timing_replayed(rt.gpu, grid->kernel, &grid->shape));
    grid->trace = &run->trace;
    grid->traced = replay_traced;
    grid->traced_argument = run;
}

static void close_run(struct timed_run *run) {
    source_drop(run->source);
    trace_close(&run->trace);
    free(run->replayed);
    run->replayed = NULL;
}

/* Runs the grid. If blocks may have raced, undoes that and runs them in order, to see whether they
 * do. Blocks that are known to race run in order, and are watched no more. */
static bool run_again_if_raced(struct timed_run *run, struct launch *grid,
                               struct counters *counters, struct fault *fault) {
    struct rt_function *function = run->launch->request.function;
    struct race_report races = {0};
    grid->races = function->races ? NULL : &races;
    grid->suspect = function->suspect;
    grid->in_order = function->races || grid->see;
    open_run(run, grid);
    bool ok = kernel_launch(grid, counters, fault);
    function->suspect |= races.suspect;
    if (races.undone) {
        close_run(run);
        races = (struct race_report){0};
        grid->in_order = grid->suspect = true;
        open_run(run, grid);
        ok = kernel_launch(grid, counters, fault);
    }
    if (races.bytes) rt_hint_races(function, races.bytes);
    function->races |= races.bytes != 0;
    return ok;
}

/* Models the kernel's time. */
static void take_time(struct timed_run *run, struct timing *timing) {
    if (!run->replayed) trace_finish(&run->trace);
    struct timing_launch launch = timing_launch_of(run, &run->launch->row.counters);
    timing_kernel(rt.gpu, &launch, timing);
    if (profile_has_what_ifs()) timing_what_if(rt.gpu, &launch, timing);
}

/* Are its instructions to be counted on the machine code? What is written down instruction by
 * instruction is the PTX's, and so are the sums then. */
static bool counts_machine_code(const struct rt_launch *launch) {
    bool by_insn = source_is_open() || see_is_open();
    return rt.timing && profile_is_open() && !by_insn && !rt.ptx_counts && !launch->request.depth;
}

/* What is known of launches like this one. NULL: it runs whatever ran before. Results of blocks
 * that race are those of an order, so their kernels always run. */
static struct repeat *repeat_of(const struct rt_function *function, const struct launch *grid) {
    bool any = !rt.rerun && !function->suspect && !source_is_open();
    return any ? repeat_open(grid) : NULL;
}

/* Keeps what a launch did that repeated no earlier one, for later ones that repeat it. */
static void keep_repeat(struct repeat *repeat, bool keeps, const struct rt_launch *launch) {
    if (repeat && keeps)
        repeat_end(repeat, &launch->row.counters, &launch->timing);
    else if (repeat)
        repeat_drop(repeat);
}

/* Runs the grid's own blocks. Not inlined: its stack frame must be gone while the nested grids run,
 * thousands of levels deep. */
static __attribute__((noinline)) cudaError_t launch_run_blocks(struct rt_launch *launch) {
    struct fault fault = {0};
    struct timed_run run = {.launch = launch};
    struct profile_row *row = &launch->row;
    struct timing *timing = &launch->timing;
    void *params = launch_pack(&launch->request);
    if (!params) return cudaErrorMemoryAllocation;
    struct launch grid = launch_describe(launch, params);
    grid.children = &launch->children;
    grid.see = see_launch(&grid);
    run.watch = see_watch(grid.see);
    grid.repeat = repeat_of(launch->request.function, &grid);
    bool ok = grid.repeat && repeat_serves(grid.repeat, &row->counters, timing);
    if (!ok) {
        row->sampled = sample_blocks(&grid);
        if (grid.repeat) repeat_begin(grid.repeat);
        ok = run_again_if_raced(&run, &grid, &row->counters, &fault);
        if (grid.see && !ok) see_launched(grid.see, fault.report);
        if (ok && rt.timing) take_time(&run, timing);
        if (ok && counts_machine_code(launch)) {
            flow_make(grid.kernel, 10 * rt.gpu->cc_major + rt.gpu->cc_minor);
            flow_counters(grid.kernel, &run.trace, &row->counters);
        }
        keep_repeat(grid.repeat, ok && !launch->request.function->suspect, launch);
    }
    rt_hint_sampled(row->sampled > 0);
    free(params);
    if (ok && rt.timing) {
        timing_after_previous(rt.gpu, dirty[device_current()], timing);
        dirty[device_current()] = timing->dirty;
    }
    if (ok)
        source_write(run.source, &(struct source_launch){row->launch, row->parent, row->kernel,
                                                         rt.timing ? timing : NULL});
    close_run(&run);
    /* no second report on a kernel that waited for a failed one */
    if (!ok && !rt_faulted()) rt_fault(&fault);
    return ok ? cudaSuccess : (cudaError_t)fault.error;
}

/* ---- Record ---- */

cudaError_t rt_launch_run(struct rt_launch *launch) {
    struct profile_row *row = &launch->row;
    rt_pages_begin_work();
    row->launch = profile_number();
    children_open(&launch->children);
    launch->children.parent = launch;
    cudaError_t error = launch_run_blocks(launch);
    double own_ns = launch->timing.time_ns;
    if (!error) error = rt_children_run(launch);
    timing_what_if_add(&launch->timing, launch->timing.time_ns - own_ns);
    free(launch->waited);
    children_close(&launch->children);
    row->failure = error ? cudaGetErrorName(error) : NULL;
    row->timing = !error && rt.timing ? &launch->timing : NULL;
    profile_write(row);
    if (launch->request.depth) return error;
    launch->pages_ns = rt_pages_ns(launch->request.call);
    if (!error && rt.timing)
        rt_trust_kernel(&row->counters, launch->request.function->kernel->machine_code);
    if (!error && rt.timing)
        rt_hint_kernel(launch->timing.time_ns + launch->pages_ns,
                       launch->request.function->kernel->machine_code);
    return error;
}

/* ---- Queue ---- */

/* The time of a kernel of the host, with all that it launched. */
static void set_time(struct work *work, const struct rt_launch *launch) {
    const struct timing *timing = &launch->timing;
    work->rounds = timing->rounds > 0 ? timing->rounds : 1; /* 0: not modelled */
    work->length_ns = timing->event_ns;
    if (launch->request.in_graph)
        work->length_ns = fmax(0, timing->event_ns - rt_cost_ns("launch without a graph"));
    work->shown_ns = fmin(timing->time_ns - rt.gpu->ncu_ns, work->length_ns) + launch->pages_ns;
    work->length_ns += launch->pages_ns;
}

/* Makes a kernel's work, but for its time. */
static struct work *launch_work_of(const struct rt_launch *launch) {
    const struct rt_request *request = &launch->request;
    const struct profile_row *row = &launch->row;
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

/* rt_fault keeps a fault for later; a kernel that could not start gives its error now. */
cudaError_t rt_launch_now(struct rt_launch *launch) {
    cudaError_t error = rt_launch_run(launch);
    if (!error) {
        struct work *work = launch_work_of(launch);
        order_after_all(&work->order);
        set_time(work, launch);
        rt_work_enqueue(launch->request.stream, work);
    }
    return rt_faulted() ? cudaSuccess : error;
}

/* Tells the checker whose accesses these are. */
static void name_work(const struct work *work, const struct rt_request *request) {
    char kernel[256], stream[RT_STREAM_NAME];
    struct text text = {kernel, sizeof kernel};
    text_name(&text, request->function->name);
    order_begin(work->order, "kernel %s in %s", kernel, rt_stream_name(request->stream, stream));
}

/* The effect of a launch in a stream. */
static void run_work(struct work *work, enum work_effect effect) {
    struct rt_launch *launch = work->context;
    int caller = device_current();
    if (effect != WORK_ENDS && !rt_faulted()) {
        device_use(launch->request.stream->device);
        name_work(work, &launch->request);
        if (!rt_launch_run(launch)) set_time(work, launch);
        order_end();
        if (launch->pending) launch->request.stream->expected_ns += work->length_ns;
        device_use(caller);
    }
    if (effect != WORK_ENDS && rt_faulted()) work->row.correlation = 0;
    if (effect == WORK_BEGINS) return;
    free((void *)launch->request.params);
    free(launch);
}

/* Gives the launch to its stream, which runs it when modelled time reaches it, or now, if the call
 * defers nothing. */
static cudaError_t launch_enqueue(const struct rt_launch *planned) {
    struct rt_launch *launch = malloc(sizeof *launch);
    void *params = launch_pack(&planned->request);
    if (!launch || !params) {
        free(launch);
        free(params);
        return cudaErrorMemoryAllocation;
    }
    *launch = *planned;
    launch->request.arguments = NULL;
    launch->request.params = params;
    struct work *work = launch_work_of(launch);
    work->rounds = 1;
    work->effect = run_work;
    work->context = launch;
    launch->pending = rt_work_defers();
    if (!launch->pending) work_act(work);
    rt_work_enqueue(planned->request.stream, work);
    return cudaSuccess;
}

static cudaError_t launch_into_stream(const struct rt_request *request) {
    struct rt_launch launch;
    struct rt_stream *stream = request->stream;
    cudaError_t error = rt_launch_plan(&launch, request);
    if (error) {
        work_act_all(); /* the profile has launches in their order */
        launch.row.failure = cudaGetErrorName(error);
        profile_write(&launch.row);
        return rt_capture_spoil(stream->capture, error);
    }
    if (stream->capture) return rt_capture_kernel(request);
    if (!rt_stream_turn(stream)) return cudaSuccess;
    bool others_may_signal = memory_is_shared() || rt_streams_several();
    if (!others_may_signal || !kernel_may_wait(request->function->kernel))
        return launch_enqueue(&launch);
    work_act_all();
    return rt_async_kernel_launch(&launch);
}

/* The kernel runs on the stream's device, whatever is the current one. Measured on two H200s with
 * CUDA 13; NVIDIA's guide says that a launch in a stream of another device fails. */
cudaError_t rt_launch(const void *symbol, struct rt_request *request, cudaStream_t stream) {
    int caller = device_current();
    cudaError_t bad_stream = rt_stream_for_work(stream, &request->stream);
    if (request->stream) device_use(request->stream->device);
    request->symbol = symbol;
    request->call = rt_call_number();
    cudaError_t error = rt_function(symbol, &request->function);
    if (!error) error = bad_stream ? bad_stream : launch_into_stream(request);
    device_use(caller);
    if (error && request->by_chevrons) rt_refused_note(request, error);
    return error;
}
