/* launches.h: does a step's kernel launch what it is asked to? The simulator counts it; no word of the student's does.
 *
 * The bound names the kernel, and for each depth its grids and the least number of their threads:
 *
 *     nestedTree 2/4 4/8 8/16      the host's kernel launches 2 grids of 4 threads together, those launch 4 grids of 8
 *     nestedChain 1/1*63           1 grid of at least one thread at each of 63 depths
 *     gpuRecursiveReduce 78+/156   78 grids or more
 */
#ifndef GRADE_LAUNCHES_H
#define GRADE_LAUNCHES_H

#include "steps.h"

#include "lib/results.h"

/* Compare the launches of the step's kernel in the results with the bound; step->launch says what is not there. False:
 * a bound that cannot be read. */
bool launches_judge(struct step *step, const char *bound, const struct results *results);

#endif
