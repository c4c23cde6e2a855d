/* answers.c: a student's predictions and answers, in the file answers.md beside a lab
 * (lib/answers.h).
 *
 *     answers write ANSWERS SOURCE LAB                       begin the file, or add the steps that
 * it lacks answers ask ANSWERS SOURCE LAB                         ask at the terminal for what is
 * missing of each written step answers compare ANSWERS SOURCE RUN METRICS RECORD      print what
 * was predicted beside what was measured
 *
 * SOURCE is the student's .cu file, RUN and METRICS the tables of its last run. RECORD keeps each
 * prediction with its measurement, and what was predicted when the step was first measured: a
 * student may learn from a wrong prediction, but not turn it into a right one. */
#include "measured.h"

#include "lib/answers.h"
#include "lib/die.h"
#include "lib/file.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "lib/printed.h"
#include "lib/questions.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

/* In the record: there was no prediction when the step was measured. */
#define NO_PREDICTION "-"

/* A student's file and the lab that it belongs to. */
struct work {
    const char *path;
    char *text; /* of answers.md; "": there is no such file */
    struct answers answers;
    struct source source;
    struct questions questions;
};

static void read_answers(struct work *work) {
    work->text = read_whole_file(work->path, NULL);
    if (work->text == NULL && errno != ENOENT)
        die(EXIT_FAILURE, "%s: %s", work->path, strerror(errno));
    if (work->text == NULL) work->text = need(strdup(""));
    answers_parse(&work->answers, work->text);
}

static void forget_answers(struct work *work) {
    answers_free(&work->answers);
    free(work->text);
}

static void open_work(struct work *work, const char *path, const char *source) {
    *work = (struct work){.path = path};
    read_answers(work);
    if (!source_read(&work->source, source)) die(EXIT_FAILURE, "%s", failure);
    questions_find(&work->questions, &work->source);
}

/* ---- Writing the file ---- */

/* Opens the file to be written. End with finish. */
static struct outfile begin(const char *path) {
    struct outfile out;
    if (!outfile_open(&out, path)) die(EXIT_FAILURE, "%s: %s", path, strerror(errno));
    return out;
}

static void finish(struct outfile *out, const char *path) {
    if (!outfile_commit(out)) die(EXIT_FAILURE, "%s: %s", path, strerror(errno));
}

/* Adds the steps that the file lacks. Returns how many. */
static size_t write_file(struct work *work, const char *lab) {
    struct outfile out = begin(work->path);
    size_t added = 0, length = strlen(work->text);
    fputs(work->text, out.file);
    if (length > 0 && work->text[length - 1] != '\n') putc('\n', out.file);
    if (length == 0)
        fprintf(
            out.file,
            "# Lab %s: predictions and answers\n\nBefore you run a step, write what you expect: a "
            "number after each colon, and your answer to the question below\n`Answer:`. `" X_BEFORE
            "` is how many times as fast as the step before it. A metric is measured by `make "
            "profile-lab%s`.\n",
            lab, lab);
    for (size_t i = 0; i < work->questions.n; i++) {
        if (answers_of(&work->answers, work->questions.items[i].name) != NULL) continue;
        bool first = i == 0;
        fprintf(out.file, "\n## %s\n", work->questions.items[i].name);
        if (work->questions.items[i].text[0] != '\0')
            fprintf(out.file, "\n> %c%s\n",
                    toupper((unsigned char)work->questions.items[i].text[0]),
                    work->questions.items[i].text + 1);
        if (!first || work->questions.items[i].metric[0] != '\0') putc('\n', out.file);
        if (!first) fprintf(out.file, "- " X_BEFORE ":\n");
        if (work->questions.items[i].metric[0] != '\0')
            fprintf(out.file, "- %s:\n", work->questions.items[i].metric);
        fputs("\nAnswer:\n", out.file);
        added++;
    }
    finish(&out, work->path);
    forget_answers(work);
    read_answers(work);
    return added;
}

/* Does this line of the section wait for the value: "- QUANTITY:", or for no quantity "Answer:"? */
static bool waits_for(const char *line, const char *quantity) {
    const char *rest = line_after(line, quantity != NULL ? "- " : "Answer:");
    if (rest != NULL && quantity != NULL) rest = line_after(rest, quantity);
    if (rest != NULL && quantity != NULL) rest = *rest == ':' ? rest + 1 : NULL;
    return rest != NULL && rest[strspn(rest, " \t\r")] == '\0';
}

