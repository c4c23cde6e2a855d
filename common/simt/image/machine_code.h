/*
 * image/machine_code.h: the machine instructions of a kernel, as ptxas wrote them: which part of a
 * multiprocessor each needs, how long the warp waits after it, and which instruction of the PTX it
 * was made from.
 *
 * From Volta on an instruction has 16 bytes [JIA18]; ptxas writes its schedule into them:
 *
 *   bits   0 .. 11   opcode
 *   bits  12 .. 14   the predicate under which it is done, 7: none
 *   bits  16 .. 19   of BSSY, BSYNC, BREAK and BMOV: where threads meet
 *   bits  40 .. 63   of a memory access: what is added to the address, in bytes
 *   bits  73 .. 75   of a memory access: 4, 5, 6 for 32, 64, 128 bits a thread
 *   bits 105 .. 108  cycles until the warp may issue the next instruction
 *   bits 110 .. 112  the barrier register that counts this result as on its way, 7: none
 *   bits 113 .. 115  the same until the sources have been read
 *   bits 116 .. 121  the barrier registers to wait for before it issues
 *
 * The line tables are those of -lineinfo and -G: .nv_debug_line_sass goes from code to lines of the
 * PTX.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_BARRIERS   6
#define NO_MACHINE_BARRIER 7
#define NO_GUARD           7  /* predicate */
#define MACHINE_MEETINGS   16 /* barrier registers of a warp's threads */

struct arena;
struct elf;

/* What an instruction does, as far as its time goes. */
enum machine_kind {
    MACHINE_ALU, /* integer and logic */
    MACHINE_FMA, /* single precision */
    MACHINE_IMAD,
    MACHINE_FP64,
    MACHINE_SFU,
    MACHINE_TENSOR, /* HMMA, IMMA, BMMA, DMMA */
    MACHINE_LOAD,   /* from any memory but constants */
    MACHINE_STORE,
    MACHINE_CONSTANT,
    MACHINE_SHUFFLE,
    MACHINE_SPECIAL, /* reads a special register */
    MACHINE_UNIFORM, /* the datapath for values that all threads share */
    MACHINE_BRANCH,
    MACHINE_CALL,
    MACHINE_RETURN,
    MACHINE_EXIT,
    MACHINE_BLOCK_BARRIER,
    MACHINE_FENCE,
    MACHINE_NOTHING
};

/* What an instruction does about the threads that wait for each other after a branch. */
enum machine_meets {
    MEETS_NOT,
    MEETS_BEGIN,   /* BSSY: these threads will wait for each other */
    MEETS_WAIT,    /* BSYNC */
    MEETS_BREAK,   /* BREAK: this thread is not waited for */
    MEETS_ALL,     /* WARPSYNC: wait for all of the warp */
    MEETS_SAVE,    /* BMOV from the barrier register, before a call */
    MEETS_RESTORE, /* BMOV to it */
};

struct machine_insn {
    uint32_t ptx_line; /* from 1; 0: unknown */
    int32_t target;    /* of a branch or call: index, or -1 */
    int32_t offset;    /* of a memory access: bytes added to the address */
    uint16_t opcode;
    uint8_t kind;  /* enum machine_kind */
    uint8_t width; /* bytes that a thread accesses, 0: none */
    uint8_t stall, result_barrier, source_barrier, waits;
    uint8_t guard;    /* predicate register, 7: none */
    bool local;       /* accesses the thread's stack */
    bool wide;        /* a product with 64 bits, or their upper half */
    char object;      /* 't': fetches from a texture, 's': accesses a surface, 0: neither */
    bool branches;    /* BRA and the like, not what only ends a block */
    uint8_t meets;    /* enum machine_meets */
    uint8_t meeting;  /* the barrier register of that */
    bool conditional; /* a branch that may not be taken although its guard holds */
    bool apart;       /* BRA.DIV: taken where the warp's threads are apart */
    int32_t added;    /* an immediate that is added to a register; 0: none */
    bool grows;       /* to the one that it writes */
    char flop;        /* of single precision: 'a': FADD, 'm': FMUL, 'f': FFMA, 0: none */
    bool thread;      /* reads a thread's number in its block */
    bool combines;    /* adds up values of a warp's threads, or counts the threads */
    bool chooses;     /* BRX: goes on at one of the code's cases */
};

struct machine_code {
    struct machine_insn *insns;
    uint32_t n;
    uint32_t *cases, ncases; /* instructions that its tables of jumps name */
};

/* Read the code of a function from section `text`; NULL: there is no table that leads to the PTX.
 * The code lives in the arena. */
const struct machine_code *machine_code_read(const struct elf *elf, uint32_t text,
                                             struct arena *arena);
