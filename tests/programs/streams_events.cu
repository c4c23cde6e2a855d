// Streams and events: order within and between streams, queries, elapsed times, priorities, waits,
// wrong handles.
#include "check.h"

__global__ void append(int *log, int *length, int what) {
    log[(*length)++] = what;
}
__global__ void multiply(float *v, int n, float by) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) v[i] *= by;
}

int main() {
    int *log = poisoned<int>(100), *length = to_device(std::vector<int>(1));
    cudaStream_t first, second, urgent;
    int lowest, highest, priority;
    CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, highest));
    CHECK(cudaStreamGetPriority(urgent, &priority));
    same("priority", 0, priority, highest);
    unsigned flags;
    CHECK(cudaStreamGetFlags(second, &flags));
    same("flags", 0, flags, cudaStreamNonBlocking);
    cudaEvent_t start, stop, ready, plain;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&plain, cudaEventBlockingSync));
    CHECK(cudaEventRecord(start, first));
    for (int i = 0; i < 10; i++) append<<<1, 1, 0, first>>>(log, length, i);
    CHECK(cudaEventRecord(ready, first));
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    for (int i = 10; i < 20; i++) append<<<1, 1, 0, second>>>(log, length, i);
    CHECK(cudaEventRecord(plain, second));
    CHECK(cudaStreamWaitEvent(first, plain));
    append<<<1, 1, 0, first>>>(log, length, 20);
    CHECK(cudaEventRecord(stop, first));
    // Work that nobody has waited for may be under way still; who asks often enough finds it done.
    int asked = 0;
    cudaError_t found;
    while ((found = cudaStreamQuery(first)) == cudaErrorNotReady) asked++;
    same("asked until done", 0, (int)found, (int)cudaSuccess);
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    if (strstr(properties.name, "(simt)") != NULL) same("asked in vain", 0, asked, 1);
    cudaGetLastError();
    CHECK(cudaEventSynchronize(stop));
    same("event query", 0, (int)cudaEventQuery(stop), (int)cudaSuccess);
    same("stream query", 0, (int)cudaStreamQuery(first), (int)cudaSuccess);
    float ms = -1, none;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    same("elapsed", 0, ms >= 0 && ms < 60000, true);
    std::vector<int> got = to_host(log, 21);
    for (int i = 0; i < 21; i++) same("order", i, got[i], i);
    same("no timing", 0, (int)cudaEventElapsedTime(&none, start, ready),
         (int)cudaErrorInvalidResourceHandle);
    cudaEvent_t unrecorded;
    CHECK(cudaEventCreate(&unrecorded));
    same("unrecorded", 0, (int)cudaEventElapsedTime(&none, start, unrecorded),
         (int)cudaErrorInvalidResourceHandle);
    same("unrecorded query", 0, (int)cudaEventQuery(unrecorded), (int)cudaSuccess);
    cudaGetLastError();
    // The default stream waits for first, which blocks it; several streams work on parts of one
    // array.
    const int parts = 4, n = 1 << 10;
    float *host, *device;
    CHECK(cudaMallocHost(&host, parts * n * sizeof(float)));
    CHECK(cudaMalloc(&device, parts * n * sizeof(float)));
    for (int i = 0; i < parts * n; i++) host[i] = (float)i;
    cudaStream_t streams[parts];
    for (int p = 0; p < parts; p++) {
        CHECK(cudaStreamCreate(&streams[p]));
        CHECK(cudaMemcpyAsync(device + p * n, host + p * n, n * sizeof(float),
                              cudaMemcpyHostToDevice, streams[p]));
        multiply<<<1, 128, 0, streams[p]>>>(device + p * n, n, (float)(p + 1));
        CHECK(cudaMemcpyAsync(host + p * n, device + p * n, n * sizeof(float),
                              cudaMemcpyDeviceToHost, streams[p]));
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < parts * n; i++) same("parts", i, host[i], (float)i * (float)(i / n + 1));
    for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
    multiply<<<1, 32, 0, cudaStreamLegacy>>>(device, 1, 1);
    multiply<<<1, 32, 0, cudaStreamPerThread>>>(device, 1, 1);
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    for (cudaEvent_t event : {start, stop, ready, plain, unrecorded})
        CHECK(cudaEventDestroy(event));
    for (cudaStream_t stream : {first, second, urgent}) CHECK(cudaStreamDestroy(stream));
    FINISH_KERNEL();
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return finish();
}