/* Writes the value after the colon that waits for it in the step's section. */
static void fill_in(struct work *work, const char *step, const char *quantity, const char *value) {
    struct outfile out = begin(work->path);
    char here[SOURCE_NAME_SIZE] = "";
    bool done = false;
    for (const char *line = work->text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char *copy = need_text("%.*s", (int)length, line);
        answers_heading(copy, here);
        bool fill = !done && strcmp(here, step) == 0 && waits_for(copy, quantity);
        if (fill) copy[strcspn(copy, ":") + 1] = '\0';
        fprintf(out.file, fill ? "%s %s\n" : "%s\n", copy, value);
        done = done || fill;
        line += length + (line[length] == '\n');
        free(copy);
    }
    finish(&out, work->path);
    forget_answers(work);
    read_answers(work);
}

/* ---- Asking ---- */

/* Asks for one value, and writes it down. Enter alone leaves it open. Returns false at the end of
 * the input. */
static bool ask_for(struct work *work, const char *step, const char *quantity) {
    char *typed = NULL;
    size_t size = 0;
    ssize_t length;
    double number;
    bool asks = true;
    while (asks) {
        printf("  %s: ", quantity != NULL ? quantity : "your answer, in a line");
        fflush(stdout);
        length = getline(&typed, &size, stdin);
        if (length > 0) typed[strcspn(typed, "\r\n")] = '\0';
        const bool given = length > 0 && typed[strspn(typed, " \t")] != '\0';
        asks = given && quantity != NULL && !prediction_number(typed, &number);
        if (asks) puts("  not a number: give one such as 1.5, or leave it open");
    }
    if (length > 0 && typed[strspn(typed, " \t")] != '\0')
        fill_in(work, step, quantity, typed + strspn(typed, " \t"));
    free(typed);
    return length > 0;
}

/* Asks for what is missing of a step. */
static bool ask_step(struct work *work, const struct question *question) {
    const struct answer *answer = answers_of(&work->answers, question->name);
    char waiting[ANSWER_PREDICTIONS][SOURCE_NAME_SIZE];
    size_t n = 0;
    for (size_t i = 0; i < answer->predictions_n; i++)
        if (answer->predictions[i].text[0] == '\0')
            strcpy(waiting[n++], answer->predictions[i].quantity);
    const bool unanswered = answer->text[0] == '\0';
    if (n == 0 && !unanswered) return true;
    printf("\n%s: %s\n", question->name, question->text);
    for (size_t i = 0; i < n; i++)
        if (!ask_for(work, question->name, waiting[i])) return false;
    return !unanswered || ask_for(work, question->name, NULL);
}

/* Asks for each step that this run will measure: those given, and those written. */
static void ask(struct work *work, const char *lab) {
    if (!isatty(STDIN_FILENO))
        die(EXIT_USAGE, "PREDICT=1 needs a terminal: `make answers-lab%s` writes %s; answer there",
            lab, work->path);
    write_file(work, lab);
    puts("What do you expect? Enter leaves a question open, Ctrl-D leaves all.");
    bool more = true;
    for (size_t i = 0; i < work->questions.n && more; i++) {
        const struct region *region = source_region(&work->source, work->questions.items[i].name);
        if (region == NULL || !source_is_todo(&work->source, region))
            more = ask_step(work, &work->questions.items[i]);
    }
    putchar('\n');
}

/* ---- Comparing ---- */

static struct csv *read_table(const char *path) {
    if (access(path, F_OK) != 0) return NULL;
    struct csv *table = csv_read(path, &CSV_COMMAS);
    if (table == NULL) die(EXIT_FAILURE, "%s", failure);
    return table;
}

struct tables {
    struct csv *run, *metrics, *record;
};

/* The prediction when the step was first measured, as the record has it; "": not measured before.
 */
static const char *first_of(const struct csv *record, const char *step, const char *quantity) {
    for (int row = 0; record != NULL && row < csv_rows(record); row++) {
        bool same = csv_is(record, row, "step", step);
        if (same && csv_is(record, row, "quantity", quantity)) return csv_get(record, row, "first");
    }
    return "";
}

