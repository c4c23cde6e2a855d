/*
 * Lab 16: attention. Each query gets a mean of all values, weighted by how well their keys match.
 *
 *     1 softmaxThreePasses  the largest score, the sum of weights, the mean: three passes
 *     2 softmaxTwoPasses    sum and mean at once
 *     3 softmaxOnline       all at once: what a larger score makes wrong is put right
 *
 *     4 productFragments    a product of half matrices on tensor cores, from global memory
 *     5 productShared       through tiles in shared memory, without bank conflicts
 *     6 productAsync        the next tiles are copied while these are multiplied
 *
 *     7 attentionInParts    product, softmax, product; all scores lie in memory
 *     8 attentionTiled      tile by tile in one kernel: no score is ever stored
 *
 *     Q (queries x 64)  times  K' (64 x keys)  ->  scores  ->  weights  times  V (keys x 64)  ->  O
 *
 * To run it: make lab16.
 */
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include "common.h"
#include "harness/halves.h"
#include "harness/lab.h"

enum : unsigned int { WARP = 32, ALL_LANES = 0xffffffff, THREADS = 128, WARPS = THREADS / WARP };

/* All tiles have 64 x 64 elements, and a key or value has 64 numbers: DIMS. Matrices are padded to
 * whole tiles with zeros. In shared memory 8 halves follow each row of a tile, so that 8 rows begin
 * in different banks. A warp multiplies 32 x 32 elements of a tile as 2 x 2 fragments. */
enum : unsigned int {
    TILE = 64,
    DIMS = TILE,
    PITCH = TILE + 8,
    PART = 32,
    FRAGMENT = 16,
    FRAGMENTS = TILE / FRAGMENT
};

/* Heads are separate attentions, side by side in one launch. Scores are divided by sqrt(DIMS). */
enum : unsigned int { HEADS = 4 };
static const float SCALE = 0.125f;

/* ---- The right results, on the CPU ---- */

/* The means by doubles. A float's exp errs by what its argument is rounded: scores up to 102 by
 * 2^-18. A mean of numbers from 0 to 1 errs by that, and by little more for the float's sums. */
static void softmaxOnHost(const float *scores, const float *values, float *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const float *s = scores + i * n;
        double most = 0, sum = 0, mean = 0;
        for (size_t j = 0; j < n; j++) most = fmax(most, s[j]);
        for (size_t j = 0; j < n; j++) sum += exp(s[j] - most);
        for (size_t j = 0; j < n; j++) mean += exp(s[j] - most) / sum * values[j];
        out[i] = (float)mean;
    }
}
static const double SOFTMAX_TOLERANCE = 1.0 / (1 << 15);

/* HEADS times `padded` rows of DIMS numbers each; Kt: HEADS times DIMS rows of `padded`. */
struct Attention {
    size_t n, padded;
    half *Q, *Kt, *V;
    float *want, *got;
    half *d_Q, *d_Kt, *d_V, *d_weights;
    float *d_scores, *d_O;
};

/* One query by doubles. keys and values: the head's, as floats; weights: room for n. */
static void queryOnHost(const half *q, const float *keys, const float *values, double *weights,
                        size_t n, float *want) {
    double most = -INFINITY, sum = 0, means[DIMS] = {};
    for (size_t j = 0; j < n; j++) weights[j] = 0;
    for (size_t d = 0; d < DIMS; d++) {
        const double scaled = SCALE * __half2float(q[d]);
        for (size_t j = 0; j < n; j++) weights[j] += scaled * keys[d * n + j];
    }
    for (size_t j = 0; j < n; j++) most = fmax(most, weights[j]);
    for (size_t j = 0; j < n; j++) {
        const double weight = exp(weights[j] - most);
        sum += weight;
        for (size_t d = 0; d < DIMS; d++) means[d] += weight * values[j * DIMS + d];
    }
    for (size_t d = 0; d < DIMS; d++) want[d] = (float)(means[d] / sum);
}

static void attentionOnHost(const Attention *a) {
    float *keys = hostArray<float>(a->n * DIMS), *values = hostArray<float>(a->n * DIMS);
    double *weights = hostArray<double>(a->n);
    for (size_t head = 0; head < HEADS; head++) {
        const size_t at = head * a->padded * DIMS;
        for (size_t d = 0; d < DIMS; d++)
            for (size_t j = 0; j < a->n; j++) {
                keys[d * a->n + j] = __half2float(a->Kt[at + d * a->padded + j]);
                values[j * DIMS + d] = __half2float(a->V[at + j * DIMS + d]);
            }
        for (size_t row = 0; row < a->n; row++)
            queryOnHost(a->Q + at + row * DIMS, keys, values, weights, a->n,
                        a->want + at + row * DIMS);
    }
    free(keys);
    free(values);
    free(weights);
}

