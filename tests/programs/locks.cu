// Waiting for other threads: a spin lock between the lanes of a warp, locks between blocks, the
// last block's ticket (threadFenceReduction), flags between blocks, a barrier over the grid made of
// one counter, and waiting in a loop with a barrier of the block, or one that keeps in shared
// memory what it saw.
#include "check.h"

enum { THREADS = 64, BLOCKS = 8, N = THREADS * BLOCKS, WARPS = 8 };

__device__ int mutex, protected_count, ticket, turn;
__device__ unsigned arrived;

// Independent thread scheduling: the lane that holds the lock goes on while its neighbours spin.
__global__ void lanes_lock(int *order) {
    while (atomicCAS(&mutex, 0, 1) != 0)
        ;
    __threadfence();
    int mine = *(volatile int *)&protected_count;
    *(volatile int *)&protected_count = mine + 1;
    order[mine] = threadIdx.x + blockIdx.x * blockDim.x;
    __threadfence();
    atomicExch(&mutex, 0);
}
// The other common shape: retry until done.
__global__ void retry_lock(int *count) {
    bool done = false;
    while (!done) {
        if (atomicExch(&mutex, 1) == 0) {
            *(volatile int *)count += 1;
            __threadfence();
            done = true;
            atomicExch(&mutex, 0);
        }
    }
}
__global__ void last_block_sums(const int *in, volatile int *partial, int *result) {
    __shared__ bool last;
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * THREADS + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc((unsigned *)&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (int b = 0; b < BLOCKS; b++) total += partial[b];
        *result = total;
    }
}
// Blocks take turns, in order of their number: each waits for the one before it.
__global__ void in_turn(int *trace) {
    if (threadIdx.x == 0) {
        while (*(volatile int *)&turn != blockIdx.x)
            ;
        trace[blockIdx.x] = blockIdx.x ? trace[blockIdx.x - 1] * 2 + 1 : 1;
        __threadfence();
        atomicAdd(&turn, 1);
    }
}
// All blocks are resident, so a counter makes a barrier; each phase reads a neighbour's value of
// the phase before.
__global__ void home_made_barrier(volatile int *values, int phases) {
    for (int phase = 0; phase < phases; phase++) {
        int seen = values[phase * BLOCKS + (blockIdx.x + 1) % BLOCKS];
        if (threadIdx.x == 0) {
            values[(phase + 1) * BLOCKS + blockIdx.x] = seen + blockIdx.x;
            __threadfence();
            atomicAdd(&arrived, 1u);
            while (atomicAdd(&arrived, 0u) < (phase + 1) * gridDim.x) __nanosleep(100);
        }
        __syncthreads();
    }
}
// Only the last of all blocks that the GPU holds lets the others go on.
__global__ void full_house(unsigned *came, unsigned *seen) {
    if (threadIdx.x == 0) {
        atomicAdd(came, 1u);
        while (atomicAdd(came, 0u) < gridDim.x)
            ;
        seen[blockIdx.x] = *(volatile unsigned *)came;
    }
}
// Each block waits for the next one, in a loop with a barrier in it.
__global__ void last_block_first(volatile int *ready) {
    while (__syncthreads_or(blockIdx.x + 1 < gridDim.x && !ready[blockIdx.x + 1]))
        ;
    __threadfence();
    if (threadIdx.x == 0)
        ready[blockIdx.x] = blockIdx.x + 1 < gridDim.x ? ready[blockIdx.x + 1] + 1 : 1;
}
// The same, and each look is kept. Some warps look more often than others.
__global__ void last_block_first_keeps(volatile int *ready) {
    __shared__ volatile int seen[WARPS * 32];
    bool waits = blockIdx.x + 1 < gridDim.x;
    do
        for (int i = 0; i <= threadIdx.x / 32 * 2; i++)
            seen[threadIdx.x] = waits ? ready[blockIdx.x + 1] : 0;
    while (waits && !seen[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) ready[blockIdx.x] = seen[0] + 1;
}

static void test_full_house() {
    int per_sm, sms;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, full_house, 256, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    int blocks = per_sm * sms;
    unsigned *seen = poisoned<unsigned>(blocks);
    full_house<<<blocks, 256>>>(to_device(std::vector<unsigned>(1)), seen);
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(seen, blocks);
    for (int b = 0; b < blocks; b++) same("full_house", b, (int)got[b], blocks);
}

int main() {
    int *order = poisoned<int>(N), *count = to_device(std::vector<int>(1));
    lanes_lock<<<BLOCKS, THREADS>>>(order);
    retry_lock<<<BLOCKS, THREADS>>>(count);
    FINISH_KERNEL();
    std::vector<int> got = to_host(order, N), seen(N);
    for (int x : got)
        if (x >= 0 && x < N) seen[x]++;
    for (int i = 0; i < N; i++) same("lane was in once", i, seen[i], 1);
    same("retry_lock", 0, to_host(count, 1)[0], N);
    std::vector<int> in(N);
    int sum = 0;
    for (int &x : in) sum += x = (int)(random32() % 1000);
    int *partial = poisoned<int>(BLOCKS), *result = poisoned<int>(1);
    for (int round = 0; round < 2; round++) { // the ticket is left at zero
        last_block_sums<<<BLOCKS, THREADS>>>(to_device(in), partial, result);
        FINISH_KERNEL();
        same("last_block_sums", round, to_host(result, 1)[0], sum);
    }
    int *trace = poisoned<int>(BLOCKS);
    in_turn<<<BLOCKS, 32>>>(trace);
    FINISH_KERNEL();
    got = to_host(trace, BLOCKS);
    for (int b = 0; b < BLOCKS; b++) same("in_turn", b, got[b], (2 << b) - 1);
    const int phases = 6;
    std::vector<int> values((phases + 1) * BLOCKS);
    for (int b = 0; b < BLOCKS; b++) values[b] = b * b;
    int *device_values = to_device(values);
    home_made_barrier<<<BLOCKS, 32>>>(device_values, phases);
    FINISH_KERNEL();
    for (int phase = 0; phase < phases; phase++)
        for (int b = 0; b < BLOCKS; b++)
            values[(phase + 1) * BLOCKS + b] = values[phase * BLOCKS + (b + 1) % BLOCKS] + b;
    got = to_host(device_values, (phases + 1) * BLOCKS);
    for (int i = 0; i < (phases + 1) * BLOCKS; i++) same("home_made_barrier", i, got[i], values[i]);
    int *ready = to_device(std::vector<int>(BLOCKS));
    last_block_first<<<BLOCKS, THREADS>>>(ready);
    FINISH_KERNEL();
    got = to_host(ready, BLOCKS);
    for (int b = 0; b < BLOCKS; b++) same("last_block_first", b, got[b], BLOCKS - b);
    ready = to_device(std::vector<int>(BLOCKS));
    last_block_first_keeps<<<BLOCKS, WARPS * 32>>>(ready);
    FINISH_KERNEL();
    got = to_host(ready, BLOCKS);
    for (int b = 0; b < BLOCKS; b++) same("last_block_first_keeps", b, got[b], BLOCKS - b);
    test_full_house();
    return finish();
}
