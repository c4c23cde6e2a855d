/*
 * time/flow_shares.c: how often the replay issues what the lists of uops have.
 *
 * A list stands for a PTX block, which the trace names. Its machine instructions may run more or
 * less often than that: ptxas makes selections of a branch, merges blocks, and unrolls loops. How
 * often each ran is known from the ways of the traced threads.
 */
#include "flow_walk.h"
#include "flow_walker.h"

#include "lib/memory.h"
#include "simt/image/machine_code.h"
#include "simt/machine/flow.h"
#include "simt/machine/machine.h"
#include "simt/machine/uops.h"

#include <math.h>
#include <stdlib.h>

#define MOST_SHARE 10 /* beyond it the walk has lost its way */

static uint32_t block_of_insn(const struct flow *flow, uint32_t at) {
    uint32_t low = 0, high = flow->nblocks;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (flow->blocks[middle].from <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Instructions that the machine code issues, by the tally whose lists stand for them. To be freed.
 */
static double *issued_by_owner(const struct walker *w) {
    double *issued = need(calloc(w->kernel->ntallies + 1, sizeof *issued));
    for (uint32_t b = 0; b < w->flow->nblocks; b++)
        for (uint32_t i = w->flow->blocks[b].from; i < w->flow->blocks[b].to; i++)
            if (w->flow->owners[i] != FLOW_NONE) issued[w->flow->owners[i]] += w->warps[b];
    return issued;
}

/* What the lists of one tally have: instructions, passes of all of them, and what those ran that
 * are in the lists. */
struct listed {
    double passes, runs;
};

static struct listed listed_of(const struct walker *w, const struct uop_list *list) {
    struct listed listed = {0};
    for (; list && list->machine; list = list->shorter)
        for (uint32_t i = 0; i < list->n && w->lists[list->number] > 0; i++) {
            if (pipe_happens((enum pipe)list->items[i].pipe)) continue;
            listed.passes += w->lists[list->number];
            listed.runs += w->warps[block_of_insn(w->flow, list->items[i].at)];
        }
    return listed;
}

/* Where blocks have no list of their own, as copies of others, those of the lists run for them. */
static void share_tally(const struct walker *w, uint32_t tally, double issued,
                        struct flow_shares *shares) {
    const struct uop_list *list = &w->kernel->uop_lists[tally];
    struct listed listed = listed_of(w, list);
    double more = 0, n = 0;
    for (; list && list->machine && listed.passes > 0; list = list->shorter)
        for (uint32_t i = 0; i < list->n && w->lists[list->number] > 0; i++) {
            uint32_t at = list->items[i].at;
            double runs = w->warps[block_of_insn(w->flow, at)] / w->lists[list->number];
            double share = listed.runs > 0 ? runs * issued / listed.runs : issued / listed.passes;
            shares->insns[at] = (float)fmin(share, MOST_SHARE);
            if (pipe_happens((enum pipe)list->items[i].pipe) || share <= 1) continue;
            more += shares->insns[at] - 1;
            n++;
        }
    shares->repeats[tally] = (float)(n > 0 ? more / n : 0);
}

bool flow_shares(const struct kernel *kernel, const struct trace *trace,
                 struct flow_shares *shares) {
    struct walker w;
    *shares = (struct flow_shares){0};
    if (flow_walk(&w, kernel, trace)) {
        double *issued = issued_by_owner(&w);
        shares->insns = need(calloc(kernel->entry->machine->n + 1, sizeof *shares->insns));
        shares->repeats = need(calloc(kernel->ntallies + 1, sizeof *shares->repeats));
        for (uint32_t t = 0; t < kernel->ntallies; t++) share_tally(&w, t, issued[t], shares);
        free(issued);
    }
    flow_walk_close(&w);
    return shares->insns != NULL;
}

void flow_shares_free(struct flow_shares *shares) {
    free(shares->insns);
    free(shares->repeats);
}
