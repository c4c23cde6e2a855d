/*
 * styles.cu: ten ways in which blocks and warps work together, each right and with one
 * synchronisation left out. `styles NAME` runs the right kernel, `styles NAME broken` the other;
 * the result is printed, for right ones checked.
 */
#include <cstdio>
#include <cstring>
#include <vector>

#define THREADS 128
#define BLOCKS  4
#define N       (THREADS * BLOCKS)

/* Half of the warps produce, the other half consume, by named barriers. */
template <bool broken> __global__ void specialised(const int *in, int *out) {
    __shared__ int slot[THREADS / 2];
    int t = threadIdx.x % (THREADS / 2), sum = 0;
    bool produces = threadIdx.x < THREADS / 2;
    for (int i = 0; i < 4; i++) {
        if (produces) slot[t] = in[i * (THREADS / 2) + t];
        if (!broken || i != 2) asm volatile("bar.sync 1, 128;" ::: "memory");
        if (!produces) sum += slot[THREADS / 2 - 1 - t];
        asm volatile("bar.sync 2, 128;" ::: "memory");
    }
    if (!produces) atomicAdd(out, sum);
}

/* The last block adds up the blocks' sums. */
template <bool broken>
__global__ void lastBlock(const int *in, int *out, int *sums, unsigned *ticket) {
    __shared__ bool isLast;
    int sum = in[blockIdx.x * THREADS + threadIdx.x];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[blockIdx.x], sum);
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[BLOCKS + blockIdx.x] = atomicAdd(&sums[blockIdx.x], 0);
        if (!broken) __threadfence();
        isLast = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (isLast && threadIdx.x == 0)
        for (int i = 0; i < BLOCKS; i++) *out += sums[BLOCKS + i];
}

/* Two tiles by turns, one barrier for each. */
template <bool broken> __global__ void doubleBuffered(const int *in, int *out) {
    __shared__ int tile[2][THREADS];
    int sum = 0;
    for (int i = 0; i < BLOCKS; i++) {
        tile[broken ? 0 : i % 2][threadIdx.x] = in[i * THREADS + threadIdx.x];
        __syncthreads();
        sum += tile[broken ? 0 : i % 2][THREADS - 1 - threadIdx.x];
    }
    atomicAdd(out, sum);
}

/* Sums in tiles of 8 lanes by shared memory. */
template <bool broken> __global__ void smallTiles(const int *in, int *out) {
    __shared__ int part[THREADS];
    int lane = threadIdx.x % 8;
    unsigned mask = 0xFFu << (threadIdx.x % 32 / 8 * 8);
    for (int i = 0; i < BLOCKS; i++) {
        part[threadIdx.x] = in[i * THREADS + threadIdx.x];
        __syncwarp(mask);
        for (int d = 4; d; d /= 2) {
            int sum = lane < d ? part[threadIdx.x] + part[threadIdx.x + d] : 0;
            __syncwarp(mask);
            if (lane < d) part[threadIdx.x] = sum;
            if (!broken) __syncwarp(mask);
        }
        if (lane == 0) atomicAdd(out, part[threadIdx.x]);
        __syncwarp(mask);
    }
}

/* A lock made by hand. */
template <bool broken> __global__ void locked(const int *in, int *out, int *lock) {
    if (threadIdx.x) return;
    int sum = 0;
    for (int i = 0; i < THREADS; i++) sum += in[blockIdx.x * THREADS + i];
    if (!broken) {
        while (atomicCAS(lock, 0, 1)) {
        }
        __threadfence();
    }
    *out = *out + sum;
    if (!broken) {
        __threadfence();
        atomicExch(lock, 0);
    }
}

/* A histogram of the last two bits, in shared memory first. */
template <bool broken> __global__ void histogram(const int *in, int *out) {
    __shared__ int bins[4];
    if (threadIdx.x < 4) bins[threadIdx.x] = 0;
    if (!broken) __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * THREADS + threadIdx.x] & 3], 1);
    __syncthreads();
    if (threadIdx.x < 4) atomicAdd(out, (int)threadIdx.x * bins[threadIdx.x]);
}

/* Prefix sums by Hillis and Steele. */
template <bool broken> __global__ void scanned(const int *in, int *out) {
    __shared__ int sums[THREADS];
    sums[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        int left = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        if (!broken) __syncthreads();
        sums[threadIdx.x] += left;
        __syncthreads();
    }
    if (threadIdx.x == THREADS - 1) atomicAdd(out, sums[threadIdx.x]);
}

