/* compare_read.c: two measurements of a lab, and which launches of them belong together. */
#include "labs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables ---- */

static double number_or_na(const char *text) {
    char *end;
    double value = strtod(text, &end);
    return end != text && !*end ? value : NAN;
}

static bool has_columns(const struct csv *table, const char *path, const char *const names[]) {
    for (int i = 0; names[i]; i++) {
        if (csv_column(table, names[i]) < 0) {
            fprintf(stderr, "compare: %s has no column %s\n", path, names[i]);
            return false;
        }
    }
    return true;
}

static struct csv *read_table(const char *path, const struct csv_format *format, const char *const columns[]) {
    char error[512];
    struct csv *table = csv_read(path, format, error, sizeof error);
    if (!table) fprintf(stderr, "compare: %s\n", error);
    if (table && !has_columns(table, path, columns)) {
        csv_free(table);
        table = NULL;
    }
    return table;
}

static bool read_side(struct side *side, const char *run_path, const char *metrics_path) {
    static const char *const run_columns[] = {"step", "kernel", "grid", "block", "time_ms", "status", NULL};
    static const char *const metric_columns[] = {"lab",    "step",  "kernel", "grid", "block",
                                                 "metric", "value", "device", NULL};
    side->run = read_table(run_path, &CSV_COMMAS, run_columns);
    side->metrics = side->run ? read_table(metrics_path, &CSV_COMMAS, metric_columns) : NULL;
    if (side->metrics) side->device = csv_rows(side->metrics) ? csv_get(side->metrics, 0, "device") : "?";
    return side->metrics != NULL;
}

/* ---- Launches ---- */

static bool is_cell(const struct csv *table, int row, const char *column, const char *text) {
    return strcmp(csv_get(table, row, column), text) == 0;
}

/* Is the row about a launch of this shape? */
static bool is_like(const struct csv *table, int row, const struct launch *l) {
    return is_cell(table, row, "step", l->step) && is_cell(table, row, "kernel", l->kernel) &&
           is_cell(table, row, "grid", l->grid) && is_cell(table, row, "block", l->block);
}

/* The row of a launch, in metrics.csv of the metric, in run.csv (metric NULL) the only one; -1 for none. */
static int find_row(const struct csv *table, const struct launch *l, const char *metric) {
    int before = 0;
    for (int row = 0; row < csv_rows(table); row++) {
        if (metric && !is_cell(table, row, "metric", metric)) continue;
        if (is_like(table, row, l) && before++ == l->occurrence) return row;
    }
    return -1;
}

/* How many rows before this one tell the same metric of a launch of that shape? */
static int count_before(const struct csv *metrics, int row, const struct launch *l) {
    int before = 0;
    const char *metric = csv_get(metrics, row, "metric");
    for (int i = 0; i < row; i++) before += is_like(metrics, i, l) && is_cell(metrics, i, "metric", metric);
    return before;
}

static struct launch launch_of(const struct csv *metrics, int row) {
    struct launch l = {.step = csv_get(metrics, row, "step"),
                       .kernel = csv_get(metrics, row, "kernel"),
                       .grid = csv_get(metrics, row, "grid"),
                       .block = csv_get(metrics, row, "block")};
    l.occurrence = count_before(metrics, row, &l);
    return l;
}

static bool is_known(const struct comparison *c, const struct launch *l) {
    for (int i = 0; i < c->launch_count; i++) {
        const struct launch *k = &c->launches[i];
        if (strcmp(k->step, l->step) == 0 && strcmp(k->kernel, l->kernel) == 0 && strcmp(k->grid, l->grid) == 0 &&
            strcmp(k->block, l->block) == 0 && k->occurrence == l->occurrence)
            return true;
    }
    return false;
}

/* Takes up the launch of a row of the reference's metrics, if the other side has it too. */
static bool add_launch(struct comparison *c, int row) {
    const struct csv *metrics = c->reference.metrics;
    struct launch l = launch_of(metrics, row);
    if (is_known(c, &l) || find_row(c->other.metrics, &l, csv_get(metrics, row, "metric")) < 0) return true;
    if (c->launch_count == COMPARE_LAUNCHES) {
        fprintf(stderr, "compare: %s: more than %d launches\n", c->name, COMPARE_LAUNCHES);
        return false;
    }
    c->launches[c->launch_count++] = l;
    return true;
}

static bool has_step(const struct comparison *c, const char *step) {
    for (int i = 0; i < c->launch_count; i++)
        if (strcmp(c->launches[i].step, step) == 0) return true;
    return false;
}

/* A lab may make launches on a GPU that would take the simulator too long; but of each step both must have some. */
static bool every_step_is_there(struct comparison *c) {
    const struct csv *metrics = c->reference.metrics;
    for (int row = 0; row < csv_rows(metrics); row++) {
        struct launch l = launch_of(metrics, row);
        if (is_known(c, &l)) continue;
        if (!has_step(c, l.step)) {
            fprintf(stderr, "compare: %s: step %s, %s<<<%s, %s>>>: this launch is in the reference only\n", c->name,
                    l.step, l.kernel, l.grid, l.block);
            return false;
        }
        if (strcmp(csv_get(metrics, row, "metric"), c->metrics[c->metric_count - 1]) == 0) c->left_out++;
    }
    return true;
}

