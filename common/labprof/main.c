/* labprof: nvprof's command line and tables over four back ends: CUPTI for times, nvprof for
 * metrics of old GPUs, ncu for those of new GPUs, simt where there is no GPU. labprof runs a
 * program under the back end that fits this machine, and prints times or counts in the textbook's
 * format. labprof --help lists the options. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "backend.h"
#include "lab.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/printed.h"
#include "output.h"
#include "remarks.h"
#include "samples.h"
#include "tables.h"

#define VERSION "1.0"

enum { EXIT_BAD_USE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };
enum { DEFAULT_COLUMNS = 100 };

/* One run of labprof. */
struct session {
    struct options options;
    struct metrics metrics;
    struct metric_list wanted;
    struct route route;
    struct filter filter;
    struct job job;
    struct child child;
    struct output output, trace; /* trace: the file of --export-trace */
    struct result result;
    struct groups groups;
    struct lab_before steps_before;
    char *notes;
    size_t notes_size;
};

/* Prints the failure in one line. Returns status. */
static int complain(int status) {
    fprintf(stderr, "labprof: %s\n", failure);
    return status;
}

/* ---- Before the run ---- */

static bool pick_metrics(struct session *s) {
    for (int i = 0; i < s->options.list_count; i++) {
        const struct name_list *list = &s->options.lists[i];
        if (!metrics_pick(&s->metrics, list->names, list->events, &s->wanted)) return false;
    }
    if (s->options.what_if) metrics_pick_all(&s->metrics, KIND_WHAT_IF, &s->wanted);
    return true;
}

static bool is_asked_by_name(const struct session *s, const char *name) {
    size_t length = strlen(name);
    for (int i = 0; i < s->options.list_count; i++) {
        const char *at = s->options.lists[i].names;
        for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
            if (strcspn(at, ",") == length && strncmp(at, name, length) == 0) return true;
    }
    return false;
}

/* "all" are those that the back end has. */
static void leave_out_missing(struct session *s) {
    int kept = 0;
    for (int i = 0; i < s->wanted.count; i++) {
        const struct metric *metric = s->wanted.items[i];
        if (backend_has(s->route.backend, metric) || is_asked_by_name(s, metric->name))
            s->wanted.items[kept++] = metric;
    }
    s->wanted.count = kept;
}

static int query(struct session *s) {
    if (!route_find(&s->route, s->options.backend, true)) return complain(EXIT_FAILURE);
    if (s->options.query_metrics) print_query(&s->metrics, false, &s->route, stdout);
    if (s->options.query_events) print_query(&s->metrics, true, &s->route, stdout);
    return EXIT_SUCCESS;
}

