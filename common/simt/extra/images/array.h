/* extra/images/array.h: CUDA arrays, as the runtime keeps them. */
#pragma once

#include "simt/api/runtime.h"
#include "texture.h"

/* What a cudaArray_t points at: an array, or a level of a mipmapped one. */
struct rt_array {
    struct image image;
    struct texel_format format;
    struct cudaChannelFormatDesc channels;
    struct cudaExtent extent; /* as asked for: 0 where there is no such dimension */
    unsigned flags;
    int device;
    bool is_level; /* freed with its mipmapped array */
    struct rt_array *next;
};

/* What a cudaMipmappedArray_t points at. */
struct rt_mipmap {
    unsigned nlevels;
    struct rt_array *level[TEXTURE_LEVELS];
    struct rt_mipmap *next;
};

/* The array of a handle; NULL: there is none. */
struct rt_array *rt_array(cudaArray_const_t handle);
struct rt_mipmap *rt_mipmap(cudaMipmappedArray_const_t handle);
/* The format of channels. Returns cudaErrorInvalidChannelDescriptor if no texel has it. */
cudaError_t rt_texel_format(struct texel_format *format,
                            const struct cudaChannelFormatDesc *channels);
/* The box of this size, in bytes, rows and layers, that begins at this byte, row and layer of the
 * array. Returns cudaErrorInvalidResourceHandle for no array, cudaErrorInvalidValue if the box is
 * not in it. */
cudaError_t rt_array_box(struct rt_box *box, cudaArray_const_t handle, struct cudaPos pos,
                         struct cudaExtent size);
/* Frees all of the current device. */
void rt_textures_reset(void);
