/* extra/per_thread.c: the variants for nvcc --default-stream per-thread, where a null stream means
 * the calling thread's stream. */
#include "simt/api/runtime.h"

/* VARIANT(name, parameters, call): exports name, which does the call. */
#define VARIANT(name, parameters, call)                                                            \
    RT_PUBLIC cudaError_t name parameters;                                                         \
    cudaError_t name parameters {                                                                  \
        return call;                                                                               \
    }
#define OWN RT_PER_THREAD(stream)

/* Ends a blocking copy: waits for the thread's stream. */
static cudaError_t wait_own(cudaError_t error) {
    return error ? error : cudaStreamSynchronize(cudaStreamPerThread);
}

VARIANT(cudaLaunchKernel_ptsz,
        (const void *symbol, dim3 grid, dim3 block, void **arguments, size_t dynamic,
         cudaStream_t stream),
        cudaLaunchKernel(symbol, grid, block, arguments, dynamic, OWN))
VARIANT(cudaLaunchCooperativeKernel_ptsz,
        (const void *symbol, dim3 grid, dim3 block, void **arguments, size_t dynamic,
         cudaStream_t stream),
        cudaLaunchCooperativeKernel(symbol, grid, block, arguments, dynamic, OWN))
VARIANT(cudaLaunchHostFunc_ptsz, (cudaStream_t stream, cudaHostFn_t fn, void *data),
        cudaLaunchHostFunc(OWN, fn, data))

cudaError_t RT_PUBLIC cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *symbol,
                                               void **arguments);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *symbol,
                                     void **arguments) {
    if (!config) return cudaLaunchKernelExC(config, symbol, arguments);
    cudaLaunchConfig_t own = *config;
    own.stream = RT_PER_THREAD(config->stream);
    return cudaLaunchKernelExC(&own, symbol, arguments);
}

VARIANT(cudaMemcpyAsync_ptsz,
        (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
        cudaMemcpyAsync(to, from, size, kind, OWN))
VARIANT(cudaMemcpy_ptds, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
        wait_own(cudaMemcpyAsync(to, from, size, kind, cudaStreamPerThread)))
VARIANT(cudaMemcpy2DAsync_ptsz,
        (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
         size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
        cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, OWN))
VARIANT(cudaMemcpy2D_ptds,
        (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
         size_t height, enum cudaMemcpyKind kind),
        wait_own(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind,
                                   cudaStreamPerThread)))
VARIANT(cudaMemcpy3DAsync_ptsz, (const struct cudaMemcpy3DParms *p, cudaStream_t stream),
        cudaMemcpy3DAsync(p, OWN))
VARIANT(cudaMemcpy3D_ptds, (const struct cudaMemcpy3DParms *p),
        wait_own(cudaMemcpy3DAsync(p, cudaStreamPerThread)))
VARIANT(cudaMemcpyToSymbolAsync_ptsz,
        (const void *symbol, const void *from, size_t count, size_t offset,
         enum cudaMemcpyKind kind, cudaStream_t stream),
        cudaMemcpyToSymbolAsync(symbol, from, count, offset, kind, OWN))
VARIANT(cudaMemcpyToSymbol_ptds,
        (const void *symbol, const void *from, size_t count, size_t offset,
         enum cudaMemcpyKind kind),
        wait_own(cudaMemcpyToSymbolAsync(symbol, from, count, offset, kind, cudaStreamPerThread)))
VARIANT(cudaMemcpyFromSymbolAsync_ptsz,
        (void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
         cudaStream_t stream),
        cudaMemcpyFromSymbolAsync(to, symbol, count, offset, kind, OWN))
VARIANT(cudaMemcpyFromSymbol_ptds,
        (void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
        wait_own(cudaMemcpyFromSymbolAsync(to, symbol, count, offset, kind, cudaStreamPerThread)))

VARIANT(cudaMemcpy3DPeerAsync_ptsz, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream),
        cudaMemcpy3DPeerAsync(p, OWN))
