/* device/occupancy.h: how many blocks of a kernel a multiprocessor holds at once, by the rules of
 * lib/residency.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct gpu;

/* What a kernel needs, besides its block. */
struct occupancy_kernel {
    int registers;        /* per thread */
    size_t static_shared; /* bytes per block */
    int max_threads;      /* largest block that it was compiled for */
    size_t max_dynamic;   /* bytes of dynamic shared memory that a launch may ask for
                             (cudaFuncSetAttribute) */
    int carveout;         /* preferred shared memory, percent of what there can be; -1: default */
};

struct occupancy {
    int blocks_per_sm; /* 0: such a block does not run at all */
    int warps_per_sm;
    double fraction;         /* of the warps a multiprocessor can hold, 0 to 1 */
    size_t shared_per_block; /* bytes as allocated: rounded up, the reserve included */
    size_t shared_config;    /* bytes of the multiprocessor's memory that are set aside as shared
                                memory for such a launch; the rest is the L1 */
    const char *limit; /* what keeps it from being more: "warps", "registers", "shared memory" or
                          "blocks" */
    int by_registers, by_shared, by_blocks, by_warps; /* blocks by that limit alone; by_shared: in
                                                         shared_config */
};

/* Occupancy of blocks of block threads with dynamic bytes of shared memory. False: the block is not
 * positive. */
bool occupancy_find(const struct gpu *gpu, const struct occupancy_kernel *kernel, int block,
                    size_t dynamic, struct occupancy *result);
/* Most dynamic shared memory, in bytes, with which blocks blocks of block threads still fit on a
 * multiprocessor. */
bool occupancy_available_shared(const struct gpu *gpu, const struct occupancy_kernel *kernel,
                                int blocks, int block, size_t *bytes);
/* Most registers of a thread with which blocks blocks of block threads, at least 1 each, fit on a
 * multiprocessor: the limit of ptxas for a kernel with .maxntid and .minnctapersm. If so many
 * blocks never fit, the result is that of one block; ptxas does the same and warns. */
int occupancy_registers_for(const struct gpu *gpu, int block, int blocks);
