/* api/attributes.h: the attributes of a stream or a kernel node: what programs set, they read
 * again. */
#pragma once

#include <stdbool.h>

#include <cuda_runtime_api.h>

#define ATTRIBUTE_COUNT (cudaLaunchAttributeNvlinkUtilCentricScheduling + 1)

/* It starts zeroed. */
struct rt_attributes {
    cudaLaunchAttributeValue *values; /* ATTRIBUTE_COUNT of them; NULL: none has been set */
};

/* Stores an attribute. Returns cudaErrorInvalidValue for one that does not exist. */
cudaError_t rt_attribute_set(struct rt_attributes *attributes, cudaLaunchAttributeID id,
                             const cudaLaunchAttributeValue *value);
/* Reads an attribute: zeros if it was never set. */
cudaError_t rt_attribute_get(const struct rt_attributes *attributes, cudaLaunchAttributeID id,
                             cudaLaunchAttributeValue *value);
/* Returns false without memory. */
bool rt_attributes_copy(struct rt_attributes *to, const struct rt_attributes *from);
void rt_attributes_free(struct rt_attributes *attributes);
