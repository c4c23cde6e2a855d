/* extra/images/array.c: CUDA arrays: allocating, freeing, and what they are. Errors are an
 * H200's. */
#include "array.h"

#include "simt/api/extra.h"

#include <stdlib.h>

#define MAX_1D           131072u
#define MAX_1D_SPECIAL   32768u /* layered, or for surfaces */
#define MAX_2D_HEIGHT    65536u
#define MAX_2D_LAYERED   32768u
#define MAX_3D           16384u
#define MAX_3D_ALT_DEPTH 32768u /* with MAX_3D_ALT_WIDTH */
#define MAX_3D_ALT_WIDTH 8192u
#define MAX_LAYERS       2048u
#define CUBE_FACES       6u
#define KNOWN_FLAGS                                                                                \
    (cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather)
#define LACKING_FLAGS (cudaArraySparse | cudaArrayDeferredMapping)

static struct rt_array *arrays;
static struct rt_mipmap *mipmaps;

struct rt_array *rt_array(cudaArray_const_t handle) {
    struct rt_array *array = arrays;
    while (array && (const void *)array != (const void *)handle) array = array->next;
    return array;
}

struct rt_mipmap *rt_mipmap(cudaMipmappedArray_const_t handle) {
    struct rt_mipmap *mipmap = mipmaps;
    while (mipmap && (const void *)mipmap != (const void *)handle) mipmap = mipmap->next;
    return mipmap;
}

/* ---- Formats ---- */

