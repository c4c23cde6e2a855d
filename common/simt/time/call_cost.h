/* time/call_cost.h: what calls of the API take the host. */
#pragma once

struct call_cost {
    const char *function;
    double ns, mib_ns; /* of a call at least; of each MiB that it allocates or frees */
};
/* The cost of the function, or of what has another name in call_costs.def; of one that is not there
 * that of functions which only ask or set something. */
const struct call_cost *call_cost(const char *function);
