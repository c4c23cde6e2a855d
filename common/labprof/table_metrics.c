/* table_metrics.c: nvprof's tables of events and metrics: by kernel, and one line a launch. */
#include <string.h>

#include "format.h"
#include "names.h"
#include "tables.h"

/* Minimum column widths; a longer cell widens its column. Two spaces stand before every column but
 * the first. */
enum { INVOCATIONS_WIDTH = 11, NAME_WIDTH = 40, TITLE_WIDTH = 40, VALUE_WIDTH = 10, VALUES = 4 };
enum { TRACE_DEVICE_WIDTH = 24, TRACE_KERNEL_WIDTH = 24 };

/* The layout of a table: events have a total, metrics a description. */
struct layout {
    bool events, csv;
    int name_width, title_width, value_width;
    int values; /* count of columns with numbers */
};

void device_label(const struct report *r, int device, char *label, size_t size) {
    snprintf(label, size, "%s (%d)", r->device, device);
}

void place_names(const struct report *r, int context, int stream, char context_name[NAME_SIZE],
                 char stream_name[NAME_SIZE]) {
    name_numbered(r->options->context_name, context, context_name, NAME_SIZE);
    name_of_stream(r->options->stream_name, stream, stream_name, NAME_SIZE);
}

static void format_values(const struct group_value *value, const struct metric *metric, bool csv,
                          char texts[VALUES][FORMAT_SIZE]) {
    const double numbers[VALUES] = {value->min, value->max, value->average, value->total};
    for (int i = 0; i < VALUES; i++) format_value(numbers[i], metric->unit, csv, texts[i]);
}

