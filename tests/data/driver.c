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
#endif
    return 0;
}