/* A weight as a half errs by 2^-11 of itself, and one below 2^-14 by up to 2^-25. The weights' sum
 * is 1 and no value is larger than 1, so a mean of n values errs by at most 2^-11 + n * 2^-25: for
 * n up to 8192 by 0.75 * 2^-10. The rest is for the floats' rounding, which is far less. */
static const double ATTENTION_TOLERANCE = 1.0 / (1 << 10);

/* ---- The kernels ---- */

/* The largest and the sum of the lanes' numbers, for all lanes. */
__device__ float warpMost(float x) {
    for (unsigned int distance = WARP / 2; distance > 0; distance /= 2)
        x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, distance));
    return x;
}

__device__ float warpSum(float x) {
    for (unsigned int distance = WARP / 2; distance > 0; distance /= 2)
        x += __shfl_xor_sync(ALL_LANES, x, distance);
    return x;
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1: given ----
 *
 *     a warp has a row; lane 0 its scores 0, 32, 64, ..., lane 1 its scores 1, 33, ...
 *
 *     weight[j] = exp(score[j] - most) / sum        most: so that exp does not overflow
 *
 * Question: how often is each score read from memory, and how often is its exp computed?
 * Metric: gld_requests
 */
__global__ void softmaxThreePasses(const float *scores, const float *values, float *out,
                                   unsigned int n) {
    const unsigned int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= n) return;
    const float *s = scores + (size_t)row * n;
    float most = -INFINITY, sum = 0, mean = 0;
    for (unsigned int j = lane; j < n; j += WARP) most = fmaxf(most, s[j]);
    most = warpMost(most);
    for (unsigned int j = lane; j < n; j += WARP) sum += expf(s[j] - most);
    sum = warpSum(sum);
    for (unsigned int j = lane; j < n; j += WARP) mean += expf(s[j] - most) / sum * values[j];
    mean = warpSum(mean);
    if (lane == 0) out[row] = mean;
}

/* ---- Step 2 ----
 *
 *     mean = (exp(s0 - most) v0 + exp(s1 - most) v1 + ...)
 *          / (exp(s0 - most)    + exp(s1 - most)    + ...)
 *
 * Question: which of the three passes does not need what another has found?
 * Metric: gld_requests
 */
__global__ void softmaxTwoPasses(const float *scores, const float *values, float *out,
                                 unsigned int n) {
    // BEGIN SOLUTION softmaxTwoPasses
    // TODO("Find the largest score; then add up weights and weighted values in one pass, and divide "
    //      "once.",
    //      "handouts/lab16.md#softmaxtwopasses");
    const unsigned int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= n) return;
    const float *s = scores + (size_t)row * n;
    float most = -INFINITY, sum = 0, mean = 0;
    for (unsigned int j = lane; j < n; j += WARP) most = fmaxf(most, s[j]);
    most = warpMost(most);
    for (unsigned int j = lane; j < n; j += WARP) {
        const float weight = expf(s[j] - most);
        sum += weight;
        mean += weight * values[j];
    }
    sum = warpSum(sum);
    mean = warpSum(mean);
    if (lane == 0) out[row] = mean / sum;
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     score       2     1           5                              3
 *     most        2     2           5                              5
 *     sum         1     1 + 1/e     (1 + 1/e) exp(2 - 5) + 1       ... + exp(3 - 5)
 *
 * Question: all weights so far are too large when a larger score comes. By which factor?
 * Metric: gld_requests
 */
__global__ void softmaxOnline(const float *scores, const float *values, float *out,
                              unsigned int n) {
    // BEGIN SOLUTION softmaxOnline
    // TODO("Keep most, sum and mean of the scores so far; where most grows, multiply both others by "
    //      "exp(old - new). The lanes' results meet by the same rule.",
    //      "handouts/lab16.md#softmaxonline");
    const unsigned int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= n) return;
    const float *s = scores + (size_t)row * n;
    float most = -INFINITY, sum = 0, mean = 0;
    for (unsigned int j = lane; j < n; j += WARP) {
        const float score = s[j];
        if (score > most) {
            const float shrink = expf(most - score);
            sum *= shrink;
            mean *= shrink;
            most = score;
        }
        const float weight = expf(score - most);
        sum += weight;
        mean += weight * values[j];
    }
    const float shrink = expf(most - warpMost(most));
    sum = warpSum(sum * shrink);
    mean = warpSum(mean * shrink);
    if (lane == 0) out[row] = mean / sum;
    // END SOLUTION
}

