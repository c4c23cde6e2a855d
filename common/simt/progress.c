/* progress.c: the time, and a line on the terminal for kernels that take long. */
#include "run.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SHOW_AFTER_NS 2000000000ll
#define SHOW_EVERY_NS 500000000ll

int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

int64_t thread_ns(void) {
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1000000000ll + used.tv_nsec;
}

/* Only the first host thread calls these. */
void progress_show(struct grid *grid) {
    int64_t now = now_ns();
    if (now - grid->started_ns < SHOW_AFTER_NS || now - grid->shown_ns < SHOW_EVERY_NS) return;
    grid->shown_ns = now;
    uint64_t done = __atomic_load_n(&grid->done_blocks, __ATOMIC_RELAXED);
    fprintf(stderr, "\rsimt: %s: %llu of %llu blocks, %lld s \033[K", grid->kernel->entry->name,
            (unsigned long long)done, (unsigned long long)grid->nblocks,
            (long long)((now - grid->started_ns) / 1000000000));
    fflush(stderr);
}

void progress_clear(struct grid *grid) {
    if (grid->shown_ns) fprintf(stderr, "\r\033[K");
}
