/* time/replay.h: a launch's time on one multiprocessor, from a few traced blocks to all that it has
 * to run. */
#pragma once

#include "sm.h"

/* Replay share blocks on the multiprocessor: all, or enough of them to see what each further round
 * takes. Fills sums for all share blocks. False: nothing was traced. */
bool replay(const struct sm_setup *setup, uint64_t share, struct sm_sums *sums);
/* Are these all that it replays, each a traced block of its own? Then none has more to do. */
bool replay_is_whole(const struct sm_setup *setup, uint64_t share);
/* Machine instructions of a traced block, on average, as far as they were written down. */
double replay_issues(const struct trace *trace);

/* sums += times * part. */
void sm_sums_add(struct sm_sums *sums, const struct sm_sums *part, double times);
