/* halves.h: for lab 16: random halves, whether a product of two matrices of them is right, and what
 * runs beside the steps. */
#pragma once

#include <cuda_fp16.h>

#include "cublas.h"
#include "lab.h"
#include "wgmma.h"

/* Fills `rows` rows of `cols` elements, which begin `padded` elements apart, with random multiples
 * of 1 / steps: `count` different ones, from `least` on. */
static inline void randomHalves(half *matrix, size_t rows, size_t cols, size_t padded,
                                uint64_t *seed, float least, float steps, unsigned int count) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            matrix[i * padded + j] =
                __float2half(least + (float)((nextRandom(seed) >> 32) % count) / steps);
}

/* A row of the product of square matrices, element by element. */
static inline void judgeRow(Verdict *verdict, const half *a, const half *B, const float *c,
                            size_t width) {
    for (size_t j = 0; j < width; j++) {
        float sum = 0;
        for (size_t k = 0; k < width; k++)
            sum += __half2float(a[k]) * __half2float(B[k * width + j]);
        judgeElement(verdict, c[j] == sum, c[j], sum);
    }
}

/* The sum of c[j] * x[j] modulo 2^64; sets `whole` to false if a c[j] is no integer below 2^24. */
static inline uint64_t sumOfRow(const float *c, const uint64_t *x, size_t width, bool *whole) {
    uint64_t sum = 0;
    for (size_t j = 0; j < width; j++) {
        const bool isWhole = c[j] >= 0 && c[j] < 1 << 24 && c[j] == (float)(int)c[j];
        *whole = *whole && isWhole;
        if (isWhole) sum += (uint64_t)c[j] * x[j];
    }
    return sum;
}

/* Is C = A B, for square matrices? The factors must be integers from 0 to 15: then all sums are
 * integers below 2^24 for a width up to 65536, which floats hold exactly, in whatever order they
 * are added. A row of C is right if its product with random integers x is that row of A times
 * (B x), modulo 2^64: a wrong row passes with a chance of less than 2^-40, and the CPU needs
 * width^2 operations, not width^3. Wrong rows are computed, 16 of them at most. */
static inline Verdict judgeHalfProduct(const half *A, const half *B, const float *C, size_t width,
                                       uint64_t seed) {
    uint64_t *x = hostArray<uint64_t>(width), *Bx = hostArray<uint64_t>(width);
    Verdict verdict = ALL_RIGHT;
    verdict.columns = width;
    for (size_t j = 0; j < width; j++) x[j] = nextRandom(&seed);
    for (size_t k = 0; k < width; k++) {
        Bx[k] = 0;
        for (size_t j = 0; j < width; j++) Bx[k] += (uint64_t)__half2float(B[k * width + j]) * x[j];
    }
    for (size_t i = 0, wrongRows = 0; i < width && wrongRows < 16; i++) {
        const half *a = A + i * width;
        const float *c = C + i * width;
        bool whole = true;
        uint64_t want = 0;
        for (size_t k = 0; k < width; k++) want += (uint64_t)__half2float(a[k]) * Bx[k];
        if (sumOfRow(c, x, width, &whole) == want && whole) {
            verdict.all += width;
            continue;
        }
        judgeRow(&verdict, a, B, c, width);
        wrongRows++;
    }
    free(x);
    free(Bx);
    return verdict;
}

/* Rows beside the steps, where the device and the machine have what they need: the product of
 * n x n halves, padded to `padded`, by wgmma and by cuBLAS. judge() gives the verdict on C. */
template <class Judge>
static void runReferenceProducts(Lab *lab, const Cublas *cublas, const half *d_A, const half *d_B,
                                 float *d_C, size_t n, size_t padded, Judge judge) {
    const int capability = 10 * deviceAttribute(cudaDevAttrComputeCapabilityMajor) +
                           deviceAttribute(cudaDevAttrComputeCapabilityMinor);
    const bool wgmma = wgmmaProduct != NULL && capability == WGMMA_CAPABILITY &&
                       padded % WGMMA_MULTIPLE == 0 && !lab->modelled;
    for (const char *name : {"productWgmma", "cublasGemmEx"}) {
        const bool ours = strcmp(name, "productWgmma") == 0;
        if ((ours ? !wgmma : cublas->handle == NULL) || n == 0) continue;
        if (cudaDeviceSynchronize() != cudaSuccess) break; /* a step's error may last */
        labReference(lab, name);
        labArgument(lab, "%zu", n);
        labOperations(lab, 2.0 * n * n * n);
        while (labRuns(lab)) {
            if (ours)
                wgmmaProduct(d_A, d_B, d_C, (int)padded);
            else
                multiplyHalvesByCublas(cublas, d_A, d_B, d_C, (int)padded);
            if (labChecks(lab)) labVerdict(lab, judge());
        }
    }
}