/* ---- Products on tensor cores ---- */

using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, FRAGMENT, FRAGMENT, FRAGMENT, half, wmma::row_major> Left;
typedef wmma::fragment<wmma::matrix_b, FRAGMENT, FRAGMENT, FRAGMENT, half, wmma::row_major> Right;
typedef wmma::fragment<wmma::accumulator, FRAGMENT, FRAGMENT, FRAGMENT, float> Sums;

/* Adds the product of 32 x 16 halves at a and 16 x 32 at b to a warp's 32 x 32 sums. Rows lie
 * strideA and strideB halves apart. */
__device__ void addProduct(Sums (&sums)[2][2], const half *a, unsigned int strideA, const half *b,
                           unsigned int strideB) {
    Left left[2];
    Right right[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(left[i], a + i * FRAGMENT * strideA, strideA);
        wmma::load_matrix_sync(right[i], b + i * FRAGMENT, strideB);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
}

__device__ void clearSums(Sums (&sums)[2][2]) {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::fill_fragment(sums[i][j], 0.0f);
}

/* Stores a warp's 32 x 32 sums at c, whose rows lie `stride` floats apart. */
__device__ void storeSums(const Sums (&sums)[2][2], float *c, unsigned int stride) {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(c + i * FRAGMENT * stride + j * FRAGMENT, sums[i][j], stride,
                                    wmma::mem_row_major);
}

/* The first row and column of a warp's part of the block's tile. */
__device__ unsigned int partRow() {
    return threadIdx.x / WARP / 2 * PART;
}
__device__ unsigned int partCol() {
    return threadIdx.x / WARP % 2 * PART;
}

/* A tile of C = A B: C has gridDim.y * TILE rows. Other heads follow the first in each array. */
__device__ void multiplyFragments(const half *A, const half *B, float *C, unsigned int cols,
                                  unsigned int depth) {
    const size_t head = blockIdx.z, rows = gridDim.y * TILE;
    const unsigned int row = blockIdx.y * TILE + partRow(), col = blockIdx.x * TILE + partCol();
    const half *a = A + (head * rows + row) * depth, *b = B + head * depth * cols + col;
    Sums sums[2][2];
    clearSums(sums);
    for (unsigned int k = 0; k < depth; k += FRAGMENT)
        addProduct(sums, a + k, depth, b + (size_t)k * cols, cols);
    storeSums(sums, C + (head * rows + row) * cols + col, cols);
}

/* ---- Step 4: given ----
 *
 *     a block's tile of C     | warp 0 | warp 1 |     each 32 x 32: four fragments of 16 x 16
 *                             | warp 2 | warp 3 |
 *
 * Question: how many of a block's warps load the same rows of A?
 * Metric: gld_requests
 */
__global__ void productFragments(const half *A, const half *B, float *C, unsigned int cols,
                                 unsigned int depth) {
    multiplyFragments(A, B, C, cols, depth);
}

/* ---- Step 5 ----
 *
 *     As[64][72]    | 64 halves of row 0 | 8 free |        row 1 begins 36 words further on:
 *                   | 64 halves of row 1 | 8 free |        banks 4, 8, 12, ... and not 0 again
 *
 * Question: which banks would the first words of 8 rows have without the free halves?
 * Metric: shared_ld_bank_conflict
 */
__global__ void productShared(const half *A, const half *B, float *C, unsigned int cols,
                              unsigned int depth) {
    // BEGIN SOLUTION productShared
    // TODO("Copy a tile of A and one of B to shared memory, 8 halves at a time as a uint4; multiply "
    //      "from there.",
    //      "handouts/lab16.md#productshared");
    __shared__ __align__(128) half As[TILE][PITCH], Bs[TILE][PITCH];
    const half *a = A + (size_t)blockIdx.y * TILE * depth, *b = B + blockIdx.x * TILE;
    Sums sums[2][2];
    clearSums(sums);
    for (unsigned int k = 0; k < depth; k += TILE) {
        for (unsigned int i = threadIdx.x; i < TILE * TILE / 8; i += THREADS) {
            const unsigned int r = i / (TILE / 8), c = i % (TILE / 8) * 8;
            *(uint4 *)&As[r][c] = *(const uint4 *)&a[(size_t)r * depth + k + c];
            *(uint4 *)&Bs[r][c] = *(const uint4 *)&b[(size_t)(k + r) * cols + c];
        }
        __syncthreads();
        for (unsigned int d = 0; d < TILE; d += FRAGMENT)
            addProduct(sums, &As[partRow()][d], PITCH, &Bs[d][partCol()], PITCH);
        __syncthreads();
    }
    const size_t row = blockIdx.y * TILE + partRow();
    storeSums(sums, C + row * cols + blockIdx.x * TILE + partCol(), cols);
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 *     copies        tile 0 | tile 1 | tile 2 | tile 3          to As[0], As[1], As[0], ...
 *     products               tile 0 | tile 1 | tile 2 | tile 3
 *
 * Question: through which registers did the numbers go in step 5, and where does a thread wait for them now?
 * Metric: shared_store
 */
__global__ void productAsync(const half *A, const half *B, float *C, unsigned int cols,
                             unsigned int depth) {
    // BEGIN SOLUTION productAsync
    // TODO("Step 5 with two tiles of A and of B: begin the copies of the next ones by "
    //      "__pipeline_memcpy_async, then wait for these and multiply.",
    //      "handouts/lab16.md#productasync");
    __shared__ __align__(128) half As[2][TILE][PITCH], Bs[2][TILE][PITCH];
    const half *a = A + (size_t)blockIdx.y * TILE * depth, *b = B + blockIdx.x * TILE;
    Sums sums[2][2];
    clearSums(sums);
    for (unsigned int k = 0; k < depth + TILE; k += TILE) { /* copies tile k, multiplies the last */
        const unsigned int next = k / TILE % 2, now = 1 - next;
        if (k < depth) {
            for (unsigned int i = threadIdx.x; i < TILE * TILE / 8; i += THREADS) {
                const unsigned int r = i / (TILE / 8), c = i % (TILE / 8) * 8;
                __pipeline_memcpy_async(&As[next][r][c], &a[(size_t)r * depth + k + c], 16);
                __pipeline_memcpy_async(&Bs[next][r][c], &b[(size_t)(k + r) * cols + c], 16);
            }
        }
        __pipeline_commit();
        if (k == 0) continue;
        __pipeline_wait_prior(1);
        __syncthreads();
        for (unsigned int d = 0; d < TILE; d += FRAGMENT)
            addProduct(sums, &As[now][partRow()][d], PITCH, &Bs[now][d][partCol()], PITCH);
        __syncthreads();
    }
    const size_t row = blockIdx.y * TILE + partRow();
    storeSums(sums, C + row * cols + blockIdx.x * TILE + partCol(), cols);
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 *     attentionScores    scores = Q K'          n x n floats
 *     attentionInParts   weights                n x n halves
 *     attentionMeans     O = weights V
 *
 * Question: how many bytes of scores and weights are stored and loaded, and how many of Q, K, V and O?
 * Metric: gld_requests
 */
__global__ void attentionScores(const half *Q, const half *Kt, float *scores, unsigned int padded) {
    multiplyFragments(Q, Kt, scores, padded, DIMS);
}

__global__ void attentionMeans(const half *weights, const half *V, float *O, unsigned int padded) {
    multiplyFragments(weights, V, O, DIMS, padded);
}

__global__ void attentionInParts(const float *scores, half *weights, unsigned int n,
                                 unsigned int padded) {
    // BEGIN SOLUTION attentionInParts
    // TODO("Of each row of SCALE * scores the weights, each divided by their sum; 0 for keys from n "
    //      "on, and in rows from n on.",
    //      "handouts/lab16.md#attentioninparts");
    const unsigned int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const float *s = scores + ((size_t)blockIdx.z * padded + row) * padded;
    half *w = weights + ((size_t)blockIdx.z * padded + row) * padded;
    float most = -INFINITY, sum = 0;
    for (unsigned int j = lane; j < n; j += WARP) {
        const float score = SCALE * s[j], higher = fmaxf(most, score);
        sum = sum * expf(most - higher) + expf(score - higher);
        most = higher;
    }
    const float all = warpMost(most);
    sum = warpSum(sum * expf(most - all));
    for (unsigned int j = lane; j < padded; j += WARP)
        w[j] = __float2half(row < n && j < n ? expf(SCALE * s[j] - all) / sum : 0.0f);
    // END SOLUTION
}

/* ---- Products whose fragments are known, for step 8 ----
 *
 * A lane's four sums of 16 x 8:                its halves of the left factor, 16 x 16:
 *
 *     row lane / 4      columns 2 q, 2 q + 1     row lane / 4: h[0], h[2]    columns 2 q, 2 q + 1
 *     row lane / 4 + 8  columns 2 q, 2 q + 1     row + 8:      h[1], h[3]    ... and 8 further on
 *
 * where q = lane % 4. So the sums of one product can be the left factor of the next. */
struct LeftHalves {
    half2 h[4];
};
struct RightHalves {
    unsigned int pairs[4]; /* 16 x 16: two times 16 x 8 */
};

/* Loads 16 rows of 16 halves from a tile in shared memory: the whole warp. */
__device__ RightHalves loadRight(const half (*tile)[PITCH], unsigned int row, unsigned int col) {
    RightHalves right = {};
#if __CUDA_ARCH__ >= 800
    const unsigned int lane = threadIdx.x % WARP;
    const unsigned int from =
        (unsigned int)__cvta_generic_to_shared(&tile[row + lane % 16][col + lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(right.pairs[0]), "=r"(right.pairs[1]), "=r"(right.pairs[2]),
                   "=r"(right.pairs[3])
                 : "r"(from)
                 : "memory");
#endif
    return right;
}

/* Adds a product to two sums side by side: the whole warp. */
__device__ void addHalves(float (&sums)[2][4], const LeftHalves &left, const RightHalves &right) {
#if __CUDA_ARCH__ >= 800
    const unsigned int *a = (const unsigned int *)left.h, *b = right.pairs;
#pragma unroll
    for (int j = 0; j < 2; j++) {
        float *c = sums[j];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2 * j]),
                       "r"(b[2 * j + 1]));
    }
#endif
}

/* The largest and the sum of the numbers that the four lanes of a row have. */
__device__ float rowMost(float x) {
    x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 1));
    return fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 2));
}

