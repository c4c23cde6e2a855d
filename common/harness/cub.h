/*
 * cub.h: the sum of CUB, the library of parallel primitives that comes with the CUDA toolkit.
 *
 * Its headers take the compiler longer than a whole lab, so they are compiled once, in cub_sum.cu, and linked: make
 * does so, and by hand it is `nvcc -Icommon LAB.cu common/harness/cub_sum.cu`. A lab compiled alone, or a toolkit
 * without CUB, has no cubSum: the functions' addresses are NULL then (that is what "weak" means).
 */
#ifndef HARNESS_CUB_H
#define HARNESS_CUB_H

#include <cstddef>

#include <cuda_runtime.h>

/* As cub::DeviceReduce::Sum: *out becomes the sum of n elements at in, all on the device. With temporary NULL it only
 * says in *bytes how much temporary memory a sum of n elements needs. */
cudaError_t cubSum(void *temporary, size_t *bytes, const int *in, int *out, int n) __attribute__((weak));
cudaError_t cubSum(void *temporary, size_t *bytes, const float *in, float *out, int n) __attribute__((weak));
cudaError_t cubSum(void *temporary, size_t *bytes, const double *in, double *out, int n) __attribute__((weak));

template <class T> bool haveCub() {
    cudaError_t (*sum)(void *, size_t *, const T *, T *, int) = cubSum;
    return sum != NULL;
}

#endif
