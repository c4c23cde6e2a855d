/* run/grid.h: run one grid. */
#pragma once

#include "simt/machine/launch.h"

/* Run the grid to its end. Returns true, or false with fault filled in. counters: zero where
 * launch->count is false. Counters and results do not depend on launch->threads.
 * SIMT_TIMEOUT=seconds stops a kernel, with a fault, when no block of it has ended for that much
 * processor time. Without SIMT_TIMEOUT a note says that it may loop forever (run/progress.c).
 * Progress is shown on standard error. */
bool kernel_launch(struct launch *launch, struct counters *counters, struct fault *fault);
