/* product.h: the right product of two matrices of floats, width x inner
 * and inner x width, and whether a kernel's is near
 * enough to it.
 *
 * Large matrices take too long on the CPU. The GPU multiplies them by a plain kernel in double
 * precision, and two tests check that product:
 *
 *     the first rows   are compared with the CPU's;
 *     all of them      by Freivalds: P = M N exactly if P x = M (N x) for every x. With x random,
 *                      a P that is wrong anywhere passes only if its mistakes cancel to twelve
 *                      digits. Three products of a matrix and a vector are few operations, and
 *                      the CPU has the time for them. */
#pragma once

#include "lab.h"

enum { PRODUCT_TILE = 16 };

/* Computes an element a thread, in double precision. */
__global__ void referenceProduct(const float *M, const float *N, double *P, int width, int inner) {
    __shared__ float Ms[PRODUCT_TILE][PRODUCT_TILE], Ns[PRODUCT_TILE][PRODUCT_TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * PRODUCT_TILE + y, col = blockIdx.x * PRODUCT_TILE + x;
    double sum = 0;
    for (int m = 0; m < inner; m += PRODUCT_TILE) {
        Ms[y][x] = row < width && m + x < inner ? M[row * inner + m + x] : 0.0f;
        Ns[y][x] = m + y < inner && col < width ? N[(m + y) * width + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < PRODUCT_TILE; k++) sum += (double)Ms[y][k] * Ns[k][x];
        __syncthreads();
    }
    if (row < width && col < width) P[(size_t)row * width + col] = sum;
}

/* Half a unit in the last place of 1: what one rounding may change, of floats and of doubles. */
static const double FLOAT_ROUNDING = 1.0 / (1 << 24), DOUBLE_ROUNDING = FLOAT_ROUNDING / (1 << 29);

/* Is P the product of M and N, within the rounding of double precision? hostRows has its first rows
 * from the CPU. All terms are positive, so an error is a share of the sum: of at most width + inner
 * products, rounded once for each. */
static inline bool isProduct(const double *P, const float *M, const float *N,
                             const double *hostRows, size_t rows, size_t width, size_t inner,
                             uint64_t seed) {
    const double share = 4.0 * (double)(width + inner + 2) * DOUBLE_ROUNDING;
    double *x = hostArray<double>(width), *Nx = hostArray<double>(inner);
    bool right = true;
    for (size_t i = 0; i < rows * width; i++)
        right = right && std::fabs(P[i] - hostRows[i]) <= share * hostRows[i];
    for (size_t i = 0; i < width; i++) x[i] = 1 + (double)(nextRandom(&seed) >> 11) / (1ull << 53);
    for (size_t i = 0; i < inner; i++) {
        Nx[i] = 0;
        for (size_t j = 0; j < width; j++) Nx[i] += (double)N[i * width + j] * x[j];
    }
    for (size_t i = 0; i < width; i++) {
        double Px = 0, MNx = 0;
        for (size_t j = 0; j < width; j++) Px += P[i * width + j] * x[j];
        for (size_t j = 0; j < inner; j++) MNx += (double)M[i * inner + j] * Nx[j];
        right = right && std::fabs(Px - MNx) <= share * MNx;
    }
    free(x);
    free(Nx);
    return right;
}

/* Stores the right product in `want`; d_M and d_N hold the factors, too. hostRows has its first
 * rows from the CPU. Ends the program if the CPU finds the GPU's product wrong. */
static inline void makeProduct(double *want, const float *M, const float *N, const float *d_M,
                               const float *d_N, const double *hostRows, size_t rows, int width,
                               int inner, uint64_t seed) {
    const size_t bytes = (size_t)width * width * sizeof(double);
    const unsigned int blocks = blocksFor(width, PRODUCT_TILE);
    if (blocks == 0) return;
    double *d_want;
    CHECK(cudaMalloc(&d_want, bytes));
    CHECK(cudaMemset(d_want, POISON_BYTE, bytes));
    referenceProduct<<<dim3(blocks, blocks), dim3(PRODUCT_TILE, PRODUCT_TILE)>>>(d_M, d_N, d_want,
                                                                                 width, inner);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(want, d_want, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_want));
    if (isProduct(want, M, N, hostRows, rows, width, inner, seed)) return;
    fprintf(stderr, "matmul: the reference product is not right: the tests of Freivalds' find a "
                    "mistake in it\n");
    exit(EXIT_WRONG);
}

/* Compares every element with the right product. The row's remark shows the largest error. */
static inline Verdict judgeProduct(Lab *lab, const double *want, const float *got, int width,
                                   int inner) {
    /* How far a sum of `inner` products may be from the exact one, as a share of it: all terms are
     * positive. Each of its additions rounds once. The errors add up to no more than inner
     * roundings, and hardly ever to more than 8 times the square root of that, as they go up and
     * down (Higham and Mary, SIAM J. Sci. Comput. 41, 2019, theorem 2.4: a chance of 2 inner
     * exp(-32)). A forgotten term is a share of about 1 / inner, far more. */
    const double likely = 8 * std::sqrt((double)inner);
    const double bound = (inner < likely ? inner : likely) * FLOAT_ROUNDING;
    double worst = 0;
    Verdict verdict = ALL_RIGHT;
    for (size_t i = 0; i < (size_t)width * width; i++) {
        const double error = std::fabs(got[i] - want[i]);
        judgeElement(&verdict, error <= bound * want[i], got[i], want[i]);
        if (error > worst * want[i]) worst = error / want[i];
    }
    if (verdict.ok) labRemark(lab, "error %.1e, bound %.1e", worst, bound);
    verdict.columns = (size_t)width;
    return verdict;
}
