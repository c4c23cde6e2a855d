/*
 * api/older/graphs.c: the functions for graphs whose parameters CUDA 13 has changed. It gave edges
 * their data, and to the functions that have it the plain names: CUDA 12 calls them ..._v2, and the
 * plain ones lack it. CUDA 11 tells of failures in other ways.
 */
#include "simt/api/runtime.h"

#include <string.h>

#define OLDER_NAME(name)                                                                           \
    __asm__(name) /* the symbol's name: the header declares other parameters                       \
                   */

/* OLDER(symbol, function, parameters, call): exports the symbol, which does the call. */
#define OLDER(symbol, function, parameters, call)                                                  \
    RT_PUBLIC cudaError_t function parameters OLDER_NAME(symbol);                                  \
    cudaError_t function parameters {                                                              \
        return call;                                                                               \
    }

/* The functions of CUDA 13, as this library names them. */
cudaError_t simt13_cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, const cudaGraphEdgeData *data,
                                    size_t n, struct cudaGraphNodeParams *params);
cudaError_t simt13_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to,
                                            const cudaGraphEdgeData *data, size_t n);
cudaError_t simt13_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to,
                                               const cudaGraphEdgeData *data, size_t n);
cudaError_t simt13_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     cudaGraphEdgeData *data, size_t *n);
cudaError_t simt13_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                cudaGraphEdgeData *data, size_t *n);
cudaError_t simt13_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                  cudaGraphEdgeData *data, size_t *n);
cudaError_t simt13_cudaStreamGetCaptureInfo(cudaStream_t stream,
                                            enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id, cudaGraph_t *graph,
                                            const cudaGraphNode_t **nodes,
                                            const cudaGraphEdgeData **edges, size_t *n);
cudaError_t simt13_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                       const cudaGraphEdgeData *data, size_t n,
                                                       unsigned flags);
cudaError_t simt13_cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                        unsigned long long flags);
cudaError_t simt13_cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo *info);

/* ---- Edges ---- */

OLDER("cudaGraphAddNode", add_node,
      (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t n,
       struct cudaGraphNodeParams *params),
      simt13_cudaGraphAddNode(node, graph, before, NULL, n, params))
OLDER("cudaGraphAddNode_v2", add_node_v2,
      (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before,
       const cudaGraphEdgeData *data, size_t n, struct cudaGraphNodeParams *params),
      simt13_cudaGraphAddNode(node, graph, before, data, n, params))
OLDER("cudaGraphAddDependencies", add_dependencies,
      (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n),
      simt13_cudaGraphAddDependencies(graph, from, to, NULL, n))
OLDER("cudaGraphAddDependencies_v2", add_dependencies_v2,
      (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
       const cudaGraphEdgeData *data, size_t n),
      simt13_cudaGraphAddDependencies(graph, from, to, data, n))
OLDER("cudaGraphRemoveDependencies", remove_dependencies,
      (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n),
      simt13_cudaGraphRemoveDependencies(graph, from, to, NULL, n))
OLDER("cudaGraphRemoveDependencies_v2", remove_dependencies_v2,
      (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
       const cudaGraphEdgeData *data, size_t n),
      simt13_cudaGraphRemoveDependencies(graph, from, to, data, n))
OLDER("cudaGraphGetEdges", get_edges,
      (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n),
      simt13_cudaGraphGetEdges(graph, from, to, NULL, n))
OLDER("cudaGraphGetEdges_v2", get_edges_v2,
      (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
       size_t *n),
      simt13_cudaGraphGetEdges(graph, from, to, data, n))
OLDER("cudaGraphNodeGetDependencies", get_before,
      (cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n),
      simt13_cudaGraphNodeGetDependencies(node, nodes, NULL, n))
OLDER("cudaGraphNodeGetDependencies_v2", get_before_v2,
      (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *n),
      simt13_cudaGraphNodeGetDependencies(node, nodes, data, n))
OLDER("cudaGraphNodeGetDependentNodes", get_behind,
      (cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n),
      simt13_cudaGraphNodeGetDependentNodes(node, nodes, NULL, n))
OLDER("cudaGraphNodeGetDependentNodes_v2", get_behind_v2,
      (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *n),
      simt13_cudaGraphNodeGetDependentNodes(node, nodes, data, n))

/* ---- Stream capture; _ptsz: a null stream means the thread's ---- */

#define CAPTURE(suffix, name, stream_of)                                                           \
    OLDER("cudaStreamGetCaptureInfo" suffix, get_info##name,                                       \
          (cudaStream_t stream, enum cudaStreamCaptureStatus * status, unsigned long long *id),    \
          simt13_cudaStreamGetCaptureInfo(stream_of, status, id, NULL, NULL, NULL, NULL))          \
    OLDER("cudaStreamGetCaptureInfo_v2" suffix, get_info_v2##name,                                 \
          (cudaStream_t stream, enum cudaStreamCaptureStatus * status, unsigned long long *id,     \
           cudaGraph_t *graph, const cudaGraphNode_t **nodes, size_t *n),                          \
          simt13_cudaStreamGetCaptureInfo(stream_of, status, id, graph, nodes, NULL, n))           \
    OLDER("cudaStreamGetCaptureInfo_v3" suffix, get_info_v3##name,                                 \
          (cudaStream_t stream, enum cudaStreamCaptureStatus * status, unsigned long long *id,     \
           cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,     \
           size_t *n),                                                                             \
          simt13_cudaStreamGetCaptureInfo(stream_of, status, id, graph, nodes, edges, n))          \
    OLDER("cudaStreamUpdateCaptureDependencies" suffix, update##name,                              \
          (cudaStream_t stream, cudaGraphNode_t * nodes, size_t n, unsigned flags),                \
          simt13_cudaStreamUpdateCaptureDependencies(stream_of, nodes, NULL, n, flags))            \
    OLDER("cudaStreamUpdateCaptureDependencies_v2" suffix, update_v2##name,                        \
          (cudaStream_t stream, cudaGraphNode_t * nodes, const cudaGraphEdgeData *data, size_t n,  \
           unsigned flags),                                                                        \
          simt13_cudaStreamUpdateCaptureDependencies(stream_of, nodes, data, n, flags))
CAPTURE("", , stream)
CAPTURE("_ptsz", _ptsz, RT_PER_THREAD(stream))

/* ---- Executable graphs ---- */

#if SIMT_CUDA_VERSION >= 12000

OLDER("cudaGraphInstantiate", instantiate,
      (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
      simt13_cudaGraphInstantiate(exec, graph, flags))
OLDER("cudaGraphExecUpdate", update_exec,
      (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info),
      simt13_cudaGraphExecUpdate(exec, graph, info))

#else

static cudaError_t instantiate_11(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *wrong,
                                  char *log, size_t size) {
    if (wrong) *wrong = NULL;
    if (log && size) *log = 0;
    return simt13_cudaGraphInstantiate(exec, graph, 0);
}

OLDER("cudaGraphInstantiate", instantiate,
      (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphNode_t *wrong, char *log, size_t size),
      instantiate_11(exec, graph, wrong, log, size))

static cudaError_t update_11(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *wrong,
                             enum cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateError};
    cudaError_t error = simt13_cudaGraphExecUpdate(exec, graph, &info);
    if (wrong) *wrong = info.errorNode;
    if (result) *result = info.result;
    return error;
}

OLDER("cudaGraphExecUpdate", update_exec,
      (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *wrong,
       enum cudaGraphExecUpdateResult *result),
      update_11(exec, graph, wrong, result))

#endif
