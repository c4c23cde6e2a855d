/*
 * machine/flow.h: the basic blocks of a kernel's machine code, where each leads to, and which basic
 * blocks of the PTX a pass through it stands for.
 *
 * The machine code's blocks spell words over the PTX's. What a thread did is one word, which a
 * trace knows; the thread's way through the machine code is the path that spells it
 * (time/flow_walk.c):
 *
 *   machine code                    stands for
 *   A: if (n < 4) goto C            -              PTX: b b b b b b    way: A B C C D
 *   B: v v v v; if (..) goto B      b b b b
 *   C: v; if (..) goto C            b
 *   D: exit                         e
 *
 * Made by decode/flow.c.
 */
#pragma once

#include "simt/device/counters.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct kernel;
struct trace;

#define FLOW_NONE UINT32_MAX

/* Passes of one PTX block that a machine block stands for. */
struct flow_part {
    uint32_t tally;
    uint8_t runs;
    bool optional; /* under a predicate: a pass of the machine block may be without them */
    bool is_rest;  /* elsewhere a pass stands for more */
    bool is_spare; /* for a case that hardly ever happens */
};

struct flow_block {
    uint32_t from, to;      /* instructions */
    uint32_t target, next;  /* blocks; FLOW_NONE: none */
    bool calls, returns;    /* target is called, next is where it returns to */
    bool bypasses;          /* target leaps over an unrolled loop into another copy of it */
    bool combines;          /* does the atomics of a whole warp at once */
    bool is_rare;           /* it calls a subroutine that ptxas added, for rare operands mostly */
    bool meets;             /* an instruction in it has machine_meets */
    bool has_optional;      /* parts, */
    bool has_movable;       /* or parts of tallies that are movable */
    bool ends;              /* the thread may end here */
    bool chooses;           /* it goes on at one of flow->cases */
    uint32_t parts, nparts; /* in flow->parts */
    uint32_t tally;         /* of the PTX block that it is most like; FLOW_NONE: none */
    struct block_cost cost; /* of a pass */
};

/* A way that a word was found to go: what a walk finds, the kernel's next one need not. */
struct flow_way {
    uint64_t key;
    uint32_t *word, nword;
    uint32_t *blocks; /* each << 8 | depth of calls */
    uint32_t n;
    double doubts;
    uint64_t walk, steps; /* in which it was asked for last; of the search */
};

#define FLOW_WAYS 4096
struct flow_ways {
    struct flow_way of[FLOW_WAYS]; /* by key */
    uint64_t walks, kept;          /* begun; words and blocks together */
};

static inline void flow_ways_free(struct flow_ways *ways) {
    for (uint32_t i = 0; ways && i < FLOW_WAYS; i++) {
        free(ways->of[i].word);
        free(ways->of[i].blocks);
    }
    free(ways);
}

struct flow {
    struct flow_block *blocks;
    uint32_t nblocks;
    uint32_t *cases, ncases; /* blocks */
    struct flow_part *parts;
    uint32_t nparts;
    bool lacks; /* a function that the kernel calls has its code elsewhere: nothing is made */
    uint8_t
        *strength; /* by tally: how sure its parts are; 0: the machine code shows no pass of it */
    bool *movable; /* by tally: what it does may be done before its turn */
    struct block_cost *moved; /* by tally: what its threads do in other blocks, under predicates */
    struct flow_ways *ways;   /* that walks found; NULL: none, or one is at work with them */
    uint32_t *owners;         /* by machine instruction: the tally whose lists of uops stand for it;
                                 FLOW_NONE: none, or pipe_happens() */
    /* while it is made: by machine instruction, what it was made from */
    const struct ptx_insn **insns;
    uint32_t *tallies;
};