__device__ float rowSum(float x) {
    x += __shfl_xor_sync(ALL_LANES, x, 1);
    return x + __shfl_xor_sync(ALL_LANES, x, 2);
}

/* 16 columns of the warp's 16 queries, which begin in row `row`. */
__device__ LeftHalves loadQueries(const half *Q, size_t row, unsigned int col) {
    const unsigned int lane = threadIdx.x % WARP;
    const half *q = Q + (row + lane / 4) * DIMS + col + lane % 4 * 2;
    return {{*(const half2 *)q, *(const half2 *)(q + 8 * DIMS), *(const half2 *)(q + 8),
             *(const half2 *)(q + 8 * DIMS + 8)}};
}

/* Begins to copy a tile to shared memory: the whole block. */
__device__ void beginCopy(half (*tile)[PITCH], const half *from, size_t stride) {
    for (unsigned int i = threadIdx.x; i < TILE * TILE / 8; i += THREADS) {
        const unsigned int r = i / (TILE / 8), c = i % (TILE / 8) * 8;
        __pipeline_memcpy_async(&tile[r][c], &from[r * stride + c], 16);
    }
}

/* ---- Step 8 ----
 *
 *     for each tile of 64 keys       registers of a warp: 16 queries
 *       scores  = Q K'               16 x 64 floats, never stored
 *       most, sum                    online, as in step 3
 *       O = O * shrink + weights V   16 x 64 floats
 *
 * Question: how often is each key read from memory now, and by whom?
 * Metric: gst_transactions
 */
