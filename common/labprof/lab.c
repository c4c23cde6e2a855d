/* lab.c: joins a lab's run table with the launches, and writes the metrics of each step. */
#include "lab.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/die.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "names.h"
#include "tables.h"

struct lab_before lab_look(const char *path) {
    struct lab_before before = {0};
    before.there = stat(path, &before.status) == 0;
    return before;
}

static bool written_since(const char *path, const struct lab_before *before) {
    struct lab_before now = lab_look(path);
    const struct stat *a = &before->status, *b = &now.status;
    if (!now.there || !before->there) return now.there;
    return a->st_ino != b->st_ino || a->st_size != b->st_size ||
           a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

static bool same_shape(const char *cell, const unsigned shape[3]) {
    unsigned wanted[3];
    if (shape[0] == 0) /* the back end does not know the shape */
        return true;
    return parse_dimensions(cell, wanted) && memcmp(wanted, shape, sizeof wanted) == 0;
}

static bool same_launch(const struct csv *run, int row, const struct sample *sample) {
    char wanted[256], have[256];
    kernel_base_name(csv_get(run, row, "kernel"), wanted, sizeof wanted);
    kernel_base_name(sample->kernel, have, sizeof have);
    return strcmp(wanted, have) == 0 && same_shape(csv_get(run, row, "grid"), sample->grid) &&
           same_shape(csv_get(run, row, "block"), sample->block);
}

/* Finds the launch of a row, from *next on, and moves *next after it. A sample that stands for all
 * launches of a kernel stays available for later rows. */
static const struct sample *find_launch(const struct csv *run, int row,
                                        const struct samples *samples, int *next) {
    for (int i = *next; i < samples->count; i++) {
        if (same_launch(run, row, &samples->items[i])) {
            if (samples->items[i].number) *next = i + 1;
            return &samples->items[i];
        }
    }
    return NULL;
}

static bool join_rows(struct lab *lab, const struct samples *samples) {
    int next = 0;
    bool missed = false;
    for (int row = 0; row < csv_rows(lab->run); row++) {
        bool todo = csv_is(lab->run, row, "status", "todo");
        const struct sample *sample = todo ? NULL : find_launch(lab->run, row, samples, &next);
        if (sample) lab->steps[lab->count++] = (struct lab_step){row, sample};
        /* A step on the CPU, with an empty grid, still to do or failed launches no kernel. */
        unsigned grid[3];
        missed |= !sample && csv_is(lab->run, row, "status", "ok") &&
                  parse_dimensions(csv_get(lab->run, row, "grid"), grid) && grid[0] && grid[1] &&
                  grid[2];
    }
    return lab->count > 0 || !missed;
}

bool lab_join(struct lab *lab, const char *path, const struct lab_before *before,
              const struct samples *samples) {
    memset(lab, 0, sizeof *lab);
    if (!written_since(path, before))
        return fail_with("the program did not write %s in this run; give it --csv %s", path, path);
    lab->run = csv_read(path, &CSV_COMMAS);
    if (!lab->run) return false;
    lab->steps = need(calloc((size_t)csv_rows(lab->run) + 1, sizeof *lab->steps));
    if (join_rows(lab, samples)) return true;
    fail_with("no launch matches a step of %s by kernel, grid and block", path);
    lab_free(lab);
    return false;
}

void lab_free(struct lab *lab) {
    csv_free(lab->run);
    free(lab->steps);
    memset(lab, 0, sizeof *lab);
}

static void put(FILE *out, const char *text, char end) {
    csv_put(out, text, ',');
    putc(end, out);
}

/* What all rows of metrics.csv have in common. */
struct table {
    FILE *out;
    const struct csv *run;
    const char *number, *backend, *device;
};

static void write_row(const struct table *table, int row, const char *metric, double value,
                      const char *unit) {
    put(table->out, table->number, ',');
    put(table->out, csv_get(table->run, row, "step"), ',');
    put(table->out, csv_get(table->run, row, "kernel"), ',');
    put(table->out, csv_get(table->run, row, "grid"), ',');
    put(table->out, csv_get(table->run, row, "block"), ',');
    put(table->out, metric, ',');
    /* Write 15 significant digits; a count has no decimals. NaN becomes NA. */
    if (isnan(value))
        fputs("NA,", table->out);
    else
        fprintf(table->out, "%.15g,", value);
    put(table->out, unit, ',');
    put(table->out, table->backend, ',');
    put(table->out, table->device, '\n');
}

static void write_nested(const struct table *table, const struct lab_step *step) {
    char name[NESTED_NAME + 64];
    for (int i = 0; i < step->sample->nested_count; i++) {
        const struct nested_launches *nested = &step->sample->nested[i];
        snprintf(name, sizeof name, "device_launches:%s@%u", nested->kernel, nested->depth);
        write_row(table, step->row, name, nested->grids, "launches");
        snprintf(name, sizeof name, "device_threads:%s@%u", nested->kernel, nested->depth);
        write_row(table, step->row, name, nested->threads, "threads");
    }
}

bool lab_write(const struct lab *lab, const char *path, const char *number,
               const struct metric_list *wanted, const char *backend, const char *device) {
    struct outfile out;
    bool ok = outfile_open(&out, path);
    if (ok) {
        fputs("lab,step,kernel,grid,block,metric,value,unit,backend,device\n", out.file);
        struct table table = {out.file, lab->run, number, backend, device};
        for (int s = 0; s < lab->count; s++) {
            const struct lab_step *step = &lab->steps[s];
            for (int m = 0; m < wanted->count; m++) {
                const struct metric *metric = wanted->items[m];
                write_row(&table, step->row, metric->name, step->sample->values[m].average,
                          metric->unit);
                if (strcmp(metric->name, "device_launches") == 0) write_nested(&table, step);
            }
        }
        ok = outfile_commit(&out);
    }
    if (!ok) fail_with("--lab-metrics: cannot write %s: %s", path, strerror(errno));
    return ok;
}

/* ---- The table on the terminal ---- */

enum { STEP_WIDTH = 4, GAP = 2, MIN_VALUE_WIDTH = 8 };

#define BYTES_PER_GB 1e9 /* as in the program's own table */

static int value_width(const struct metric *metric) {
    int width = (int)strlen(metric->name);
    return width < MIN_VALUE_WIDTH ? MIN_VALUE_WIDTH : width;
}

enum { LABEL = 160 };

/* The step's kernel; with grid and block if other rows have the same kernel. */
static void step_label(const struct lab *lab, int s, char label[LABEL]) {
    const struct csv *run = lab->run;
    int row = lab->steps[s].row, rows = 0;
    for (int i = 0; i < csv_rows(run); i++)
        rows += csv_is(run, i, "kernel", csv_get(run, row, "kernel"));
    if (rows > 1)
        snprintf(label, LABEL, "%s %s %s", csv_get(run, row, "kernel"), csv_get(run, row, "grid"),
                 csv_get(run, row, "block"));
    else
        snprintf(label, LABEL, "%s", csv_get(run, row, "kernel"));
}

static void print_value(FILE *out, double value, const struct metric *metric, int width) {
    bool rate = strcmp(metric->unit, "B/s") == 0, ratio = strcmp(metric->unit, "0-1") == 0;
    bool real = rate || strcmp(metric->unit, "%") == 0 || strchr(metric->unit, '/') ||
                strcmp(metric->unit, "0-10") == 0;
    if (isnan(value))
        fprintf(out, "  %*s", width, "NA");
    else
        fprintf(out, "  %*.*f", width,
                ratio  ? 3
                : real ? 2
                       : 0,
                rate ? value / BYTES_PER_GB : value);
}

static void print_block(const struct lab *lab, const struct metric_list *wanted, int first,
                        int last, int kernels, FILE *out) {
    fprintf(out, "%*s  %-*s", STEP_WIDTH, "step", kernels, "kernel");
    for (int m = first; m < last; m++)
        fprintf(out, "  %*s", value_width(wanted->items[m]), wanted->items[m]->name);
    fprintf(out, "\n%*s  %-*s", STEP_WIDTH, "", kernels, "");
    for (int m = first; m < last; m++) {
        const char *unit = wanted->items[m]->unit;
        fprintf(out, "  %*s", value_width(wanted->items[m]),
                strcmp(unit, "B/s") == 0 ? "GB/s" : unit);
    }
    putc('\n', out);
    for (int s = 0; s < lab->count; s++) {
        const struct lab_step *step = &lab->steps[s];
        char label[LABEL];
        step_label(lab, s, label);
        fprintf(out, "%*s  %-*s", STEP_WIDTH, csv_get(lab->run, step->row, "step"), kernels, label);
        for (int m = first; m < last; m++)
            print_value(out, step->sample->values[m].average, wanted->items[m],
                        value_width(wanted->items[m]));
        putc('\n', out);
    }
}

/* Does the row stand for its step? The first one does, or, where all are variants, as in read32(4),
 * the slowest. time: the metric. */
static bool stands_for_step(const struct lab *lab, int s, int time) {
    const char *step = csv_get(lab->run, lab->steps[s].row, "step");
    bool variant = strchr(csv_get(lab->run, lab->steps[s].row, "kernel"), '(');
    for (int i = 0; i < lab->count; i++) {
        double more =
            lab->steps[i].sample->values[time].average - lab->steps[s].sample->values[time].average;
        bool same = csv_is(lab->run, lab->steps[i].row, "step", step);
        bool other = strchr(csv_get(lab->run, lab->steps[i].row, "kernel"), '(');
        if (same && (variant ? !other || more > 0 || (more == 0 && i < s) : !other && i < s))
            return false;
    }
    return true;
}

/* Prints a sentence for each step. */
static void print_costs(const struct lab *lab, const struct metric_list *wanted, int first,
                        int width, FILE *out) {
    double *values = need(calloc((size_t)wanted->count + 1, sizeof *values));
    char label[LABEL];
    fprintf(out, "%s:\n\n", what_if_heading);
    for (int s = 0; s < lab->count; s++) {
        if (!stands_for_step(lab, s, first)) continue;
        for (int m = 0; m < wanted->count; m++) values[m] = lab->steps[s].sample->values[m].average;
        step_label(lab, s, label);
        print_what_if(out, label, wanted, values, width);
    }
    free(values);
}

void lab_print(const struct lab *lab, const struct metric_list *wanted, int width, FILE *out) {
    int kernels = (int)strlen("kernel"), columns = 0;
    char label[LABEL];
    for (int s = 0; s < lab->count; s++) {
        step_label(lab, s, label);
        int length = (int)strlen(label);
        kernels = length > kernels ? length : kernels;
    }
    /* what-ifs come last */
    while (columns < wanted->count && wanted->items[columns]->kind != KIND_WHAT_IF) columns++;
    if (lab->count == 0) fprintf(out, "No step launched a kernel.\n");
    for (int first = 0; lab->count > 0 && first < columns;) {
        int room = width - STEP_WIDTH - GAP - kernels;
        int last = first;
        do room -= GAP + value_width(wanted->items[last++]);
        while (last < columns && room >= GAP + value_width(wanted->items[last]));
        if (first > 0) putc('\n', out);
        print_block(lab, wanted, first, last, kernels, out);
        first = last;
    }
    if (lab->count == 0 || columns == wanted->count) return;
    if (columns) putc('\n', out);
    print_costs(lab, wanted, columns, width, out);
}
