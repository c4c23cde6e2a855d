/* metrics.c: metrics.tsv in memory. */
#include "metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/die.h"
#include "lib/expr.h"
#include "lib/memory.h"

#define MAX_NAME 64 /* characters of a name that the nearest-name search compares */

static double no_value(void *context, const char *name) {
    (void)context, (void)name;
    return NAN;
}

static bool parses(const char *expression) {
    double value;
    return expr_eval(expression, no_value, NULL, &value);
}

static enum metric_kind kind_of(const char *word) {
    static const char *const kinds[KIND_COUNT] = {"metric", "event", "what-if", "ncu"};
    int kind = 0;
    while (kind < KIND_COUNT && strcmp(word, kinds[kind]) != 0) kind++;
    return (enum metric_kind)kind;
}

/* Resolves the cell nvprof_name: "=" means the same name, "-" none (NULL). */
static const char *nvprof_name(const char *cell, const char *name) {
    if (strcmp(cell, "-") == 0) return NULL;
    return strcmp(cell, "=") == 0 ? name : cell;
}

/* A metric and an event may share a name, such as inst_executed. */
static const struct metric *find_of_kind(const struct metrics *m, const char *name,
                                         enum metric_kind kind) {
    for (int i = 0; i < m->count; i++)
        if (m->rows[i].kind == kind && strcmp(m->rows[i].name, name) == 0) return &m->rows[i];
    return NULL;
}

static bool read_row(struct metrics *m, int row, const char *path) {
    const char *name = csv_get(m->table, row, "name");
    struct metric metric = {
        .name = name,
        .title = csv_get(m->table, row, "title"),
        .unit = csv_get(m->table, row, "unit"),
        .kind = kind_of(csv_get(m->table, row, "kind")),
        .nvprof_name = nvprof_name(csv_get(m->table, row, "nvprof_name"), name),
        .ncu_expression = csv_get(m->table, row, "ncu_expression"),
        .simt_expression = csv_get(m->table, row, "simt_expression"),
        .ncu_note = csv_get(m->table, row, "ncu_note"),
        .nvprof_note = csv_get(m->table, row, "nvprof_note"),
        .simt_note = csv_get(m->table, row, "simt_note"),
        .description = csv_get(m->table, row, "description"),
    };
    bool ok = metric.kind == KIND_COUNT ? fail_with("kind is none of metric, event, what-if, ncu")
              : !*name || find_of_kind(m, name, metric.kind)
                  ? fail_with("a name is missing or there twice")
                  : parses(metric.ncu_expression) && parses(metric.simt_expression);
    m->rows[m->count++] = metric;
    return ok || fail_with("%s:%d: %s: %s", path, csv_line(m->table, row), name, failure);
}

bool metrics_read(struct metrics *m, const char *path) {
    memset(m, 0, sizeof *m);
    m->table = csv_read(path, &CSV_TABS);
    if (!m->table) return false;
    int rows = csv_rows(m->table);
    m->rows = need(calloc((size_t)rows + 1, sizeof *m->rows));
    bool ok = true;
    for (int i = 0; ok && i < rows; i++) ok = read_row(m, i, path);
    if (ok) return true;
    metrics_free(m);
    return false;
}

void metrics_free(struct metrics *m) {
    csv_free(m->table);
    free(m->rows);
    memset(m, 0, sizeof *m);
}

const struct metric *metrics_find(const struct metrics *m, const char *name) {
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->rows[i].name, name) == 0) return &m->rows[i];
    return NULL;
}

static void add(struct metric_list *list, const struct metric *metric, unsigned scopes) {
    for (int i = 0; i < list->count; i++) {
        if (list->items[i] != metric) continue;
        list->scopes[i] |= scopes;
        return;
    }
    size_t count = (size_t)list->count + 1;
    list->items = need(realloc(list->items, count * sizeof *list->items));
    list->scopes = need(realloc(list->scopes, count * sizeof *list->scopes));
    list->items[list->count] = metric;
    list->scopes[list->count++] = scopes;
}

static void add_all(const struct metrics *m, enum metric_kind kind, unsigned scopes,
                    struct metric_list *list) {
    for (int i = 0; i < m->count; i++)
        if (m->rows[i].kind == kind) add(list, &m->rows[i], scopes);
}

void metrics_pick_all(const struct metrics *m, enum metric_kind kind, struct metric_list *list) {
    add_all(m, kind, ~0u, list);
}

void metrics_list_free(struct metric_list *list) {
    free(list->items);
    free(list->scopes);
    *list = (struct metric_list){0};
}

bool metrics_have(const struct metric_list *list, enum metric_kind kind) {
    for (int i = 0; i < list->count; i++)
        if (list->items[i]->kind == kind) return true;
    return false;
}

static void unknown(const struct metrics *m, const char *name, bool events) {
    const char *kind = events ? "event" : "metric", *nearest = metrics_nearest(m, name);
    if (nearest)
        fail_with("unknown %s \"%s\"; did you mean %s?", kind, name, nearest);
    else
        fail_with("unknown %s \"%s\"; --query-%ss lists those there are", kind, name, kind);
}

bool metrics_pick(const struct metrics *m, const char *names, bool events, unsigned scopes,
                  struct metric_list *list) {
    char *copy = need(strdup(names)), *rest = copy, *name;
    bool ok = true;
    while (ok && (name = strsep(&rest, ","))) {
        const struct metric *metric = find_of_kind(m, name, events ? KIND_EVENT : KIND_METRIC);
        if (!metric) metric = metrics_find(m, name);
        if (strcmp(name, "all") == 0)
            add_all(m, events ? KIND_EVENT : KIND_METRIC, scopes, list);
        else if (metric && metric->kind != KIND_NCU)
            add(list, metric, scopes);
        else
            ok = false;
        if (!ok) unknown(m, name, events);
    }
    free(copy);
    return ok;
}

static int least(int a, int b, int c) {
    int smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* The Levenshtein distance of the first MAX_NAME characters, computed row by row. */
static int distance(const char *a, const char *b) {
    int row[MAX_NAME + 1], columns = (int)strnlen(b, MAX_NAME), rows = (int)strnlen(a, MAX_NAME);
    for (int j = 0; j <= columns; j++) row[j] = j;
    for (int i = 1; i <= rows; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= columns; j++) {
            int above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

const char *metrics_nearest(const struct metrics *m, const char *name) {
    const char *best = NULL;
    int best_distance = (int)strlen(name) / 2; /* more wrong characters are not a typing error */
    for (int i = 0; i < m->count; i++) {
        if (m->rows[i].kind == KIND_NCU) continue;
        int d = distance(name, m->rows[i].name);
        if (d < best_distance) {
            best = m->rows[i].name;
            best_distance = d;
        }
    }
    return best;
}

bool metric_is_modelled(const struct metric *metric) {
    return strncmp(metric->simt_note, "modelled", strlen("modelled")) == 0;
}
