/* compare: sets two measurements of one lab side by side, step by step, and judges them: does the simulator say what
 * the hardware says?
 *
 *   compare [--reasons REASONS.tsv] [--output TABLE.md] REFERENCE_RUN.csv REFERENCE_METRICS.csv RUN.csv METRICS.csv
 *
 * The files are those of a lab: run.csv with the times, metrics.csv with the metrics. Prints a summary, and writes the
 * whole comparison as Markdown. A reason (columns metric, kernel or *, reason) explains a difference; it does not
 * excuse one. Exit status: 0 all within their bounds, 1 some not, 2 the files cannot be compared. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/csv.h"
#include "tools/outfile.h"

enum { EXIT_NOT_WITHIN = 1, EXIT_BAD_USE = 2, MAX_STEPS = 256, MAX_METRICS = 256 };

/* How far apart two values may be. */
enum bound_kind {
    SAME,    /* not at all */
    POINTS,  /* so many percentage points */
    PERCENT, /* so many percent of the reference */
    FACTOR,  /* so many times as much, or as little */
    UNBOUND  /* shown, not judged */
};

struct bound {
    const char *metric;
    enum bound_kind kind;
    double limit;
};

/* What is counted must be the same; what the compiler's last stage changes may differ by as much as it does; a modelled
 * time may be off by two. */
static const struct bound bounds[] = {
    {"gld_transactions", SAME, 0},    {"gst_transactions", SAME, 0},   {"gld_requests", SAME, 0},
    {"gst_requests", SAME, 0},        {"gld_efficiency", POINTS, 0.5}, {"gst_efficiency", POINTS, 0.5},
    {"branch_efficiency", POINTS, 2}, {"inst_per_warp", PERCENT, 25},
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

static const struct bound time_bound = {"time", FACTOR, 2};

#define LEAST_ORDER 0.9 /* Spearman's rank correlation of the times */

/* One of the two measurements. */
struct side {
    struct csv *run, *metrics;
    const char *device;
};

/* A step that both have. */
struct step {
    const char *number, *kernel;
};

/* Both values of one thing in one step. */
struct pair {
    double reference, other;
};

struct comparison {
    struct side reference, other;
    struct csv *reasons; /* NULL: none given */
    struct step steps[MAX_STEPS];
    int step_count;
    const char *metrics[MAX_METRICS]; /* judged ones first */
    int metric_count;
    int failures;
};

/* ---- Reading ------------------------------------------------------------------------------------------------------
 */

static bool number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end;
}

static double number_or_na(const char *text) {
    double value;
    return number(text, &value) ? value : NAN;
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
    static const char *const run_columns[] = {"step", "time_ms", "status", NULL};
    static const char *const metric_columns[] = {"step", "kernel", "grid", "block", "metric", "value", "device", NULL};
    side->run = read_table(run_path, &CSV_COMMAS, run_columns);
    side->metrics = side->run ? read_table(metrics_path, &CSV_COMMAS, metric_columns) : NULL;
    if (side->metrics) side->device = csv_rows(side->metrics) ? csv_get(side->metrics, 0, "device") : "?";
    return side->metrics != NULL;
}

/* The row of a step in metrics.csv, of one metric or of any (NULL); -1 for none. */
static int metric_row(const struct side *side, const char *step, const char *metric) {
    for (int row = 0; row < csv_rows(side->metrics); row++)
        if (strcmp(csv_get(side->metrics, row, "step"), step) == 0 &&
            (!metric || strcmp(csv_get(side->metrics, row, "metric"), metric) == 0))
            return row;
    return -1;
}

static double metric_value(const struct side *side, const char *step, const char *metric) {
    return number_or_na(csv_get(side->metrics, metric_row(side, step, metric), "value"));
}

/* A step's time, in milliseconds; NaN when it did not end well. */
static double step_time(const struct side *side, const char *step) {
    for (int row = 0; row < csv_rows(side->run); row++)
        if (strcmp(csv_get(side->run, row, "step"), step) == 0 && strcmp(csv_get(side->run, row, "status"), "ok") == 0)
            return number_or_na(csv_get(side->run, row, "time_ms"));
    return NAN;
}

