/* collect.c: joins the rows of single submissions to the tables of a class. */
#include "class.h"

#include "lib/answers.h"
#include "lib/csv.h"
#include "lib/file.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "lib/utf8.h"
#include "similar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a row: student, lab, points, of, then the steps, then note. */
enum { POINTS = 2, OF = 3, FIRST_STEP = 4, LINE_WIDTH = 80, NOTES = 12 };

/* The rows of all submissions; NULL: not graded. */
struct table {
    const struct class *class;
    struct csv **rows;
    const struct csv *head; /* any submission's row, for the head; NULL: none is graded */
};

struct csv *class_row(const struct class *class, const struct entry *entry) {
    char folder[PATH_MAX], path[PATH_MAX + 16];
    class_folder(class, entry, folder);
    snprintf(path, sizeof path, "%s/row.csv", folder);
    return csv_read(path, &CSV_COMMAS);
}

static int steps_end(const struct table *table) {
    return csv_columns(table->head) - 1;
}

/* ---- grades.csv ---- */

static void put_grades(const struct table *table, FILE *out) {
    int columns = csv_columns(table->head);
    for (int c = 0; c < columns; c++)
        fprintf(out, "%s%s", c > 0 ? "," : "", csv_header(table->head, c));
    putc('\n', out);
    for (size_t i = 0; i < table->class->n; i++) {
        if (table->rows[i] != NULL) {
            for (int k = 0; k < columns; k++) {
                if (k > 0) putc(',', out);
                csv_put(out, csv_at(table->rows[i], 0, k), ',');
            }
            putc('\n', out);
        } else {
            /* Write the row of a submission that could not be graded: a person must look at it. */
            csv_put_text(out, table->class->entries[i].student, ',');
            for (int j = 1; j < columns; j++) putc(',', out);
            fputs("could not be graded: see its grader.log\n", out);
        }
    }
}

/* ---- steps.csv ---- */

struct spread {
    int all, some, none; /* submissions with all, some and none of a step's points */
};

static double cell(const struct csv *row, int column) {
    return strtod(csv_at(row, 0, column), NULL);
}

/* "All" of a step's points means as many as the best submission has. */
static struct spread spread_of(const struct table *table, int column) {
    struct spread spread = {0, 0, 0};
    double most = 0;
    for (size_t i = 0; i < table->class->n; i++)
        if (table->rows[i] != NULL && cell(table->rows[i], column) > most)
            most = cell(table->rows[i], column);
    for (size_t i = 0; i < table->class->n; i++) {
        if (table->rows[i] == NULL) continue;
        double points = cell(table->rows[i], column);
        *(points <= 0 ? &spread.none : points < most ? &spread.some : &spread.all) += 1;
    }
    return spread;
}

static void put_steps(const struct table *table, FILE *out) {
    fprintf(out, "step,all,some,none\n");
    for (int c = FIRST_STEP; c < steps_end(table); c++) {
        struct spread spread = spread_of(table, c);
        fprintf(out, "%s,%d,%d,%d\n", csv_header(table->head, c), spread.all, spread.some,
                spread.none);
    }
}

/* ---- summary.txt ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put_totals(const struct table *table, FILE *out) {
    double *points = need(calloc(table->class->n + 1, sizeof *points)), sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < table->class->n; i++) {
        if (table->rows[i] == NULL) continue;
        points[n] = cell(table->rows[i], POINTS);
        sum += points[n++];
    }
    qsort(points, n, sizeof *points, by_value);
    fprintf(
        out,
        "%zu submissions, %zu graded. Points of %s: lowest %g, median %g, mean %.1f, highest %g\n",
        table->class->n, n, csv_at(table->head, 0, OF), points[0], points[n / 2], sum / (double)n,
        points[n - 1]);
    free(points);
}

/* Names the submissions with a note, as far as that fits on a screen: a line of LINE_WIDTH
 * characters each. */
