/* see/source.c: counts by instruction, and their sums by line (see/source.h). */
#include "source.h"

#include "lib/csv.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/rowfile.h"
#include "see.h"
#include "simt/decode/decode.h"
#include "simt/machine/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of an instruction, or of a line. */
struct counts {
    struct counters counters;
    uint64_t ideal_sectors;
};

/* Of a worker: the counters at its last step, whose instruction takes what they rise by. */
struct source_counts {
    struct counters before;
    uint32_t last;
    struct counts by_insn[];
};

struct source {
    const struct kernel *kernel;
    struct counts *by_insn;
    double *cycles; /* INSN_CYCLES for each instruction */
};

/* A row: all instructions of a line. */
struct line {
    const struct launch *launch;
    const char *file;
    int32_t number;
    struct counts counts;
    double cycles[INSN_CYCLES]; /* percent of the launch's */
};

static struct rowfile *file;

/* ---- The file ---- */

static void source_put_header(FILE *out, const void *unused) {
    (void)unused;
    fputs("launch,parent,kernel,file,line", out);
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (see_is_of_instructions((uint32_t)i)) fprintf(out, ",%s", counter_names[i]);
    fputs(",ideal_sectors", out);
#define STALL(NAME, name) fputs(",stall_" #name, out);
#include "simt/time/stalls.def"
    fputs(",issuing\n", out);
}

static void put_line(FILE *out, const void *context) {
    const struct line *line = context;
    const uint64_t *counters = (const uint64_t *)&line->counts.counters;
    fprintf(out, "%lu,%lu,%s,", line->launch->number, line->launch->parent, line->launch->name);
    csv_put(out, line->file, ',');
    fprintf(out, ",%" PRId32, line->number);
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (see_is_of_instructions((uint32_t)i)) fprintf(out, ",%" PRIu64, counters[i]);
    fprintf(out, ",%" PRIu64, line->counts.ideal_sectors);
    for (int i = 0; i < INSN_CYCLES; i++)
        if (line->launch->timing)
            fprintf(out, ",%.15g", line->cycles[i]);
        else
            fputs(",NA", out);
    putc('\n', out);
}

bool source_open(const char *path) {
    const char *check = getenv("SIMT_CHECK");
    if (check && *check && strcmp(check, "0") != 0)
        return fail_with("--source and --check: one at a time");
    file = rowfile_open("counts by line", path, source_put_header);
    if (file) decode_watch = see_decode;
    return file;
}

bool source_is_open(void) {
    return rowfile_is_open(file);
}

void source_close(void) {
    rowfile_close(file);
}

/* ---- Counting ---- */

void source_worker_open(struct worker *worker) {
    if (!worker->grid->launch->source) return;
    worker->source = need(calloc(1, sizeof *worker->source +
                                        worker->kernel->ninsns * sizeof *worker->source->by_insn));
}

void source_worker_close(struct worker *worker) {
    free(worker->source);
}

static void add_counts(struct counts *sum, const struct counts *part) {
    counters_add(&sum->counters, &part->counters);
    sum->ideal_sectors += part->ideal_sectors;
}

/* Of one request to global memory. */
static uint64_t ideal_sectors(const struct counters *now, const struct counters *before) {
    uint64_t bytes = now->gld_bytes + now->gst_bytes - before->gld_bytes - before->gst_bytes;
    return least_sectors(bytes, now->gld_sectors + now->gst_sectors - before->gld_sectors -
                                    before->gst_sectors);
}

/* The last step's instruction takes what was counted since. */
static void source_take_counts(struct worker *worker) {
    struct source_counts *counts = worker->source;
    counts->by_insn[counts->last].ideal_sectors +=
        ideal_sectors(&worker->counters, &counts->before);
    uint64_t *sum = (uint64_t *)&counts->by_insn[counts->last].counters,
             *before = (uint64_t *)&counts->before;
    const uint64_t *now = (const uint64_t *)&worker->counters;
    for (int i = 0; i < COUNTER_COUNT; i++) sum[i] += now[i] - before[i];
    counts->before = worker->counters;
}

void source_step(struct worker *worker, const struct see_step *step) {
    source_take_counts(worker);
    worker->source->last = step->in_kernel;
}

static void add_tally(struct counters *sum, const struct block_cost *cost,
                      const struct tally *tally) {
    counters_add_block(sum, cost, tally->warps, tally->threads);
}