static void mark_shapes(struct comparison *c) {
    for (int i = 0; i < c->launch_count; i++)
        for (int k = 0; k < c->launch_count; k++)
            if (i != k && strcmp(c->launches[i].step, c->launches[k].step) == 0 &&
                strcmp(c->launches[i].kernel, c->launches[k].kernel) == 0)
                c->launches[i].has_shapes = true;
}

static bool add_metric(struct comparison *c, const char *metric) {
    for (int i = 0; i < c->metric_count; i++)
        if (strcmp(c->metrics[i], metric) == 0) return true;
    if (c->metric_count == COMPARE_METRICS) return false;
    c->metrics[c->metric_count++] = metric;
    return true;
}

bool compare_same_kernel(const char *a, const char *b) {
    size_t length = strcspn(a, "(");
    return strcspn(b, "(") == length && strncmp(a, b, length) == 0;
}

bool compare_recorded(const struct comparison *c, const char *metric) {
    for (int row = 0; row < csv_rows(c->reference.metrics); row++)
        if (is_cell(c->reference.metrics, row, "metric", metric)) return true;
    return false;
}

/* Lists the launches and the metrics of the reference, the judged metrics first. */
static bool take_up(struct comparison *c) {
    for (int i = 0; compare_bounded(i); i++)
        if (compare_recorded(c, compare_bounded(i)->metric)) add_metric(c, compare_bounded(i)->metric);
    for (int row = 0; row < csv_rows(c->reference.metrics); row++)
        if (!add_launch(c, row) || !add_metric(c, csv_get(c->reference.metrics, row, "metric"))) return false;
    if (!every_step_is_there(c)) return false;
    mark_shapes(c);
    if (c->launch_count == 0) fprintf(stderr, "compare: the reference has no step\n");
    return c->launch_count > 0;
}

/* ---- Values ---- */

static double metric_value(const struct side *side, const struct launch *l, const char *metric) {
    return number_or_na(csv_get(side->metrics, find_row(side->metrics, l, metric), "value"));
}

static double time_value(const struct side *side, const struct launch *l) {
    int row = find_row(side->run, l, NULL);
    return row >= 0 && is_cell(side->run, row, "status", "ok") ? number_or_na(csv_get(side->run, row, "time_ms")) : NAN;
}

struct pair compare_metric(const struct comparison *c, const char *metric, int launch) {
    const struct launch *l = &c->launches[launch];
    return (struct pair){metric_value(&c->reference, l, metric), metric_value(&c->other, l, metric)};
}

struct pair compare_time(const struct comparison *c, int launch) {
    const struct launch *l = &c->launches[launch];
    return (struct pair){time_value(&c->reference, l), time_value(&c->other, l)};
}

/* ---- The whole ---- */

/* plots/reference/h200/lab1-debug.csv is called lab1-debug. */
static void name_after(struct comparison *c, const char *path) {
    const char *slash = strrchr(path, '/');
    snprintf(c->name, sizeof c->name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(c->name, '.');
    if (dot) *dot = '\0';
}

/* An order is excused by no reason. */
static bool reasons_are_fit(const struct csv *reasons, const char *path) {
    for (int row = 0; row < csv_rows(reasons); row++) {
        if (!is_cell(reasons, row, "metric", "order")) continue;
        fprintf(
            stderr,
            "compare: %s:%d: no reason excuses the order of two times; a reversal stands in the list of open ones\n",
            path, csv_line(reasons, row));
        return false;
    }
    return true;
}

static bool read_reasons(struct comparison *c, const struct compare_files *files) {
    static const char *const reasons[] = {"metric", "kernel", "within", "reason", NULL};
    static const char *const open[] = {"recording", "slower", "faster", "measured", "simulated", NULL};
    if (files->reasons && !(c->reasons = read_table(files->reasons, &CSV_TABS, reasons))) return false;
    if (c->reasons && !reasons_are_fit(c->reasons, files->reasons)) return false;
    return !files->open || (c->open = read_table(files->open, &CSV_TABS, open));
}

bool compare_read(struct comparison *c, const struct compare_files *files) {
    *c = (struct comparison){0};
    name_after(c, files->reference_run);
    return read_reasons(c, files) && read_side(&c->reference, files->reference_run, files->reference_metrics) &&
           read_side(&c->other, files->run, files->metrics) && take_up(c) && compare_find_reversals(c);
}

void compare_free(struct comparison *c) {
    struct csv *const tables[] = {c->reference.run, c->reference.metrics, c->other.run,
                                  c->other.metrics, c->reasons,           c->open};
    free(c->reversals);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) csv_free(tables[i]);
}