__global__ void attentionTiled(const half *Q, const half *Kt, const half *V, float *O,
                               unsigned int n, unsigned int padded) {
    // BEGIN SOLUTION attentionTiled
    // TODO("For each tile of keys: scores by addHalves, the online softmax of two rows a lane, and "
    //      "the weights as halves times the tile of values.",
    //      "handouts/lab16.md#attentiontiled");
    __shared__ __align__(128) half Ks[TILE][PITCH], Vs[TILE][PITCH];
    const unsigned int lane = threadIdx.x % WARP;
    const size_t head = (size_t)blockIdx.z * padded;
    const size_t row = head + blockIdx.x * TILE + threadIdx.x / WARP * FRAGMENT;
    /* Unrolled loops make the indices of these arrays constants, and so the arrays registers. */
    LeftHalves queries[FRAGMENTS];
    float sums[FRAGMENTS][2][4] = {}, most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
#pragma unroll
    for (unsigned int d = 0; d < FRAGMENTS; d++) queries[d] = loadQueries(Q, row, d * FRAGMENT);
    for (unsigned int key = 0; key < n; key += TILE) {
        beginCopy(Ks, Kt + head * DIMS + key, padded);
        beginCopy(Vs, V + (head + key) * DIMS, DIMS);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        float scores[FRAGMENTS][2][4] = {};
#pragma unroll
        for (unsigned int d = 0; d < FRAGMENTS; d++)
#pragma unroll
            for (unsigned int k = 0; k < FRAGMENTS; k++)
                addHalves(scores[k], queries[d], loadRight(Ks, d * FRAGMENT, k * FRAGMENT));
#pragma unroll
        for (int r = 0; r < 2; r++) { /* row lane / 4, and the one 8 further on */
            float higher = most[r];
#pragma unroll
            for (unsigned int k = 0; k < FRAGMENTS; k++)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const unsigned int col = key + k * FRAGMENT + i / 2 * 8 + lane % 4 * 2 + i % 2;
                    float *score = &scores[k][i / 2][2 * r + i % 2];
                    *score = col < n ? SCALE * *score : -INFINITY;
                    higher = fmaxf(higher, *score);
                }
            higher = rowMost(higher);
            const float shrink = __expf(most[r] - higher);
            most[r] = higher;
            sum[r] *= shrink;
#pragma unroll
            for (unsigned int k = 0; k < FRAGMENTS; k++)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    float *score = &scores[k][i / 2][2 * r + i % 2];
                    *score = __expf(*score - higher); /* the weight */
                    sum[r] += *score;
                    sums[k][i / 2][2 * r + i % 2] *= shrink;
                }
        }
