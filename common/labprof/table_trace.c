/* table_trace.c: nvprof's tables with one line a launch: times and shapes, or metrics. */
#include <math.h>
#include <string.h>

#include "format.h"
#include "tables.h"

/* The context and stream that nvprof prints for a program that creates none. */
#define CONTEXT 1
#define STREAM  7

/* Widths of nvprof's columns. */
#define DEVICE_WIDTH 15 /* a longer name is cut */
#define ROW_FORMAT   "%8s  %8s  %19s  %14s  %8s  %8s  %8s  %8s  %10s  %10s  %10s  %*.*s  %8s  %8s  %s"

enum { METRIC_DEVICE_WIDTH = 24, METRIC_KERNEL_WIDTH = 24, METRIC_VALUE_WIDTH = 10 };

static const char legend[] = "\n"
                             "Regs: Number of registers used per CUDA thread. This number includes registers used "
                             "internally by the CUDA driver and/or tools "
                             "and can be more than what the compiler shows.\n"
                             "SSMem: Static shared memory allocated per CUDA block.\n"
                             "DSMem: Dynamic shared memory allocated per CUDA block.\n"
                             "SrcMemType: The type of source memory accessed by memory operation/copy\n"
                             "DstMemType: The type of destination memory accessed by memory operation/copy\n";

static void format_shape(const unsigned shape[3], char *text, size_t size) {
    if (shape[0] == 0)
        snprintf(text, size, "-");
    else
        snprintf(text, size, "(%u %u %u)", shape[0], shape[1], shape[2]);
}

static void format_registers(double registers, char text[FORMAT_SIZE]) {
    snprintf(text, FORMAT_SIZE, isnan(registers) ? "NA" : "%.0f", registers);
}

static void print_text_row(const struct report *r, const struct sample *s) {
    char start[FORMAT_SIZE] = "-", time[FORMAT_SIZE], grid[64], block[64], registers[FORMAT_SIZE];
    char static_shared[FORMAT_SIZE], dynamic_shared[FORMAT_SIZE], device[160], context[16], stream[16];
    if (!isnan(s->start_ns)) format_time(s->start_ns, r->options->unit, start);
    format_time(s->time_ns, r->options->unit, time);
    format_shape(s->grid, grid, sizeof grid);
    format_shape(s->block, block, sizeof block);
    format_registers(s->registers, registers);
    format_bytes(s->static_shared, static_shared);
    format_bytes(s->dynamic_shared, dynamic_shared);
    device_label(r->samples, device, sizeof device);
    snprintf(context, sizeof context, "%d", CONTEXT);
    snprintf(stream, sizeof stream, "%d", STREAM);
    fprintf(r->out, ROW_FORMAT " [%d]\n", start, time, grid, block, registers, static_shared, dynamic_shared, "-", "-",
            "-", "-", DEVICE_WIDTH, DEVICE_WIDTH, device, context, stream, s->kernel, s->number);
}

/* Prints a number and a comma; NaN gives an empty cell. */
static void print_number(FILE *out, double value, const char *format) {
    if (!isnan(value)) fprintf(out, format, value);
    putc(',', out);
}

static void print_csv_row(const struct report *r, const struct sample *s, enum time_unit start_unit,
                          enum time_unit time_unit) {
    char device[160];
    device_label(r->samples, device, sizeof device);
    print_number(r->out, s->start_ns / time_unit_ns(start_unit), "%.6f");
    print_number(r->out, s->time_ns / time_unit_ns(time_unit), "%.6f");
    for (int i = 0; i < 6; i++) {
        unsigned extent = i < 3 ? s->grid[i] : s->block[i - 3];
        print_number(r->out, extent ? extent : NAN, "%.0f");
    }
    print_number(r->out, s->registers, "%.0f");
    print_number(r->out, s->static_shared, "%.0f");
    print_number(r->out, s->dynamic_shared, "%.0f");
    fputs(",,,,", r->out);
    print_quoted(r->out, device);
    fprintf(r->out, ",\"%d\",\"%d\",", CONTEXT, STREAM);
    print_quoted(r->out, s->kernel);
    fprintf(r->out, ",%d\n", s->number);
}

/* The unit of a column of times: that of -u, or the largest unit in which the largest time is at least 1. */
static enum time_unit column_unit(const struct report *r, bool start) {
    double largest = 0;
    for (int i = 0; i < r->samples->count; i++) {
        double ns = start ? r->samples->items[i].start_ns : r->samples->items[i].time_ns;
        largest = ns > largest ? ns : largest;
    }
    return r->options->unit == TIME_AUTO ? time_unit_for(largest) : r->options->unit;
}

