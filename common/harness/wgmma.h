/* wgmma.h: a product of half matrices by wgmma and TMA, which GPUs of compute capability 9.0 have.
 * make links it to the lab; by hand:
 *
 *     nvcc -Icommon -gencode arch=compute_90a,code=sm_90a LAB.cu common/harness/product_wgmma.cu
 */
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { WGMMA_CAPABILITY = 90, WGMMA_MULTIPLE = 256 };

/* Computes C = A B for square row-major matrices in device memory, whose width is a multiple of
 * WGMMA_MULTIPLE, on a GPU of that very capability. Returns the launch's error. A weak symbol: NULL
 * in a lab compiled alone, or by an older compiler. */
cudaError_t wgmmaProduct(const half *A, const half *B, float *C, int width) __attribute__((weak));
