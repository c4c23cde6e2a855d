// The driver API: contexts, modules of PTX, launches in all forms, copies, fills, textures,
// streams, events, occupancy, errors; mixed with the runtime.
// build linked -lcuda
#include "check.h"

#include <cuda.h>

static void is(const char *what, CUresult got, CUresult want) {
    same(what, 0, (int)got, (int)want);
}

/* Stop with the call and the error's name unless the call succeeds. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        CUresult ok_error = (call);                                                                \
        const char *ok_name = "";                                                                  \
        if (ok_error == CUDA_SUCCESS) break;                                                       \
        cuGetErrorName(ok_error, &ok_name);                                                        \
        printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, ok_name);                             \
        exit(1);                                                                                   \
    } while (0)

/* line(out, factor, small): out[i] = factor * i + small + bias. */
static const char PTX[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .global .align 4 .u32 bias = 7;
.visible .entry line(.param .u64 out, .param .u32 factor, .param .u8 small) {
    .reg .b32 %r<8>;
    .reg .b64 %rd<5>;
    .reg .b16 %rs<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [factor];
    ld.param.u8 %rs1, [small];
    cvt.u32.u16 %r2, %rs1;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r3, %r2;
    ld.global.u32 %r5, [bias];
    add.u32 %r6, %r4, %r5;
    mul.wide.u32 %rd2, %r3, 4;
    cvta.to.global.u64 %rd3, %rd1;
    add.u64 %rd4, %rd3, %rd2;
    st.global.u32 [%rd4], %r6;
    ret;
}
.visible .entry fetch(.param .u64 out, .param .u64 texture) {
    .reg .b32 %r<5>;
    .reg .f32 %f<6>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [texture];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 7;
    shr.u32 %r3, %r1, 3;
    cvt.rn.f32.u32 %f1, %r2;
    cvt.rn.f32.u32 %f2, %r3;
    tex.2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%rd2, {%f1, %f2}];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    cvta.to.global.u64 %rd4, %rd1;
    add.u64 %rd5, %rd4, %rd3;
    st.global.u32 [%rd5], %r1;
    ret;
}
)";

__global__ void add(int *out, int x) {
    out[threadIdx.x] += x;
}

enum { N = 64 };

static void expect(const char *what, CUdeviceptr device, int first, int step) {
    int got[N];
    OK(cuMemcpyDtoH(got, device, sizeof got));
    for (int i = 0; i < N; i++) same(what, i, got[i], first + step * i);
}

static void without_context() {
    CUdevice device;
    CUcontext context;
    CUdeviceptr p;
    int n = 0;
    const char *text = nullptr;
    is("cuDeviceGet before cuInit", cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
    OK(cuInit(0));
    is("cuInit with flags", cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetCount(&n));
    is("cuDeviceGet of none", cuDeviceGet(&device, n), CUDA_ERROR_INVALID_DEVICE);
    OK(cuCtxGetCurrent(&context));
    same("no context", 0, context == nullptr, true);
    is("cuMemAlloc", cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
    is("cuCtxSynchronize", cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
    same("its text", 0, strcmp(text, "invalid device context"), 0);
    is("no such error", cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
}

/* A context of its own, pushed and popped. */
static void contexts() {
    CUcontext first, second, current;
    CUdevice device;
    unsigned flags;
    int active;
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    same("primary context inactive", 0, active, 0);
    OK(cuDevicePrimaryCtxRetain(&first, 0));
    OK(cuCtxSetCurrent(first));
    OK(cuCtxGetCurrent(&current));
    same("current", 0, current == first, true);
    OK(cuDevicePrimaryCtxRetain(&second, 0));
    same("one primary context", 0, first == second, true);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxPushCurrent(first));
    OK(cuCtxPopCurrent(&current));
    OK(cuCtxGetDevice(&device));
    same("device", 0, device, 0);
}

static void launches(CUfunction function, CUdeviceptr out) {
    int factor = 3, min_grid, block, blocks;
    unsigned char small = 200;
    void *params[] = {&out, &factor, &small};
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, stream, params, nullptr));
    OK(cuStreamSynchronize(stream));
    expect("kernelParams", out, 207, 3);
    struct Packed {
        CUdeviceptr out;
        int factor;
        unsigned char small;
    } packed = {out, -1, 50};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    is("more bytes than parameters",
       cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, nullptr, nullptr, extra),
       CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    size = offsetof(Packed, small) + sizeof packed.small;
    OK(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, nullptr, nullptr, extra));
    expect("extra", out, 57, -1);
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = N;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    factor = 1;
    OK(cuLaunchKernelEx(&config, function, params, nullptr));
    OK(cuStreamSynchronize(stream));
    expect("cuLaunchKernelEx", out, 207, 1);
    is("too many threads",
       cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, stream, params, nullptr),
       CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamDestroy(stream));
    OK(cuFuncGetAttribute(&block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    same("threads of a block", 0, block, 1024);
    OK(cuOccupancyMaxPotentialBlockSize(&min_grid, &block, function, nullptr, 0, 0));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block, 0));
    same("occupancy", 0, block * blocks > 0 && min_grid % blocks == 0, true);
}

