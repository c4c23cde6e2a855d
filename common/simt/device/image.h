/*
 * device/image.h: texels in device memory: a level of a CUDA array, or linear memory that a texture
 * is made of.
 *
 * An array has its texels in the GPU's block-linear order, so that neighbours in any direction
 * share sectors. A block is 64 bytes wide and 8 rows high; blocks follow each other by column, row
 * and layer. Within a block:
 *
 *   bytes   0-15  16-31  32-47  48-63       a sector of 32 bytes: 16 bytes of each of two rows
 *   row 0   s0    s1     s8     s9          a line of 128 bytes:  s0 s1 s2 s3, which is 32
 *   row 1   s0    s1     s8     s9          bytes of each of four rows
 *   row 2   s2    s3     s10    s11
 *   ...
 *   row 7   s6    s7     s14    s15
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_RUN         16u /* bytes of a row that lie side by side in an array */
#define IMAGE_BLOCK_WIDTH 64u /* bytes */
#define IMAGE_BLOCK_ROWS  8u
#define IMAGE_BLOCK_BYTES (IMAGE_BLOCK_WIDTH * IMAGE_BLOCK_ROWS)

enum texel_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };

struct texel_format {
    uint8_t kind;     /* enum texel_kind */
    uint8_t bits;     /* of a channel: 8, 16 or 32 */
    uint8_t channels; /* 1, 2 or 4 */
};

struct image {
    uintptr_t address;             /* as the device sees it */
    intptr_t delta;                /* host address = address + delta */
    size_t pitch;                  /* linear memory: bytes from row to row; 0: block-linear */
    uint32_t width, height, depth; /* texels; depth also counts layers and faces. At least 1 */
    uint32_t texel_bytes;
    uint32_t block_columns, block_rows;
};

static inline uint32_t texel_bytes(struct texel_format format) {
    return (uint32_t)format.bits / 8 * format.channels;
}

/* Bytes that an array of this shape takes; sets the members of *image but address and delta. */
static inline size_t image_lay_out(struct image *image, uint32_t width, uint32_t height,
                                   uint32_t depth, uint32_t texel_bytes) {
    *image = (struct image){
        .width = width, .height = height, .depth = depth, .texel_bytes = texel_bytes};
    image->block_columns =
        (uint32_t)(((uint64_t)width * texel_bytes + IMAGE_BLOCK_WIDTH - 1) / IMAGE_BLOCK_WIDTH);
    image->block_rows = (height + IMAGE_BLOCK_ROWS - 1) / IMAGE_BLOCK_ROWS;
    return (size_t)image->block_columns * image->block_rows * depth * IMAGE_BLOCK_BYTES;
}

/* Where byte x of row y of layer z lies, in bytes from the image's address. */
static inline uint64_t image_offset(const struct image *image, uint32_t x, uint32_t y, uint32_t z) {
    if (image->pitch) return (uint64_t)y * image->pitch + x;
    uint64_t block =
        ((uint64_t)z * image->block_rows + y / IMAGE_BLOCK_ROWS) * image->block_columns +
        x / IMAGE_BLOCK_WIDTH;
    uint32_t inside = (x & 32) << 3 | (y & 6) << 5 | (x & 16) << 1 | (y & 1) << 4 | (x & 15);
    return block * IMAGE_BLOCK_BYTES + inside;
}
