// Calls that programs make in passing: profiler control, peers, flags, function loading, stream and
// event variants.
#include "check.h"

#include <cuda_profiler_api.h>

__global__ void increment(int *p) {
    *p += 1;
}

int main() {
    CHECK(cudaInitDevice(0, 0, 0));
    CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    CHECK(cudaFree(0)); // the usual way to start the runtime
    CHECK(cudaProfilerStart());
    int *p, value = 0, can_access = -1;
    CHECK(cudaMalloc(&p, sizeof(int)));
    CHECK(cudaMemset(p, 0, sizeof(int)));
    increment<<<1, 1>>>(p);
    CHECK(cudaProfilerStop());
    CHECK(cudaDeviceCanAccessPeer(&can_access, 0, 0));
    same("no peer of itself", 0, can_access, 0);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    unsigned long long id = 0, other = 0;
    CHECK(cudaStreamGetId(stream, &id));
    CHECK(cudaStreamGetId(0, &other));
    same("stream numbers differ", 0, id != other, true);
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault));
    CHECK(cudaStreamWaitEvent(stream, event, cudaEventWaitDefault));
    increment<<<1, 1, 0, stream>>>(p);
    CHECK(cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("incremented", 0, value, 2);
    cudaStreamCaptureStatus capture;
    CHECK(cudaStreamIsCapturing(stream, &capture));
    same("not capturing", 0, (int)capture, (int)cudaStreamCaptureStatusNone);
    CHECK(cudaCtxResetPersistingL2Cache());
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaMemcpyPeer(p, 0, p, 0, 0));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(p));
    CHECK(cudaDeviceReset());
    return finish();
}
