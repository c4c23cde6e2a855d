/* table_trace.c: nvprof's traces: one line for each kernel, copy and fill, for each API call, or
 * for both. */
#include "format.h"
#include "tables.h"

/* Widths of nvprof's columns. */
#define DEVICE_WIDTH 15
#define CALL_FORMAT  "%8s  %8s  "
#define ROW_FORMAT   "%8s  %8s  %19s  %14s  %8s  %8s  %8s  %8s  %10s  %10s  %10s  %*s  %8s  %8s  "

static const char legend[] =
    "\n"
    "Regs: Number of registers used per CUDA thread. This number includes registers used "
    "internally by the CUDA driver and/or tools and can be more than what the compiler shows.\n"
    "SSMem: Static shared memory allocated per CUDA block.\n"
    "DSMem: Dynamic shared memory allocated per CUDA block.\n"
    "SrcMemType: The type of source memory accessed by memory operation/copy\n"
    "DstMemType: The type of destination memory accessed by memory operation/copy\n";

/* What a trace has. */
struct trace {
    const struct report *report;
    bool gpu, api;
    enum time_unit start_unit, time_unit; /* of CSV */
};

static bool wanted(const struct trace *t, const struct activity *a) {
    return !a->hidden && (activity_on_gpu(a) ? t->gpu : t->api && a->row->record == TIMELINE_API);
}

static bool is_kernel(const struct activity *a) {
    return a->row->record == TIMELINE_KERNEL;
}

/* Is it a copy or a fill? */
static bool moves_bytes(const struct activity *a) {
    return activity_on_gpu(a) && !is_kernel(a);
}

/* Bytes a second. */
static double throughput(const struct activity *a) {
    return (double)a->row->bytes / activity_ns(a) * 1e9;
}

/* nvprof names the memory of a fill as its source. */
static const char *source_of(const struct timeline_row *row) {
    return row->record == TIMELINE_MEMSET ? row->target : row->source;
}

static const char *target_of(const struct timeline_row *row) {
    return row->record == TIMELINE_MEMSET ? "" : row->target;
}

/* Writes the kind of memory with a capital letter: Pageable. */
static void format_memory(const char *kind, const char *none, char text[FORMAT_SIZE]) {
    snprintf(text, FORMAT_SIZE, "%s", *kind ? kind : none);
    if (*text >= 'a' && *text <= 'z') *text -= 'a' - 'A';
}

/* ---- Text ---- */

static void format_shape(const uint32_t shape[3], char *text, size_t size) {
    snprintf(text, size, "(%u %u %u)", shape[0], shape[1], shape[2]);
}

static void print_gpu_row(const struct report *r, const struct activity *a, const char *start,
                          const char *time) {
    const struct timeline_row *row = a->row;
    char grid[64] = "-", block[64] = "-", registers[16] = "-", static_shared[FORMAT_SIZE] = "-";
    char dynamic_shared[FORMAT_SIZE] = "-", size[FORMAT_SIZE] = "-", rate[FORMAT_SIZE] = "-";
    char source[FORMAT_SIZE], target[FORMAT_SIZE],
        device[FORMAT_SIZE] = "-", context[NAME_SIZE] = "-", stream[NAME_SIZE] = "-";
    if (is_kernel(a)) {
        format_shape(row->grid, grid, sizeof grid);
        format_shape(row->block, block, sizeof block);
        snprintf(registers, sizeof registers, "%d", row->registers);
        format_bytes((double)row->static_shared, static_shared);
        format_bytes((double)row->dynamic_shared, dynamic_shared);
    }
    if (moves_bytes(a)) {
        format_bytes((double)row->bytes, size);
        if (row->end_ns > row->start_ns) format_value(throughput(a), "B/s", false, rate);
    }
    format_memory(source_of(row), "-", source);
    format_memory(target_of(row), "-", target);
    if (activity_on_gpu(a)) {
        /* Cut a longer name, but not the device's number. */
        char number[16];
        int length = snprintf(number, sizeof number, " (%d)", row->device);
        snprintf(device, FORMAT_SIZE, "%.*s%s", DEVICE_WIDTH - length, r->device, number);
        place_names(r, row->context, row->stream, context, stream);
    }
    fprintf(r->out, ROW_FORMAT, start, time, grid, block, registers, static_shared, dynamic_shared,
            size, rate, source, target, DEVICE_WIDTH, device, context, stream);
}

static void print_text_row(const struct trace *t, const struct activity *a) {
    const struct report *r = t->report;
    char start[FORMAT_SIZE], time[FORMAT_SIZE];
    format_time((double)a->row->start_ns, r->options->unit, start);
    format_time(activity_ns(a), r->options->unit, time);
    if (t->gpu)
        print_gpu_row(r, a, start, time);
    else
        fprintf(r->out, CALL_FORMAT, start, time);
    /* A kernel has its number after its name. The call that launched it names it: cudaLaunchKernel
     * (add(int*) [94]). */
    unsigned long long number = a->row->correlation;
    if (is_kernel(a))
        fprintf(r->out, "%s [%llu]\n", a->name, number);
    else if (a->kernel)
        fprintf(r->out, "%s (%s [%llu])\n", a->name, a->kernel->name, number);
    else
        fprintf(r->out, "%s\n", a->name);
}

