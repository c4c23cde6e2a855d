/*
 * cub_sum.cu: CUB's DeviceReduce for the labs that are held against it (cub.h). Where the toolkit has no CUB, or is
 * asked for a C++ older than CUB's, this file is empty, and the labs say that there is none.
 */
#include "cub.h"

#if __cplusplus >= 201703L && defined(__has_include)
#if __has_include(<cub/device/device_reduce.cuh>)

#include <cub/device/device_reduce.cuh>

cudaError_t cubSum(void *temporary, size_t *bytes, const int *in, int *out, int n) {
    return cub::DeviceReduce::Sum(temporary, *bytes, in, out, n);
}

cudaError_t cubSum(void *temporary, size_t *bytes, const float *in, float *out, int n) {
    return cub::DeviceReduce::Sum(temporary, *bytes, in, out, n);
}

cudaError_t cubSum(void *temporary, size_t *bytes, const double *in, double *out, int n) {
    return cub::DeviceReduce::Sum(temporary, *bytes, in, out, n);
}

#endif
#endif
