/* collect.c: `compare collect`: puts the measurements of one lab at one size into a table of all
 * labs and sizes, one row a launch.
 *
 * RUN.csv and METRICS.csv are those of a lab. Rows of this lab at this size are replaced. The other
 * rows stay. The table is sorted by lab and problem size. A metric that METRICS.csv lacks is NA,
 * and so are all if there is no such file: a failed profile does not lose the times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"

#include "lib/die.h"

enum { LINE = 8192, HEADER = 4096 };

#define OF_A_RUN "step,launch,kernel,grid,block,status,time_ms,time_min_ms,time_max_ms,"

struct collection {
    const struct arguments *of;
    struct table run, metrics; /* metrics: empty if there is no such file */
    struct csv *old;           /* NULL: there is none */
    char header[HEADER];
};

/* How many rows above this one are of its step. */
static int launches_before(const struct csv *run, int row) {
    int before = 0;
    for (int other = 0; other < row; other++)
        before += csv_is(run, other, "step", csv_get(run, row, "step"));
    return before;
}

/* The metric of a row of run.csv; NA where it was not measured. */
static const char *metric_of(const struct collection *c, int row, const char *metric) {
    int found = table_find(&c->metrics, &c->run.launches[row], metric);
    return found < 0 ? "NA" : csv_get(c->metrics.csv, found, "value");
}

static void put(FILE *out, const char *cell) {
    csv_put(out, cell, ',');
    putc(',', out);
}

static void put_launch(const struct collection *c, int row, FILE *out) {
    static const char *const after[] = {"kernel",  "grid",        "block",      "status",
                                        "time_ms", "time_min_ms", "time_max_ms"};
    const struct csv *run = c->run.csv;
    put(out, csv_get(run, row, "lab"));
    put(out, c->of->size);
    put(out, c->of->problem);
    put(out, csv_get(run, row, "step"));
    fprintf(out, "%d,", launches_before(run, row) + 1);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) put(out, csv_get(run, row, after[i]));
    char names[LINE], *rest = NULL;
    snprintf(names, sizeof names, "%s", c->of->columns);
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        put(out, metric_of(c, row, name));
    put(out, csv_get(run, row, "clock"));
    csv_put(out, csv_get(run, row, "device"), ',');
    putc('\n', out);
}

static void put_old(const struct csv *old, int row, FILE *out) {
    for (int column = 0; column < csv_columns(old); column++) {
        csv_put(out, csv_at(old, row, column), ',');
        putc(column + 1 < csv_columns(old) ? ',' : '\n', out);
    }
}

/* Where an old row goes: below 0 before the new rows, 0 replaced by them, above 0 after them. */
static int order(const struct collection *c, int row) {
    int by_lab = atoi(csv_get(c->old, row, "lab")) - atoi(csv_get(c->run.csv, 0, "lab"));
    if (by_lab != 0) return by_lab;
    if (csv_is(c->old, row, "size", c->of->size)) return 0;
    return atol(csv_get(c->old, row, "problem")) < atol(c->of->problem) ? -1 : 1;
}

static void put_table(const void *collection, FILE *out) {
    const struct collection *c = collection;
    int old_rows = c->old ? csv_rows(c->old) : 0;
    fprintf(out, "%s\n", c->header);
    for (int row = 0; row < old_rows; row++)
        if (order(c, row) < 0) put_old(c->old, row, out);
    for (int row = 0; row < c->run.rows; row++) put_launch(c, row, out);
    for (int row = 0; row < old_rows; row++)
        if (order(c, row) > 0) put_old(c->old, row, out);
}

/* Does the old table have the columns of the new one? */
static bool header_fits(const struct csv *old, const char *header) {
    char line[HEADER] = "";
    for (int column = 0; column < csv_columns(old); column++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", column ? "," : "",
                 csv_header(old, column));
    return strcmp(line, header) == 0;
}

/* An old table with other columns is not kept. */
static bool read_old(struct collection *c) {
    static const char *const columns[] = {NULL};
    if (access(c->of->into, F_OK) != 0) return true;
    c->old = csv_read_columns(c->of->into, &CSV_COMMAS, columns);
    if (!c->old || header_fits(c->old, c->header)) return c->old != NULL;
    fprintf(stderr, "compare: %s has other columns: it is begun anew\n", c->of->into);
    csv_free(c->old);
    c->old = NULL;
    return true;
}

static bool read_tables(struct collection *c, char **files) {
    static const char *const run_columns[] = {"lab", "step", "kernel", "time_ms", NULL};
    static const char *const metrics_columns[] = {"lab", "step", "kernel", "metric", "value", NULL};
    if (!table_read(&c->run, files[0], run_columns)) return false;
    if (c->run.rows == 0) return fail_with("%s has no times", files[0]);
    if (access(files[1], F_OK) == 0 && !table_read(&c->metrics, files[1], metrics_columns))
        return false;
    return read_old(c);
}

int collect_launches(const struct arguments *a, int count) {
    static struct collection c;
    (void)count;
    if (!a->into || !a->size || !a->problem || !a->columns) return BAD_CALL;
    c.of = a;
    snprintf(c.header, sizeof c.header, "lab,size,problem," OF_A_RUN "%s,clock,device", a->columns);
    bool ok = read_tables(&c, a->files) && write_file(a->into, put_table, &c);
    table_free(&c.run);
    table_free(&c.metrics);
    csv_free(c.old);
    return ok ? ALL_WITHIN : CANNOT_COMPARE;
}
