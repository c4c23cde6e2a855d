/*
 * peers.cu: what the time model knows of two GPUs: copies from one to the other, with and without
 * peer access, and a kernel's loads and stores of a peer's memory. Prints ns between a pair of
 * events, the median of several, for each number of bytes; a latency is that of one load.
 *
 *   nvcc -O3 -lineinfo -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_90]' -I../..
 *   peers.cu -o peers
 *   ./peers [BYTES]      1 GiB at most, or this
 */
#include "common.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#define REPEATS 7
#define STEPS   512  /* of a chase */
#define STRIDE  4096 /* bytes between its words: no line twice */

__global__ void load(const int4 *from, size_t n, int *out) {
    int sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        int4 v = from[i];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 12345) *out = sum;
}

__global__ void store(int4 *to, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = make_int4(1, 2, 3, 4);
}

__global__ void makeChain(char *at) {
    for (int i = 0; i <= STEPS; i++) *(char **)(at + i * STRIDE) = at + (i + 1) * STRIDE;
}

__global__ void chase(char **at, char **end) {
    for (int i = 0; i < STEPS; i++) at = (char **)*at;
    *end = (char *)at;
}

/* What the events of device 0 enclose. */
enum work { COPY, LOAD, STORE, CHASE };
static void enqueue(enum work work, char *peer, char *own, size_t bytes) {
    size_t n = bytes / sizeof(int4);
    if (work == COPY) CHECK(cudaMemcpyPeerAsync(peer, 1, own, 0, bytes, 0));
    if (work == LOAD) load<<<1056, 512>>>((int4 *)peer, n, (int *)own);
    if (work == STORE) store<<<1056, 512>>>((int4 *)peer, n);
    if (work == CHASE) chase<<<1, 1>>>((char **)peer, (char **)own);
}

static double median_ns(enum work work, char *peer, char *own, size_t bytes) {
    cudaEvent_t begin, end;
    float ms[REPEATS];
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < REPEATS; i++) {
        CHECK(cudaEventRecord(begin));
        enqueue(work, peer, own, bytes);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms[i], begin, end));
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(ms, ms + REPEATS);
    return ms[REPEATS / 2] * 1e6;
}

static void measure(const char *name, enum work work, char *peer, char *own, size_t least,
                    size_t most) {
    for (size_t bytes = least; bytes <= most; bytes *= 4)
        printf("%s,%zu,%.0f\n", name, bytes, median_ns(work, peer, own, bytes));
}

int main(int argc, char **argv) {
    size_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : (size_t)1 << 30; /* bytes */
    int devices;
    char *own, *peer;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        fprintf(stderr, "peers: needs two GPUs, such as simt --devices 2\n");
        return EXIT_FAILURE;
    }
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&peer, most));
    CHECK(cudaMemset(peer, 0, most));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&own, most));
    CHECK(cudaMemset(own, 0, most));
    printf("what,bytes,ns\n");
    measure("copy without peer access", COPY, peer, own, 1024, most);
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    measure("copy with peer access", COPY, peer, own, 1024, most);
    measure("kernel loads", LOAD, peer, own, 65536, most);
    measure("kernel stores", STORE, peer, own, 65536, most);
    makeChain<<<1, 1>>>(peer);
    printf("latency of a load,8,%.0f\n", median_ns(CHASE, peer, own, 0) / STEPS);
    CHECK(cudaFree(own));
    CHECK(cudaFree(peer));
    return EXIT_SUCCESS;
}
