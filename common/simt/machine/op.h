/*
 * machine/op.h: an operation, which is a decoded instruction with the handler that runs it.
 *
 * A kernel is decoded once into operations of fixed size. An operation names each operand by
 * reference: where its rows lie (enum operand_rows) and a byte offset. Every operand is a row of 32
 * lanes, whether it is a register, an immediate, a parameter or a special register. So a handler is
 * the same loop over 32 lanes for all of them.
 *
 * Registers of 32 bits and narrower are rows of uint32_t (narrow values in the low bits, zeros
 * above), 64-bit ones rows of uint64_t; a predicate is one 32-bit mask.
 */
#pragma once

#include "simt/ptx/ptx.h"

enum operand_rows {
    ROWS_REGS,   /* the registers of the running function: one frame for each call */
    ROWS_LAUNCH, /* immediates, parameters, %ntid, %nctaid, %laneid: a copy for each host thread */
    ROWS_BLOCK,  /* %ctaid ...: a copy for each resident block */
    ROWS_WARP,   /* %tid, %warpid: a copy for each warp of the block */
    ROWS_COUNT
};
/* Offsets are multiples of 4, so the kind lies in the bits below. */
#define REF(kind, offset) ((uint32_t)(offset) | (uint32_t)(kind))
#define REF_KIND(ref)     ((ref)&3)
#define REF_OFFSET(ref)   ((ref) & ~3u)

struct op;
struct warp;
struct collective;

/* Run one operation for the warp's active lanes; return the next one, or NULL when the warp cannot
 * go on now. */
typedef const struct op *handler(struct warp *w, const struct op *op);
/* The part of a warp-wide operation after its lanes' values are collected. */
typedef void collective_step(struct collective *x, const struct op *op);
/* A function the program does not define (vprintf ...): called for the lanes in mask; false after a
 * fault. */
typedef bool builtin(struct warp *w, const struct op *op, uint32_t mask);

/* Which operands an instruction has is told where it is decoded. What handlers seldom need, such as
 * a rounding, they read in insn. The first 64 bytes are the hot ones. */
struct op {
    handler *run;
    uint32_t d, a, b, c; /* the result's offset in the frame; references of operands */
    uint32_t guard;      /* offset of the guarding predicate in the frame */
    uint32_t guard_flip; /* all ones for @!p */
    uint8_t type;        /* enum ptx_type */
    uint8_t size;        /* bytes of an element; cvt: of the destination's register */
    uint8_t vector;      /* elements */
    uint8_t flags;       /* enum op_flag */
    uint8_t sub;         /* which of the instruction's: PTX_ATOM_ADD, PTX_SHFL_UP, PTX_SREG_CLOCK */
    uint32_t c_flip;     /* all ones where a predicate operand is negated: c, or a vote's a */
    uint32_t d2;         /* second destination, a predicate: offset in the frame; 0: none */
    union {
        /* load, store, atomic, cp.async, ldmatrix, texture: the address is in a */
        struct {
            int64_t offset;       /* added to it */
            uint32_t alloc_cache; /* index in worker->alloc_caches */
            int32_t from_offset;  /* cp.async: added to the address in global memory, b */
            uint8_t in_frame;     /* it is one in the running function's local memory */
            uint8_t wants_old;    /* atomic: the old value is a result */
        } mem;
        /* begins a basic block, or counts the lanes of a guarded instruction */
        struct {
            uint32_t tally;        /* index in kernel->costs */
            uint32_t instructions; /* machine instructions up to the next enter */
        } enter;
        struct {
            const struct op *target;
            const struct op *join; /* where the paths meet again; NULL: not in this function */
            const struct jump_table *table; /* brx */
        } branch;
        struct {
            const struct call *args;
            builtin *builtin;
        } call;
        struct {
            uint32_t e;                  /* bfi: fourth operand */
            uint8_t truth_table;         /* lop3 */
            uint8_t carry_in, carry_out; /* reads, writes the carry flags */
        } math;
        struct {
            uint64_t true_bits; /* set: what stands for true in its type */
            uint8_t boolop;     /* enum ptx_boolop: with predicate c */
        } compare;
        struct {
            uint64_t base;  /* cvta, isspacep: SHARED_WINDOW ...; or of a variable in the frame */
            uint64_t align; /* alloca: bytes */
        } address;
        struct {
            collective_step *step;
            uint32_t members; /* reference of the lanes that take part; 0: those that are here */
            uint32_t site;    /* --check: number of the shuffle in reports */
            uint8_t is_alone; /* shuffle: each lane names itself only, and keeps its value */
        } collective;
        struct {
            uint64_t pending;  /* cp.async.wait: groups of copies that need not have arrived */
            uint8_t waits_all; /* also for copies that no group has */
        } wait;
        const struct mma *mma;
        /* --check, before an access or a fence; what is not here is as in the access */
        struct {
            int64_t offset;
            uint32_t site;            /* number of the access in reports */
            uint32_t lanes;           /* whose addresses count */
            uint8_t space;            /* enum ptx_space */
            uint8_t access;           /* enum access_flag */
            uint8_t publishes;        /* enum publishes */
            uint8_t looks_relaxed;    /* a fence must follow what it reads */
            uint8_t in_frame;         /* as in mem */
            uint8_t copies_structure; /* the load may read padding */
            uint8_t sets_bits;        /* the store may be flags |= 6 */
            uint8_t value_unknown;    /* what the store writes is in none of its operands */
        } check;
        struct flow *flow;     /* --check: what the instruction does with undefined values */
        struct see_step *step; /* --see, --source */
    };
    const uint32_t *refs; /* the elements of a vector operand */
    const struct ptx_insn *insn;
};

enum op_flag {
    OP_SIGNED = 1,    /* load: extend the sign */
    OP_WIDE = 2,      /* load, store: the register rows are 64 bits wide */
    OP_RETRIED = 2,   /* atomic: a compare-and-swap, repeated until it has success */
    OP_ADDRESS32 = 4, /* memory: the address row is 32 bits wide */
    OP_STEADY = 8,    /* memory: the lanes keep their distances, if worker->steady */
    OP_UNIFORM = 8,   /* others: one result for all lanes */
    OP_SELECTS = 16,  /* load, atomic: of a loop that swaps a word until it has a better value */
    OP_BRANCH = 16,   /* branch: one that the hardware would execute as a branch */
    OP_FTZ = 32,
    OP_VOLATILE = 64,  /* memory: may be polling */
    OP_UNCOUNTED = 128 /* memory: not a memory access on the hardware (parameters of calls) */
};

enum publishes { PUBLISHES_TO_BLOCK = 1, PUBLISHES_TO_GRID }; /* 0: to none */

struct call {
    const struct code *callee; /* NULL: through the function pointer in operand a */
    const struct ptx_insn *insn;
    const struct ptx_function *caller;
};

struct jump_table {
    const struct op **targets;
    int32_t n;
};
