/* nested.h: the kernels that a host's kernel launched, and that those launched, counted by kernel and depth. */
#ifndef LABPROF_NESTED_H
#define LABPROF_NESTED_H

#include <stdbool.h>

#include "lib/csv.h"
#include "samples.h"

/* Read the nested launches of simt's profile, whose rows name their parent, into the samples of the host's kernels.
 * first: the first sample of this profile; those before are of other processes. Launches that failed do not count.
 */
void nested_count(const struct csv *profile, struct samples *samples, int first);

#endif
