/* api/launch/launch.c: the calls that launch kernels. */
#include "launch.h"

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

/* ---- Launches ---- */

static cudaError_t launch_symbol(const void *symbol, struct rt_request request,
                                 cudaStream_t stream) {
    request.by_chevrons = by_chevrons;
    by_chevrons = false;
    return rt_launch(symbol, &request, stream);
}

/* A launch that was deferred, with the arguments' values after it, in the layout of the kernel's
 * parameters. */
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
    return cudaLaunchKernel(call->symbol, call->grid, call->block, arguments, call->dynamic,
                            call->stream);
}

/* False: launch it now. */
static bool defer_launch(const void *symbol, dim3 grid, dim3 block, void **arguments,
                         size_t dynamic, cudaStream_t stream) {
    const struct ptx_function *entry = rt_async_kernel_runs() ? rt_function_entry(symbol) : NULL;
    if (!entry) return false;
    size_t size = sizeof(struct launch_call) + entry->param_bytes;
    struct launch_call *call = calloc(1, size);
    if (!call) return false;
    *call = (struct launch_call){symbol, entry, grid, block, dynamic, stream};
    for (int i = 0; i < entry->nparams; i++)
        memcpy(call->values + entry->frame[i].offset, arguments[i], entry->frame[i].size);
    bool deferred =
        rt_async_kernel_defer("cudaLaunchKernel", stream, NULL, call_launch, call, size);
    free(call);
    return deferred;
}

cudaError_t cudaLaunchKernel(const void *symbol, dim3 grid, dim3 block, void **arguments,
                             size_t dynamic, cudaStream_t stream) {
    if (defer_launch(symbol, grid, block, arguments, dynamic, stream)) return cudaSuccess;
    struct rt_request request = {.shape = shape_of(grid, block, dynamic), .arguments = arguments};
    RT_STREAM_CALL(stream, launch_symbol(symbol, request, stream));
}

cudaError_t cudaLaunchCooperativeKernel(const void *symbol, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic, cudaStream_t stream) {
    struct rt_request request = {
        .shape = shape_of(grid, block, dynamic), .arguments = arguments, .cooperative = true};
    RT_STREAM_CALL(stream, launch_symbol(symbol, request, stream));
}

/* Takes the attributes that change a launch's effect; the others are hints. */
static cudaError_t take_attribute(struct rt_request *request,
                                  const cudaLaunchAttribute *attribute) {
    const cudaLaunchAttributeValue *value = &attribute->val;
    if (attribute->id == cudaLaunchAttributeCooperative) request->cooperative = value->cooperative;
    if (attribute->id != cudaLaunchAttributeClusterDimension) return cudaSuccess;
    bool alone = value->clusterDim.x == 1 && value->clusterDim.y == 1 && value->clusterDim.z == 1;
    return alone ? cudaSuccess : rt_unsupported("cudaLaunchKernelExC with thread block clusters");
}

static cudaError_t launch_extended(const cudaLaunchConfig_t *config, const void *symbol,
                                   void **arguments) {
    if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
    struct rt_request request = {
        .shape = shape_of(config->gridDim, config->blockDim, config->dynamicSmemBytes),
        .arguments = arguments};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        cudaError_t error = take_attribute(&request, &config->attrs[i]);
        if (error) return error;
    }
    return launch_symbol(symbol, request, config->stream);
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
