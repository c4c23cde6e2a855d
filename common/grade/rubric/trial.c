#include "trial.h"

#include "grade/sandbox/limits.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/utf8.h"
#include "program.h"
#include "rubric.h"

#include "simt/machine/report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* EXIT_NO_PROCESS: the judge's exit code where it cannot run students' code apart (process.c). */
enum { COMMAND_SIZE = 4096, COMMAND_WORDS = 64, MESSAGE_LINES = 3, EXIT_NO_PROCESS = 125 };

/* ---- Running a case ---- */

/* A CSV table that each run extends. */
struct table {
    FILE *out;
    char *text;
    size_t size;
};

struct trial {
    struct steps *steps;
    const struct lab_files *lab;
    struct program program;
    struct sandbox sandbox;    /* of the step that is tried */
    struct table run, metrics; /* from the case that measures */
    struct rubric_names names;
};

static bool has_kind(const struct lab_files *lab, int row, const char *kind) {
    return csv_is(lab->cases, row, "kind", kind);
}

/* Does the case give numbers for the rubric? */
static bool measures(const struct lab_files *lab, int row) {
    return has_kind(lab, row, "metrics") || has_kind(lab, row, "calls");
}

/* Writes the command that runs a step in a case: words with one space between them. */
static void make_command(char command[COMMAND_SIZE], const struct trial *trial, int row,
                         const char *step) {
    const struct lab_files *lab = trial->lab;
    const char *flags = csv_get(lab->cases, row, "flags");
    if (has_kind(lab, row, "metrics"))
        snprintf(
            command, COMMAND_SIZE,
            "../grade/bin/labprof --gpu " GRADING_GPU
            " --lab-table --log-file profile --lab-metrics metrics --lab %s --steps steps "
            "--metrics device_launches%s%s ../grade/program --profile %s --step %s --csv steps",
            lab->paths.lab, trial->names.metrics[0] != '\0' ? "," : "", trial->names.metrics, flags,
            step);
    else
        snprintf(command, COMMAND_SIZE, "%s --gpu " GRADING_GPU " ../grade/program %s --step %s",
                 has_kind(lab, row, "calls")
                     ? "env STUDENT_COUNTS=metrics ../grade/bin/simt --devices 2"
                 : has_kind(lab, row, "check") ? "../grade/bin/simt --check"
                                               : "../grade/bin/simt",
                 flags, step);
}

/* Cuts the command into its words, NULL after them. */
static void cut_words(char *command, char *words[COMMAND_WORDS + 1]) {
    size_t n = 0;
    for (char *word; n < COMMAND_WORDS && (word = strsep(&command, " ")) != NULL;)
        if (*word != '\0') words[n++] = word;
    words[n] = NULL;
}

/* Runs a step in a case, in a separate process with a separate device. So a step finds no results
 * of another step in the device's memory. All cases of a step run in one sandbox, and each step in
 * another: it cannot disturb other steps. */
static void run_case(struct trial *trial, int row, const char *step,
                     struct sandbox_outcome *outcome) {
    struct lab_list files = trial->lab->for_run;
    const struct program *program = &trial->program;
    char command[COMMAND_SIZE], *words[COMMAND_WORDS + 1];
    files.items[files.n++] =
        (struct sandbox_file){"program", program->judge.data, program->judge.size, true};
    if (program->student.size > 0)
        files.items[files.n++] =
            (struct sandbox_file){"student", program->student.data, program->student.size, true};
    make_command(command, trial, row, step);
    cut_words(command, words);
    const char *const environment[] = {
        "DEVICE", "sim",          "SIMT_PTX_COUNTS", "1", "SIMT_THREADS",
        "1",      "SIMT_TIMEOUT", KERNEL_SECONDS,    NULL};
    struct sandbox_job job = {.command = words,
                              .files = files.items,
                              .files_n = files.n,
                              .show = trial->lab->paths.toolkit,
                              .environment = environment,
                              .take = measures(trial->lab, row) ? "metrics" : NULL,
                              .rows = true,
                              .limits = RUN_LIMITS,
                              .budget = trial->lab->budget};
    sandbox_run_in(&trial->sandbox, &job, outcome);
}