static void modules(CUdeviceptr out) {
    CUmodule module, again;
    CUfunction function;
    CUdeviceptr bias;
    CUlinkState link;
    size_t bytes;
    void *image;
    char log[200] = "none";
    int value = 1000;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    is("bad PTX",
       cuModuleLoadDataEx(&module, ".version 6.3\n.target sm_75\nnonsense", 2, options, values),
       CUDA_ERROR_INVALID_PTX);
    same("log", 0, strcmp(log, "none") && strlen(log) > 0, true);
    OK(cuModuleLoadData(&module, PTX));
    is("no such function", cuModuleGetFunction(&function, module, "none"), CUDA_ERROR_NOT_FOUND);
    is("no such variable", cuModuleGetGlobal(&bias, &bytes, module, "none"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunction(&function, module, "line"));
    launches(function, out);
    OK(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
    same("bytes of bias", 0, (int)bytes, 4);
    OK(cuMemcpyHtoD(bias, &value, sizeof value));
    int factor = 0;
    unsigned char small = 1;
    void *params[] = {&out, &factor, &small};
    OK(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, nullptr, params, nullptr));
    expect("bias", out, 1001, 0);
    // Each loading has variables of its own; what the linker makes is loaded like any other image.
    OK(cuLinkCreate(0, nullptr, nullptr, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)PTX, sizeof PTX, "line", 0, nullptr, nullptr));
    OK(cuLinkComplete(link, &image, &bytes));
    OK(cuModuleLoadData(&again, image));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&function, again, "line"));
    OK(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, nullptr, params, nullptr));
    expect("linked", out, 8, 0);
    OK(cuModuleUnload(module));
    OK(cuModuleUnload(again));
    for (int i = 0; i < 100; i++) {
        OK(cuModuleLoadData(&module, PTX));
        OK(cuModuleUnload(module));
    }
}

static void libraries(CUdeviceptr out) {
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    int factor = 2, bytes;
    unsigned char small = 0;
    void *params[] = {&out, &factor, &small};
    OK(cuLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLibraryGetKernel(&kernel, library, "line"));
    OK(cuKernelGetFunction(&function, kernel));
    OK(cuKernelGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, 0));
    same("shared memory", 0, bytes, 0);
    OK(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, nullptr, params, nullptr));
    expect("cuKernelGetFunction", out, 7, 2);
    factor = 4;
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, N, 1, 1, 0, nullptr, params, nullptr));
    expect("CUkernel", out, 7, 4);
    OK(cuLibraryUnload(library));
}

