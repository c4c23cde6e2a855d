/* device_variables.h: threadIdx and its like as values of uint3 and dim3. clang declares the
 * conversions. */
#ifndef SIMT_DEVICE_VARIABLES_H
#define SIMT_DEVICE_VARIABLES_H

#define SIMT_CONVERSIONS(variable)                                                                 \
    __device__ inline __cuda_builtin_##variable##_t::operator dim3() const {                       \
        return dim3(x, y, z);                                                                      \
    }                                                                                              \
    __device__ inline __cuda_builtin_##variable##_t::operator uint3() const {                      \
        return uint3{x, y, z};                                                                     \
    }

SIMT_CONVERSIONS(threadIdx)
SIMT_CONVERSIONS(blockIdx)
SIMT_CONVERSIONS(blockDim)
SIMT_CONVERSIONS(gridDim)
#undef SIMT_CONVERSIONS

#endif
