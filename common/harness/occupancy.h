/*
 * occupancy.h: how many warps of a kernel a multiprocessor can hold, and what keeps it from holding more, by NVIDIA's
 * own calculator (cuda_occupancy.h of the toolkit), asked about the device that the program runs on.
 */
#ifndef HARNESS_OCCUPANCY_H
#define HARNESS_OCCUPANCY_H

#include <string>

#include <cuda_occupancy.h>
#include <cuda_runtime.h>

#include "report.h"

struct Occupancy {
    int blocks, warps; /* on a multiprocessor; 0: such a block does not run */
    double share;      /* of the warps that it has room for, 0 to 1 */
    int registers;     /* of a thread */
    const char *limit; /* what there is too little of */
};

static inline const char *limitName(unsigned int factors) {
    if (factors & OCC_LIMIT_REGISTERS) return "registers";
    if (factors & OCC_LIMIT_SHARED_MEMORY) return "shared memory";
    return factors & OCC_LIMIT_BLOCKS ? "block slots" : "warp slots";
}

/* Of a kernel in blocks of this many threads with this much dynamic shared memory, in bytes. */
template <class Kernel> Occupancy theoreticalOccupancy(Kernel kernel, int threads, size_t dynamicShared) {
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    cudaOccDeviceProp device(properties);
    cudaOccFuncAttributes function(attributes);
    cudaOccDeviceState state;
    cudaOccResult result;
    Occupancy none = {0, 0, 0, attributes.numRegs, "threads per block"};
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, dynamicShared) !=
        CUDA_OCC_SUCCESS) {
        return none;
    }
    int slots = properties.maxThreadsPerMultiProcessor / properties.warpSize;
    int warps = result.activeBlocksPerMultiprocessor * ((threads + properties.warpSize - 1) / properties.warpSize);
    Occupancy found = {result.activeBlocksPerMultiprocessor, warps, (double)warps / slots, attributes.numRegs,
                       limitName(result.limitingFactors)};
    return warps > 0 ? found : none;
}

/* "50 % by block slots": a row's remark. */
static inline std::string occupancyText(const Occupancy &occupancy) {
    if (occupancy.blocks == 0) return "";
    return format("%.0f %% of the warps, limit: %s (%d blocks, %d registers)", 100 * occupancy.share, occupancy.limit,
                  occupancy.blocks, occupancy.registers);
}

#endif