static void memory(CUdeviceptr out) {
    CUdeviceptr start, rows;
    size_t size, pitch;
    unsigned type = 0;
    float ms;
    CUevent from, to;
    OK(cuEventCreate(&from, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&to, CU_EVENT_DEFAULT));
    OK(cuEventRecord(from, nullptr));
    OK(cuMemsetD32(out, 0x01020304, N));
    OK(cuEventRecord(to, nullptr));
    OK(cuEventSynchronize(to));
    OK(cuEventElapsedTime(&ms, from, to));
    same("time", 0, ms > 0, true);
    OK(cuEventDestroy(from));
    OK(cuEventDestroy(to));
    expect("cuMemsetD32", out, 0x01020304, 0);
    OK(cuMemsetD16(out, 0xABCD, 2 * N));
    expect("cuMemsetD16", out, (int)0xABCDABCDu, 0);
    is("cuMemsetD16 at an odd address", cuMemsetD16(out + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemsetD8Async(out, 1, 4 * N, CU_STREAM_LEGACY));
    expect("cuMemsetD8Async", out, 0x01010101, 0);
    OK(cuMemGetAddressRange(&start, &size, out + 8));
    same("start", 0, start == out, true);
    same("size", 0, size, sizeof(int) * N);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, out));
    same("memory type", 0, (int)type, (int)CU_MEMORYTYPE_DEVICE);
    // Rows of 12 of 16 bytes, from the host into a pitched allocation and back to back on the way
    // out.
    int host[4][4], packed[4][3];
    for (int i = 0; i < 16; i++) host[i / 4][i % 4] = i;
    OK(cuMemAllocPitch(&rows, &pitch, 12, 4, 4));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = host;
    copy.srcXInBytes = 4;
    copy.srcPitch = 16;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = rows;
    copy.dstPitch = pitch;
    copy.WidthInBytes = 12;
    copy.Height = 4;
    OK(cuMemcpy2D(&copy));
    copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = rows;
    copy.srcPitch = pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = packed;
    copy.WidthInBytes = 12;
    copy.Height = 4;
    OK(cuMemcpy2D(&copy));
    for (int i = 0; i < 12; i++) same("cuMemcpy2D", i, packed[i / 3][i % 3], i / 3 * 4 + i % 3 + 1);
    OK(cuMemFree(rows));
}

/* An array of 8 x 8 integers: rows of the host go into it, and a kernel fetches them. */
static void textures(CUdeviceptr out) {
    CUmodule module;
    CUfunction function;
    CUarray array;
    CUtexObject texture;
    int host[8][8];
    for (int i = 0; i < N; i++) host[i / 8][i % 8] = 5 * i - 100;
    CUDA_ARRAY_DESCRIPTOR asked = {}, found = {};
    asked.Width = asked.Height = 8;
    asked.Format = CU_AD_FORMAT_SIGNED_INT32;
    asked.NumChannels = 1;
    OK(cuArrayCreate(&array, &asked));
    OK(cuArrayGetDescriptor(&found, array));
    same("descriptor", 0, memcmp(&found, &asked, sizeof found), 0);
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = host;
    copy.srcPitch = sizeof host[0];
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 16; // the left half, then the right one
    copy.Height = 8;
    OK(cuMemcpy2D(&copy));
    copy.srcXInBytes = copy.dstXInBytes = 16;
    OK(cuMemcpy2D(&copy));
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC how = {};
    how.flags = CU_TRSF_READ_AS_INTEGER;
    OK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    OK(cuModuleLoadData(&module, PTX));
    OK(cuModuleGetFunction(&function, module, "fetch"));
    void *params[] = {&out, &texture};
    OK(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, nullptr, params, nullptr));
    expect("texture", out, -100, 5);
    OK(cuTexObjectDestroy(texture));
    OK(cuArrayDestroy(array));
    CUmipmappedArray mipmap;
    CUDA_ARRAY3D_DESCRIPTOR whole = {}, level = {};
    whole.Width = whole.Height = 8;
    whole.Format = CU_AD_FORMAT_FLOAT;
    whole.NumChannels = 1;
    OK(cuMipmappedArrayCreate(&mipmap, &whole, 3));
    OK(cuMipmappedArrayGetLevel(&array, mipmap, 1));
    OK(cuArray3DGetDescriptor(&level, array));
    same("level's width", 1, (int)level.Width, 4);
    is("no level", cuMipmappedArrayGetLevel(&array, mipmap, 3), CUDA_ERROR_INVALID_VALUE);
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = mipmap;
    how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    how.maxMipmapLevelClamp = 2;
    OK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    OK(cuTexObjectDestroy(texture));
    OK(cuMipmappedArrayDestroy(mipmap));
}

