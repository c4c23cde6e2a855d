/* Uses the driver API beside the runtime, or with NVRTC; or calls what simt lacks. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

#define OK(call)                                                                                   \
    do {                                                                                           \
        int error = (int)(call);                                                                   \
        if (error) printf("%s: %d\n", #call, error), exit(1);                                      \
    } while (0)

/* Memory of the runtime is the driver's, and so is the context. */
static void mix(void) {
    CUcontext context = NULL;
    CUdeviceptr start;
    size_t size;
    void *pointer;
    OK(cudaMalloc(&pointer, 1000));
    OK(cuCtxGetCurrent(&context));
    OK(cuMemGetAddressRange(&start, &size, (CUdeviceptr)pointer + 10));
    printf("context %d, start %d, %zu bytes\n", context != NULL, start == (CUdeviceptr)pointer,
           size);
    OK(cudaFree(pointer));
}

#ifdef WITH_NVRTC
#include <nvrtc.h>

static const char *source = "__global__ void neighbours(int *out) {\n"
                            "    __shared__ int v[64];\n"
                            "    v[threadIdx.x] = threadIdx.x;\n"
                            "    out[threadIdx.x] = v[63 - threadIdx.x];\n"
                            "}\n";

static void compile(int machine_code) {
    nvrtcProgram program;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    int got[64];
    size_t size;
    const char *options[] = {machine_code ? "-arch=sm_90" : "-arch=compute_75", "-lineinfo"};
    OK(nvrtcCreateProgram(&program, source, "neighbours.cu", 0, NULL, NULL));
    OK(nvrtcCompileProgram(program, 2, options));
    OK((machine_code ? nvrtcGetCUBINSize : nvrtcGetPTXSize)(program, &size));
    char *image = malloc(size);
    OK((machine_code ? nvrtcGetCUBIN : nvrtcGetPTX)(program, image));
    dlopen("libstdc++.so.6", RTLD_LAZY); /* to print the kernel's name; for nobody else */
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxPushCurrent(context));
    OK(cuModuleLoadData(&module, image));
    free(image);
    OK(cuModuleGetFunction(&function, module, "_Z10neighboursPi"));
    OK(cuMemAlloc(&out, sizeof got));
    void *params[] = {&out};
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH(got, out, sizeof got));
    printf("%d %d\n", got[40], got[63]);
}
#else

CUresult cuMemRetainAllocationHandle(void);

/* Each block reads after the grid's barrier what the next one wrote before it, as Numba calls it.
 */
static const char meet_ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"
    ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);\n"
    ".visible .entry meet(.param .u64 out) {\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4;\n"
    "add.u64 %rd2, %rd1, %rd2; st.u32 [%rd2], %r1;\n"
    "{ .param .b32 p; .param .b64 v; st.param.b32 [p], 1;\n"
    "call.uni (v), cudaCGGetIntrinsicHandle, (p); ld.param.b64 %rd3, [v]; }\n"
    "{ .param .b64 p; .param .b32 q; .param .b32 v; st.param.b64 [p], %rd3;\n"
    "st.param.b32 [q], 0; call.uni (v), cudaCGSynchronize, (p, q); }\n"
    "add.u32 %r2, %r1, 1; and.b32 %r2, %r2, 3; mul.wide.u32 %rd3, %r2, 4;\n"
    "add.u64 %rd3, %rd1, %rd3; ld.volatile.u32 %r3, [%rd3]; st.u32 [%rd2 + 16], %r3; ret; }\n";

static void meet(void) {
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    CUcontext context;
    int got[8];
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxPushCurrent(context));
    OK(cuModuleLoadData(&module, meet_ptx));
    OK(cuModuleGetFunction(&function, module, "meet"));
    OK(cuMemAlloc(&out, sizeof got));
    void *params[] = {&out};
    OK(cuLaunchCooperativeKernel(function, 4, 1, 1, 64, 1, 1, 0, NULL, params));
    OK(cuMemcpyDtoH(got, out, sizeof got));
    printf("met %d %d %d %d\n", got[4], got[5], got[6], got[7]);
    OK(cuMemFree(out));
}

static void lack(void) {
    OK(cuInit(0));
    printf("%d ", cuMemRetainAllocationHandle());
    printf("%d\n", cuMemRetainAllocationHandle());
}

#endif

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "mix")) mix();
#ifdef WITH_NVRTC
    if (!strcmp(what, "ptx") || !strcmp(what, "cubin")) compile(!strcmp(what, "cubin"));
#else
    if (!strcmp(what, "lack")) lack();
    if (!strcmp(what, "meet")) meet();
#endif
    return 0;
}