void source_collect(struct source *source, struct worker *worker) {
    if (!source || !source->kernel->ninsns) return;
    source_take_counts(worker);
    for (uint32_t i = 0; i < source->kernel->ninsns; i++) {
        const struct see_step *step = source->kernel->steps[i];
        struct counters *sum = &source->by_insn[i].counters;
        add_counts(&source->by_insn[i], &worker->source->by_insn[i]);
        add_tally(sum, &step->cost, &worker->tallies[step->tally]);
        if (step->guarded_tally != NO_TALLY)
            add_tally(sum, &step->guarded, &worker->tallies[step->guarded_tally]);
    }
}

/* ---- A launch ---- */

struct source *source_new(const struct kernel *kernel) {
    if (!source_is_open()) return NULL;
    struct source *source = need(calloc(1, sizeof *source));
    source->kernel = kernel;
    source->by_insn = need(calloc(kernel->ninsns + 1, sizeof *source->by_insn));
    source->cycles =
        need(calloc((size_t)(kernel->ninsns + 1) * INSN_CYCLES, sizeof *source->cycles));
    return source;
}

void source_drop(struct source *source) {
    if (!source) return;
    free(source->by_insn);
    free(source->cycles);
    free(source);
}

double *source_insn_cycles(const struct source *source) {
    return source ? source->cycles : NULL;
}

/* Percent of the launch's cycles that each reason takes; what is left, warps issue. */
static void take_shares(const struct timing *timing, double share[INSN_CYCLES]) {
    share[CYCLES_ISSUING] = 100;
#define STALL(NAME, name) share[STALL_##NAME] = timing->stall_##name;
#include "simt/time/stalls.def"
    for (int i = 0; i < STALL_COUNT; i++) share[CYCLES_ISSUING] -= share[i];
}

/* Turn the replayed cycles into percent of the launch's. */
static void scale_cycles(struct source *source, const struct timing *timing) {
    double share[INSN_CYCLES], sum[INSN_CYCLES] = {0};
    size_t n = (size_t)source->kernel->ninsns * INSN_CYCLES;
    take_shares(timing, share);
    for (size_t i = 0; i < n; i++) sum[i % INSN_CYCLES] += source->cycles[i];
    for (size_t i = 0; i < n; i++)
        if (source->cycles[i] > 0)
            source->cycles[i] *= share[i % INSN_CYCLES] / sum[i % INSN_CYCLES];
}

/* Where the instruction comes from. Without line information: the file "", line 0. */
static struct line source_line_of(const struct see_step *step) {
    struct line line = {0};
    if (!text_source(step->function->module, step->insn, &line.file, &line.number)) line.number = 0;
    return line;
}

static int by_place(const void *one, const void *other) {
    const struct line *a = one, *b = other;
    int files = strcmp(a->file, b->file);
    return files ? files : (a->number > b->number) - (a->number < b->number);
}

static void source_add_line(struct line *sum, const struct line *part) {
    add_counts(&sum->counts, &part->counts);
    for (int i = 0; i < INSN_CYCLES; i++) sum->cycles[i] += part->cycles[i];
}

/* Does anything but zeros stand in the row? */
static bool counts(const struct line *line) {
    bool any = line->counts.counters.ptx_executed;
    for (int i = 0; i < INSN_CYCLES; i++) any |= line->cycles[i] > 0;
    return any;
}

void source_write(struct source *source, const struct launch *launch) {
    if (!source) return;
    uint32_t n = source->kernel->ninsns;
    struct line *lines = need(calloc(n + 1, sizeof *lines));
    if (launch->timing) scale_cycles(source, launch->timing);
    for (uint32_t i = 0; i < n; i++) {
        lines[i] = source_line_of(source->kernel->steps[i]);
        lines[i].launch = launch;
        lines[i].counts = source->by_insn[i];
        memcpy(lines[i].cycles, source->cycles + (size_t)i * INSN_CYCLES, sizeof lines[i].cycles);
    }
    qsort(lines, n, sizeof *lines, by_place);
    for (uint32_t i = 0, first = 0; i < n; i++) {
        if (i != first && by_place(&lines[i], &lines[first]) == 0)
            source_add_line(&lines[first], &lines[i]);
        else
            first = i;
        bool ends = i + 1 == n || by_place(&lines[i + 1], &lines[first]) != 0;
        if (ends && counts(&lines[first])) rowfile_add(file, put_line, &lines[first]);
    }
    free(lines);
}
