/* backend_simt.c: the simulator, where there is no GPU. simt runs the program and writes a profile,
 * one row a launch, and a timeline. The simt expressions of metrics.tsv name the profile's columns.
 */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "lib/die.h"
#include "lib/expr.h"
#include "names.h"
#include "nested.h"

/* simt replaces %p by the process id, because a program may start other processes. */
#define PROFILE   "profile.%p.csv"
#define PROFILES  "profile.*"
#define SOURCE    "source.%p.csv"
#define SOURCES   "source.*"
#define TIMELINE  "timeline.%p.csv"
#define TIMELINES "timeline.*"

static bool find_simt(char path[PATH_MAX]) {
    beside_labprof("simt", path);
    if (access(path, X_OK) == 0) return true;
    return fail_with("the simulator is not built: there is no %s; run make", path);
}

/* Adds NAME=PATH with the path of a file in the temporary folder. */
static void add_file(const struct job *job, struct arguments *environment, const char *name,
                     const char *file) {
    char path[PATH_MAX], variable[PATH_MAX + 16];
    job_path(job, file, path);
    snprintf(variable, sizeof variable, "%s=%s", name, path);
    arguments_add(environment, variable);
}

static bool prepare(const struct job *job, struct arguments *command,
                    struct arguments *environment) {
    char simt[PATH_MAX];
    const char *gpu = job->options->gpu ? job->options->gpu : getenv("SIM_GPU");
    if (!find_simt(simt)) return false;
    arguments_add(command, simt);
    add_file(job, environment, "SIMT_PROFILE", PROFILE);
    if (job->options->source)
        add_file(job, environment, "SIMT_SOURCE", SOURCE);
    else /* with counts, for the names of streams */
        add_file(job, environment, "SIMT_TIMELINE", TIMELINE);
    if (metrics_have(job->wanted, KIND_WHAT_IF)) arguments_add(environment, "SIMT_WHAT_IF=1");
    /* as Nsight Compute, which flushes the L2 before it counts a launch */
    if (job->options->source || job->wanted->count) arguments_add(environment, "SIMT_COLD=1");
    arguments_add(environment, "SIMT_QUIET=1"); /* labprof prints the modelled times itself */
    if (gpu && *gpu) {
        arguments_add(command, "--gpu");
        arguments_add(command, gpu);
    }
    add_program(job, command);
    return true;
}

/* The part of a shape that a name like grid_x or grid_size asks for; NaN: another name. */
static double shape_value(const struct profile_row *r, const char *shape, const char *name) {
    static const char *const parts[] = {"_x", "_y", "_z"};
    unsigned dimensions[3];
    if (strncmp(name, shape, strlen(shape)) != 0) return NAN;
    const char *part = name + strlen(shape);
    parse_dimensions(csv_get(r->table, r->row, shape), dimensions);
    for (int i = 0; i < 3; i++)
        if (strcmp(part, parts[i]) == 0) return dimensions[i];
    if (strcmp(part, "_size") != 0) return NAN;
    return (double)dimensions[0] * dimensions[1] * dimensions[2];
}

double profile_value(void *context, const char *name) {
    const struct profile_row *r = context;
    double grid = shape_value(r, "grid", name), block = shape_value(r, "block", name);
    if (!isnan(grid)) return grid;
    return isnan(block) ? csv_number(csv_get(r->table, r->row, name)) : block;
}

static bool fill(struct sample *sample, struct profile_row *r, const struct metric_list *wanted) {
    parse_dimensions(csv_get(r->table, r->row, "grid"), sample->grid);
    parse_dimensions(csv_get(r->table, r->row, "block"), sample->block);
    for (int i = 0; i < wanted->count; i++) {
        double value = NAN;
        if (!expr_eval(wanted->items[i]->simt_expression, profile_value, r, &value)) return false;
        sample->values[i] = single_value(value);
    }
    return true;
}

/* Did the launch succeed? If not, notes gets a warning, and the tables leave the launch out. */
static bool ran(const struct profile_row *r, FILE *notes) {
    const char *status = csv_get(r->table, r->row, "status");
    if (strcmp(status, "ok") == 0) return true;
    if (strncmp(status, "sampled ", strlen("sampled ")) == 0) {
        static bool noted;
        if (!noted)
            fputs("Warning: SAMPLED: counts and times are scaled up from a part of the blocks "
                  "(simt --sample)\n",
                  notes);
        return noted = true;
    }
    char *kernel = kernel_name(csv_get(r->table, r->row, "mangled"));
    fprintf(notes, "Warning: launch %s of %s failed (%s) and is left out\n",
            csv_get(r->table, r->row, "launch"), kernel,
            *status ? status : "its record is incomplete");
    free(kernel);
    return false;
}

static bool collect_rows(const struct csv *table, const struct job *job, int process,
                         struct result *result) {
    struct samples *samples = &result->samples;
    int first = samples->count;
    for (int row = 0; row < csv_rows(table); row++) {
        struct profile_row r = {table, row};
        snprintf(samples->device, sizeof samples->device, "%s", csv_get(table, row, "device"));
        /* What a kernel launched counts in the row of the host's kernel, as ncu has it. */
        int column = csv_column(table, "parent");
        if (csv_width(table, row) < csv_columns(table) ||
            (column >= 0 && strcmp(csv_at(table, row, column), "0") != 0) ||
            !ran(&r, result->notes))
            continue;
        struct sample *sample = samples_add(samples, csv_get(table, row, "mangled"));
        sample->number = atoi(csv_get(table, row, "launch"));
        sample->process = process;
        place_sample(sample, table, row, "device_number", "", "stream");
        sample->context = sample->device + 1;
        if (!fill(sample, &r, job->wanted)) return false;
    }
    nested_count(table, samples, first);
    return true;
}

/* Reads the counts by line of each process. */
static bool collect_lines(const struct job *job, struct result *result) {
    char pattern[PATH_MAX];
    glob_t found;
    bool ok = true;
    job_path(job, SOURCES, pattern);
    if (glob(pattern, 0, NULL, &found) != 0) return true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++)
        ok = lines_read_simt(&result->lines, found.gl_pathv[i]);
    globfree(&found);
    return ok;
}

/* Reads a profile for each process. For a killed process it reads the rows that simt had written to
 * a temporary file. */
static bool collect(const struct job *job, struct child_end *end, struct result *result) {
    char pattern[PATH_MAX];
    glob_t found;
    int processes = 0;
    bool ok = true;
    job_path(job, PROFILES, pattern);
    if (glob(pattern, 0, NULL, &found) != 0 && end->status == 0)
        fputs("Warning: simt saw no kernel launch\n", result->notes);
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        int before = result->samples.count;
        struct csv *table = csv_read(found.gl_pathv[i], &CSV_COMMAS);
        /* profile.4711.csv */
        const char *dot = strchr(strrchr(found.gl_pathv[i], '/'), '.');
        ok = table && collect_rows(table, job, dot ? atoi(dot + 1) : 0, result);
        csv_free(table);
        processes += result->samples.count > before;
    }
    globfree(&found);
    if (processes > 1 && !log_is_by_process(job->options))
        fprintf(result->notes,
                "Warning: %d processes launched kernels; the tables have all of them together\n",
                processes);
    if (ok && job->options->source) return collect_lines(job, result);
    job_path(job, TIMELINES, pattern);
    ok = ok && activities_read(&result->activities, pattern);
    if (job->wanted->count > 0) result->activities.trust = NULL; /* it is of times */
    return ok;
}

const struct backend backend_simt = {prepare, collect};