static bool same_cell(const struct comparison *c, int a, int b, const char *column) {
    const char *x = csv_get(c->reference.metrics, a, column), *y = csv_get(c->other.metrics, b, column);
    if (strcmp(x, y) == 0) return true;
    fprintf(stderr, "compare: step %s: %s is %s in the reference and %s in the other\n",
            csv_get(c->reference.metrics, a, "step"), column, x, y);
    return false;
}

/* Takes up a step of the reference; the other must have measured the same kernel on the same problem. */
static bool add_step(struct comparison *c, int row) {
    const char *step = csv_get(c->reference.metrics, row, "step");
    for (int i = 0; i < c->step_count; i++)
        if (strcmp(c->steps[i].number, step) == 0) return true;
    int match = metric_row(&c->other, step, NULL);
    if (match < 0 || c->step_count == MAX_STEPS) {
        fprintf(stderr, "compare: step %s is in the reference only\n", step);
        return false;
    }
    c->steps[c->step_count++] = (struct step){step, csv_get(c->reference.metrics, row, "kernel")};
    return same_cell(c, row, match, "kernel") && same_cell(c, row, match, "grid") && same_cell(c, row, match, "block");
}

static bool add_metric(struct comparison *c, const char *metric) {
    for (int i = 0; i < c->metric_count; i++)
        if (strcmp(c->metrics[i], metric) == 0) return true;
    if (c->metric_count == MAX_METRICS) return false;
    c->metrics[c->metric_count++] = metric;
    return true;
}

static bool mentioned(const struct side *side, const char *metric) {
    for (int row = 0; row < csv_rows(side->metrics); row++)
        if (strcmp(csv_get(side->metrics, row, "metric"), metric) == 0) return true;
    return false;
}

/* Lists the steps and the metrics of the reference, the judged metrics first. */
static bool take_up(struct comparison *c) {
    for (int i = 0; i < BOUNDS; i++)
        if (mentioned(&c->reference, bounds[i].metric)) add_metric(c, bounds[i].metric);
    for (int row = 0; row < csv_rows(c->reference.metrics); row++)
        if (!add_step(c, row) || !add_metric(c, csv_get(c->reference.metrics, row, "metric"))) return false;
    if (c->step_count == 0) fprintf(stderr, "compare: the reference has no step\n");
    return c->step_count > 0;
}

/* ---- Judging ------------------------------------------------------------------------------------------------------
 */

static struct bound bound_of(const char *metric) {
    for (int i = 0; i < BOUNDS; i++)
        if (strcmp(bounds[i].metric, metric) == 0) return bounds[i];
    return (struct bound){metric, UNBOUND, 0};
}

/* How far apart, in the terms of the bound: a difference, or for a factor the larger over the smaller. */
static double distance(const struct bound *bound, struct pair p) {
    if (bound->kind == PERCENT) return 100 * fabs(p.other - p.reference) / fabs(p.reference);
    if (bound->kind == FACTOR) return p.other > p.reference ? p.other / p.reference : p.reference / p.other;
    return fabs(p.other - p.reference);
}

/* A value that is not there is not within any bound, unless the reference has none either. */
static bool within(const struct bound *bound, struct pair p) {
    return bound->kind == UNBOUND || isnan(p.reference) || distance(bound, p) <= bound->limit;
}

static struct pair pair_of(const struct comparison *c, const struct bound *bound, int step) {
    const char *at = c->steps[step].number;
    if (bound == &time_bound) return (struct pair){step_time(&c->reference, at), step_time(&c->other, at)};
    return (struct pair){metric_value(&c->reference, at, bound->metric), metric_value(&c->other, at, bound->metric)};
}

/* The rank of a value among others, from 1; equal values share the average of their ranks. */
static double rank(const double *values, int count, int index) {
    int below = 0, equal = 0;
    for (int i = 0; i < count; i++) {
        below += values[i] < values[index];
        equal += values[i] == values[index];
    }
    return below + (equal + 1) / 2.0;
}

/* Pearson's correlation of the ranks. */
static double spearman(const double *x, const double *y, int count) {
    double mean = (count + 1) / 2.0, xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < count; i++) {
        double a = rank(x, count, i) - mean, b = rank(y, count, i) - mean;
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return xy / sqrt(xx * yy);
}

