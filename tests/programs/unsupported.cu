// What simt does not simulate names itself, with kernel and source line, and fails: offsets of
// texels, anisotropic filters, memory of other interfaces.
//
// only simt
// alone simt names what it lacks at the start of every program in the source
// case offset | 1 | cudaError | tex.2d.*offset
// case offset | 1 | cudaError | unsupported.cu:[0-9]+
// case anisotropy | 1 | cudaErrorNotSupported | gradients where maxAnisotropy is more than 1
// case memory | 1 | cudaErrorNotSupported | cudaDestroyExternalMemory
// case graph | 1 | cudaErrorNotSupported | cudaGraphInstantiate for launches by kernels
// case grids | 1 | cudaErrorNotSupported | cudaLaunchCooperativeKernelMultiDevice is not supported
// case not_reached | 0 | ^ok$
#include "check.h"

#include <dlfcn.h>

__global__ void fetch(cudaTextureObject_t texture, float *out, int fetched) {
    float4 v = make_float4(1, 0, 0, 0);
    if (fetched)
        asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %5}], {%6, %6};"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(texture), "f"(0.5f), "r"(1));
    out[threadIdx.x] = v.x;
}

__global__ void fetch_gradient(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] =
        tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(0.5f, 0), make_float2(0, 0.25f));
}

static void fetch_anisotropic(float *out) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    CHECK(cudaMallocArray(&resource.res.array.array, &format, 4, 4));
    cudaTextureDesc how = {};
    how.normalizedCoords = 1, how.maxAnisotropy = 4;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    fetch_gradient<<<1, 32>>>(texture, out);
    FINISH_KERNEL();
}

int main(int, char **arguments) {
    float *out = poisoned<float>(256);
    if (!strcmp(arguments[1], "anisotropy")) fetch_anisotropic(out);
    if (!strcmp(arguments[1], "memory")) CHECK(cudaDestroyExternalMemory(NULL));
    if (!strcmp(arguments[1], "graph")) { /* a graph that kernels launch */
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CHECK(cudaGraphCreate(&graph, 0));
        CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
    }
    if (!strcmp(arguments[1], "grids")) { /* a grid on several devices: CUDA 13 has it no longer */
#if CUDART_VERSION >= 13000
        auto launch = (cudaError_t(*)(void *, unsigned, unsigned))dlsym(
            nullptr, "cudaLaunchCooperativeKernelMultiDevice");
        CHECK(launch(nullptr, 0, 0));
#else
        CHECK(cudaLaunchCooperativeKernelMultiDevice(nullptr, 0));
#endif
    }
    fetch<<<1, 32>>>(0, out, !strcmp(arguments[1], "offset"));
    FINISH_KERNEL();
    same("not reached", 5, to_host(out, 32)[5], 1);
    return finish();
}