/* ---- Reading a run's output ---- */

static bool begins_with(const char *line, const char *words) {
    return strncmp(line, words, strlen(words)) == 0;
}

/* Removes the folder of the sandbox from paths, which means nothing to a student: /tmp/, or
 * /tmp/grade-N/tmp/ where the submission ran as another user (folder.c). */
static void drop_folder(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        int length = 0;
        if (sscanf(from, "/tmp/grade-%*u/tmp/%n", &length) == 0 && length > 0)
            from += length;
        else if (begins_with(from, "/tmp/"))
            from += strlen("/tmp/");
        else
            *to++ = *from++;
    }
    *to = '\0';
}

/* Does this line of a message name a place in the step's kernel? "... at reduceUnroll2(int*) in
 * reduction.cu:29" */
static bool is_about(const char *line, const char *kernel) {
    size_t length = strcspn(line, "\n"), n = strlen(kernel);
    for (const char *p = line; (p = strstr(p, kernel)) != NULL && p < line + length; p += n)
        if (p > line && p[-1] == ' ' && (p[n] == '(' || p[n] == '<')) return true;
    return false;
}

/* Returns the first message about the kernel, else the first message; NULL: none. */
static const char *find_message(const char *text, const char *kernel) {
    const char *first = NULL, *begin = NULL, *next;
    for (const char *line = text; *line != '\0'; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        const char *assertion = strstr(line, "] Assertion `");
        if (!begins_with(line, REPORT_HEAD) || (assertion != NULL && assertion < next)) continue;
        if (!begins_with(line, REPORT_MORE)) begin = line;
        if (first == NULL) first = begin;
        if (is_about(line, kernel)) return begin;
    }
    return first;
}

/* Does a number of several digits begin here? Source lines (file.cu:12), parts of names and sizes
 * of accesses do not count. */
static bool is_telling_number(const char *text, const char *p) {
    bool begins = p == text || strchr(" ([,", p[-1]) != NULL;
    bool is_size = p - text >= 5 && strncmp(p - 5, "size ", 5) == 0;
    return begins && !is_size && isdigit((unsigned char)p[0]) && isalnum((unsigned char)p[1]);
}

/* Replaces numbers by N: a student chooses threads and addresses, so a number in a message could
 * show a hidden size. */
static void hide_numbers(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        if (!is_telling_number(text, from)) {
            *to++ = *from++;
            continue;
        }
        *to++ = 'N';
        while (isalnum((unsigned char)*from)) from++;
    }
    *to = '\0';
}

/* Hides what an assertion says, which a student chooses: "Assertion `n == 5` failed" becomes "an
 * assertion failed". */
static void hide_assertion(char *text) {
    char *begin = strstr(text, "Assertion `"), *end = NULL;
    for (char *p = begin; p != NULL && (p = strstr(p, "` failed")) != NULL; p++) end = p;
    if (end == NULL) return;
    char *rest = need(strdup(end + strlen("` failed")));
    strcpy(begin, "an assertion failed"); /* no longer than "Assertion `` failed" */
    strcat(begin, rest);
    free(rest);
}

/* Skips "by thread (1,0,0) in block (0,0,0) and then thread ..." in a line of a message: places in
 * the grid would show its size. */
static const char *after_threads(const char *words) {
    if (!begins_with(words, "by thread ")) return words;
    const char *rest = strstr(words, ", in __"), *end = words + strcspn(words, "\n");
    return rest != NULL && rest < end ? rest + strlen(", ") : end;
}

/* Writes the simulator's first message about the kernel as one line. Leaves out addresses, which
 * differ from run to run, and all that would show the problem's size. */
static void find_words(const char *text, const char *kernel, char *message, size_t size) {
    FILE *out = fmemopen(message, size, "w");
    const char *line = find_message(text, kernel);
    for (int i = 0; i < MESSAGE_LINES && line != NULL; i++) {
        const char *words = line + strlen(REPORT_HEAD);
        words += strspn(words, " ");
        if (begins_with(words, "Error: ")) words += strlen("Error: ");
        if (begins_with(words, "Address") || begins_with(words, "ERROR SUMMARY")) break;
        words = after_threads(words);
        if (*words != '\n')
            fprintf(out, "%s%.*s", i > 0 ? " " : "",
                    (int)strcspn(words, begins_with(words, "Assertion `") ? "\n" : "\n["), words);
        line = strchr(line, '\n');
        line = line != NULL && begins_with(line + 1, REPORT_HEAD) ? line + 1 : NULL;
    }
    fclose(out);
    message[size - 1] = '\0';
    utf8_tame(message);
    drop_folder(message);
    hide_assertion(message);
    hide_numbers(message);
}

