/* extra/pools/pool.h: what graphs need of pools. */
#pragma once

#include "simt/api/runtime.h"

/* cudaFreeAsync, with the lock held. */
cudaError_t rt_free_async(void *pointer, cudaStream_t stream);
