/* decode/flow.h: makes machine/flow.h's flow. Private to decode. */
#ifndef SIMT_DECODE_FLOW_H
#define SIMT_DECODE_FLOW_H

#include "decode.h"

struct flow;

/* Take down which PTX instruction of the function each machine instruction was made from; NULL:
 * none of this function's. */
void flow_note(struct decoder *d, const struct machine_code *code, const struct ptx_insn **insns);
/* After all functions of the kernel were noted. */
void flow_make(struct kernel *kernel, int capability);
void flow_free(struct flow *flow);

#endif