VARIANT(cudaMemcpy3DPeer_ptds, (const struct cudaMemcpy3DPeerParms *p),
        wait_own(cudaMemcpy3DPeerAsync(p, cudaStreamPerThread)))

/* Copies to and from arrays. */
#define ROWS_TO                                                                                    \
    cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,              \
        size_t height, enum cudaMemcpyKind kind
#define ROWS_FROM                                                                                  \
    void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,              \
        size_t height, enum cudaMemcpyKind kind
#define BYTES_TO                                                                                   \
    cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind
#define BYTES_FROM                                                                                 \
    void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind
#define WITHIN                                                                                     \
    cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y
VARIANT(cudaMemcpy2DToArrayAsync_ptsz, (ROWS_TO, cudaStream_t stream),
        cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, OWN))
VARIANT(cudaMemcpy2DToArray_ptds, (ROWS_TO),
        wait_own(cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind,
                                          cudaStreamPerThread)))
VARIANT(cudaMemcpy2DFromArrayAsync_ptsz, (ROWS_FROM, cudaStream_t stream),
        cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, OWN))
VARIANT(cudaMemcpy2DFromArray_ptds, (ROWS_FROM),
        wait_own(cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind,
                                            cudaStreamPerThread)))
VARIANT(cudaMemcpyToArrayAsync_ptsz, (BYTES_TO, cudaStream_t stream),
        cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, OWN))
VARIANT(cudaMemcpyToArray_ptds, (BYTES_TO),
        wait_own(cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, cudaStreamPerThread)))
VARIANT(cudaMemcpyFromArrayAsync_ptsz, (BYTES_FROM, cudaStream_t stream),
        cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, OWN))
VARIANT(cudaMemcpyFromArray_ptds, (BYTES_FROM),
        wait_own(cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, cudaStreamPerThread)))
VARIANT(cudaMemcpy2DArrayToArray_ptds,
        (WITHIN, size_t width, size_t height, enum cudaMemcpyKind kind),
        wait_own(cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height,
                                          kind)))
VARIANT(cudaMemcpyArrayToArray_ptds, (WITHIN, size_t bytes, enum cudaMemcpyKind kind),
        wait_own(cudaMemcpyArrayToArray(to, to_x, to_y, from, from_x, from_y, bytes, kind)))

VARIANT(cudaMemsetAsync_ptsz, (void *pointer, int value, size_t size, cudaStream_t stream),
        cudaMemsetAsync(pointer, value, size, OWN))
VARIANT(cudaMemset_ptds, (void *pointer, int value, size_t size),
        cudaMemsetAsync(pointer, value, size, cudaStreamPerThread))
