/* model-rows: puts the measurements of one lab at one size into a table of all labs and sizes, one row a launch.
 *
 *   model-rows --into TABLE.csv --size NAME --problem SIZE --columns METRIC,METRIC,... RUN.csv METRICS.csv
 *
 * RUN.csv and METRICS.csv are those of a lab. What the table has of this lab at this size is replaced, the rest stays,
 * in the order of labs and problem sizes. A METRICS.csv that is not there, or that lacks a launch or a metric, leaves
 * NA: a profiler that failed does not lose the times. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/csv.h"
#include "lib/outfile.h"
#include "lib/printed.h"

enum { EXIT_BAD_USE = 2, LINE = 8192, HEADER = 4096 };

#define OF_A_RUN "step,launch,kernel,grid,block,status,time_ms,time_min_ms,time_max_ms,"

struct arguments {
    const char *into, *size, *problem, *columns, *run, *metrics;
};

struct tables {
    struct csv *run, *metrics, *old; /* the last two may be NULL */
    char header[HEADER];
};

/* How many rows above this one are of its step. */
static int launches_before(const struct csv *run, int row) {
    int before = 0;
    for (int other = 0; other < row; other++)
        before += strcmp(csv_get(run, other, "step"), csv_get(run, row, "step")) == 0;
    return before;
}

static bool same_launch(const struct csv *a, int x, const struct csv *b, int y) {
    static const char *const keys[] = {"step", "kernel", "grid", "block"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(csv_get(a, x, keys[i]), csv_get(b, y, keys[i])) != 0) return false;
    return true;
}

/* How many rows above this one are launches of the same kernel in the same shape: metrics.csv has them in order. */
static int twins_before(const struct csv *run, int row) {
    int before = 0;
    for (int other = 0; other < row; other++) before += same_launch(run, other, run, row);
    return before;
}

/* The metric of a row of run.csv; NA where it was not measured. */
static const char *metric_of(const struct tables *t, int row, const char *metric) {
    int skip = twins_before(t->run, row);
    for (int m = 0; t->metrics && m < csv_rows(t->metrics); m++) {
        if (strcmp(csv_get(t->metrics, m, "metric"), metric) != 0 || !same_launch(t->run, row, t->metrics, m)) continue;
        if (skip-- == 0) return csv_get(t->metrics, m, "value");
    }
    return "NA";
}

static void put(FILE *out, const char *cell) {
    csv_put(out, cell, ',');
    putc(',', out);
}

static void put_metrics(const struct tables *t, const char *columns, int row, FILE *out) {
    char names[LINE], *rest = NULL;
    snprintf(names, sizeof names, "%s", columns);
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        put(out, metric_of(t, row, name));
}

static void put_launch(const struct tables *t, const struct arguments *a, int row, FILE *out) {
    static const char *const after[] = {"kernel", "grid", "block", "status", "time_ms", "time_min_ms", "time_max_ms"};
    put(out, csv_get(t->run, row, "lab"));
    put(out, a->size);
    put(out, a->problem);
    put(out, csv_get(t->run, row, "step"));
    fprintf(out, "%d,", launches_before(t->run, row) + 1);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) put(out, csv_get(t->run, row, after[i]));
    put_metrics(t, a->columns, row, out);
    put(out, csv_get(t->run, row, "clock"));
    csv_put(out, csv_get(t->run, row, "device"), ',');
    putc('\n', out);
}

static void put_old(const struct csv *old, int row, FILE *out) {
    for (int column = 0; column < csv_columns(old); column++) {
        csv_put(out, csv_at(old, row, column), ',');
        putc(column + 1 < csv_columns(old) ? ',' : '\n', out);
    }
}

/* Where the table's row stands against the new rows: before them, in their place, or behind. */
static int order(const struct tables *t, const struct arguments *a, int row) {
    int by_lab = atoi(csv_get(t->old, row, "lab")) - atoi(csv_get(t->run, 0, "lab"));
    if (by_lab != 0) return by_lab;
    if (strcmp(csv_get(t->old, row, "size"), a->size) == 0) return 0;
    return atol(csv_get(t->old, row, "problem")) < atol(a->problem) ? -1 : 1;
}

