/* backend_ncu.c: Nsight Compute, for metrics of GPUs that nvprof cannot profile. labprof asks ncu
 * for the metrics that the ncu expressions name. ncu writes a CSV of raw values, one row a launch,
 * and mixes its messages into it. */
#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backend.h"
#include "lib/die.h"
#include "lib/expr.h"
#include "lib/memory.h"
#include "names.h"

#define LOG "ncu.csv"

static const char places[] = "PATH, /usr/local/cuda/bin, /opt/nvidia/nsight-compute/*";

bool ncu_find(char path[PATH_MAX]) {
    glob_t found;
    if (find_program("ncu", path, PATH_MAX) ||
        find_program("/usr/local/cuda/bin/ncu", path, PATH_MAX))
        return true;
    /* The newest one in the folders that NVIDIA's packages install. */
    bool any = glob("/opt/nvidia/nsight-compute/*/ncu", 0, NULL, &found) == 0 && found.gl_pathc > 0;
    if (any) snprintf(path, PATH_MAX, "%s", found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    return any ||
           fail_with("this GPU needs Nsight Compute, and there is no ncu (looked in %s); install "
                     "NVIDIA's package nsight-compute, or simulate a GPU with DEVICE=sim",
                     places);
}

/* Distinct names separated by commas. */
struct names {
    char *text;
    size_t length;
};

static bool has_name(const struct names *n, const char *name) {
    size_t length = strlen(name);
    for (const char *at = n->text; at && (at = strstr(at, name)); at += length)
        if ((at == n->text || at[-1] == ',') && (at[length] == ',' || !at[length])) return true;
    return false;
}

/* A lookup that only collects the name. */
static double note_name(void *context, const char *name) {
    struct names *n = context;
    if (has_name(n, name)) return NAN;
    size_t length = n->length + strlen(name) + 2;
    n->text = need(realloc(n->text, length));
    n->length += (size_t)snprintf(n->text + n->length, length - n->length, "%s%s",
                                  n->length ? "," : "", name);
    return NAN;
}

/* Collects every ncu metric that the wanted metrics need. */
static bool base_names(const struct metric_list *wanted, struct names *n) {
    double value;
    for (int i = 0; i < wanted->count; i++)
        if (!expr_eval(wanted->items[i]->ncu_expression, note_name, n, &value)) return false;
    return true;
}

static void add_pair(struct arguments *command, const char *option, const char *value) {
    arguments_add(command, option);
    arguments_add(command, value);
}

static bool prepare(const struct job *job, struct arguments *command,
                    struct arguments *environment) {
    char ncu[PATH_MAX], log[PATH_MAX], kernels[300];
    struct names names = {0};
    job_path(job, LOG, log);
    if (!ncu_find(ncu) || !base_names(job->wanted, &names)) {
        free(names.text);
        return false;
    }
    arguments_add(command, ncu);
    arguments_add(command, "--csv");
    if (job->options->source) {
        /* The lines of the source with the counters of their instructions. */
        add_pair(command, "--page", "source");
        add_pair(command, "--print-source", "cuda,sass");
        add_pair(command, "--import-source", "yes");
        add_pair(command, "--section", "SourceCounters");
        /* which has this for whole kernels alone */
        add_pair(command, "--metrics", "branch_inst_executed");
    } else {
        /* Raw values in base units, one row a launch. */
        add_pair(command, "--page", "raw");
        add_pair(command, "--print-units", "base");
        add_pair(command, "--metrics", names.text);
    }
    add_pair(command, "--log-file", log);
    add_pair(command, "--print-kernel-base", "mangled"); /* with the types of template arguments */
    add_pair(command, "--clock-control", "none");
    add_pair(command, "--target-processes", "all"); /* ncu's default has changed */
    arguments_add(environment, "LC_ALL=C");
    free(names.text);
    /* Several sets of kernels are told apart afterwards. */
    if (job->filters->count == 1 && job->filters->items[0].expression[0]) {
        snprintf(kernels, sizeof kernels, "regex:%s", job->filters->items[0].expression);
        add_pair(command, "-k", kernels);
    }
    add_program(job, command);
    return true;
}

/* ---- Reading the log ---- */

static void explain_permission(void) {
    struct utsname system;
    if (uname(&system) == 0 && strcasestr(system.release, "microsoft") != NULL)
        fail_with("the driver keeps the GPU's counters for administrators (ERR_NVGPUCTRPERM). On "
                  "Windows: NVIDIA Control Panel, Desktop, Enable Developer Settings, then Manage "
                  "GPU Performance Counters, allow access to all users");
    else
        fail_with(
            "the driver keeps the GPU's counters for administrators (ERR_NVGPUCTRPERM). Run as "
            "root or with CAP_SYS_ADMIN, or put \"options nvidia "
            "NVreg_RestrictProfilingToAdminUsers=0\" into a file in /etc/modprobe.d and reboot");
}

/* What ncu's messages say about the run. */
struct verdict {
    bool permission;
    int application_status; /* the application's exit status as ncu reports it; 0: none reported */
    char first_error[512];  /* the first ==ERROR== line; "": none */
};

static bool read_messages(const char *path, struct verdict *v) {
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!in) return false;
    while (getline(&line, &room, in) > 0)
        if (*line != '"') {
            static const char returned[] = "The application returned an error code (";
            const char *code = strstr(line, returned);
            v->permission |= strstr(line, "ERR_NVGPUCTRPERM") != NULL;
            if (code)
                v->application_status = atoi(code + strlen(returned));
            else if (strncmp(line, "==ERROR==", 9) == 0 && !v->first_error[0])
                snprintf(v->first_error, sizeof v->first_error, "%.*s",
                         (int)strcspn(line + 10, "\r\n"), line + 10);
        }
    free(line);
    fclose(in);
    return true;
}

