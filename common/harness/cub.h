/* cub.h: sums, scans and histograms of CUB, the library of parallel primitives that comes with the
 * CUDA toolkit.
 *
 * CUB's headers compile more slowly than a whole lab. So only cub_*.cu include them, and make
 * links these to the labs. By hand: `nvcc -Icommon LAB.cu common/harness/cub_sum.cu`.
 * All are weak symbols: in a lab compiled alone, or with a toolkit without CUB, their addresses
 * are NULL. */
#pragma once

#include <cstddef>

#include <cuda_runtime.h>

enum CubType { CUB_INT, CUB_FLOAT, CUB_DOUBLE };

/* Does cub::DeviceReduce::Sum: *out becomes the sum of the n elements at `in`, all in device
 * memory. temporary points to *bytes bytes of device memory; if it is NULL, the call only stores
 * the bytes needed in *bytes. Returns CUB's error. */
cudaError_t cubSum(CubType type, void *temporary, size_t *bytes, const void *in, void *out, int n)
    __attribute__((weak));

/* Does cub::DeviceScan::InclusiveSum of n elements, likewise. */
cudaError_t cubScan(void *temporary, size_t *bytes, const unsigned int *in, unsigned int *out,
                    int n) __attribute__((weak));

/* Does cub::DeviceHistogram::HistogramEven, likewise: counts[v] becomes the count of v, for each v
 * below bins. */
cudaError_t cubHistogram(void *temporary, size_t *bytes, const unsigned int *in,
                         unsigned int *counts, unsigned int bins, int n) __attribute__((weak));

static const char *const NO_CUB =
    "the program is not linked with CUB: make links it where the toolkit has it";