static void put_notes(const struct table *table, FILE *out) {
    size_t notes = 0;
    for (size_t i = 0; i < table->class->n; i++) {
        const char *note =
            table->rows[i] != NULL ? csv_get(table->rows[i], 0, "note") : "could not be graded";
        if (note[0] == '\0' || notes++ >= NOTES) continue;
        char *line = need_text("%s: %s", table->class->entries[i].student, note);
        size_t end = utf8_fit(line, LINE_WIDTH - 3);
        fprintf(out, "%s%.*s%s\n", notes == 1 ? "\nnotes, in full in grades.csv\n" : "", (int)end,
                line, line[end] != '\0' ? "..." : "");
        free(line);
    }
    if (notes > NOTES) fprintf(out, "... and %zu more\n", notes - NOTES);
}

static void put_summary(const struct table *table, FILE *out) {
    put_totals(table, out);
    fprintf(out, "\n%-28s %5s %5s %5s  of the points\n", "step", "all", "some", "none");
    for (int c = FIRST_STEP; c < steps_end(table); c++) {
        struct spread spread = spread_of(table, c);
        fprintf(out, "%-28s %5d %5d %5d\n", csv_header(table->head, c), spread.all, spread.some,
                spread.none);
    }
    put_notes(table, out);
}

/* ---- similar.txt ---- */

/* Reads a file of the student's results; NULL: there is none. The caller frees it. */
static char *read_result(const struct class *class, const struct entry *entry, const char *name) {
    char folder[PATH_MAX], path[PATH_MAX + 16];
    class_folder(class, entry, folder);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_whole_file(path, NULL);
}

static void put_similar(const struct table *table, FILE *out) {
    const struct class *class = table->class;
    struct similar_text *texts = need(calloc(class->n + 1, sizeof *texts));
    size_t n = 0;
    for (size_t i = 0; i < class->n; i++) {
        texts[n] = (struct similar_text){class->entries[i].student,
                                         read_result(class, &class->entries[i], "regions.c")};
        n += texts[n].text != NULL;
    }
    similar_print(out, texts, n);
    for (size_t i = 0; i < n; i++) free((void *)texts[i].text);
    free(texts);
}

/* ---- answers.csv ---- */

static void put_answers(const struct table *table, FILE *out) {
    fprintf(out, "student,step,what,text\n");
    for (size_t i = 0; i < table->class->n; i++) {
        struct answers answers;
        char *whole = read_result(table->class, &table->class->entries[i], ANSWERS_NAME);
        answers_parse(&answers, whole != NULL ? whole : "");
        for (size_t j = 0; j < answers.n; j++) {
            const struct answer *answer = &answers.items[j];
            for (size_t k = 0; k <= answer->predictions_n; k++) {
                const bool last = k == answer->predictions_n;
                const char *text = last ? answer->text : answer->predictions[k].text;
                if (text[0] == '\0') continue;
                csv_put_text(out, table->class->entries[i].student, ',');
                fprintf(out, ",%s,%s,", answer->step,
                        last ? "answer" : answer->predictions[k].quantity);
                csv_put_text(out, text, ',');
                putc('\n', out);
            }
        }
        answers_free(&answers);
        free(whole);
    }
}

/* ---- The whole ---- */

static bool write_table(const struct table *table, const char *name,
                        void (*put)(const struct table *, FILE *)) {
    char path[PATH_MAX];
    struct outfile out;
    snprintf(path, sizeof path, "%s/%s", table->class->out, name);
    bool written = outfile_open(&out, path);
    if (written) {
        put(table, out.file);
        written = outfile_commit(&out);
    }
    if (!written) fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
    return written;
}

bool class_collect(const struct class *class) {
    struct table table = {class, need(calloc(class->n + 1, sizeof(struct csv *))), NULL};
    for (size_t k = 0; k < class->n; k++) {
        table.rows[k] = class_row(class, &class->entries[k]);
        if (table.head == NULL) table.head = table.rows[k];
    }
    bool done = table.head != NULL;
    if (!done) fprintf(stderr, "grade: no submission has been graded\n");
    done = done && write_table(&table, "grades.csv", put_grades) &&
           write_table(&table, "steps.csv", put_steps) &&
           write_table(&table, "summary.txt", put_summary) &&
           write_table(&table, "similar.txt", put_similar) &&
           write_table(&table, "answers.csv", put_answers);
    if (done) put_summary(&table, stdout);
    for (size_t i = 0; i < table.class->n; i++) csv_free(table.rows[i]);
    free(table.rows);
    return done;
}