/* One launch of the table, as the context of lookup. */
struct launch_row {
    const struct csv *table;
    int row;
};

enum { UNITS_ROW = 0 };

/* labprof asks for base units. If ncu scales a value anyway, this factor undoes the scaling. */
static double unit_factor(const char *unit) {
    static const struct {
        const char *prefix;
        double factor;
    } scaled[] = {{"usecond", 1e3}, {"us", 1e3},    {"msecond", 1e6}, {"ms", 1e6},
                  {"second", 1e9},  {"s", 1e9},     {"Kbyte", 1e3},   {"Mbyte", 1e6},
                  {"Gbyte", 1e9},   {"Tbyte", 1e12}};
    size_t length = strcspn(unit, "/");
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        if (strlen(scaled[i].prefix) == length && strncmp(unit, scaled[i].prefix, length) == 0)
            return scaled[i].factor;
    return 1;
}

static double lookup(void *context, const char *name) {
    const struct launch_row *r = context;
    int column = csv_column(r->table, name);
    return csv_number(csv_at(r->table, r->row, column)) *
           unit_factor(csv_at(r->table, UNITS_ROW, column));
}

static bool fill(struct sample *sample, struct launch_row *r, const struct metric_list *wanted) {
    parse_dimensions(csv_get(r->table, r->row, "Grid Size"), sample->grid);
    parse_dimensions(csv_get(r->table, r->row, "Block Size"), sample->block);
    for (int i = 0; i < wanted->count; i++) {
        double value = NAN;
        if (!expr_eval(wanted->items[i]->ncu_expression, lookup, r, &value)) return false;
        sample->values[i] = single_value(value);
    }
    return true;
}

static bool collect_rows(const struct csv *table, const struct job *job, struct result *result) {
    for (int row = UNITS_ROW + 1; row < csv_rows(table); row++) {
        struct launch_row r = {table, row};
        struct sample *sample = samples_add(&result->samples, csv_get(table, row, "Kernel Name"));
        place_sample(sample, table, row, "Device", "Context", "Stream");
        sample->process = atoi(csv_get(table, row, "Process ID"));
        if (!fill(sample, &r, job->wanted)) return false;
    }
    return true;
}

/* Returns false with a message if ncu failed; true if only the program failed, or nothing did. */
static bool judge(const struct verdict *v, int launches) {
    if (v->permission)
        explain_permission();
    else if (v->first_error[0] && launches == 0 && v->application_status == 0)
        fail_with("ncu failed: %s", v->first_error);
    else
        return true;
    return false;
}

static bool collect_lines(const struct job *job, const char *log, const struct verdict *verdict,
                          struct child_end *end, struct result *result) {
    snprintf(result->samples.device, sizeof result->samples.device, "%s",
             *job->route->device ? job->route->device : "GPU");
    if (!judge(verdict, 0) || !lines_read_ncu(&result->lines, log)) return false;
    if (verdict->application_status) end->status = verdict->application_status;
    return true;
}

static bool collect(const struct job *job, struct child_end *end, struct result *result) {
    static const struct csv_format messages_between = {',', NULL, true, false};
    struct verdict verdict = {0};
    char log[PATH_MAX];
    job_path(job, LOG, log);
    if (!read_messages(log, &verdict))
        return fail_with("ncu wrote no results and ended with exit status %d", end->status);
    if (job->options->source) return collect_lines(job, log, &verdict, end, result);
    struct csv *table = csv_read(log, &messages_between);
    if (table) {
        /* Take the device's name from ncu, else from nvidia-smi. */
        const char *name = csv_get(table, UNITS_ROW + 1, "device__attribute_display_name");
        name = *name ? name : *job->route->device ? job->route->device : "GPU";
        snprintf(result->samples.device, sizeof result->samples.device, "%s", name);
    }
    bool ok = table && collect_rows(table, job, result);
    csv_free(table);
    if (!ok) return false;
    if (verdict.first_error[0]) fprintf(result->notes, "Warning: ncu: %s\n", verdict.first_error);
    ok = judge(&verdict, result->samples.count);
    if (verdict.application_status) end->status = verdict.application_status;
    return ok;
}

const struct backend backend_ncu = {prepare, collect};
