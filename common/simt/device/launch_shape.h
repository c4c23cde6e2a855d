/* device/launch_shape.h: how large a launch is: what stands between <<< and >>>. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct launch_shape {
    uint32_t grid[3];      /* blocks in x, y, z */
    uint32_t block[3];     /* threads of a block in x, y, z */
    size_t dynamic_shared; /* bytes of dynamic shared memory of a block */
};

/* Blocks of the grid, threads of a block. They wrap at 2^64 in a shape that no check has seen
 * yet. */
uint64_t shape_blocks(const struct launch_shape *shape);
uint64_t shape_threads(const struct launch_shape *shape);
