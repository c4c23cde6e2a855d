/* native/requests.h: loads in a run. */
#ifndef SIMT_NATIVE_REQUESTS_H
#define SIMT_NATIVE_REQUESTS_H

#include "run.h"
#include "simt/machine/isa.h"

/* May the load be made without its handler, where the lanes lie as its lane pattern says? */
bool is_quick_load(const struct op *op);
/* Write the subroutines of loads. */
void write_loads(struct code_buffer *code, struct subroutines *subroutines);
void translate_load(struct run *run, const struct op *op);
/* Call op's handler. It may change rows, so none is held afterwards. */
void translate_call(struct run *run, const struct op *op);
/* What translate_load() put off to the end of the run's code. */
void write_detours(struct run *run);

/* native/translate.c: the way back to the interpreter, which goes on at the operation in rax. */
void write_return(struct run *run);

/* native/known.c: the host's bytes of the first lane's request to shared or to global memory, which it counts, where
 * all that it takes to count it is known; NULL: ask the handler. They touch no vector register. */
struct known {
    const char *at;
    uint64_t shape; /* enum lane_shape */
};
struct known known_shared(struct warp *w, const struct op *op, uint64_t address);
struct known known_global(struct warp *w, const struct op *op, uint64_t address);

#endif