/* Blocks hand a sum on, one after the other, by a volatile flag. */
template <bool broken>
__global__ void chained(const int *in, int *out, volatile int *flag, int *carry) {
    if (threadIdx.x) return;
    int sum = 0;
    for (int i = 0; i < THREADS; i++) sum += in[blockIdx.x * THREADS + i];
    while (*flag != blockIdx.x) {
    }
    __threadfence();
    *carry += sum;
    if (!broken) __threadfence();
    *flag = blockIdx.x + 1;
    if (blockIdx.x == BLOCKS - 1) *out = *carry;
}

/* Warps reduce by shuffles, the first warp their results. */
template <bool broken> __global__ void twoLevels(const int *in, int *out) {
    __shared__ int warps[THREADS / 32];
    int sum = in[blockIdx.x * THREADS + threadIdx.x], lane = threadIdx.x % 32;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) warps[threadIdx.x / 32] = sum;
    if (!broken) __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = lane < THREADS / 32 ? warps[lane] : 0;
    for (int d = 2; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) atomicAdd(out, sum);
}

/* A stencil of three, with a halo, again and again in place. */
template <bool broken> __global__ void stencil(const int *in, int *out) {
    __shared__ int cells[THREADS + 2];
    int at = threadIdx.x + 1;
    cells[at] = in[blockIdx.x * THREADS + threadIdx.x];
    if (threadIdx.x < 2) cells[threadIdx.x * (THREADS + 1)] = 0;
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        int next = cells[at - 1] - cells[at] + cells[at + 1];
        __syncthreads();
        cells[at] = next;
        if (!broken || i != 1) __syncthreads();
    }
    atomicAdd(out, cells[at]);
}

static int *in, *out, *zeros;

template <bool broken> static bool run(const char *name) {
    auto is = [&](const char *wanted) { return !strcmp(name, wanted); };
    if (is("specialised")) specialised<broken><<<1, THREADS>>>(in, out);
    if (is("lastBlock"))
        lastBlock<broken><<<BLOCKS, THREADS>>>(in, out, zeros, (unsigned *)zeros + 2 * BLOCKS);
    if (is("doubleBuffered")) doubleBuffered<broken><<<1, THREADS>>>(in, out);
    if (is("smallTiles")) smallTiles<broken><<<1, THREADS>>>(in, out);
    if (is("locked")) locked<broken><<<BLOCKS, THREADS>>>(in, out, zeros);
    if (is("histogram")) histogram<broken><<<BLOCKS, THREADS>>>(in, out);
    if (is("scanned")) scanned<broken><<<BLOCKS, THREADS>>>(in, out);
    if (is("chained")) chained<broken><<<BLOCKS, THREADS>>>(in, out, zeros, zeros + 1);
    if (is("twoLevels")) twoLevels<broken><<<BLOCKS, THREADS>>>(in, out);
    if (is("stencil")) stencil<broken><<<BLOCKS, THREADS>>>(in, out);
    return true;
}

/* What the kernel of this name must make of the numbers. */
static int expected(const char *name, const std::vector<int> &numbers) {
    int sum = 0;
    if (!strcmp(name, "histogram"))
        for (int x : numbers) sum += x & 3;
    else if (!strcmp(name, "specialised"))
        for (int i = 0; i < 4 * THREADS / 2; i++) sum += numbers[i];
    else if (!strcmp(name, "stencil"))
        for (int b = 0; b < BLOCKS; b++) {
            std::vector<int> cells(THREADS + 2, 0), next(THREADS + 2, 0);
            for (int i = 0; i < THREADS; i++) cells[i + 1] = numbers[b * THREADS + i];
            for (int round = 0; round < 3; round++, cells = next)
                for (int i = 1; i <= THREADS; i++) next[i] = cells[i - 1] - cells[i] + cells[i + 1];
            for (int i = 1; i <= THREADS; i++) sum += cells[i];
        }
    else
        for (int x : numbers) sum += x;
    return sum;
}

int main(int argc, char **argv) {
    std::vector<int> numbers(N);
    int got = 0;
    const char *name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < N; i++) numbers[i] = i * 7919 % 1009;
    cudaMalloc(&in, N * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMalloc(&zeros, 64);
    cudaMemcpy(in, numbers.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    cudaMemset(zeros, 0, 64);
    argc > 2 ? run<true>(name) : run<false>(name);
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaFree(zeros);
    printf("%s: %s\n", name, got == expected(name, numbers) ? "as expected" : "another result");
}
