/*
 * cub.h: the sum of CUB, the library of parallel primitives that comes with the CUDA toolkit.
 *
 * Its headers take the compiler longer than a whole lab, so they are compiled once, in cub_sum.cu, and linked: make
 * does so, and by hand it is `nvcc -Icommon LAB.cu common/harness/cub_sum.cu`. A lab compiled alone, or a toolkit
 * without CUB, has no cubSum: the function's address is NULL then (that is what "weak" means).
 */
#ifndef HARNESS_CUB_H
#define HARNESS_CUB_H

#include <cstddef>

#include <cuda_runtime.h>

enum CubType { CUB_INT, CUB_FLOAT, CUB_DOUBLE };

/* As cub::DeviceReduce::Sum: *out becomes the sum of n elements at in, all on the device. With temporary NULL it only
 * stores in *bytes how much temporary memory a sum of n elements needs. */
cudaError_t cubSum(CubType type, void *temporary, size_t *bytes, const void *in, void *out, int n)
    __attribute__((weak));

static const char *const NO_CUB = "the program is not linked with CUB: make lab6 does so where the toolkit has it";

#endif
