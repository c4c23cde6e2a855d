/* backend_nvprof.c: nvprof, for GPUs before compute capability 7.5. nvprof writes metrics and
 * events as CSV, summed over the launches of each kernel. labprof passes nvprof's summary and trace
 * on unchanged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "format.h"
#include "lib/die.h"

#define LOG "nvprof.log"

/* On a machine without a driver nvprof 11.8 ends with "internal error" when asked for counters. */
#define NO_GPU ": there is no GPU here that nvidia-smi knows; DEVICE=sim simulates one"

/* Adds --metrics or --events with nvprof's names of the wanted metrics of that kind. */
static void add_names(const struct metric_list *wanted, bool events, unsigned scopes,
                      struct arguments *command) {
    char names[8192] = "";
    size_t length = 0;
    for (int i = 0; i < wanted->count; i++) {
        const struct metric *m = wanted->items[i];
        if ((m->kind == KIND_EVENT) == events && m->nvprof_name && length < sizeof names &&
            (wanted->scopes[i] == ALL_SCOPES) == (scopes == ALL_SCOPES) &&
            wanted->scopes[i] & scopes)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length ? "," : "", m->nvprof_name);
    }
    if (length == 0) return;
    arguments_add(command, events ? "--events" : "--metrics");
    arguments_add(command, names);
}

static bool prepare(const struct job *job, struct arguments *command,
                    struct arguments *environment) {
    char nvprof[PATH_MAX], log[PATH_MAX];
    (void)environment;
    if (job->options->source) {
        return fail_with("--source needs ncu, for GPUs from compute capability 7.0 on, or the "
                         "simulator: DEVICE=sim");
    }
    if (!find_program("nvprof", nvprof, sizeof nvprof) &&
        !find_program("/usr/local/cuda/bin/nvprof", nvprof, sizeof nvprof)) {
        return fail_with(
            "this GPU needs nvprof, and there is none (looked in PATH, /usr/local/cuda/bin); CUDA "
            "11.8 has the last one, or simulate a GPU with DEVICE=sim");
    }
    job_path(job, LOG, log);
    arguments_add(command, nvprof);
    arguments_add(command, "--log-file");
    arguments_add(command, log);
    arguments_add(command, "--csv");
    if (job->options->devices) {
        arguments_add(command, "--devices");
        arguments_add(command, job->options->device_list);
    }
    /* What is for all launches stands before the first --kernels. */
    add_names(job->wanted, false, ALL_SCOPES, command);
    add_names(job->wanted, true, ALL_SCOPES, command);
    for (int i = 0; i < job->filters->count; i++) {
        arguments_add(command, "--kernels");
        arguments_add(command, job->options->kernels[i]);
        add_names(job->wanted, false, 1u << i, command);
        add_names(job->wanted, true, 1u << i, command);
    }
    add_program(job, command);
    return true;
}

/* ---- Reading the log ---- */

/* Takes the program's exit status, or nvprof's first complaint, from a line of nvprof's messages.
 */
static void read_message(const char *line, struct child_end *end, char *complaint, size_t size) {
    static const char code[] = "Application returned non-zero code ",
                      signal[] = "Application received signal ";
    const char *at;
    if ((at = strstr(line, code)))
        end->status = atoi(at + strlen(code)) & 255;
    else if ((at = strstr(line, signal)))
        end->status = atoi(at + strlen(signal));
    else if ((strstr(line, "== Error: ") || strstr(line, "profiling is not supported") ||
              strstr(line, "GPU profiling skipped")) &&
             !*complaint)
        snprintf(complaint, size, "%.*s", (int)strcspn(line, "\n"), line);
}

static bool read_messages(const char *path, struct child_end *end, char *complaint, size_t size) {
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!in) return false;
    while (getline(&line, &room, in) > 0)
        if (strncmp(line, "==", 2) == 0) read_message(line, end, complaint, size);
    free(line);
    fclose(in);
    return true;
}

/* Returns the sample of the kernel; adds it at the first call. */
static struct sample *sample_of(struct samples *samples, const char *kernel, int launches) {
    for (int i = 0; i < samples->count; i++)
        if (strcmp(samples->items[i].kernel, kernel) == 0) return &samples->items[i];
    struct sample *sample = samples_add(samples, kernel);
    sample->number = 0;
    sample->launches = launches;
    return sample;
}

/* Reads one row: Device, Kernel, Invocations, Name, [Description,] Min, Max, Avg[, Total]. Events
 * have no description. */
static void take_row(const struct csv *table, int row, const struct metric_list *wanted,
                     struct samples *samples) {
    const char *name = csv_at(table, row, 3), *kernel = csv_at(table, row, 1);
    for (int i = 0; i < wanted->count; i++) {
        const struct metric *m = wanted->items[i];
        if (!m->nvprof_name || strcmp(m->nvprof_name, name) != 0) continue;
        int first = m->kind == KIND_EVENT ? 4 : 5;
        struct sample *sample = sample_of(samples, kernel, atoi(csv_at(table, row, 2)));
        /* Drop the device's number: nvprof writes "GeForce GTX 1060 6GB (0)". */
        const char *cell = csv_at(table, row, 0);
        const char *number = strrchr(cell, '(');
        size_t length = number && number > cell ? (size_t)(number - cell) - 1 : strlen(cell);
        snprintf(samples->device, sizeof samples->device, "%.*s", (int)length, cell);
        sample->values[i] = (struct sample_value){parse_value(csv_at(table, row, first)),
                                                  parse_value(csv_at(table, row, first + 1)),
                                                  parse_value(csv_at(table, row, first + 2))};
    }
}

static bool collect_rows(const char *log, const struct job *job, struct result *result) {
    static const struct csv_format messages_between = {',', NULL, true, false};
    struct csv *table = csv_read(log, &messages_between);
    if (!table) return false;
    for (int row = 0; row < csv_rows(table); row++)
        take_row(table, row, job->wanted, &result->samples);
    csv_free(table);
    return true;
}

static bool collect(const struct job *job, struct child_end *end, struct result *result) {
    char log[PATH_MAX], complaint[512] = "";
    job_path(job, LOG, log);
    snprintf(result->samples.device, sizeof result->samples.device, "%s",
             *job->route->device ? job->route->device : "GPU");
    if (!read_messages(log, end, complaint, sizeof complaint)) {
        return fail_with("nvprof wrote no results and ended with exit status %d%s", end->status,
                         *job->route->device ? "" : NO_GPU);
    }
    if (!collect_rows(log, job, result)) return false;
    if (result->samples.count == 0 && *complaint) return fail_with("nvprof: %s", complaint);
    return true;
}

const struct backend backend_nvprof = {prepare, collect};
