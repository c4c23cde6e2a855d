// Right in ways other than the solution: hints, a functor, cooperative groups, any word as a name.
// clang-format off
#include "cooperative_groups.h"
namespace cg = cooperative_groups;
namespace groups = cooperative_groups;
using namespace cooperative_groups;

// BEGIN SOLUTION reduceNeighboredLess
    struct Add {
        __device__ int operator()(int a, int b) const { return a + b; }
    } add;
    unsigned int tid = threadIdx.x, chunk = blockIdx.x * blockDim.x;
    int *idata = g_idata + chunk;
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned int index = 2 * stride * tid;
        if (index < blockDim.x && chunk + index + stride < n) idata[index] = add(idata[index], idata[index + stride]);
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    cg::thread_block block = cg::this_thread_block();
    unsigned int device = block.thread_rank(), diagonal = blockIdx.x * blockDim.x, repeat = blockDim.x / 2, most = n, least = 0;
    int *idata = g_idata + diagonal;
    for (; repeat > least; repeat >>= 1) {
        if (device < repeat && diagonal + device + repeat < most) idata[device] += idata[device + repeat];
        block.sync();
    }
    if (device == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceUnroll2
    constexpr int TILE = 2;
    unsigned int tid = threadIdx.x, chunk = blockIdx.x * blockDim.x * TILE, end = min(n, chunk + blockDim.x * TILE);
    int *idata = g_idata + chunk, sum = 0;
    #pragma unroll TILE
    for (int i = 0; i < TILE; i++)
        if (chunk + tid + i * blockDim.x < n) sum += idata[tid + i * blockDim.x];
    if (chunk + tid < n) idata[tid] = sum;
    __syncthreads();
    _Pragma("unroll 1") for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride && chunk + tid + stride < end) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceUnroll4
    unsigned int tid = threadIdx.x, chunk = blockIdx.x * blockDim.x * 4, end = min(n, chunk + blockDim.x * 4);
    int *idata = g_idata + chunk, sum = 0;
    #pragma unroll (4)
    for (int i = 0; i < 4; i++)
        if (chunk + tid + i * blockDim.x < n) sum += idata[tid + i * blockDim.x];
    if (chunk + tid < n) idata[tid] = sum;
    __syncthreads();
    #pragma unroll 1
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride && chunk + tid + stride < end) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceUnroll8
    unsigned int tid = threadIdx.x, chunk = blockIdx.x * blockDim.x * 8, end = min(n, chunk + blockDim.x * 8);
    int *idata = g_idata + chunk, sum = 0;
    if (chunk + 8 * blockDim.x <= n) {
        _Pragma("unroll 8") for (int i = 0; i < 8; i++) sum += idata[tid + i * blockDim.x];
    } else {
        for (unsigned int i = tid; chunk + i < end; i += blockDim.x) sum += idata[i];
    }
    if (chunk + tid < n) idata[tid] = sum;
    __syncthreads();
    #pragma unroll 1
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride && chunk + tid + stride < end) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceUnrollWarp8
    // Not a trigraph, or what a macro's name looks like??! And a line that goes on \
       in the next one.
    const static int zwei = 2;
    constexpr static int Größe = 8;
    #define WORD(i) idata[tid + (i) * blockDim.x]
    #if 0
    }
    #endif
    groups::thread_block _S = this_thread_block();
    unsigned int tid = threadIdx.x, lane, chunk = blockIdx.x * blockDim.x * Größe, end = min(n, chunk + blockDim.x * Größe);
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    int *idata = g_idata + chunk, sum = 0;
    auto next = [sum](int word) mutable { return sum += word; };
    for (int i = 0; i < Größe; i++)
        if (chunk + tid + i * blockDim.x < n) sum = next(WORD(i));
    if (chunk + tid < n) idata[tid] = sum;
    _S.sync();
    for (unsigned int stride = blockDim.x / zwei; stride > 0; stride >>= 1) {
        if (tid < stride && chunk + tid + stride < end) idata[tid] += idata[tid + stride];
        _S.sync();
    }
    if (tid == 0 && lane == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION
