/* cuda/scope.h: which threads an object of libcu++ is for, and sizes that are known to be
 * multiples. */
#ifndef SIMT_CUDA_SCOPE_H
#define SIMT_CUDA_SCOPE_H

SIMT_HEADER_BEGIN

namespace cuda {

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread = 10
};

template <size_t ALIGNMENT> struct aligned_size_t {
    size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(size_t size) : value(size) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};

} // namespace cuda

SIMT_HEADER_END

#endif
