/* report.c: prints a student's work on some labs as Markdown for one page: for each step the
 * question, what was predicted and measured, the answer, and the code with what differs from the
 * step before.
 *
 *     report BUILD LAB...        run it in the project's folder, after `answers compare`
 *
 * Of several labs those are left out that have not been begun. Whatever the student has written
 * stands in the page as text: in blocks of HTML, with its special characters escaped. */
#include "lesson.h"
#include "measured.h"

#include "lib/answers.h"
#include "lib/die.h"
#include "lib/file.h"
#include "lib/handed_out.h"
#include "lib/linediff.h"
#include "lib/memory.h"
#include "lib/printed.h"
#include "lib/questions.h"
#include "lib/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, DIFF_LINES = 2000 };

/* One lab, as its files show it. */
struct work {
    const char *number, *build;
    char *title, *folder, *source;
    struct lesson lesson;
    struct questions questions;
    struct answers answers;
    struct csv *run, *metrics, *record;
};

/* ---- Text as HTML ---- */

/* Prints text that stands for itself in a page: valid UTF-8, without control characters. */
static void put_escaped(const char *text) {
    char *valid = utf8_valid(text);
    for (const char *c = valid; *c != '\0'; c++) {
        switch (*c) {
        case '<': fputs("&lt;", stdout); break;
        case '>': fputs("&gt;", stdout); break;
        case '&': fputs("&amp;", stdout); break;
        case '"': fputs("&quot;", stdout); break;
        default:
            if ((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t') putchar(*c);
        }
    }
    free(valid);
}

static void put_row(const char *tag, size_t n, const char *const cells[]) {
    fputs("<tr>", stdout);
    for (size_t i = 0; i < n; i++) {
        /* Print a cell of a table. A line end in it would end the block of HTML. */
        printf("<%s>", tag);
        char *line = need(strdup(cells[i]));
        for (char *c = line; *c != '\0'; c++)
            if (*c == '\n') *c = ' ';
        put_escaped(line);
        printf("</%s>", tag);
        free(line);
    }
    puts("</tr>");
}

/* ---- Reading ---- */

static struct csv *read_table(const char *path, const struct csv_format *format) {
    if (access(path, F_OK) != 0) return NULL;
    struct csv *table = csv_read(path, format);
    if (table == NULL) die(EXIT_FAILURE, "%s", failure);
    return table;
}

static struct csv *read_result(const struct work *work, const char *name) {
    char *path = need_text("%s/lab%s/%s", work->build, work->number, name);
    struct csv *table = read_table(path, &CSV_COMMAS);
    free(path);
    return table;
}

/* Finds the lab in labs/labs.tsv. */
static void find_lab(struct work *work) {
    struct csv *labs = read_table("labs/labs.tsv", &CSV_TABS);
    int row = 0;
    while (labs != NULL && row < csv_rows(labs) && !csv_is(labs, row, "number", work->number))
        row++;
    if (labs == NULL || row == csv_rows(labs))
        die(EXIT_USAGE, "labs/labs.tsv has no lab %s", work->number);
    work->title = need(strdup(csv_get(labs, row, "title")));
    work->folder = need_text("labs/%s", csv_get(labs, row, "folder"));
    work->source = need_text("%s/%s.cu", work->folder, csv_get(labs, row, "program"));
    csv_free(labs);
}

static void open_work(struct work *work, const char *build, const char *number) {
    *work = (struct work){.number = number, .build = build};
    find_lab(work);
    char *run = need_text("%s/lab%s/run.csv", build, number);
    lesson_read(&work->lesson, work->source, run);
    free(run);
    questions_find(&work->questions, &work->lesson.source);
    char *path = need_text("%s/answers.md", work->folder), *text = read_whole_file(path, NULL);
    if (text == NULL && errno != ENOENT) die(EXIT_FAILURE, "%s: %s", path, strerror(errno));
    answers_parse(&work->answers, text != NULL ? text : "");
    free(text);
    free(path);
    work->run = read_result(work, "run.csv");
    work->metrics = read_result(work, "metrics.csv");
    work->record = read_result(work, "predictions.csv");
}

/* ---- A step ---- */

static const char *state_of(const struct work *work, const char *step) {
    static const char *const WORDS[] = {[LESSON_RIGHT] = "right",
                                        [LESSON_NEW] = "written, not run since",
                                        [LESSON_FAULTY] = "right, with a mistake beside it",
                                        [LESSON_WRONG] = "wrong",
                                        [LESSON_TODO] = "to do"};
    const struct region *region = source_region(&work->lesson.source, step);
    return region != NULL ? WORDS[work->lesson.state[region - work->lesson.source.regions]]
                          : "given";
}

static void put_predictions(const struct work *work, const struct answer *answer) {
    bool any = false;
    for (int row = 0; work->record != NULL && row < csv_rows(work->record); row++) {
        const char *first = csv_get(work->record, row, "first"),
                   *text = csv_get(work->record, row, "prediction");
        if (!csv_is(work->record, row, "step", answer->step) || text[0] == '\0') continue;
        const char *measured = csv_get(work->record, row, "measured");
        bool late = strcmp(first, "-") == 0,
             changed = !late && first[0] != '\0' && strcmp(first, text) != 0;
        char *note =
            late ? need(strdup("predicted after it was measured"))
                 : need_text("%s%s", changed ? "first predicted: " : "", changed ? first : "");
        if (!any)
            puts("<table><thead><tr><th>quantity</th><th>predicted</th><th>measured</th><th></th></"
                 "tr></thead><tbody>");
        const char *const cells[] = {csv_get(work->record, row, "quantity"), text,
                                     measured[0] != '\0' ? measured : "not yet", note};
        put_row("td", 4, cells);
        free(note);
        any = true;
    }
    puts(any ? "</tbody></table>\n" : "");
}

static void put_answer(const struct work *work, const char *step) {
    const struct answer *answer = answers_of(&work->answers, step);
    if (answer != NULL) put_predictions(work, answer);
    if (answer == NULL || answer->text[0] == '\0') {
        puts("<p>No answer.</p>\n");
        return;
    }
    fputs("<pre class=\"answer\">", stdout);
    put_escaped(answer->text);
    puts("</pre>\n");
}

/* The lines of a step's function, without the marks of its region. The caller frees the lines'
 * array. */
static struct slice code_of(const struct work *work, const struct question *question) {
    struct slice code = {need(calloc(question->end - question->begin + 1, sizeof *code.lines)), 0};
    for (size_t i = question->begin; i < question->end; i++) {
        char *line = work->lesson.source.lines[i];
        if (line_after(line, "// BEGIN SOLUTION") == NULL &&
            line_after(line, "// END SOLUTION") == NULL)
            code.lines[code.n++] = line;
    }
    return code;
}

static void put_line(void *unused, const char *left, const char *right) {
    (void)unused;
    const char *tag = right == NULL ? "del" : left == NULL ? "ins" : "span";
    printf("<%s>%c ", tag, right == NULL ? '-' : left == NULL ? '+' : ' ');
    put_escaped(right != NULL ? right : left);
    printf("</%s>\n", tag);
}

/* Prints the step's code, with what differs from the step before it; before NULL: none. */
static void put_code(const struct work *work, const struct question *question,
                     const struct question *before) {
    struct slice code = code_of(work, question), other = {NULL, 0};
    if (before != NULL && code.n < DIFF_LINES) other = code_of(work, before);
    if (other.n == 0 || other.n >= DIFF_LINES) {
        printf("<pre><code>");
        for (size_t i = 0; i < code.n; i++) put_escaped(code.lines[i]), putchar('\n');
    } else {
        printf("<p>The code, and what differs from %s:</p>\n\n<pre><code>", before->name);
        linediff_walk(other, code, put_line, NULL);
    }
    puts("</code></pre>\n");
    free(code.lines);
    free(other.lines);
}

static bool is_written(const struct work *work, const struct question *question) {
    const struct region *region = source_region(&work->lesson.source, question->name);
    return region == NULL || !source_is_todo(&work->lesson.source, region);
}

static void put_step(const struct work *work, size_t number) {
    const struct question *question = &work->questions.items[number];
    size_t before = number;
    printf("<h2>%zu. ", number + 1);
    put_escaped(question->name);
    printf("</h2>\n\n");
    if (question->text[0] != '\0') {
        printf("<blockquote><p>%c", toupper((unsigned char)question->text[0]));
        put_escaped(question->text + 1);
        puts("</p></blockquote>\n");
    }
    put_answer(work, question->name);
    if (!is_written(work, question)) {
        puts("<p>The step is still to do.</p>\n");
        return;
    }
    while (before > 0 && !is_written(work, &work->questions.items[before - 1])) before--;
    put_code(work, question, before > 0 ? &work->questions.items[before - 1] : NULL);
}

/* ---- A lab ---- */

static void put_overview(const struct work *work) {
    puts("<table><thead><tr><th>step</th><th>result</th><th>time, ms</th><th>x "
         "before</th><th>metric</th><th>value</th></tr></thead><tbody>");
    for (size_t i = 0; i < work->questions.n; i++) {
        const struct question *question = &work->questions.items[i];
        char time[MEASURED_SIZE], times[MEASURED_SIZE], metric[MEASURED_SIZE];
        measured_text(time, work->run, work->metrics, question->name, "time_ms");
        measured_text(times, work->run, work->metrics, question->name, X_BEFORE);
        measured_text(metric, work->run, work->metrics, question->name, question->metric);
        const char *const cells[] = {
            question->name, state_of(work, question->name), time, times, question->metric, metric};
        put_row("td", sizeof cells / sizeof *cells, cells);
    }
    puts("</tbody></table>\n");
}

/* Prints what the table's numbers are. */
static void put_measured(const struct work *work) {
    if (work->run == NULL || csv_rows(work->run) == 0) {
        printf("<p>Nothing has been measured: <code>make lab%s</code> does.</p>\n\n", work->number);
        return;
    }
    printf("<p>");
    put_escaped(csv_get(work->run, 0, "device"));
    printf(", times ");
    put_escaped(csv_get(work->run, 0, "clock"));
    printf(".%s</p>\n\n", work->lesson.is_current ? "" : " The program has been changed since.");
}

static void put_lab(const struct work *work) {
    printf("# Lab %s: ", work->number);
    const char *colon = strchr(work->title, ':');
    printf("%.*s\n\n<p>", colon != NULL ? (int)(colon - work->title) : (int)strlen(work->title),
           work->title);
    put_escaped(work->source);
    printf(": %zu of %zu steps are right.</p>\n\n", lesson_count(&work->lesson, LESSON_RIGHT),
           work->lesson.source.regions_n);
    put_measured(work);
    put_overview(work);
    char *pattern = need_text("%s/plots/lab%s-*.svg", work->build, work->number);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t k = 0; k < found.gl_pathc; k++) printf("![](%s)\n\n", found.gl_pathv[k]);
        globfree(&found);
    }
    free(pattern);
    printf("<p>handouts/lab%s.md explains each step. <code>x before</code>: how many times as fast "
           "as the step before it.</p>\n\n",
           work->number);
    for (size_t i = 0; i < work->questions.n; i++) put_step(work, i);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    if (argc < 3) die(EXIT_USAGE, "usage: report BUILD LAB...");
    int labs = 0;
    for (int i = 2; i < argc; i++) {
        struct work work;
        open_work(&work, argv[1], argv[i]);
        /* Something is changed, or anything answered. */
        char *text = read_whole_file(work.source, NULL);
        bool begun = text != NULL && !is_handed_out(work.source, text);
        free(text);
        for (size_t i = 0; i < work.answers.n; i++) {
            const struct answer *answer = &work.answers.items[i];
            begun = begun || answer->text[0] != '\0';
            for (size_t k = 0; k < answer->predictions_n; k++)
                begun = begun || answer->predictions[k].text[0] != '\0';
        }
        if (argc == 3 || begun) put_lab(&work), labs++;
        lesson_free(&work.lesson);
        questions_free(&work.questions);
        answers_free(&work.answers);
        csv_free(work.run);
        csv_free(work.metrics);
        csv_free(work.record);
        free(work.title);
        free(work.folder);
        free(work.source);
    }
    if (labs == 0)
        die(EXIT_FAILURE, "no lab has been begun; `make report LAB=3` reports on one anyway");
    return EXIT_SUCCESS;
}
