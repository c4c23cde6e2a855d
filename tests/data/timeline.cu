/* timeline.cu: known copies, fills, kernels and calls, for tests/data/timeline.sh. It times one
 * kernel by events too. With the argument `reset` it ends with cudaDeviceReset, with `running`
 * while a kernel runs. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define N     (1 << 20)
#define BYTES (N * sizeof(float))

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void spin(float *x, int rounds) {
    float v = x[threadIdx.x];
    for (int i = 0; i < rounds; i++) v = v * 1.0001f + 1.0f;
    x[threadIdx.x] = v;
}

template <int SIZE> __global__ void add(float *a, const float *b) {
    __shared__ float part[SIZE];
    part[threadIdx.x] = b[blockIdx.x * SIZE + threadIdx.x];
    __syncthreads();
    a[blockIdx.x * SIZE + threadIdx.x] += part[SIZE - 1 - threadIdx.x];
}

/* Prints the time of a kernel of some milliseconds, by events. */
static void time_by_events(float *x) {
    cudaEvent_t before, after;
    float ms;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    CHECK(cudaEventRecord(before));
    spin<<<1, 32>>>(x, 1000000);
    CHECK(cudaEventRecord(after));
    CHECK(cudaEventSynchronize(after));
    CHECK(cudaEventElapsedTime(&ms, before, after));
    printf("spin by events: %.6f ms\n", ms);
}

int main(int argc, char **argv) {
    const char *end = argc > 1 ? argv[1] : "";
    float *a, *b, *pinned, *pageable = (float *)calloc(N, sizeof(float));
    cudaStream_t stream;
    CHECK(cudaMalloc(&a, BYTES));
    CHECK(cudaMalloc(&b, BYTES));
    CHECK(cudaHostAlloc(&pinned, BYTES, cudaHostAllocDefault));
    CHECK(cudaStreamCreate(&stream));
    memset(pinned, 0, BYTES);
    CHECK(cudaMemset(a, 0, BYTES));
    CHECK(cudaMemcpy(b, pageable, BYTES, cudaMemcpyHostToDevice));
    spin<<<1, 32>>>(a, 1);
    time_by_events(a);
    CHECK(cudaMemcpyAsync(b, pinned, BYTES, cudaMemcpyHostToDevice, stream));
    add<256><<<N / 256, 256, 1024, stream>>>(a, b);
    CHECK(cudaMemcpyAsync(pinned, a, BYTES / 2, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(a, b, BYTES, cudaMemcpyDeviceToDevice));
    spin<<<1, 2048>>>(a, 1);
    printf("refused: %d\n", cudaGetLastError() != cudaSuccess);
    CHECK(cudaMemcpy(pageable, a, BYTES, cudaMemcpyDeviceToHost));
    fflush(stdout);
    if (strcmp(end, "reset") == 0) CHECK(cudaDeviceReset());
    if (strcmp(end, "running") == 0) spin<<<1, 32>>>(a, 10000000);
    return 0;
}
