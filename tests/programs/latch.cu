// A kernel at the head of a stream holds up all that the host puts after it, until the host sets a
// flag. Programs do so to enqueue work before any of it begins.
#include "check.h"

#include <unistd.h>

__global__ void wait_for(volatile int *flag, int value) {
    while (*flag < value)
        ;
}

__global__ void add(int *to, const int *from, int n, int more) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] += from[i] + more;
}

__global__ void tell(volatile int *word, int value) {
    *word = value;
}

enum { N = 1000, BYTES = N * sizeof(int) };

/* Copies, fills, launches, events and prefetches after the kernel, in their order. */
static void test_order(volatile int *flag, int *host, int *managed) {
    int *a = poisoned<int>(N), *b = poisoned<int>(N);
    cudaStream_t stream, other;
    cudaEvent_t event;
    cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (int i = 0; i < N; i++) host[i] = managed[i] = i;
    *flag = 0;
    CHECK(cudaDeviceSynchronize()); /* the streams do not wait for fills in the default stream */
    wait_for<<<1, 1, 0, stream>>>((int *)flag, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(b, 0, BYTES, stream));
    CHECK(cudaMemPrefetchAsync(managed, BYTES, place, 0, stream));
    for (int more = 0; more < 3; more++)
        add<<<4, 256, 0, stream>>>(b, a, N, more); /* their arguments differ */
    add<<<4, 256, 0, stream>>>(b, managed, N, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaStreamWaitEvent(other, event, 0));
    CHECK(cudaMemcpyAsync(host, b, BYTES, cudaMemcpyDeviceToHost, other));
    same("not before the flag", 0, (int)cudaEventQuery(event), (int)cudaErrorNotReady);
    same("the stream", 0, (int)cudaStreamQuery(stream), (int)cudaErrorNotReady);
    usleep(10000);
    same("not copied yet", 7, ((volatile int *)host)[7], 7);
    *flag = 1;
    CHECK(cudaStreamSynchronize(other));
    for (int i = 0; i < N; i++) same("all in order", i, host[i], 4 * i + 3);
    CHECK(cudaEventQuery(event));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(other));
    release(a);
    release(b);
}

/* What is after the kernel runs though the host calls nothing more; and a second such kernel is
 * after the first. */
static void test_chain(volatile int *flag, volatile int *word) {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    *flag = *word = 0;
    wait_for<<<1, 1, 0, stream>>>((int *)flag, 1);
    tell<<<1, 1, 0, stream>>>((int *)word, 1);
    wait_for<<<1, 1, 0, stream>>>((int *)flag, 2);
    tell<<<1, 1, 0, stream>>>((int *)word, 2);
    usleep(10000);
    same("before the flag", 0, *word, 0);
    *flag = 1;
    while (*word != 1) usleep(100);
    usleep(10000);
    same("before the second", 0, *word, 1);
    *flag = 2;
    while (*word != 2) usleep(100);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    int *flag, *host, *managed;
    CHECK(cudaMallocHost(&flag, 2 * sizeof(int)));
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMallocManaged(&managed, BYTES));
    *flag = 1;
    wait_for<<<1, 1>>>(
        flag,
        1); /* loads the kernels: a GPU loads each at its first launch, and waits for others */
    add<<<1, 1>>>(managed, managed, 0, 0);
    tell<<<1, 1>>>(flag, 0);
    FINISH_KERNEL();
    for (int i = 0; i < 3; i++) test_order(flag, host, managed);
    for (int i = 0; i < 3; i++) test_chain(flag, flag + 1);
    CHECK(cudaFreeHost(flag));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(managed));
    return finish();
}
