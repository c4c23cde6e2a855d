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
#include "names.h"
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
    struct filters filters;
    struct job job;
    struct child child;
    struct output output, trace; /* trace: the file of --export-trace */
    int pid;                     /* the process that is printed */
    char context_name[NAME_SIZE], stream_name[NAME_SIZE], process_name[NAME_SIZE];
    struct result result;
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
        unsigned scopes = list->scope < 0 ? ALL_SCOPES : 1u << list->scope;
        if (!metrics_pick(&s->metrics, list->names, list->events, scopes, &s->wanted)) return false;
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

/* Of links between GPUs, which ncu refuses to count, and all else with them, on a machine without.
 */
static bool is_of_links(const struct session *s, const struct metric *metric) {
    return s->route.backend == BACKEND_NCU && strncmp(metric->name, "nvlink_", 7) == 0;
}

/* "all" are those that the back end has, and no links. */
static void leave_out_missing(struct session *s) {
    int kept = 0;
    for (int i = 0; i < s->wanted.count; i++) {
        const struct metric *metric = s->wanted.items[i];
        bool has = backend_has(s->route.backend, metric) && !is_of_links(s, metric);
        if (!has && !is_asked_by_name(s, metric->name)) continue;
        s->wanted.scopes[kept] = s->wanted.scopes[i];
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
    fprintf(out, "==%d== ", s->pid);
    vfprintf(out, format, arguments);
    putc('\n', out);
    va_end(arguments);
}

/* Prints a line that ends with the program's command line. */
static void say_command(const struct session *s, const char *format, int pid) {
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    fprintf(out, format, pid);
    for (char **word = s->options.command; *word; word++)
        fprintf(out, "%s%s", word == s->options.command ? "" : " ", *word);
    fclose(out);
    say(s, "%s", text);
    free(text);
}

/* Puts the process id and so on into the names of the options. */
static bool expand_names(struct session *s) {
    struct options *o = &s->options;
    struct {
        const char *option, **name;
        char *room;
    } names[] = {{"--context-name", &o->context_name, s->context_name},
                 {"--stream-name", &o->stream_name, s->stream_name},
                 {"--process-name", &o->process_name, s->process_name}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!*names[i].name) continue;
        if (!output_expand(names[i].option, *names[i].name, (int)s->child.pid, names[i].room,
                           NAME_SIZE))
            return false;
        *names[i].name = names[i].room;
    }
    s->filters.context_name = o->context_name;
    s->filters.stream_name = o->stream_name;
    return true;
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
    if (ready && !expand_names(s)) {
        child_cancel(&s->child);
        ready = false;
        status = EXIT_BAD_USE;
    }
    if (ready) {
        s->pid = pid;
        say_command(s, "NVPROF is profiling process %d, command: ", pid);
        for (int i = 0; i < o->notes.count; i++) say(s, "labprof: %s", o->notes.texts[i]);
        *end = child_run(&s->child, (unsigned)o->timeout);
    }
    arguments_free(&command);
    arguments_free(&environment);
    return ready ? EXIT_SUCCESS : complain(status);
}

/* ---- After the run ---- */

static void print_tables(struct session *s, const struct samples *samples) {
    struct groups groups;
    groups_make(&groups, samples);
    struct report report = {.out = s->output.file,
                            .pid = s->pid,
                            .options = &s->options,
                            .device = samples->device,
                            .wanted = &s->wanted,
                            .samples = samples,
                            .groups = &groups,
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
        bool gpu = (all || o->gpu_summary) && !o->no_gpu,
             api = o->api_summary || (all && o->api_calls != API_NONE);
        if (o->gpu_trace || o->api_trace) print_trace(&report, o->gpu_trace, o->api_trace);
        if (gpu || api) print_summary(&report, gpu, api);
    } else if (s->options.gpu_trace)
        print_metric_trace(&report);
    else
        print_metrics(&report);
    groups_free(&groups);
}

