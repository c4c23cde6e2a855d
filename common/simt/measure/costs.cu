/*
 * costs.cu: what the time model knows of the host's memory, of atomics whose threads share a word,
 * of scattered stores, of long code, and of the device's malloc and printf. Nsight Compute times
 * each launch:
 *
 *   nvcc -O3 -lineinfo -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_90]' costs.cu
 *   -o costs
 *   ncu --clock-control none --metrics gpu__time_duration.sum --csv --page raw ./costs
 *   ncu --clock-control none --metrics gpu__time_duration.sum --csv --page raw ./costs heap
 */
#include "common.h"

#include <cstdio>

/* ---- Host memory: n words by all threads ---- */
__global__ void hostRead(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    if (sum == 12345) out[0] = sum;
}
__global__ void hostReadSectors(const int *in, int *out, int n) { /* one word of each sector */
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (; i < n / 8; i += gridDim.x * blockDim.x) sum += in[i * 8];
    if (sum == 12345) out[0] = sum;
}
__global__ void hostWrite(int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = i;
}
__global__ void hostCopy(const int *in, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
__global__ void hostChase(const int *in, int *out, int steps) {
    int i = 0;
    for (int k = 0; k < steps; k++) i = in[i];
    out[0] = i;
}
__global__ void hostAgain(const int *in, int *out, int n,
                          int rounds) { /* is host memory kept in L1, L2? */
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            sum += ((volatile int *)in)[i];
        __syncthreads();
    }
    if (sum == 12345) out[0] = sum;
}
__global__ void hostAdd(int *a, int steps) {
    for (int k = 0; k < steps; k++) atomicAdd_system(a + threadIdx.x * 0, (int)threadIdx.x + k);
}
/* ---- Atomics: every lane at a[lane * stride]; steps each ---- */
template <int KIND> __global__ void atomics(int *a, int *out, int stride, int steps, int apart) {
    int lane = threadIdx.x % 32, tid = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    int *at = a + lane * stride + (tid / 32) * apart;
    for (int k = 0; k < steps; k++) {
        if (KIND == 0) atomicAdd(at, tid + k);
        if (KIND == 1) sum += atomicAdd(at, tid + k);
        if (KIND == 2) sum += atomicExch(at, tid + k);
        if (KIND == 3) sum += atomicCAS(at, tid - 1, tid + k);
        if (KIND == 4) atomicMax(at, tid + k);
        if (KIND == 5) atomicAdd((float *)at, 1.0f * (tid + k));
        if (KIND == 6) sum += atomicAdd(at, 1);
    }
    if (sum == 12345) out[0] = sum;
}
/* ---- Stores of many warps to one word (stride 0), one line (1), and a load of it after each ----
 */
__global__ void sameStore(int *a, int stride, int steps) {
    for (int k = 0; k < steps; k++)
        ((volatile int *)a)[threadIdx.x % 32 * stride + k % 8 * 1024] = k;
}
__global__ void sameStoreLoad(int *a, int *out, int stride, int steps) {
    int sum = 0, at = threadIdx.x % 32 * stride;
    for (int k = 0; k < steps; k++) {
        a[at + k % 8 * 1024] = k + sum;
        asm volatile("" ::: "memory");
        sum += a[at + k % 8 * 1024];
    }
    if (sum == 12345) out[0] = sum;
}
/* ---- Stores of one word to each of n sectors, next to each other or scattered ---- */
__global__ void partialStore(int *out, int n, int times) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[(unsigned)(i * times) % (unsigned)n * 8] = i;
}
__global__ void wholeStore(int *out, int n, int times) { /* 8 lanes a sector, sectors scattered */
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * 8; i += gridDim.x * blockDim.x)
        out[(unsigned)(i / 8 * times) % (unsigned)n * 8 + i % 8] = i;
}
__global__ void scatterRead(const int *in, int *out, int n, int times) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[(unsigned)(i * times) % (unsigned)n * 8];
    if (sum == 12345) out[0] = sum;
}
/* ---- Straight code: N multiply-adds of each thread, run `rounds` times: what fetching code costs
 * ---- */
