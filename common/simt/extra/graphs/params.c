/* extra/graphs/params.c: the parameters of nodes: checking and copying them. */
#include "graph.h"
#include "simt/api/event.h"

#include <stdlib.h>
#include <string.h>

/* ---- Kernels ---- */

/* The marks in the list `extra`, by which a program hands over its arguments as one block. */
#define EXTRA_END   ((void *)0)
#define EXTRA_BLOCK ((void *)1)
#define EXTRA_BYTES ((void *)2)

struct launch rt_kernel_launch(const struct cudaKernelNodeParams *kernel) {
    dim3 grid = kernel->gridDim, block = kernel->blockDim;
    return (struct launch){
        .shape = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, kernel->sharedMemBytes},
        .arguments = kernel->kernelParams,
    };
}

static cudaError_t check_kernel(const struct cudaKernelNodeParams *kernel) {
    struct launch launch = rt_kernel_launch(kernel);
    cudaError_t error =
        kernel->func ? rt_function(kernel->func, &launch.function) : cudaErrorInvalidDeviceFunction;
    if (error) return error;
    bool has_arguments = kernel->kernelParams || kernel->extra || !launch.function->entry->nparams;
    return has_arguments ? rt_launch_check(&launch) : cudaErrorInvalidValue;
}

/* The block of arguments that `extra` names; NULL: none. */
static const char *extra_block(void **extra, size_t *bytes) {
    const char *block = NULL;
    *bytes = 0;
    for (; extra && *extra != EXTRA_END; extra += 2) {
        if (extra[0] == EXTRA_BLOCK) block = extra[1];
        if (extra[0] == EXTRA_BYTES) *bytes = *(const size_t *)extra[1];
    }
    return block;
}

/* Copies the arguments into one piece of memory: a pointer to each, and after them all their
 * bytes. */
static bool copy_kernel(struct cudaKernelNodeParams *to, const struct cudaKernelNodeParams *from) {
    struct rt_function *function;
    size_t bytes;
    const char *block = extra_block(from->extra, &bytes);
    if (rt_function(from->func, &function)) return false;
    const struct ptx_function *entry = function->entry;
    size_t n = (size_t)entry->nparams;
    void **pointers = calloc(1, (n + 1) * sizeof *pointers + entry->param_bytes);
    if (!pointers) return false;
    for (size_t i = 0; i < n; i++) {
        const struct ptx_var *var = &entry->frame[i];
        pointers[i] = (char *)(pointers + n + 1) + var->offset;
        if (from->kernelParams)
            memcpy(pointers[i], from->kernelParams[i], var->size);
        else if (block && var->offset + var->size <= bytes)
            memcpy(pointers[i], block + var->offset, var->size);
    }
    to->kernelParams = pointers;
    to->extra = NULL;
    return true;
}

/* ---- Copies and fills ---- */

static cudaError_t params_check_copy(const struct cudaMemcpy3DParms *copy) {
    const struct cudaExtent *extent = &copy->extent;
    bool empty = !extent->width || !extent->height || !extent->depth;
    return empty ? cudaErrorInvalidValue : rt_copy_3d_check(copy);
}

static cudaError_t check_fill(const struct cudaMemsetParams *fill) {
    unsigned size = fill->elementSize;
    bool exists = (size == 1 || size == 2 || size == 4) && fill->width && fill->height;
    return exists ? rt_fill_check(fill) : cudaErrorInvalidValue;
}

/* ---- Memory ---- */

static cudaError_t check_alloc(const struct cudaMemAllocNodeParams *alloc) {
    const struct cudaMemPoolProps *props = &alloc->poolProps;
    bool on_device =
        props->location.type == cudaMemLocationTypeDevice && device_exists(props->location.id);
    if (props->allocType != cudaMemAllocationTypePinned || !on_device || !alloc->bytesize)
        return cudaErrorInvalidValue;
    return props->handleTypes ? cudaErrorNotSupported : cudaSuccess;
}

static bool copy_alloc(struct cudaMemAllocNodeParams *to,
                       const struct cudaMemAllocNodeParams *from) {
    size_t bytes = from->accessDescCount * sizeof *from->accessDescs;
    struct cudaMemAccessDesc *list = malloc(bytes + 1);
    if (list && bytes) memcpy(list, from->accessDescs, bytes);
    to->accessDescs = list;
    return list;
}

/* ---- Conditions ---- */

static cudaError_t check_condition(const struct cudaConditionalNodeParams *condition) {
    switch (condition->type) {
    case cudaGraphCondTypeIf: return condition->size - 1 < 2 ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphCondTypeWhile: return condition->size == 1 ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphCondTypeSwitch: return condition->size ? cudaSuccess : cudaErrorInvalidValue;
    default: return cudaErrorInvalidValue;
    }
}

static bool copy_condition(struct cudaConditionalNodeParams *to) {
    to->phGraph_out = calloc(to->size, sizeof *to->phGraph_out);
    return to->phGraph_out;
}

/* ---- All types ---- */

cudaError_t rt_params_check(const struct cudaGraphNodeParams *params) {
    switch (params->type) {
    case cudaGraphNodeTypeKernel: return check_kernel(&params->kernel);
    case cudaGraphNodeTypeMemcpy: return params_check_copy(&params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return check_fill(&params->memset);
    case cudaGraphNodeTypeHost: return params->host.fn ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeGraph:
        return rt_graph(params->graph.graph) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeEmpty: return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
        return rt_event(params->eventWait.event) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeMemAlloc: return check_alloc(&params->alloc);
    case cudaGraphNodeTypeMemFree: return params->free.dptr ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeConditional: return check_condition(&params->conditional);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        return rt_unsupported("a graph node for an external semaphore");
    default: return cudaErrorInvalidValue;
    }
}

bool rt_params_copy(struct cudaGraphNodeParams *to, const struct cudaGraphNodeParams *from) {
    *to = *from;
    switch (from->type) {
    case cudaGraphNodeTypeKernel: return copy_kernel(&to->kernel, &from->kernel);
    case cudaGraphNodeTypeMemAlloc: return copy_alloc(&to->alloc, &from->alloc);
    case cudaGraphNodeTypeConditional: return copy_condition(&to->conditional);
    default: return true;
    }
}

void rt_params_free(struct cudaGraphNodeParams *params) {
    if (params->type == cudaGraphNodeTypeKernel) free(params->kernel.kernelParams);
    if (params->type == cudaGraphNodeTypeMemAlloc) free((void *)params->alloc.accessDescs);
    if (params->type == cudaGraphNodeTypeConditional) free(params->conditional.phGraph_out);
}

cudaError_t rt_params_set(struct rt_node *node, const struct cudaGraphNodeParams *params) {
    struct cudaGraphNodeParams copy;
    if (node->params.type != params->type) return cudaErrorInvalidValue;
    cudaError_t error = rt_params_check(params);
    if (error) return error;
    if (!rt_params_copy(&copy, params)) return cudaErrorMemoryAllocation;
    rt_params_free(&node->params);
    node->params = copy;
    return cudaSuccess;
}
