/* labprof: nvprof's command line and tables over three back ends: nvprof for old GPUs, ncu for new GPUs, simt where
 * there is no GPU. labprof runs a program under the back end that fits this machine, and prints the counts in the
 * textbook's format. labprof --help lists the options. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"
#include "groups.h"
#include "lab.h"
#include "lib/memory.h"
#include "lib/printed.h"
#include "output.h"
#include "query.h"
#include "tables.h"

#define VERSION "1.0"

enum { EXIT_BAD_USE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };
enum { DEFAULT_COLUMNS = 100, ERROR_SIZE = 4096, NEW_SECONDS = 60 };

/* One run of labprof. */
struct session {
    struct options options;
    struct metrics metrics;
    struct metric_list wanted;
    struct route route;
    struct filter filter;
    struct job job;
    struct child child;
    struct output output;
    struct result result;
    struct groups groups;
    struct lab_before steps_before;
    char *notes;
    size_t notes_size;
    char error[ERROR_SIZE];
};

/* Prints the error in one line. Returns status. */
static int complain(const struct session *s, int status) {
    fprintf(stderr, "labprof: %s\n", s->error);
    return status;
}

/* ---- Before the run ---- */

/* metrics.tsv lies in labprof/ beside the programs' folder, or where LABPROF_METRICS says. */
static void metrics_path(char path[PATH_MAX]) {
    const char *given = getenv("LABPROF_METRICS");
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    if (given)
        snprintf(path, PATH_MAX, "%s", given);
    else
        snprintf(path, PATH_MAX, "%.*s/../labprof/metrics.tsv", PATH_MAX - 32, program);
}

static bool pick_metrics(struct session *s) {
    for (int i = 0; i < s->options.list_count; i++) {
        const struct name_list *list = &s->options.lists[i];
        if (!metrics_pick(&s->metrics, list->names, list->events, &s->wanted, s->error, sizeof s->error)) return false;
    }
    return true;
}

static int query(struct session *s) {
    if (!route_find(&s->route, s->options.backend, s->error, sizeof s->error)) return complain(s, EXIT_FAILURE);
    if (s->options.query_metrics) print_query(&s->metrics, false, &s->route, stdout);
    if (s->options.query_events) print_query(&s->metrics, true, &s->route, stdout);
    return EXIT_SUCCESS;
}

/* Checks that the program can be executed. Returns the exit status. */
static int check_program(struct session *s) {
    char path[PATH_MAX];
    const char *program = s->options.command[0];
    if (find_program(program, path, sizeof path)) return EXIT_SUCCESS;
    snprintf(s->error, sizeof s->error, "cannot run %s: %s", program, strerror(errno));
    return complain(s, errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

/* Locks the folder as long as labprof runs. Returns false if another labprof has locked it. */
static bool lock_folder(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0 && !locked) close(fd);
    return locked;
}

/* Removes folders that a killed labprof left, which are not locked. Spares new folders: their labprof may not have
 * locked them yet. */
static void remove_left_folders(const char *parent) {
    char pattern[PATH_MAX];
    struct stat status;
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/labprof.??????", parent);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        bool old =
            lstat(path, &status) == 0 && status.st_uid == geteuid() && time(NULL) - status.st_mtime > NEW_SECONDS;
        if (old && lock_folder(path)) nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
    globfree(&found);
}

static bool make_folder(struct session *s) {
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent) parent = "/tmp";
    remove_left_folders(parent);
    snprintf(s->job.folder, sizeof s->job.folder, "%s/labprof.XXXXXX", parent);
    if (mkdtemp(s->job.folder)) {
        lock_folder(s->job.folder);
        return true;
    }
    snprintf(s->error, sizeof s->error, "cannot make a temporary folder %s: %s", s->job.folder, strerror(errno));
    s->job.folder[0] = '\0';
    return false;
}

