/* demo.c: walks through a lab's complete program before an audience, one kernel at a time; `demo
 * --help` names the options.
 *
 * Each step shows the kernel's drawing, source and question, and waits for a key. Then it runs the
 * kernel, shows the metric that explains it, and adds a bar to the chart. Enter goes on, b goes
 * back a step, a number goes to that step, q ends, each with Enter; another answer is asked for
 * again. Each step begins on a clear screen, and no line is longer than 80 letters. Without a
 * terminal at stdin, or with PAUSE=0, nothing waits, and the screen stays.
 * --replay shows the figures recorded in plots/reference/NAME and runs nothing. The program lists
 * the steps; drawing, question and metric come from the comment above the kernel. */
#include "lib/csv.h"
#include "lib/die.h"
#include "lib/printed.h"
#include "lib/questions.h"
#include "lib/results.h"
#include "lib/wrap.h"

#include <argp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EXIT_USAGE = 2,
    MAX_STEPS = 64,
    CHART_WIDTH = 36,
    COLUMNS = 80,
    COMMAND_SIZE = 8192,
    PATH_SIZE = 1024
};

struct settings {
    const char *source, *lab, *folder, *program, *profiler, *replay;
};

struct step {
    char name[SOURCE_NAME_SIZE];
    char idea[160];
    double milliseconds; /* of the launch in the chart; 0: not known */
    char launch[64];     /* its name, such as depthFirst(4) */
};

static bool colour;

static const char *paint(const char *code) {
    return colour ? code : "";
}

/* Prints a text after `before` in the colour of an ANSI code, in lines of at most COLUMNS letters,
 * each after the first indented further. */
static void print_wrapped(const char *before, const char *code, const char *text) {
    int blanks = (int)strspn(text, " "), deeper = (blanks < COLUMNS / 2 ? blanks : COLUMNS / 2) + 4;
    for (int indent = 0;; indent = deeper, blanks = 0) {
        int length = wrap_length(text, blanks, COLUMNS - (int)strlen(before) - indent);
        printf("%s%*s%s%.*s%s\n", before, indent, "", paint(code), length, text, paint("\033[0m"));
        text += length;
        if (*text == '\0') return;
        text += strspn(text, " ");
    }
}

/* ---- A step in the source ---- */

/* Prints the drawing: the comment's lines between its title and the question. */
static void print_drawing(const struct source *source, const struct question *question) {
    for (size_t i = question->comment + 1; i < question->begin; i++) {
        if (line_after(source->lines[i], "* Question:") != NULL) return;
        const char *text = line_after(source->lines[i], "*");
        print_wrapped("", "", text != NULL ? text : "");
    }
}

/* Prints the kernel's source, without marks and TODOs. */
static void print_kernel(const struct source *source, const struct question *question) {
    for (size_t line = question->begin; line < question->end; line++) {
        const char *text = source->lines[line];
        bool mark = line_after(text, "// BEGIN") || line_after(text, "// END") ||
                    line_after(text, "// TODO(");
        bool rest_of_todo = line_after(text, "//      \"") != NULL;
        if (!mark && !rest_of_todo) print_wrapped("  ", "\033[36m", text);
    }
}

/* ---- Figures ---- */