/* Did the checker count an error? Its summary is the last: an assertion's text may look like one.
 */
static bool checker_complains(const struct sandbox_outcome *outcome) {
    const char *summary = NULL;
    for (const char *p = outcome->error.data; (p = strstr(p, "========= ERROR SUMMARY: ")) != NULL;
         p++)
        summary = p;
    return summary != NULL && strncmp(summary, "========= ERROR SUMMARY: 0 ", 27) != 0;
}

/* Did the simulator see blocks of the step's kernel race? It says so at a program's end, as hints.c
 * has it. */
static bool blocks_raced(const struct sandbox_outcome *outcome, const char *kernel) {
    const char *end;
    for (const char *line = outcome->error.data; line != NULL;
         line = end != NULL ? end + 1 : NULL) {
        end = strchr(line, '\n');
        const char *raced = begins_with(line, "simt: blocks of ") ? strstr(line, " raced: ") : NULL;
        const char *name = raced != NULL ? strstr(line, kernel) : NULL;
        if (name != NULL && name < raced) return true;
    }
    return false;
}

/* Notes the step's first wrong row. Its status stays hidden: a kernel may write a hidden size into
 * its results, and the status would show it. */
static void note_wrong(char first[REASON_SIZE], const char *says) {
    if (first[0] == '\0') snprintf(first, REASON_SIZE, "wrong %s", says);
}

/* The rows of a step's run while they are read. */
struct reading {
    struct step *step;
    struct csv *rows;
    bool seen;     /* the step has a row */
    bool of_order; /* the case is of kind order */
};

/* Reads one row with its outcome. */
static void read_row(struct reading *reading, int row, const char *outcome_name, const char *says,
                     const struct sandbox_outcome *outcome) {
    struct step *step = reading->step;
    const char *status = csv_get(reading->rows, row, "status");
    if (!results_is_of(csv_get(reading->rows, row, "kernel"), step->name) ||
        step->state != STEP_TAKEN)
        return;
    if (strcmp(outcome_name, "skipped") == 0) return;
    reading->seen = true;
    if (strcmp(outcome_name, "wrong") == 0)
        note_wrong(reading->of_order ? step->order : step->wrong, says);
    if (strcmp(outcome_name, "error") == 0) {
        /* Note a row with an error, which makes the step broken. The simulator's message says
         * where. */
        char message[REASON_SIZE / 2] = "";
        find_words(outcome->error.data, step->name, message, sizeof message);
        step_fail(step, STEP_BROKEN, "fails %s: %.200s%s%s", says, status,
                  message[0] != '\0' ? ": " : "", message);
        step->in_case = true;
    }
}

/* Splits the harness's lines. Returns a table with run.csv's columns, and stores the outcomes in
 * *outcomes, one a line; the caller frees both. The harness sends the table's head first. */
static char *split_rows(const char *rows, char **outcomes) {
    char *table = NULL;
    size_t table_size = 0, outcomes_size = 0;
    FILE *out = need(open_memstream(&table, &table_size)),
         *names = need(open_memstream(outcomes, &outcomes_size));
    for (const char *line = rows; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t word = strcspn(line, " "), length = strcspn(line, "\n");
        if (word >= length) continue;
        if (strncmp(line, "head ", 5) != 0) fprintf(names, "%.*s\n", (int)word, line);
        fprintf(out, "%.*s\n", (int)(length - word - 1), line + word + 1);
    }
    fclose(out);
    fclose(names);
    return table;
}

