/* extra/driver/launch.c: launches, streams, events and occupancy. */
#include "driver.h"

#include <stdlib.h>

/* ---- Launches ---- */

/* Sets arguments to pointers into the buffer of the list extra, to be freed; NULL: there is no such
 * list. A buffer said to be larger than the parameters has too many arguments. */
static cudaError_t unpack(const void *symbol, void **extra, void ***arguments) {
    const struct ptx_function *entry = rt_function_entry(symbol);
    char *buffer = NULL;
    size_t size = 0;
    for (; extra && extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *(const size_t *)extra[1];
    }
    *arguments = NULL;
    if (!buffer || !entry) return cudaSuccess;
    *arguments = calloc((size_t)entry->nparams + 1, sizeof **arguments);
    if (!*arguments) return cudaErrorMemoryAllocation;
    for (int i = 0; i < entry->nparams; i++) (*arguments)[i] = buffer + entry->frame[i].offset;
    return size > entry->param_bytes ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

static cudaError_t launch(const cudaLaunchConfig_t *config, CUfunction function, void **arguments,
                          void **extra) {
    if (!function) return cudaErrorInvalidResourceHandle;
    if (arguments && extra) return cudaErrorInvalidValue;
    void **unpacked;
    cudaError_t error = unpack(function, extra, &unpacked);
    void **given = unpacked ? unpacked : arguments;
    if (!error)
        error = config->numAttrs
                    ? cudaLaunchKernelExC(config, function, given)
                    : cudaLaunchKernel(function, config->gridDim, config->blockDim, given,
                                       config->dynamicSmemBytes, config->stream);
    free(unpacked);
    return error;
}

#define SHAPE                                                                                      \
    unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,         \
        unsigned block_z, unsigned shared
#define CONFIG                                                                                     \
    &(cudaLaunchConfig_t) {                                                                        \
        .gridDim = {grid_x, grid_y, grid_z}, .blockDim = {block_x, block_y, block_z},              \
        .dynamicSmemBytes = shared, .stream = stream                                               \
    }

DRIVER_STREAM(cuLaunchKernel,
              (CUfunction function, SHAPE, CUstream stream, void **arguments, void **extra),
              launch(CONFIG, function, arguments, extra))
DRIVER_STREAM(cuLaunchCooperativeKernel,
              (CUfunction function, SHAPE, CUstream stream, void **arguments),
              cudaLaunchCooperativeKernel(function, (dim3){grid_x, grid_y, grid_z},
                                          (dim3){block_x, block_y, block_z}, arguments, shared,
                                          stream))

static cudaError_t launch_extended(const CUlaunchConfig *asked, CUfunction function,
                                   void **arguments, void **extra, bool per_thread) {
    if (!asked) return cudaErrorInvalidValue;
    const cudaLaunchConfig_t config = {
        .gridDim = {asked->gridDimX, asked->gridDimY, asked->gridDimZ},
        .blockDim = {asked->blockDimX, asked->blockDimY, asked->blockDimZ},
        .dynamicSmemBytes = asked->sharedMemBytes,
        .stream = per_thread ? RT_PER_THREAD(asked->hStream) : asked->hStream,
        .attrs = asked->attrs,
        .numAttrs = asked->numAttrs,
    };
    return launch(&config, function, arguments, extra);
}

DRIVER(cuLaunchKernelEx,
       (const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra),
       launch_extended(config, function, arguments, extra, false))
DRIVER(cuLaunchKernelEx_ptsz,
       (const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra),
       launch_extended(config, function, arguments, extra, true))
DRIVER_STREAM(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *data),
              cudaLaunchHostFunc(stream, function, data))

/* ---- Streams ---- */

DRIVER(cuStreamCreate, (CUstream * stream, unsigned flags),
       cudaStreamCreateWithFlags(stream, flags))
DRIVER(cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority),
       cudaStreamCreateWithPriority(stream, flags, priority))
DRIVER(cuStreamDestroy_v2, (CUstream stream), cudaStreamDestroy(stream))
DRIVER_STREAM(cuStreamSynchronize, (CUstream stream), cudaStreamSynchronize(stream))
DRIVER_STREAM(cuStreamQuery, (CUstream stream), cudaStreamQuery(stream))
DRIVER_STREAM(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
              cudaStreamWaitEvent(stream, event, flags))
DRIVER_STREAM(cuStreamAddCallback,
              (CUstream stream, CUstreamCallback callback, void *data, unsigned flags),
              cudaStreamAddCallback(stream, (cudaStreamCallback_t)callback, data, flags))
DRIVER_STREAM(cuStreamAttachMemAsync,
              (CUstream stream, CUdeviceptr pointer, size_t size, unsigned flags),
              cudaStreamAttachMemAsync(stream, driver_pointer(pointer), size, flags))
DRIVER_STREAM(cuStreamGetFlags, (CUstream stream, unsigned *flags),
              cudaStreamGetFlags(stream, flags))
DRIVER_STREAM(cuStreamGetPriority, (CUstream stream, int *priority),
              cudaStreamGetPriority(stream, priority))
