/* table_summary.c: nvprof's summary, time by kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "lib/memory.h"
#include "tables.h"

/* Widths of nvprof's columns. */
#define ROW_FORMAT "%16s  %7s  %8s  %8s  %8s  %8s  %8s  %s\n"

/* The columns with times. */
enum { TIME, AVERAGE, LEAST, MOST, TIME_COLUMNS };

static void times_of(const struct group *g, double ns[TIME_COLUMNS]) {
    ns[TIME] = g->time_ns.total;
    ns[AVERAGE] = g->time_ns.average;
    ns[LEAST] = g->time_ns.min;
    ns[MOST] = g->time_ns.max;
}

static double total_time(const struct groups *groups) {
    double total = 0;
    for (int i = 0; i < groups->count; i++) total += groups->items[i].time_ns.total;
    return total;
}

/* Sorts by falling time; kernels without a time come last. */
static int by_time(const void *a, const void *b) {
    double x = (*(const struct group *const *)a)->time_ns.total, y = (*(const struct group *const *)b)->time_ns.total;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x < y) - (x > y);
}

static const struct group **in_order(const struct groups *groups) {
    const struct group **order = need(calloc((size_t)groups->count + 1, sizeof(*order)));
    for (int i = 0; i < groups->count; i++) order[i] = &groups->items[i];
    qsort(order, (size_t)groups->count, sizeof(*order), by_time);
    return order;
}

static void print_text_row(const struct report *r, const struct group *g, double total, bool first) {
    char percent[FORMAT_SIZE], calls[FORMAT_SIZE], times[TIME_COLUMNS][FORMAT_SIZE];
    double ns[TIME_COLUMNS];
    times_of(g, ns);
    for (int i = 0; i < TIME_COLUMNS; i++) format_time(ns[i], r->options->unit, times[i]);
    format_value(100 * g->time_ns.total / total, "%", false, percent);
    snprintf(calls, sizeof calls, "%d", g->launches);
    fprintf(r->out, ROW_FORMAT, first ? "GPU activities:" : "", percent, times[TIME], calls, times[AVERAGE],
            times[LEAST], times[MOST], g->kernel);
}

/* The unit of a column: nvprof's CSV has one unit a column. */
static enum time_unit column_unit(const struct report *r, int column) {
    double largest = 0, ns[TIME_COLUMNS];
    for (int i = 0; i < r->groups->count; i++) {
        times_of(&r->groups->items[i], ns);
        largest = ns[column] > largest ? ns[column] : largest;
    }
    return r->options->unit == TIME_AUTO ? time_unit_for(largest) : r->options->unit;
}

static void print_csv_row(const struct report *r, const struct group *g, double total,
                          const enum time_unit units[TIME_COLUMNS]) {
    char times[TIME_COLUMNS][FORMAT_SIZE], percent[FORMAT_SIZE];
    double ns[TIME_COLUMNS];
    times_of(g, ns);
    for (int i = 0; i < TIME_COLUMNS; i++)
        snprintf(times[i], FORMAT_SIZE, isnan(ns[i]) ? "NA" : "%.6f", ns[i] / time_unit_ns(units[i]));
    snprintf(percent, sizeof percent, isnan(total) ? "NA" : "%.6f", 100 * g->time_ns.total / total);
    fprintf(r->out, "\"GPU activities\",%s,%s,%d,%s,%s,%s,", percent, times[TIME], g->launches, times[AVERAGE],
            times[LEAST], times[MOST]);
    print_quoted(r->out, g->kernel);
    putc('\n', r->out);
}

static void print_csv(const struct report *r, const struct group **order, double total) {
    enum time_unit units[TIME_COLUMNS];
    for (int i = 0; i < TIME_COLUMNS; i++) units[i] = column_unit(r, i);
    fprintf(r->out, "\"Type\",\"Time(%%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n");
    fprintf(r->out, ",%%,%s,,%s,%s,%s,\n", time_unit_name(units[TIME]), time_unit_name(units[AVERAGE]),
            time_unit_name(units[LEAST]), time_unit_name(units[MOST]));
    for (int i = 0; i < r->groups->count; i++) print_csv_row(r, order[i], total, units);
}

static void print_text(const struct report *r, const struct group **order, double total) {
    fprintf(r->out, ROW_FORMAT, "Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name");
    for (int i = 0; i < r->groups->count; i++) print_text_row(r, order[i], total, i == 0);
}

void print_summary(const struct report *r) {
    fprintf(r->out, "==%d== Profiling result:\n", r->pid);
    if (r->groups->count == 0) {
        fprintf(r->out, "No kernels were profiled.\n");
        return;
    }
    const struct group **order = in_order(r->groups);
    if (order) (r->options->csv ? print_csv : print_text)(r, order, total_time(r->groups));
    free(order);
}
