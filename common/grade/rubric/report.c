/* report.c: see report.h. The reports depend on no time, machine or path: the same submission gives
 * the same bytes. */
#include "report.h"

#include "lib/memory.h"
#include "lib/utf8.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define GREEN "\033[32m"
#define RED   "\033[31m"
#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

/* ---- Steps of the rubric ---- */

/* Is this the step's first row? */
static bool begins_step(const struct scores *scores, size_t row) {
    return row == 0 || strcmp(scores->rows[row].step, scores->rows[row - 1].step) != 0;
}

/* What the student may read of the row. */
static const char *detail_of(const struct graded *graded, const struct score *score) {
    bool hidden = graded->hide_cases && score->of_case;
    return hidden ? "not in all hidden cases; which, is said after the due date" : score->detail;
}

/* ---- For people ---- */

/* before: the row above, of the same step; NULL: there is none. An idea of no points is left out if
 * it holds or has nothing new to say. */
static void put_score(FILE *out, const struct graded *graded, const struct score *score,
                      const struct score *before, bool colour) {
    const char *detail = detail_of(graded, score);
    bool full = score->good && score->earned >= score->points;
    bool repeated = before != NULL && strcmp(detail, detail_of(graded, before)) == 0;
    if (score->idea && score->points == 0 && (repeated || full)) return;
    fprintf(out, "  %s%4g of %-4g%s %s", colour ? full ? GREEN : RED : "", score->earned,
            score->points, colour ? PLAIN : "", score->what);
    fprintf(out, ": %s\n", repeated ? "the same" : detail);
    if (!full && !repeated && graded->no_hints == NULL && score->feedback[0] != '\0')
        fprintf(out, "               hint: %s\n", score->feedback);
}

static void put_report(const struct graded *graded, FILE *out, bool colour) {
    const struct scores *scores = &graded->scores;
    fprintf(out, "%sLab %s, %s: %g of %g points%s\n", colour ? BOLD : "", graded->lab->paths.lab,
            graded->student, scores->earned, scores->points, colour ? PLAIN : "");
    if (graded->note[0] != '\0')
        fprintf(out, "\n%s: %s\n", graded->refused ? "Nothing was graded" : "Note", graded->note);
    if (graded->no_hints != NULL) fprintf(out, "\n%s\n", graded->no_hints);
    for (size_t i = 0; i < scores->n && !graded->refused; i++) {
        const struct score *score = &scores->rows[i];
        bool begins = begins_step(scores, i);
        const struct points points = rubric_points(scores, score->step);
        if (begins)
            fprintf(out, "\n%s%s%s: %g of %g\n", colour ? BOLD : "", score->step,
                    colour ? PLAIN : "", points.earned, points.possible);
        put_score(out, graded, score, begins ? NULL : score - 1, colour);
    }
}

void report_text(const struct graded *graded, FILE *out) {
    put_report(graded, out, false);
}

void report_in_colour(const struct graded *graded, FILE *out) {
    put_report(graded, out, true);
}

/* ---- JSON ---- */