template <int N> __global__ void straight(float *out, float a, int rounds) {
    float x = threadIdx.x, y = a, z = a * 2, w = a * 3;
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int i = 0; i < N / 4; i++) {
            x = x * a + 1.0f;
            y = y * a + 2.0f;
            z = z * a + 3.0f;
            w = w * a + 4.0f;
        }
    }
    if (x + y + z + w == 12345) out[0] = x;
}
/* ---- Device heap and printf ---- */
__global__ void mallocOnly(void **p, int bytes) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = malloc(bytes);
}
__global__ void freeOnly(void **p) {
    free(p[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void mallocLoop(int bytes, int steps) {
    for (int i = 0; i < steps; i++) free(malloc(bytes));
}
__global__ void print0(int n) {
    if (threadIdx.x < n) printf("hi\n");
}
__global__ void print2(int n, int steps) {
    if (threadIdx.x < n)
        for (int i = 0; i < steps; i++) printf("%d %d\n", threadIdx.x, i);
}
int main(int argc, char **) {
    if (argc > 1) {
        void **p;
        CHECK(cudaMalloc(&p, 1 << 22));
        int shapes[6][2] = {{1, 1}, {1, 32}, {1, 256}, {4, 64}, {128, 128}, {1, 1024}};
        for (auto &s : shapes)
            for (int bytes = 16; bytes <= 4096; bytes *= 16) {
                mallocOnly<<<s[0], s[1]>>>(p, bytes);
                freeOnly<<<s[0], s[1]>>>(p);
            }
        mallocLoop<<<1, 1>>>(64, 64);
        mallocLoop<<<1, 32>>>(64, 64);
        mallocLoop<<<1, 256>>>(64, 64);
        CHECK(cudaDeviceSynchronize());
        print0<<<1, 1>>>(1);
        print0<<<1, 32>>>(32);
        print0<<<1, 256>>>(256);
        print0<<<132, 256>>>(1);
        print2<<<1, 32>>>(1, 32);
        print2<<<1, 32>>>(32, 32);
        CHECK(cudaDeviceSynchronize());
        return 0;
    }
    const int N = 1 << 22;
    int *host, *hostOut, *dev, *out;
    CHECK(cudaHostAlloc(&host, N * 4, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&hostOut, N * 4, cudaHostAllocMapped));
    CHECK(cudaMalloc(&dev, 1 << 28));
    CHECK(cudaMemset(dev, 0, 1 << 28));
    CHECK(cudaMalloc(&out, 4096));
    for (int i = 0; i < N; i++) host[i] = (i + 1024) % N;
    for (int n = 1 << 14; n <= N; n <<= 4) {
        hostRead<<<264, 256>>>(host, out, n);
        hostWrite<<<264, 256>>>(hostOut, n);
        hostCopy<<<264, 256>>>(host, hostOut, n);
    }
    hostRead<<<4096, 1024>>>(host, out, N);
    hostRead<<<16, 256>>>(host, out, N);
    hostRead<<<1, 256>>>(host, out, 1 << 18);
    hostReadSectors<<<264, 256>>>(host, out, N);
    for (int k = 1; k <= 64; k *= 8) hostChase<<<1, 1>>>(host, out, k);
    for (int k = 1; k <= 64; k *= 8) hostAgain<<<1, 256>>>(host, out, 4096, k);
    for (int k = 1; k <= 64; k *= 8) hostAdd<<<1, 1>>>(hostOut, k);
    hostAdd<<<1, 32>>>(hostOut, 64);
    hostAdd<<<64, 256>>>(hostOut, 8);
    CHECK(cudaDeviceSynchronize());
#define ATOMICS(K)                                                                                 \
    for (int warps = 1; warps <= 2048; warps *= 2048) {                                            \
        int g = warps > 8 ? warps / 8 : 1, b = warps > 8 ? 256 : 32 * warps,                       \
            s = warps > 8 ? 16 : 256;                                                              \
        atomics<K><<<g, b>>>(dev, out, 0, s, 0);                                                   \
        atomics<K><<<g, b>>>(dev, out, 1, s, 0);                                                   \
        atomics<K><<<g, b>>>(dev, out, 0, s, 64);                                                  \
        atomics<K><<<g, b>>>(dev, out, 1, s, 64);                                                  \
        atomics<K><<<g, b>>>(dev, out, 32, s, 1024);                                               \
        atomics<K><<<g, b>>>(dev, out, 32, s, 0);                                                  \
    }
    ATOMICS(0);
    ATOMICS(1);
    ATOMICS(2);
    ATOMICS(3);
    ATOMICS(4);
    ATOMICS(5);
    ATOMICS(6);
    for (int s = 0; s < 2; s++)
        for (int g = 1; g <= 1056; g *= g < 132 ? 132 : 8) {
            sameStore<<<g, 256>>>(dev, s, 64);
            sameStoreLoad<<<g, 256>>>(dev, out, s, 64);
        }
    CHECK(cudaDeviceSynchronize());
    for (int n = 1 << 14; n <= 1 << 22; n <<= 2)
        for (int t = 1; t < 9999; t += 4096) {
            partialStore<<<1056, 256>>>(dev, n, t);
            wholeStore<<<1056, 256>>>(dev, n, t);
            scatterRead<<<1056, 256>>>(dev, out, n, t);
        }
    CHECK(cudaDeviceSynchronize());
#define STRAIGHT(N)                                                                                \
    straight<N><<<1, 32>>>((float *)out, 1.5f, 1);                                                 \
    straight<N><<<1, 32>>>((float *)out, 1.5f, 4);                                                 \
    straight<N><<<132, 256>>>((float *)out, 1.5f, 1);                                              \
    straight<N><<<132, 1024>>>((float *)out, 1.5f, 4);
    STRAIGHT(64);
    STRAIGHT(256);
    STRAIGHT(1024);
    STRAIGHT(2048);
    STRAIGHT(4096);
    STRAIGHT(8192);
    STRAIGHT(16384);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
