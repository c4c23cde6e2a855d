// Built-in variables and special registers: indices in three dimensions, lane and warp numbers,
// clocks, timers, sleeping.
#include "check.h"

struct Seen {
    uint3 thread, block;
    unsigned lane, warp, warps, processor, processors, warp_size, grid_size;
    long long elapsed, elapsed_short;
    unsigned long long nanoseconds;
};

__global__ void look(Seen *seen) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    Seen *s = seen + block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    s->thread = threadIdx;
    s->block = blockIdx;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(s->lane));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(s->warp));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(s->warps));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s->processor));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(s->processors));
    s->warp_size = warpSize;
    s->grid_size = gridDim.x * gridDim.y * gridDim.z;
    unsigned long long timer, later;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
    long long start = clock64();
    clock_t short_start = clock();
    float x = threadIdx.x;
    for (int i = 0; i < 100; i++) x = x * 1.5f + 1;
    __nanosleep(2000);
    s->elapsed = clock64() - start + (x == -1);
    s->elapsed_short = clock() - short_start;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
    s->nanoseconds = later - timer;
}

// The second warp comes late to the barrier, after which no clock is behind its own before. (A GPU
// may read a clock while it waits for the barrier, unless the reading needs what the others wrote.)
__global__ void meet(long long *clocks, float x) {
    __shared__ volatile int met[64];
    for (int i = 0; i < 1000 * (threadIdx.x / 32); i++) x = x * 1.5f + 1;
    clocks[threadIdx.x] = clock64() + (x == -1);
    met[threadIdx.x] = 1;
    __syncthreads();
    if (met[63 - threadIdx.x] == 1) clocks[64 + threadIdx.x] = clock64();
}

int main() {
    const dim3 grid(3, 2, 4), block(5, 4, 3);
    const unsigned threads = 60, total = 24 * threads;
    Seen *seen = poisoned<Seen>(total);
    look<<<grid, block>>>(seen);
    FINISH_KERNEL();
    std::vector<Seen> got = to_host(seen, total);
    for (unsigned i = 0; i < total; i++) {
        const Seen &s = got[i];
        unsigned t = i % threads, b = i / threads;
        same("thread", i, s.thread.x + 100 * s.thread.y + 10000 * s.thread.z,
             t % 5 + 100 * (t / 5 % 4) + 10000 * (t / 20));
        same("block", i, s.block.x + 100 * s.block.y + 10000 * s.block.z,
             b % 3 + 100 * (b / 3 % 2) + 10000 * (b / 6));
        same("lane", i, s.lane, t % 32);
        same("warp size", i, s.warp_size, 32);
        same("grid size", i, s.grid_size, 24);
        same("warp below the limit", i, s.warp < s.warps, true);
        same("processor below the limit", i, s.processor < s.processors, true);
        same("clock64 advances", i, s.elapsed > 0, true);
        same("clock advances", i, s.elapsed_short > 0, true);
        same("globaltimer does not go back", i, s.nanoseconds < 1000000000ull, true);
    }
    long long *clocks = poisoned<long long>(128);
    meet<<<1, 64>>>(clocks, 1);
    FINISH_KERNEL();
    std::vector<long long> at = to_host(clocks, 128);
    for (int i = 0; i < 64; i++) same("a barrier orders clocks", i, at[64 + i] > at[63], true);
    return finish();
}
