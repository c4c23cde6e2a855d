// Warps of a block run side by side: where they race, all of them have loaded before one of them
// stores. CUDA leaves it open.
// unchecked the warps race on purpose
#include "check.h"

enum { WARP = 32, MOST = 512 };

// Warps increment the same words, and all but one increment is lost.
__global__ void lose(int *words, int times) {
    __shared__ int shared[WARP];
    int lane = threadIdx.x % WARP;
    shared[lane] = 0;
    __syncthreads();
    for (int i = 0; i < times; i++) {
        shared[lane]++;
        ((volatile int *)words)[lane]++;
    }
    __syncthreads();
    words[WARP + lane] = shared[lane];
}

// Without a barrier between, threads load what their neighbours store.
__global__ void add_neighbours(int *values) {
    int i = threadIdx.x, last = blockDim.x - 1;
    values[i] += (i > 0 ? values[i - 1] : 0) + (i < last ? values[i + 1] : 0);
}

// A word is read by all, and written for the next round without a barrier between.
__global__ void write_again(int *wrong) {
    __shared__ int word;
    for (int round = 0; round < 50; round++) {
        if (threadIdx.x == 0) word = round;
        __syncthreads();
        if (word != round) atomicAdd(wrong, 1);
    }
}

// Warps store to one word after a barrier, and the last one's value stays: that of the warp which
// also loaded and stored before the barrier.
__global__ void store_last(int *last, int rounds) {
    __shared__ volatile int word, other;
    other = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x == 0) word = -1;
        __syncthreads();
        if (threadIdx.x == 0) other = other + 1;
        __syncthreads();
        word = threadIdx.x / WARP;
        __syncthreads();
        if (threadIdx.x == 0) last[round] = word;
        __syncthreads();
    }
}

int main() {
    for (int threads = WARP; threads <= MOST; threads *= 2) {
        int *words = to_device(std::vector<int>(2 * WARP)), *wrong = to_device(std::vector<int>(1));
        std::vector<int> values(MOST), want(MOST);
        for (int i = 0; i < MOST; i++) values[i] = i * i;
        for (int i = 0; i < threads; i++)
            want[i] =
                values[i] + (i > 0 ? values[i - 1] : 0) + (i < threads - 1 ? values[i + 1] : 0);
        int *neighbours = to_device(values);
        lose<<<1, threads>>>(words, 100);
        add_neighbours<<<1, threads>>>(neighbours);
        write_again<<<1, threads>>>(wrong);
        FINISH_KERNEL();
        std::vector<int> got = to_host(words, 2 * WARP), sums = to_host(neighbours, MOST);
        for (int i = 0; i < WARP; i++) {
            same("global words", i, got[i], 100);
            same("shared words", i, got[WARP + i], 100);
        }
        for (int i = 0; i < threads; i++) same("neighbours", i, sums[i], want[i]);
        same("written again", threads, to_host(wrong, 1)[0], 0);
    }
    int *last = to_device(std::vector<int>(20));
    store_last<<<1, 4 * WARP>>>(last, 20);
    FINISH_KERNEL();
    std::vector<int> got = to_host(last, 20);
    for (int round = 0; round < 20; round++) same("stored last", round, got[round], 0);
    return finish();
}