static void remove_folder(struct session *s) {
    if (s->job.folder[0]) nftw(s->job.folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static const struct backend *chosen_backend(const struct session *s) {
    static const struct backend *const backends[] = {&backend_simt, &backend_ncu, &backend_nvprof};
    return backends[s->route.backend];
}

/* Does nvprof format the output? It does for the summary and the trace, including their first lines. */
static bool nvprof_speaks(const struct session *s) {
    return s->route.backend == BACKEND_NVPROF && s->wanted.count == 0;
}

/* ---- The run ---- */

/* Prints a line of labprof in nvprof's format. */
static void say(const struct session *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(s->output.file, "==%d== ", (int)s->child.pid);
    vfprintf(s->output.file, format, arguments);
    putc('\n', s->output.file);
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

/* Starts the program under its profiler and waits for it. Returns the exit status for failures before the start. */
static int run(struct session *s, struct child_end *end) {
    struct arguments command = {0}, environment = {0};
    char *none[] = {NULL};
    bool ready = chosen_backend(s)->prepare(&s->job, &command, &environment, s->error, sizeof s->error);
    if (ready && !child_create(&s->child, command.items, environment.items ? environment.items : none)) {
        snprintf(s->error, sizeof s->error, "cannot start a process: %s", strerror(errno));
        ready = false;
    }
    int status = EXIT_FAILURE;
    if (ready &&
        !output_open(&s->output, s->options.log_file, (int)s->child.pid, s->options.quiet, s->error, sizeof s->error)) {
        child_cancel(&s->child);
        ready = false;
        status = EXIT_BAD_USE;
    }
    if (ready) {
        char *text = command_text(s);
        if (!nvprof_speaks(s)) say(s, "NVPROF is profiling process %d, command: %s", (int)s->child.pid, text);
        free(text);
        *end = child_run(&s->child);
    }
    arguments_free(&command);
    arguments_free(&environment);
    return ready ? EXIT_SUCCESS : complain(s, status);
}

/* ---- After the run ---- */

/* Names the wanted metrics that simt models, in one line. */
static void remark_modelled(const struct session *s, FILE *out, const char *prefix) {
    bool any = false;
    for (int i = 0; i < s->wanted.count; i++) {
        if (!metric_is_modelled(s->wanted.items[i])) continue;
        fprintf(out, "%s%s%s", any ? ", " : prefix, any ? "" : "modelled, not counted: ", s->wanted.items[i]->name);
        any = true;
    }
    if (any) putc('\n', out);
}

static bool any_value_missing(const struct session *s, int metric) {
    for (int i = 0; i < s->result.samples.count; i++)
        if (isnan(s->result.samples.items[i].values[metric].average)) return true;
    return false;
}

/* Why a metric has no value. */
static const char *reason(const struct session *s, const struct metric *metric) {
    if (s->route.backend == BACKEND_NVPROF)
        return metric->nvprof_name ? "nvprof gave no number" : "nvprof has no such thing";
    if (s->route.backend == BACKEND_NCU) return "ncu has no such counter on this GPU";
    if (metric_is_modelled(metric)) return "the time model was off";
    return *metric->simt_note ? metric->simt_note : "simt gave no number";
}

/* How the back end's value differs from the metric's description; "" where it does not. */
static const char *difference(enum backend_kind backend, const struct metric *metric) {
    switch (backend) {
    case BACKEND_NCU: return metric->ncu_note;
    case BACKEND_NVPROF: return metric->nvprof_note;
    default: return "";
    }
}

/* Prints what the reader must know about the values, one line a metric. */
static void remark_on_metrics(const struct session *s, FILE *out, const char *prefix) {
    if (s->route.backend == BACKEND_SIMT) remark_modelled(s, out, prefix);
    for (int i = 0; i < s->wanted.count; i++) {
        const struct metric *m = s->wanted.items[i];
        const char *note = difference(s->route.backend, m);
        if (*note) fprintf(out, "%s%s: %s\n", prefix, m->name, note);
        if (any_value_missing(s, i)) fprintf(out, "%s%s is NA: %s\n", prefix, m->name, reason(s, m));
    }
}

static void say_backend(const struct session *s) {
    const char *device = s->result.samples.device;
    bool simt = s->route.backend == BACKEND_SIMT;
    say(s, "labprof: back end %s%s%s%s%s", backend_name(s->route.backend), *device ? " (" : "", device,
        *device ? ")" : "", simt ? "; times are modelled" : "");
    if (s->wanted.count == 0 && !nvprof_speaks(s))
        say(s, "labprof: memory copies and API calls are not recorded by this back end");
}

/* Prints the back end's warnings, each with the process id in front. */
static void say_notes(struct session *s) {
    fclose(s->result.notes);
    s->result.notes = NULL;
    char *rest = s->notes, *line;
    while (rest && *rest && (line = strsep(&rest, "\n"))) say(s, "%s", line);
}

static void print_tables(struct session *s) {
    struct report report = {s->output.file, (int)s->child.pid, &s->options, &s->wanted, &s->result.samples, &s->groups};
    if (s->wanted.count == 0 && s->options.gpu_trace)
        print_trace(&report);
    else if (s->wanted.count == 0)
        print_summary(&report);
    else if (s->options.gpu_trace)
        print_metric_trace(&report);
    else
        print_metrics(&report);
}

/* Copies the text that nvprof formatted. */
static void relay(const struct session *s) {
    FILE *in = fopen(s->result.relay, "r");
    char buffer[4096];
    size_t size;
    while (in && (size = fread(buffer, 1, sizeof buffer, in)) > 0) fwrite(buffer, 1, size, s->output.file);
    if (in) fclose(in);
}

static void say_how_it_ended(const struct session *s, const struct child_end *end) {
    if (end->signal)
        fprintf(s->output.file, "======== Error: Application received signal %d\n", end->status);
    else if (end->status)
        fprintf(s->output.file, "======== Error: Application returned non-zero code %d\n", end->status);
}

static void print_all(struct session *s, const struct child_end *end) {
    char *text = command_text(s);
    if (!nvprof_speaks(s)) say(s, "Profiling application: %s", text ? text : "");
    free(text);
    say_backend(s);
    say_notes(s);
    if (nvprof_speaks(s)) {
        relay(s);
        return;
    }
    char prefix[64];
    snprintf(prefix, sizeof prefix, "==%d== labprof: ", (int)s->child.pid);
    remark_on_metrics(s, s->output.file, prefix);
    print_tables(s);
    say_how_it_ended(s, end);
}

/* Columns of the terminal; DEFAULT_COLUMNS if it has none. */
static int terminal_width(void) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && atoi(columns) > 0) return atoi(columns);
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : DEFAULT_COLUMNS;
}

/* Prints the table of steps on the terminal, and the remarks on its metrics. */
static void print_lab(const struct session *s, const struct lab *lab) {
    printf("\nMetrics from %s on %s\n\n", backend_name(s->route.backend), s->result.samples.device);
    lab_print(lab, &s->wanted, terminal_width(), stdout);
    putchar('\n');
    remark_on_metrics(s, stdout, "");
}

static bool write_lab(struct session *s) {
    const struct options *o = &s->options;
    struct lab lab;
    if (!o->lab_metrics && !o->lab_table) return true;
    if (!lab_join(&lab, o->steps, &s->steps_before, &s->result.samples, s->error, sizeof s->error)) return false;
    bool ok = !o->lab_metrics || lab_write(&lab, o->lab_metrics, o->lab, &s->wanted, backend_name(s->route.backend),
                                           s->result.samples.device, s->error, sizeof s->error);
    if (ok && o->lab_table) print_lab(s, &lab);
    lab_free(&lab);
    return ok;
}

/* Reads and prints the results after the program's end. Returns the exit status. */
static int finish(struct session *s, struct child_end *end) {
    s->result.notes = need(open_memstream(&s->notes, &s->notes_size));
    s->result.samples.value_count = s->wanted.count;
    if (!chosen_backend(s)->collect(&s->job, end, &s->result, s->error, sizeof s->error))
        return complain(s, EXIT_FAILURE);
    if (s->route.backend != BACKEND_NVPROF) /* nvprof has filtered already */
        filter_apply(&s->filter, &s->result.samples);
    groups_make(&s->groups, &s->result.samples);
    print_all(s, end);
    bool ok = write_lab(s);
    if (!ok) complain(s, EXIT_FAILURE);
    if (!output_commit(&s->output, s->error, sizeof s->error)) {
        complain(s, EXIT_FAILURE);
        ok = false;
    }
    return end->status || ok ? end->status : EXIT_FAILURE;
}

static int profile(struct session *s) {
    struct child_end end = {0};
    if (s->options.steps) s->steps_before = lab_look(s->options.steps);
    int status = run(s, &end);
    if (status != EXIT_SUCCESS) return status;
    if (end.interrupted) {
        snprintf(s->error, sizeof s->error, "interrupted; nothing is written");
        return complain(s, 128 + end.interrupt);
    }
    if (end.start_errno) {
        snprintf(s->error, sizeof s->error, "cannot start the profiler: %s", strerror(end.start_errno));
        return complain(s, EXIT_FAILURE);
    }
    return finish(s, &end);
}

/* ---- The whole ---- */

static int work(struct session *s, int argc, char **argv) {
    char path[PATH_MAX];
    if (!options_parse(&s->options, argc, argv, s->error, sizeof s->error)) return complain(s, EXIT_BAD_USE);
    if (s->options.help || s->options.version) {
        fputs(s->options.help ? options_help : "labprof " VERSION ": nvprof's command line over nvprof, ncu and simt\n",
              stdout);
        return EXIT_SUCCESS;
    }
    metrics_path(path);
    if (!metrics_read(&s->metrics, path, s->error, sizeof s->error)) return complain(s, EXIT_FAILURE);
    if (!pick_metrics(s)) return complain(s, EXIT_BAD_USE);
    if (s->options.query_metrics || s->options.query_events) return query(s);
    if (s->options.kernels && !filter_parse(&s->filter, s->options.kernels, s->error, sizeof s->error))
        return complain(s, EXIT_BAD_USE);
    int status = check_program(s);
    if (status != EXIT_SUCCESS) return status;
    if (!route_find(&s->route, s->options.backend, s->error, sizeof s->error) || !make_folder(s))
        return complain(s, EXIT_FAILURE);
    return profile(s);
}

static void clean_up(struct session *s) {
    if (s->output.file) output_drop(&s->output);
    if (s->result.notes) fclose(s->result.notes);
    free(s->notes);
    remove_folder(s);
    groups_free(&s->groups);
    samples_free(&s->result.samples);
    filter_free(&s->filter);
    free(s->wanted.items);
    metrics_free(&s->metrics);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    struct session s = {0};
    s.job = (struct job){.options = &s.options, .route = &s.route, .wanted = &s.wanted, .filter = &s.filter};
    int status = work(&s, argc, argv);
    clean_up(&s);
    return status;
}