static void print_text_header(const struct trace *t) {
    FILE *out = t->report->out;
    if (t->gpu)
        fprintf(out, ROW_FORMAT "Name\n", "Start", "Duration", "Grid Size", "Block Size", "Regs*",
                "SSMem*", "DSMem*", "Size", "Throughput", "SrcMemType", "DstMemType", DEVICE_WIDTH,
                "Device", "Context", "Stream");
    else
        fprintf(out, CALL_FORMAT "Name\n", "Start", "Duration");
}

/* ---- CSV ---- */

/* The unit of a column: that of -u, or the largest unit in which the largest time is at least 1. */
static enum time_unit column_unit(const struct trace *t, bool start) {
    const struct activities *all = t->report->activities;
    double largest = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct activity *a = &all->items[i];
        double ns = start ? (double)a->row->start_ns : activity_ns(a);
        if (wanted(t, a) && ns > largest) largest = ns;
    }
    return t->report->options->unit == TIME_AUTO ? time_unit_for(largest)
                                                 : t->report->options->unit;
}

static void print_csv_header(const struct trace *t) {
    FILE *out = t->report->out;
    const char *start = time_unit_name(t->start_unit), *time = time_unit_name(t->time_unit);
    if (!t->gpu) {
        fprintf(out, "\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"\n%s,%s,,\n", start, time);
        return;
    }
    fprintf(out, "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block "
                 "Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic "
                 "SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\","
                 "\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\n");
    fprintf(out, "%s,%s,,,,,,,,B,B,B,GB/s,,,,,,,\n", start, time);
}

/* Prints the cells of a kernel's shape and resources; they are empty for others. */
static void print_launch_cells(FILE *out, const struct activity *a) {
    const struct timeline_row *row = a->row;
    if (!is_kernel(a)) {
        fputs(",,,,,,,,,", out);
        return;
    }
    for (int i = 0; i < 6; i++) fprintf(out, "%u,", i < 3 ? row->grid[i] : row->block[i - 3]);
    fprintf(out, "%d,%llu,%llu,", row->registers, (unsigned long long)row->static_shared,
            (unsigned long long)row->dynamic_shared);
}

/* Prints size, throughput in 2^30 bytes a second, and the two kinds of memory. */
static void print_copy_cells(FILE *out, const struct activity *a) {
    char source[FORMAT_SIZE], target[FORMAT_SIZE];
    if (!moves_bytes(a)) {
        fputs(",,,,", out);
        return;
    }
    format_memory(source_of(a->row), "", source);
    format_memory(target_of(a->row), "", target);
    fprintf(out, "%llu,", (unsigned long long)a->row->bytes);
    if (a->row->end_ns > a->row->start_ns) fprintf(out, "%.6f", throughput(a) / (1 << 30));
    putc(',', out);
    csv_put_quoted(out, "", source);
    putc(',', out);
    csv_put_quoted(out, "", target);
    putc(',', out);
}

static void print_csv_row(const struct trace *t, const struct activity *a) {
    FILE *out = t->report->out;
    char device[160];
    fprintf(out, "%.6f,%.6f,", (double)a->row->start_ns / time_unit_ns(t->start_unit),
            activity_ns(a) / time_unit_ns(t->time_unit));
    if (t->gpu) {
        print_launch_cells(out, a);
        print_copy_cells(out, a);
    }
    if (activity_on_gpu(a)) {
        device_label(t->report, a->row->device, device, sizeof device);
        csv_put_quoted(out, "", device);
        char context[NAME_SIZE], stream[NAME_SIZE];
        place_names(t->report, a->row->context, a->row->stream, context, stream);
        putc(',', out);
        csv_put_quoted(out, "", context);
        putc(',', out);
        csv_put_quoted(out, "", stream);
        putc(',', out);
    } else if (t->gpu) {
        fputs(",,,", out);
    }
    csv_put_quoted(out, "", a->name);
    fprintf(out, ",%llu\n", (unsigned long long)a->row->correlation);
}

/* ---- Both ---- */

void print_trace(const struct report *r, bool gpu, bool api) {
    struct trace t = {.report = r, .gpu = gpu, .api = api};
    size_t printed = 0;
    t.start_unit = column_unit(&t, true);
    t.time_unit = column_unit(&t, false);
    fprintf(r->out, "==%d== Profiling result:\n", r->pid);
    for (size_t i = 0; i < r->activities->count; i++) {
        const struct activity *a = &r->activities->items[i];
        if (!wanted(&t, a)) continue;
        if (printed++ == 0) (r->options->csv ? print_csv_header : print_text_header)(&t);
        (r->options->csv ? print_csv_row : print_text_row)(&t, a);
    }
    if (printed == 0)
        fprintf(r->out, gpu ? "No kernels were profiled.\n" : "No API activities were profiled.\n");
    else if (gpu && !r->options->csv)
        fputs(legend, r->out);
}
