/* truth_read.c: reads the measurements of a GPU and of simt, and joins their launches. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

#include "lib/die.h"
#include "lib/memory.h"
#include "lib/sha256.h"

#define POINTS_IN_WHOLE 100.0
#define NS_IN_MS        1e6
#define US_IN_MS        1e3
enum { PATTERNS = 4096, LAUNCH_NAME = 512 };

/* ---- The third that is held back ---- */

/* A grid or block as Nsight Compute prints it: (32, 1, 1). */
static void put_shape(FILE *out, const char *shape) {
    for (; *shape; shape++) fputs(*shape == ' ' ? ", " : (char[]){*shape, '\0'}, out);
}

/* 256 is 1 modulo 3, so that the sum of the bytes leaves the same rest as the number. */
bool truth_is_held_back(const struct launch *launch) {
    char *text = NULL;
    size_t size = 0;
    uint8_t hash[SHA256_BYTES];
    FILE *out = need(open_memstream(&text, &size));
    int sum = 0;
    fputs(launch->cell[KERNEL], out);
    put_shape(out, launch->cell[GRID]);
    put_shape(out, launch->cell[BLOCK]);
    fclose(out);
    sha256(need(text), size, hash);
    free(text);
    for (int i = 0; i < SHA256_BYTES; i++) sum += hash[i];
    return sum % 3 == 0;
}

/* ---- Values ---- */

static bool is_timed(const struct csv *csv, int row) {
    return csv_is(csv, row, "status", "ok") && cell_number(csv, row, "time_ms") > 0;
}

static double value_of(const struct csv *csv, int row, enum value value) {
    switch (value) {
    case TIME: return cell_number(csv, row, "time_ms");
    case OCCUPANCY: return POINTS_IN_WHOLE * cell_number(csv, row, "achieved_occupancy");
    case STALL_SYNC: return cell_number(csv, row, "stall_sync");
    case DRAM:
        return cell_number(csv, row, "dram_read_bytes") + cell_number(csv, row, "dram_write_bytes");
    case BRANCHES: return cell_number(csv, row, "branch");
    case FLOPS: return cell_number(csv, row, "flop_count_sp");
    default: return cell_number(csv, row, "inst_executed");
    }
}

/* ---- Launches ---- */

static struct timed *add(struct truth *t, enum suite suite, const struct launch *launch) {
    struct timed *timed = &t->launches[t->count++];
    *timed = (struct timed){
        .suite = suite, .cell = launch->cell, .held_back = truth_is_held_back(launch)};
    return timed;
}

/* Launches of one size lie together. */
static int ladder_of(const struct truth *t, const struct timed *launch) {
    const struct timed *before = launch > t->launches ? launch - 1 : NULL;
    if (!before) return 0;
    bool same = before->suite == launch->suite && strcmp(before->group, launch->group) == 0 &&
                strcmp(before->cell[SIZE], launch->cell[SIZE]) == 0;
    return before->ladder + !same;
}

/* Adds the launch of a row of the GPU's table. */
static void add_launch(struct truth *t, const struct recording *r, int row, const char *path) {
    const struct launch *launch = &r->gpu.launches[row];
    int simt = table_find(&r->simt, launch, "");
    if (!is_timed(r->gpu.csv, row) || csv_is(r->simt.csv, simt, "clock", "measured") ||
        csv_is(r->simt.csv, simt, "clock", "unmodelled"))
        return;
    struct timed *timed = add(t, launch->cell[SIZE][0] ? THREE_SIZES : DEFAULT_SIZE, launch);
    if (timed->suite == THREE_SIZES)
        snprintf(timed->group, sizeof timed->group, "lab%s", launch->cell[LAB]);
    else {
        /* plots/reference/h200/lab1-debug.csv is called lab1-debug. */
        snprintf(timed->group, GROUP_NAME, "%s", basename(path));
        char *dot = strrchr(timed->group, '.');
        if (dot) *dot = '\0';
    }
    timed->ladder = ladder_of(t, timed);
    timed->on_simt = simt >= 0;
    bool modelled = simt >= 0 && is_timed(r->simt.csv, simt);
    for (enum value v = TIME; v < VALUES; v++)
        timed->value[v] = (struct pair){value_of(r->gpu.csv, row, v),
                                        modelled ? value_of(r->simt.csv, simt, v) : NAN};
}

