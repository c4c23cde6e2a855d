#include "measured.h"

#include "lib/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of a step's launches. */
struct range {
    double low, high;
    size_t n;
};

static void widen(struct range *range, double value) {
    if (range->n == 0 || value < range->low) range->low = value;
    if (range->n == 0 || value > range->high) range->high = value;
    range->n++;
}

/* A cell that is a number: false for NA and for an empty one. */
static bool cell_number(const char *cell, double *value) {
    *value = csv_number(cell);
    return !isnan(*value);
}

static bool is_right(const struct csv *run, int row) {
    return csv_is(run, row, "status", "ok");
}

/* Does the row's step have a time? */
static bool is_timed(const struct csv *run, int row, double *milliseconds) {
    return is_right(run, row) && cell_number(csv_get(run, row, "time_ms"), milliseconds) &&
           *milliseconds > 0;
}

/* The step's only timed row; -1 if it has none, or several. */
static int only_row(const struct csv *run, const char *step) {
    int found = -1;
    double milliseconds;
    for (int row = 0; row < csv_rows(run); row++) {
        if (!csv_is(run, row, "step", step) || !is_timed(run, row, &milliseconds)) continue;
        if (found >= 0) return -1;
        found = row;
    }
    return found;
}

/* The time of the first step in the row's group: speed-ups are over that. */
static double first_time(const struct csv *run, int row) {
    return strtod(csv_get(run, row, "time_ms"), NULL) * strtod(csv_get(run, row, "speedup"), NULL);
}

/* The row of the step before this row's; the row itself where its group begins; -1 if that step has
 * several launches. */
static int row_before(const struct csv *run, int row) {
    double milliseconds;
    for (int before = row - 1; before >= 0; before--) {
        const bool same_group = fabs(first_time(run, before) / first_time(run, row) - 1) < 0.01;
        if (is_timed(run, before, &milliseconds))
            return same_group ? only_row(run, csv_get(run, before, "step")) : row;
    }
    return row;
}

static void find_x_before(struct range *range, const struct csv *run, const char *step) {
    int row = 0;
    while (row < csv_rows(run) && !results_is_of(csv_get(run, row, "kernel"), step)) row++;
    row = row < csv_rows(run) ? only_row(run, csv_get(run, row, "step")) : -1;
    int before = row >= 0 ? row_before(run, row) : -1;
    if (before < 0) return;
    widen(range, strtod(csv_get(run, before, "time_ms"), NULL) /
                     strtod(csv_get(run, row, "time_ms"), NULL));
}

/* Sets the unit, too. */
static void find_metric(struct range *range, const struct csv *metrics, const char *step,
                        const char *metric, const char **unit) {
    double value;
    for (int row = 0; row < csv_rows(metrics); row++) {
        if (!csv_is(metrics, row, "metric", metric)) continue;
        if (!results_is_of(csv_get(metrics, row, "kernel"), step)) continue;
        if (!cell_number(csv_get(metrics, row, "value"), &value)) continue;
        *unit = csv_get(metrics, row, "unit");
        const bool throughput = strcmp(*unit, "B/s") == 0;
        if (throughput) *unit = "GB/s";
        widen(range, throughput ? value / 1e9 : value);
    }
    if (strcmp(*unit, "0-1") == 0) *unit = "";
}

/* Three digits, but no digit of a count lost. */
static const char *rounded(char text[MEASURED_SIZE], double value) {
    snprintf(text, MEASURED_SIZE, fabs(value) >= 100 ? "%.0f" : "%.3g", value);
    return text;
}

void measured_text(char text[MEASURED_SIZE], const struct csv *run, const struct csv *metrics,
                   const char *step, const char *quantity) {
    struct range range = {.n = 0};
    const char *unit = "";
    char low[MEASURED_SIZE], high[MEASURED_SIZE];
    text[0] = '\0';
    if (run != NULL && strcmp(quantity, X_BEFORE) == 0)
        find_x_before(&range, run, step);
    else if (run != NULL && csv_column(run, quantity) >= 0) {
        double value;
        for (int row = 0; row < csv_rows(run); row++) {
            const bool is_its =
                results_is_of(csv_get(run, row, "kernel"), step) && is_right(run, row);
            if (is_its && cell_number(csv_get(run, row, quantity), &value)) widen(&range, value);
        }
    } else if (metrics != NULL)
        find_metric(&range, metrics, step, quantity, &unit);
    if (range.n == 0) return;
    rounded(low, range.low);
    rounded(high, range.high);
    if (strcmp(low, high) == 0)
        snprintf(text, MEASURED_SIZE, "%.20s%s%.16s", low, *unit != '\0' ? " " : "", unit);
    else
        snprintf(text, MEASURED_SIZE, "%.20s to %.20s%s%.16s", low, high, *unit != '\0' ? " " : "",
                 unit);
}
