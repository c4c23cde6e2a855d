/* decode/flow.h: makes machine/flow.h's flow. */
#pragma once

#include "decode.h"

struct flow;
struct machine_insn;

/* Take down which PTX instruction of the function each machine instruction was made from; NULL:
 * none of this function's. */
void flow_note(struct decoder *d, const struct machine_code *code, const struct ptx_insn **insns);
/* Make the flow of a kernel whose functions were all noted, before its first use; later calls do
 * nothing. One thread at a time. */
void flow_make(const struct kernel *kernel, int capability);
void flow_free(struct flow *flow);
/* How many machine instructions like this one a run of the PTX instruction has, which counts for
 * `weight` of them; 0: that differs. */
uint32_t flow_alike(const struct machine_insn *m, const struct ptx_insn *insn, uint16_t weight);
