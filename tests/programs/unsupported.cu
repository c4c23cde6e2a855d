// What simt does not simulate names itself, with kernel and source line, and fails: textures, libraries.
//
// only simt
// case texture | 1 | cudaError | tex.*
// case texture | 1 | cudaError | unsupported.cu:[0-9]+
// case library | 1 | cudaErrorNotSupported | cudaLibraryUnload
// case graph | 1 | cudaErrorNotSupported | cudaGraphInstantiate for launches by kernels
// case grids | 1 | cudaErrorNotSupported | cudaLaunchCooperativeKernelMultiDevice is not supported
// case not_reached | 0 | ^ok$
#include "check.h"

#include <dlfcn.h>

__global__ void fetch(cudaTextureObject_t texture, float *out, int fetched) {
    if (fetched)
        out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
    else
        out[threadIdx.x] = 1;
}
int main(int, char **arguments) {
    float *out = poisoned<float>(256);
    if (!strcmp(arguments[1], "library")) CHECK(cudaLibraryUnload(NULL));
    if (!strcmp(arguments[1], "graph")) { /* a graph that kernels launch */
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CHECK(cudaGraphCreate(&graph, 0));
        CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
    }
    if (!strcmp(arguments[1], "grids")) { /* a grid on several devices: CUDA 13 has it no longer */
        auto launch =
            (cudaError_t(*)(void *, unsigned, unsigned))dlsym(nullptr, "cudaLaunchCooperativeKernelMultiDevice");
        CHECK(launch(nullptr, 0, 0));
    }
    fetch<<<1, 32>>>(0, out, !strcmp(arguments[1], "texture"));
    FINISH_KERNEL();
    same("not reached", 5, to_host(out, 32)[5], 1);
    return finish();
}
