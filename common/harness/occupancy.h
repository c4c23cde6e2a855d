/*
 * occupancy.h: theoretical occupancy: how many warps of a kernel a multiprocessor can hold, and
 * what limits them.
 */
#ifndef HARNESS_OCCUPANCY_H
#define HARNESS_OCCUPANCY_H

#include "../lib/residency.h"
#include "lab.h"

#ifdef SIMT_NO_MACHINE_CODE
#define OCCUPANCY_REGISTERS "about %d registers: an estimate"
#else
#define OCCUPANCY_REGISTERS "%d registers"
#endif

struct Occupancy {
    int blocks, warps; /* per multiprocessor; 0: a block of this size cannot run */
    double share;      /* share of the multiprocessor's warp slots, 0 to 1 */
    int registers;     /* per thread */
    const char *limit; /* the resource that limits the blocks */
};

/* The limiting resource in words. */
static inline const char *limitName(ResidencyLimit limit) {
    switch (limit) {
    case RESIDENCY_BY_REGISTERS: return "registers";
    case RESIDENCY_BY_SHARED: return "shared memory";
    case RESIDENCY_BY_BLOCKS: return "block slots";
    default: return "warp slots";
    }
}

/* The device's resources for a kernel with the default limit on shared memory. */
static inline ResidencyRoom residencyRoom(const cudaDeviceProp &device) {
    ResidencyRoom room = {device.major,
                          device.minor,
                          device.maxThreadsPerMultiProcessor,
                          device.maxBlocksPerMultiProcessor,
                          device.regsPerMultiprocessor,
                          device.regsPerBlock,
                          device.sharedMemPerMultiprocessor,
                          device.sharedMemPerBlock,
                          device.reservedSharedMemPerBlock};
    return room;
}

/* Occupancy of a kernel with this block size in threads and this dynamic shared memory in bytes
 * (lib/residency.h has the formula). Ends the program on a CUDA error. */
static inline Occupancy theoreticalOccupancy(const void *kernel, int threads,
                                             size_t dynamicShared) {
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    ResidencyRoom room = residencyRoom(properties);
    ResidencyNeed need = {threads, attributes.numRegs, attributes.sharedSizeBytes + dynamicShared};
    Residency found = residencyOf(&room, &need);
    Occupancy none = {0, 0, 0, attributes.numRegs, "threads per block"};
    if (found.blocks == 0) return none;
    Occupancy occupancy = {found.blocks, found.warps,
                           (double)found.warps * properties.warpSize / room.threads,
                           attributes.numRegs, limitName(found.limit)};
    return occupancy;
}

/* Sets the row's remark, such as "50 % of the warps, limit: block slots (32 blocks, 16 registers)".
 * Sets none if a block of this size cannot run. */
static inline void labOccupancy(Lab *lab, const void *kernel, int threads, size_t dynamicShared) {
    const Occupancy occupancy = theoreticalOccupancy(kernel, threads, dynamicShared);
    if (occupancy.blocks == 0) return;
    labRemark(lab, "%.0f %% of the warps, limit: %s (%d blocks, " OCCUPANCY_REGISTERS ")",
              100 * occupancy.share, occupancy.limit, occupancy.blocks, occupancy.registers);
}

#endif
