/* api/launch/launch.c: the calls that launch kernels, and how a launch goes through its stream. */
#include "launch.h"

#include "lib/memory.h"
#include "refused.h"
#include "simt/api/capture.h"
#include "simt/api/clock.h"
#include "simt/check/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- <<<grid, block, shared, stream>>> ---- */

#define MAX_PUSHED 16 /* configurations nest if an argument of a launch contains another launch */

static _Thread_local struct configuration {
    struct launch_shape shape;
    cudaStream_t stream;
} pushed[MAX_PUSHED];
static _Thread_local int pushed_count;
/* the next launch is a <<<>>>, which drops the returned error */
static _Thread_local bool by_chevrons;

static struct launch_shape shape_of(dim3 grid, dim3 block, size_t dynamic) {
    return (struct launch_shape){{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic};
}

static dim3 dim3_of(const uint32_t size[3]) {
    return (dim3){size[0], size[1], size[2]};
}

/* The code that nvcc generates declares these, no header does. Push returns non-zero to skip the
 * launch. */
RT_PUBLIC unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic,
                                               struct CUstream_st *stream);
RT_PUBLIC cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic,
                                                 void *stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic,
                                     struct CUstream_st *stream) {
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

/* ---- In a stream ---- */

/* The time of a kernel of the host, with all that it launched, and what a profiler shows of it. */
static void set_time(struct work *work, const struct launch *launch, const struct timing *timing) {
    work->rounds = timing->rounds > 0 ? timing->rounds : 1; /* 0: not modelled */
    work->length_ns = timing->event_ns;
    if (launch->in_graph)
        work->length_ns = fmax(0, timing->event_ns - rt_cost_ns("launch without a graph"));
    work->shown_ns = fmin(timing->time_ns - timing->later_ns - rt.gpu->ncu_ns, work->length_ns) +
                     launch->pages_ns;
    work->length_ns += launch->pages_ns;
}

/* Makes a kernel's work, but for its time. */
static struct work *launch_work_of(const struct launch *launch) {
    struct work *work = rt_work_new(launch->stream, WORK_COMPUTE);
    work->rounds = 1;
    work->idle_ns = rt.timing ? transfer_event_way_ns(rt.gpu) : 0;
    if (launch->in_graph) work->queue = WORK_NO_QUEUE;
    struct timeline_row *shown = rt_work_show(work, launch->stream, TIMELINE_KERNEL, launch->name);
    memcpy(shown->grid, launch->shape.grid, sizeof shown->grid);
    memcpy(shown->block, launch->shape.block, sizeof shown->block);
    shown->correlation = launch->call;
    shown->registers = launch->registers;
    shown->static_shared = launch->static_shared;
    shown->dynamic_shared = launch->shape.dynamic_shared;
    return work;
}

static void launch_free(struct launch *launch) {
    free((void *)launch->params);
    free(launch);
}

/* rt_fault keeps a fault for later; a kernel that could not start gives its error now. */
cudaError_t rt_launch_now(struct launch *launch) {
    struct timing timing = {0};
    cudaError_t error = rt_launch_run(launch, &timing);
    if (!error) {
        struct work *work = launch_work_of(launch);
        order_after_all(&work->order);
        set_time(work, launch, &timing);
        rt_work_enqueue(launch->stream, work);
    }
    launch_free(launch);
    return rt_faulted() ? cudaSuccess : error;
}

/* The effect of a launch in a stream. */
static void run_work(struct work *work, enum work_effect effect) {
    struct launch *launch = work->context;
    int caller = device_current();
    if (effect != WORK_ENDS && !rt_faulted()) {
        char kernel[256], stream[RT_STREAM_NAME];
        struct text text = {kernel, sizeof kernel};
        struct timing timing = {0};
        device_use(launch->stream->device);
        text_name(&text, launch->name);
        /* tells the checker whose accesses these are */
        order_begin(work->order, "kernel %s in %s", kernel, rt_stream_name(launch->stream, stream));
        if (!rt_launch_run(launch, &timing)) set_time(work, launch, &timing);
        order_end();
        if (launch->deferred) launch->stream->expected_ns += work->length_ns;
        device_use(caller);
    }
    if (effect != WORK_ENDS && rt_faulted()) work->row.correlation = 0;
    if (effect == WORK_BEGINS) return;
    launch_free(launch);
}

/* Copies the arguments to a parameter block in the kernel's layout. */
static void launch_pack(char *block, const struct ptx_function *entry, void **arguments) {
    for (int i = 0; i < entry->nparams; i++)
        memcpy(block + entry->frame[i].offset, arguments[i], entry->frame[i].size);
}

/* A copy of the launch, and of its arguments, for its stream to keep. */
static struct launch *launch_keep(const struct launch *asked) {
    struct launch *launch = need(malloc(sizeof *launch));
    char *params = need(calloc(1, asked->kernel->entry->param_bytes + 1));
    launch_pack(params, asked->kernel->entry, asked->arguments);
    *launch = *asked;
    launch->arguments = NULL;
    launch->params = params;
    launch->deferred = rt_work_defers();
    return launch;
}

/* Checks a launch. The profile has a row of one that is refused. */
static cudaError_t check(struct launch *launch) {
    cudaError_t error = rt_launch_check(launch);
    if (!error) return cudaSuccess;
    work_act_all(); /* the profile has launches in their order */
    launch->failure = cudaGetErrorName(error);
    profile_write(launch);
    return rt_capture_spoil(launch->stream->capture, error);
}

/* A launch that was deferred, with the arguments' values after it, in the layout of the kernel's
 * parameters. */
struct launch_call {
    const void *symbol;
    const struct ptx_function *entry;
    struct launch_shape shape;
    bool by_chevrons;
    cudaStream_t stream;
    char values[];
};

static cudaError_t call_launch(const void *argument) {
    const struct launch_call *call = argument;
    void *arguments[call->entry->nparams + 1];
    for (int i = 0; i < call->entry->nparams; i++)
        arguments[i] = (char *)(uintptr_t)call->values + call->entry->frame[i].offset;
    struct launch launch = {
        .shape = call->shape, .arguments = arguments, .by_chevrons = call->by_chevrons};
    RT_DEFERRED_CALL(call->stream, rt_launch(call->symbol, &launch, call->stream));
}

/* Defers a launch that was checked. False: launch it now. */
static bool launch_deferred(const void *symbol, const struct launch *launch, cudaStream_t stream) {
    if (!rt_async_kernel_runs() || launch->cooperative) return false;
    const struct ptx_function *entry = launch->kernel->entry;
    size_t size = sizeof(struct launch_call) + entry->param_bytes;
    struct launch_call *call = need(calloc(1, size));
    *call = (struct launch_call){symbol, entry, launch->shape, launch->by_chevrons, stream};
    launch_pack(call->values, entry, launch->arguments);
    bool deferred =
        rt_async_kernel_defer_work("cudaLaunchKernel", launch->stream, call_launch, call, size);
    free(call);
    return deferred;
}

/* The kernel runs on the stream's device, whatever is the current one. Measured on two H200s with
 * CUDA 13; NVIDIA's guide says that a launch in a stream of another device fails. A kernel that may
 * wait for the host or for others runs now, on a thread of its own; the others run when modelled
 * time reaches them, or now, if the call defers nothing. */
cudaError_t rt_launch(const void *symbol, struct launch *launch, cudaStream_t handle) {
    int caller = device_current();
    cudaError_t bad_stream = rt_stream_for_work(handle, &launch->stream);
    struct rt_stream *stream = launch->stream;
    if (stream) device_use(stream->device);
    launch->call = rt_call_number();
    cudaError_t error = rt_function(symbol, &launch->function);
    if (!error) error = bad_stream ? bad_stream : check(launch);
    if (!error && stream->capture) {
        error = rt_capture_kernel(launch);
    } else if (!error && launch_deferred(symbol, launch, handle)) {
        error = cudaSuccess;
    } else if (!error && rt_stream_turn(stream)) {
        bool others_may_signal = memory_is_shared() || rt_streams_several();
        struct launch *kept = launch_keep(launch);
        if (others_may_signal && kernel_may_wait(launch->kernel)) {
            work_act_all();
            error = rt_async_kernel_launch(kept);
        } else {
            struct work *work = launch_work_of(kept);
            work->effect = run_work;
            work->context = kept;
            if (!kept->deferred) work_act(work);
            rt_work_enqueue(stream, work);
        }
    }
    device_use(caller);
    if (error && launch->by_chevrons) rt_refused_note(launch, error);
    return error;
}

/* ---- Calls ---- */

static struct launch launch_ask(struct launch_shape shape, void **arguments) {
    struct launch launch = {.shape = shape, .arguments = arguments, .by_chevrons = by_chevrons};
    by_chevrons = false;
    return launch;
}

cudaError_t cudaLaunchKernel(const void *symbol, dim3 grid, dim3 block, void **arguments,
                             size_t dynamic, cudaStream_t stream) {
    struct launch launch = launch_ask(shape_of(grid, block, dynamic), arguments);
    RT_BESIDE_CALL(rt_launch(symbol, &launch, stream));
}

cudaError_t cudaLaunchCooperativeKernel(const void *symbol, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic, cudaStream_t stream) {
    struct launch launch = launch_ask(shape_of(grid, block, dynamic), arguments);
    launch.cooperative = true;
    RT_STREAM_CALL(stream, rt_launch(symbol, &launch, stream));
}

/* Takes the attributes that change a launch's effect; the others are hints. */
static cudaError_t take_attribute(struct launch *launch, const cudaLaunchAttribute *attribute) {
    const cudaLaunchAttributeValue *value = &attribute->val;
    if (attribute->id == cudaLaunchAttributeCooperative) launch->cooperative = value->cooperative;
    if (attribute->id != cudaLaunchAttributeClusterDimension) return cudaSuccess;
    bool alone = value->clusterDim.x == 1 && value->clusterDim.y == 1 && value->clusterDim.z == 1;
    return alone ? cudaSuccess : rt_unsupported("cudaLaunchKernelExC with thread block clusters");
}

static cudaError_t launch_extended(const cudaLaunchConfig_t *config, const void *symbol,
                                   void **arguments) {
    if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
    struct launch launch = launch_ask(
        shape_of(config->gridDim, config->blockDim, config->dynamicSmemBytes), arguments);
    for (unsigned i = 0; i < config->numAttrs; i++) {
        cudaError_t error = take_attribute(&launch, &config->attrs[i]);
        if (error) return error;
    }
    return rt_launch(symbol, &launch, config->stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *symbol,
                                void **arguments) {
    RT_STREAM_CALL(config ? config->stream : NULL, launch_extended(config, symbol, arguments));
}

/* CUDA 13's <<<>>> launches by handle. */
RT_PUBLIC cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                         void **arguments, size_t dynamic, cudaStream_t stream);
RT_PUBLIC cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                              void **arguments, size_t dynamic,
                                              cudaStream_t stream);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t dynamic, cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, dynamic, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                    size_t dynamic, cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, dynamic, RT_PER_THREAD(stream));
}