#pragma unroll
        for (unsigned int k = 0; k < FRAGMENTS; k++) {
            const float(*w)[4] = scores[k];
            const LeftHalves weights = {
                {__floats2half2_rn(w[0][0], w[0][1]), __floats2half2_rn(w[0][2], w[0][3]),
                 __floats2half2_rn(w[1][0], w[1][1]), __floats2half2_rn(w[1][2], w[1][3])}};
#pragma unroll
            for (unsigned int d = 0; d < FRAGMENTS; d++)
                addHalves(sums[d], weights, loadRight(Vs, k * FRAGMENT, d * FRAGMENT));
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const float share = 1 / rowSum(sum[r]);
        float2 *o = (float2 *)(O + (row + lane / 4 + 8 * r) * DIMS) + lane % 4;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float *s = &sums[i / 2][i % 2][2 * r];
            o[4 * i] = make_float2(s[0] * share, s[1] * share);
        }
    }
    // END SOLUTION
}

/* ---- The steps ---- */

struct AttentionStep {
    const char *name, *idea;
    void (*softmax)(const float *scores, const float *values, float *out, unsigned int n);
    void (*product)(const half *A, const half *B, float *C, unsigned int cols, unsigned int depth);
    int capability; /* 7: tensor cores; 8: asynchronous copies, too */
};

static const AttentionStep STEPS[] = {
    {"softmaxThreePasses", "largest, sum, mean", softmaxThreePasses, NULL, 0},
    {"softmaxTwoPasses", "sum and mean at once", softmaxTwoPasses, NULL, 0},
    {"softmaxOnline", "all at once", softmaxOnline, NULL, 0},
    {"productFragments", "tensor cores", NULL, productFragments, 7},
    {"productShared", "tiles in shared memory", NULL, productShared, 7},
    {"productAsync", "the next tiles meanwhile", NULL, productAsync, 8},
    {"attentionInParts", "all scores in memory", NULL, NULL, 7},
    {"attentionTiled", "no score in memory", NULL, NULL, 8},
};

/* Places in the table. */
enum { PRODUCTS = 3, ATTENTION_IN_PARTS = 6, ATTENTION_TILED = 7 };

/* Begins the step's row. */
static void begin(Lab *lab, size_t step, size_t n, dim3 grid, double operations) {
    labStep(lab, STEPS[step].name, grid, THREADS);
    labArgument(lab, "%zu", n);
    labOperations(lab, operations);
    if (deviceAttribute(cudaDevAttrComputeCapabilityMajor) < STEPS[step].capability)
        labSkip(lab, STEPS[step].capability == 7 ? "tensor cores need compute capability 7.0"
                                                 : "needs compute capability 8.0");
}

