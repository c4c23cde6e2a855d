/* table_pages.c: nvprof's section on managed memory: how its pages moved. */
#include <string.h>

#include "format.h"
#include "tables.h"

/* What moved the pages of one device in one direction, or its groups of page faults. */
struct page_line {
    const char *record, *name;
    size_t count;
    double least, most, bytes, ns;
};
enum { PAGE_LINES = 4 };

/* As nvprof writes the numbers of this table: a 0 before the point is one of the digits. */
static void with_digits(double value, int digits, const char *unit, char text[FORMAT_SIZE]) {
    char number[FORMAT_SIZE];
    fixed_digits(value, value < 1 ? digits - 1 : digits, number);
    snprintf(text, FORMAT_SIZE, "%.30s%s", number, unit);
}

/* From 1000 of a unit on it takes the next: 1020 KiB are 0.9961MB. */
static void size_text(double bytes, int digits, char text[FORMAT_SIZE]) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; unit++) bytes /= 1024;
    with_digits(bytes, digits, units[unit], text);
}

static void print_text(const struct report *r, const struct page_line *line) {
    char average[FORMAT_SIZE] = "-", least[FORMAT_SIZE] = "-", most[FORMAT_SIZE] = "-",
         bytes[FORMAT_SIZE] = "-", time[FORMAT_SIZE];
    enum time_unit unit = r->options->unit;
    if (unit == TIME_AUTO) unit = time_unit_for(line->ns);
    if (line->bytes > 0) {
        size_text(line->bytes / (double)line->count, 5, average);
        size_text(line->least, 5, least);
        size_text(line->most, 5, most);
        size_text(line->bytes, 7, bytes);
    }
    with_digits(line->ns / time_unit_ns(unit), 7, time_unit_name(unit), time);
    fprintf(r->out, "%8zu  %8s  %8s  %8s  %10s  %10s  %s\n", line->count, average, least, most,
            bytes, time, line->name);
}

static void include(struct page_line *line, const struct timeline_row *row) {
    double bytes = (double)row->bytes;
    if (line->count++ == 0 || bytes < line->least) line->least = bytes;
    if (bytes > line->most) line->most = bytes;
    line->bytes += bytes;
    line->ns += (double)(row->end_ns - row->start_ns);
}

static void print_device(const struct report *r, int device) {
    struct page_line lines[PAGE_LINES] = {{.record = "HtoD", .name = "Host To Device"},
                                          {.record = "DtoH", .name = "Device To Host"},
                                          {.record = "DtoD", .name = "Device To Device"},
                                          {.record = "faults", .name = "Gpu page fault groups"}};
    size_t moves = 0;
    for (size_t i = 0; i < r->activities->count; i++) {
        const struct activity *a = &r->activities->items[i];
        if (a->row->record != TIMELINE_PAGES || a->hidden || a->row->device != device) continue;
        for (int l = 0; l < PAGE_LINES; l++)
            if (strcmp(lines[l].record, a->row->name) == 0) include(&lines[l], a->row), moves++;
    }
    if (moves && !r->options->csv)
        fprintf(r->out,
                "Device \"%s (%d)\"\n   Count  Avg Size  Min Size  Max Size  Total Size  Total "
                "Time  Name\n",
                r->device, device);
    for (int l = 0; l < PAGE_LINES; l++) {
        if (lines[l].count && r->options->csv) {
            fprintf(r->out, "\"%s (%d)\",%zu,%.0f,%.0f,%.0f,%.0f,%.0f,\"%s\"\n", r->device, device,
                    lines[l].count, lines[l].bytes / (double)lines[l].count, lines[l].least,
                    lines[l].most, lines[l].bytes, lines[l].ns, lines[l].name);
        }
        if (lines[l].count && !r->options->csv) print_text(r, &lines[l]);
    }
}

void print_pages(const struct report *r) {
    size_t rows = 0, host_faults = 0;
    int devices = 0;
    for (size_t i = 0; i < r->activities->count; i++) {
        const struct activity *a = &r->activities->items[i];
        if (a->row->record != TIMELINE_PAGES || a->hidden) continue;
        rows++;
        host_faults += strcmp(a->row->name, "host") == 0;
        if (a->row->device >= devices) devices = a->row->device + 1;
    }
    if (!rows) return;
    fprintf(r->out, "\n==%d== Unified Memory profiling result:\n", r->pid);
    if (r->options->csv)
        fputs("\"Device\",\"Count\",\"Avg Size\",\"Min Size\",\"Max Size\",\"Total Size\",\"Total "
              "Time\",\"Name\"\n,,B,B,B,B,ns,\n",
              r->out);
    for (int device = 0; device < devices; device++) print_device(r, device);
    if (host_faults) fprintf(r->out, "Total CPU Page faults: %zu\n", host_faults);
}
