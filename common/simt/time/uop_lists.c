/* time/uop_lists.c: see time/uop_lists.h. */
#include "uop_lists.h"

/* How many enters of the same block there are in a row from *at on, `most` at the most; steps *at
 * after them. Blocks whose instructions stand in other blocks' lists may come in between, unless
 * they may be those of a function. */
static uint32_t same_runs(const struct kernel *kernel, const struct warp_trace *trace, uint32_t *at,
                          uint32_t most) {
    uint32_t n = 1, tally = trace->enters[*at].tally, next = ++*at;
    while (n < most && next < trace->nenters) {
        const struct uop_list *list = &kernel->uop_lists[trace->enters[next].tally];
        bool same = trace->enters[next].tally == tally;
        if (!same && (kernel->ncodes > 1 || !list->machine || list->n)) break;
        next++;
        if (!same) continue;
        n++;
        *at = next;
    }
    return n;
}

const struct uop_list *uop_list_at(const struct kernel *kernel, const struct warp_trace *trace,
                                   uint32_t *at) {
    const struct uop_list *list = &kernel->uop_lists[trace->enters[*at].tally];
    for (;;) {
        uint32_t wanted = list->runs > 1 ? list->runs : 1, after = *at;
        uint32_t runs = same_runs(kernel, trace, &after, wanted);
        if (runs == wanted || !list->shorter) {
            *at = after;
            return list;
        }
        list = list->shorter;
    }
}
