/*
 * host_templates.h: the runtime API's conveniences for C++: typed pointers, kernels and device
 * variables by their names.
 */
#ifndef SIMT_HOST_TEMPLATES_H
#define SIMT_HOST_TEMPLATES_H

template <class T> cudaError_t cudaMalloc(T **pointer, size_t size) {
    return cudaMalloc((void **)pointer, size);
}
template <class T> cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
    return cudaMallocAsync((void **)pointer, size, stream);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)pointer, size, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)pointer, size, pool, stream);
}
template <class T> cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned flags = 0) {
    return cudaHostAlloc((void **)pointer, size, flags);
}
template <class T> cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned flags) {
    return cudaHostAlloc((void **)pointer, size, flags);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) {
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <class T>
cudaError_t cudaMallocManaged(T **pointer, size_t size, unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void **)pointer, size, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return cudaMallocPitch((void **)pointer, pitch, width, height);
}

template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t count, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol((const void *)&symbol, from, count, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t count,
                                    size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = 0) {
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, count, offset, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t count, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, count, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t count, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = 0) {
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, count, offset, kind, stream);
}
/* Copies between a variable and other memory, as nodes of graphs. */
template <class T>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *before, size_t n, const T &symbol,
                                           const void *from, size_t count, size_t offset,
                                           cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNodeToSymbol(node, graph, before, n, (const void *)&symbol, from,
                                          count, offset, kind);
}
template <class T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *before, size_t n, void *to,
                                             const T &symbol, size_t count, size_t offset,
                                             cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNodeFromSymbol(node, graph, before, n, to, (const void *)&symbol,
                                            count, offset, kind);
}
template <class T>
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol,
                                                 const void *from, size_t count, size_t offset,
                                                 cudaMemcpyKind kind) {
    return cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, from, count, offset,
                                                kind);
}
template <class T>
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const T &symbol,
                                                   size_t count, size_t offset,
                                                   cudaMemcpyKind kind) {
    return cudaGraphMemcpyNodeSetParamsFromSymbol(node, to, (const void *)&symbol, count, offset,
                                                  kind);
}
template <class T>
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const T &symbol, const void *from,
                                                     size_t count, size_t offset,
                                                     cudaMemcpyKind kind) {
    return cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, from, count,
                                                    offset, kind);
}
template <class T>
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void *to, const T &symbol, size_t count,
                                                       size_t offset, cudaMemcpyKind kind) {
    return cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, to, (const void *)&symbol, count,
                                                      offset, kind);
}
/* As CUDA 11 has it: it tells of a wrong node and a reason, which CUDA 12 no longer does. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *wrong, char *log, size_t size) {
    (void)wrong, (void)log, (void)size;
    return cudaGraphInstantiate(exec, graph, 0ull);
}

template <class T> cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
    return cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class T> cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
    return cudaGetSymbolSize(size, (const void *)&symbol);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) {
    return cudaEventCreateWithFlags(event, flags);
}

template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel) {
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class T>
cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class T> cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache cache) {
    return cudaFuncSetCacheConfig((const void *)kernel, cache);
}
template <class T>
cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic = 0,
                             cudaStream_t stream = 0) {
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, dynamic, stream);
}
/* The arguments become those that the kernel takes. */
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                               A &&...arguments) {
    return [&](P... values) {
        void *addresses[] = {(void *)&values..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)kernel, addresses);
    }(static_cast<A &&>(arguments)...);
}
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic = 0, cudaStream_t stream = 0) {
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, dynamic,
                                       stream);
}

template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel, int block,
                                                          size_t dynamic) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block,
                                                         dynamic);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T *kernel,
                                                                   int block, size_t dynamic,
                                                                   unsigned flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel,
                                                                  block, dynamic, flags);
}
template <class T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel, int blocks,
                                                      int block) {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, block);
}

/* What a search for the best block needs to know of the device and the kernel. */
struct simtBlockLimits {
    /* of a multiprocessor; of a warp; of a block of this kernel; of the device */
    int threads, warp, most, processors;
};

template <class T> cudaError_t simtFindBlockLimits(T *kernel, simtBlockLimits *limits) {
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)kernel);
    if (!error)
        error = cudaDeviceGetAttribute(&limits->threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
    if (!error) error = cudaDeviceGetAttribute(&limits->warp, cudaDevAttrWarpSize, 0);
    if (!error) error = cudaDeviceGetAttribute(&limits->most, cudaDevAttrMaxThreadsPerBlock, 0);
    if (!error)
        error = cudaDeviceGetAttribute(&limits->processors, cudaDevAttrMultiProcessorCount, 0);
    if (!error && attributes.maxThreadsPerBlock < limits->most)
        limits->most = attributes.maxThreadsPerBlock;
    return error;
}

/* The block with which most threads are resident, and of those the largest: whole warps from the
 * largest block down. dynamicOf gives the dynamic shared memory for a block of so many threads. */
template <class Dynamic, class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T *kernel,
                                                           Dynamic dynamicOf, int limit = 0) {
    simtBlockLimits limits;
    cudaError_t error = simtFindBlockLimits(kernel, &limits);
    int most = limit > 0 && limit < limits.most ? limit : limits.most, best = 0;
    *grid = *block = 0;
    for (int top = (most + limits.warp - 1) / limits.warp * limits.warp; !error && top > 0;
         top -= limits.warp) {
        int threads = top < most ? top : most, blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel,
                                                              threads, dynamicOf(threads));
        if (blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * limits.processors;
        if (best == limits.threads) break;
    }
    return error;
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T *kernel, size_t dynamic = 0,
                                               int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid, block, kernel, [dynamic](int) { return dynamic; }, limit);
}

#endif
