/*
 * spaces.cu: what the time model knows of local memory, of loads of many lines, of atomics, and of
 * matches.
 * CUPTI times each launch; plots/reference/GPU/spaces.csv has the medians of four, and what the
 * program prints:
 *
 *     nvcc -O3 -lineinfo -cudart shared -o spaces spaces.cu \
 *         -gencode 'arch=compute_75,code=[compute_75,sm_90]'
 *     labprof --csv --print-gpu-trace -u us ./spaces
 */
#include "common.h"

enum { LAUNCHES = 5, WARP = 32, THREADS = 256, TRIPS = 64, LINE_WORDS = 32 };

template <class Launch> static void repeat(Launch launch) {
    for (int i = 0; i < LAUNCHES; i++) launch();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

/* ---- An array of the thread: all lanes use one element, or each its own ---- */

template <int N, bool APART> __global__ void localArray(int *out) {
    float a[N];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, v = APART ? i : blockIdx.x;
    for (int j = 0; j < N; j++) a[j] = (float)(v + j);
    for (int k = 0; k < TRIPS; k++) {
        unsigned int j = (v + k * 3) & (N - 1);
        a[j] += (float)k;
        v += (unsigned int)a[(j + 1) & (N - 1)] & 0;
    }
    out[i] = (int)v;
}

/* ---- A word of each line: loads that wait for each other, and loads that do not ---- */

__global__ void layChain(unsigned int *at, unsigned int lines) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lines) at[(size_t)i * LINE_WORDS] = (i * 1664525u + 1013904223u) & (lines - 1);
}

__global__ void chain(const unsigned int *at, int *out, unsigned int lines, int steps) {
    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x, i = thread * 40503u & (lines - 1);
    for (int k = 0; k < steps; k++) i = at[(size_t)i * LINE_WORDS];
    out[thread] = (int)i;
}

__global__ void gather(const unsigned int *at, int *out, unsigned int lines, int steps) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 8
    for (int k = 0; k < steps; k++) {
        unsigned int h = i * 2654435761u + k * 0x85EBCA6Bu;
        h = (h ^ h >> 15) * 0x9E3779B1u;
        sum += at[(size_t)(h >> 7 & (lines - 1)) * LINE_WORDS];
    }
    out[i] = (int)sum;
}

/* ---- Atomics: of all threads on one word, of each lane on one of 8 or of 32, of each block ----
 */

enum Place { ONE, EIGHT, LANES, BLOCKS };

template <Place P> __device__ unsigned int place(unsigned int i) {
    return P == ONE ? 0 : P == EIGHT ? i & 7 : P == LANES ? i & 31 : blockIdx.x & 1023;
}

template <Place P, class T> __global__ void atomics(T *words, int steps) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < steps; k++) atomicAdd(words + place<P>(i), (T)(i + k));
}

template <Place P, class T> __global__ void sharedAtomics(int *out, int steps) {
    __shared__ T words[1024];
    for (unsigned int j = threadIdx.x; j < 1024; j += blockDim.x) words[j] = 0;
    __syncthreads();
    for (int k = 0; k < steps; k++) atomicAdd(words + place<P>(threadIdx.x), (T)k);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = (int)words[threadIdx.x];
}

/* Lane 0 alone: what a block adds, to one word of so many. */
template <class T> __global__ void laneAtomics(T *words, int of) {
    if (threadIdx.x == 0) atomicAdd(words + blockIdx.x % of, (T)1);
}

template <class T> static void runLaneAtomics(void *buffer) {
    for (int grid : {132, 1056, 4224, 16384})
        for (int of : {1, 8, 1024}) repeat([&] { laneAtomics<<<grid, WARP>>>((T *)buffer, of); });
}

template <Place P, class T> static void runAtomics(void *buffer, int *out) {
    for (int grid : {1, 132, 1056, 4224})
        repeat([&] { atomics<P><<<grid, THREADS>>>((T *)buffer, 4); });
    for (int grid : {1, 132, 1056})
        repeat([&] { sharedAtomics<P, T><<<grid, THREADS>>>(out, 16); });
}

/* ---- Matches of lanes with so many different values: rows by clock, in cycles a match ---- */

__global__ void match(unsigned int values, unsigned int *out, long long *cycles) {
    unsigned int v = threadIdx.x % values;
    long long from = 0;
    for (int warm = 0; warm < 2; warm++) {
        __syncthreads();
        from = clock64();
#pragma unroll 8
        for (int k = 0; k < 2 * TRIPS; k++) v ^= __match_any_sync(0xFFFFFFFF, v) == 0x7FFFFF13;
        __syncthreads();
    }
    cycles[threadIdx.x] = clock64() - from;
    out[threadIdx.x] = v;
}

static void runMatches(unsigned int *buffer, long long *cycles) {
    for (int block : {32, 1024})
        for (unsigned int values : {1, 2, 3, 4, 8, 16, 24, 32}) {
            match<<<1, block>>>(values, buffer, cycles);
            long long took[1024], most = 0;
            CHECK(cudaMemcpy(took, cycles, block * sizeof *cycles, cudaMemcpyDeviceToHost));
            for (int i = 0; i < block; i++) most = took[i] > most ? took[i] : most;
            printf("match %u values (cycles),1,%d,%.2f\n", values, block,
                   (double)most / (2 * TRIPS));
        }
}

int main(void) {
    const size_t most = (size_t)4 << 30;
    unsigned int *buffer;
    int *out;
    CHECK(cudaMalloc(&buffer, most));
    CHECK(cudaMalloc(&out, 4224 * THREADS * sizeof(int)));
    for (int grid : {1, 132, 1056, 4224}) {
        repeat([&] { localArray<8, false><<<grid, THREADS>>>(out); });
        repeat([&] { localArray<8, true><<<grid, THREADS>>>(out); });
        repeat([&] { localArray<16, true><<<grid, THREADS>>>(out); });
        repeat([&] { localArray<32, true><<<grid, THREADS>>>(out); });
        repeat([&] { localArray<64, true><<<grid, THREADS>>>(out); });
    }
    for (size_t bytes = 16 << 10; bytes <= most; bytes *= 2) {
        unsigned int lines = (unsigned int)(bytes / (LINE_WORDS * sizeof(int)));
        layChain<<<(lines + THREADS - 1) / THREADS, THREADS>>>(buffer, lines);
        repeat([&] { chain<<<1, 1>>>(buffer, out, lines, 2048); });
        repeat([&] { chain<<<1, 32>>>(buffer, out, lines, 256); });
        repeat([&] { chain<<<132, 1024>>>(buffer, out, lines, 16); });
        repeat([&] { gather<<<1056, THREADS>>>(buffer, out, lines, 16); });
    }
    runMatches(buffer, (long long *)out);
    CHECK(cudaMemset(buffer, 0, most));
    runAtomics<ONE, int>(buffer, out);
    runAtomics<EIGHT, int>(buffer, out);
    runAtomics<LANES, int>(buffer, out);
    runAtomics<ONE, float>(buffer, out);
    runAtomics<EIGHT, float>(buffer, out);
    runAtomics<LANES, float>(buffer, out);
    runAtomics<BLOCKS, float>(buffer, out);
    runLaneAtomics<int>(buffer);
    runLaneAtomics<float>(buffer);
    runLaneAtomics<double>(buffer);
    return 0;
}
