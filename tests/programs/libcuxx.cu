// libcu++: cuda::atomic and atomic_ref, cuda::barrier, asynchronous copies (ordinary copies on old
// devices), std types.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/utility>

namespace cg = cooperative_groups;
enum { THREADS = 128, BLOCKS = 4 };

__device__ cuda::atomic<int, cuda::thread_scope_device> counter{0};
__device__ cuda::std::atomic<unsigned> total{5};

__global__ void atomics(long long *cell) {
    counter.fetch_add(1, cuda::memory_order_relaxed);
    total += 2;
    cuda::atomic_ref<long long, cuda::thread_scope_device> reference(*cell);
    reference.fetch_max((long long)(blockIdx.x * blockDim.x + threadIdx.x),
                        cuda::memory_order_acq_rel);
}
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void stages(const int *in, int *out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier barrier;
    __shared__ int staged[2][THREADS];
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    block.sync();
    const int *tile = in + blockIdx.x * THREADS;
    cuda::memcpy_async(block, staged[0], tile, sizeof(int) * THREADS, barrier);
    barrier.arrive_and_wait();
    staged[1][threadIdx.x] = staged[0][THREADS - 1 - threadIdx.x] * 2;
    auto token = barrier.arrive();
    int own = tile[threadIdx.x];
    barrier.wait(std::move(token));
    int x = own + staged[1][(threadIdx.x + 1) % THREADS];
    block.sync();
    cg::memcpy_async(block, staged[0], tile, sizeof(int) * THREADS);
    cg::wait(block);
    out[blockIdx.x * THREADS + threadIdx.x] = x + staged[0][threadIdx.x ^ 1];
}
__global__ void types(float *out) {
    cuda::std::complex<float> z(0, 1), sum(0, 0);
    for (int i = 0; i < (int)threadIdx.x; i++)
        sum += z * cuda::std::complex<float>((float)i, 0), z *= cuda::std::complex<float>(0, 1);
    cuda::std::array<int, 5> a = {1, 2, 3, 4, 5};
    auto t = cuda::std::make_tuple(a[threadIdx.x % 5], sum.real());
    out[threadIdx.x] = cuda::std::get<0>(t) + 10 * cuda::std::get<1>(t) + 1000 * sum.imag() +
                       (cuda::std::numeric_limits<int>::max() == 0x7FFFFFFF);
}

int main() {
    long long *cell = to_device(std::vector<long long>(1));
    atomics<<<BLOCKS, THREADS>>>(cell);
    FINISH_KERNEL();
    int count;
    unsigned sum;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
    same("cuda::atomic", 0, count, BLOCKS * THREADS);
    same("cuda::std::atomic", 0, sum, 5 + 2 * BLOCKS * THREADS);
    same("atomic_ref", 0, to_host(cell, 1)[0], BLOCKS * THREADS - 1);
    std::vector<int> in(BLOCKS * THREADS);
    for (int &x : in) x = (int)(random32() % 10000);
    int *out = poisoned<int>(BLOCKS * THREADS);
    stages<<<BLOCKS, THREADS>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, BLOCKS * THREADS);
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        const int *tile = &in[i / THREADS * THREADS];
        int t = i % THREADS;
        same("stages", i, got[i],
             tile[t] + 2 * tile[THREADS - 1 - (t + 1) % THREADS] + tile[t ^ 1]);
    }
    float *values = poisoned<float>(32);
    types<<<1, 32>>>(values);
    FINISH_KERNEL();
    std::vector<float> got_values = to_host(values, 32);
    for (int t = 0; t < 32; t++) {
        int real = 0, imaginary = 0;
        for (int i = 0; i < t; i++) {
            int step = i % 4; // i, -1, -i, 1
            real += step == 1 ? -i : step == 3 ? i : 0;
            imaginary += step == 0 ? i : step == 2 ? -i : 0;
        }
        same("types", t, got_values[t], t % 5 + 1 + 10.0f * real + 1000.0f * imaginary + 1);
    }
    return finish();
}
