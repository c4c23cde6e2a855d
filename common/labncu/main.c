/* labncu: Nsight Compute's command line. Where a GPU and an ncu that may read its counters are, it
 * becomes ncu. Elsewhere simt runs the program, and labncu prints its counts under ncu's names and
 * in ncu's form. labncu --help lists the options. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choose.h"
#include "labprof/backend.h"
#include "labprof/child.h"
#include "labprof/lines.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "lib/printed.h"
#include "pages.h"

#define VERSION   "1.0"
#define EXTENSION ".labncu"

/* One run of labncu. */
struct session {
    struct ncu_options options;
    struct metrics metrics;
    struct sections sections;
    struct ncu_metric *asked;
    int asked_count;
    struct options simt; /* what labprof's back end reads: the program and the GPU */
    struct metric_list wanted;
    struct job job;
    struct record record;
    struct outfile log;
    FILE *out;
};

/* Prints the failure as ncu does. Returns the exit status. */
static int complain(FILE *out) {
    fprintf(out, "==ERROR== %s\n", failure);
    return EXIT_FAILURE;
}

/* ---- ncu itself ---- */

/* Does the driver keep the GPU's counters for administrators, and is this user none? Tests replace
 * the driver's file. */
static bool counters_are_kept(void) {
    const char *path = getenv("LABNCU_PARAMS");
    char line[256];
    bool kept = false;
    FILE *in =
        geteuid() == 0 && !path ? NULL : fopen(path ? path : "/proc/driver/nvidia/params", "r");
    while (in && fgets(line, sizeof line, in))
        kept |= strncmp(line, "RmProfilingAdminOnly: 1", strlen("RmProfilingAdminOnly: 1")) == 0;
    if (in) fclose(in);
    return kept;
}

/* Becomes ncu where that can profile on this machine. Returns if it cannot, with the reason in
 * failure, or "" if there is no GPU. */
static void become_ncu(char **argv) {
    struct route route;
    char ncu[PATH_MAX];
    failure[0] = '\0';
    if (!route_find(&route, NULL, true)) return;
    if (route.backend == BACKEND_SIMT) {
        failure[0] = '\0';
        return;
    }
    if (route.backend != BACKEND_NCU)
        fail_with("ncu does not profile %s", route.device);
    else if (counters_are_kept())
        fail_with("the driver keeps the GPU's counters for administrators");
    else if (ncu_find(ncu)) {
        argv[0] = ncu;
        execv(ncu, argv);
        fail_with("cannot start %s: %s", ncu, strerror(errno));
    }
}

/* --import of a file of ncu's own: only ncu reads it, on any machine. */
static int import_by_ncu(const struct session *s, char **argv) {
    char ncu[PATH_MAX];
    if (access(s->options.import_file, R_OK) != 0)
        fail_with("%s: %s", s->options.import_file, strerror(errno));
    else if (ncu_find(ncu)) {
        argv[0] = ncu;
        execv(ncu, argv);
        fail_with("cannot start %s: %s", ncu, strerror(errno));
    } else
        fail_with("%s is no file of labncu -o; ncu is needed to read it", s->options.import_file);
    return complain(stdout);
}

/* ---- What is wanted ---- */

static bool add_asked(struct session *s, const char *name) {
    struct ncu_metric metric;
    bool found = ncu_metric_find(&s->metrics, name, &metric);
    if (!found) return false;
    s->asked = need(realloc(s->asked, ((size_t)s->asked_count + 1) * sizeof *s->asked));
    s->asked[s->asked_count++] = metric;
    return true;
}

/* Is it in a section's table? Then ncu knows it, and simt alone does not. */
static bool is_known(const struct session *s, const char *name) {
    for (int i = 0; i < s->sections.count; i++)
        for (int k = 0; k < s->sections.items[i].count; k++)
            if (strcmp(s->sections.items[i].metrics[k].name, name) == 0) return true;
    return false;
}

