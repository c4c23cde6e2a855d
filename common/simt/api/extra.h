/* api/extra.h: what rooms of extra/ register when the library is loaded. */
#pragma once

#include "runtime.h"

/* A member that is NULL does nothing. */
struct rt_extra {
    void (*reset)(void);                /* frees what it keeps of the current device */
    void (*freeing)(uintptr_t address); /* memory that may be its is freed */
    bool (*will_hold)(const void *pointer, size_t size);    /* will memory be allocated there? */
    void (*set_condition)(uint64_t handle, uint32_t value); /* called by kernels */
    struct rt_extra *next;
};

void rt_extra_add(struct rt_extra *extra);
void rt_extras_reset(void);
void rt_extras_freeing(uintptr_t address);
bool rt_extras_will_hold(const void *pointer, size_t size);
void rt_extras_set_condition(uint64_t handle, uint32_t value);

/* CUDA arrays, as copies meet them. */
struct rt_array_calls {
    /* The image of a handle; NULL: there is none. */
    const struct image *(*image)(cudaArray_const_t);
    cudaArray_t (*handle)(const struct image *);
    /* The box of this size, in bytes, rows and layers, that begins at this byte, row and layer of
     * the array. Returns cudaErrorInvalidResourceHandle for no array, cudaErrorInvalidValue if the
     * box is not in it. */
    cudaError_t (*box)(struct rt_box *, cudaArray_const_t, struct cudaPos, struct cudaExtent);
};
extern const struct rt_array_calls *rt_array_calls;
