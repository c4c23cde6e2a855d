/* api/launch.c: launches kernels: the call configuration, CUDA's checks, the run, its time and its row in the
 * profile. */
#include "launch.h"

#include "capture.h"
#include "clock.h"
#include "hints.h"
#include "refused.h"
#include "simt/machine/trace.h"
#include "simt/run/grid.h"
#include "simt/run/sample.h"
#include "simt/see/see.h"
#include "simt/see/source.h"
#include "simt/time/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GRID_X  0x7fffffffu
#define MAX_GRID_YZ 0xffffu
#define MAX_BLOCK_Z 64u

/* ---- <<<grid, block, shared, stream>>> ---- */

#define MAX_PUSHED 16 /* configurations nest if an argument of a launch contains another launch */

static _Thread_local struct configuration {
    struct launch_shape shape;
    cudaStream_t stream;
} pushed[MAX_PUSHED];
static _Thread_local int pushed_count;
static _Thread_local bool by_chevrons; /* the next launch is a <<<>>>, which drops the returned error */

static struct launch_shape shape_of(dim3 grid, dim3 block, size_t dynamic) {
    return (struct launch_shape){{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic};
}

static dim3 dim3_of(const uint32_t size[3]) {
    return (dim3){size[0], size[1], size[2]};
}

/* The code that nvcc generates declares these, no header does. Push returns non-zero to skip the launch. */
RT_PUBLIC unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic, struct CUstream_st *stream);
RT_PUBLIC cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic, void *stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic, struct CUstream_st *stream) {
    if (pushed_count == MAX_PUSHED) return 1;
    pushed[pushed_count++] = (struct configuration){shape_of(grid, block, dynamic), stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic, void *stream) {
    if (!pushed_count) return cudaErrorMissingConfiguration;
    const struct configuration *top = &pushed[--pushed_count];
    by_chevrons = true;
    *grid = dim3_of(top->shape.grid);
    *block = dim3_of(top->shape.block);
    *dynamic = top->shape.dynamic_shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

/* ---- Checks ---- */

/* The error for a shape that no device accepts. Measured on an H200: an invalid value in CUDA 13, an invalid
 * configuration up to CUDA 12. */
#define BAD_SHAPE (CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration)

static bool fits(const uint32_t size[3], uint32_t x, uint32_t y, uint32_t z) {
    return size[0] <= x && size[1] <= y && size[2] <= z;
}

static cudaError_t check_shape(const struct launch_shape *shape) {
    if (!shape_blocks(shape) || !shape_threads(shape)) return BAD_SHAPE;
    if (!fits(shape->grid, MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ)) return BAD_SHAPE;
    if (!fits(shape->block, MAX_THREADS_PER_BLOCK, MAX_THREADS_PER_BLOCK, MAX_BLOCK_Z)) return BAD_SHAPE;
    return shape_threads(shape) > MAX_THREADS_PER_BLOCK ? BAD_SHAPE : cudaSuccess;
}

/* Checks the block against the kernel's launch bounds and its registers. */
static cudaError_t check_block(const struct rt_function *function, uint64_t threads) {
    uint64_t bound = rt_bound(function->entry->maxntid), required = rt_bound(function->entry->reqntid);
    if ((bound && threads > bound) || (required && threads != required)) return cudaErrorInvalidValue;
    return threads > (uint64_t)rt_function_max_threads(function) ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

/* Checks shared memory. Static and dynamic memory together stay within 48 KiB; if the kernel has opted in to more
 * dynamic memory, within that and the GPU's limit. */
static cudaError_t check_shared(const struct rt_function *function, size_t dynamic) {
    size_t statics = (size_t)function->static_shared, opted = (size_t)function->max_dynamic_shared;
    if (statics > rt.gpu->shared_per_block_optin || dynamic > rt.gpu->shared_per_block_optin - statics)
        return cudaErrorInvalidValue;
    bool by_default = statics + dynamic <= rt.gpu->shared_per_block;
    return by_default || dynamic <= opted ? cudaSuccess : cudaErrorInvalidValue;
}

/* Checks that a cooperative grid can be resident all at once. */
static cudaError_t check_cooperative(const struct rt_request *request, const struct occupancy *occupancy) {
    uint64_t room = (uint64_t)occupancy->blocks_per_sm * (uint64_t)rt.gpu->sms;
    return request->cooperative && shape_blocks(&request->shape) > room ? cudaErrorCooperativeLaunchTooLarge
                                                                        : cudaSuccess;
}

cudaError_t rt_launch_check(const struct rt_request *request, struct occupancy *occupancy) {
    cudaError_t error = check_shape(&request->shape);
    if (!error) error = check_block(request->function, shape_threads(&request->shape));
    if (!error) error = check_shared(request->function, request->shape.dynamic_shared);
    if (error) return error;
    int block = (int)shape_threads(&request->shape);
    struct occupancy_kernel kernel = rt_occupancy_kernel(request->function, block);
    if (!occupancy_find(rt.gpu, &kernel, block, request->shape.dynamic_shared, occupancy)) return cudaErrorInvalidValue;
    if (!occupancy->blocks_per_sm) return cudaErrorLaunchOutOfResources;
    return check_cooperative(request, occupancy);
}

/* ---- The run ---- */

/* Copies the arguments to a parameter block in the kernel's layout, to be freed; NULL: no memory. */
static void *pack(const struct rt_request *request) {
    const struct ptx_function *entry = request->function->entry;
    void **arguments = request->arguments;
    char *block = calloc(1, entry->param_bytes + 1);
    if (block && request->params) memcpy(block, request->params, entry->param_bytes);
    if (!block || !arguments) return block;
    for (int i = 0; i < entry->nparams; i++) memcpy(block + entry->frame[i].offset, arguments[i], entry->frame[i].size);
    return block;
}

static struct launch describe(const struct rt_request *request, const struct occupancy *occupancy, const void *params) {
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
        .depth = request->depth,
        .waiting = request->waiting,
        .device_runtime = &rt_device_runtime,
        .spins = rt_beside_spins,
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

static struct timing_launch timing_launch_of(struct timed_run *run, const struct counters *counters) {
    return (struct timing_launch){.shape = run->request->shape,
                                  .occupancy = run->row->occupancy,
                                  .code_bytes = run->request->function->code_bytes,
                                  .nested = run->request->depth > 0,
                                  .dirty = dirty[device_current()],
                                  .counters = counters,
                                  .kernel = run->request->function->kernel,
                                  .trace = &run->trace,
                                  .threads = rt.threads,
                                  .before = run->replayed,
                                  .insn_cycles = source_insn_cycles(run->source),
                                  .watch = run->watch};
}

/* Replays the traced blocks, which have ended, on a thread of the grid. The other blocks are expected to store as
 * much, and every sector once at least: a trace that was cut off has not all stores. */
static void replay_traced(void *argument, const struct counters *footprint) {
    struct timed_run *run = argument;
    struct counters expected = *footprint;
    trace_finish(&run->trace);
    expected.gst_sectors = (uint64_t)(run->trace.stores_per_block * (double)run->trace.blocks + 0.5);
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
    dirty[device_current()] = timing->dirty;
}

static void write_source(struct source *source, const struct profile_row *row, const struct timing *timing) {
    struct source_launch launch = {row->launch, row->parent, row->kernel, timing};
    source_write(source, &launch);
}

/* Runs the grid once. What it writes down begins anew. */
static bool run_once(struct timed_run *run, struct launch *launch, struct fault *fault) {
    const struct rt_request *request = run->request;
    launch->source = run->source = source_new(launch->kernel);
    if (rt.timing) {
        trace_open(&run->trace, &request->shape, timing_replayed(rt.gpu, request->function->kernel, &request->shape));
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

/* Runs the grid. If blocks may have raced, undoes that and runs them in order, to see whether they do. */
static bool run_in_order_if_raced(struct timed_run *run, struct launch *launch, struct fault *fault) {
    struct rt_function *function = run->request->function;
    struct race_report races = {0};
    launch->races = &races;
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

/* Runs the grid's own blocks. Not inlined: its stack frame must be gone while the nested grids run, thousands of levels
 * deep. */
static __attribute__((noinline)) cudaError_t run_blocks(const struct rt_request *request, struct children *children,
                                                        struct profile_row *row, struct timing *timing) {
    struct fault fault = {0};
    struct timed_run run = {.request = request, .row = row};
    void *params = pack(request);
    if (!params) return cudaErrorMemoryAllocation;
    struct launch launch = describe(request, &row->occupancy, params);
    launch.children = children;
    launch.see = see_launch(&launch);
    run.watch = see_watch(launch.see);
    bool ok = run_in_order_if_raced(&run, &launch, &fault);
    rt_hint_sampled(row->sampled > 0);
    free(params);
    if (launch.see && !ok) see_launched(launch.see, fault.report);
    if (ok && rt.timing) take_time(&run, timing);
    if (ok) write_source(run.source, row, rt.timing ? timing : NULL);
    forget_run(&run);
    if (!ok && !rt_faulted()) rt_fault(&fault); /* no second report on a kernel that waited for a failed one */
    return ok ? cudaSuccess : (cudaError_t)fault.error;
}

/* Gives a kernel of the host to its stream, with all that it launched. */
static void enqueue(const struct rt_request *request, const struct profile_row *row, const struct timing *timing) {
    struct work *work = rt_work_new(request->stream, WORK_COMPUTE);
    work->rounds = timing->rounds > 0 ? timing->rounds : 1; /* 0: not modelled */
    work->length_ns = timing->event_ns;
    work->idle_ns = rt.timing ? transfer_event_way_ns(rt.gpu) : 0;
    if (request->in_graph) {
        work->length_ns = fmax(0, timing->event_ns - rt_cost_ns("launch without a graph"));
        work->queue = WORK_NO_QUEUE;
    }
    struct timeline_row *shown = rt_work_show(work, request->stream, TIMELINE_KERNEL, row->kernel);
    work->shown_ns = fmin(timing->time_ns, work->length_ns);
    memcpy(shown->grid, row->shape.grid, sizeof shown->grid);
    memcpy(shown->block, row->shape.block, sizeof shown->block);
    shown->correlation = request->call;
    shown->registers = row->registers;
    shown->static_shared = row->static_shared;
    shown->dynamic_shared = row->shape.dynamic_shared;
    rt_work_enqueue(request->stream, work);
}

/* Runs the grid, and then the grids that its threads launched. */
static cudaError_t run_tree(const struct rt_request *request, struct profile_row *row, struct timing *timing) {
    struct children children;
    struct rt_parent parent = {.request = request, .launch = row->launch, .children = &children};
    children_open(&children);
    children.parent = &parent;
    cudaError_t error = run_blocks(request, &children, row, timing);
    if (!error) error = rt_children_run(&parent, row, timing);
    if (!request->depth && !error) enqueue(request, row, timing);
    free(parent.waited);
    children_close(&children);
    return error;
}

cudaError_t rt_launch_run(const struct rt_request *request, struct profile_row *row, struct timing *timing) {
    row->launch = profile_number();
    cudaError_t error = run_tree(request, row, timing);
    row->failure = error ? cudaGetErrorName(error) : NULL;
    row->timing = !error && rt.timing ? timing : NULL;
    profile_write(row);
    return error;
}

/* rt_fault keeps a fault for later; a kernel that could not start gives its error now. */
cudaError_t rt_launch_now(const struct rt_request *request, struct profile_row *row) {
    struct timing timing = {0};
    cudaError_t error = rt_launch_run(request, row, &timing);
    if (!error && rt.timing) rt_hint_kernel(timing.time_ns, request->function->kernel->machine_code);
    return rt_faulted() ? cudaSuccess : error;
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

static cudaError_t launch(const struct rt_request *request) {
    struct profile_row row = rt_launch_row(request);
    cudaError_t error = rt_launch_check(request, &row.occupancy);
    if (error) {
        row.failure = cudaGetErrorName(error);
        profile_write(&row);
        return rt_capture_spoil(request->stream->capture, error);
    }
    if (request->stream->capture) return rt_capture_kernel(request);
    if (!rt_stream_turn(request->stream)) return cudaSuccess;
    bool may_wait = kernel_may_wait(request->function->kernel) && memory_is_shared();
    return may_wait ? rt_beside_launch(request, &row) : rt_launch_now(request, &row);
}

/* The kernel runs on the stream's device, whatever is the current one. Measured on two H200s with CUDA 13; NVIDIA's
 * guide says that a launch in a stream of another device fails. */
cudaError_t rt_launch(const void *symbol, struct rt_request *request, cudaStream_t stream) {
    int caller = device_current();
    cudaError_t bad_stream = rt_stream_for_work(stream, &request->stream);
    if (request->stream) device_use(request->stream->device);
    request->symbol = symbol;
    request->call = rt_call_number();
    cudaError_t error = rt_function(symbol, &request->function);
    if (!error) error = bad_stream ? bad_stream : launch(request);
    device_use(caller);
    return error;
}

static cudaError_t launch_symbol(const void *symbol, struct rt_request request, cudaStream_t stream) {
    bool drops_error = by_chevrons;
    by_chevrons = false;
    cudaError_t error = rt_launch(symbol, &request, stream);
    if (error && drops_error) rt_refused_note(&request, error);
    return error;
}

/* A launch that was deferred, with the arguments' values behind it, in the layout of the kernel's parameters. */
struct launch_call {
    const void *symbol;
    const struct ptx_function *entry;
    dim3 grid, block;
    size_t dynamic;
    cudaStream_t stream;
    char values[];
};

static cudaError_t call_launch(const void *argument) {
    const struct launch_call *call = argument;
    void *arguments[call->entry->nparams + 1];
    for (int i = 0; i < call->entry->nparams; i++)
        arguments[i] = (char *)(uintptr_t)call->values + call->entry->frame[i].offset;
    return cudaLaunchKernel(call->symbol, call->grid, call->block, arguments, call->dynamic, call->stream);
}

/* False: launch it now. */
static bool defer_launch(const void *symbol, dim3 grid, dim3 block, void **arguments, size_t dynamic,
                         cudaStream_t stream) {
    const struct ptx_function *entry = rt_beside_runs() ? rt_function_entry(symbol) : NULL;
    if (!entry) return false;
    size_t size = sizeof(struct launch_call) + entry->param_bytes;
    struct launch_call *call = calloc(1, size);
    if (!call) return false;
    *call = (struct launch_call){symbol, entry, grid, block, dynamic, stream};
    for (int i = 0; i < entry->nparams; i++)
        memcpy(call->values + entry->frame[i].offset, arguments[i], entry->frame[i].size);
    bool deferred = rt_beside_defer("cudaLaunchKernel", call_launch, call, size);
    free(call);
    return deferred;
}

cudaError_t cudaLaunchKernel(const void *symbol, dim3 grid, dim3 block, void **arguments, size_t dynamic,
                             cudaStream_t stream) {
    if (defer_launch(symbol, grid, block, arguments, dynamic, stream)) return cudaSuccess;
    struct rt_request request = {.shape = shape_of(grid, block, dynamic), .arguments = arguments};
    RT_CALL(launch_symbol(symbol, request, stream));
}

cudaError_t cudaLaunchCooperativeKernel(const void *symbol, dim3 grid, dim3 block, void **arguments, size_t dynamic,
                                        cudaStream_t stream) {
    struct rt_request request = {.shape = shape_of(grid, block, dynamic), .arguments = arguments, .cooperative = true};
    RT_CALL(launch_symbol(symbol, request, stream));
}

/* Takes the attributes that change a launch's effect; the others are hints. */
static cudaError_t take_attribute(struct rt_request *request, const cudaLaunchAttribute *attribute) {
    const cudaLaunchAttributeValue *value = &attribute->val;
    if (attribute->id == cudaLaunchAttributeCooperative) request->cooperative = value->cooperative;
    if (attribute->id != cudaLaunchAttributeClusterDimension) return cudaSuccess;
    bool alone = value->clusterDim.x == 1 && value->clusterDim.y == 1 && value->clusterDim.z == 1;
    return alone ? cudaSuccess : rt_unsupported("cudaLaunchKernelExC with thread block clusters");
}

static cudaError_t launch_extended(const cudaLaunchConfig_t *config, const void *symbol, void **arguments) {
    if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
    struct rt_request request = {.shape = shape_of(config->gridDim, config->blockDim, config->dynamicSmemBytes),
                                 .arguments = arguments};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        cudaError_t error = take_attribute(&request, &config->attrs[i]);
        if (error) return error;
    }
    return launch_symbol(symbol, request, config->stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *symbol, void **arguments) {
    RT_CALL(launch_extended(config, symbol, arguments));
}

/* CUDA 13's <<<>>> launches by handle. */
RT_PUBLIC cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic,
                                         cudaStream_t stream);
RT_PUBLIC cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                              size_t dynamic, cudaStream_t stream);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic,
                               cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, dynamic, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic,
                                    cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, dynamic, RT_PER_THREAD(stream));
}
