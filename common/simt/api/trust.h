/* api/trust.h: the line that says how far the counts and the times of this program's kernels can be
 * trusted. */
#pragma once

#include "simt/device/counters.h"

#include <stdbool.h>

/* Notes what a kernel of the host counted. machine_code: its time is that of machine code, not of
 * PTX alone. */
void rt_trust_kernel(const struct counters *counters, bool machine_code);
/* Are the times of all kernels so far from PTX alone, and is there one? */
bool rt_trust_ptx_alone(void);
/* The line about all kernels so far; NULL: none has run, or a lab has shown it. */
const char *rt_trust(void);
