/* launches.h: checks that a step's kernel launches what it must. The counts come from the
 * simulator, never from the student's code.
 *
 * The bound names the launched kernel. For each depth it gives the count of grids and the least
 * count of their threads:
 *
 *     nestedTree 2/4 4/8 8/16      the host's kernel launches 2 grids of 4 threads together, those
 *                                  launch 4 grids of 8
 *     nestedChain 1/1*63           1 grid of at least one thread at each of 63 depths
 *     gpuRecursiveReduce 78+/156   78 grids or more */
#pragma once

#include "steps.h"

#include "lib/results.h"

/* Compares the step's launches in the results with the bound. step->launch gets the first
 * difference. Returns false if the bound is malformed. */
bool launches_judge(struct step *step, const char *bound, const struct results *results);