static void print_csv(const struct report *r) {
    enum time_unit start = column_unit(r, true), time = column_unit(r, false);
    fprintf(r->out, "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\","
                    "\"Registers Per Thread\",\"Static SMem\",\"Dynamic "
                    "SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\","
                    "\"Device\",\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\n");
    fprintf(r->out, "%s,%s,,,,,,,,B,B,,,,,,,,,\n", time_unit_name(start), time_unit_name(time));
    for (int i = 0; i < r->samples->count; i++) print_csv_row(r, &r->samples->items[i], start, time);
}

static void print_text(const struct report *r) {
    fprintf(r->out, ROW_FORMAT "\n", "Start", "Duration", "Grid Size", "Block Size", "Regs*", "SSMem*", "DSMem*",
            "Size", "Throughput", "SrcMemType", "DstMemType", DEVICE_WIDTH, DEVICE_WIDTH, "Device", "Context", "Stream",
            "Name");
    for (int i = 0; i < r->samples->count; i++) print_text_row(r, &r->samples->items[i]);
    fputs(legend, r->out);
}

void print_trace(const struct report *r) {
    fprintf(r->out, "==%d== Profiling result:\n", r->pid);
    if (r->samples->count == 0)
        fprintf(r->out, "No kernels were profiled.\n");
    else if (r->options->csv)
        print_csv(r);
    else
        print_text(r);
}

/* ---- Metrics, launch by launch ---- */

static int value_width(const struct metric *metric) {
    int width = (int)strlen(metric->name);
    return width > METRIC_VALUE_WIDTH ? width : METRIC_VALUE_WIDTH;
}

static void print_metric_header(const struct report *r) {
    if (r->options->csv) {
        fprintf(r->out, "\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\"");
        for (int m = 0; m < r->wanted->count; m++) fprintf(r->out, ",\"%s\"", r->wanted->items[m]->name);
    } else {
        fprintf(r->out, "%*s  %8s  %8s  %*s  %14s", METRIC_DEVICE_WIDTH, "Device", "Context", "Stream",
                METRIC_KERNEL_WIDTH, "Kernel", "Correlation_ID");
        for (int m = 0; m < r->wanted->count; m++)
            fprintf(r->out, "  %*s", value_width(r->wanted->items[m]), r->wanted->items[m]->name);
    }
    putc('\n', r->out);
}

static void print_metric_csv_row(const struct report *r, const struct sample *s, const char *device) {
    char text[FORMAT_SIZE];
    print_quoted(r->out, device);
    fprintf(r->out, ",\"%d\",\"%d\",", CONTEXT, STREAM);
    print_quoted(r->out, s->kernel);
    fprintf(r->out, ",%d", s->number);
    for (int m = 0; m < r->wanted->count; m++) {
        format_value(s->values[m].average, r->wanted->items[m]->unit, true, text);
        fprintf(r->out, strchr(text, '(') ? ",\"%s\"" : ",%s", text);
    }
    putc('\n', r->out);
}

static void print_metric_text_row(const struct report *r, const struct sample *s, const char *device) {
    char text[FORMAT_SIZE];
    fprintf(r->out, "%*.*s  %8d  %8d  %*.*s  %14d", METRIC_DEVICE_WIDTH, METRIC_DEVICE_WIDTH, device, CONTEXT, STREAM,
            METRIC_KERNEL_WIDTH, METRIC_KERNEL_WIDTH, s->kernel, s->number);
    for (int m = 0; m < r->wanted->count; m++) {
        format_value(s->values[m].average, r->wanted->items[m]->unit, false, text);
        fprintf(r->out, "  %*s", value_width(r->wanted->items[m]), text);
    }
    putc('\n', r->out);
}

void print_metric_trace(const struct report *r) {
    char device[160];
    device_label(r->samples, device, sizeof device);
    fprintf(r->out, "==%d== Profiling result:\n", r->pid);
    if (r->samples->count == 0) {
        fprintf(r->out, "No events/metrics were profiled.\n");
        return;
    }
    print_metric_header(r);
    for (int i = 0; i < r->samples->count; i++)
        (r->options->csv ? print_metric_csv_row : print_metric_text_row)(r, &r->samples->items[i], device);
}
