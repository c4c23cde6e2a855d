/* time/flow_walker.h: what a walk through the machine code leaves (time/flow_walk.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct call_site;
struct flow;
struct flow_ways;
struct kernel;
struct node;
struct trace;

struct walker {
    const struct kernel *kernel;
    const struct flow *flow;
    struct node *nodes;
    uint32_t nnodes, node_capacity;
    uint32_t *first; /* by place in the word: its nodes */
    uint32_t place_capacity;
    struct call_site *calls;
    uint32_t ncalls, call_capacity;
    struct flow_ways *ways;
    uint64_t round;           /* a number of what is left out; 0: nothing */
    uint64_t steps, searched; /* searched: those of them that found ways */
    double alike;             /* warps that a walked one stands for */
    bool whole_warp;          /* all of a warp's threads go the way */
    double doubts, entries;
    double *warps, *threads, *divergent;   /* by machine block */
    double *traced_warps, *traced_threads; /* by tally */
    uint8_t *strength;                     /* by tally: the flow's, 0 where it is left out */
    double *contradicting, *words;         /* by tally */
    double *lists;                         /* by number: passes of lists of uops */
};

/* Lanes of a warp that go the same way. */
struct flow_group {
    uint32_t lanes, n;
    uint32_t *blocks; /* n, each << 8 | depth of calls */
};

/* Count what the groups of a warp execute together. */
void flow_merge(struct walker *w, const struct flow_group *groups, uint32_t n);

/* Walk the traced warps. False: their ways do not follow from the machine code. flow_walk_close()
 * frees what it keeps, in either case. */
bool flow_walk(struct walker *w, const struct kernel *kernel, const struct trace *trace);
void flow_walk_close(struct walker *w);