/* ---- Running them: softmax ---- */

static void runSoftmax(Lab *lab, size_t n) {
    float *scores = hostArray<float>(n * n), *values = hostArray<float>(n),
          *want = hostArray<float>(n), *got = hostArray<float>(n);
    initialData(scores, n * n, lab->seed);
    initialData(values, n, lab->seed + 1);
    for (size_t i = 0; i < n * n; i++) scores[i] *= 4; /* exp(102) is no float any more */
    for (size_t i = 0; i < n; i++) values[i] /= 25.5f;
    softmaxOnHost(scores, values, want, n);
    float *d_scores = inputArray(lab, scores, n * n), *d_values = inputArray(lab, values, n),
          *d_out = outputArray<float>(lab, n);
    labGroup(lab, "softmax: %zu means of %zu numbers", n, n);
    for (size_t i = 0; i < PRODUCTS; i++) {
        const unsigned int grid = blocksFor(n, WARPS);
        begin(lab, i, n, grid, 5.0 * n * n); /* compare, subtract, exp, add, multiply and add */
        while (labRuns(lab)) {
            STEPS[i].softmax<<<grid, THREADS>>>(d_scores, d_values, d_out, (unsigned int)n);
            if (!labChecks(lab)) continue;
            CHECK(cudaMemcpy(got, d_out, n * sizeof *got, cudaMemcpyDeviceToHost));
            labVerdict(lab, judgeResults(want, got, n, SOFTMAX_TOLERANCE));
        }
    }
    labDropArrays(lab);
    for (float *array : {d_scores, d_values, d_out}) cudaFree(array);
    for (float *array : {scores, values, want, got}) free(array);
}

/* ---- Running them: products of square matrices, padded to whole tiles ---- */

static void runProducts(Lab *lab, const Cublas *cublas, size_t n) {
    const size_t tiles = blocksFor(n, TILE), padded = tiles * TILE, count = padded * padded;
    half *A = (half *)calloc(count, sizeof(half)), *B = (half *)calloc(count, sizeof(half));
    float *got = hostArray<float>(count);
    uint64_t seed = lab->seed + 2;
    randomHalves(A, n, n, padded, &seed, 0, 1, 16);
    randomHalves(B, n, n, padded, &seed, 0, 1, 16);
    half *d_A = inputArray(lab, A, count), *d_B = inputArray(lab, B, count);
    float *d_C = outputArray<float>(lab, count);
    const auto judge = [&]() {
        CHECK(cudaMemcpy(got, d_C, count * sizeof *got, cudaMemcpyDeviceToHost));
        return judgeHalfProduct(A, B, got, padded, lab->seed + 3);
    };
    labGroup(lab, "product of two matrices of %zu x %zu halves", n, n);
    for (size_t i = PRODUCTS; i < ATTENTION_IN_PARTS; i++) {
        const dim3 grid(tiles, tiles);
        begin(lab, i, n, grid, 2.0 * n * n * n);
        while (labRuns(lab)) {
            STEPS[i].product<<<grid, THREADS>>>(d_A, d_B, d_C, padded, padded);
            if (labChecks(lab)) labVerdict(lab, judge());
        }
    }
    runReferenceProducts(lab, cublas, d_A, d_B, d_C, n, padded, judge);
    labDropArrays(lab);
    for (void *array : {(void *)d_A, (void *)d_B, (void *)d_C}) cudaFree(array);
    for (void *array : {(void *)A, (void *)B, (void *)got}) free(array);
}

/* ---- Running them: attention ---- */

static Verdict judgeAttention(const Attention *a) {
    const size_t each = a->padded * DIMS;
    Verdict verdict = ALL_RIGHT;
    verdict.columns = DIMS;
    CHECK(cudaMemcpy(a->got, a->d_O, HEADS * each * sizeof *a->got, cudaMemcpyDeviceToHost));
    for (size_t head = 0; head < HEADS; head++)
        judgeElements(&verdict, a->want + head * each, a->got + head * each, a->n * DIMS,
                      ATTENTION_TOLERANCE);
    return verdict;
}

