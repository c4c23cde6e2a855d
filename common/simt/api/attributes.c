/* api/attributes.c: keeps attributes of streams and kernel nodes. */
#include "attributes.h"

#include <stdlib.h>
#include <string.h>

static bool exists(cudaLaunchAttributeID id) {
    return (unsigned)id > cudaLaunchAttributeIgnore && (unsigned)id < ATTRIBUTE_COUNT;
}

cudaError_t rt_attribute_set(struct rt_attributes *attributes, cudaLaunchAttributeID id,
                             const cudaLaunchAttributeValue *value) {
    if (!exists(id) || !value) return cudaErrorInvalidValue;
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
