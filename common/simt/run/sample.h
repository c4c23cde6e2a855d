/*
 * run/sample.h: run a part of a grid's blocks, and count for all (--sample N).
 *
 * The first block and the last stand for themselves: at the edge of a problem a block often does
 * less. The blocks between are spread over the grid, and each stands for as many others:
 *
 *   index     0   1 ................................. n - 2   n - 1
 *   run       x     x    x  x     x  x    x   x  x     x        x
 *   counts    1     (n - 2) / (number of blocks run - 2)        1
 *
 * The blocks that the time model replays are among them. Of each array the grid is taken to touch
 * as many times more sectors than the sample as it has more blocks, but none before the first
 * that was touched or after the last.
 */
#pragma once

#include "simt/machine/launch.h"

/* How many blocks of the launch to run: as many as launch->sample, and those that are traced; 0:
 * all. All run where the grid has no more, where the order of blocks may matter
 * (decode/block_order.c), and of cooperative, checked and nested grids. */
uint64_t sample_blocks(const struct launch *launch);
/* Indices of these n blocks in ascending order, to be freed. */
uint64_t *sample_choose(const struct launch *launch, uint64_t n);
/* What n sampled blocks counted, edges apart, for all between the edges. */
void sample_scale(struct counters *counters, uint64_t blocks, uint64_t n);
