/* api/attributes.c: keeps attributes of streams and kernel nodes. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static bool exists(cudaLaunchAttributeID id) {
    return (unsigned)id > cudaLaunchAttributeIgnore && (unsigned)id < ATTRIBUTE_COUNT;
}

/* What an H200 refuses: a window too large, a share that is none, and misses that would stay. */
static bool is_window(const struct cudaAccessPolicyWindow *window) {
    int most = 0;
    rt_device_attribute(&most, cudaDevAttrMaxAccessPolicyWindowSize, device_current());
    return window->num_bytes <= (size_t)most && window->hitRatio >= 0 && window->hitRatio <= 1 &&
           window->missProp != cudaAccessPropertyPersisting;
}

cudaError_t rt_attribute_set(struct rt_attributes *attributes, cudaLaunchAttributeID id,
                             const cudaLaunchAttributeValue *value) {
    if (!exists(id) || !value) return cudaErrorInvalidValue;
    if (id == cudaLaunchAttributeAccessPolicyWindow && !is_window(&value->accessPolicyWindow))
        return cudaErrorInvalidValue;
    if (!attributes->values) attributes->values = calloc(ATTRIBUTE_COUNT, sizeof *value);
    if (!attributes->values) return cudaErrorMemoryAllocation;
    attributes->values[id] = *value;
    return cudaSuccess;
}

cudaError_t rt_attribute_get(const struct rt_attributes *attributes, cudaLaunchAttributeID id,
                             cudaLaunchAttributeValue *value) {
    if (!exists(id) || !value) return cudaErrorInvalidValue;
    memset(value, 0, sizeof *value);
    if (attributes->values) *value = attributes->values[id];
    return cudaSuccess;
}

bool rt_attributes_copy(struct rt_attributes *to, const struct rt_attributes *from) {
    size_t bytes = ATTRIBUTE_COUNT * sizeof *from->values;
    rt_attributes_free(to);
    if (!from->values) return true;
    to->values = malloc(bytes);
    if (to->values) memcpy(to->values, from->values, bytes);
    return to->values;
}

void rt_attributes_free(struct rt_attributes *attributes) {
    free(attributes->values);
    attributes->values = NULL;
}

/* ---- Of streams ---- */

static cudaError_t stream_set_attribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                        const cudaLaunchAttributeValue *value) {
    struct rt_stream *stream = rt_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!value) return cudaErrorInvalidValue;
    if (id == cudaLaunchAttributePriority) stream->priority = rt_priority(value->priority);
    return rt_attribute_set(&stream->attributes, id, value);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value) {
    RT_ACTING_CALL(stream_set_attribute(stream, id, value));
}

static cudaError_t stream_get_attribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                        cudaLaunchAttributeValue *value) {
    const struct rt_stream *stream = rt_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    cudaError_t error = rt_attribute_get(&stream->attributes, id, value);
    if (!error && id == cudaLaunchAttributePriority) value->priority = stream->priority;
    return error;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   cudaLaunchAttributeValue *value) {
    RT_ACTING_CALL(stream_get_attribute(stream, id, value));
}

static cudaError_t stream_copy_attributes(cudaStream_t to_handle, cudaStream_t from_handle) {
    struct rt_stream *to = rt_stream(to_handle), *from = rt_stream(from_handle);
    if (!to || !from) return cudaErrorInvalidResourceHandle;
    to->priority = from->priority;
    return rt_attributes_copy(&to->attributes, &from->attributes) ? cudaSuccess
                                                                  : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    RT_ACTING_CALL(stream_copy_attributes(to, from));
}
