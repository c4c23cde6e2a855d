#include "results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "die.h"

static const char *const RUN_COLUMNS[] = {"step",          "time_ms", "time_min_ms", "time_max_ms",
                                          "bandwidth_gbs", "speedup", "kernel",      "status",
                                          "clock",         "device",  NULL};
static const char *const METRICS_COLUMNS[] = {"kernel", "metric", "value", "device", NULL};

bool results_is_of(const char *kernel, const char *step) {
    size_t length = strlen(step);
    return strncmp(kernel, step, length) == 0 && strchr("(<", kernel[length]) != NULL;
}

/* The table with all of these columns and at least one row, or NULL with a message. */
static struct csv *read_table(const char *path, const struct csv_format *format,
                              const char *const *columns) {
    struct csv *table = csv_read_columns(path, format, columns);
    if (table == NULL) return NULL;
    if (csv_rows(table) > 0) return table;
    fail_with("%s: has no rows", path);
    csv_free(table);
    return NULL;
}

static bool has_room(const struct results *results, const char *name) {
    return results->sources < RESULTS_SOURCES ||
           fail_with("%s: too many sources (at most %d)", name, RESULTS_SOURCES);
}

static void add_tables(struct results *results, const char *name, struct csv *run,
                       struct csv *metrics) {
    snprintf(results->source[results->sources].name, RESULTS_NAME, "%s", name);
    results->source[results->sources].rows = NULL;
    results->source[results->sources].figures[0] = '\0';
    results->source[results->sources].run = run;
    results->source[results->sources++].metrics = metrics;
}

/* Adds a table of constants, or of figures where FIGURES names their run. */
static bool add_rows(struct results *results, const char *name, const char *path,
                     const char *figures) {
    static const char *const constant_columns[] = {"constant", NULL};
    static const char *const figure_columns[] = {"run", "kernel", "quantity", "value", NULL};
    if (!has_room(results, name)) return false;
    struct csv *rows = read_table(path, &CSV_TABS, *figures ? figure_columns : constant_columns);
    if (rows == NULL) return false;
    add_tables(results, name, NULL, NULL);
    results->source[results->sources - 1].rows = rows;
    snprintf(results->source[results->sources - 1].figures, RESULTS_NAME, "%s", figures);
    if (*figures || csv_column(rows, "constant") == 0) return true;
    return fail_with("%s: its first column is not constant", path);
}

bool results_add(struct results *results, const char *name, const char *run_path,
                 const char *metrics_path) {
    if (!has_room(results, name)) return false;
    struct csv *run = read_table(run_path, &CSV_COMMAS, RUN_COLUMNS);
    if (run == NULL) return false;
    struct csv *metrics = NULL;
    if (metrics_path != NULL) {
        metrics = read_table(metrics_path, &CSV_COMMAS, METRICS_COLUMNS);
        if (metrics == NULL) {
            csv_free(run);
            return false;
        }
    }
    add_tables(results, name, run, metrics);
    return true;
}

bool results_add_absent(struct results *results, const char *name) {
    if (!has_room(results, name)) return false;
    add_tables(results, name, NULL, NULL);
    return true;
}

bool results_add_argument(struct results *results, char *argument) {
    static const char TABLE[] = ".tsv";
    char *run = strchr(argument, '=');
    if (run == NULL) return fail_with("%s: give NAME=RUN.csv,METRICS.csv", argument);
    *run++ = '\0';
    if (*run == '\0') return results_add_absent(results, argument);
    char *after = strstr(run, TABLE);
    if (after != NULL) after += sizeof TABLE - 1;
    if (after != NULL && *after == '\0') return add_rows(results, argument, run, "");
    if (after != NULL && *after == ':') {
        *after++ = '\0';
        return add_rows(results, argument, run, after);
    }
    char *metrics = strchr(run, ',');
    if (metrics != NULL) *metrics++ = '\0';
    return results_add(results, argument, run, metrics);
}

void results_free(struct results *results) {
    for (int i = 0; i < results->sources; i++) {
        csv_free(results->source[i].run);
        csv_free(results->source[i].metrics);
        csv_free(results->source[i].rows);
    }
    results->sources = 0;
}

/* The source of that name; the first for "". -1: none. */
static int find_source(const struct results *results, const char *name) {
    for (int i = 0; i < results->sources; i++)
        if (name[0] == '\0' || strcmp(results->source[i].name, name) == 0) return i;
    return -1;
}