DRIVER_STREAM(cuStreamGetId, (CUstream stream, unsigned long long *id), cudaStreamGetId(stream, id))
DRIVER_STREAM(cuStreamGetDevice, (CUstream stream, CUdevice *device),
              cudaStreamGetDevice(stream, device))

static cudaError_t get_context(CUstream stream, CUcontext *context) {
    int device;
    cudaError_t error = cudaStreamGetDevice(stream, &device);
    if (error || !context) return error ? error : cudaErrorInvalidValue;
    CUcontext current = driver_context();
    *context = device == rt_own_device() ? current : driver_primary(device);
    return cudaSuccess;
}

DRIVER_STREAM(cuStreamGetCtx, (CUstream stream, CUcontext *context), get_context(stream, context))

DRIVER_STREAM(cuStreamCopyAttributes, (CUstream stream, CUstream from),
              cudaStreamCopyAttributes(stream, from))
DRIVER_STREAM(cuStreamGetAttribute,
              (CUstream stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue *value),
              cudaStreamGetAttribute(stream, id, value))
DRIVER_STREAM(cuStreamSetAttribute,
              (CUstream stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value),
              cudaStreamSetAttribute(stream, id, value))

/* ---- Captures, and graphs that came from them ---- */

DRIVER_STREAM(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode),
              cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode))
DRIVER_STREAM(cuStreamEndCapture, (CUstream stream, CUgraph *graph),
              cudaStreamEndCapture(stream, graph))
DRIVER_STREAM(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status),
              cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)status))
DRIVER(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode),
       cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode))
DRIVER(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags),
       cudaGraphInstantiate(exec, graph, flags))
DRIVER_STREAM(cuGraphLaunch, (CUgraphExec exec, CUstream stream), cudaGraphLaunch(exec, stream))
DRIVER_STREAM(cuGraphUpload, (CUgraphExec exec, CUstream stream), cudaGraphUpload(exec, stream))
DRIVER(cuGraphExecDestroy, (CUgraphExec exec), cudaGraphExecDestroy(exec))
DRIVER(cuGraphDestroy, (CUgraph graph), cudaGraphDestroy(graph))

/* ---- Events ---- */

DRIVER(cuEventCreate, (CUevent * event, unsigned flags), cudaEventCreateWithFlags(event, flags))
DRIVER(cuEventDestroy_v2, (CUevent event), cudaEventDestroy(event))
DRIVER_STREAM(cuEventRecord, (CUevent event, CUstream stream), cudaEventRecord(event, stream))
DRIVER_STREAM(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
              cudaEventRecordWithFlags(event, stream, flags))
DRIVER(cuEventSynchronize, (CUevent event), cudaEventSynchronize(event))
DRIVER(cuEventQuery, (CUevent event), cudaEventQuery(event))
DRIVER(cuEventElapsedTime, (float *ms, CUevent from, CUevent to),
       cudaEventElapsedTime(ms, from, to))
DRIVER(cuEventElapsedTime_v2, (float *ms, CUevent from, CUevent to),
       cudaEventElapsedTime(ms, from, to))
DRIVER(cuIpcGetEventHandle, (CUipcEventHandle * handle, CUevent event),
       cudaIpcGetEventHandle(handle, event))
DRIVER(cuIpcOpenEventHandle, (CUevent * event, CUipcEventHandle handle),
       cudaIpcOpenEventHandle(event, handle))

/* ---- Occupancy ---- */

DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor,
       (int *blocks, CUfunction function, int block, size_t dynamic),
       cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, dynamic))
DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
       (int *blocks, CUfunction function, int block, size_t dynamic, unsigned flags),
       cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block, dynamic,
                                                              flags))
DRIVER(cuOccupancyAvailableDynamicSMemPerBlock,
       (size_t * bytes, CUfunction function, int blocks, int block),
       cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, block))

/* The block with which the most threads are resident, and the fewest blocks that fill the device.
 */
static cudaError_t best_block(int *grid, int *block, CUfunction function,
                              CUoccupancyB2DSize dynamic_of, size_t dynamic, int limit,
                              unsigned flags) {
    struct cudaFuncAttributes attributes;
    int best = 0, blocks = 0, sms = 0;
    if (!grid || !block) return cudaErrorInvalidValue;
    cudaError_t error = cudaFuncGetAttributes(&attributes, function);
    if (!error)
        error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, rt_own_device());
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    for (int size = (most + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE; !error && size > 0;
         size -= WARP_SIZE) {
        int threads = size < most ? size : most, n;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &n, function, threads, dynamic_of ? dynamic_of(threads) : dynamic, flags);
        if (error || n * threads <= best) continue;
        best = n * threads;
        blocks = n;
        *block = threads;
    }
    *grid = blocks * sms;
    return error;
}

DRIVER(cuOccupancyMaxPotentialBlockSize,
       (int *grid, int *block, CUfunction function, CUoccupancyB2DSize dynamic_of, size_t dynamic,
        int limit),
       best_block(grid, block, function, dynamic_of, dynamic, limit, 0))
DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags,
       (int *grid, int *block, CUfunction function, CUoccupancyB2DSize dynamic_of, size_t dynamic,
        int limit, unsigned flags),
       best_block(grid, block, function, dynamic_of, dynamic, limit, flags))
