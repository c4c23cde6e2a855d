/* report.c: see report.h. Nothing here depends on the time, the machine or the path, so the same submission gives the
 * same bytes. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define GREEN "\033[32m"
#define RED   "\033[31m"
#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

/* ---- Steps of the rubric ---- */

/* The first row of each step begins the step. */
static bool begins_step(const struct scores *scores, size_t row) {
    return row == 0 || strcmp(scores->rows[row].step, scores->rows[row - 1].step) != 0;
}

static bool says_the_same(const struct score *a, const struct score *b) {
    return strcmp(a->detail, b->detail) == 0;
}

/* ---- For people ---- */

static void put_score(FILE *out, const struct score *score, const struct score *before, bool colour) {
    bool full = score->earned >= score->points;
    fprintf(out, "  %s%4g of %-4g%s %s", colour ? full ? GREEN : RED : "", score->earned, score->points,
            colour ? PLAIN : "", score->what);
    bool repeated = before != NULL && says_the_same(score, before);
    fprintf(out, ": %s\n", repeated ? "the same" : score->detail);
    if (!full && !repeated && score->feedback[0] != '\0') fprintf(out, "               hint: %s\n", score->feedback);
}

void report_text(const struct graded *graded, FILE *out, bool colour) {
    const struct scores *scores = &graded->scores;
    fprintf(out, "%sLab %s, %s: %g of %g points%s\n", colour ? BOLD : "", graded->kit->paths.lab, graded->student,
            scores->earned, scores->points, colour ? PLAIN : "");
    if (graded->refused != NULL) fprintf(out, "\nNothing was graded: %s\n", graded->refused);
    for (size_t i = 0; i < scores->n && graded->refused == NULL; i++) {
        const struct score *score = &scores->rows[i];
        bool begins = begins_step(scores, i);
        if (begins)
            fprintf(out, "\n%s%s%s: %g of %g\n", colour ? BOLD : "", score->step, colour ? PLAIN : "",
                    rubric_earned(scores, score->step), rubric_points(scores, score->step));
        put_score(out, score, begins ? NULL : score - 1, colour);
    }
}

/* ---- JSON ---- */

static void put_json(FILE *out, const char *text) {
    putc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", out);
        else if (*p < 0x20 || *p >= 0x7F)
            fprintf(out, "\\u%04x", *p); /* bytes beyond ASCII as Latin-1 */
        else
            putc(*p, out);
    }
    putc('"', out);
}

/* All lines of one step as one text. */
static void put_step_output(FILE *out, const struct graded *graded, size_t first) {
    const struct scores *scores = &graded->scores;
    char *text = NULL;
    size_t size = 0;
    FILE *lines = open_memstream(&text, &size);
    for (size_t i = first; i < scores->n && strcmp(scores->rows[i].step, scores->rows[first].step) == 0; i++)
        put_score(lines, &scores->rows[i], i == first ? NULL : &scores->rows[i - 1], false);
    fclose(lines);
    put_json(out, text);
    free(text);
}

static void put_test(FILE *out, const struct graded *graded, size_t row) {
    const char *step = graded->scores.rows[row].step;
    double earned = rubric_earned(&graded->scores, step), points = rubric_points(&graded->scores, step);
    fprintf(out, "%s\n    {\"name\": ", row > 0 ? "," : "");
    put_json(out, step);
    fprintf(out, ", \"score\": %g, \"max_score\": %g, \"status\": \"%s\", \"output\": ", earned, points,
            earned >= points ? "passed" : "failed");
    put_step_output(out, graded, row);
    fprintf(out, "}");
}

void report_gradescope(const struct graded *graded, FILE *out) {
    fprintf(out, "{\n  \"score\": %g,\n  \"output\": ", graded->scores.earned);
    put_json(out, graded->refused != NULL ? graded->refused : "");
    fprintf(out, ",\n  \"tests\": [");
    for (size_t i = 0; i < graded->scores.n; i++) {
        if (begins_step(&graded->scores, i)) put_test(out, graded, i);
    }
    fprintf(out, "\n  ]\n}\n");
}

void report_autolab(const struct graded *graded, FILE *out) {
    const struct scores *scores = &graded->scores;
    fprintf(out, "{\"scores\": {");
    for (size_t i = 0; i < scores->n; i++) {
        if (!begins_step(scores, i)) continue;
        fprintf(out, "%s", i > 0 ? ", " : "");
        put_json(out, scores->rows[i].step);
        fprintf(out, ": %g", rubric_earned(scores, scores->rows[i].step));
    }
    fprintf(out, "}}\n");
}

/* ---- CSV ---- */

void report_row(const struct graded *graded, FILE *out) {
    const struct scores *scores = &graded->scores;
    fputs("student,lab,points,of", out);
    for (size_t i = 0; i < scores->n; i++) {
        if (begins_step(scores, i)) fprintf(out, ",%s", scores->rows[i].step);
    }
    fputs(",note\n", out);
    csv_put(out, graded->student, ',');
    fprintf(out, ",%s,%g,%g", graded->kit->paths.lab, scores->earned, scores->points);
    for (size_t i = 0; i < scores->n; i++) {
        if (begins_step(scores, i)) fprintf(out, ",%g", rubric_earned(scores, scores->rows[i].step));
    }
    putc(',', out);
    csv_put(out, graded->refused != NULL ? graded->refused : "", ',');
    putc('\n', out);
}
