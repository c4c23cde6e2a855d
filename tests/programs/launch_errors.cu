// Wrong launches and arguments: the code each gives, that it does not stick, and the names and
// texts of the errors. Where two codes are right, the first is the documented one and the second
// what CUDA 13 gives on an H200.
#include "check.h"

__global__ void nothing() {}
__global__ void store(int *p) {
    *p = 5;
}
__global__ void much_shared() {
    extern __shared__ int memory[];
    memory[threadIdx.x] = 1;
}

// CUDA 13 answers with other codes than the documentation says, measured on an H200.
#if CUDART_VERSION >= 13000
static const cudaError_t wrong_shape = cudaErrorInvalidValue,
                         no_kernel = cudaErrorInvalidResourceHandle;
#else
static const cudaError_t wrong_shape = cudaErrorInvalidConfiguration,
                         no_kernel = cudaErrorInvalidDeviceFunction;
#endif

// The launch failed with want; cudaPeekAtLastError keeps it, cudaGetLastError takes it.
static void failed(const char *what, cudaError_t want) {
    same(what, 0, (int)cudaPeekAtLastError(), (int)want);
    same(what, 1, (int)cudaGetLastError(), (int)want);
    same(what, 2, (int)cudaGetLastError(), (int)cudaSuccess);
    same(what, 3, (int)cudaDeviceSynchronize(), (int)cudaSuccess);
}

static void test_texts() {
    const struct {
        cudaError_t error;
        int code;
        const char *name, *text;
    } errors[] = {
        {cudaSuccess, 0, "cudaSuccess", "no error"},
        {cudaErrorInvalidValue, 1, "cudaErrorInvalidValue", "invalid argument"},
        {cudaErrorMemoryAllocation, 2, "cudaErrorMemoryAllocation", "out of memory"},
        {cudaErrorInvalidConfiguration, 9, "cudaErrorInvalidConfiguration",
         "invalid configuration argument"},
        {cudaErrorInvalidSymbol, 13, "cudaErrorInvalidSymbol", "invalid device symbol"},
        {cudaErrorInvalidDeviceFunction, 98, "cudaErrorInvalidDeviceFunction",
         "invalid device function"},
        {cudaErrorNoDevice, 100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {cudaErrorInvalidDevice, 101, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {cudaErrorNoKernelImageForDevice, 209, "cudaErrorNoKernelImageForDevice",
         "no kernel image is available for execution on the device"},
        {cudaErrorInvalidResourceHandle, 400, "cudaErrorInvalidResourceHandle",
         "invalid resource handle"},
        {cudaErrorNotReady, 600, "cudaErrorNotReady", "device not ready"},
        {cudaErrorIllegalAddress, 700, "cudaErrorIllegalAddress",
         "an illegal memory access was encountered"},
        {cudaErrorLaunchOutOfResources, 701, "cudaErrorLaunchOutOfResources",
         "too many resources requested for launch"},
        {cudaErrorLaunchTimeout, 702, "cudaErrorLaunchTimeout",
         "the launch timed out and was terminated"},
        {cudaErrorAssert, 710, "cudaErrorAssert", "device-side assert triggered"},
        {cudaErrorMisalignedAddress, 716, "cudaErrorMisalignedAddress", "misaligned address"},
        {cudaErrorLaunchFailure, 719, "cudaErrorLaunchFailure", "unspecified launch failure"},
        {cudaErrorNotSupported, 801, "cudaErrorNotSupported", "operation not supported"},
        {cudaErrorUnknown, 999, "cudaErrorUnknown", "unknown error"},
        {(cudaError_t)123456, 123456, "unrecognized error code", "unrecognized error code"},
    };
    for (auto &e : errors) {
        same("code", e.code, (int)e.error, e.code);
        if (strcmp(cudaGetErrorName(e.error), e.name) ||
            strcmp(cudaGetErrorString(e.error), e.text))
            printf("error %d is \"%s\", \"%s\", want \"%s\", \"%s\"\n", e.code,
                   cudaGetErrorName(e.error), cudaGetErrorString(e.error), e.name, e.text),
                differences++;
    }
}

int main() {
    nothing<<<1, 0>>>();
    failed("no threads", wrong_shape);
    nothing<<<0, 32>>>();
    failed("no blocks", wrong_shape);
    nothing<<<1, 1025>>>();
    failed("too many threads", wrong_shape);
    nothing<<<1, dim3(32, 32, 2)>>>();
    failed("too many threads in three dimensions", wrong_shape);
    nothing<<<1, dim3(1, 1, 65)>>>();
    failed("too deep a block", wrong_shape);
    nothing<<<dim3(1, 65536), 1>>>();
    failed("too high a grid", wrong_shape);
    much_shared<<<1, 1, 1 << 20>>>();
    failed("too much shared memory", cudaErrorInvalidValue);
    much_shared<<<1, 1, 48 * 1024 + 4>>>();
    failed("more than 48 KB without opting in", cudaErrorInvalidValue);
    int *p = nullptr;
    same("cudaMalloc of too much", 0, (int)cudaMalloc(&p, (size_t)1 << 48),
         (int)cudaErrorMemoryAllocation);
    failed("cudaMalloc of too much", cudaErrorMemoryAllocation);
    int host;
    same("free of a host address", 0, (int)cudaFree(&host), (int)cudaErrorInvalidValue);
    failed("free of a host address", cudaErrorInvalidValue);
    CHECK(cudaMalloc(&p, 64));
    same("free of the middle", 0, (int)cudaFree(p + 1), (int)cudaErrorInvalidValue);
    failed("free of the middle", cudaErrorInvalidValue);
    same("not a symbol", 0, (int)cudaMemcpyToSymbol(&host, &host, 4), (int)cudaErrorInvalidSymbol);
    failed("not a symbol", cudaErrorInvalidSymbol);
    void *arguments[] = {&p};
    same("not a kernel", 0, (int)cudaLaunchKernel(&host, dim3(1), dim3(1), arguments, 0, 0),
         (int)no_kernel);
    failed("not a kernel", no_kernel);
    same("a good call keeps an old error", 0, (int)cudaMalloc(nullptr, 4),
         (int)cudaErrorInvalidValue);
    CHECK(cudaMemset(p, 0, 4));
    failed("a good call keeps an old error", cudaErrorInvalidValue);
    store<<<1, 1>>>(p); // after all this, launches still work
    FINISH_KERNEL();
    same("store", 0, to_host(p, 1)[0], 5);
    same("freed", 0, (int)cudaFree(p), 0);
    same("freed twice", 0, (int)cudaFree(p), (int)cudaErrorInvalidValue);
    failed("freed twice", cudaErrorInvalidValue);
    test_texts();
    return finish();
}