/* Spearman's rho of the times; NaN when fewer than two steps have both. */
static double time_order(const struct comparison *c) {
    double x[MAX_STEPS], y[MAX_STEPS];
    int count = 0;
    for (int i = 0; i < c->step_count; i++) {
        struct pair p = pair_of(c, &time_bound, i);
        if (isnan(p.reference) || isnan(p.other)) continue;
        x[count] = p.reference;
        y[count++] = p.other;
    }
    return count < 2 ? NAN : spearman(x, y, count);
}

/* ---- Writing ------------------------------------------------------------------------------------------------------
 */

static void put_number(FILE *out, double value) {
    if (isnan(value))
        fprintf(out, "NA");
    else if (value == floor(value) && fabs(value) < 1e15)
        fprintf(out, "%.0f", value);
    else
        fprintf(out, "%.*f", fabs(value) < 1 ? 4 : 2, value);
}

static void put_bound(FILE *out, const struct bound *bound) {
    switch (bound->kind) {
    case SAME: fprintf(out, "equal"); break;
    case POINTS: fprintf(out, "%g points", bound->limit); break;
    case PERCENT: fprintf(out, "%g %%", bound->limit); break;
    case FACTOR: fprintf(out, "factor %g", bound->limit); break;
    case UNBOUND: fprintf(out, "none"); break;
    }
}

static void put_distance(FILE *out, const struct bound *bound, struct pair p) {
    double d = distance(bound, p);
    if (isnan(d))
        fprintf(out, "NA");
    else if (bound->kind == FACTOR)
        fprintf(out, "%.2f times", d);
    else if (bound->kind == PERCENT)
        fprintf(out, "%.1f %%", d);
    else
        put_number(out, d);
}

static const char *verdict(bool ok) {
    return ok ? "pass" : "**FAIL**";
}

/* The reasons given for a metric, each with the kernel it is about. */
static void put_reasons(const struct comparison *c, const char *metric, FILE *out) {
    for (int row = 0; c->reasons && row < csv_rows(c->reasons); row++) {
        const char *kernel = csv_get(c->reasons, row, "kernel");
        if (strcmp(csv_get(c->reasons, row, "metric"), metric) != 0) continue;
        fprintf(out, "\nWhy it differs%s%s: %s\n", strcmp(kernel, "*") == 0 ? "" : ", ",
                strcmp(kernel, "*") == 0 ? "" : kernel, csv_get(c->reasons, row, "reason"));
    }
}

static void put_table(const struct comparison *c, const struct bound *bound, FILE *out) {
    fprintf(out, "\n## %s\n\n", bound == &time_bound ? "time, ms" : bound->metric);
    fprintf(out, "| step | kernel | %s | %s | difference | bound | |\n|--:|---|--:|--:|--:|---|---|\n",
            c->reference.device, c->other.device);
    for (int i = 0; i < c->step_count; i++) {
        struct pair p = pair_of(c, bound, i);
        fprintf(out, "| %s | `%s` | ", c->steps[i].number, c->steps[i].kernel);
        put_number(out, p.reference);
        fprintf(out, " | ");
        put_number(out, p.other);
        fprintf(out, " | ");
        put_distance(out, bound, p);
        fprintf(out, " | ");
        put_bound(out, bound);
        fprintf(out, " | %s |\n", bound->kind == UNBOUND ? "" : verdict(within(bound, p)));
    }
    put_reasons(c, bound->metric, out);
}

/* The step that is farthest apart; one whose value is missing counts as farthest. -1 when nothing can be said. */
static int worst_step(const struct comparison *c, const struct bound *bound) {
    int worst = -1;
    double most = -1;
    for (int i = 0; i < c->step_count; i++) {
        struct pair p = pair_of(c, bound, i);
        if (!within(bound, p) && isnan(distance(bound, p))) return i;
        if (distance(bound, p) > most) {
            most = distance(bound, p);
            worst = i;
        }
    }
    return worst;
}

static int count_failures(const struct comparison *c, const struct bound *bound) {
    int failures = 0;
    for (int i = 0; i < c->step_count; i++) failures += !within(bound, pair_of(c, bound, i));
    return failures;
}

static void put_summary_row(struct comparison *c, const struct bound *bound, FILE *out) {
    int worst = worst_step(c, bound), failures = count_failures(c, bound);
    if (bound->kind == UNBOUND) return;
    c->failures += failures;
    fprintf(out, "| %s | ", bound->metric);
    put_bound(out, bound);
    fprintf(out, " | ");
    if (worst >= 0) put_distance(out, bound, pair_of(c, bound, worst));
    fprintf(out, " | %s | %s |\n", worst >= 0 ? c->steps[worst].kernel : "", verdict(failures == 0));
}

