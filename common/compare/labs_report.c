/* compare_write.c: the comparison of one lab as tables. */
#include "labs.h"

#include <math.h>
#include <string.h>

/* ---- Cells ---- */

void compare_put_number(FILE *out, double value) {
    if (isnan(value))
        fprintf(out, "NA");
    else if (value == floor(value) && fabs(value) < 1e15)
        fprintf(out, "%.0f", value);
    else
        fprintf(out, "%.*f", fabs(value) < 1 ? 4 : 2, value);
}

static void put_bound(FILE *out, const struct bound *bound) {
    switch (bound->kind) {
    case BOUND_SAME: fprintf(out, "equal"); break;
    case BOUND_POINTS: fprintf(out, "%g points", bound->limit); break;
    case BOUND_PERCENT: fprintf(out, "%g %%", bound->limit); break;
    case BOUND_FACTOR: fprintf(out, "factor %g", bound->limit); break;
    case BOUND_RATE: fprintf(out, "%g a request", bound->limit); break;
    case BOUND_NONE: fprintf(out, "none"); break;
    }
}

void compare_put_distance(FILE *out, const struct bound *bound, double distance) {
    if (isnan(distance))
        fprintf(out, "NA");
    else if (bound->kind == BOUND_FACTOR)
        fprintf(out, "%.2f times", distance);
    else if (bound->kind == BOUND_PERCENT)
        fprintf(out, "%.1f %%", distance);
    else
        compare_put_number(out, distance);
}

const char *compare_verdict(enum verdict verdict) {
    static const char *const names[] = {"pass", "explained", "open", "**FAIL**"};
    return names[verdict];
}

