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

/* How often the replay issues what the lists of uops have, but for what pipe_happens(), to issue as
 * many instructions as the machine code does on these ways. */
struct flow_shares {
    float *insns;   /* by machine instruction: how often in a pass of its list */
    float *repeats; /* by tally: passes of a list for those that run more than once, beside one */
};
/* False: the ways are not known. */
bool flow_shares(const struct kernel *kernel, const struct trace *trace,
                 struct flow_shares *shares);
void flow_shares_free(struct flow_shares *shares);
