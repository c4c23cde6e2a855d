/*
 * machine/uops.h: a kernel as the time model sees it: for every basic block the machine
 * instructions it compiles to, in an order that a compiler would choose, with the pipe each one
 * needs and the registers it reads and writes.
 *
 * Made by the decoder, one list for each tally that an enter operation counts; the trace names them
 * by that number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct decoder;
struct kernel;
struct ptx_insn;

/* The part of a multiprocessor that executes an instruction. */
enum pipe {
    PIPE_NONE, /* nothing is executed: its result is another name for its operands */
    PIPE_FP32,
    PIPE_INT,    /* logic, shifts right, comparisons */
    PIPE_MAD,    /* integer products */
    PIPE_EITHER, /* additions, shifts left and moves, which compilers spread over both */
    PIPE_FP64,
    PIPE_SFU,
    PIPE_TENSOR,
    PIPE_CONTROL,
    PIPE_SREG, /* reads a special register */
    PIPE_SHUFFLE,
    PIPE_MEMORY,
    PIPE_BARRIER,
    PIPE_FENCE,
    PIPE_COUNT
};

/* Is an instruction of the pipe an event, which a trace has? Others may run more or less often than
 * a list of uops has them (flow_shares() in time/flow_walk.h). */
static inline bool pipe_happens(enum pipe pipe) {
    return pipe == PIPE_MEMORY || pipe == PIPE_BARRIER || pipe == PIPE_FENCE ||
           pipe == PIPE_SHUFFLE || pipe == PIPE_TENSOR;
}

/* Units of a multiprocessor that all its schedulers share: the load/store unit takes what accesses
 * memory, shuffles, and reads a thread's number; the address divergence unit the latter, constants
 * and block barriers. */
enum uop_unit { UNIT_LOAD_STORE = 1, UNIT_DIVERGENCE = 2 };

static inline uint8_t uop_units(enum pipe pipe, bool is_constant, bool is_thread) {
    bool load_store = pipe == PIPE_MEMORY || pipe == PIPE_SHUFFLE || is_thread,
         divergence = pipe == PIPE_BARRIER || is_constant || is_thread;
    return (uint8_t)(load_store * UNIT_LOAD_STORE | divergence * UNIT_DIVERGENCE);
}

/* What one PTX instruction compiles to. */
struct uop {
    const struct ptx_insn *insn;
    uint32_t regs;          /* in kernel->uop_regs: its sources, after them its destinations */
    uint16_t issues;        /* machine instructions */
    uint16_t latency, turn; /* of the PTX, cycles of several: until the result is there, and of the
                               pipe; 0: not known */
    uint8_t sources, destinations;
    uint8_t pipe;
    uint8_t units; /* of enum uop_unit */
    /* Of machine code, where registers are not named (image/machine_code.h) */
    uint8_t stall, waits, result_barrier, source_barrier;
    uint8_t width; /* bytes that a thread accesses */
    uint8_t copy;  /* which of the runs that the list stands for it belongs to */
    bool wide;     /* a product with 64 bits, or their upper half */
    bool spills;   /* accesses what the PTX has in registers, */
    bool stores;   /* and how, */
    uint16_t word; /* and which word of the thread's stack */
    uint32_t at;   /* its place in the machine code; of the PTX, as if that had its order */
    bool jumps;    /* a call or a return; of the PTX, a call for both */
    bool combined; /* an atomic of one thread for its warp, whose values other instructions combine
                      before */
};

/* The uops of one tally, in the order in which they issue. */
struct uop_list {
    struct uop *items;
    uint32_t n;
    uint32_t runs;            /* of the block in a row that it stands for; 0, 1: one */
    bool machine;             /* machine code */
    uint32_t number;          /* of machine code: among the kernel's */
    struct uop_list *shorter; /* the same block, unrolled less; NULL: none */
};

/* Make the list of instructions [from, to) of the function being decoded and put it at
 * kernel->uop_lists[tally]. */
void uops_build(struct decoder *d, uint32_t tally, int32_t from, int32_t to);
/* Replace the lists of the function being decoded by its machine code, if the program has that and
 * says which PTX it was made from. */
void uops_from_machine(struct decoder *d);
/* Put uops of the function being decoded in the order in which a compiler would have them. */
void uops_schedule(const struct decoder *d, struct uop *uops, uint32_t n);