/* The kernel's name, and its shape where it has several. */
static void put_launch(FILE *out, const struct launch *l) {
    fprintf(out, "`%s`", l->kernel);
    if (l->has_shapes) fprintf(out, " %s %s", l->grid, l->block);
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

/* ---- A table for each quantity ---- */

static void put_row(const struct comparison *c, const struct bound *bound, int launch, FILE *out) {
    struct judgement j = compare_judge(c, bound, launch);
    fprintf(out, "| %s | ", c->launches[launch].step);
    put_launch(out, &c->launches[launch]);
    fprintf(out, " | ");
    compare_put_number(out, j.values.reference);
    fprintf(out, " | ");
    compare_put_number(out, j.values.other);
    fprintf(out, " | ");
    compare_put_distance(out, bound, j.distance);
    fprintf(out, " | ");
    put_bound(out, bound);
    fprintf(out, " | %s |\n", bound->kind == BOUND_NONE ? "" : compare_verdict(j.verdict));
}

static void put_table(const struct comparison *c, const char *metric, FILE *out) {
    struct bound bound = compare_bound(metric);
    fprintf(out, "\n## %s\n\n", bound.group == GROUP_TIME ? "time, ms" : metric);
    fprintf(out, "| step | kernel | %s | %s | difference | bound | |\n|--:|---|--:|--:|--:|---|---|\n",
            c->reference.device, c->other.device);
    for (int i = 0; i < c->launch_count; i++) put_row(c, &bound, i, out);
    put_reasons(c, metric, out);
}

/* ---- The summary ---- */

/* The launch that is worst off: by the verdict, then by the distance; one whose value is missing counts as farthest. -1
 * when nothing can be said. */
static int worst_launch(const struct comparison *c, const struct bound *bound, struct judgement *worst) {
    int at = -1;
    for (int i = 0; i < c->launch_count; i++) {
        struct judgement j = compare_judge(c, bound, i);
        if (isnan(j.distance) && j.verdict == WITHIN) continue; /* the reference has none */
        bool worse = at < 0 || j.verdict > worst->verdict ||
                     (j.verdict == worst->verdict && !(j.distance <= worst->distance) && !isnan(worst->distance));
        if (!worse) continue;
        *worst = j;
        at = i;
    }
    return at;
}

static void put_summary_row(const struct comparison *c, const char *metric, FILE *out) {
    struct bound bound = compare_bound(metric);
    struct judgement worst = {.verdict = WITHIN};
    if (bound.kind == BOUND_NONE) return;
    int at = worst_launch(c, &bound, &worst);
    fprintf(out, "| %s | ", metric);
    put_bound(out, &bound);
    fprintf(out, " | ");
    if (at >= 0) compare_put_distance(out, &bound, worst.distance);
    fprintf(out, " | ");
    if (at >= 0) put_launch(out, &c->launches[at]);
    fprintf(out, " | %s |\n", compare_verdict(worst.verdict));
}

static void put_order_row(const struct comparison *c, FILE *out) {
    fprintf(out, "| order of the times (Spearman's rho ");
    compare_put_number(out, compare_rank_correlation(c));
    fprintf(out, ") | equal where more than 10 %% apart | reversed pairs: %d | | %s |\n", c->reversal_count,
            compare_verdict(compare_judge_order(c)));
}

void compare_put_summary(const struct comparison *c, FILE *out) {
    fprintf(out, "| quantity | bound | largest difference | at | |\n|---|---|--:|---|---|\n");
    for (int i = 0; i < c->metric_count; i++) put_summary_row(c, c->metrics[i], out);
    put_summary_row(c, "time", out);
    put_order_row(c, out);
    if (c->left_out) fprintf(out, "\n%d more launches are in the reference only.\n", c->left_out);
}

/* ---- The order of the times ---- */

/* The row that the list of open reversals has, or lacks. */
static void put_open_row(const struct comparison *c, const struct reversal *r, FILE *out) {
    char slower[COMPARE_LAUNCH_NAME], faster[COMPARE_LAUNCH_NAME];
    compare_launch_name(&c->launches[r->slower], slower, sizeof slower);
    compare_launch_name(&c->launches[r->faster], faster, sizeof faster);
    fprintf(out, "%s\t%s\t%s\t%.2f\t%.2f\n", c->name, slower, faster, r->ratios.reference, r->ratios.other);
}

void compare_put_wrong_order(const struct comparison *c, FILE *out) {
    for (int i = 0; i < c->reversal_count; i++) {
        const struct reversal *r = &c->reversals[i];
        if (compare_judge_reversal(c, r) == OPEN) continue;
        fprintf(out, r->row < 0 ? "reversed, and not in the list of open reversals: "
                                : "reversed by other ratios than the list says: ");
        put_open_row(c, r, out);
    }
    for (int row = 0; c->open && row < csv_rows(c->open); row++)
        if (compare_is_gone(c, row))
            fprintf(out, "no longer reversed, so take it from the list of open reversals: %s\t%s\t%s\n", c->name,
                    csv_get(c->open, row, "slower"), csv_get(c->open, row, "faster"));
}

static void put_order_table(const struct comparison *c, FILE *out) {
    if (c->reversal_count == 0) return;
    fprintf(out,
            "\n## order of the times\n\nLaunches that take more than 10 %% longer than another on %s, and no longer on "
            "%s. The ratios are of both times.\n\n| slower | faster | %s | %s | |\n|---|---|--:|--:|---|\n",
            c->reference.device, c->other.device, c->reference.device, c->other.device);
    for (int i = 0; i < c->reversal_count; i++) {
        const struct reversal *r = &c->reversals[i];
        char slower[COMPARE_LAUNCH_NAME], faster[COMPARE_LAUNCH_NAME];
        compare_launch_name(&c->launches[r->slower], slower, sizeof slower);
        compare_launch_name(&c->launches[r->faster], faster, sizeof faster);
        fprintf(out, "| %s | %s | %.2f | %.2f | %s |\n", slower, faster, r->ratios.reference, r->ratios.other,
                compare_verdict(compare_judge_reversal(c, r)));
    }
}

/* What would be judged, had the reference recorded it. */
static void put_unrecorded(const struct comparison *c, FILE *out) {
    const char *separator = "\nNot recorded, so not judged: ";
    for (int i = 0; compare_bounded(i); i++) {
        if (compare_recorded(c, compare_bounded(i)->metric)) continue;
        fprintf(out, "%s%s", separator, compare_bounded(i)->metric);
        separator = ", ";
    }
    if (separator[0] == ',') fprintf(out, ".\n");
}

void compare_put_all(const struct comparison *c, FILE *out) {
    fprintf(out, "# %s: %s against %s\n\n", c->name, c->other.device, c->reference.device);
    fprintf(out,
            "Made by `compare` from the recorded measurements; do not edit. A difference is absolute, in points of a "
            "percentage, relative to the\nreference, or for each request, as its bound is; `explained`: larger than "
            "that, for the reason given with its table; `open`: known to be wrong.\n\n");
    compare_put_summary(c, out);
    put_unrecorded(c, out);
    for (int i = 0; i < c->metric_count; i++) put_table(c, c->metrics[i], out);
    put_table(c, "time", out);
    put_order_table(c, out);
}
