/* run/bench.c: with SIMT_BENCH=FILE, append a line for every launch: kernel, host threads, warp
 * instructions interpreted, seconds, processor seconds of all threads. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void bench_note(const struct grid *grid, unsigned threads, const struct counters *counters) {
    const char *path = getenv("SIMT_BENCH");
    if (!path || !*path) return;
    int64_t ended_ns = now_ns(), ended_clock = (int64_t)clock();
    FILE *file = fopen(path, "a");
    if (!file) return;
    fprintf(file, "%s,%u,%llu,%.6f,%.6f\n", grid->kernel->entry->name, threads,
            (unsigned long long)counters->ptx_executed, (double)(ended_ns - grid->started_ns) / 1e9,
            (double)(ended_clock - grid->started_clock) / CLOCKS_PER_SEC);
    fclose(file);
}
