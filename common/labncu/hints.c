#include "hints.h"

#include <math.h>
#include <string.h>

#include "labprof/backend.h"
#include "lib/expr.h"
#include "lib/wrap.h"

#define SHOWN 0.1 /* of the time: a smaller cost is no hint */
enum { INDENT = 10, WIDTH = 110 };

/* Where a cost has its place, and what to look at. */
static const struct cause {
    const char *metric, *section, *advice;
} causes[] = {
    {"time_without_conflicts", "MemoryWorkloadAnalysis",
     "Threads of a warp want different words of one bank of shared memory: pad or rearrange the "
     "array."},
    {"time_without_sectors", "SourceCounters",
     "Warps touch more sectors of global memory than their data fill: let neighbouring threads "
     "read neighbouring words. --page source names the lines."},
    {"time_without_divergence", "SourceCounters",
     "Threads of a warp go different ways at branches, and both ways are executed: let the "
     "condition depend on the warp. --page source names the lines."},
    {"time_without_barriers", "WarpStateStats",
     "Warps wait at barriers: fewer barriers, or more and smaller blocks on a multiprocessor."},
    {"time_without_latency", "WarpStateStats",
     "Warps wait for memory: more independent loads in each thread, or more warps."},
    {"time_without_atomics", "WarpStateStats",
     "Warps wait for atomics on the same addresses: add up within a warp or block first."},
    {"time_without_issue", "SchedulerStats",
     "The schedulers are busy: fewer instructions for the same data."},
    {"time_without_dram", "SpeedOfLight",
     "The kernel is bound by DRAM bandwidth: move fewer bytes."},
    {"time_without_tail", "LaunchStats",
     "Multiprocessors have no work while the last blocks run: another grid, or smaller blocks."},
    {"time_without_launch", "LaunchStats",
     "The launch itself takes a good part of the time: give the kernel more to do."},
    {"time_without_occupancy", "Occupancy",
     "Too few warps are resident: see what limits the blocks above."},
};

/* The row's value of one of metrics.tsv's metrics; NaN: not recorded. */
static double value_of(const struct metrics *metrics, const char *name, struct profile_row *row) {
    const struct metric *metric = metrics_find(metrics, name);
    double value = NAN;
    return metric && expr_eval(metric->simt_expression, profile_value, row, &value) ? value : NAN;
}

bool hint_find(const struct metrics *metrics, const struct section *section,
               struct profile_row *row, struct hint *hint) {
    double time = value_of(metrics, "time_as_it_is", row), most = SHOWN;
    bool any = false;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        const struct cause *cause = &causes[i];
        if (strcmp(cause->section, section->id) != 0) continue;
        double without = value_of(metrics, cause->metric, row), part = 1 - without / time;
        if (!(part >= most)) continue;
        const struct metric *metric = metrics_find(metrics, cause->metric);
        most = part;
        any = true;
        hint->rule = cause->metric + strlen("time_");
        hint->saved = 100 * part;
        snprintf(hint->text, sizeof hint->text, "Modelled: %.2f us, and %.2f us without %s. %s",
                 time / 1e3, without / 1e3, metric->title, cause->advice);
    }
    return any;
}

void hint_print(FILE *out, const struct hint *hint) {
    char speedup[64];
    snprintf(speedup, sizeof speedup, "Est. Speedup: %.4g%%", hint->saved);
    fprintf(out, "    OPT   %-*s\n", WIDTH, speedup);
    for (const char *line = hint->text; *line;) {
        int length = wrap_length(line, 0, WIDTH);
        fprintf(out, "%*s%-*.*s\n", INDENT, "", WIDTH, length, line);
        line += length + strspn(line + length, " ");
    }
}
