/* device/gpu.c: reads gpus.tsv, the table of virtual GPUs. */
#include "gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GPUS 64
#define MAX_LINE 4096 /* bytes in a row, its source included */

enum field_type { FIELD_NAME, FIELD_PRODUCT, FIELD_INT, FIELD_U64, FIELD_DOUBLE };

/* The columns in order. The table's header line must name exactly these, then "source". */
static const struct field {
    const char *name;
    enum field_type type;
    size_t offset;
} fields[] = {
#define FIELD(name, type)                                                                                              \
    { #name, type, offsetof(struct gpu, name) }
    FIELD(name, FIELD_NAME),
    FIELD(product, FIELD_PRODUCT),
    FIELD(cc_major, FIELD_INT),
    FIELD(cc_minor, FIELD_INT),
    FIELD(sms, FIELD_INT),
    FIELD(clock_mhz, FIELD_INT),
    FIELD(memory_clock_mhz, FIELD_INT),
    FIELD(memory_bus_bits, FIELD_INT),
    FIELD(dram_gbs, FIELD_DOUBLE),
    FIELD(dram_bytes, FIELD_U64),
    FIELD(l2_bytes, FIELD_U64),
    FIELD(l2_bytes_per_cycle, FIELD_DOUBLE),
    FIELD(l1_bytes, FIELD_U64),
    FIELD(shared_per_sm, FIELD_U64),
    FIELD(shared_per_block, FIELD_U64),
    FIELD(shared_per_block_optin, FIELD_U64),
    FIELD(shared_reserved_per_block, FIELD_U64),
    FIELD(registers_per_sm, FIELD_INT),
    FIELD(registers_per_block, FIELD_INT),
    FIELD(threads_per_sm, FIELD_INT),
    FIELD(blocks_per_sm, FIELD_INT),
    FIELD(schedulers_per_sm, FIELD_INT),
    FIELD(fp32_per_sm, FIELD_INT),
    FIELD(fp64_per_sm, FIELD_INT),
    FIELD(int32_per_sm, FIELD_INT),
    FIELD(sfu_per_sm, FIELD_INT),
    FIELD(launch_ns, FIELD_INT),
    FIELD(dram_latency_cycles, FIELD_INT),
    FIELD(l2_latency_cycles, FIELD_INT),
    FIELD(l1_latency_cycles, FIELD_INT),
    FIELD(shared_latency_cycles, FIELD_INT),
    FIELD(alu_latency_cycles, FIELD_INT),
    FIELD(barrier_latency_cycles, FIELD_INT),
    FIELD(async_engines, FIELD_INT),
    FIELD(pcie_gbs, FIELD_DOUBLE),
    FIELD(kernel_ns, FIELD_INT),
    FIELD(dram_read_share, FIELD_DOUBLE),
    FIELD(dram_write_share, FIELD_DOUBLE),
    FIELD(l2_read_share, FIELD_DOUBLE),
    FIELD(l2_write_share, FIELD_DOUBLE),
    FIELD(l2_partial_share, FIELD_DOUBLE),
    FIELD(l2_port_bytes, FIELD_DOUBLE),
    FIELD(fp64_latency_cycles, FIELD_INT),
    FIELD(sfu_latency_cycles, FIELD_INT),
    FIELD(shuffle_latency_cycles, FIELD_INT),
    FIELD(atomic_cycles, FIELD_DOUBLE),
    FIELD(block_dispatch_cycles, FIELD_DOUBLE),
    FIELD(block_start_cycles, FIELD_DOUBLE),
    FIELD(warp_start_cycles, FIELD_DOUBLE),
    FIELD(barrier_warp_cycles, FIELD_DOUBLE),
    FIELD(l2_parts, FIELD_INT),
    FIELD(l2_lone_read_share, FIELD_DOUBLE),
    FIELD(l2_lone_write_share, FIELD_DOUBLE),
    FIELD(nested_first_ns, FIELD_INT),
    FIELD(nested_chain_ns, FIELD_INT),
    FIELD(nested_tail_ns, FIELD_INT),
    FIELD(nested_in_turn_ns, FIELD_INT),
    FIELD(nested_at_once_ns, FIELD_INT),
    FIELD(nested_forget_ns, FIELD_INT),
    FIELD(nested_first_bytes, FIELD_INT),
    FIELD(nested_chain_bytes, FIELD_INT),
    FIELD(nested_in_turn_bytes, FIELD_INT),
    FIELD(nested_at_once_bytes, FIELD_INT),
    FIELD(dram_spread_cycles, FIELD_INT),
    FIELD(dram_busy_wait_cycles, FIELD_INT),
    FIELD(dram_write_wait_cycles, FIELD_INT),
    FIELD(kernel_read_bytes, FIELD_INT),
#undef FIELD
};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])

