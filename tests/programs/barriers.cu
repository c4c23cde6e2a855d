// Barriers: in loops, with counting and voting, named ones with arrive and wait between warps, and
// with threads that have left.
// unchecked threads exit before others come to __syncthreads, which only GPUs since Volta bear
#include "check.h"

enum { THREADS = 160 };

__global__ void voting(const int *in, int *out) {
    int t = threadIdx.x, x = in[t], *r = out + 3 * t;
    r[0] = __syncthreads_count(x > 50);
    r[1] = __syncthreads_and(x >= 0);
    r[2] =
        __syncthreads_or(x == 77) + 2 * __syncthreads_and(x > 0) + 4 * __syncthreads_or(x == 1000);
}
// A prefix sum by Hillis and Steele: two barriers in each of a loop's rounds.
__global__ void looped(const int *in, int *out) {
    __shared__ int sums[THREADS];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        int left = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    out[t] = sums[t];
}
// Warp 0 produces for warp 1 by way of two named barriers; warps 2 and up use none of them.
__global__ void producer_consumer(int rounds, int *out) {
    __shared__ volatile int box[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (warp == 0) {
        for (int i = 0; i < rounds; i++) {
            asm volatile("bar.sync 1, 64;" ::: "memory"); // the box is empty
            box[lane] = i * 100 + lane;
            __threadfence_block();
            asm volatile("bar.arrive 2, 64;" ::: "memory"); // the box is full
        }
    } else if (warp == 1) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
            sum += box[31 - lane];
        }
        out[lane] = sum;
    } else {
        for (int i = 0; i < 3; i++) asm volatile("barrier.sync 3, 96;" ::: "memory");
        out[threadIdx.x - 32] = warp;
    }
}
// Whole warps leave; the others' barriers no longer wait for them.
__global__ void leavers(int *out) {
    __shared__ int sum;
    if (threadIdx.x >= 64) return;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = sum;
}
// A reduction by barrier: bar.red counts over a part of the block.
__global__ void reduce_part(int *out) {
    unsigned count = 0;
    if (threadIdx.x < 96)
        asm volatile("{.reg .pred p; setp.lt.u32 p, %1, 10; bar.red.popc.u32 %0, 4, 96, p;}"
                     : "=r"(count)
                     : "r"(threadIdx.x % 32));
    out[threadIdx.x] = count;
}

int main() {
    std::vector<int> in(THREADS);
    for (int &x : in) x = (int)(random32() % 100);
    in[3] = 77;
    int *device_in = to_device(in), *out = poisoned<int>(3 * THREADS);
    voting<<<1, THREADS>>>(device_in, out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, 3 * THREADS);
    int above = 0, all_positive = 1;
    for (int x : in) above += x > 50, all_positive &= x > 0;
    for (int t = 0; t < THREADS; t++) {
        same("__syncthreads_count", t, got[3 * t], above);
        same("__syncthreads_and", t, got[3 * t + 1] != 0, true);
        same("__syncthreads_or", t, got[3 * t + 2], 1 + 2 * all_positive);
    }
    looped<<<1, THREADS>>>(device_in, out);
    FINISH_KERNEL();
    got = to_host(out, THREADS);
    for (int t = 0, sum = 0; t < THREADS; t++) same("looped", t, got[t], sum += in[t]);
    const int rounds = 20;
    producer_consumer<<<1, THREADS>>>(rounds, out);
    FINISH_KERNEL();
    got = to_host(out, THREADS - 32);
    for (int t = 0; t < THREADS - 32; t++)
        same("producer_consumer", t, got[t],
             t < 32 ? rounds * (31 - t) + 100 * rounds * (rounds - 1) / 2 : t / 32 + 1);
    leavers<<<2, THREADS>>>(out);
    FINISH_KERNEL();
    got = to_host(out, 64);
    for (int t = 0; t < 64; t++) same("leavers", t, got[t], 63 * 64 / 2);
    reduce_part<<<1, THREADS>>>(out);
    FINISH_KERNEL();
    got = to_host(out, THREADS);
    for (int t = 0; t < THREADS; t++) same("reduce_part", t, got[t], t < 96 ? 30 : 0);
    return finish();
}
