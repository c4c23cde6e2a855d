/*
 * async.cu: copies by cp.async that are not waited for, and barriers and flags of libcu++ that are
 * used too early. `async NAME` runs one and prints what it
 * summed up. Comments "<- NAME" mark the lines that the messages must name;
 * tests/targets/check.bats reads them.
 */
#include <cstdio>
#include <cstring>

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#define THREADS 64

/* The thread uses what it copies before it has waited. */
__global__ void unwaited(const int *in, int *out) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = 0;
    __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, 4); // <- unwaited write
    __pipeline_commit();
    out[threadIdx.x] = tile[threadIdx.x]; // <- unwaited read
}

/* Two groups on their way, and the wrong one waited for. */
__global__ void early(const int *in, int *out) {
    __shared__ int tile[2][THREADS];
    for (int i = 0; i < 2; i++) {
        tile[i][threadIdx.x] = 0;
        __pipeline_memcpy_async(tile[i] + threadIdx.x, in + threadIdx.x, 4); // <- early write
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x] = tile[1][threadIdx.x ^ 1]; // <- early read
    __pipeline_wait_prior(0);
}

/* Each thread waits for its own copy only, and reads another's. */
__global__ void apart(const int *in, int *out) {
    __shared__ int tile[THREADS];
    __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, 4); // <- apart write
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[(threadIdx.x + 32) % THREADS]; // <- apart read
}

/* The thread stores where its copy is to arrive. */
__global__ void overwritten(const int *in, int *out) {
    __shared__ int tile[THREADS];
    __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, 4); // <- overwritten write
    tile[threadIdx.x] = 7;                                            // <- overwritten read
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x];
}

/* The thread stores to what its copy reads. */
__global__ void changed(int *in, int *out) {
    __shared__ int tile[THREADS];
    __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, 4); // <- changed read
    in[threadIdx.x] = 7;                                              // <- changed write
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x];
}

/* What is not released is given again: the second wait is for the first copy. */
__global__ void unreleased(const int *in, int *out, bool release) {
    __shared__ int tile[2][THREADS];
    using state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
    __shared__ alignas(state) char memory[sizeof(state)];
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, (state *)memory);
    for (int i = 0; i < 2; i++) {
        tile[i][threadIdx.x] = 0;
        __syncthreads();
        pipeline.producer_acquire();
        cuda::memcpy_async(block, tile[i], in, sizeof tile[i], pipeline);
        pipeline.producer_commit();
        pipeline.consumer_wait();
        out[threadIdx.x] += tile[i][THREADS - 1 - threadIdx.x]; // <- unreleased read
        if (release) pipeline.consumer_release();
    }
}

/* Threads arrive at a barrier that another one may not have set up yet. */
__global__ void earlyBarrier(int *out, bool early) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(barrier) char memory[sizeof(barrier)];
    barrier &all = *(barrier *)memory;
    if (threadIdx.x == 0) init(&all, THREADS);
    if (!early) __syncthreads();
    all.arrive_and_wait();
    out[threadIdx.x] = 1;
}

/* The second block waits for the first one's flag, by relaxed loads; a fence may follow. */
__global__ void relaxed(int *flag, int *data, int *out, bool fence) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 5; // <- relaxed write
        ready.store(1, cuda::memory_order_release);
    } else {
        while (!ready.load(cuda::memory_order_relaxed)) {
        }
        if (fence) cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        *out = *data; // <- relaxed read
    }
}

int main(int argc, char **argv) {
    int ones[THREADS], *in, *out, *flag, sum = 0;
    const char *name = argc > 1 ? argv[1] : "";
    auto is = [&](const char *wanted) { return !strcmp(name, wanted); };
    bool right = is("right");
    for (int &x : ones) x = 1;
    cudaMalloc(&in, sizeof ones);
    cudaMalloc(&out, sizeof ones);
    cudaMemset(out, 0, sizeof ones);
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice);
    if (is("unwaited")) unwaited<<<1, THREADS>>>(in, out);
    if (is("early")) early<<<1, THREADS>>>(in, out);
    if (is("apart")) apart<<<1, THREADS>>>(in, out);
    if (is("overwritten")) overwritten<<<1, THREADS>>>(in, out);
    if (is("changed")) changed<<<1, THREADS>>>(in, out);
    if (right || is("unreleased")) unreleased<<<1, THREADS>>>(in, out, right);
    if (right || is("early-barrier")) earlyBarrier<<<1, THREADS>>>(out, !right);
    if (right || is("relaxed")) relaxed<<<2, 1>>>(flag, in, out, right);
    cudaMemcpy(ones, out, sizeof ones, cudaMemcpyDeviceToHost);
    for (int x : ones) sum += x;
    for (int *p : {in, out, flag}) cudaFree(p);
    printf("sum %d\n", sum);
}
