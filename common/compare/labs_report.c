/* labs_report.c: judges the differences of one lab, and writes its tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "labs.h"

/* ---- Judgements ---- */

/* Does a reason allow this distance? The first row for the metric and the kernel, or for any
 * kernel, counts. */
static bool is_explained(const struct comparison *c, const char *metric, const char *kernel,
                         double found) {
    for (int row = 0; c->reasons && row < csv_rows(c->reasons); row++) {
        const char *about = csv_get(c->reasons, row, "kernel");
        double allowed =
            cell_number(c->reasons, row, "within"); /* NaN: the reason excuses nothing */
        if (!csv_is(c->reasons, row, "metric", metric) || isnan(allowed)) continue;
        if (strcmp(about, "*") == 0 || same_kernel(about, kernel))
            return found <= allowed; /* false for NaN */
    }
    return false;
}

/* A missing value is beyond any bound, unless the reference lacks it, too. */
struct judgement labs_judge(const struct comparison *c, const struct bound *bound, int launch) {
    struct judgement j = {.values = labs_values(c, bound->metric, launch)};
    j.distance = distance_of(bound->measure, j.values);
    if (bound->measure == RATE && j.distance != 0)
        j.distance /= labs_values(c, bound->requests, launch).reference;
    if (bound->measure == SHOWN || isnan(j.values.reference) || j.distance <= bound->limit)
        return j;
    bool explained = is_explained(c, bound->metric, c->launches[launch].cell[KERNEL], j.distance);
    j.verdict = explained ? EXPLAINED : BEYOND;
    return j;
}

/* A distance relative to its bound. */
static double share(const struct worst *w) {
    return w->found.distance / (w->bound.limit > 0 ? w->bound.limit : 1);
}

void labs_worsen(struct worst *worst, const struct comparison *c, struct bound bound, int launch) {
    struct worst other = {true, bound, labs_judge(c, &bound, launch), launch};
    if (bound.measure == SHOWN || isnan(other.found.values.reference)) return;
    bool same = worst->judged && other.found.verdict == worst->found.verdict;
    bool farther = !isnan(worst->found.distance) &&
                   !(share(&other) <= share(worst)); /* so is a missing value */
    if (same ? farther : !worst->judged || other.found.verdict > worst->found.verdict)
        *worst = other;
}

void labs_count(const struct comparison *c, int counts[BEYOND + 1]) {
    memset(counts, 0, (BEYOND + 1) * sizeof *counts);
    for (int i = 0; i < c->metric_count; i++) {
        struct bound bound = bound_of(c->metrics[i]);
        for (int k = 0; bound.measure != SHOWN && k < c->launch_count; k++)
            counts[labs_judge(c, &bound, k).verdict]++;
    }
}

/* ---- Cells ---- */

static void put_value(FILE *out, double value) {
    bool whole = value == floor(value) && fabs(value) < 1e15;
    put_number(out, value, whole ? 0 : fabs(value) < 1 ? 4 : 2);
}

static void put_bound(FILE *out, const struct bound *bound) {
    static const char *const formats[] = {[EQUAL] = "equal",
                                          [POINTS] = "%g points",
                                          [PERCENT] = "%g %%",
                                          [RATE] = "%g a request",
                                          [SHOWN] = "none"};
    fprintf(out, formats[bound->measure], bound->limit);
}

void labs_put_distance(FILE *out, const struct bound *bound, double distance) {
    if (bound->measure != PERCENT) {
        put_value(out, distance);
        return;
    }
    put_number(out, distance, 1);
    if (!isnan(distance)) fputs(" %", out);
}

const char *labs_verdict_name(enum verdict verdict) {
    static const char *const names[] = {"pass", "explained", "**FAIL**"};
    return names[verdict];
}

/* The kernel's name, and its shape where it has several. */
static void put_launch(const struct comparison *c, int launch, FILE *out) {
    const struct launch *l = &c->launches[launch];
    fprintf(out, "`%s`", l->cell[KERNEL]);
    if (c->has_shapes[launch]) fprintf(out, " %s %s", l->cell[GRID], l->cell[BLOCK]);
}

