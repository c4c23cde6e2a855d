/* device_calls.h: what device code may call of the C library: printf, malloc, free, assert; and
 * what it tells a graph. The simulator has them. */
#ifndef SIMT_DEVICE_CALLS_H
#define SIMT_DEVICE_CALLS_H

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...); /* clang makes a vprintf of it */
__device__ void *malloc(size_t size) __attribute__((nothrow));
__device__ void free(void *pointer) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned line,
                             const char *function, size_t character_bytes);

__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);

/* What the C library's assert() calls. */
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function) {
    __assertfail(message, file, line, function, sizeof(char));
}
}

/* As the C++ library's own headers do: <stdlib.h> names these again. */
namespace std {
using ::free;
using ::malloc;
} // namespace std

#endif