cudaError_t rt_texel_format(struct texel_format *format, const struct cudaChannelFormatDesc *c) {
    static const uint8_t kinds[] = {TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT};
    bool one = !c->y && !c->z && !c->w, two = c->y == c->x && !c->z && !c->w;
    bool four = c->y == c->x && c->z == c->x && c->w == c->x;
    bool wide = c->x == 16 || c->x == 32;
    if ((unsigned)c->f > cudaChannelFormatKindFloat || !(one || two || four))
        return cudaErrorInvalidChannelDescriptor;
    if (!wide && (c->x != 8 || c->f == cudaChannelFormatKindFloat))
        return cudaErrorInvalidChannelDescriptor;
    *format = (struct texel_format){kinds[c->f], (uint8_t)c->x, one ? 1 : two ? 2 : 4};
    return cudaSuccess;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind) {
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* ---- Shapes ---- */

static bool cube_is_valid(struct cudaExtent e, bool layered) {
    bool faces =
        layered ? e.depth % CUBE_FACES == 0 && e.depth <= MAX_LAYERS : e.depth == CUBE_FACES;
    return e.depth && faces && e.width == e.height && e.width <= MAX_2D_LAYERED;
}

static bool volume_is_valid(struct cudaExtent e) {
    bool usual = e.width <= MAX_3D && e.height <= MAX_3D && e.depth <= MAX_3D;
    bool deep =
        e.width <= MAX_3D_ALT_WIDTH && e.height <= MAX_3D_ALT_WIDTH && e.depth <= MAX_3D_ALT_DEPTH;
    return e.height && (usual || deep);
}

/* Is there an array of this shape? */
static bool extent_is_valid(struct cudaExtent e, unsigned flags) {
    bool layered = flags & cudaArrayLayered, gather = flags & cudaArrayTextureGather;
    if (!e.width || flags & ~(unsigned)(KNOWN_FLAGS | LACKING_FLAGS)) return false;
    if (gather && (!e.height || e.depth || layered)) return false;
    if (flags & cudaArrayCubemap) return cube_is_valid(e, layered);
    if (layered && (!e.depth || e.depth > MAX_LAYERS)) return false;
    if (layered) return e.width <= MAX_2D_LAYERED && e.height <= MAX_2D_LAYERED;
    if (e.depth) return volume_is_valid(e);
    if (e.height) return e.width <= MAX_1D && e.height <= MAX_2D_HEIGHT;
    return e.width <= (flags & cudaArraySurfaceLoadStore ? MAX_1D_SPECIAL : MAX_1D);
}

static uint32_t at_least_1(size_t n) {
    return n ? (uint32_t)n : 1;
}

/* ---- Allocating ---- */

/* An array that is not in the list yet. */
static cudaError_t array_allocate(struct rt_array **result,
                                  const struct cudaChannelFormatDesc *channels,
                                  struct cudaExtent extent, unsigned flags) {
    struct texel_format format;
    cudaError_t error = rt_texel_format(&format, channels);
    if (error) return error;
    if (!extent_is_valid(extent, flags)) return cudaErrorInvalidValue;
    if (flags & LACKING_FLAGS) return rt_unsupported("a sparse array, or one mapped later,");
    struct rt_array *array = calloc(1, sizeof *array);
    if (!array) return cudaErrorMemoryAllocation;
    *array = (struct rt_array){.format = format,
                               .channels = *channels,
                               .extent = extent,
                               .flags = flags,
                               .device = device_current()};
    size_t bytes = image_lay_out(&array->image, at_least_1(extent.width), at_least_1(extent.height),
                                 at_least_1(extent.depth), texel_bytes(format));
    void *texels;
    error = rt_allocate(&texels, bytes, ALLOC_ARRAY);
    if (error) {
        free(array);
        return error;
    }
    array->image.address = (uintptr_t)texels;
    array->image.delta = memory_find(array->image.address, 1)->delta;
    *result = array;
    return cudaSuccess;
}

static struct rt_array *array_keep(struct rt_array *array) {
    array->next = arrays;
    return arrays = array;
}

static void array_drop(struct rt_array *array) {
    struct rt_array **link = &arrays;
    while (*link != array) link = &(*link)->next;
    *link = array->next;
    memory_free(array->image.address);
    free(array);
}

static cudaError_t allocate_array(cudaArray_t *handle, const struct cudaChannelFormatDesc *channels,
                                  struct cudaExtent extent, unsigned flags) {
    struct rt_array *array;
    if (!handle || !channels) return cudaErrorInvalidValue;
    cudaError_t error = array_allocate(&array, channels, extent, flags);
    if (!error) *handle = (cudaArray_t)array_keep(array);
    return error;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channels,
                            size_t width, size_t height, unsigned flags) {
    RT_ACTING_CALL(allocate_array(array, channels, (struct cudaExtent){width, height, 0}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channels,
                              struct cudaExtent extent, unsigned flags) {
    RT_ACTING_CALL(allocate_array(array, channels, extent, flags));
}

/* Waits for the array's device, as cudaFree does. Levels go with their mipmapped array. */
static cudaError_t free_array(cudaArray_t handle) {
    struct rt_array *array = rt_array(handle);
    cudaError_t fault = rt_synchronise_device(array ? array->device : device_current());
    if (fault || !handle) return fault;
    if (!array) return cudaErrorInvalidResourceHandle;
    if (!array->is_level) array_drop(array);
    return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    RT_CALL(free_array(array));
}

/* ---- Mipmapped arrays ---- */

/* Levels down to a single texel. Layers stay. */
static unsigned most_levels(struct cudaExtent extent, unsigned flags) {
    size_t longest = extent.width > extent.height ? extent.width : extent.height;
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && extent.depth > longest)
        longest = extent.depth;
    unsigned levels = 1;
    while (longest >>= 1) levels++;
    return levels;
}

static size_t halved(size_t n, unsigned level) {
    return n ? at_least_1(n >> level) : 0;
}

static void free_levels(struct rt_mipmap *mipmap) {
    for (unsigned i = 0; i < mipmap->nlevels; i++) array_drop(mipmap->level[i]);
    free(mipmap);
}

static cudaError_t add_levels(struct rt_mipmap *mipmap,
                              const struct cudaChannelFormatDesc *channels,
                              struct cudaExtent extent, unsigned levels, unsigned flags) {
    bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
    for (unsigned i = 0; i < levels; i++) {
        struct cudaExtent part = {halved(extent.width, i), halved(extent.height, i),
                                  layers ? extent.depth : halved(extent.depth, i)};
        struct rt_array *array;
        cudaError_t error = array_allocate(&array, channels, part, flags);
        if (error) return error;
        array->is_level = true;
        mipmap->level[mipmap->nlevels++] = array_keep(array);
    }
    return cudaSuccess;
}

static cudaError_t allocate_mipmap(cudaMipmappedArray_t *handle,
                                   const struct cudaChannelFormatDesc *channels,
                                   struct cudaExtent extent, unsigned levels, unsigned flags) {
    if (!handle || !channels) return cudaErrorInvalidValue;
    unsigned most = most_levels(extent, flags);
    if (most > TEXTURE_LEVELS) return cudaErrorInvalidValue;
    struct rt_mipmap *mipmap = calloc(1, sizeof *mipmap);
    if (!mipmap) return cudaErrorMemoryAllocation;
    cudaError_t error = add_levels(mipmap, channels, extent,
                                   levels > most ? most
                                   : levels      ? levels
                                                 : 1,
                                   flags);
    if (error) {
        free_levels(mipmap);
        return error;
    }
    mipmap->next = mipmaps;
    mipmaps = mipmap;
    *handle = (cudaMipmappedArray_t)mipmap;
    return cudaSuccess;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                     const struct cudaChannelFormatDesc *channels,
                                     struct cudaExtent extent, unsigned levels, unsigned flags) {
    RT_ACTING_CALL(allocate_mipmap(mipmap, channels, extent, levels, flags));
}

static cudaError_t free_mipmap(cudaMipmappedArray_t handle) {
    struct rt_mipmap *mipmap = rt_mipmap(handle), **link = &mipmaps;
    cudaError_t fault = rt_synchronise_device(mipmap ? mipmap->level[0]->device : device_current());
    if (fault || !handle) return fault;
    if (!mipmap) return cudaErrorInvalidResourceHandle;
    while (*link != mipmap) link = &(*link)->next;
    *link = mipmap->next;
    free_levels(mipmap);
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap) {
    RT_CALL(free_mipmap(mipmap));
}

static cudaError_t get_level(cudaArray_t *level, cudaMipmappedArray_const_t handle,
                             unsigned number) {
    const struct rt_mipmap *mipmap = rt_mipmap(handle);
    if (!level) return cudaErrorInvalidValue;
    if (!mipmap) return cudaErrorInvalidResourceHandle;
    if (number >= mipmap->nlevels) return cudaErrorInvalidValue;
    *level = (cudaArray_t)mipmap->level[number];
    return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t mipmap,
                                       unsigned number) {
    RT_ACTING_CALL(get_level(level, mipmap, number));
}

/* ---- Asking ---- */

static cudaError_t array_get_info(struct cudaChannelFormatDesc *channels, struct cudaExtent *extent,
                                  unsigned *flags, cudaArray_const_t handle) {
    const struct rt_array *array = rt_array(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (channels) *channels = array->channels;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *channels, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array) {
    RT_ACTING_CALL(array_get_info(channels, extent, flags, array));
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *channels, cudaArray_const_t array) {
    RT_ACTING_CALL(channels ? array_get_info(channels, NULL, NULL, array) : cudaErrorInvalidValue);
}

cudaError_t rt_array_box(struct rt_box *box, cudaArray_const_t handle, struct cudaPos pos,
                         struct cudaExtent size) {
    const struct rt_array *array = rt_array(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    const struct image *image = &array->image;
    size_t width = (size_t)image->width * image->texel_bytes;
    bool inside = pos.x <= width && size.width <= width - pos.x && pos.y <= image->height &&
                  size.height <= image->height - pos.y && pos.z <= image->depth &&
                  size.depth <= image->depth - pos.z;
    if (!inside) return cudaErrorInvalidValue;
    *box = (struct rt_box){
        .address = image->address, .image = image, .x = pos.x, .y = pos.y, .z = pos.z};
    return cudaSuccess;
}

/* Memory goes with the device's other memory. */
static void array_reset(void) {
    rt_textures_reset();
    for (struct rt_mipmap **link = &mipmaps, *mipmap; (mipmap = *link);) {
        if (mipmap->level[0]->device != device_current()) {
            link = &mipmap->next;
            continue;
        }
        *link = mipmap->next;
        free_levels(mipmap);
    }
    for (struct rt_array *array = arrays, *next; array; array = next) {
        next = array->next;
        if (array->device == device_current()) array_drop(array);
    }
}

static const struct image *image_of(cudaArray_const_t handle) {
    const struct rt_array *array = rt_array(handle);
    return array ? &array->image : NULL;
}

static cudaArray_t handle_of(const struct image *image) {
    return (cudaArray_t)((const char *)image - offsetof(struct rt_array, image));
}

__attribute__((constructor)) static void enter(void) {
    static struct rt_extra room = {.reset = array_reset};
    rt_extra_add(&room);
    static const struct rt_array_calls calls = {image_of, handle_of, rt_array_box};
    rt_array_calls = &calls;
}
