/* extra/driver/image.c: arrays, and the textures and surfaces of them. A CUarray is a cudaArray_t.
 */
#include "driver.h"

static bool is_float(CUarray_format format) {
    return format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT;
}

/* Bits of a channel; 0: no such format. */
static int bits_of(CUarray_format format) {
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8: return 8;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF: return 16;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT: return 32;
    default: return 0;
    }
}

static struct cudaChannelFormatDesc channels_of(CUarray_format format, unsigned n) {
    int bits = bits_of(format);
    return (struct cudaChannelFormatDesc){
        .x = n > 0 ? bits : 0,
        .y = n > 1 ? bits : 0,
        .z = n > 2 ? bits : 0,
        .w = n > 3 ? bits : 0,
        .f = is_float(format)                    ? cudaChannelFormatKindFloat
             : format < CU_AD_FORMAT_SIGNED_INT8 ? cudaChannelFormatKindUnsigned
                                                 : cudaChannelFormatKindSigned,
    };
}

/* The format and the number of channels. */
static CUarray_format format_of(const struct cudaChannelFormatDesc *channels, unsigned *n) {
    unsigned step = channels->x == 8 ? 0 : channels->x == 16 ? 1 : 2;
    *n = (channels->x > 0) + (channels->y > 0) + (channels->z > 0) + (channels->w > 0);
    if (channels->f == cudaChannelFormatKindFloat)
        return step == 1 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    return (channels->f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8
                                                       : CU_AD_FORMAT_UNSIGNED_INT8) +
           step;
}

/* ---- Arrays ---- */

static cudaError_t create_array(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *asked) {
    if (!array || !asked) return cudaErrorInvalidValue;
    struct cudaChannelFormatDesc channels = channels_of(asked->Format, asked->NumChannels);
    struct cudaExtent extent = {asked->Width, asked->Height, asked->Depth};
    return cudaMalloc3DArray((cudaArray_t *)array, &channels, extent, asked->Flags);
}

static cudaError_t create_flat(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *asked) {
    if (!asked) return cudaErrorInvalidValue;
    const CUDA_ARRAY3D_DESCRIPTOR whole = {asked->Width,  asked->Height,      0,
                                           asked->Format, asked->NumChannels, 0};
    return create_array(array, &whole);
}

static cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR *found, CUarray array) {
    struct cudaChannelFormatDesc channels;
    struct cudaExtent extent;
    unsigned flags;
    cudaError_t error = cudaArrayGetInfo(&channels, &extent, &flags, (cudaArray_t)array);
    if (error || !found) return error ? error : cudaErrorInvalidValue;
    *found = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    found->Format = format_of(&channels, &found->NumChannels);
    return cudaSuccess;
}

static cudaError_t describe_flat(CUDA_ARRAY_DESCRIPTOR *found, CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR whole;
    cudaError_t error = found ? describe(&whole, array) : cudaErrorInvalidValue;
    if (!error)
        *found =
            (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
    return error;
}

size_t driver_texel_bytes(CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR found;
    return describe(&found, array) ? 0 : (size_t)bits_of(found.Format) / 8 * found.NumChannels;
}

static cudaError_t create_mipmap(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *asked,
                                 unsigned levels) {
    if (!mipmap || !asked) return cudaErrorInvalidValue;
    struct cudaChannelFormatDesc channels = channels_of(asked->Format, asked->NumChannels);
    struct cudaExtent extent = {asked->Width, asked->Height, asked->Depth};
    return cudaMallocMipmappedArray((cudaMipmappedArray_t *)mipmap, &channels, extent, levels,
                                    asked->Flags);
}

DRIVER(cuMipmappedArrayCreate,
       (CUmipmappedArray * mipmap, const CUDA_ARRAY3D_DESCRIPTOR *asked, unsigned levels),
       create_mipmap(mipmap, asked, levels))
DRIVER(cuMipmappedArrayGetLevel, (CUarray * array, CUmipmappedArray mipmap, unsigned level),
       cudaGetMipmappedArrayLevel((cudaArray_t *)array, (cudaMipmappedArray_t)mipmap, level))
DRIVER(cuMipmappedArrayDestroy, (CUmipmappedArray mipmap),
       cudaFreeMipmappedArray((cudaMipmappedArray_t)mipmap))
DRIVER(cuArrayCreate_v2, (CUarray * array, const CUDA_ARRAY_DESCRIPTOR *asked),
       create_flat(array, asked))
DRIVER(cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *asked),
       create_array(array, asked))
DRIVER(cuArrayGetDescriptor_v2, (CUDA_ARRAY_DESCRIPTOR * found, CUarray array),
       describe_flat(found, array))
DRIVER(cuArray3DGetDescriptor_v2, (CUDA_ARRAY3D_DESCRIPTOR * found, CUarray array),
       describe(found, array))