/* Prints a prediction and what was measured. */
static void print_prediction(const struct work *work, const char *step,
                             const struct prediction *prediction, const char *measured,
                             const char *first) {
    double number;
    printf("  %-26s %-24s ", step, prediction->quantity);
    if (!prediction_number(prediction->text, &number))
        printf("%s:%zu: no number: %s", work->path, prediction->line, prediction->text);
    else if (measured[0] == '\0')
        printf("predicted %-10s not measured yet", prediction->text);
    else
        printf("predicted %-10s measured %s", prediction->text, measured);
    if (strcmp(first, NO_PREDICTION) == 0)
        printf(" (predicted after it was measured)");
    else if (first[0] != '\0' && strcmp(first, prediction->text) != 0)
        printf(" (first predicted: %s)", first);
    putchar('\n');
}

/* Compares a step's predictions; each becomes a row of the record. Returns how many there are. */
static size_t compare_step(const struct work *work, const struct answer *answer,
                           const struct tables *tables, FILE *record, size_t shown) {
    for (size_t i = 0; i < answer->predictions_n; i++) {
        const struct prediction *prediction = &answer->predictions[i];
        const bool made = prediction->text[0] != '\0';
        char measured[MEASURED_SIZE];
        measured_text(measured, tables->run, tables->metrics, answer->step, prediction->quantity);
        const char *first = first_of(tables->record, answer->step, prediction->quantity);
        if (first[0] == '\0' && measured[0] != '\0')
            first = made ? prediction->text : NO_PREDICTION;
        const char *const cells[] = {answer->step, prediction->quantity, prediction->text, first,
                                     measured};
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
            if (c > 0) putc(',', record);
            csv_put(record, cells[c], ',');
        }
        putc('\n', record);
        if (made && shown == 0) printf("\nYour predictions (%s):\n", work->path);
        if (made) print_prediction(work, answer->step, prediction, measured, first);
        shown += made;
    }
    return shown;
}

/* Is this a step of the lab? */
static bool is_step(const struct work *work, const char *name) {
    for (size_t i = 0; i < work->questions.n; i++)
        if (strcmp(work->questions.items[i].name, name) == 0) return true;
    return false;
}

static void compare(const struct work *work, const char *run, const char *metrics,
                    const char *record) {
    struct tables tables = {read_table(run), read_table(metrics), read_table(record)};
    size_t shown = 0;
    struct outfile out = begin(record);
    fputs("step,quantity,prediction,first,measured\n", out.file);
    for (size_t i = 0; i < work->answers.n; i++) {
        const struct answer *answer = &work->answers.items[i];
        if (is_step(work, answer->step))
            shown = compare_step(work, answer, &tables, out.file, shown);
        else
            fprintf(stderr, "%s:%zu: %s is not a step of this lab; its section is not read\n",
                    work->path, answer->line, answer->step);
    }
    finish(&out, record);
    csv_free(tables.run);
    csv_free(tables.metrics);
    csv_free(tables.record);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    const char *verb = argc > 1 ? argv[1] : "";
    struct work work;
    if (argc == 5 && strcmp(verb, "write") == 0) {
        open_work(&work, argv[2], argv[3]);
        size_t added = write_file(&work, argv[4]);
        if (added > 0)
            printf("%s: %zu questions added\n", work.path, added);
        else
            printf("%s: all %zu questions are there\n", work.path, work.questions.n);
    } else if (argc == 5 && strcmp(verb, "ask") == 0) {
        open_work(&work, argv[2], argv[3]);
        ask(&work, argv[4]);
    } else if (argc == 7 && strcmp(verb, "compare") == 0) {
        open_work(&work, argv[2], argv[3]);
        compare(&work, argv[4], argv[5], argv[6]);
    } else {
        die(EXIT_USAGE, "usage: answers write|ask ANSWERS SOURCE LAB | answers compare ANSWERS "
                        "SOURCE RUN METRICS RECORD");
    }
    forget_answers(&work);
    questions_free(&work.questions);
    source_free(&work.source);
    return EXIT_SUCCESS;
}
