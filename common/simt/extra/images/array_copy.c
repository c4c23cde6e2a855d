/* extra/images/array_copy.c: copies to and from CUDA arrays: boxes of two dimensions, and bytes row
 * by row. Errors are an H200's. cudaMemcpy3D is in api/memory/copy.c. */
#include "array.h"

enum direction { TO_ARRAY, FROM_ARRAY, WITHIN };

static bool is_direction(enum cudaMemcpyKind kind, enum direction direction) {
    if (kind == cudaMemcpyDefault || kind == cudaMemcpyDeviceToDevice) return true;
    return (direction == TO_ARRAY && kind == cudaMemcpyHostToDevice) ||
           (direction == FROM_ARRAY && kind == cudaMemcpyDeviceToHost);
}

/* A part of an array: where it begins, and its size in bytes and rows. */
struct part {
    cudaArray_const_t array;
    size_t x, y; /* byte, row */
};

static cudaError_t box_of(struct rt_box *box, struct part part, size_t width, size_t height) {
    return rt_array_box(box, part.array, (struct cudaPos){part.x, part.y, 0},
                        (struct cudaExtent){width, height, 1});
}

/* The device's memory may be given as the host's. */
static enum cudaMemcpyKind settled(enum cudaMemcpyKind kind, const void *memory) {
    bool device = rt_place(memory, 1) == RT_DEVICE;
    return device && kind != cudaMemcpyDeviceToDevice ? cudaMemcpyDefault : kind;
}

/* Between a part of an array and rows of memory. */
static cudaError_t copy_rows(struct part part, void *memory, size_t pitch, size_t width,
                             size_t height, enum cudaMemcpyKind kind, enum direction direction,
                             cudaStream_t stream, bool synchronous) {
    struct rt_box texels, rows = {.address = (uintptr_t)memory, .pitch = pitch};
    if (!is_direction(kind, direction)) return cudaErrorInvalidMemcpyDirection;
    if (width > pitch) return cudaErrorInvalidPitchValue;
    cudaError_t error = box_of(&texels, part, width, height);
    if (error) return error;
    kind = settled(kind, memory);
    return direction == TO_ARRAY
               ? rt_copy_box(texels, rows, width, height, 1, kind, stream, synchronous)
               : rt_copy_box(rows, texels, width, height, 1, kind, stream, synchronous);
}

static cudaError_t copy_within(struct part to, struct part from, size_t width, size_t height,
                               enum cudaMemcpyKind kind) {
    struct rt_box target, source;
    if (!is_direction(kind, WITHIN)) return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = box_of(&target, to, width, height);
    if (!error) error = box_of(&source, from, width, height);
    return error ? error
                 : rt_copy_box(target, source, width, height, 1, cudaMemcpyDeviceToDevice,
                               cudaStreamLegacy, true);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(copy_rows((struct part){to, x, y}, (void *)(uintptr_t)from, pitch, width, height,
                             kind, TO_ARRAY, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    RT_ACTING_CALL(copy_rows((struct part){to, x, y}, (void *)(uintptr_t)from, pitch, width, height,
                             kind, TO_ARRAY, stream, false));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(copy_rows((struct part){from, x, y}, to, pitch, width, height, kind, FROM_ARRAY,
                             cudaStreamLegacy, true));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
    RT_ACTING_CALL(copy_rows((struct part){from, x, y}, to, pitch, width, height, kind, FROM_ARRAY,
                             stream, false));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(copy_within((struct part){to, to_x, to_y}, (struct part){from, from_x, from_y},
                               width, height, kind));
}

/* ---- Bytes row by row ---- */

/* The rest of the row, or whole rows, that the next bytes take: how many of them one box has. */
static size_t next_box(const struct rt_array *array, const struct part *part, size_t bytes,
                       size_t *width, size_t *height) {
    size_t row = (size_t)array->image.width * array->image.texel_bytes, rest = row - part->x;
    bool rows = part->x == 0 && bytes >= row;
    *width = rows ? row : bytes < rest ? bytes : rest;
    *height = rows ? bytes / row : 1;
    return *width * *height;
}

/* Steps after bytes of the array. */
static void step(const struct rt_array *array, struct part *part, size_t bytes) {
    size_t row = (size_t)array->image.width * array->image.texel_bytes,
           at = part->y * row + part->x + bytes;
    part->x = at % row;
    part->y = at / row;
}

/* Is there room for the bytes from the part's beginning on? */
static cudaError_t check_part(const struct rt_array *array, const struct part *part, size_t bytes) {
    if (!array) return cudaErrorInvalidResourceHandle;
    size_t row = (size_t)array->image.width * array->image.texel_bytes;
    if (part->x >= row || part->y >= array->image.height) return cudaErrorInvalidValue;
    return bytes <= row * (array->image.height - part->y) - part->x ? cudaSuccess
                                                                    : cudaErrorInvalidValue;
}

static cudaError_t copy_bytes(struct part part, char *memory, size_t bytes,
                              enum cudaMemcpyKind kind, enum direction direction,
                              cudaStream_t stream, bool synchronous) {
    const struct rt_array *array = rt_array(part.array);
    cudaError_t error = check_part(array, &part, bytes);
    for (size_t width, height, n; !error && bytes; bytes -= n, memory += n) {
        n = next_box(array, &part, bytes, &width, &height);
        error = copy_rows(part, memory, width, width, height, kind, direction, stream, synchronous);
        step(array, &part, n);
    }
    return error;
}

static cudaError_t copy_bytes_within(struct part to, struct part from, size_t bytes,
                                     enum cudaMemcpyKind kind) {
    const struct rt_array *target = rt_array(to.array), *source = rt_array(from.array);
    cudaError_t error = check_part(target, &to, bytes);
    if (!error) error = check_part(source, &from, bytes);
    for (size_t width, height, most, n; !error && bytes; bytes -= n) {
        most = next_box(source, &from, bytes, &width, &height);
        n = next_box(target, &to, width < most ? width : most, &width, &height);
        if (height > 1) n = width, height = 1;
        error = copy_within(to, from, width, height, kind);
        step(target, &to, n);
        step(source, &from, n);
    }
    return error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(copy_bytes((struct part){to, x, y}, (char *)(uintptr_t)from, bytes, kind,
                              TO_ARRAY, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    RT_ACTING_CALL(copy_bytes((struct part){to, x, y}, (char *)(uintptr_t)from, bytes, kind,
                              TO_ARRAY, stream, false));
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(
        copy_bytes((struct part){from, x, y}, to, bytes, kind, FROM_ARRAY, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    RT_ACTING_CALL(
        copy_bytes((struct part){from, x, y}, to, bytes, kind, FROM_ARRAY, stream, false));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes,
                                   enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(copy_bytes_within((struct part){to, to_x, to_y},
                                     (struct part){from, from_x, from_y}, bytes, kind));
}
