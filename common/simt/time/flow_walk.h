/* time/flow_walk.h: how often the machine code's instructions ran. */
#pragma once

#include <stdbool.h>

struct counters;
struct kernel;
struct trace;

/* Replace what counters say of instructions, branches and operations, which is estimated from the
 * PTX, by what the machine code counts on the ways that the traced threads took. False: the kernel
 * has no machine code, or its ways do not follow from it; counters stay as they are. */
bool flow_counters(const struct kernel *kernel, const struct trace *trace,
                   struct counters *counters);