VARIANT(cudaMemset2DAsync_ptsz,
        (void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
        cudaMemset2DAsync(pointer, pitch, value, width, height, OWN))
VARIANT(cudaMemset2D_ptds, (void *pointer, size_t pitch, int value, size_t width, size_t height),
        cudaMemset2DAsync(pointer, pitch, value, width, height, cudaStreamPerThread))
VARIANT(cudaMemset3DAsync_ptsz,
        (struct cudaPitchedPtr pitched, int value, struct cudaExtent extent, cudaStream_t stream),
        cudaMemset3DAsync(pitched, value, extent, OWN))
VARIANT(cudaMemset3D_ptds, (struct cudaPitchedPtr pitched, int value, struct cudaExtent extent),
        cudaMemset3DAsync(pitched, value, extent, cudaStreamPerThread))

VARIANT(cudaMallocAsync_ptsz, (void **pointer, size_t size, cudaStream_t stream),
        cudaMallocAsync(pointer, size, OWN))
VARIANT(cudaMallocFromPoolAsync_ptsz,
        (void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream),
        cudaMallocFromPoolAsync(pointer, size, pool, OWN))
VARIANT(cudaFreeAsync_ptsz, (void *pointer, cudaStream_t stream), cudaFreeAsync(pointer, OWN))
VARIANT(cudaMemPrefetchAsync_ptsz,
        (const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
         cudaStream_t stream),
        cudaMemPrefetchAsync(pointer, size, location, flags, OWN))

VARIANT(cudaEventRecord_ptsz, (cudaEvent_t event, cudaStream_t stream), cudaEventRecord(event, OWN))
VARIANT(cudaEventRecordWithFlags_ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
        cudaEventRecordWithFlags(event, OWN, flags))

VARIANT(cudaStreamAddCallback_ptsz,
        (cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags),
        cudaStreamAddCallback(OWN, callback, data, flags))
VARIANT(cudaStreamAttachMemAsync_ptsz,
        (cudaStream_t stream, void *pointer, size_t length, unsigned flags),
        cudaStreamAttachMemAsync(OWN, pointer, length, flags))
VARIANT(cudaStreamGetDevice_ptsz, (cudaStream_t stream, int *device),
        cudaStreamGetDevice(OWN, device))
VARIANT(cudaStreamGetFlags_ptsz, (cudaStream_t stream, unsigned *flags),
        cudaStreamGetFlags(OWN, flags))
VARIANT(cudaStreamGetId_ptsz, (cudaStream_t stream, unsigned long long *id),
        cudaStreamGetId(OWN, id))
VARIANT(cudaStreamGetPriority_ptsz, (cudaStream_t stream, int *priority),
        cudaStreamGetPriority(OWN, priority))
VARIANT(cudaStreamIsCapturing_ptsz, (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
        cudaStreamIsCapturing(OWN, status))
VARIANT(cudaStreamQuery_ptsz, (cudaStream_t stream), cudaStreamQuery(OWN))
VARIANT(cudaStreamSynchronize_ptsz, (cudaStream_t stream), cudaStreamSynchronize(OWN))
VARIANT(cudaStreamWaitEvent_ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
        cudaStreamWaitEvent(OWN, event, flags))
VARIANT(cudaStreamGetCaptureInfo_ptsz,
        (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
         cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
         size_t *n),
        cudaStreamGetCaptureInfo(OWN, status, id, graph, nodes, edges, n))

VARIANT(cudaStreamBeginCapture_ptsz, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
        cudaStreamBeginCapture(OWN, mode))
VARIANT(cudaStreamBeginCaptureToGraph_ptsz,
        (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *nodes,
         const cudaGraphEdgeData *edges, size_t n, enum cudaStreamCaptureMode mode),
        cudaStreamBeginCaptureToGraph(OWN, graph, nodes, edges, n, mode))
VARIANT(cudaStreamEndCapture_ptsz, (cudaStream_t stream, cudaGraph_t *graph),
        cudaStreamEndCapture(OWN, graph))
VARIANT(cudaStreamUpdateCaptureDependencies_ptsz,
        (cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t n,
         unsigned flags),
        cudaStreamUpdateCaptureDependencies(OWN, nodes, edges, n, flags))
VARIANT(cudaStreamSetAttribute_ptsz,
        (cudaStream_t stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value),
        cudaStreamSetAttribute(OWN, id, value))
VARIANT(cudaStreamGetAttribute_ptsz,
        (cudaStream_t stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue *value),
        cudaStreamGetAttribute(OWN, id, value))
VARIANT(cudaStreamCopyAttributes_ptsz, (cudaStream_t stream, cudaStream_t from),
        cudaStreamCopyAttributes(OWN, RT_PER_THREAD(from)))
VARIANT(cudaGraphLaunch_ptsz, (cudaGraphExec_t exec, cudaStream_t stream),
        cudaGraphLaunch(exec, OWN))
VARIANT(cudaGraphUpload_ptsz, (cudaGraphExec_t exec, cudaStream_t stream),
        cudaGraphUpload(exec, OWN))
VARIANT(cudaGraphInstantiateWithParams_ptsz,
        (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams *params),
        cudaGraphInstantiateWithParams(exec, graph, params))