/* Is a table's shape, as "(32 16 1)", the one written as "32x16"? Ones at the end may be left out.
 */
static bool is_shape(const char *cell, const char *text) {
    unsigned cell_sides[3] = {1, 1, 1}, text_sides[3] = {1, 1, 1};
    sscanf(cell, "(%u %u %u)", &cell_sides[0], &cell_sides[1], &cell_sides[2]);
    sscanf(text, "%ux%ux%u", &text_sides[0], &text_sides[1], &text_sides[2]);
    return memcmp(cell_sides, text_sides, sizeof cell_sides) == 0;
}

/* Is this row about KERNEL, KERNEL@BLOCK or KERNEL@gGRID? */
static bool is_launch(const struct csv *table, int row, const char *kernel) {
    const char *name = csv_get(table, row, "kernel"), *at = strchr(kernel, '@');
    if (at == NULL) return strcmp(name, kernel) == 0;
    size_t length = (size_t)(at - kernel);
    if (strlen(name) != length || strncmp(name, kernel, length) != 0) return false;
    return at[1] == 'g' ? is_shape(csv_get(table, row, "grid"), at + 2)
                        : is_shape(csv_get(table, row, "block"), at + 1);
}

/* The first row of the kernel, and of the metric if that is not NULL; -1: none. */
static int find_row(const struct csv *table, const char *kernel, const char *metric) {
    for (int row = 0; row < csv_rows(table); row++) {
        if (!is_launch(table, row, kernel)) continue;
        if (metric == NULL || csv_is(table, row, "metric", metric)) return row;
    }
    return -1;
}

/* A cell as a number. "NA" and an empty cell are not available: NaN. */
static enum results_state cell_number(const char *cell, double *value) {
    *value = csv_number(cell);
    return isnan(*value) ? RESULTS_NA : RESULTS_VALUE;
}

/* Columns of numbers that only some labs have: those which count operations, those with steps on
 * the CPU. */
static const char *const EXTRA_COLUMNS[] = {"gflops", "l1_misses", "llc_misses"};

/* Whether the column is one of this run's numbers: those before "kernel" in the list above, and
 * maybe an extra one. */
static bool is_run_number(const struct csv *run, const char *column) {
    for (size_t i = 0; i < sizeof EXTRA_COLUMNS / sizeof *EXTRA_COLUMNS; i++)
        if (strcmp(column, EXTRA_COLUMNS[i]) == 0) return csv_column(run, column) >= 0;
    for (int i = 0; strcmp(RUN_COLUMNS[i], "kernel") != 0; i++)
        if (strcmp(RUN_COLUMNS[i], column) == 0) return true;
    return false;
}

/* Cuts SOURCE.KERNEL.COLUMN or KERNEL.COLUMN at its dots, in place. False if it is neither. */
static bool split_name(char *name, const char **source, const char **kernel, const char **column) {
    char *last = strrchr(name, '.');
    if (last == NULL) return false;
    *last = '\0';
    *column = last + 1;
    char *first = strchr(name, '.');
    *source = first == NULL ? "" : name;
    *kernel = first == NULL ? name : first + 1;
    if (first != NULL) *first = '\0';
    return true;
}

/* The cell in this column of a table of constants. */
static enum results_state constant_cell(const struct csv *rows, const char *column,
                                        const char *name, double *value) {
    if (csv_column(rows, column) < 0) return RESULTS_UNKNOWN;
    for (int row = 0; row < csv_rows(rows); row++)
        if (strcmp(csv_at(rows, row, 0), name) == 0)
            return cell_number(csv_get(rows, row, column), value);
    return RESULTS_UNKNOWN;
}

/* The value of this kernel's quantity in a run of a table of figures. */
static enum results_state figure(const struct csv *rows, const char *run, const char *kernel,
                                 const char *quantity, double *value) {
    enum results_state state = RESULTS_UNKNOWN;
    for (int row = 0; row < csv_rows(rows); row++) {
        if (!csv_is(rows, row, "run", run)) continue;
        if (!csv_is(rows, row, "quantity", quantity)) continue;
        if (csv_is(rows, row, "kernel", kernel))
            return cell_number(csv_get(rows, row, "value"), value);
        state = RESULTS_NA;
    }
    return state;
}