/* Runs a command line; its output goes to the log. Ends the demo if the command fails. */
static void run(const char *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void run(const char *log, const char *format, ...) {
    char command[COMMAND_SIZE], whole[COMMAND_SIZE + PATH_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "{ %s ; } > '%s' 2>&1", command, log);
    fflush(stdout);
    if (system(whole) != 0) die(EXIT_FAILURE, "this failed; %s says why: %s", log, command);
}

static struct csv *read_table(const char *path) {
    struct csv *table = csv_read(path, &CSV_COMMAS);
    if (table == NULL) die(EXIT_FAILURE, "%s", failure);
    return table;
}

/* Counts the launches of the row's step in the table; with same_block only those with the row's
 * block. */
static int count_launches(const struct csv *table, int row, bool same_block) {
    int launches = 0;
    static const char *const must_agree[] = {"step", "metric", "block"};
    for (int other = 0; other < csv_rows(table); other++) {
        bool like = true;
        for (int i = 0; i < (same_block ? 3 : 2); i++)
            like &= csv_is(table, other, must_agree[i], csv_get(table, row, must_agree[i]));
        launches += like;
    }
    return launches;
}

/* Writes what identifies the row's launch: its argument, else its block, or its grid if several
 * launches have that block. */
static void name_launch(char *name, size_t size, const struct csv *table, int row) {
    const char *kernel = csv_get(table, row, "kernel");
    if (strchr(kernel, '(') != NULL)
        snprintf(name, size, "%s", kernel);
    else if (count_launches(table, row, true) > 1)
        snprintf(name, size, "grid of %s", csv_get(table, row, "grid"));
    else
        snprintf(name, size, "blocks of %s", csv_get(table, row, "block"));
}

/* Keeps the time for the chart: of the fastest launch without an argument; where all have one,
 * which may be the problem's size, of the last. */
static void keep_time(struct step *step, const char *kernel, double milliseconds) {
    const bool plain = strchr(kernel, '(') == NULL,
               has_plain = step->launch[0] != '\0' && !strchr(step->launch, '(');
    if (has_plain && (!plain || step->milliseconds <= milliseconds)) return;
    step->milliseconds = milliseconds;
    snprintf(step->launch, sizeof step->launch, "%s", kernel);
}

/* Prints the measured rows of a step, one for each launch, and keeps a time. */
static void show_row(const char *path, struct step *step) {
    struct csv *table = read_table(path);
    const bool operations = csv_column(table, "gflops") >= 0;
    step->launch[0] = '\0';
    for (int row = 0; row < csv_rows(table); row++) {
        if (!results_is_of(csv_get(table, row, "kernel"), step->name)) continue;
        char launch[64], rate[64] = "", line[256];
        const char *status = csv_get(table, row, "status");
        double milliseconds = atof(csv_get(table, row, "time_ms")); /* 0 for NA */
        double figure = atof(csv_get(table, row, operations ? "gflops" : "bandwidth_gbs"));
        if (figure > 0)
            snprintf(rate, sizeof rate, " %.1f %s,", figure, operations ? "GFLOP/s" : "GB/s");
        name_launch(launch, sizeof launch, table, row);
        if (milliseconds == 0)
            snprintf(line, sizeof line, "%s: %s", launch, status);
        else
            snprintf(line, sizeof line, "%s: %.4f ms (%s),%s %s", launch, milliseconds,
                     csv_get(table, row, "clock"), rate, status);
        print_wrapped("  ", "", line);
        if (milliseconds != 0) keep_time(step, csv_get(table, row, "kernel"), milliseconds);
    }
    csv_free(table);
}

/* Prints a metric's value, throughputs in GB/s. Names the launch if the step has several. */
static void print_metric(const struct csv *table, int row, const char *metric) {
    const char *value = csv_get(table, row, "value"), *unit = csv_get(table, row, "unit");
    char launch[64] = "", line[256];
    const bool several = count_launches(table, row, false) > 1;
    if (several) name_launch(launch, sizeof launch, table, row);
    const char *colon = several ? ": " : "";
    if (strcmp(value, "NA") == 0)
        snprintf(line, sizeof line, "%s%s%s: this device does not count it", launch, colon, metric);
    else if (strcmp(unit, "B/s") == 0)
        snprintf(line, sizeof line, "%s%s%s = %.1f GB/s", launch, colon, metric, atof(value) / 1e9);
    else
        snprintf(line, sizeof line, "%s%s%s = %.2f %s", launch, colon, metric, atof(value),
                 strcmp(unit, "0-1") == 0 ? "of 1" : unit);
    print_wrapped("  ", "", line);
}

/* Prints the metric of a step. */
static void show_metric(const char *path, const struct step *step, const char *metric) {
    struct csv *table = read_table(path);
    for (int row = 0; row < csv_rows(table); row++) {
        bool wanted = results_is_of(csv_get(table, row, "kernel"), step->name) &&
                      csv_is(table, row, "metric", metric);
        if (wanted) print_metric(table, row, metric);
    }
    csv_free(table);
}

/* Measures a step on this machine, and prints the figures. */
static void show_live(const struct settings *s, struct step *step, const char *metric) {
    char log[PATH_SIZE], csv[PATH_SIZE], metrics[PATH_SIZE];
    snprintf(log, sizeof log, "%s/demo.log", s->folder);
    snprintf(csv, sizeof csv, "%s/demo.csv", s->folder);
    snprintf(metrics, sizeof metrics, "%s/demo-metrics.csv", s->folder);
    run(log, "%s --step %s --csv '%s'", s->program, step->name, csv);
    show_row(csv, step);
    if (metric[0] == '\0') return;
    run(log,
        "%s --lab-metrics '%s' --lab %s --steps '%s' --metrics %s %s --profile --step %s --csv "
        "'%s'",
        s->profiler, metrics, s->lab, csv, metric, s->program, step->name, csv);
    show_metric(metrics, step, metric);
}

/* Prints the same figures from a recording. */
static void show_recorded(const struct settings *s, struct step *step, const char *metric) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "plots/reference/%s/lab%s.csv", s->replay, s->lab);
    show_row(path, step);
    snprintf(path, sizeof path, "plots/reference/%s/lab%s-metrics.csv", s->replay, s->lab);
    if (access(path, R_OK) == 0) show_metric(path, step, metric);
}