static void put_order_row(struct comparison *c, FILE *out) {
    double order = time_order(c);
    bool ok = order >= LEAST_ORDER; /* false for NaN */
    c->failures += !ok;
    fprintf(out, "| order of the times (Spearman's rho) | at least %g | ", LEAST_ORDER);
    put_number(out, order);
    fprintf(out, " | | %s |\n", verdict(ok));
}

/* What would be judged, had the reference recorded it. */
static void put_unrecorded(const struct comparison *c, FILE *out) {
    for (int i = 0; i < BOUNDS; i++) {
        if (mentioned(&c->reference, bounds[i].metric)) continue;
        fprintf(out, "| %s | ", bounds[i].metric);
        put_bound(out, &bounds[i]);
        fprintf(out, " | not recorded | | |\n");
    }
}

static void put_summary(struct comparison *c, FILE *out) {
    c->failures = 0;
    fprintf(out, "| quantity | bound | largest difference | at | |\n|---|---|--:|---|---|\n");
    for (int i = 0; i < c->metric_count; i++) {
        struct bound bound = bound_of(c->metrics[i]);
        put_summary_row(c, &bound, out);
    }
    put_unrecorded(c, out);
    put_summary_row(c, &time_bound, out);
    put_order_row(c, out);
}

static void put_all(struct comparison *c, FILE *out) {
    fprintf(out, "# Lab %s: %s against %s\n\n", csv_get(c->reference.metrics, 0, "lab"), c->other.device,
            c->reference.device);
    fprintf(out, "Made by `compare` from the recorded measurements; do not edit. A difference is absolute, in points "
                 "of a percentage, or "
                 "relative to the\nreference, as its bound is.\n\n");
    put_summary(c, out);
    put_reasons(c, "order", out);
    for (int i = 0; i < c->metric_count; i++) {
        struct bound bound = bound_of(c->metrics[i]);
        put_table(c, &bound, out);
    }
    put_table(c, &time_bound, out);
}

static bool write_file(struct comparison *c, const char *path) {
    struct outfile out;
    bool ok = outfile_open(&out, path);
    if (ok) {
        put_all(c, out.file);
        ok = outfile_commit(&out);
    }
    if (!ok) fprintf(stderr, "compare: cannot write %s: %s\n", path, strerror(errno));
    return ok;
}

/* ---- The whole ----------------------------------------------------------------------------------------------------
 */

struct arguments {
    const char *reasons, *output;
    char **files; /* four */
};

static bool parse(struct arguments *a, int argc, char **argv) {
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--reasons") == 0)
            a->reasons = argv[i + 1];
        else if (strcmp(argv[i], "--output") == 0)
            a->output = argv[i + 1];
        else
            return false;
    }
    a->files = argv + i;
    return argc - i == 4;
}

static bool read_all(struct comparison *c, const struct arguments *a) {
    static const char *const columns[] = {"metric", "kernel", "reason", NULL};
    if (a->reasons && !(c->reasons = read_table(a->reasons, &CSV_TABS, columns))) return false;
    return read_side(&c->reference, a->files[0], a->files[1]) && read_side(&c->other, a->files[2], a->files[3]) &&
           take_up(c);
}

static int compare(struct comparison *c, const struct arguments *a) {
    if (!read_all(c, a)) return EXIT_BAD_USE;
    put_summary(c, stdout);
    if (a->output && !write_file(c, a->output)) return EXIT_BAD_USE;
    return c->failures ? EXIT_NOT_WITHIN : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    static struct comparison c;
    struct arguments a = {0};
    if (!parse(&a, argc, argv)) {
        fprintf(stderr, "Usage: compare [--reasons REASONS.tsv] [--output TABLE.md] REFERENCE_RUN.csv "
                        "REFERENCE_METRICS.csv RUN.csv "
                        "METRICS.csv\n");
        return EXIT_BAD_USE;
    }
    int status = compare(&c, &a);
    struct csv *const tables[] = {c.reference.run, c.reference.metrics, c.other.run, c.other.metrics, c.reasons};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) csv_free(tables[i]);
    return status;
}
