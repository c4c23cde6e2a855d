/* extra/pools/pool.h: what graphs need of pools. */
#ifndef SIMT_EXTRA_POOL_H
#define SIMT_EXTRA_POOL_H

#include "simt/api/runtime.h"

/* cudaFreeAsync, with the lock held. */
cudaError_t rt_free_async(void *pointer, cudaStream_t stream);

#endif