/* The runtime uses the primary context: memory, streams and kernels are those of both. */
static void mixed(CUdeviceptr out) {
    CUfunction function;
    cudaStream_t stream;
    CUdevice device;
    int x = 5, *pointer = (int *)out;
    OK(cuMemsetD32(out, 10, N));
    add<<<1, N>>>(pointer, 1);
    FINISH_KERNEL();
    expect("a kernel of the runtime", out, 11, 0);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGetFuncBySymbol((cudaFunction_t *)&function, (const void *)add));
    void *params[] = {&pointer, &x};
    OK(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, stream, params, nullptr));
    OK(cuStreamSynchronize(stream));
    expect("its CUfunction", out, 16, 0);
    CHECK(cudaStreamDestroy(stream));
    // The runtime loads libraries, too, and finds the driver's functions.
    cudaLibrary_t library;
    cudaKernel_t kernel;
    void *bias, *function_of = nullptr;
    size_t bytes;
    unsigned char small = 3;
    void *line[] = {&out, &x, &small};
    CHECK(cudaLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "line"));
    CHECK(cudaLibraryGetGlobal(&bias, &bytes, library, "bias"));
    same("bytes of bias", 0, (int)bytes, 4);
    CHECK(cudaMemset(bias, 0, bytes));
    CHECK(cudaLaunchKernel((const void *)kernel, 1, N, line, 0, 0));
    expect("cudaLibraryGetKernel", out, 3, 5);
    CHECK(cudaLibraryUnload(library));
    CHECK(cudaGetDriverEntryPointByVersion("cuCtxGetDevice", &function_of, 12000, 0));
    OK(((CUresult(*)(CUdevice *))function_of)(&device));
    is("a bad call", cuMemFree(out + 4), CUDA_ERROR_INVALID_VALUE);
    CHECK(cudaGetLastError()); // the driver's errors are not the runtime's
    OK(cuCtxGetDevice(&device));
    same("device", 0, device, 0);
}

static void by_name() {
    typedef CUresult (*Alloc)(CUdeviceptr *, size_t);
    void *function = nullptr;
    CUdriverProcAddressQueryResult status;
    CUdeviceptr p;
    OK(cuGetProcAddress("cuMemAlloc", &function, 12000, 0, &status));
    same("status", 0, (int)status, (int)CU_GET_PROC_ADDRESS_SUCCESS);
    OK(((Alloc)function)(&p, 100));
    OK(cuMemFree(p));
    OK(cuGetProcAddress("cuNothing", &function, 12000, 0, &status));
    same("status", 1, (int)status, (int)CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

/* Two pieces of memory side by side, then one of them elsewhere, with its bytes. */
static void virtual_memory() {
    CUmemAllocationProp of = {};
    CUmemAccessDesc access = {};
    CUmemGenericAllocationHandle pieces[2];
    CUdeviceptr start, other;
    size_t size;
    int supported;
    OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                            0));
    same("virtual memory", 0, supported, 1);
    of.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    of.location.type = access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    OK(cuMemGetAllocationGranularity(&size, &of, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    is("a part", cuMemCreate(pieces, size - 1, &of, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressReserve(&start, 2 * size, 0, 0, 0));
    OK(cuMemAddressReserve(&other, size, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        OK(cuMemCreate(pieces + i, size, &of, 0));
        OK(cuMemMap(start + i * size, size, 0, pieces[i], 0));
    }
    is("an address twice", cuMemMap(start, size, 0, pieces[0], 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemSetAccess(start, 2 * size, &access, 1));
    OK(cuMemsetD32(start, 5, 2 * size / 4));
    std::vector<int> words(64), got(64);
    for (int i = 0; i < 64; i++) words[i] = i;
    OK(cuMemcpyHtoD(start + size - 128, words.data(), 256)); // half in each
    OK(cuMemUnmap(start + size, size));
    is("nothing there", cuMemcpyDtoH(got.data(), start + size, 128), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemMap(other, size, 0, pieces[1], 0));
    OK(cuMemSetAccess(other, size, &access, 1));
    OK(cuMemcpyDtoH(got.data(), start + size - 128, 128));
    OK(cuMemcpyDtoH(got.data() + 32, other, 128));
    for (int i = 0; i < 64; i++) same("moved", i, got[i], i);
    OK(cuMemUnmap(start, size));
    OK(cuMemUnmap(other, size));
    for (int i = 0; i < 2; i++) OK(cuMemRelease(pieces[i]));
    OK(cuMemAddressFree(start, 2 * size));
    OK(cuMemAddressFree(other, size));
}

int main() {
    CUdeviceptr out;
    without_context();
    contexts();
    OK(cuMemAlloc(&out, N * sizeof(int)));
    modules(out);
    libraries(out);
    memory(out);
    textures(out);
    mixed(out);
    virtual_memory();
    by_name();
    OK(cuMemFree(out));
    return finish();
}