enum results_state results_number(const struct results *results, const char *name, double *value) {
    char parts[RESULTS_NAME * 2];
    const char *source, *kernel, *column;
    *value = NAN;
    if (strlen(name) >= sizeof parts) return RESULTS_UNKNOWN;
    strcpy(parts, name);
    if (!split_name(parts, &source, &kernel, &column)) return RESULTS_UNKNOWN;
    int at = find_source(results, source);
    if (at < 0) return RESULTS_UNKNOWN;
    const struct csv *rows = results->source[at].rows;
    if (rows != NULL && results->source[at].figures[0] != '\0')
        return figure(rows, results->source[at].figures, kernel, column, value);
    if (rows != NULL) return constant_cell(rows, kernel, column, value);
    const struct csv *run = results->source[at].run, *metrics = results->source[at].metrics;
    if (run == NULL) return RESULTS_ABSENT;
    int row = find_row(run, kernel, NULL);
    if (row < 0) return RESULTS_UNKNOWN;
    const char *status = csv_get(run, row, "status");
    if (strcmp(status, "todo") == 0) return RESULTS_TODO;
    if (strcmp(status, "ok") != 0) return RESULTS_WRONG;
    if (is_run_number(run, column)) return cell_number(csv_get(run, row, column), value);
    row = metrics == NULL ? -1 : find_row(metrics, kernel, column);
    return row < 0 ? RESULTS_UNKNOWN : cell_number(csv_get(metrics, row, "value"), value);
}

double results_lookup(void *context, const char *name) {
    struct results_use *use = context;
    double value;
    enum results_state state = results_number(use->results, name, &value);
    if (state > use->worst) {
        use->worst = state;
        snprintf(use->name, sizeof use->name, "%s", name);
    }
    return value;
}

const char *results_device(const struct results *results, const char *source) {
    int at = find_source(results, source);
    if (at < 0 || results->source[at].run == NULL) return "";
    const struct csv *metrics = results->source[at].metrics;
    return csv_get(metrics != NULL ? metrics : results->source[at].run, 0, "device");
}

bool results_is_absent(const struct results *results, const char *source) {
    int at = find_source(results, source);
    return at >= 0 && results->source[at].run == NULL && results->source[at].rows == NULL;
}

const char *results_processor(const struct results *results, const char *source) {
    int at = find_source(results, source);
    const struct csv *run = at < 0 ? NULL : results->source[at].run;
    for (int row = 0; run != NULL && row < csv_rows(run); row++)
        if (is_shape(csv_get(run, row, "grid"), "0x0x0")) return csv_get(run, row, "device");
    return "";
}

bool results_simulated(const struct results *results, const char *source) {
    static const char SUFFIX[] = " (simt)";
    const char *device = results_device(results, source);
    size_t length = strlen(device), suffix = sizeof SUFFIX - 1;
    return length >= suffix && strcmp(device + length - suffix, SUFFIX) == 0;
}

/* How many rows are of this row's kernel, and with its block, too, if that is asked for? */
static int rows_like(const struct csv *run, int row, bool same_block) {
    int rows = 0;
    for (int other = 0; other < csv_rows(run); other++)
        rows += csv_is(run, other, "kernel", csv_get(run, row, "kernel")) &&
                (!same_block || csv_is(run, other, "block", csv_get(run, row, "block")));
    return rows;
}

/* The run of the source of that name, or for "" of the first that has been recorded; NULL: none. */
static const struct csv *recorded_run(const struct results *results, const char *name) {
    for (int source = 0; source < results->sources; source++) {
        if (name[0] != '\0' && strcmp(results->source[source].name, name) != 0) continue;
        if (results->source[source].run != NULL) return results->source[source].run;
    }
    return NULL;
}

bool results_kernel(const struct results *results, const char *source, int i, char *kernel,
                    size_t size) {
    const struct csv *run = recorded_run(results, source);
    if (run == NULL || i >= csv_rows(run)) return false;
    bool by_grid = rows_like(run, i, true) > 1;
    unsigned x = 1, y = 1;
    sscanf(csv_get(run, i, by_grid ? "grid" : "block"), "(%u %u", &x, &y);
    if (by_grid)
        snprintf(kernel, size, "%s@g%ux%u", csv_get(run, i, "kernel"), x, y);
    else if (rows_like(run, i, false) > 1)
        snprintf(kernel, size, "%s@%ux%u", csv_get(run, i, "kernel"), x, y);
    else
        snprintf(kernel, size, "%s", csv_get(run, i, "kernel"));
    return true;
}