/* regex:EXPRESSION stands for all metrics of simt in which it is found. */
static bool ask_regex(struct session *s, const char *expression) {
    regex_t regex;
    int before = s->asked_count;
    if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) != 0)
        return fail_with("--metrics regex:%s: not a regular expression", expression);
    for (int i = 0; i < s->metrics.count; i++) {
        const struct metric *row = &s->metrics.rows[i];
        const char *name = row->kind == KIND_NCU ? row->name : row->ncu_expression;
        if (regexec(&regex, name, 0, NULL, 0) == 0) add_asked(s, name);
    }
    regfree(&regex);
    return s->asked_count > before || fail_with("Failed to find metric regex:%s", expression);
}

static bool ask_one(struct session *s, const char *name) {
    static const char *const suffixes[] = {"sum", "min", "max", "avg", "pct", "ratio", "max_rate"};
    static const char prefix[] = "regex:";
    if (strncmp(name, prefix, strlen(prefix)) == 0) return ask_regex(s, name + strlen(prefix));
    if (add_asked(s, name)) return true;
    if (is_known(s, name)) {
        struct ncu_metric metric;
        ncu_metric_find(&s->metrics, name, &metric);
        s->asked = need(realloc(s->asked, ((size_t)s->asked_count + 1) * sizeof *s->asked));
        s->asked[s->asked_count++] = metric;
        return true;
    }
    if (strchr(name, '.')) return fail_with("Failed to find metric %s", name);
    int before = s->asked_count;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char full[METRIC_NAME];
        snprintf(full, sizeof full, "%s.%s", name, suffixes[i]);
        add_asked(s, full);
    }
    return s->asked_count > before ||
           fail_with("Failed to find metric regex:^%s\\.(sum|min|max|avg|pct|ratio|max_rate)$",
                     name);
}

static bool ask(struct session *s, const char *names) {
    char *copy = need(strdup(names)), *rest = copy, *name;
    bool ok = true;
    while (ok && (name = strsep(&rest, ",")))
        if (*name) ok = ask_one(s, name);
    free(copy);
    return ok;
}

/* The sections and metrics of the options; without any, the set basic. */
static bool pick(struct session *s) {
    const struct ncu_options *o = &s->options;
    bool ok = true;
    if (o->set || !(o->section_count || o->metric_count))
        ok = sections_pick_set(&s->sections, o->set ? o->set : "basic");
    for (int i = 0; ok && i < o->section_count; i++)
        ok = sections_pick(&s->sections, o->sections[i]);
    for (int i = 0; ok && i < o->metric_count; i++) ok = ask(s, o->metrics[i]);
    return ok;
}

static bool any_section(const struct session *s) {
    for (int i = 0; i < s->sections.count; i++)
        if (s->sections.items[i].wanted) return true;
    return false;
}

static bool section_is_wanted(const struct session *s, const char *id) {
    for (int i = 0; i < s->sections.count; i++)
        if (strcmp(s->sections.items[i].id, id) == 0) return s->sections.items[i].wanted;
    return false;
}

/* ---- Lists ---- */

static const struct metrics *counted_metrics; /* of count_metrics */

static int count_metrics(const struct section *section) {
    int count = 0;
    for (int i = 0; i < section->count; i++) {
        struct ncu_metric metric;
        count += ncu_metric_find(counted_metrics, section->metrics[i].name, &metric);
    }
    return count;
}

/* The metrics of the wanted sections and of --metrics. */
static void list_metrics(const struct session *s) {
    for (int i = 0; i < s->sections.count; i++)
        for (int k = 0; s->sections.items[i].wanted && k < s->sections.items[i].count; k++) {
            struct ncu_metric metric;
            if (ncu_metric_find(&s->metrics, s->sections.items[i].metrics[k].name, &metric))
                puts(metric.name);
        }
    for (int i = 0; i < s->asked_count; i++) puts(s->asked[i].name);
}

