/* labs_read.c: reads both measurements of a lab, and matches their launches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "labs.h"

#include "lib/die.h"

static bool read_side(struct side *side, const char *path) {
    static const char *const columns[] = {"lab",    "step",  "kernel", "grid", "block",
                                          "metric", "value", "device", NULL};
    if (!table_read(&side->metrics, path, columns)) return false;
    side->device = side->metrics.rows ? csv_get(side->metrics.csv, 0, "device") : "?";
    return true;
}

/* ---- Launches ---- */

/* The launch that a row of the reference's metrics is about, whatever the metric. */
static struct launch launch_of(const struct comparison *c, int row) {
    struct launch launch = c->reference.metrics.launches[row];
    launch.cell[METRIC] = "";
    return launch;
}

static bool is_known(const struct comparison *c, const struct launch *launch) {
    for (int i = 0; i < c->launch_count; i++)
        if (c->launches[i].occurrence == launch->occurrence && same_launch(&c->launches[i], launch))
            return true;
    return false;
}

/* Adds the launch of a row of the reference's metrics, if it is new and the other side has it. */
static bool add_launch(struct comparison *c, int row) {
    const struct launch launch = launch_of(c, row);
    const char *metric = c->reference.metrics.launches[row].cell[METRIC];
    if (is_known(c, &launch) || table_find(&c->other.metrics, &launch, metric) < 0) return true;
    if (c->launch_count == LABS_LAUNCHES)
        return fail_with("%s: more than %d launches", c->name, LABS_LAUNCHES);
    c->launches[c->launch_count++] = launch;
    return true;
}

static bool has_step(const struct comparison *c, const char *step) {
    for (int i = 0; i < c->launch_count; i++)
        if (strcmp(c->launches[i].cell[STEP], step) == 0) return true;
    return false;
}

/* The simulator may leave out launches that would take it too long, but not all of a step. */
static bool every_step_is_there(struct comparison *c) {
    for (int row = 0; row < c->reference.metrics.rows; row++) {
        const struct launch l = launch_of(c, row);
        if (is_known(c, &l)) continue;
        if (!has_step(c, l.cell[STEP]))
            return fail_with("%s: step %s, %s<<<%s, %s>>>: this launch is in the reference only",
                             c->name, l.cell[STEP], l.cell[KERNEL], l.cell[GRID], l.cell[BLOCK]);
        if (csv_is(c->reference.metrics.csv, row, "metric", c->metrics[c->metric_count - 1]))
            c->left_out++;
    }
    return true;
}

/* ---- Metrics ---- */

static bool add_metric(struct comparison *c, const char *metric) {
    for (int i = 0; i < c->metric_count; i++)
        if (strcmp(c->metrics[i], metric) == 0) return true;
    if (c->metric_count == LABS_METRICS)
        return fail_with("%s: more than %d metrics", c->name, LABS_METRICS);
    c->metrics[c->metric_count++] = metric;
    return true;
}

bool labs_recorded(const struct comparison *c, const char *metric) {
    for (int row = 0; row < c->reference.metrics.rows; row++)
        if (csv_is(c->reference.metrics.csv, row, "metric", metric)) return true;
    return false;
}

/* Lists the launches and the metrics of the reference, the judged metrics first. */
static bool take_up(struct comparison *c) {
    const struct table *metrics = &c->reference.metrics;
    for (int i = 0; judged_metric(i); i++)
        if (labs_recorded(c, judged_metric(i)->metric)) add_metric(c, judged_metric(i)->metric);
    for (int row = 0; row < metrics->rows; row++)
        if (!add_launch(c, row) || !add_metric(c, metrics->launches[row].cell[METRIC]))
            return false;
    if (!every_step_is_there(c)) return false;
    for (int j = 0; j < c->launch_count; j++)
        for (int k = 0; k < c->launch_count; k++)
            if (j != k && strcmp(c->launches[j].cell[STEP], c->launches[k].cell[STEP]) == 0 &&
                strcmp(c->launches[j].cell[KERNEL], c->launches[k].cell[KERNEL]) == 0)
                c->has_shapes[j] = true;
    if (c->launch_count == 0) fail_with("%s: the reference has no step", c->name);
    return c->launch_count > 0;
}

/* ---- Values ---- */

static double value_of(const struct side *side, const struct launch *launch, const char *metric) {
    return cell_number(side->metrics.csv, table_find(&side->metrics, launch, metric), "value");
}

struct pair labs_values(const struct comparison *c, const char *metric, int launch) {
    const struct launch *l = &c->launches[launch];
    return (struct pair){value_of(&c->reference, l, metric), value_of(&c->other, l, metric)};
}

/* ---- The whole ---- */

static bool read_reasons(struct comparison *c, const char *path) {
    static const char *const columns[] = {"metric", "kernel", "within", "reason", NULL};
    if (!path) return true;
    c->reasons = csv_read_columns(path, &CSV_TABS, columns);
    return c->reasons != NULL;
}

bool labs_read(struct comparison *c, const char *reasons, char **files) {
    *c = (struct comparison){0};
    /* plots/reference/h200/lab1-debug-metrics.csv is about lab1-debug. */
    const char *slash = strrchr(files[0], '/');
    snprintf(c->name, sizeof c->name, "%s", slash ? slash + 1 : files[0]);
    char *end = strstr(c->name, "-metrics.csv");
    if (end) *end = '\0';
    return read_reasons(c, reasons) && read_side(&c->reference, files[0]) &&
           read_side(&c->other, files[1]) && take_up(c);
}

void labs_free(struct comparison *c) {
    table_free(&c->reference.metrics);
    table_free(&c->other.metrics);
    csv_free(c->reasons);
}