DRIVER(cuArrayDestroy, (CUarray array), cudaFreeArray((cudaArray_t)array))

/* ---- Textures and surfaces ---- */

/* The runtime's description of a resource, and its format. */
static cudaError_t resource_of(const CUDA_RESOURCE_DESC *asked, struct cudaResourceDesc *resource,
                               CUarray_format *format) {
    CUDA_ARRAY3D_DESCRIPTOR array;
    *resource = (struct cudaResourceDesc){.resType = (enum cudaResourceType)asked->resType};
    CUarray texels = asked->res.array.hArray;
    cudaError_t error;
    switch (asked->resType) {
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        resource->res.mipmap.mipmap = (cudaMipmappedArray_t)asked->res.mipmap.hMipmappedArray;
        error = cudaGetMipmappedArrayLevel((cudaArray_t *)&texels, resource->res.mipmap.mipmap, 0);
        if (!error) error = describe(&array, texels);
        *format = array.Format;
        return error;
    case CU_RESOURCE_TYPE_ARRAY:
        resource->res.array.array = (cudaArray_t)texels;
        error = describe(&array, texels);
        *format = array.Format;
        return error;
    case CU_RESOURCE_TYPE_LINEAR:
        *format = asked->res.linear.format;
        resource->res.linear.devPtr = driver_pointer(asked->res.linear.devPtr);
        resource->res.linear.desc = channels_of(*format, asked->res.linear.numChannels);
        resource->res.linear.sizeInBytes = asked->res.linear.sizeInBytes;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_PITCH2D:
        *format = asked->res.pitch2D.format;
        resource->res.pitch2D.devPtr = driver_pointer(asked->res.pitch2D.devPtr);
        resource->res.pitch2D.desc = channels_of(*format, asked->res.pitch2D.numChannels);
        resource->res.pitch2D.width = asked->res.pitch2D.width;
        resource->res.pitch2D.height = asked->res.pitch2D.height;
        resource->res.pitch2D.pitchInBytes = asked->res.pitch2D.pitchInBytes;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

/* Integers of 8 and 16 bits are read as numbers from 0 or -1 to 1, unless a flag says otherwise. */
static struct cudaTextureDesc texture_of(const CUDA_TEXTURE_DESC *asked, CUarray_format format) {
    bool as_is =
        is_float(format) || bits_of(format) == 32 || asked->flags & CU_TRSF_READ_AS_INTEGER;
    struct cudaTextureDesc texture = {
        .filterMode = (enum cudaTextureFilterMode)asked->filterMode,
        .readMode = as_is ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
        .sRGB = (asked->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (asked->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = asked->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)asked->mipmapFilterMode,
        .mipmapLevelBias = asked->mipmapLevelBias,
        .minMipmapLevelClamp = asked->minMipmapLevelClamp,
        .maxMipmapLevelClamp = asked->maxMipmapLevelClamp,
        .disableTrilinearOptimization =
            (asked->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
        .seamlessCubemap = (asked->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
    };
    for (int i = 0; i < 3; i++)
        texture.addressMode[i] = (enum cudaTextureAddressMode)asked->addressMode[i];
    for (int i = 0; i < 4; i++) texture.borderColor[i] = asked->borderColor[i];
    return texture;
}

static cudaError_t create_texture(CUtexObject *object, const CUDA_RESOURCE_DESC *asked,
                                  const CUDA_TEXTURE_DESC *how,
                                  const CUDA_RESOURCE_VIEW_DESC *view) {
    struct cudaResourceDesc resource;
    CUarray_format format;
    if (!object || !asked || !how) return cudaErrorInvalidValue;
    cudaError_t error = resource_of(asked, &resource, &format);
    if (error) return error;
    struct cudaTextureDesc texture = texture_of(how, format);
    return cudaCreateTextureObject(object, &resource, &texture, view);
}

static cudaError_t create_surface(CUsurfObject *object, const CUDA_RESOURCE_DESC *asked) {
    struct cudaResourceDesc resource;
    CUarray_format format;
    if (!object || !asked) return cudaErrorInvalidValue;
    cudaError_t error = resource_of(asked, &resource, &format);
    return error ? error : cudaCreateSurfaceObject(object, &resource);
}

DRIVER(cuTexObjectCreate,
       (CUtexObject * object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
        const CUDA_RESOURCE_VIEW_DESC *view),
       create_texture(object, resource, texture, view))
DRIVER(cuTexObjectDestroy, (CUtexObject object), cudaDestroyTextureObject(object))
DRIVER(cuSurfObjectCreate, (CUsurfObject * object, const CUDA_RESOURCE_DESC *resource),
       create_surface(object, resource))
DRIVER(cuSurfObjectDestroy, (CUsurfObject object), cudaDestroySurfaceObject(object))