/* Adds a kernel by others: both times are in its row, in ns. */
static void add_kernel(struct truth *t, const struct recording *r, int row) {
    const struct csv *csv = r->gpu.csv;
    struct timed *timed = add(t, FOREIGN, &r->gpu.launches[row]);
    snprintf(timed->group, sizeof timed->group, "%s", csv_get(csv, row, "suite"));
    timed->ladder = ladder_of(t, timed);
    timed->program = csv_get(csv, row, "program");
    timed->model = csv_get(csv, row, "model");
    timed->on_simt = true;
    for (enum value v = TIME; v < VALUES; v++) timed->value[v] = (struct pair){NAN, NAN};
    timed->value[TIME] = (struct pair){cell_number(csv, row, "gpu_time") / NS_IN_MS,
                                       cell_number(csv, row, "simt_time") / NS_IN_MS};
}

/* Adds a random kernel: its time with machine code, or from PTX alone. Rows whose kernels had other
 * texts on the GPU are left out. */
static void add_random(struct truth *t, const struct recording *r, int row, enum suite suite) {
    int simt = table_find(&r->simt, &r->gpu.launches[row], "");
    if (simt >= 0 && !csv_is(r->simt.csv, simt, "text", csv_get(r->gpu.csv, row, "text"))) return;
    struct timed *timed = add(t, suite, &r->gpu.launches[row]);
    const char *name = timed->cell[KERNEL];
    snprintf(timed->group, sizeof timed->group, "%.*s", (int)strcspn(name, "_"), name);
    /* Half of the random kernels, by the last number of their name, the seed. */
    uint8_t hash[SHA256_BYTES];
    const char *seed = strrchr(name, '_');
    seed = seed ? seed + 1 : name;
    sha256(seed, strlen(seed), hash);
    timed->held_back = hash[0] & 1;
    timed->ladder = ladder_of(t, timed);
    timed->on_simt = simt >= 0;
    for (enum value v = TIME; v < VALUES; v++) timed->value[v] = (struct pair){NAN, NAN};
    timed->value[TIME].reference = cell_number(r->gpu.csv, row, "time_us") / US_IN_MS;
    if (simt < 0) return;
    for (enum value v = INSTRUCTIONS; v <= FLOPS && suite == RANDOM; v++)
        timed->value[v] =
            (struct pair){value_of(r->gpu.csv, row, v), value_of(r->simt.csv, simt, v)};
    timed->model = csv_get(r->simt.csv, simt, "model");
    timed->value[TIME].other =
        cell_number(r->simt.csv, simt, suite == RANDOM ? "time_us" : "ptx_us") / US_IN_MS;
}

bool truth_is_old(const struct truth *t, const struct timed *launch) {
    return t->model && launch->suite >= FOREIGN && launch->on_simt &&
           strcmp(launch->model ? launch->model : "", t->model) != 0;
}

/* ---- Reasons ---- */

/* Is one of the patterns, separated by spaces, about this name? */
static bool matches(const char *patterns, const char *name) {
    char copy[PATTERNS], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", patterns);
    for (char *pattern = strtok_r(copy, " ", &rest); pattern; pattern = strtok_r(NULL, " ", &rest))
        if (fnmatch(pattern, name, 0) == 0) return true;
    return false;
}

static bool is_about(const struct csv *reasons, int row, enum value value, const struct timed *l) {
    static const char *const values[VALUES] = {"time",         "occupancy", "stall_sync", "dram",
                                               "instructions", "branches",  "flops"};
    char name[LAUNCH_NAME];
    snprintf(name, sizeof name, "%s/%s", l->group, l->cell[KERNEL]);
    return matches(csv_get(reasons, row, "of"), values[value]) &&
           matches(csv_get(reasons, row, "launches"), name);
}

const char *truth_reason(const struct truth *t, enum value value, const struct timed *launch) {
    for (int row = 0; t->reasons && row < csv_rows(t->reasons); row++)
        if (is_about(t->reasons, row, value, launch)) return csv_get(t->reasons, row, "reason");
    return NULL;
}

