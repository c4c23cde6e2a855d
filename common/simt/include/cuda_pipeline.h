/* cuda_pipeline.h: asynchronous copies of one thread, as a queue of groups (CUDA C++ Programming
 * Guide, "Pipeline Primitives Interface"). */
#ifndef SIMT_CUDA_PIPELINE_H
#define SIMT_CUDA_PIPELINE_H

#include "async_copy.h"

SIMT_HEADER_BEGIN

static __inline__ __device__ void __pipeline_memcpy_async(void *to, const void *from, size_t size,
                                                          size_t zeros = 0) {
    if (size == 16)
        simtCopyStart<16>(to, from, (unsigned)zeros);
    else if (size == 8)
        simtCopyStart<8>(to, from, (unsigned)zeros);
    else if (size == 4)
        simtCopyStart<4>(to, from, (unsigned)zeros);
    else
        __trap();
}

static __inline__ __device__ void __pipeline_commit() {
    simtCopyCommit();
}

/* The instruction has the number in it. More than 7 are waited for like 7. */
static __inline__ __device__ void __pipeline_wait_prior(size_t later) {
    switch (later) {
    case 0: simtCopyWait<0>(); break;
    case 1: simtCopyWait<1>(); break;
    case 2: simtCopyWait<2>(); break;
    case 3: simtCopyWait<3>(); break;
    case 4: simtCopyWait<4>(); break;
    case 5: simtCopyWait<5>(); break;
    case 6: simtCopyWait<6>(); break;
    default: simtCopyWait<7>();
    }
}

SIMT_HEADER_END

#endif
