/* time/persistent_blocks.h: which of the traced blocks stand for all blocks of a grid, and which
 * comes first. */
#pragma once

#include "simt/machine/trace.h"

/* Fill *chosen with the traced blocks to replay, in their order. one: each multiprocessor has one
 * block. It shares the warps' words with all, which must live as long. Free it by
 * persistent_blocks_close(). */
void persistent_blocks_open(const struct trace *all, bool one, struct trace *chosen);
void persistent_blocks_close(struct trace *chosen);