static bool is_about_any(const struct truth *t, int row) {
    for (int i = 0; i < t->count; i++)
        for (enum value v = TIME; v < VALUES; v++)
            if (is_about(t->reasons, row, v, &t->launches[i])) return true;
    return false;
}

/* Reads the reasons. A reason that fits nothing is misspelt, or of a kernel that is gone. */
static bool read_reasons(struct truth *t, const char *path) {
    static const char *const columns[] = {"of", "launches", "reason", NULL};
    if (!path) return true;
    t->reasons = csv_read_columns(path, &CSV_TABS, columns);
    for (int row = 0; t->reasons && row < csv_rows(t->reasons); row++) {
        if (is_about_any(t, row)) continue;
        fail_with("%s:%d: no launch fits this reason: mend `of` or `launches`, or remove "
                  "the row",
                  path, csv_line(t->reasons, row));
        return false;
    }
    return t->reasons != NULL;
}

/* ---- Files ---- */

static bool is_foreign(const struct recording *r) {
    return csv_column(r->gpu.csv, "gpu_time") >= 0 && csv_column(r->gpu.csv, "simt_time") >= 0;
}

static bool is_random(const struct recording *r) {
    return csv_column(r->gpu.csv, "text") >= 0;
}

static bool read_recording(struct recording *r, char **files) {
    static const char *const of_any[] = {"kernel", "grid", "block", NULL};
    static const char *const of_run[] = {"lab",    "step",    "kernel", "grid", "block",
                                         "status", "time_ms", "device", NULL};
    static const char *const of_foreign[] = {"suite", "program", NULL};
    static const char *const of_random[] = {"text", "time_us", "ptx_us", NULL};
    if (!table_read(&r->gpu, files[0], of_any)) return false;
    const char *const *columns = is_foreign(r) ? of_foreign : is_random(r) ? of_random : of_run;
    return csv_has_columns(r->gpu.csv, files[0], columns) &&
           table_read(&r->simt, files[1], columns);
}

static void take_up(struct truth *t, const struct recording *r, const char *path) {
    for (int row = 0; row < r->gpu.rows; row++)
        if (is_foreign(r))
            add_kernel(t, r, row);
        else if (is_random(r))
            add_random(t, r, row, RANDOM);
        else
            add_launch(t, r, row, path);
    for (int row = 0; row < r->gpu.rows && is_random(r); row++) add_random(t, r, row, RANDOM_PTX);
    if (is_random(r) && r->simt.rows > 0) t->model = csv_get(r->simt.csv, 0, "model");
    if (is_foreign(r) || is_random(r) || t->gpu_device) return;
    t->gpu_device = csv_get(r->gpu.csv, 0, "device");
    t->simt_device = csv_get(r->simt.csv, 0, "device");
}

static bool read_all(struct truth *t, const struct arguments *a, int count) {
    int rows = 0;
    t->recordings = need(calloc((size_t)count, sizeof *t->recordings));
    for (; t->recording_count < count; t->recording_count++) {
        struct recording *r = &t->recordings[t->recording_count];
        if (!read_recording(r, a[t->recording_count].files)) return false;
        rows += (is_random(r) ? 2 : 1) * r->gpu.rows;
    }
    t->launches = need(calloc((size_t)rows + 1, sizeof *t->launches));
    for (int i = 0; i < count; i++) take_up(t, &t->recordings[i], a[i].files[0]);
    return true;
}

bool truth_read(struct truth *t, const struct arguments *a, int count) {
    *t = (struct truth){.plot = a->plot};
    if (!read_all(t, a, count)) return false;
    if (t->count == 0) fail_with("%s has no launch that was timed", a->files[0]);
    return t->count > 0 && read_reasons(t, a->reasons);
}

void truth_free(struct truth *t) {
    for (int i = 0; i < t->recording_count; i++) {
        table_free(&t->recordings[i].gpu);
        table_free(&t->recordings[i].simt);
    }
    free(t->recordings);
    free(t->launches);
    csv_free(t->reasons);
}