static void put_table(const struct tables *t, const struct arguments *a, FILE *out) {
    fprintf(out, "%s\n", t->header);
    for (int row = 0; t->old && row < csv_rows(t->old); row++)
        if (order(t, a, row) < 0) put_old(t->old, row, out);
    for (int row = 0; row < csv_rows(t->run); row++) put_launch(t, a, row, out);
    for (int row = 0; t->old && row < csv_rows(t->old); row++)
        if (order(t, a, row) > 0) put_old(t->old, row, out);
}

/* Is the header of the table that is there the one to be written? Other columns cannot be mixed. */
static bool header_fits(const struct csv *old, const char *header) {
    char line[HEADER] = "";
    for (int column = 0; column < csv_columns(old); column++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", column ? "," : "", csv_header(old, column));
    return strcmp(line, header) == 0;
}

/* A table with other columns is begun anew. */
static bool read_old(struct tables *t, const char *path) {
    char error[512];
    if (access(path, F_OK) != 0) return true;
    t->old = csv_read(path, &CSV_COMMAS, error, sizeof error);
    if (!t->old) {
        fprintf(stderr, "model-rows: %s\n", error);
        return false;
    }
    if (header_fits(t->old, t->header)) return true;
    fprintf(stderr, "model-rows: %s has other columns: it is begun anew\n", path);
    csv_free(t->old);
    t->old = NULL;
    return true;
}

static bool read_tables(struct tables *t, const struct arguments *a) {
    char error[512];
    snprintf(t->header, sizeof t->header, "lab,size,problem," OF_A_RUN "%s,clock,device", a->columns);
    t->run = csv_read(a->run, &CSV_COMMAS, error, sizeof error);
    if (!t->run || csv_column(t->run, "time_ms") < 0 || csv_rows(t->run) == 0) {
        fprintf(stderr, "model-rows: %s%s\n", t->run ? a->run : error, t->run ? " has no times" : "");
        return false;
    }
    if (access(a->metrics, F_OK) == 0 && !(t->metrics = csv_read(a->metrics, &CSV_COMMAS, error, sizeof error))) {
        fprintf(stderr, "model-rows: %s\n", error);
        return false;
    }
    return read_old(t, a->into);
}

static bool write_table(const struct tables *t, const struct arguments *a) {
    struct outfile out;
    bool ok = outfile_open(&out, a->into);
    if (ok) {
        put_table(t, a, out.file);
        ok = outfile_commit(&out);
    }
    if (!ok) fprintf(stderr, "model-rows: cannot write %s: %s\n", a->into, strerror(errno));
    return ok;
}

static bool take_flag(struct arguments *a, const char *flag, const char *value) {
    const struct {
        const char *flag, **place;
    } flags[] = {{"--into", &a->into}, {"--size", &a->size}, {"--problem", &a->problem}, {"--columns", &a->columns}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(flag, flags[i].flag) != 0) continue;
        *flags[i].place = value;
        return true;
    }
    return false;
}

static bool parse(struct arguments *a, int argc, char **argv) {
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
        if (!take_flag(a, argv[i], argv[i + 1])) return false;
    if (argc - i != 2 || !a->into || !a->size || !a->problem || !a->columns) return false;
    a->run = argv[i];
    a->metrics = argv[i + 1];
    return true;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    struct arguments a = {0};
    struct tables t = {0};
    if (!parse(&a, argc, argv)) {
        fprintf(stderr, "Usage: model-rows --into TABLE.csv --size NAME --problem SIZE --columns METRIC,METRIC,... "
                        "RUN.csv METRICS.csv\n");
        return EXIT_BAD_USE;
    }
    bool ok = read_tables(&t, &a) && write_table(&t, &a);
    struct csv *const all[] = {t.run, t.metrics, t.old};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) csv_free(all[i]);
    return ok ? EXIT_SUCCESS : EXIT_BAD_USE;
}
