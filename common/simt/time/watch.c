/* time/watch.c: keeps what warps waited for, up to a number that a page can show. */
#include "watch.h"

#include "lib/memory.h"

#include <stdlib.h>

#define MAX_WAITS 40000

void watch_clear(struct watch *watch) {
    for (uint32_t i = 0; i < watch->nwarps; i++) free(watch->warps[i].waits);
    free(watch->warps);
    *watch = (struct watch){0};
}

void watch_start(struct watch *watch, const struct watched_warp *warp) {
    if (watch->full) return;
    if (watch->nwarps == watch->space) {
        watch->space = watch->space ? 2 * watch->space : 64;
        watch->warps = need(realloc(watch->warps, watch->space * sizeof *watch->warps));
    }
    watch->of_slot[warp->slot] = watch->nwarps;
    watch->warps[watch->nwarps++] = *warp;
}

void watch_add(struct watch *watch, uint32_t slot, const struct warp_wait *wait) {
    if (watch->nwaits == MAX_WAITS) watch->full = true;
    if (watch->full || !wait->cycles) return;
    struct watched_warp *warp = &watch->warps[watch->of_slot[slot]];
    if (warp->n == warp->space) {
        warp->space = warp->space ? 2 * warp->space : 64;
        warp->waits = need(realloc(warp->waits, warp->space * sizeof *warp->waits));
    }
    warp->waits[warp->n++] = *wait;
    watch->nwaits++;
}
