/* image/lz4.h: the LZ4 block format, as nvcc's --compress-mode=speed and older toolkits use it. */
#ifndef SIMT_IMAGE_LZ4_H
#define SIMT_IMAGE_LZ4_H

#include <stddef.h>
#include <stdint.h>

/* Decompress one block of size bytes into at most capacity bytes. Returns the bytes written, or SIZE_MAX if the block
 * is damaged or does not fit. Format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md */
size_t lz4_decompress(uint8_t *out, size_t capacity, const uint8_t *block, size_t size);

#endif