/* Checks that the program can be executed. Returns the exit status. */
static int check_program(struct session *s) {
    char path[PATH_MAX];
    const char *program = s->options.command[0];
    if (find_program(program, path, sizeof path)) return EXIT_SUCCESS;
    fail_with("cannot run %s: %s", program, strerror(errno));
    return complain(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

static const struct backend *chosen_backend(const struct session *s) {
    static const struct backend *const backends[] = {&backend_simt, &backend_ncu, &backend_nvprof,
                                                     &backend_cupti};
    return backends[s->route.backend];
}

/* ---- The run ---- */

/* Collapsed stacks have the output for themselves. */
static bool is_collapsed(const struct session *s) {
    return s->options.source_format && strcmp(s->options.source_format, "collapsed") == 0;
}

/* Prints a line of labprof in nvprof's format. */
static void say(const struct session *s, const char *format, ...) {
    va_list arguments;
    FILE *out = is_collapsed(s) && !s->options.quiet ? stderr : s->output.file;
    va_start(arguments, format);
    fprintf(out, "==%d== ", (int)s->child.pid);
    vfprintf(out, format, arguments);
    putc('\n', out);
    va_end(arguments);
}

static char *command_text(const struct session *s) {
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    for (char **word = s->options.command; *word; word++)
        fprintf(out, "%s%s", word == s->options.command ? "" : " ", *word);
    fclose(out);
    return text;
}

/* Starts the program under its profiler and waits for it. Returns the exit status for failures
 * before the start. */
static int run(struct session *s, struct child_end *end) {
    struct arguments command = {0}, environment = {0};
    char *none[] = {NULL};
    bool ready = chosen_backend(s)->prepare(&s->job, &command, &environment);
    if (ready &&
        !child_create(&s->child, command.items, environment.items ? environment.items : none)) {
        fail_with("cannot start a process: %s", strerror(errno));
        ready = false;
    }
    int status = EXIT_FAILURE;
    const struct options *o = &s->options;
    int pid = (int)s->child.pid;
    if (ready && !(output_open(&s->output, "--log-file", o->log_file, pid, o->quiet) &&
                   (!o->export_trace ||
                    output_open(&s->trace, "--export-trace", o->export_trace, pid, false)))) {
        child_cancel(&s->child);
        ready = false;
        status = EXIT_BAD_USE;
    }
    if (ready) {
        char *text = command_text(s);
        say(s, "NVPROF is profiling process %d, command: %s", (int)s->child.pid, text);
        free(text);
        *end = child_run(&s->child);
    }
    arguments_free(&command);
    arguments_free(&environment);
    return ready ? EXIT_SUCCESS : complain(status);
}

/* ---- After the run ---- */

static void print_tables(struct session *s) {
    struct report report = {.out = s->output.file,
                            .pid = (int)s->child.pid,
                            .options = &s->options,
                            .device = s->result.samples.device,
                            .wanted = &s->wanted,
                            .samples = &s->result.samples,
                            .groups = &s->groups,
                            .activities = &s->result.activities};
    if (s->options.source && is_collapsed(s))
        print_collapsed(s->output.file, &s->result.lines);
    else if (s->options.source)
        print_lines(s->output.file, &s->result.lines, s->options.csv);
    else if (s->wanted.count == 0) {
        /* Print the traces that are asked for, then the summaries; without a wish, the whole
         * summary. */
        const struct options *o = report.options;
        bool all =
            o->summary || !(o->gpu_trace || o->api_trace || o->gpu_summary || o->api_summary);
        bool gpu = all || o->gpu_summary, api = o->api_summary || (all && o->api_calls != API_NONE);
        if (o->gpu_trace || o->api_trace) print_trace(&report, o->gpu_trace, o->api_trace);
        if (gpu || api) print_summary(&report, gpu, api);
    } else if (s->options.gpu_trace)
        print_metric_trace(&report);
    else
        print_metrics(&report);
}

static void print_all(struct session *s, const struct child_end *end) {
    char *text = command_text(s);
    say(s, "Profiling application: %s", text ? text : "");
    free(text);
    const char *device = s->result.samples.device;
    say(s, "labprof: back end %s%s%s%s", backend_name(s->route.backend), *device ? " (" : "",
        device, *device ? ")" : "");
    fclose(s->result.notes);
    s->result.notes = NULL;
    char *rest = s->notes, *line;
    while (rest && *rest && (line = strsep(&rest, "\n"))) say(s, "%s", line);
    char prefix[64];
    snprintf(prefix, sizeof prefix, "==%d== labprof: ", (int)s->child.pid);
    print_remarks(s->output.file, prefix, s->route.backend, &s->wanted, &s->result.samples);
    print_tables(s);
    const char *trust = s->result.activities.trust;
    if (trust) say(s, "labprof: %s", trust);
    if (end->signal)
        fprintf(s->output.file, "======== Error: Application received signal %d\n", end->status);
    else if (end->status)
        fprintf(s->output.file, "======== Error: Application returned non-zero code %d\n",
                end->status);
}

/* Columns of the terminal; DEFAULT_COLUMNS if it has none. */
static int terminal_width(void) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && atoi(columns) > 0) return atoi(columns);
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
                                                                       : DEFAULT_COLUMNS;
}

static bool write_lab(struct session *s) {
    const struct options *o = &s->options;
    struct lab lab;
    if (!o->lab_metrics && !o->lab_table) return true;
    if (!lab_join(&lab, o->steps, &s->steps_before, &s->result.samples)) return false;
    bool ok =
        !o->lab_metrics || lab_write(&lab, o->lab_metrics, o->lab, &s->wanted,
                                     backend_name(s->route.backend), s->result.samples.device);
    if (ok && o->lab_table) {
        printf("\nMetrics from %s on %s\n\n", backend_name(s->route.backend),
               s->result.samples.device);
        lab_print(&lab, &s->wanted, terminal_width(), stdout);
        putchar('\n');
        print_remarks(stdout, "", s->route.backend, &s->wanted, &s->result.samples);
    }
    lab_free(&lab);
    return ok;
}

/* Gives a finished output its name. Returns whether that succeeded. */
static bool commit(struct output *output) {
    bool ok = output_commit(output);
    if (!ok) complain(EXIT_FAILURE);
    return ok;
}

