/*
 * time/slowest.h: the multiprocessor that memory lets wait longest. One is replayed, and draws how
 * long its reads wait. All others are like it, but draw for themselves, and the launch lasts until
 * the last one has its data.
 *
 *   a warp    |== other work ==|~~~ its slowest read ~~~|    ends at: end
 *                              ^ would end here without that wait
 *
 * With some reads by each warp, and the part of all reads that wait longer than a time, follows the
 * time after which less than one of all multiprocessors' warps ends: with a chance of a half none
 * does, where ln 2 are expected to.
 */
#pragma once

#include "dram.h"

#define SLOWEST_ENDS 256 /* of the warps that ended last */

/* What a read may wait for, on top of the shortest way. */
enum wait_kind {
    WAIT_DRAM,
    WAIT_COPY, /* a copy from the host left the data in the L2 */
    WAIT_FAR,  /* other multiprocessors did */
    WAIT_KINDS,
};

/* A warp's reads of one kind. */
struct waits {
    double most;    /* cycles that the slowest waited */
    uint64_t place; /* of the last one */
    uint32_t n;     /* of different places */
};

struct ended {
    double end; /* without the wait */
    uint32_t reads;
    enum wait_kind kind;
};

struct slowest {
    struct ended ended[SLOWEST_ENDS];
    uint32_t n;         /* that ended, in turn */
    double least, last; /* when the last warp ended: without its wait, and with it */
};

/* How long a read of what the L2 holds waits, by its rank among 256. */
double slowest_wait(const struct dram *dram, enum wait_kind kind, uint8_t rank);
/* A warp with these waits has ended. */
void slowest_end(struct slowest *s, const struct waits waits[WAIT_KINDS], double end);
/* When the last warp of n multiprocessors ends, which begin one after the other within `fill`
 * cycles, and this one at the end of them. Without reads: s->last. */
double slowest_last(const struct slowest *s, const struct dram *dram, double n, double fill);
