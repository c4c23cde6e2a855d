/* Calls graphs as programs compiled with CUDA 11 or 12 do. */
#include <stdio.h>
#include <string.h>
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphAddEmptyNode(void **node, void *graph, void **before, size_t n);
int cudaGraphAddDependencies(void *graph, void **from, void **to, size_t n);
int cudaGraphGetEdges(void *graph, void **from, void **to, size_t *n);
int cudaStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void **graph,
                                void ***nodes, size_t *n);
#if VERSION == 11
int cudaGraphInstantiate(void **exec, void *graph, void **wrong, char *log, size_t size);
int cudaGraphExecUpdate(void *exec, void *graph, void **wrong, int *result);
#else
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphExecUpdate(void *exec, void *graph, void *info);
#endif
int cudaGraphLaunch(void *exec, void *stream);
int main(void) {
    void *graph, *a, *b, *from, *to, *exec;
    struct {
        int result;
        void *node, *other;
    } info = {-1, 0, 0};
    int status = -1, error = 0;
    char log[8] = "unread";
    size_t n = 1;
    error += cudaGraphCreate(&graph, 0) + cudaGraphAddEmptyNode(&a, graph, 0, 0) +
             cudaGraphAddEmptyNode(&b, graph, 0, 0);
    error += cudaGraphAddDependencies(graph, &b, &a, 1) + cudaGraphGetEdges(graph, &from, &to, &n);
    error += cudaStreamGetCaptureInfo_v2(0, &status, 0, 0, 0, 0);
#if VERSION == 11
    error += cudaGraphInstantiate(&exec, graph, &info.node, log, sizeof log);
    error += cudaGraphExecUpdate(exec, graph, &info.node, &info.result);
#else
    error += cudaGraphInstantiate(&exec, graph, 0) + cudaGraphExecUpdate(exec, graph, &info);
#endif
    error += cudaGraphLaunch(exec, 0);
    printf("errors %d, edge %d, status %d, result %d, log '%s'\n", error, (from == b) + (to == a),
           status, info.result, log);
    return 0;
}
