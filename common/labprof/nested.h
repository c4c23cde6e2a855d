/* nested.h: counts nested launches by kernel and depth: the grids that a host's kernel launched,
 * and the grids that those launched. */
#pragma once

#include <stdbool.h>

#include "lib/csv.h"
#include "samples.h"

/* Adds the nested launches of simt's profile, whose rows name their parent, to the samples of the
 * host's kernels. first: index of this profile's first sample; earlier samples belong to other
 * processes. Failed launches do not count. */
void nested_count(const struct csv *profile, struct samples *samples, int first);
