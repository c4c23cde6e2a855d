/* cub.cu: CUB's functions for labs that compare their kernels with them (cub.h). Without CUB in the
 * toolkit, or with a C++ standard too old for CUB, this file is empty, and the labs print that CUB
 * is missing.
 */
#include "cub.h"

#if __cplusplus >= 201703L && defined(__has_include)
#if __has_include(<cub/device/device_reduce.cuh>)

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

cudaError_t cubSum(CubType type, void *temporary, size_t *bytes, const void *in, void *out, int n) {
    switch (type) {
    case CUB_INT: return cub::DeviceReduce::Sum(temporary, *bytes, (const int *)in, (int *)out, n);
    case CUB_FLOAT:
        return cub::DeviceReduce::Sum(temporary, *bytes, (const float *)in, (float *)out, n);
    default: return cub::DeviceReduce::Sum(temporary, *bytes, (const double *)in, (double *)out, n);
    }
}

cudaError_t cubScan(void *temporary, size_t *bytes, const unsigned int *in, unsigned int *out,
                    int n) {
    return cub::DeviceScan::InclusiveSum(temporary, *bytes, in, out, n);
}

cudaError_t cubHistogram(void *temporary, size_t *bytes, const unsigned int *in,
                         unsigned int *counts, unsigned int bins, int n) {
    return cub::DeviceHistogram::HistogramEven(temporary, *bytes, in, counts, (int)bins + 1, 0u,
                                               bins, n);
}

#endif
#endif
