/* run/bench.c: with SIMT_BENCH=FILE, append a line for every launch: kernel, host threads, warp
 * instructions interpreted, seconds, processor seconds of all threads. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void bench_note(const struct grid *grid, unsigned threads, const struct counters *counters) {
    const char *path = getenv("SIMT_BENCH");
    FILE *file = path && *path ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "%s,%u,%llu,%.6f,%.6f\n", grid->kernel->entry->name, threads,
            (unsigned long long)counters->ptx_executed, (double)(now_ns() - grid->started_ns) / 1e9,
            (double)((int64_t)clock() - grid->started_clock) / CLOCKS_PER_SEC);
    fclose(file);
}