/* ---- A table for each quantity ---- */

static void put_row(const struct comparison *c, const struct bound *bound, int launch, FILE *out) {
    struct judgement j = labs_judge(c, bound, launch);
    fprintf(out, "| %s | ", c->launches[launch].cell[STEP]);
    put_launch(c, launch, out);
    fprintf(out, " | ");
    put_value(out, j.values.reference);
    fprintf(out, " | ");
    put_value(out, j.values.other);
    fprintf(out, " | ");
    labs_put_distance(out, bound, j.distance);
    fprintf(out, " | ");
    put_bound(out, bound);
    fprintf(out, " | %s |\n", bound->measure == SHOWN ? "" : labs_verdict_name(j.verdict));
}

static void put_table(const struct comparison *c, const char *metric, FILE *out) {
    struct bound bound = bound_of(metric);
    fprintf(out, "\n## %s\n\n", metric);
    fprintf(out,
            "| step | kernel | %s | %s | difference | bound | |\n|--:|---|--:|--:|--:|---|---|\n",
            c->reference.device, c->other.device);
    for (int i = 0; i < c->launch_count; i++) put_row(c, &bound, i, out);
    /* The reasons for a metric, each with its kernel. */
    for (int row = 0; c->reasons && row < csv_rows(c->reasons); row++) {
        const char *kernel = csv_get(c->reasons, row, "kernel");
        if (!csv_is(c->reasons, row, "metric", metric)) continue;
        fprintf(out, "\nWhy it differs%s%s: %s\n", strcmp(kernel, "*") == 0 ? "" : ", ",
                strcmp(kernel, "*") == 0 ? "" : kernel, csv_get(c->reasons, row, "reason"));
    }
}

/* ---- The summary ---- */

static void put_summary_row(const struct comparison *c, const char *metric, FILE *out) {
    struct bound bound = bound_of(metric);
    struct worst worst = {0};
    if (bound.measure == SHOWN) return;
    for (int i = 0; i < c->launch_count; i++) labs_worsen(&worst, c, bound, i);
    fprintf(out, "| %s | ", metric);
    put_bound(out, &bound);
    fprintf(out, " | ");
    if (worst.judged) labs_put_distance(out, &bound, worst.found.distance);
    fprintf(out, " | ");
    if (worst.judged) put_launch(c, worst.launch, out);
    fprintf(out, " | %s |\n", labs_verdict_name(worst.found.verdict));
}

void labs_put_summary(const struct comparison *c, FILE *out) {
    fprintf(out, "| quantity | bound | largest difference | at | |\n|---|---|--:|---|---|\n");
    for (int i = 0; i < c->metric_count; i++) put_summary_row(c, c->metrics[i], out);
    if (c->left_out) fprintf(out, "\n%d more launches are in the reference only.\n", c->left_out);
}

void labs_put_all(const void *comparison, FILE *out) {
    const struct comparison *c = comparison;
    fprintf(out, "# %s: %s against %s\n\n", c->name, c->other.device, c->reference.device);
    fprintf(out, "Made by `compare` from the recorded measurements; do not edit. A difference is "
                 "absolute, in points of a percentage, relative to the\nreference, or for each "
                 "request, as its bound is; `explained`: larger than that, for the reason given "
                 "with its table.\nTimes are in [the truth table](../truth.md).\n\n");
    labs_put_summary(c, out);
    /* Metrics that have a bound, but that the reference lacks. */
    const char *separator = "\nNot recorded, so not judged: ";
    for (int k = 0; judged_metric(k); k++) {
        if (labs_recorded(c, judged_metric(k)->metric)) continue;
        fprintf(out, "%s%s", separator, judged_metric(k)->metric);
        separator = ", ";
    }
    if (separator[0] == ',') fprintf(out, ".\n");
    for (int i = 0; i < c->metric_count; i++) put_table(c, c->metrics[i], out);
}