/* Reads the rows of a step's run. Returns whether the step has a row. */
static bool read_rows(const struct trial *trial, struct step *step, int row_of_case,
                      const struct sandbox_outcome *outcome) {
    const char *says = csv_get(trial->lab->cases, row_of_case, "says");
    char *outcomes, *table = split_rows(outcome->rows.data, &outcomes), *rest = outcomes;
    struct reading reading = {.step = step, .of_order = has_kind(trial->lab, row_of_case, "order")};
    reading.rows = csv_parse(table, strlen(table), "rows", &CSV_COMMAS);
    for (int row = 0; reading.rows != NULL && row < csv_rows(reading.rows); row++)
        read_row(&reading, row, strsep(&rest, "\n"), says, outcome);
    csv_free(reading.rows);
    free(table);
    free(outcomes);
    return reading.seen;
}

/* Marks the step as broken: its run ended early, and no row says why. */
static void blame(struct step *step, const char *says, const struct sandbox_outcome *outcome) {
    const char *why = sandbox_reason(outcome);
    char last[REASON_SIZE / 4];
    const char *begin = outcome->error.data,
               *end = outcome->error.data + strlen(outcome->error.data);
    while (end > outcome->error.data && end[-1] == '\n') end--;
    for (const char *p = outcome->error.data; p < end; p++) begin = *p == '\n' ? p + 1 : begin;
    snprintf(last, sizeof last, "%.*s", (int)(end - begin), begin);
    if (begin == end) snprintf(last, sizeof last, "the program ended before its result");
    hide_assertion(last);
    hide_numbers(last);
    step_fail(step, STEP_BROKEN, "fails %s: %s", says, why != NULL ? why : last);
    step->in_case = true;
}

/* ---- Metrics ---- */

/* Appends a run's table. Returns false if its head differs from the earlier ones. */
static bool table_add(struct table *table, const char *text) {
    size_t head = strcspn(text, "\n");
    if (text[head] == '\0' || text[head + 1] == '\0') return true; /* no rows */
    fflush(table->out);
    bool first = table->size == 0;
    if (!first && strncmp(table->text, text, head + 1) != 0) return false;
    fputs(first ? text : text + head + 1, table->out);
    return true;
}

static void table_free(struct table *table) {
    fclose(table->out);
    free(table->text);
}

/* The counts of a run of the case of kind calls, lines "NAME,COUNT", as metrics of the step's first
 * row, in the columns of metrics.csv. The caller frees the table. */
static char *counts_table(const char *counts, const char *run) {
    char *text = NULL;
    size_t text_size = 0;
    FILE *out = need(open_memstream(&text, &text_size));
    struct csv *rows = csv_parse(run, strlen(run), "rows", &CSV_COMMAS);
    fputs("lab,step,kernel,grid,block,metric,value,unit,backend,device\n", out);
    for (; rows != NULL && csv_rows(rows) > 0 && *counts != '\0';
         counts += strcspn(counts, "\n") + 1)
        fprintf(out, ",,%s,%s,%s,%.*s,,,\n", csv_get(rows, 0, "kernel"), csv_get(rows, 0, "grid"),
                csv_get(rows, 0, "block"), (int)strcspn(counts, "\n"), counts);
    csv_free(rows);
    fclose(out);
    return text;
}

/* Appends the results of a run of a case that measures. Returns false with a message. */
static bool add_metrics(struct trial *trial, int row, const char *step,
                        const struct sandbox_outcome *outcome) {
    char *outcomes, *table = split_rows(outcome->rows.data, &outcomes), *counts = NULL;
    if (has_kind(trial->lab, row, "calls")) counts = counts_table(outcome->taken.data, table);
    bool added = table_add(&trial->run, table) &&
                 table_add(&trial->metrics, counts != NULL ? counts : outcome->taken.data);
    if (!added)
        fail_with("step %s: its tables have other columns than those of the other steps", step);
    free(table);
    free(outcomes);
    free(counts);
    return added;
}

