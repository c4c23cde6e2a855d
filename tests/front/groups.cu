// Cooperative groups of a block, of tiles, and of the threads that came together: what each lane
// gets, against what the CPU works out. Pipelines of a thread and of a block; a product of halves
// on tensor cores, of which each element is counted as an 8-bit float and as a managed integer.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/pipeline>
#include <cuda_fp8.h>
#include <mma.h>
namespace cg = cooperative_groups;
enum { THREADS = 128 };
__global__ void ranks(int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(warp);
    int *r = out + block.thread_rank() * 6;
    r[0] = (int)(block.size() + 1000 * warp.meta_group_rank() + 10000 * warp.meta_group_size());
    r[1] = (int)(eight.thread_rank() + 100 * eight.meta_group_rank() +
                 10000 * eight.meta_group_size());
    r[2] = eight.shfl(r[1], 3) + warp.shfl_down((int)block.thread_rank(), 1);
    r[3] = eight.shfl_xor((int)block.thread_rank(), 5) + eight.any(eight.thread_rank() == 2) * 1000;
    r[4] = (int)eight.ballot(block.thread_rank() % 3 == 0);
    r[5] = -1;
    if (block.thread_rank() % 3 == 0) {
        cg::coalesced_group third = cg::coalesced_threads();
        r[5] = (int)(third.size() * 10000 + third.thread_rank() * 100) +
               third.shfl((int)block.thread_rank() % 32, 1);
    }
    cg::sync(block);
}
// Sums of tiles that are copied two ahead. With half of the threads as producers, the others sum.
enum { TILES = 7, STAGES = 3 };
template <class Pipeline, class Group>
__device__ int sumOfTiles(Pipeline &pipeline, const Group &group, int (*tile)[THREADS],
                          const int *in, bool produces, bool consumes) {
    int sum = 0;
    for (int i = 0, next = 0; i < TILES; i++) {
        for (; produces && next < TILES && next < i + STAGES; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(group, tile[next % STAGES], in + next * THREADS,
                               cuda::aligned_size_t<4>(THREADS * sizeof(int)), pipeline);
            pipeline.producer_commit();
        }
        if (!consumes) continue;
        pipeline.consumer_wait();
        for (int t = 0; t < THREADS; t++) sum += tile[i % STAGES][t] * (int)(threadIdx.x + 1);
        pipeline.consumer_release();
    }
    return sum;
}
__global__ void pipelines(const int *in, int *out) {
    __shared__ int tile[STAGES][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> both, halves;
    cg::thread_block block = cg::this_thread_block();
    auto together = cuda::make_pipeline(block, &both);
    out[threadIdx.x] = sumOfTiles(together, block, tile, in, true, true);
    block.sync();
    bool produces = threadIdx.x < THREADS / 2;
    auto apart = cuda::make_pipeline(
        block, &halves, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    out[THREADS + threadIdx.x] = sumOfTiles(apart, warp, tile, in, produces, !produces);
    block.sync();
    if (threadIdx.x != 0) return;
    auto alone = cuda::make_pipeline();
    out[2 * THREADS] = sumOfTiles(alone, cg::coalesced_threads(), tile, in, true, true);
}
static int wrongPipelines() {
    int *in, *out, got[2 * THREADS + 1], sum = 0, wrong = 0;
    cudaMallocManaged(&in, TILES * THREADS * sizeof(int));
    cudaMalloc(&out, sizeof got);
    for (int i = 0; i < TILES * THREADS; i++) sum += in[i] = i * i % 101;
    pipelines<<<1, THREADS>>>(in, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault);
    for (int i = 0; i < 2 * THREADS + 1; i++) {
        int want = i >= THREADS && i < THREADS + THREADS / 2 ? 0 : sum * (i % THREADS + 1);
        wrong += got[i] != want;
        if (got[i] != want) printf("pipelines %d: %d, want %d\n", i, got[i], want);
    }
    return wrong;
}
enum { SIDE = 16 };
static __managed__ int total = 5;
__managed__ float elements[SIDE * SIDE] = {9};
__global__ void multiply() {
    using namespace nvcuda::wmma;
    __shared__ half factor[SIDE * SIDE];
    for (int i = threadIdx.x; i < SIDE * SIDE; i += 32)
        factor[i] = __hmul(__float2half(0.5f), half(i % 7 - 3));
    __syncwarp();
    fragment<matrix_a, SIDE, SIDE, SIDE, half, row_major> a;
    fragment<matrix_b, SIDE, SIDE, SIDE, half, col_major> b;
    fragment<accumulator, SIDE, SIDE, SIDE, float> sum;
    fill_fragment(sum, 1.0f);
    load_matrix_sync(a, factor, SIDE);
    load_matrix_sync(b, factor, SIDE);
    mma_sync(sum, a, b, sum);
    store_matrix_sync(elements, sum, SIDE, mem_row_major);
    for (int i = threadIdx.x; i < SIDE * SIDE; i += 32)
        atomicAdd(&total, (int)(float)__nv_fp8_e5m2(elements[i]));
}
static int wrongProduct() {
    int wrong = (total != 5) + (elements[0] != 9), rounded = total;
    multiply<<<1, 32>>>();
    cudaDeviceSynchronize();
    for (int i = 0; i < SIDE * SIDE; i++) {
        float want = 1;
        for (int k = 0; k < SIDE; k++)
            want += 0.25f * (float)((i / SIDE * SIDE + k) % 7 - 3) *
                    (float)((i % SIDE * SIDE + k) % 7 - 3);
        wrong += elements[i] != want;
        rounded += (int)(float)__nv_fp8_e5m2(want);
    }
    if (wrong || total != rounded) printf("product: %d wrong, %d for %d\n", wrong, total, rounded);
    return wrong + (total != rounded);
}
int main() {
    int *out, got[THREADS * 6], wrong = 0;
    cudaMalloc(&out, sizeof got);
    ranks<<<1, THREADS>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault);
    for (int t = 0; t < THREADS; t++) {
        int ballot = 0, size = 0, rank = 0, second = -1, w = t / 32 * 32;
        for (int k = 0; k < 8; k++) ballot |= ((t / 8 * 8 + k) % 3 == 0) << k;
        for (int k = w; k < w + 32; k++)
            if (k % 3 == 0) {
                if (size == 1) second = k % 32;
                size++;
                rank += k < t;
            }
        const int want[6] = {THREADS + 1000 * (t / 32) + 40000,
                             t % 8 + 100 * (t % 32 / 8) + 40000,
                             3 + 100 * (t % 32 / 8) + 40000 + (t % 32 < 31 ? t + 1 : t),
                             (t ^ 5) + 1000,
                             ballot,
                             t % 3 == 0 ? size * 10000 + rank * 100 + second : -1};
        for (int r = 0; r < 6; r++)
            if (got[t * 6 + r] != want[r]) {
                wrong++;
                if (wrong < 9)
                    printf("thread %d result %d: %d, want %d\n", t, r, got[t * 6 + r], want[r]);
            }
    }
    wrong += wrongPipelines() + wrongProduct();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