static struct gpu gpus[MAX_GPUS];
static int gpu_count;
static char table_path[PATH_MAX];
static char table_error[PATH_MAX + 128]; /* why the table could not be read; empty: it could */
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

/* The next tab-separated cell of *row, cut off in place; NULL at the end. */
static char *next_cell(char **row) {
    return strsep(row, "\t");
}

/* Parse text as a number of at least 0 into *field of gpu. */
static bool set_number(struct gpu *gpu, const struct field *field, const char *text) {
    char *end;
    void *target = (char *)gpu + field->offset;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || errno || !(value >= 0) || (field->type == FIELD_INT && value > INT_MAX)) return false;
    if (field->type == FIELD_INT)
        *(int *)target = (int)value;
    else if (field->type == FIELD_U64)
        *(uint64_t *)target = strtoull(text, NULL, 10);
    else
        *(double *)target = value;
    return true;
}

static bool set_text(struct gpu *gpu, const struct field *field, const char *text) {
    size_t size = field->type == FIELD_NAME ? sizeof gpu->name : sizeof gpu->product;
    if (!*text || strlen(text) >= size) return false;
    strcpy((char *)gpu + field->offset, text);
    return true;
}

static bool set_field(struct gpu *gpu, const struct field *field, const char *text) {
    bool is_text = field->type == FIELD_NAME || field->type == FIELD_PRODUCT;
    return is_text ? set_text(gpu, field, text) : set_number(gpu, field, text);
}

/* One row into the table; false, with table_error set, where a cell is missing or no number. */
static bool read_row(char *row, int line) {
    if (gpu_count == MAX_GPUS) {
        snprintf(table_error, sizeof table_error, "%s:%d: more than %d GPUs", table_path, line, MAX_GPUS);
        return false;
    }
    struct gpu *gpu = &gpus[gpu_count];
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const char *cell = next_cell(&row);
        if (cell && set_field(gpu, &fields[i], cell)) continue;
        snprintf(table_error, sizeof table_error, "%s:%d: bad or missing %s", table_path, line, fields[i].name);
        return false;
    }
    gpu_count++;
    return true;
}

/* The header line must name our fields in our order: a table from another version is refused, not misread. */
static bool check_header(char *row, int line) {
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const char *cell = next_cell(&row);
        if (cell && !strcmp(cell, fields[i].name)) continue;
        snprintf(table_error, sizeof table_error, "%s:%d: column %zu should be %s", table_path, line, i + 1,
                 fields[i].name);
        return false;
    }
    return true;
}

static void read_table(FILE *file) {
    char row[MAX_LINE];
    bool header = false;
    for (int line = 1; fgets(row, sizeof row, file); line++) {
        row[strcspn(row, "\r\n")] = 0;
        if (!row[0] || row[0] == '#') continue;
        if (!header ? !check_header(row, line) : gpu_count == MAX_GPUS || !read_row(row, line)) return;
        header = true;
    }
    if (!gpu_count) snprintf(table_error, sizeof table_error, "%s: no GPU in it", table_path);
}

/* Open folder/relative, remembering the path. */
static FILE *open_in(const char *folder, const char *relative) {
    if (snprintf(table_path, sizeof table_path, "%s/%s", folder, relative) >= (int)sizeof table_path) return NULL;
    return fopen(table_path, "r");
}

/* SIMT_GPUS, or gpus.tsv beside the file this code lies in (the library), or in ../simt from there (the launcher, the
 * tests). */
static FILE *open_table(void) {
    const char *given = getenv("SIMT_GPUS");
    if (given && *given) {
        snprintf(table_path, sizeof table_path, "%s", given);
        return fopen(given, "r");
    }
    Dl_info self;
    char folder[PATH_MAX];
    if (!dladdr((void *)open_table, &self) || !realpath(self.dli_fname, folder))
        if (!realpath("/proc/self/exe", folder)) return NULL;
    *strrchr(folder, '/') = 0;
    FILE *file = open_in(folder, "gpus.tsv");
    return file ? file : open_in(folder, "../simt/gpus.tsv");
}

static void load_table(void) {
    FILE *file = open_table();
    if (!file) {
        snprintf(table_error, sizeof table_error, "cannot read the GPU table %s: %s (SIMT_GPUS names another)",
                 table_path, strerror(errno));
        return;
    }
    read_table(file);
    fclose(file);
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
