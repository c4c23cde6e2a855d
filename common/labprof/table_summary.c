/* table_summary.c: nvprof's summary: the time of kernels, copies and fills by name, and of API
 * calls. */
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "lib/memory.h"
#include "names.h"
#include "tables.h"

/* Widths of nvprof's columns. */
#define ROW_FORMAT "%16s  %7s  %8s  %8s  %8s  %8s  %8s  %s\n"

/* The columns with times. */
enum { TIME, AVERAGE, LEAST, MOST, TIME_COLUMNS };

enum { SECTIONS = 3 }; /* ranges, what GPUs did, calls */

/* All activities of one name, in nanoseconds. */
struct line {
    const char *name;
    size_t calls;
    double ns[TIME_COLUMNS];
};

/* A section of the table: ranges, GPU activities or API calls, the longest first. */
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

/* Which activities a table is about. */
struct part {
    int device;                     /* ALL_DEVICES: those of all */
    const struct activity **ranges; /* only what was called in one of these, all of one name */
    size_t range_count;             /* 0: all */
};

static bool same_range(const struct activity *a, const struct activity *b) {
    return b->row->record == TIMELINE_RANGE && a->process == b->process && a->name == b->name &&
           a->row->thread == b->row->thread && strcmp(a->row->source, b->row->source) == 0;
}

/* Was it called in a range, or did a call in it cause it? A range is in itself. */
static bool is_in_range(const struct activity *range, const struct activity *a) {
    const struct activity *call = a->row->record == TIMELINE_API ? a : a->call;
    return a == range ||
           (call && call->process == range->process && call->row->thread == range->row->thread &&
            call->row->start_ns >= range->row->start_ns &&
            call->row->start_ns < range->row->end_ns);
}

static bool is_in_part(const struct part *part, const struct activity *a) {
    bool in = part->range_count == 0;
    for (size_t i = 0; i < part->range_count && !in; i++) in = is_in_range(part->ranges[i], a);
    return in && (part->device == ALL_DEVICES || a->row->device == part->device);
}

static bool belongs(const struct activity *a, enum timeline_record record) {
    return record == TIMELINE_KERNEL ? activity_on_gpu(a) : a->row->record == record;
}

/* record: TIMELINE_API, TIMELINE_RANGE, or TIMELINE_KERNEL for all that a GPU does. */
static struct section add_up(const struct report *r, const char *title, enum timeline_record record,
                             struct part part) {
    struct section s = {.title = title};
    for (size_t i = 0; i < r->activities->count; i++) {
        const struct activity *a = &r->activities->items[i];
        if (!a->hidden && belongs(a, record) && is_in_part(&part, a)) include(&s, a);
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
static enum time_unit column_unit(const struct report *r, const struct section sections[SECTIONS],
                                  int column) {
    double largest = 0;
    for (int k = 0; k < SECTIONS; k++)
        for (size_t i = 0; i < sections[k].count; i++) {
            double ns = sections[k].lines[i].ns[column];
            largest = ns > largest ? ns : largest;
        }
    return r->options->unit == TIME_AUTO ? time_unit_for(largest) : r->options->unit;
}

static void print_part(const struct report *r, bool gpu, bool api, struct part part) {
    struct section sections[SECTIONS] = {{0}};
    if (part.range_count) sections[0] = add_up(r, "Range", TIMELINE_RANGE, part);
    if (gpu) sections[1] = add_up(r, "GPU activities", TIMELINE_KERNEL, part);
    if (api) sections[2] = add_up(r, "API calls", TIMELINE_API, part);
    if (gpu && !part.range_count && sections[1].count == 0)
        fprintf(r->out, "No kernels were profiled.\n");
    if (api && !part.range_count && sections[2].count == 0)
        fprintf(r->out, "No API activities were profiled.\n");
    size_t lines = sections[0].count + sections[1].count + sections[2].count;
    if (lines > 0 && r->options->csv) {
        enum time_unit units[TIME_COLUMNS];
        for (int t = 0; t < TIME_COLUMNS; t++) units[t] = column_unit(r, sections, t);
        fprintf(r->out,
                "\"Type\",\"Time(%%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n");
        fprintf(r->out, ",%%,%s,,%s,%s,%s,\n", time_unit_name(units[TIME]),
                time_unit_name(units[AVERAGE]), time_unit_name(units[LEAST]),
                time_unit_name(units[MOST]));
        for (int j = 0; j < SECTIONS; j++) {
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
    } else if (lines > 0) {
        fprintf(r->out, ROW_FORMAT, "Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max",
                "Name");
        for (int k = 0; k < SECTIONS; k++) print_text(r, &sections[k]);
    }
    for (int k = 0; k < SECTIONS; k++) free(sections[k].lines);
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
    for (int d = 0; d < devices; d++) {
        device_label(r, d, label, sizeof label);
        fprintf(r->out, "%sDevice \"%s\"\n", d > 0 ? "\n" : "", label);
        print_part(r, true, false, (struct part){.device = d});
    }
    if (devices && api) putc('\n', r->out);
    if (api || !devices) print_part(r, gpu && !devices, api, (struct part){.device = ALL_DEVICES});
}

/* What the program did in ranges that it marked by NVTX: a table for each thread, domain and
 * name. */
static void print_ranges(const struct report *r, bool gpu, bool api) {
    const struct activities *all = r->activities;
    struct part part = {.device = ALL_DEVICES};
    bool titled = false;
    part.ranges = need(calloc(all->count + 1, sizeof(*part.ranges)));
    for (size_t i = 0; i < all->count; i++) {
        const struct activity *range = &all->items[i];
        bool first = range->row->record == TIMELINE_RANGE && !range->hidden;
        for (size_t k = 0; k < i && first; k++) first = !same_range(range, &all->items[k]);
        if (!first) continue;
        part.range_count = 0;
        for (size_t k = i; k < all->count; k++)
            if (same_range(range, &all->items[k])) part.ranges[part.range_count++] = &all->items[k];
        if (!titled) fprintf(r->out, "\n==%d== NVTX result:\n", r->pid);
        titled = true;
        const char *domain = *range->row->source ? range->row->source : "<unnamed>";
        const char *thread = name_kept(range->row->thread, 0);
        fprintf(r->out, "==%d==   Thread \"%s\" (id = %llu)\n", r->pid,
                thread ? thread : "<unnamed>", (unsigned long long)range->row->thread);
        fprintf(r->out, "==%d==     Domain \"%s\"\n==%d==       Range \"%s\"\n", r->pid, domain,
                r->pid, range->name);
        print_part(r, gpu, api, part);
        putc('\n', r->out);
    }
    free(part.ranges);
}

void print_summary(const struct report *r, bool gpu, bool api) {
    fprintf(r->out, "==%d== Profiling result:\n", r->pid);
    if (r->options->summary_per_gpu)
        print_by_device(r, gpu, api);
    else
        print_part(r, gpu, api, (struct part){.device = ALL_DEVICES});
    if (gpu && !r->options->no_pages) print_pages(r);
    print_ranges(r, gpu, api);
}
