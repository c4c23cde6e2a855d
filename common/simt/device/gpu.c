/* device/gpu.c: reads gpus.tsv, the table of virtual GPUs. */
#include "gpu.h"

#include "host.h"
#include "lib/csv.h"
#include "lib/die.h"

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_GPUS 64
/* column; before it are the constant and its unit, after the last its source */
#define FIRST_GPU    2
#define LARGEST_SIZE 0x1p53 /* up to it a double holds every whole number */

enum type { TYPE_gpu_text, TYPE_int, TYPE_uint64_t, TYPE_double };
static const char *const WANTED[] = {"a short text", "a whole number", "a whole number",
                                     "a number"};

/* The rows in order. */
static const struct constant {
    const char *name, *unit;
    enum type type;
    size_t offset;
} constants[] = {
#define GPU_CONSTANT(type, name, unit, meaning)                                                    \
    {#name, unit, TYPE_##type, offsetof(struct gpu, name)},
#include "gpu.def"
};
enum { CONSTANT_COUNT = sizeof constants / sizeof constants[0] };

static struct gpu gpus[MAX_GPUS];
static int gpu_count;
static char table_path[PATH_MAX];
static char table_error[PATH_MAX + 256]; /* why the table could not be read; empty: it could */
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

/* ---- Cells ---- */

/* A number of at least 0; a whole one unless the constant is a double. */
static bool gpu_set_number(struct gpu *gpu, const struct constant *constant, const char *text) {
    char *end;
    void *target = (char *)gpu + constant->offset;
    double value = strtod(text, &end),
           largest = constant->type == TYPE_int ? INT_MAX : LARGEST_SIZE;
    if (end == text || *end || !(value >= 0 && value <= largest)) return false;
    if (constant->type == TYPE_double) {
        *(double *)target = value;
        return true;
    }
    if (value != (double)(uint64_t)value) return false;
    if (constant->type == TYPE_int)
        *(int *)target = (int)value;
    else
        *(uint64_t *)target = (uint64_t)value;
    return true;
}

/* Text of at least 1 byte and less than size. */
static bool gpu_set_text(char *target, size_t size, const char *text) {
    if (!*text || strlen(text) >= size) return false;
    strcpy(target, text);
    return true;
}

static bool set_constant(struct gpu *gpu, const struct constant *constant, const char *text) {
    if (constant->type == TYPE_gpu_text)
        return gpu_set_text((char *)gpu + constant->offset, sizeof(gpu_text), text);
    return gpu_set_number(gpu, constant, text);
}

/* ---- Rows ---- */

__attribute__((format(printf, 1, 2))) static bool bad_table(const char *format, ...) {
    va_list arguments;
    int used = snprintf(table_error, sizeof table_error, "%s:", table_path);
    va_start(arguments, format);
    vsnprintf(table_error + used, sizeof table_error - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static bool read_name(const char *name) {
    for (int i = 0; i < gpu_count; i++)
        if (!strcmp(gpus[i].name, name)) return bad_table(" two columns are named %s", name);
    if (!gpu_set_text(gpus[gpu_count].name, sizeof gpus->name, name))
        return bad_table(" a column has no name, or one that is too long");
    gpu_count++;
    return true;
}

/* The header: constant, unit, the GPUs' names, source. */
static bool read_names(const struct csv *table) {
    int last = csv_columns(table) - 1;
    if (strcmp(csv_header(table, 0), "constant") || strcmp(csv_header(table, 1), "unit") ||
        strcmp(csv_header(table, last), "source"))
        return bad_table(" the columns must be constant, unit, one for each GPU, source");
    if (last <= FIRST_GPU) return bad_table(" no GPU in it");
    if (last - FIRST_GPU > MAX_GPUS) return bad_table(" more than %d GPUs", MAX_GPUS);
    for (int column = FIRST_GPU; column < last; column++)
        if (!read_name(csv_header(table, column))) return false;
    return true;
}

/* Does the source, such as "v100: published [JIA18]; h100, h200: measured [CAL]; others: ...", say
 * that the figure of this GPU is measured? */
static bool is_measured(const char *source, const char *gpu) {
    size_t length = strlen(gpu);
    for (const char *part = source; part; part = strchr(part, ';')) {
        part += strspn(part, "; ");
        const char *kind = strchr(part, ':');
        if (!kind) return false;
        if (strncmp(kind, ": measured", strlen(": measured"))) continue;
        for (const char *name = part; name < kind; name += strcspn(name, ",:") + 2)
            if (!strncmp(name, gpu, length) && strcspn(name, ",:") == length) return true;
    }
    return false;
}

/* A row must be the constant that we know in that place: a table of another version is refused, not
 * misread. */
static bool read_row(const struct csv *table, int row) {
    const struct constant *constant = &constants[row];
    const char *name = csv_at(table, row, 0), *unit = csv_at(table, row, 1);
    int line = csv_line(table, row);
    if (strcmp(name, constant->name) || strcmp(unit, constant->unit))
        return bad_table("%d: this row should be %s with the unit %s, not %s with %s", line,
                         constant->name, constant->unit, name, unit);
    const char *source = csv_at(table, row, FIRST_GPU + gpu_count);
    for (int i = 0; i < gpu_count; i++) {
        if (!set_constant(&gpus[i], constant, csv_at(table, row, FIRST_GPU + i)))
            return bad_table("%d: %s of %s is not %s", line, name, gpus[i].name,
                             WANTED[constant->type]);
        gpus[i].measured |= is_measured(source, gpus[i].name);
    }
    return *source || bad_table("%d: %s has no source", line, name);
}

static bool read_rows(const struct csv *table) {
    int rows = csv_rows(table);
    for (int row = 0; row < rows && row < CONSTANT_COUNT; row++)
        if (!read_row(table, row)) return false;
    if (rows < CONSTANT_COUNT) return bad_table(" no row for %s", constants[rows].name);
    return rows == CONSTANT_COUNT ||
           bad_table("%d: a row too many: %s", csv_line(table, CONSTANT_COUNT),
                     csv_at(table, CONSTANT_COUNT, 0));
}

/* ---- The file ---- */

/* SIMT_GPUS, or gpus.tsv of the library. */
static void find_table(void) {
    const char *given = getenv("SIMT_GPUS");
    if (given && *given)
        snprintf(table_path, sizeof table_path, "%s", given);
    else
        library_file("gpus.tsv", table_path);
}

static void load_table(void) {
    find_table();
    struct csv *table = csv_read(table_path, &CSV_TABS);
    if (!table)
        snprintf(table_error, sizeof table_error,
                 "cannot read the GPU table %s (SIMT_GPUS names another)", failure);
    else if (read_names(table))
        read_rows(table);
    csv_free(table);
}

const struct gpu *gpu_all(int *n) {
    pthread_once(&table_once, load_table);
    *n = table_error[0] ? 0 : gpu_count;
    return gpus;
}

/* "no GPU named x; there are: a b c" */
static void unknown_name(const char *name, char *error, size_t error_size) {
    size_t used = (size_t)snprintf(error, error_size, "no GPU named '%s'; choose one of:", name);
    for (int i = 0; i < gpu_count && used < error_size; i++)
        used += (size_t)snprintf(error + used, error_size - used, " %s", gpus[i].name);
}

const struct gpu *gpu_find(const char *name, char *error, size_t error_size) {
    int n;
    gpu_all(&n);
    for (int i = 0; i < n; i++)
        if (!strcmp(gpus[i].name, name)) return &gpus[i];
    if (table_error[0])
        snprintf(error, error_size, "%s", table_error);
    else
        unknown_name(name, error, error_size);
    return NULL;
}

const struct gpu *gpu_at_base(const struct gpu *gpu) {
    static struct gpu slow;
    if (!gpu->base_clock_mhz) return gpu;
    double share = (double)gpu->base_clock_mhz / gpu->clock_mhz;
    slow = *gpu;
    slow.clock_mhz = gpu->base_clock_mhz;
    slow.boost_mhz = gpu->clock_mhz;
    slow.block_dispatch_cycles *= share;
    slow.l2_bytes_per_cycle /= share;
    slow.l2_latency_cycles = (int)(gpu->l2_latency_cycles * share + 0.5);
    slow.dram_latency_cycles = (int)(gpu->dram_latency_cycles * share + 0.5);
    slow.atomic_latency_cycles = (int)(gpu->atomic_latency_cycles * share + 0.5);
    slow.atomic_cycles *= share;
    slow.atomic_pass_cycles *= share;
    slow.dram_spread_cycles = (int)(gpu->dram_spread_cycles * share + 0.5);
    slow.dram_busy_wait_cycles = (int)(gpu->dram_busy_wait_cycles * share + 0.5);
    slow.dram_write_wait_cycles = (int)(gpu->dram_write_wait_cycles * share + 0.5);
    return &slow;
}

int gpu_arch(const struct gpu *gpu) {
    int arch = 10 * gpu->cc_major + gpu->cc_minor;
    return arch < OLDEST_ARCH ? OLDEST_ARCH : arch;
}