/* Prints the tree and frees it. */
static void put_json(FILE *out, cJSON *tree, bool on_one_line) {
    char *text = on_one_line ? cJSON_PrintUnformatted(tree) : cJSON_Print(tree);
    if (text == NULL) abort();
    fprintf(out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(tree);
}

/* Adds a text as UTF-8, as JSON requires: a compiler's message may quote other bytes of the
 * student's file. */
static void add_text(cJSON *object, const char *name, const char *text) {
    char *valid = utf8_valid(text);
    cJSON_AddStringToObject(object, name, valid);
    free(valid);
}

static cJSON *make_test(const struct graded *graded, size_t row) {
    const char *step = graded->scores.rows[row].step;
    const struct points points = rubric_points(&graded->scores, step);
    cJSON *test = cJSON_CreateObject();
    cJSON_AddStringToObject(test, "name", step);
    cJSON_AddNumberToObject(test, "score", points.earned);
    cJSON_AddNumberToObject(test, "max_score", points.possible);
    cJSON_AddStringToObject(test, "status", points.earned >= points.possible ? "passed" : "failed");
    const struct scores *scores = &graded->scores;
    char *text = NULL;
    size_t size = 0;
    FILE *lines = need(open_memstream(&text, &size));
    for (size_t i = row; i < scores->n && strcmp(scores->rows[i].step, scores->rows[row].step) == 0;
         i++)
        put_score(lines, graded, &scores->rows[i], i == row ? NULL : &scores->rows[i - 1], false);
    fclose(lines);
    add_text(test, "output", text);
    free(text);
    return test;
}

/* Adds what is hidden until the due date: Gradescope shows it from then on. */
static void add_hidden(cJSON *tests, const struct graded *graded) {
    char *text = NULL;
    size_t size = 0;
    FILE *lines = need(open_memstream(&text, &size));
    for (size_t i = 0; i < graded->scores.n && graded->hide_cases; i++) {
        const struct score *score = &graded->scores.rows[i];
        if (score->of_case) fprintf(lines, "%s, %s: %s\n", score->step, score->what, score->detail);
    }
    fclose(lines);
    if (text[0] != '\0') {
        cJSON *test = cJSON_CreateObject();
        cJSON_AddStringToObject(test, "name", "Hidden cases");
        add_text(test, "output", text);
        cJSON_AddStringToObject(test, "visibility", "after_due_date");
        cJSON_AddItemToArray(tests, test);
    }
    free(text);
}

/* Counts the steps that have all their points. */
static size_t count_solved(const struct scores *scores) {
    size_t solved = 0;
    for (size_t i = 0; i < scores->n; i++) {
        const struct points points = rubric_points(scores, scores->rows[i].step);
        solved += begins_step(scores, i) && points.earned >= points.possible;
    }
    return solved;
}

static void add_leader(cJSON *leaderboard, const char *name, double value) {
    cJSON *leader = cJSON_CreateObject();
    cJSON_AddStringToObject(leader, "name", name);
    cJSON_AddNumberToObject(leader, "value", value);
    cJSON_AddItemToArray(leaderboard, leader);
}

void report_gradescope(const struct graded *graded, FILE *out) {
    cJSON *results = cJSON_CreateObject();
    cJSON_AddNumberToObject(results, "score", graded->scores.earned);
    char *output = need_text("%s%s%s", graded->note,
                             graded->note[0] != '\0' && graded->no_hints != NULL ? "\n" : "",
                             graded->no_hints != NULL ? graded->no_hints : "");
    add_text(results, "output", output);
    free(output);
    cJSON *tests = cJSON_AddArrayToObject(results, "tests");
    for (size_t i = 0; i < graded->scores.n; i++)
        if (begins_step(&graded->scores, i)) cJSON_AddItemToArray(tests, make_test(graded, i));
    add_hidden(tests, graded);
    cJSON *leaderboard = cJSON_AddArrayToObject(results, "leaderboard");
    add_leader(leaderboard, "Points", graded->scores.earned);
    add_leader(leaderboard, "Steps solved", (double)count_solved(&graded->scores));
    put_json(out, results, false);
}

void report_autolab(const struct graded *graded, FILE *out) {
    const struct scores *scores = &graded->scores;
    cJSON *line = cJSON_CreateObject(), *points = cJSON_AddObjectToObject(line, "scores");
    for (size_t i = 0; i < scores->n; i++) {
        if (begins_step(scores, i))
            cJSON_AddNumberToObject(points, scores->rows[i].step,
                                    rubric_points(scores, scores->rows[i].step).earned);
    }
    cJSON *scoreboard = cJSON_AddArrayToObject(line, "scoreboard");
    cJSON_AddItemToArray(scoreboard, cJSON_CreateNumber(scores->earned));
    cJSON_AddItemToArray(scoreboard, cJSON_CreateNumber((double)count_solved(scores)));
    put_json(out, line, true);
}

/* ---- CSV ---- */

static void put_text(FILE *out, const char *text) {
    char *valid = utf8_valid(text);
    csv_put_text(out, valid, ',');
    free(valid);
}

void report_row(const struct graded *graded, FILE *out) {
    const struct scores *scores = &graded->scores;
    fputs("student,lab,points,of", out);
    for (size_t i = 0; i < scores->n; i++)
        if (begins_step(scores, i)) fprintf(out, ",%s", scores->rows[i].step);
    fputs(",note\n", out);
    put_text(out, graded->student);
    fprintf(out, ",%s,%g,%g", graded->lab->paths.lab, scores->earned, scores->points);
    for (size_t i = 0; i < scores->n; i++)
        if (begins_step(scores, i))
            fprintf(out, ",%g", rubric_points(scores, scores->rows[i].step).earned);
    putc(',', out);
    put_text(out, graded->note);
    putc('\n', out);
}
