/*
 * async_copy.h: copies from global to shared memory that a thread starts and does not wait for
 * (cp.async, since compute capability 8.0). Before it, or between other memories, they are copies
 * like any other.
 */
#ifndef SIMT_ASYNC_COPY_H
#define SIMT_ASYNC_COPY_H

SIMT_HEADER_BEGIN

/* SIZE: 4, 8 or 16 bytes, to which both addresses are aligned; the last `zeros` of them become
 * zero. */
template <int SIZE>
static __inline__ __device__ void simtCopyStart(void *to, const void *from, unsigned zeros = 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    const size_t global = __cvta_generic_to_global(from);
    if (SIZE == 16) /* past the L1, as nvcc's headers copy */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
                     "r"(SIZE - zeros)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(global),
                     "n"(SIZE), "r"(SIZE - zeros)
                     : "memory");
#else
    memcpy(to, from, SIZE - zeros);
    memset((char *)to + SIZE - zeros, 0, zeros);
#endif
}

/* What was started since the last commit is a group. Wait until at most `later` groups are under
 * way. */
static __inline__ __device__ void simtCopyCommit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int LATER> static __inline__ __device__ void simtCopyWait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
#endif
}

/* The lowest number that a copy's addresses and size are all multiples of, at most 16. */
static __inline__ __device__ unsigned simtCopyUnit(const void *to, const void *from, size_t size) {
    size_t all = (size_t)to | (size_t)from | size | 16;
    return (unsigned)(all & (0 - all));
}

/* One of `threads` threads, `rank`, starts its part of a copy of any size. */
static __inline__ __device__ void simtCopyPart(void *to, const void *from, size_t size, size_t rank,
                                               size_t threads) {
    const bool starts = __isShared(to) && __isGlobal(from);
    const unsigned unit = simtCopyUnit(to, from, size);
    for (size_t at = rank * unit; at < size; at += threads * unit) {
        char *part = (char *)to + at;
        const char *source = (const char *)from + at;
        if (starts && unit == 16)
            simtCopyStart<16>(part, source);
        else if (starts && unit == 8)
            simtCopyStart<8>(part, source);
        else if (starts && unit == 4)
            simtCopyStart<4>(part, source);
        else
            memcpy(part, source, unit);
    }
}

SIMT_HEADER_END

#endif