/* Prints what costs the step most, by the simulator's recorded times without one thing at a time.
 */
static void show_costs(const struct settings *s, const struct step *step) {
    char path[PATH_SIZE], command[2 * PATH_SIZE], line[512], kernel[SOURCE_NAME_SIZE] = "";
    snprintf(path, sizeof path, "plots/reference/h200-simt/lab%s-metrics.csv", s->lab);
    if (access(path, R_OK) != 0) return; /* a lab that nobody recorded yet */
    snprintf(command, sizeof command,
             "awk -v sentence=1 -f common/tools/what-if.awk common/labprof/metrics.tsv '%s'", path);
    FILE *costs = popen(command, "r");
    if (costs == NULL) die(EXIT_FAILURE, "cannot run %s", command);
    while (fgets(line, sizeof line, costs) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        sscanf(line, "%63[^(\t]", kernel);
        if (strcmp(kernel, step->name) == 0) print_wrapped("  ", "", strchr(line, '\t') + 1);
    }
    if (pclose(costs) != 0) die(EXIT_FAILURE, "%s failed", command);
}

/* Prints one bar for each step so far that was measured; the longest time fills the width. */
static void show_chart(const struct step *steps, int n) {
    double longest = 0;
    for (int i = 0; i < n; i++)
        longest = steps[i].milliseconds > longest ? steps[i].milliseconds : longest;
    putchar('\n');
    for (int i = 0; i < n; i++) {
        if (steps[i].milliseconds == 0) continue;
        int length = longest > 0 ? (int)(steps[i].milliseconds / longest * CHART_WIDTH + 0.5) : 0;
        printf("  %-26s %s", steps[i].launch, paint("\033[34m"));
        for (int k = 0; k < length; k++) putchar('#');
        printf("%s %.4f ms\n", paint("\033[0m"), steps[i].milliseconds);
    }
}

/* ---- The walk ---- */

enum { ON = -1, UNKNOWN = -2 }; /* Enter alone: no step is named; an answer that makes no sense */

/* The step that the answer names, from 0, where step i of n is shown; n: the end. */
static int wanted_step(const char *answer, int i, int n) {
    char *end;
    long number = strtol(answer, &end, 10);
    if (answer[0] == '\n') return ON;
    if (strcmp(answer, "q\n") == 0) return n;
    if (strcmp(answer, "b\n") == 0) return i > 0 ? i - 1 : 0;
    if (end != answer && *end == '\n' && number >= 1 && number <= n) return (int)number - 1;
    return UNKNOWN;
}

/* Does a presenter answer? Not where stdin is no terminal, or with PAUSE=0. */
static bool waits(void) {
    const char *pause_setting = getenv("PAUSE");
    return isatty(STDIN_FILENO) && (pause_setting == NULL || strcmp(pause_setting, "0") != 0);
}

/* Waits for the presenter, and asks again after an answer that makes no sense. */
static int wait_for_key(int i, int n) {
    char answer[128];
    while (waits()) {
        printf("\n  [Enter, b, 1-%d, q] ", n);
        fflush(stdout);
        if (fgets(answer, sizeof answer, stdin) == NULL) return n;
        int next = wanted_step(answer, i, n);
        if (next != UNKNOWN) return next;
        answer[strcspn(answer, "\n")] = '\0';
        printf(
            "  \"%.20s\" is not an answer: Enter goes on, b back, 1 to %d to that step, q ends.\n",
            answer, n);
    }
    return ON;
}

