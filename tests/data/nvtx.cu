/* nvtx.cu: ranges and names by the header alone, for the tests of labprof: nested ranges, one that
 * ends on another thread, one of a domain, with texts of each kind. */
#include <cstdio>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <pthread.h>
#include <unistd.h>

__global__ void first(int *a) {
    a[threadIdx.x] = 1;
}

__global__ void second(int *a) {
    a[threadIdx.x] = 2;
}

static void *end_range(void *range) {
    nvtxRangeEnd(*(nvtxRangeId_t *)range);
    return NULL;
}

int main() {
    int *a;
    nvtxEventAttributes_t solve = {};
    nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
    solve.version = NVTX_VERSION;
    solve.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    solve.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    solve.message.registered = nvtxDomainRegisterStringA(domain, "solve");
    cudaStream_t stream;
    nvtxNameOsThreadA((uint32_t)gettid(), "a thread");
    nvtxNameOsThreadA((uint32_t)pthread_self(), "solver thread");
    cudaMalloc(&a, 4096);
    cudaStreamCreate(&stream);
    nvtxNameCudaStreamA(stream, "copies");
    first<<<1, 64, 0, stream>>>(a);
    cudaStreamSynchronize(stream);
    int levels = nvtxRangePushA("step");
    nvtxMarkA("a mark");
    cudaPeekAtLastError();
    levels += nvtxRangePushW(L"inner");
    first<<<1, 32>>>(a);
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangePushA("step");
    first<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    nvtxRangePop();
    nvtxDomainRangePushEx(domain, &solve);
    second<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    nvtxDomainRangePop(domain);
    nvtxRangeId_t range = nvtxRangeStartA("all");
    pthread_t thread;
    pthread_create(&thread, NULL, end_range, &range);
    pthread_join(thread, NULL);
    int below = nvtxRangePop();
    printf("%d %d %s\n", levels, below, cudaGetErrorName(cudaGetLastError()));
    return 0;
}