/* Prints what the options list. Returns false if they list nothing. */
static bool list(const struct session *s) {
    const struct ncu_options *o = &s->options;
    counted_metrics = &s->metrics;
    if (o->list_sections) sections_list(&s->sections, count_metrics, stdout);
    if (o->list_sets) sets_list(&s->sections, count_metrics, stdout);
    if (o->list_metrics) list_metrics(s);
    if (o->query_metrics) print_known(&s->metrics, &s->sections, stdout);
    return o->list_sections || o->list_sets || o->list_metrics || o->query_metrics;
}

/* ---- The run ---- */

static void add_variable(const struct job *job, struct arguments *environment, const char *name,
                         const char *file) {
    char path[PATH_MAX];
    job_path(job, file, path);
    char *text = need_text("%s=%s", name, path);
    arguments_add(environment, text);
    free(text);
}

/* Makes the job and its command line. The source is counted where its page is to be printed, now or
 * from the file of -o. */
static bool prepare(struct session *s, struct arguments *command, struct arguments *environment) {
    static const struct filters all;
    static const struct route route = {.backend = BACKEND_SIMT};
    const struct ncu_options *o = &s->options;
    s->simt.command = o->command;
    s->simt.gpu = o->gpu;
    s->simt.source =
        o->page == PAGE_SOURCE || (o->export_file && section_is_wanted(s, "SourceCounters"));
    if (o->rules && any_section(s)) metrics_pick_all(&s->metrics, KIND_WHAT_IF, &s->wanted);
    s->job =
        (struct job){.options = &s->simt, .route = &route, .wanted = &s->wanted, .filters = &all};
    if (!job_begin(&s->job) || !backend_simt.prepare(&s->job, command, environment)) return false;
    add_variable(&s->job, environment, "SIMT_TIMELINE", "timeline.%p.csv");
    bool warm = o->cache_control && strcmp(o->cache_control, "none") == 0;
    arguments_add(environment, warm ? "SIMT_COLD=0" : "SIMT_COLD=1");
    arguments_add(environment, o->boost ? "SIMT_BASE_CLOCK=0" : "SIMT_BASE_CLOCK=1");
    return true;
}

/* Opens the stream for the output. */
static bool open_output(struct session *s) {
    const struct ncu_options *o = &s->options;
    s->out = stdout;
    if (o->quiet) s->out = fopen("/dev/null", "w");
    if (o->quiet || !o->log_file || strcmp(o->log_file, "stdout") == 0)
        return s->out || fail_with("/dev/null: %s", strerror(errno));
    s->out = stderr;
    if (strcmp(o->log_file, "stderr") == 0) return true;
    if (!outfile_open(&s->log, o->log_file)) {
        s->out = stdout;
        return fail_with("--log-file: cannot write %s: %s", o->log_file, strerror(errno));
    }
    s->out = s->log.file;
    return true;
}

/* Runs the program on simt. Returns false with a message in failure. */
static bool run(struct session *s, struct child *child, struct child_end *end) {
    struct arguments command = {0}, environment = {0};
    char path[PATH_MAX], whole[PATH_MAX];
    if (s->options.null_stdin) {
        int nothing = open("/dev/null", O_RDONLY);
        if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    }
    bool ok = prepare(s, &command, &environment);
    if (ok && !child_create(child, command.items, environment.items))
        ok = fail_with("cannot start a process: %s", strerror(errno));
    if (ok) {
        if (!find_program(s->options.command[0], path, sizeof path) || !realpath(path, whole))
            snprintf(whole, sizeof whole, "%s", s->options.command[0]);
        fprintf(s->out, "==PROF== Connected to process %d (%s)\n", (int)child->pid, whole);
        fflush(s->out);
        *end = child_run(child, 0);
    }
    arguments_free(&command);
    arguments_free(&environment);
    return ok &&
           record_collect(&s->record, &s->job, (long)child->pid, basename(s->options.command[0]));
}