/* Writes the table to a file without a name. Returns the descriptor, and its path in `path`. */
static int as_file(const struct table *table, char path[64]) {
    int fd = memfd_create("results", 0);
    fflush(table->out);
    if (fd >= 0 && write(fd, table->text, table->size) != (ssize_t)table->size)
        fprintf(stderr, "grade: no memory for results\n");
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

/* ---- The whole ---- */

static void cannot_go_on(const struct trial *trial, int row,
                         const struct sandbox_outcome *outcome) {
    fail_with("case %s: %.200s%.400s", csv_get(trial->lab->cases, row, "name"),
              sandbox_reason(outcome) != NULL ? sandbox_reason(outcome) : "", outcome->error.data);
}

/* Runs a student's step in one case. Returns false with a message if the grader cannot go on. */
static bool try_step(struct trial *trial, struct step *step, int row) {
    const char *says = csv_get(trial->lab->cases, row, "says");
    struct sandbox_outcome outcome;
    run_case(trial, row, step->name, &outcome);
    bool seen = read_rows(trial, step, row, &outcome), ended = outcome.end == SANDBOX_ENDED,
         can = true;
    if (outcome.end == SANDBOX_FAILED || (ended && outcome.status == EXIT_NO_PROCESS)) {
        cannot_go_on(trial, row, &outcome);
        can = false;
    } else if ((!seen || !ended) && step->state == STEP_TAKEN &&
               !sandbox_spent(trial->lab->budget)) {
        blame(step, says, &outcome);
    }
    if (has_kind(trial->lab, row, "check") && step->unclean[0] == '\0' &&
        checker_complains(&outcome))
        find_words(outcome.error.data, step->name, step->unclean, sizeof step->unclean);
    if (step->unclean[0] == '\0' && blocks_raced(&outcome, step->name))
        snprintf(step->unclean, sizeof step->unclean,
                 "blocks race: one accesses what another one stores");
    if (can && step->state == STEP_TAKEN && measures(trial->lab, row))
        can = add_metrics(trial, row, step->name, &outcome);
    sandbox_free(&outcome);
    return can;
}

/* Measures a given step. Returns false with a message. */
static bool measure_given(struct trial *trial, const char *name, int row) {
    struct sandbox_outcome outcome;
    run_case(trial, row, name, &outcome);
    bool ended = outcome.end == SANDBOX_ENDED && outcome.status == 0;
    if (!ended && !sandbox_spent(trial->lab->budget)) cannot_go_on(trial, row, &outcome);
    bool added = ended && add_metrics(trial, row, name, &outcome);
    sandbox_free(&outcome);
    return added;
}

static bool measure_all_given(struct trial *trial) {
    bool can = true;
    for (int row = 0; row < csv_rows(trial->lab->cases); row++)
        for (size_t i = 0; can && i < trial->names.n && has_kind(trial->lab, row, "metrics"); i++)
            can = measure_given(trial, trial->names.given[i], row);
    sandbox_close(&trial->sandbox);
    return can;
}

static bool try_all(struct trial *trial) {
    bool can = rubric_names(&trial->names, trial->lab, trial->steps);
    for (size_t i = 0; can && i < trial->steps->n; i++) {
        struct step *step = &trial->steps->items[i];
        for (int row = 0; can && row < csv_rows(trial->lab->cases); row++)
            if (step->state == STEP_TAKEN &&
                !(step->wrong[0] != '\0' && has_kind(trial->lab, row, "metrics")))
                can = try_step(trial, step, row) && !sandbox_spent(trial->lab->budget);
        sandbox_close(&trial->sandbox);
    }
    return can && measure_all_given(trial);
}

bool trial_run(struct steps *steps, const struct lab_files *lab, struct results *results) {
    struct trial trial = {.steps = steps, .lab = lab};
    bool done = program_build(steps, lab, &trial.program);
    if (done) {
        trial.run.out = need(open_memstream(&trial.run.text, &trial.run.size));
        trial.metrics.out = need(open_memstream(&trial.metrics.text, &trial.metrics.size));
        done = try_all(&trial);
        char run[64], metrics[64];
        int a = as_file(&trial.run, run), b = as_file(&trial.metrics, metrics);
        if (trial.metrics.size > 0 && !results_add(results, "run", run, metrics))
            fprintf(stderr, "grade: %s\n", failure);
        close(a);
        close(b);
        table_free(&trial.run);
        table_free(&trial.metrics);
        program_free(&trial.program);
    }
    if (!sandbox_spent(lab->budget)) return done;
    steps_give_up(steps, lab);
    return true;
}