static void launchAttention(const Attention *a, size_t step, dim3 grid) {
    const unsigned int n = (unsigned int)a->n, padded = (unsigned int)a->padded,
                       tiles = padded / TILE;
    if (step == ATTENTION_TILED) {
        attentionTiled<<<grid, THREADS>>>(a->d_Q, a->d_Kt, a->d_V, a->d_O, n, padded);
        return;
    }
    attentionScores<<<dim3(tiles, tiles, HEADS), THREADS>>>(a->d_Q, a->d_Kt, a->d_scores, padded);
    attentionInParts<<<grid, THREADS>>>(a->d_scores, a->d_weights, n, padded);
    attentionMeans<<<dim3(1, tiles, HEADS), THREADS>>>(a->d_weights, a->d_V, a->d_O, padded);
}

static void runAttention(Lab *lab, size_t n) {
    Attention a = {};
    a.n = n;
    a.padded = blocksFor(n, TILE) * TILE;
    const size_t count = HEADS * a.padded * DIMS, pairs = HEADS * a.padded * a.padded;
    for (half **array : {&a.Q, &a.Kt, &a.V}) *array = (half *)calloc(count, sizeof(half));
    for (float **array : {&a.want, &a.got}) *array = hostArray<float>(count);
    uint64_t seed = lab->seed + 4;
    for (size_t head = 0; head < HEADS; head++) {
        const size_t at = head * a.padded * DIMS;
        randomHalves(a.Q + at, n, DIMS, DIMS, &seed, -3, 16, 97);
        randomHalves(a.Kt + at, DIMS, n, a.padded, &seed, -3, 16, 97);
        randomHalves(a.V + at, n, DIMS, DIMS, &seed, -1, 512, 1025);
    }
    attentionOnHost(&a);
    a.d_Q = inputArray(lab, a.Q, count);
    a.d_Kt = inputArray(lab, a.Kt, count);
    a.d_V = inputArray(lab, a.V, count);
    a.d_scores = outputArray<float>(lab, pairs);
    a.d_weights = outputArray<half>(lab, pairs);
    a.d_O = outputArray<float>(lab, count);
    labGroup(lab, "attention: %zu queries, keys and values, %u heads of %u numbers", n, HEADS,
             DIMS);
    for (size_t i = ATTENTION_IN_PARTS; i < COUNT(STEPS); i++) {
        const dim3 grid(blocksFor(a.padded, i == ATTENTION_TILED ? +TILE : +WARPS), 1, HEADS);
        begin(lab, i, n, grid, 4.0 * HEADS * n * n * DIMS); /* of the two products */
        while (labRuns(lab)) {
            launchAttention(&a, i, grid);
            if (labChecks(lab)) labVerdict(lab, judgeAttention(&a));
        }
    }
    labDropArrays(lab);
    for (half *array : {a.d_Q, a.d_Kt, a.d_V, a.d_weights}) cudaFree(array);
    for (float *array : {a.d_scores, a.d_O}) cudaFree(array);
    for (half *array : {a.Q, a.Kt, a.V}) free(array);
    for (float *array : {a.want, a.got}) free(array);
}

static void runSize(Lab *lab, const Cublas *cublas, size_t n) {
    runSoftmax(lab, n);
    runProducts(lab, cublas, n);
    runAttention(lab, n);
}

static const char *blockRefusal(unsigned int block) {
    return block == THREADS ? NULL : "the tiles say how many threads a block has: leave it at 128";
}

/* A GPU goes on to GPU_SIZE. */
enum { DEFAULT_SIZE = 512, GPU_SIZE = 4096, MOST_SIZE = 8192 };

int main(int argc, char **argv) {
    LabInfo info =
        labInfo(16, "attention", __FILE__,
                "queries and keys, and rows and columns of matrices; a GPU also takes 4096");
    info.defaultSize = DEFAULT_SIZE;
    info.maxSize = MOST_SIZE;
    info.defaultBlock = THREADS;
    info.blockRefusal = blockRefusal;
    info.countsOperations = true;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const size_t most = lab.sizeGiven || lab.modelled ? lab.size : (size_t)GPU_SIZE;
    labNeeds(&lab, most * most * (2 * sizeof(float) + HEADS * (sizeof(float) + sizeof(half))));
    Cublas cublas = openCublas(lab.modelled);
    labHeader(&lab, "attention, and its parts");
    runSize(&lab, &cublas, lab.size);
    if (most != lab.size) runSize(&lab, &cublas, most);
    if (cublas.handle == NULL) labNote(&lab, "(without cuBLAS beside them: %s)", cublas.absence);
    closeCublas(&cublas);
    return labClose(&lab);
}