/* ---- The results ---- */

static bool write_record(const struct session *s) {
    const struct ncu_options *o = &s->options;
    struct outfile file;
    char path[PATH_MAX], whole[PATH_MAX];
    bool named =
        strlen(o->export_file) > strlen(EXTENSION) &&
        strcmp(o->export_file + strlen(o->export_file) - strlen(EXTENSION), EXTENSION) == 0;
    snprintf(path, sizeof path, "%s%s", o->export_file, named ? "" : EXTENSION);
    if (!o->force && access(path, F_OK) == 0)
        return fail_with("File %s already exists. Use -f to overwrite it.", path);
    if (!outfile_open(&file, path)) return fail_with("%s: %s", path, strerror(errno));
    record_write(&s->record, file.file);
    if (!outfile_commit(&file)) return fail_with("%s: %s", path, strerror(errno));
    fprintf(s->out, "==PROF== Report: %s\n", realpath(path, whole) ? whole : path);
    return true;
}

static bool print_source(const struct session *s) {
    char path[PATH_MAX];
    struct lines lines = {0};
    bool any = false;
    job_path(&s->job, "lines.csv", path);
    bool ok = record_write_source(&s->record, path, &any);
    if (ok && !any)
        fail_with("these results have no counts by line: -o keeps them with --set full or "
                  "--section SourceCounters, of programs compiled with -lineinfo");
    ok = ok && any && lines_read_simt(&lines, path);
    if (ok) print_lines(s->out, &lines, s->options.csv);
    lines_free(&lines);
    return ok;
}

