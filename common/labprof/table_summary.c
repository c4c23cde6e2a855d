/* table_summary.c: nvprof's summary: the time of kernels, copies and fills by name, and of API
 * calls. */
#include <stdlib.h>

#include "format.h"
#include "lib/memory.h"
#include "tables.h"

/* Widths of nvprof's columns. */
#define ROW_FORMAT "%16s  %7s  %8s  %8s  %8s  %8s  %8s  %s\n"

/* The columns with times. */
enum { TIME, AVERAGE, LEAST, MOST, TIME_COLUMNS };

/* All activities of one name, in nanoseconds. */
struct line {
    const char *name;
    size_t calls;
    double ns[TIME_COLUMNS];
};

/* A part of the table: GPU activities or API calls, the longest first. */
struct section {
    const char *title;
    struct line *lines;
    size_t count;
    double total_ns;
};

/* Returns the line of that name; adds it at the first call. Equal names are the same string
 * (activities.h). */
static struct line *line_of(struct section *s, const char *name) {
    for (size_t i = 0; i < s->count; i++)
        if (s->lines[i].name == name) return &s->lines[i];
    s->lines = need(realloc(s->lines, (s->count + 1) * sizeof *s->lines));
    s->lines[s->count] = (struct line){.name = name};
    return &s->lines[s->count++];
}

static void include(struct section *s, const struct activity *a) {
    struct line *line = line_of(s, a->name);
    double ns = activity_ns(a);
    if (line->calls == 0 || ns < line->ns[LEAST]) line->ns[LEAST] = ns;
    if (ns > line->ns[MOST]) line->ns[MOST] = ns;
    line->calls++;
    line->ns[TIME] += ns;
    line->ns[AVERAGE] = line->ns[TIME] / (double)line->calls;
    s->total_ns += ns;
}

static int by_time(const void *a, const void *b) {
    double x = ((const struct line *)a)->ns[TIME], y = ((const struct line *)b)->ns[TIME];
    return (x < y) - (x > y);
}

enum { ALL_DEVICES = -1 };

static struct section add_up(const struct report *r, const char *title, bool calls, int device) {
    struct section s = {.title = title};
    for (size_t i = 0; i < r->activities->count; i++) {
        const struct activity *a = &r->activities->items[i];
        bool belongs = calls ? a->row->record == TIMELINE_API : activity_on_gpu(a);
        bool here = device == ALL_DEVICES || a->row->device == device;
        if (belongs && here && !a->hidden) include(&s, a);
    }
    if (s.count) qsort(s.lines, s.count, sizeof *s.lines, by_time);
    return s;
}

static double percent(const struct section *s, const struct line *line) {
    return s->total_ns > 0 ? 100 * line->ns[TIME] / s->total_ns : 0;
}

static void print_text(const struct report *r, const struct section *s) {
    for (size_t i = 0; i < s->count; i++) {
        const struct line *line = &s->lines[i];
        char title[FORMAT_SIZE] = "", share[FORMAT_SIZE], calls[FORMAT_SIZE],
             times[TIME_COLUMNS][FORMAT_SIZE];
        if (i == 0) snprintf(title, sizeof title, "%s:", s->title);
        format_value(percent(s, line), "%", false, share);
        snprintf(calls, sizeof calls, "%zu", line->calls);
        for (int t = 0; t < TIME_COLUMNS; t++) format_time(line->ns[t], r->options->unit, times[t]);
        fprintf(r->out, ROW_FORMAT, title, share, times[TIME], calls, times[AVERAGE], times[LEAST],
                times[MOST], line->name);
    }
}

/* The unit of a column: nvprof's CSV has one unit a column. */
static enum time_unit column_unit(const struct report *r, const struct section sections[2],
                                  int column) {
    double largest = 0;
    for (int part = 0; part < 2; part++)
        for (size_t i = 0; i < sections[part].count; i++) {
            double ns = sections[part].lines[i].ns[column];
            largest = ns > largest ? ns : largest;
        }
    return r->options->unit == TIME_AUTO ? time_unit_for(largest) : r->options->unit;
}

/* Of one device, or of all. */
static void print_part(const struct report *r, bool gpu, bool api, int device) {
    struct section sections[2] = {{0}};
    if (gpu) sections[0] = add_up(r, "GPU activities", false, device);
    if (api) sections[1] = add_up(r, "API calls", true, ALL_DEVICES);
    if (gpu && sections[0].count == 0) fprintf(r->out, "No kernels were profiled.\n");
    if (api && sections[1].count == 0) fprintf(r->out, "No API activities were profiled.\n");
    if (sections[0].count + sections[1].count > 0 && r->options->csv) {
        enum time_unit units[TIME_COLUMNS];
        for (int t = 0; t < TIME_COLUMNS; t++) units[t] = column_unit(r, sections, t);
        fprintf(r->out,
                "\"Type\",\"Time(%%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n");
        fprintf(r->out, ",%%,%s,,%s,%s,%s,\n", time_unit_name(units[TIME]),
                time_unit_name(units[AVERAGE]), time_unit_name(units[LEAST]),
                time_unit_name(units[MOST]));
        for (int j = 0; j < 2; j++) {
            for (size_t i = 0; i < sections[j].count; i++) {
                const struct line *line = &sections[j].lines[i];
                double times[TIME_COLUMNS];
                for (int k = 0; k < TIME_COLUMNS; k++)
                    times[k] = line->ns[k] / time_unit_ns(units[k]);
                fprintf(r->out, "\"%s\",%.6f,%.6f,%zu,%.6f,%.6f,%.6f,", sections[j].title,
                        percent(&sections[j], line), times[TIME], line->calls, times[AVERAGE],
                        times[LEAST], times[MOST]);
                csv_put_quoted(r->out, "", line->name);
                putc('\n', r->out);
            }
        }
    } else if (sections[0].count + sections[1].count > 0) {
        fprintf(r->out, ROW_FORMAT, "Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max",
                "Name");
        for (int part = 0; part < 2; part++) print_text(r, &sections[part]);
    }
    for (int part = 0; part < 2; part++) free(sections[part].lines);
}

static int device_count(const struct report *r) {
    int devices = 0;
    for (size_t i = 0; i < r->activities->count; i++) {
        const struct activity *a = &r->activities->items[i];
        if (activity_on_gpu(a) && !a->hidden && a->row->device >= devices)
            devices = a->row->device + 1;
    }
    return devices;
}

/* A table for each device that did something, and one for the calls. */
static void print_by_device(const struct report *r, bool gpu, bool api) {
    char label[160];
    int devices = gpu ? device_count(r) : 0;
    for (int device = 0; device < devices; device++) {
        device_label(r, device, label, sizeof label);
        fprintf(r->out, "%sDevice \"%s\"\n", device > 0 ? "\n" : "", label);
        print_part(r, true, false, device);
    }
    if (devices && api) putc('\n', r->out);
    if (api || !devices) print_part(r, gpu && !devices, api, ALL_DEVICES);
}

void print_summary(const struct report *r, bool gpu, bool api) {
    fprintf(r->out, "==%d== Profiling result:\n", r->pid);
    if (r->options->summary_per_gpu)
        print_by_device(r, gpu, api);
    else
        print_part(r, gpu, api, ALL_DEVICES);
    if (gpu && !r->options->no_pages) print_pages(r);
}