static int wider(int width, const char *text) {
    return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static struct layout lay_out(const struct report *r, enum metric_kind kind) {
    bool events = kind == KIND_EVENT;
    struct layout l = {events,      r->options->csv, NAME_WIDTH,
                       TITLE_WIDTH, VALUE_WIDTH,     events ? VALUES : VALUES - 1};
    char texts[VALUES][FORMAT_SIZE];
    for (int m = 0; m < r->wanted->count; m++) {
        const struct metric *metric = r->wanted->items[m];
        if (metric->kind != kind) continue;
        l.name_width = wider(l.name_width, metric->name);
        l.title_width = wider(l.title_width, metric->title);
        for (int g = 0; g < r->groups->count; g++) {
            format_values(&r->groups->items[g].values[m], metric, l.csv, texts);
            for (int i = 0; i < l.values; i++) l.value_width = wider(l.value_width, texts[i]);
        }
    }
    return l;
}

static void print_header(const struct report *r, const struct layout *l) {
    static const char *const columns[VALUES] = {"Min", "Max", "Avg", "Total"};
    if (l->csv) {
        fprintf(r->out, "\"Device\",\"Kernel\",\"Invocations\",\"%s\"",
                l->events ? "Event Name" : "Metric Name\",\"Metric Description");
        for (int i = 0; i < l->values; i++) fprintf(r->out, ",\"%s\"", columns[i]);
    } else {
        fprintf(r->out, "%*s  %*s", INVOCATIONS_WIDTH, "Invocations", l->name_width,
                l->events ? "Event Name" : "Metric Name");
        if (!l->events) fprintf(r->out, "  %*s", l->title_width, "Metric Description");
        for (int i = 0; i < l->values; i++) fprintf(r->out, "  %*s", l->value_width, columns[i]);
    }
    putc('\n', r->out);
}

static void print_csv_row(const struct report *r, const struct layout *l, const struct group *g,
                          int m) {
    const struct metric *metric = r->wanted->items[m];
    char texts[VALUES][FORMAT_SIZE], device[160];
    format_values(&g->values[m], metric, true, texts);
    device_label(r, g->device, device, sizeof device);
    csv_put_quoted(r->out, "", device);
    putc(',', r->out);
    csv_put_quoted(r->out, "", g->kernel);
    fprintf(r->out, ",%d,\"%s\"", g->values[m].launches, metric->name);
    if (!l->events) fprintf(r->out, ",\"%s\"", metric->title);
    for (int i = 0; i < l->values; i++)
        fprintf(r->out, strchr(texts[i], '(') ? ",\"%s\"" : ",%s", texts[i]);
    putc('\n', r->out);
}

static void print_text_row(const struct report *r, const struct layout *l, const struct group *g,
                           int m) {
    const struct metric *metric = r->wanted->items[m];
    char texts[VALUES][FORMAT_SIZE];
    format_values(&g->values[m], metric, false, texts);
    fprintf(r->out, "%*d  %*s", INVOCATIONS_WIDTH, g->values[m].launches, l->name_width,
            metric->name);
    if (!l->events) fprintf(r->out, "  %*s", l->title_width, metric->title);
    for (int i = 0; i < l->values; i++) fprintf(r->out, "  %*s", l->value_width, texts[i]);
    putc('\n', r->out);
}

/* Prints the rows of a kernel, if it has any. */
static void print_group(const struct report *r, const struct layout *l, enum metric_kind kind,
                        const struct group *group) {
    bool named = l->csv;
    for (int m = 0; m < r->wanted->count; m++) {
        if (r->wanted->items[m]->kind != kind || group->values[m].launches == 0) continue;
        if (!named) fprintf(r->out, "    Kernel: %s\n", group->kernel);
        named = true;
        (l->csv ? print_csv_row : print_text_row)(r, l, group, m);
    }
}

static void print_kind(const struct report *r, enum metric_kind kind) {
    struct layout l = lay_out(r, kind);
    char label[160];
    int devices = 1;
    fprintf(r->out, "==%d== %s result:\n", r->pid, l.events ? "Event" : "Metric");
    print_header(r, &l);
    for (int g = 0; g < r->groups->count; g++)
        if (r->groups->items[g].device >= devices) devices = r->groups->items[g].device + 1;
    for (int d = 0; d < devices; d++) {
        bool named = l.csv;
        for (int g = 0; g < r->groups->count; g++) {
            if (r->groups->items[g].device != d) continue;
            device_label(r, d, label, sizeof label);
            if (!named) fprintf(r->out, "Device \"%s\"\n", label);
            named = true;
            print_group(r, &l, kind, &r->groups->items[g]);
        }
    }
}

void print_metrics(const struct report *r) {
    bool events = metrics_have(r->wanted, KIND_EVENT),
         metrics = metrics_have(r->wanted, KIND_METRIC);
    fprintf(r->out, "==%d== Profiling result:\n", r->pid);
    if (r->groups->count == 0) {
        fprintf(r->out, "No events/metrics were profiled.\n");
        return;
    }
    if (events) print_kind(r, KIND_EVENT);
    if (events && metrics) putc('\n', r->out);
    if (metrics) print_kind(r, KIND_METRIC);
    if (!metrics_have(r->wanted, KIND_WHAT_IF)) return;
    if (r->options->csv)
        print_kind(r, KIND_WHAT_IF);
    else
        print_what_if_groups(r);
}

/* ---- One line a launch ---- */

static int value_width(const struct metric *metric) {
    int width = (int)strlen(metric->name);
    return width > VALUE_WIDTH ? width : VALUE_WIDTH;
}

static void print_trace_header(const struct report *r) {
    if (r->options->csv) {
        fprintf(r->out, "\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\"");
        for (int m = 0; m < r->wanted->count; m++)
            fprintf(r->out, ",\"%s\"", r->wanted->items[m]->name);
    } else {
        fprintf(r->out, "%*s  %8s  %8s  %*s  %14s", TRACE_DEVICE_WIDTH, "Device", "Context",
                "Stream", TRACE_KERNEL_WIDTH, "Kernel", "Correlation_ID");
        for (int m = 0; m < r->wanted->count; m++)
            fprintf(r->out, "  %*s", value_width(r->wanted->items[m]), r->wanted->items[m]->name);
    }
    putc('\n', r->out);
}

/* A cell of the trace; nvprof has a - where it did not count. */
static void format_cell(const struct report *r, const struct sample *s, int metric,
                        char text[FORMAT_SIZE]) {
    if (is_asked(r->samples, s, metric))
        format_value(s->values[metric].average, r->wanted->items[metric]->unit, r->options->csv,
                     text);
    else
        strcpy(text, "-");
}

static void print_trace_csv_row(const struct report *r, const struct sample *s) {
    char text[FORMAT_SIZE], device[160], context[NAME_SIZE], stream[NAME_SIZE];
    device_label(r, s->device, device, sizeof device);
    csv_put_quoted(r->out, "", device);
    place_names(r, s->context, s->stream, context, stream);
    putc(',', r->out);
    csv_put_quoted(r->out, "", context);
    putc(',', r->out);
    csv_put_quoted(r->out, "", stream);
    putc(',', r->out);
    csv_put_quoted(r->out, "", s->kernel);
    fprintf(r->out, ",%d", s->number);
    for (int m = 0; m < r->wanted->count; m++) {
        format_cell(r, s, m, text);
        fprintf(r->out, strchr(text, '(') ? ",\"%s\"" : ",%s", text);
    }
    putc('\n', r->out);
}

static void print_trace_text_row(const struct report *r, const struct sample *s) {
    char text[FORMAT_SIZE], device[160], context[NAME_SIZE], stream[NAME_SIZE];
    device_label(r, s->device, device, sizeof device);
    place_names(r, s->context, s->stream, context, stream);
    fprintf(r->out, "%*.*s  %8s  %8s  %*.*s  %14d", TRACE_DEVICE_WIDTH, TRACE_DEVICE_WIDTH, device,
            context, stream, TRACE_KERNEL_WIDTH, TRACE_KERNEL_WIDTH, s->kernel, s->number);
    for (int m = 0; m < r->wanted->count; m++) {
        format_cell(r, s, m, text);
        fprintf(r->out, "  %*s", value_width(r->wanted->items[m]), text);
    }
    putc('\n', r->out);
}

void print_metric_trace(const struct report *r) {
    fprintf(r->out, "==%d== Profiling result:\n", r->pid);
    if (r->samples->count == 0) {
        fprintf(r->out, "No events/metrics were profiled.\n");
        return;
    }
    print_trace_header(r);
    for (int i = 0; i < r->samples->count; i++)
        (r->options->csv ? print_trace_csv_row : print_trace_text_row)(r, &r->samples->items[i]);
}