static int by_text(const void *one, const void *other) {
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* The kernels that ran, where the options chose none. */
static void print_available(const struct record *record, FILE *out) {
    const char **names = need(calloc((size_t)record->launch_count + 1, sizeof *names));
    int number = 0;
    for (int i = 0; i < record->launch_count; i++) names[i] = record->launches[i].base;
    qsort(names, (size_t)record->launch_count, sizeof *names, by_text);
    if (record->launch_count) fputs("Available Kernels:\n", out);
    for (int i = 0; i < record->launch_count; i++)
        if (i == 0 || strcmp(names[i - 1], names[i]) != 0)
            fprintf(out, "%d. %s\n", ++number, names[i]);
    free(names);
}

static bool print_page(const struct session *s) {
    struct report report = {.out = s->out,
                            .options = &s->options,
                            .metrics = &s->metrics,
                            .sections = &s->sections,
                            .asked = s->asked,
                            .asked_count = s->asked_count,
                            .record = &s->record};
    if (s->options.page == PAGE_SOURCE) return print_source(s);
    if (s->options.summary != SUMMARY_NONE)
        print_summed(&report);
    else if (s->options.page == PAGE_RAW)
        print_raw(&report);
    else
        print_details(&report);
    print_trust(&report);
    return true;
}

/* A line for each launch, as ncu says what it profiles. */
static void print_profiled(const struct session *s) {
    for (int i = 0; i < s->record.launch_count; i++) {
        fprintf(s->out, "==PROF== Profiling \"%s\" - %d", s->record.launches[i].base, i);
        if (s->options.count >= 0) fprintf(s->out, " (%d/%ld)", i + 1, s->options.count);
        fputs(": 0%....50%....100% - 1 pass\n", s->out);
    }
}

/* The sections of an imported file: those asked for, or the set basic. */
static int print_imported(struct session *s) {
    if (!record_read(&s->record, s->options.import_file)) return complain(s->out);
    if (!choose_launches(&s->options, &s->record) || !job_begin(&s->job)) return complain(s->out);
    if (s->record.launch_count == 0) {
        fputs("==WARNING== No kernels were profiled.\n", s->out);
        return EXIT_SUCCESS;
    }
    return print_page(s) ? EXIT_SUCCESS : complain(s->out);
}

/* Prints or keeps what the run gave. available: the launches before the options chose. */
static int print_run(struct session *s, const struct child *child, const struct child_end *end) {
    struct record all;
    bool ok = true;
    if (!choose_launches(&s->options, &s->record)) return complain(s->out);
    print_profiled(s);
    fprintf(s->out, "==PROF== Disconnected from process %d\n", (int)child->pid);
    if (end->status)
        fprintf(s->out, "==ERROR== The application returned an error code (%d).\n", end->status);
    if (s->record.launch_count == 0) {
        fputs("==WARNING== No kernels were profiled.\n", s->out);
        if (record_collect(&all, &s->job, (long)child->pid, "")) print_available(&all, s->out);
        record_free(&all);
    } else
        ok = s->options.export_file ? write_record(s) : print_page(s);
    if (!ok) return complain(s->out);
    return end->status ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int profile(struct session *s) {
    struct child child;
    struct child_end end = {0};
    char path[PATH_MAX];
    const char *program = s->options.command[0];
    if (!find_program(program, path, sizeof path)) {
        fail_with("'%s' does not exist or is not an executable. Please make sure to specify the "
                  "absolute path to '%s' if the executable is not in the local directory.",
                  program, program);
        return complain(s->out);
    }
    if (!run(s, &child, &end)) return complain(s->out);
    return print_run(s, &child, &end);
}

/* metrics.tsv and sections.tsv lie in labprof/ beside the programs' folder. */
static bool read_tables(struct session *s) {
    char path[PATH_MAX];
    beside_labprof("../labprof/metrics.tsv", path);
    if (!metrics_read(&s->metrics, path)) return false;
    beside_labprof("../labprof/sections.tsv", path);
    return sections_read(&s->sections, path);
}

static int work(struct session *s, char **argv) {
    const struct ncu_options *o = &s->options;
    s->out = stdout;
    if (!read_tables(s) || !pick(s)) return complain(stdout);
    if (list(s)) return EXIT_SUCCESS;
    if (o->import_file && !record_is(o->import_file)) return import_by_ncu(s, argv);
    if (!open_output(s)) return complain(stdout);
    for (int i = 0; i < o->notes.count; i++) fprintf(s->out, "==WARNING== %s\n", o->notes.texts[i]);
    return o->import_file ? print_imported(s) : profile(s);
}

static void clean_up(struct session *s) {
    if (s->log.file && !outfile_commit(&s->log)) fprintf(stderr, "==ERROR== %s\n", strerror(errno));
    job_end(&s->job);
    record_free(&s->record);
    free(s->asked);
    metrics_list_free(&s->wanted);
    sections_free(&s->sections);
    metrics_free(&s->metrics);
}

/* Does an argument before the program name a file of labncu, or ask for simt? Then ncu is not for
 * it. */
static bool is_for_simt(const struct ncu_options *o) {
    return o->help || o->version || o->gpu || (o->import_file && record_is(o->import_file));
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    struct session s = {0};
    bool parsed = ncu_options_parse(&s.options, argc, argv);
    char *wrong = parsed ? NULL : need(strdup(failure));
    if (parsed && (s.options.help || s.options.version)) {
        fputs(s.options.help ? ncu_options_help
                             : "labncu " VERSION
                               ": Nsight Compute's command line over ncu and simt\n",
              stdout);
        return EXIT_SUCCESS;
    }
    if (!is_for_simt(&s.options)) become_ncu(argv);
    if (*failure && strncmp(failure, "DEVICE=", 7) == 0) return complain(stdout);
    if (!parsed) {
        fail_with("%s", wrong);
        return complain(stdout);
    }
    if (*failure) fprintf(stdout, "==WARNING== labncu: simt counts in place of ncu: %s\n", failure);
    int status = work(&s, argv);
    clean_up(&s);
    free(wrong);
    return status;
}