static void print_all(struct session *s, const struct samples *samples) {
    say_command(s, "Profiling application: ", 0);
    const char *device = s->result.samples.device;
    say(s, "labprof: back end %s%s%s%s", backend_name(s->route.backend), *device ? " (" : "",
        device, *device ? ")" : "");
    for (const char *at = s->notes; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
        say(s, "%.*s", (int)strcspn(at, "\n"), at);
    char prefix[64];
    snprintf(prefix, sizeof prefix, "==%d== labprof: ", s->pid);
    print_remarks(s->output.file, prefix, s->route.backend, &s->wanted, samples);
    print_tables(s, samples);
    const char *trust = s->result.activities.trust;
    if (trust) say(s, "labprof: %s", trust);
}

static void print_end(const struct session *s, const struct child_end *end) {
    FILE *out = s->output.file;
    if (end->timed_out)
        fprintf(out, "======== Warning: Application ended after the timeout of %ld s\n",
                s->options.timeout);
    else if (end->signal)
        fprintf(out, "======== Error: Application received signal %d\n", end->status);
    else if (end->status)
        fprintf(out, "======== Error: Application returned non-zero code %d\n", end->status);
}

/* ---- A file for each process ---- */

/* The process with the least number above that one; 0: there is none. */
static int process_after(const struct result *result, int last) {
    int next = 0;
    for (int i = 0; i < result->samples.count; i++) {
        int process = result->samples.items[i].process;
        if (process > last && (!next || process < next)) next = process;
    }
    for (size_t i = 0; i < result->activities.count; i++) {
        int process = result->activities.items[i].process;
        if (process > last && (!next || process < next)) next = process;
    }
    return next;
}

/* Prints what that process did to s->output. */
static void print_process(struct session *s, int process) {
    struct activities *all = &s->result.activities;
    struct samples part = s->result.samples;
    bool *hidden = need(calloc(all->count + 1, sizeof *hidden));
    part.items = need(calloc((size_t)part.count + 1, sizeof *part.items));
    part.count = 0;
    for (int i = 0; i < s->result.samples.count; i++)
        if (s->result.samples.items[i].process == process)
            part.items[part.count++] = s->result.samples.items[i];
    for (size_t i = 0; i < all->count; i++) {
        hidden[i] = all->items[i].hidden;
        all->items[i].hidden |= all->items[i].process != process;
    }
    s->pid = process;
    print_all(s, &part);
    s->pid = (int)s->child.pid;
    for (size_t i = 0; i < all->count; i++) all->items[i].hidden = hidden[i];
    free(hidden);
    free(part.items);
}

/* Each process that the program started has a file. Returns whether all could be written. */
static bool print_others(struct session *s) {
    struct output own = s->output;
    bool ok = true;
    for (int process = 0; (process = process_after(&s->result, process));) {
        if (process == (int)s->child.pid) continue;
        ok &= output_open(&s->output, "--log-file", s->options.log_file, process, false);
        if (!ok) break;
        s->pid = process;
        say_command(s, "NVPROF is profiling process %d, command: ", process);
        print_process(s, process);
        ok &= output_commit(&s->output);
    }
    s->output = own;
    return ok;
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
    bool everywhere = false;
    for (int i = 0; i < s->wanted.count; i++) everywhere |= s->wanted.scopes[i] == ALL_SCOPES;
    s->result.samples.value_scopes = s->wanted.scopes;
    if (s->route.backend != BACKEND_NVPROF)
        filters_apply(&s->filters, &s->result.samples, everywhere);
    lines_filter(&s->result.lines, &s->filters);
    activities_filter(&s->result.activities, &s->filters);
    if (s->options.no_gpu) activities_hide_gpu(&s->result.activities);
    if (s->options.profiler_calls) activities_hide_unprofiled(&s->result.activities);
    enum api_calls calls = s->options.api_calls;
    activities_hide_calls(&s->result.activities, calls == API_NONE || calls == API_DRIVER,
                          calls == API_NONE || calls == API_RUNTIME);
    fclose(s->result.notes);
    s->result.notes = NULL;
    bool apart = log_is_by_process(&s->options) && !s->options.source && !s->options.quiet &&
                 process_after(&s->result, process_after(&s->result, 0));
    if (apart)
        print_process(s, (int)s->child.pid);
    else
        print_all(s, &s->result.samples);
    print_end(s, end);
    bool ok = !apart || print_others(s);
    ok &= write_lab(s);
    if (!ok) complain(EXIT_FAILURE);
    if (s->trace.file) {
        chrome_write(s->trace.file, &s->result.activities, s->result.samples.device,
                     s->route.backend == BACKEND_SIMT, s->options.process_name);
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
    for (int i = 0; i < s->options.kernels_count; i++)
        if (!filters_add(&s->filters, s->options.kernels[i])) return complain(EXIT_BAD_USE);
    s->filters.devices = s->options.devices;
    kernel_names_mangled = s->options.mangled;
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
    samples_free(&s->result.samples);
    activities_free(&s->result.activities);
    lines_free(&s->result.lines);
    filters_free(&s->filters);
    metrics_list_free(&s->wanted);
    metrics_free(&s->metrics);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    struct session s = {0};
    s.job = (struct job){
        .options = &s.options, .route = &s.route, .wanted = &s.wanted, .filters = &s.filters};
    int status = work(&s, argc, argv);
    clean_up(&s);
    return status;
}