/* Shows step i of n. Returns the one to show next. */
static int show_step(const struct settings *s, const struct source *source, struct step *steps,
                     int i, int n) {
    struct step *step = &steps[i];
    struct question question;
    if (!question_find(&question, source, step->name))
        die(EXIT_FAILURE, "%s: no kernel %s", source->path, step->name);

    if (waits() && isatty(STDOUT_FILENO)) printf("\033[H\033[2J"); /* clear the screen */
    printf("\n%s=== %d of %d: %s ===%s\n", paint("\033[1m"), i + 1, n, step->name,
           paint("\033[0m"));
    char line[512];
    snprintf(line, sizeof line, "%s.", step->idea);
    putchar('\n');
    print_wrapped("  ", "", line);
    print_drawing(source, &question);
    print_kernel(source, &question);
    if (question.text[0] != '\0') {
        printf("\n  %sQuestion:%s\n", paint("\033[33m"), paint("\033[0m"));
        print_wrapped("  ", "", question.text);
    }
    int next = wait_for_key(i, n);
    if (next == ON) {
        putchar('\n');
        s->replay != NULL ? show_recorded(s, step, question.metric)
                          : show_live(s, step, question.metric);
        show_chart(steps, i + 1);
        show_costs(s, step);
        next = wait_for_key(i, n);
        if (next == ON) next = i + 1;
    }
    question_free(&question);
    return next;
}

/* Reads the steps that the program lists: "number  name  idea" on each line. Returns their count.
 */
static int list_steps(const struct settings *s, struct step *steps) {
    char command[COMMAND_SIZE], line[512];
    snprintf(command, sizeof command, "%s --list", s->program);
    FILE *list = popen(command, "r");
    if (list == NULL) die(EXIT_FAILURE, "cannot run %s", command);
    int n = 0;
    while (n < MAX_STEPS && fgets(line, sizeof line, list) != NULL) {
        memset(&steps[n], 0, sizeof steps[n]);
        if (sscanf(line, "%*d %63s %159[^\n]", steps[n].name, steps[n].idea) == 2) n++;
    }
    if (pclose(list) != 0 || n == 0) die(EXIT_FAILURE, "`%s` lists no steps", command);
    return n;
}

/* ---- Setting up ---- */

static const struct argp_option OPTIONS[] = {
    {"source", 's', "FILE", 0, "The complete program's text", 0},
    {"lab", 'l', "NUMBER", 0, "The lab, such as 3", 0},
    {"folder", 'f', "FOLDER", 0, "Where results are put", 0},
    {"program", 'p', "COMMAND", 0, "What runs the complete program", 0},
    {"profiler", 'm', "COMMAND", 0, "What measures its metrics", 0},
    {"replay", 'r', "NAME", 0, "Show the figures recorded in plots/reference/NAME, run nothing", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
    struct settings *s = state->input;
    switch (key) {
    case 's': s->source = value; return 0;
    case 'l': s->lab = value; return 0;
    case 'f': s->folder = value; return 0;
    case 'p': s->program = value; return 0;
    case 'm': s->profiler = value; return 0;
    case 'r': s->replay = value; return 0;
    case ARGP_KEY_END:
        if (!s->source || !s->lab || !s->folder || !s->program || !s->profiler)
            argp_error(state, "needs --source, --lab, --folder, --program and --profiler");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp ARGP = {.options = OPTIONS,
                                 .parser = take,
                                 .doc =
                                     "Walk through a lab's complete program before an audience."};

/* Names the recording that the figures come from; ends the demo if it does not exist. */
static void announce(const struct settings *s) {
    if (s->replay == NULL) return;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "plots/reference/%s/lab%s.csv", s->replay, s->lab);
    if (access(path, R_OK) != 0)
        die(EXIT_FAILURE, "REPLAY=%s: nothing recorded: there is no %s", s->replay, path);
    struct csv *table = read_table(path);
    char line[PATH_SIZE + 128];
    snprintf(line, sizeof line, "Nothing runs here: the figures were recorded on %s (%s).",
             csv_get(table, 0, "device"), path);
    print_wrapped("", "", line);
    csv_free(table);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    argp_err_exit_status = EXIT_USAGE;
    struct settings settings = {.source = NULL};
    argp_parse(&ARGP, argc, argv, 0, NULL, &settings);
    colour = printed_in_colour();
    struct source source;
    if (!source_read(&source, settings.source)) die(EXIT_FAILURE, "%s", failure);
    announce(&settings);
    struct step steps[MAX_STEPS];
    int n = list_steps(&settings, steps);
    for (int i = 0; i < n;) i = show_step(&settings, &source, steps, i, n);
    source_free(&source);
    return EXIT_SUCCESS;
}
