/* time/persistent_blocks.h: which of the traced blocks stand for all blocks of a grid. */
#pragma once

#include "simt/machine/trace.h"

struct kernel;

/* Fill *chosen with the traced blocks to replay, those with more work first. It shares the
 * warps' words with all, which must live as long. Free it by persistent_blocks_close(). */
void persistent_blocks_open(const struct kernel *kernel, const struct trace *all,
                            struct trace *chosen);
void persistent_blocks_close(struct trace *chosen);
/* Machine instructions of the warp, of the block, as far as they were written down. */
double warp_issues(const struct kernel *kernel, const struct warp_trace *warp);
double block_issues(const struct kernel *kernel, const struct block_trace *block);
