// only simt
// unchecked streams and the host race here
// Copies and kernels take effect when their streams reach them: a host that looks earlier, and work
// in a stream that does not wait, find the old bytes. A GPU's times would differ.
#include "check.h"

constexpr size_t N = 1 << 20;
constexpr size_t BYTES = N * sizeof(int);

__global__ void set(int *to, int value, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = value;
}

__global__ void copy(int *to, const int *from, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

static int onDevice(const int *d) {
    int value;
    CHECK(cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

int main() {
    cudaStream_t one, other;
    cudaEvent_t event;
    int *host, *a, *b;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMalloc(&a, BYTES));
    CHECK(cudaMalloc(&b, BYTES));

    /* The host sees a kernel's store to its memory when it has waited for the kernel. */
    host[0] = 1;
    set<<<1, 1, 0, one>>>(host, 2, 1);
    same("byte", __LINE__, host[0], 1);
    CHECK(cudaStreamSynchronize(one));
    same("byte", __LINE__, host[0], 2);

    /* A copy reads pinned memory when it starts, and pageable memory before its call returns. */
    int pageable = 3;
    host[0] = 3;
    CHECK(cudaMemcpyAsync(a, host, sizeof(int), cudaMemcpyHostToDevice, one));
    CHECK(cudaMemcpyAsync(b, &pageable, sizeof(int), cudaMemcpyHostToDevice, one));
    host[0] = pageable = 4;
    CHECK(cudaStreamSynchronize(one));
    same("byte", __LINE__, onDevice(a), 4);
    same("byte", __LINE__, onDevice(b), 3);

    /* A copy to the host has written when it is waited for. */
    host[0] = 5;
    CHECK(cudaMemcpyAsync(host, b, sizeof(int), cudaMemcpyDeviceToHost, one));
    same("byte", __LINE__, host[0], 5);
    CHECK(cudaDeviceSynchronize());
    same("byte", __LINE__, host[0], 3);

    /* A kernel in another stream does not wait for the copy, unless by an event. */
    for (int waits = 0; waits < 2; waits++) {
        for (size_t i = 0; i < N; i++) host[i] = 0;
        CHECK(cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice));
        for (size_t i = 0; i < N; i++) host[i] = 6;
        CHECK(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, one));
        CHECK(cudaEventRecord(event, one));
        if (waits) CHECK(cudaStreamWaitEvent(other, event, 0));
        copy<<<N / 256, 256, 0, other>>>(b, a, N);
        CHECK(cudaStreamSynchronize(other));
        CHECK(cudaDeviceSynchronize());
        same("byte", __LINE__, onDevice(b), waits ? 6 : 0);
    }

    /* A poll that succeeds has waited. A stream that is destroyed still does its work, and the
     * default stream waits. */
    set<<<1, 1, 0, one>>>(host, 7, 1);
    CHECK(cudaEventRecord(event, one));
    while (cudaEventQuery(event) == cudaErrorNotReady) continue;
    same("byte", __LINE__, host[0], 7);
    cudaStream_t blocking;
    CHECK(cudaStreamCreate(&blocking));
    CHECK(cudaMemsetAsync(a, 0, BYTES, blocking));
    set<<<N / 256, 256, 0, blocking>>>(a, 8, N);
    CHECK(cudaStreamDestroy(blocking));
    same("byte", __LINE__, onDevice(a), 8);
    same("byte", __LINE__, (int)cudaStreamSynchronize(blocking),
         (int)cudaErrorInvalidResourceHandle);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFreeHost(host));
    return finish();
}