/* Reads and prints the results after the program's end. Returns the exit status. */
static int finish(struct session *s, struct child_end *end) {
    s->result.notes = need(open_memstream(&s->notes, &s->notes_size));
    s->result.samples.value_count = s->wanted.count;
    if (!chosen_backend(s)->collect(&s->job, end, &s->result)) return complain(EXIT_FAILURE);
    /* Apply the options that leave something out. nvprof has filtered already. */
    if (s->route.backend != BACKEND_NVPROF) filter_apply(&s->filter, &s->result.samples);
    lines_filter(&s->result.lines, &s->filter);
    activities_filter(&s->result.activities, &s->filter);
    if (s->options.profiler_calls) activities_hide_unprofiled(&s->result.activities);
    enum api_calls calls = s->options.api_calls;
    activities_hide_calls(&s->result.activities, calls == API_NONE || calls == API_DRIVER,
                          calls == API_NONE || calls == API_RUNTIME);
    groups_make(&s->groups, &s->result.samples);
    print_all(s, end);
    bool ok = write_lab(s);
    if (!ok) complain(EXIT_FAILURE);
    if (s->trace.file) {
        chrome_write(s->trace.file, &s->result.activities, s->result.samples.device,
                     s->route.backend == BACKEND_SIMT);
        ok &= commit(&s->trace);
    }
    ok &= commit(&s->output);
    return end->status || ok ? end->status : EXIT_FAILURE;
}

static int profile(struct session *s) {
    struct child_end end = {0};
    if (s->options.steps) s->steps_before = lab_look(s->options.steps);
    int status = run(s, &end);
    if (status != EXIT_SUCCESS) return status;
    if (end.interrupted) {
        fail_with("interrupted; nothing is written");
        return complain(128 + end.interrupt);
    }
    if (end.start_errno) {
        fail_with("cannot start the profiler: %s", strerror(end.start_errno));
        return complain(EXIT_FAILURE);
    }
    return finish(s, &end);
}

/* ---- The whole ---- */

static int work(struct session *s, int argc, char **argv) {
    char path[PATH_MAX];
    if (!options_parse(&s->options, argc, argv)) return complain(EXIT_BAD_USE);
    if (s->options.help || s->options.version) {
        fputs(s->options.help ? options_help
                              : "labprof " VERSION
                                ": nvprof's command line over CUPTI, ncu, nvprof and simt\n",
              stdout);
        return EXIT_SUCCESS;
    }
    /* metrics.tsv lies in labprof/ beside the programs' folder, or where LABPROF_METRICS says. */
    const char *given = getenv("LABPROF_METRICS");
    if (given)
        snprintf(path, PATH_MAX, "%s", given);
    else
        beside_labprof("../labprof/metrics.tsv", path);
    if (!metrics_read(&s->metrics, path)) return complain(EXIT_FAILURE);
    if (!pick_metrics(s)) return complain(EXIT_BAD_USE);
    if (s->options.query_metrics || s->options.query_events) return query(s);
    if (s->options.kernels && !filter_parse(&s->filter, s->options.kernels))
        return complain(EXIT_BAD_USE);
    int status = check_program(s);
    if (status != EXIT_SUCCESS) return status;
    if (!route_find(&s->route, s->options.backend, s->wanted.count > 0 || s->options.source) ||
        !job_begin(&s->job))
        return complain(EXIT_FAILURE);
    leave_out_missing(s);
    if (s->options.what_if && s->route.backend != BACKEND_SIMT) {
        fail_with("--what-if: only the simulator can leave something out; DEVICE=sim chooses it");
        return complain(EXIT_FAILURE);
    }
    return profile(s);
}

static void clean_up(struct session *s) {
    if (s->output.file) output_drop(&s->output);
    if (s->trace.file) output_drop(&s->trace);
    if (s->result.notes) fclose(s->result.notes);
    free(s->notes);
    job_end(&s->job);
    groups_free(&s->groups);
    samples_free(&s->result.samples);
    activities_free(&s->result.activities);
    lines_free(&s->result.lines);
    filter_free(&s->filter);
    free(s->wanted.items);
    metrics_free(&s->metrics);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    struct session s = {0};
    s.job = (struct job){
        .options = &s.options, .route = &s.route, .wanted = &s.wanted, .filter = &s.filter};
    int status = work(&s, argc, argv);
    clean_up(&s);
    return status;
}
