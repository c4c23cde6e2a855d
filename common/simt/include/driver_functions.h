/* driver_functions.h: make_cudaPitchedPtr and its like, for the structures of copies in two and
 * three dimensions. */
#ifndef SIMT_DRIVER_FUNCTIONS_H
#define SIMT_DRIVER_FUNCTIONS_H

#include "driver_types.h"

/* pitch: bytes from row to row; width: bytes of a row that are used; height: rows. */
static __inline__ __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch,
                                                                     size_t width, size_t height) {
    return cudaPitchedPtr{pointer, pitch, width, height};
}

/* In bytes, or in elements where an array takes part. */
static __inline__ __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    return cudaPos{x, y, z};
}

/* width: in bytes, or in elements where an array takes part; height and depth: rows and layers. */
static __inline__ __host__ struct cudaExtent make_cudaExtent(size_t width, size_t height,
                                                             size_t depth) {
    return cudaExtent{width, height, depth};
}

#endif
