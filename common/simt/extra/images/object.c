/* extra/images/object.c: texture and surface objects. Errors are an H200's. */
#include "array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXTURE_ALIGNMENT 512u /* bytes; cudaDeviceProp.textureAlignment */
#define PITCH_ALIGNMENT   32u
#define MOST_LINEAR_BYTES (1ull << 32)

/* What an object was made from, for who asks. */
struct made {
    uint64_t handle;
    bool is_surface;
    int device;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc how;
    struct cudaResourceViewDesc view;
    struct made *next;
};

static struct made *objects;

static struct made *object_find(uint64_t handle, bool is_surface) {
    struct made *made = objects;
    while (made && (made->handle != handle || made->is_surface != is_surface)) made = made->next;
    return made;
}

/* ---- What an object reads ---- */

static cudaError_t take_array(struct texture *t, cudaArray_const_t handle) {
    const struct rt_array *array = rt_array(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    t->level[0] = array->image;
    t->format = array->format;
    t->nlevels = 1;
    t->faces = array->flags & cudaArrayCubemap ? 6 : 1;
    return cudaSuccess;
}

static cudaError_t take_mipmap(struct texture *t, cudaMipmappedArray_const_t handle) {
    const struct rt_mipmap *mipmap = rt_mipmap(handle);
    if (!mipmap) return cudaErrorInvalidResourceHandle;
    cudaError_t error = take_array(t, (cudaArray_const_t)mipmap->level[0]);
    for (unsigned i = 0; i < mipmap->nlevels; i++) t->level[i] = mipmap->level[i]->image;
    t->nlevels = (uint8_t)mipmap->nlevels;
    return error;
}

/* Rows of texels in device memory. Nothing is known of its size: a fetch looks the allocation
 * up. */
static cudaError_t take_memory(struct texture *t, void *pointer,
                               const struct cudaChannelFormatDesc *channels, size_t width,
                               size_t height, size_t pitch) {
    cudaError_t error = rt_texel_format(&t->format, channels);
    if (error) return error;
    const struct allocation *allocation = memory_find((uintptr_t)pointer, 1);
    if (!allocation || (uintptr_t)pointer % TEXTURE_ALIGNMENT) return cudaErrorInvalidValue;
    t->level[0] = (struct image){.address = (uintptr_t)pointer,
                                 .delta = allocation->delta,
                                 .pitch = pitch,
                                 .width = (uint32_t)width,
                                 .height = (uint32_t)height,
                                 .depth = 1,
                                 .texel_bytes = texel_bytes(t->format)};
    t->nlevels = t->faces = 1;
    return cudaSuccess;
}

static cudaError_t take_linear(struct texture *t, const struct cudaResourceDesc *r) {
    if (r->res.linear.sizeInBytes > MOST_LINEAR_BYTES) return cudaErrorInvalidValue;
    cudaError_t error = take_memory(t, r->res.linear.devPtr, &r->res.linear.desc, 0, 1,
                                    r->res.linear.sizeInBytes + 1);
    if (!error) t->level[0].width = (uint32_t)(r->res.linear.sizeInBytes / t->level[0].texel_bytes);
    return error;
}

static cudaError_t take_rows(struct texture *t, const struct cudaResourceDesc *r) {
    if (r->res.pitch2D.pitchInBytes % PITCH_ALIGNMENT) return cudaErrorInvalidValue;
    return take_memory(t, r->res.pitch2D.devPtr, &r->res.pitch2D.desc, r->res.pitch2D.width,
                       r->res.pitch2D.height, r->res.pitch2D.pitchInBytes);
}

static cudaError_t take_resource(struct texture *t, const struct cudaResourceDesc *r) {
    switch (r->resType) {
    case cudaResourceTypeArray: return take_array(t, r->res.array.array);
    case cudaResourceTypeMipmappedArray: return take_mipmap(t, r->res.mipmap.mipmap);
    case cudaResourceTypeLinear: return take_linear(t, r);
    case cudaResourceTypePitch2D: return take_rows(t, r);
    default: return cudaErrorInvalidValue;
    }
}

/* ---- Views ---- */

/* The formats of a view, in their order: 1, 2 and 4 channels of each kind. */
static bool view_format(struct texel_format *format, enum cudaResourceViewFormat view) {
    static const struct texel_format kinds[] = {{TEXEL_UNSIGNED, 8, 1},  {TEXEL_SIGNED, 8, 1},
                                                {TEXEL_UNSIGNED, 16, 1}, {TEXEL_SIGNED, 16, 1},
                                                {TEXEL_UNSIGNED, 32, 1}, {TEXEL_SIGNED, 32, 1},
                                                {TEXEL_FLOAT, 16, 1},    {TEXEL_FLOAT, 32, 1}};
    unsigned number = (unsigned)view - 1;
    if (view < cudaResViewFormatUnsignedChar1 || view > cudaResViewFormatFloat4) return false;
    *format = kinds[number / 3];
    format->channels = (uint8_t)(1u << number % 3);
    return true;
}

/* The texels in another format of the same size, and some of the levels. Part of the layers is not
 * supported. */
static cudaError_t apply_view(struct texture *t, const struct cudaResourceViewDesc *view) {
    struct texel_format format;
    unsigned first = view->firstMipmapLevel, last = view->lastMipmapLevel;
    if (!view_format(&format, view->format) || texel_bytes(format) != t->level[0].texel_bytes)
        return cudaErrorInvalidValue;
    if (view->width != t->level[0].width || (view->height && view->height != t->level[0].height))
        return cudaErrorInvalidValue;
    if (first > last || last >= t->nlevels) return cudaErrorInvalidValue;
    if (view->firstLayer || (view->lastLayer && view->lastLayer + 1 != t->level[0].depth))
        return rt_unsupported("a resource view of some layers");
    memmove(t->level, t->level + first, (last - first + 1) * sizeof *t->level);
    t->nlevels = (uint8_t)(last - first + 1);
    t->format = format;
    return cudaSuccess;
}

/* ---- How it reads ---- */

static bool modes_are_known(const struct cudaTextureDesc *how) {
    for (int i = 0; i < 3; i++)
        if ((unsigned)how->addressMode[i] > cudaAddressModeBorder) return false;
    return (unsigned)how->filterMode <= cudaFilterModeLinear &&
           (unsigned)how->mipmapFilterMode <= cudaFilterModeLinear;
}

/* Levels have 8 fraction bits. */
static float in_256ths(float level) {
    return floorf(level * 256) / 256;
}

/* Integers can be filtered as numbers up to 1 only, and those of 32 bits not at all. */
static cudaError_t apply_modes(struct texture *t, const struct cudaTextureDesc *how) {
    bool integer = t->format.kind != TEXEL_FLOAT,
         as_float = how->readMode == cudaReadModeNormalizedFloat;
    bool narrow = integer && t->format.bits < 32, linear = how->filterMode == cudaFilterModeLinear;
    if (!modes_are_known(how)) return cudaErrorInvalidValue;
    if (linear && integer && !(narrow && as_float)) return cudaErrorInvalidFilterSetting;
    if (as_float && !narrow) return cudaErrorInvalidNormSetting;
    for (int i = 0; i < 3; i++) t->address_mode[i] = (uint8_t)how->addressMode[i];
    t->linear = linear;
    t->level_linear = how->mipmapFilterMode == cudaFilterModeLinear;
    t->normalized = how->normalizedCoords;
    t->as_float = as_float;
    t->srgb = how->sRGB;
    t->seamless = how->seamlessCubemap;
    t->anisotropic = how->maxAnisotropy > 1;
    memcpy(t->border, how->borderColor, sizeof t->border);
    t->bias = in_256ths(how->mipmapLevelBias);
    t->least_level = in_256ths(how->minMipmapLevelClamp);
    t->most_level = in_256ths(how->maxMipmapLevelClamp);
    return cudaSuccess;
}

/* ---- Objects ---- */

/* Gives the object a handle, and keeps what it was made from. */
static cudaError_t object_keep(unsigned long long *handle, const struct texture *t,
                               const struct made *from) {
    struct made *made = malloc(sizeof *made);
    uint64_t number = made ? texture_add(t) : 0;
    if (!number) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *made = *from;
    made->handle = number;
    made->is_surface = t->is_surface;
    made->device = device_current();
    made->next = objects;
    objects = made;
    *handle = number;
    return cudaSuccess;
}

static cudaError_t create_texture(cudaTextureObject_t *handle,
                                  const struct cudaResourceDesc *resource,
                                  const struct cudaTextureDesc *how,
                                  const struct cudaResourceViewDesc *view) {
    struct texture t = {0};
    if (!handle || !resource) return cudaErrorInvalidValue;
    if (!how) return cudaErrorInvalidResourceHandle;
    cudaError_t error = take_resource(&t, resource);
    if (!error) error = apply_modes(&t, how);
    if (!error && view) error = apply_view(&t, view);
    if (error) return error;
    struct made made = {.resource = *resource, .how = *how};
    if (view) made.view = *view;
    return object_keep(handle, &t, &made);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *how,
                                    const struct cudaResourceViewDesc *view) {
    RT_ACTING_CALL(create_texture(texture, resource, how, view));
}

static cudaError_t create_surface(cudaSurfaceObject_t *handle,
                                  const struct cudaResourceDesc *resource) {
    struct texture t = {.is_surface = true};
    if (!handle || !resource || resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    cudaError_t error = take_array(&t, resource->res.array.array);
    return error ? error : object_keep(handle, &t, &(struct made){.resource = *resource});
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource) {
    RT_ACTING_CALL(create_surface(surface, resource));
}

/* No error for a handle that is none. */
static cudaError_t object_destroy(uint64_t handle, bool is_surface) {
    struct made *made = object_find(handle, is_surface), **link = &objects;
    if (!made) return cudaSuccess;
    while (*link != made) link = &(*link)->next;
    *link = made->next;
    free(made);
    texture_remove(handle, is_surface);
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
    RT_CALL(object_destroy(texture, false));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
    RT_CALL(object_destroy(surface, true));
}

void rt_textures_reset(void) {
    for (struct made *made = objects, *next; made; made = next) {
        next = made->next;
        if (made->device == device_current()) object_destroy(made->handle, made->is_surface);
    }
}

/* ---- Asking ---- */

/* Copies a member of what the object was made from. */
#define GET(to, object, surface, member)                                                           \
    do {                                                                                           \
        cudaError_t error_ = rt_enter(__func__);                                                   \
        const struct made *made_ = object_find(object, surface);                                   \
        if (!error_ && (!made_ || !(to))) error_ = cudaErrorInvalidValue;                          \
        if (!error_) *(to) = made_->member;                                                        \
        return rt_leave(error_);                                                                   \
    } while (0)

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t texture) {
    GET(resource, texture, false, resource);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *how,
                                            cudaTextureObject_t texture) {
    GET(how, texture, false, how);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
                                                 cudaTextureObject_t texture) {
    GET(view, texture, false, view);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t surface) {
    GET(resource, surface, true, resource);
}

static cudaError_t most_linear_texels(size_t *texels,
                                      const struct cudaChannelFormatDesc *channels) {
    struct texel_format format;
    if (!texels || !channels) return cudaErrorInvalidValue;
    cudaError_t error = rt_texel_format(&format, channels);
    if (!error) *texels = MOST_LINEAR_BYTES / texel_bytes(format);
    return error;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels,
                                                 const struct cudaChannelFormatDesc *channels,
                                                 int device) {
    (void)device;
    RT_ACTING_CALL(most_linear_texels(texels, channels));
}
