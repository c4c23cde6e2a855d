/* cub_histogram.cu: CUB's DeviceHistogram, for the lab that compares its kernels with it (cub.h).
 * Empty where cub_sum.cu is.
 */
#include "cub.h"

#if __cplusplus >= 201703L && defined(__has_include)
#if __has_include(<cub/device/device_histogram.cuh>)

#include <cub/device/device_histogram.cuh>

cudaError_t cubHistogram(void *temporary, size_t *bytes, const unsigned int *in,
                         unsigned int *counts, unsigned int bins, int n) {
    return cub::DeviceHistogram::HistogramEven(temporary, *bytes, in, counts, (int)bins + 1, 0u,
                                               bins, n);
}

#endif
#endif
