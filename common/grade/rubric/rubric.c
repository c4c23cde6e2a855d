#include "rubric.h"

#include "grade/student/process.h"
#include "launches.h"

#include "lib/die.h"
#include "lib/expr.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What a step's state means ---- */

/* Why a step earns nothing at all; NULL if it has been run. */
static const char *no_result(const struct step *step, char *buffer, size_t size) {
    switch (step->state) {
    case STEP_TODO: return "still to do";
    case STEP_MISSING:
        return "the marks around it, BEGIN SOLUTION and END SOLUTION, are missing or damaged";
    case STEP_REFUSED:
        snprintf(buffer, size, "not allowed: %.980s; see handouts/rules.md", step->reason);
        return buffer;
    case STEP_BROKEN: return step->reason;
    default: return NULL;
    }
}

/* Sends the student to the row about results or launches: this row's hint is left out. */
static void needs_right_results(const struct step *step, struct score *score) {
    snprintf(score->detail, sizeof score->detail, "%s",
             step->wrong[0] != '\0' ? "only for right results"
                                    : "only with the launches that are asked for");
    score->feedback = "";
}

/* The rows about a step's runs: where the step has what was wrong, what is said if nothing was, and
 * whether that is said even where results or launches are wrong. */
static const struct run_row {
    const char *what;
    size_t wrong;
    const char *good;
    bool always;
} RUN_ROWS[] = {
    {"correct", offsetof(struct step, wrong), "right results in all cases", true},
    {"clean", offsetof(struct step, unclean),
     "no race, no stray or uninitialised access, no misused barrier", true},
    {"order", offsetof(struct step, order), "as it should be", false},
    {"launches", offsetof(struct step, launch), "all those asked for, at their depths", false},
    {"unlike", offsetof(struct step, copied), "not the text of the other step", false},
    {"must", offsetof(struct step, launch), "done as asked for", false},
};

static const struct run_row *find_run_row(const char *what) {
    for (size_t i = 0; i < sizeof RUN_ROWS / sizeof *RUN_ROWS; i++)
        if (strcmp(what, RUN_ROWS[i].what) == 0) return &RUN_ROWS[i];
    return NULL;
}

static bool judge_run(const struct run_row *row, const struct step *step, struct score *score) {
    const char *wrong = (const char *)step + row->wrong;
    const bool elsewhere = (wrong != step->wrong && step->wrong[0] != '\0') ||
                           (wrong != step->launch && step->launch[0] != '\0');
    if (elsewhere && !(row->always && wrong[0] != '\0'))
        needs_right_results(step, score);
    else
        snprintf(score->detail, sizeof score->detail, "%s", wrong[0] != '\0' ? wrong : row->good);
    return wrong[0] == '\0' && !elsewhere;
}

/* ---- Answers ---- */

/* Judges a row about answers.md, which counts whatever the step's code does. False: the row is
 * about something else. */
static bool judge_answer(const struct step *step, struct score *score) {
    const bool predicted = strcmp(score->what, "predicted") == 0;
    if (!predicted && strcmp(score->what, "answered") != 0) return false;
    const bool good = predicted ? step->predicted : step->answered;
    snprintf(score->detail, sizeof score->detail, "%s",
             good ? "in " ANSWERS_NAME : "nothing in " ANSWERS_NAME);
    score->answer = true;
    score->good = good;
    return true;
}

/* ---- Metrics ---- */

/* What the row is about, without the word that it shows the step's idea. */
static const char *what_of(const struct lab_files *lab, int row, bool *idea) {
    const char *what = csv_get(lab->rubric, row, "what"), *rest = line_after(what, "idea ");
    *idea = rest != NULL;
    return rest != NULL ? rest : what;
}

/* Length of the relation that the bound begins with; 0: none. */
static size_t relation_of(const char *bound) {
    if (strncmp(bound, "<=", 2) == 0 || strncmp(bound, ">=", 2) == 0) return 2;
    return *bound == '<' || *bound == '>' ? 1 : 0;
}

/* Does the value satisfy the relation? NaN never does. */
static bool holds(double value, const char *relation, double bound) {
    bool or_equal = relation[1] == '=';
    if (*relation == '<') return or_equal ? value <= bound : value < bound;
    return or_equal ? value >= bound : value > bound;
}

static const char *relation_words(const char *relation) {
    bool or_equal = relation[1] == '=';
    if (*relation == '<') return or_equal ? "at most" : "below";
    return or_equal ? "at least" : "above";
}

/* Context for the names of a row. Names without a kernel belong to the step. */
struct row_names {
    struct results_use use;
    const char *step;
    struct steps *steps;
};

/* Copies KERNEL of KERNEL.METRIC, KERNEL@SHAPE.METRIC or KERNEL(ARGUMENT).METRIC: the step. */
static void step_of(const char *name, char step[RESULTS_NAME]) {
    snprintf(step, RESULTS_NAME, "%.*s", (int)strcspn(name, ".@("), name);
}

/* Does the step have metrics? A given step has, and a taken one. */
static bool has_metrics(struct steps *steps, const char *name) {
    const struct step *step = steps_find(steps, name);
    return step == NULL || step->state == STEP_TAKEN;
}

/* An expr_lookup. METRIC means KERNEL.METRIC of the row's step, METRIC@SHAPE its
 * KERNEL@SHAPE.METRIC. */
static double look_up(void *context, const char *name) {
    struct row_names *names = context;
    char full[RESULTS_NAME * 2], step[RESULTS_NAME];
    const char *shape = strchr(name, '@');
    step_of(name, step);
    if (strchr(name, '.') != NULL)
        return has_metrics(names->steps, step) ? results_lookup(&names->use, name) : NAN;
    snprintf(full, sizeof full, "%s%s.%.*s", names->step, shape != NULL ? shape : "",
             (int)strcspn(name, "@"), name);
    return results_lookup(&names->use, full);
}

enum { EXACT_BELOW = 10000 }; /* smaller bounds come from the instructor and are shown in full */

/* Rounds to three digits. Students learn enough from them; more digits could show a hidden size
 * that a kernel turned into a count. */
static double to_three_digits(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.2e", value);
    return strtod(text, NULL);
}

static bool judge_metric(struct score *score, const char *bound_text, int line, struct steps *steps,
                         const struct results *results) {
    struct row_names names = {{.results = results, .worst = RESULTS_VALUE}, score->step, steps};
    size_t relation = relation_of(bound_text);
    double bound = NAN, value = NAN;
    bool read = relation > 0 && expr_eval(bound_text + relation, look_up, &names, &bound) &&
                expr_eval(score->what, look_up, &names, &value);
    if (!read || names.use.worst == RESULTS_UNKNOWN) {
        return fail_with(
            "rubric line %d: %.80s %.80s: give metrics, < <= > or >=, and an expression", line,
            score->what, bound_text);
    }
    bool good = holds(value, bound_text, bound);
    score->good = good;
    double shown = to_three_digits(value),
           shown_bound = bound < EXACT_BELOW ? bound : to_three_digits(bound);
    if (holds(shown, bound_text, shown_bound) != good)
        shown = value, shown_bound = bound; /* too near to round */
    snprintf(score->detail, sizeof score->detail, "%.6g, %s %s %.6g", shown,
             good ? "and must be" : "but must be", relation_words(bound_text), shown_bound);
    return true;
}

/* Context of note_name. */
struct noting {
    struct rubric_names *names;
    struct steps *steps;
    bool full;
};

/* Adds the metric of KERNEL.METRIC@SHAPE to the list, if it is not yet there. */
static void note_metric(struct noting *noting, const char *name) {
    static const char *const counts[] = {STUDENT_COUNTERS(STUDENT_NAME) NULL};
    const char *dot = strrchr(name, '.'), *metric = dot != NULL ? dot + 1 : name;
    const size_t length = strcspn(metric, "@");
    char *list = noting->names->metrics;
    const size_t used = strlen(list);
    for (const char *const *count = counts; *count != NULL; count++)
        if (strlen(*count) == length && strncmp(*count, metric, length) == 0) return;
    for (const char *item = list; *item != '\0'; item += strcspn(item, ","), item += *item == ',')
        if (strcspn(item, ",") == length && strncmp(item, metric, length) == 0) return;
    noting->full = noting->full || used + length + 2 > sizeof noting->names->metrics;
    if (!noting->full) sprintf(list + used, "%s%.*s", used > 0 ? "," : "", (int)length, metric);
}

/* An expr_lookup that collects metrics and given steps. */
static double note_name(void *context, const char *name) {
    struct noting *noting = context;
    struct rubric_names *names = noting->names;
    char step[RESULTS_NAME];
    step_of(name, step);
    note_metric(noting, name);
    if (strchr(name, '.') == NULL || steps_find(noting->steps, step) != NULL) return NAN;
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->given[i], step) == 0) return NAN;
    noting->full = noting->full || names->n == SOURCE_MAX_REGIONS;
    if (!noting->full) strcpy(names->given[names->n++], step);
    return NAN;
}

bool rubric_names(struct rubric_names *names, const struct lab_files *lab, struct steps *steps) {
    struct noting noting = {names, steps, false};
    *names = (struct rubric_names){.n = 0};
    for (int row = 0; row < csv_rows(lab->rubric); row++) {
        bool idea;
        const char *what = what_of(lab, row, &idea), *bound = csv_get(lab->rubric, row, "bound");
        const struct step *step = steps_find(steps, csv_get(lab->rubric, row, "step"));
        char left[RESULTS_NAME * 2];
        double value;
        if (step == NULL || step->state != STEP_TAKEN) continue;
        if (strcmp(what, "must") == 0 && strcmp(bound, "clean") != 0) {
            snprintf(left, sizeof left, "%.*s", (int)strcspn(bound, "<>"), bound);
            what = left, bound += strcspn(bound, "<>");
        }
        if (find_run_row(what) != NULL || strcmp(what, "predicted") == 0 ||
            strcmp(what, "answered") == 0)
            continue;
        bool read = expr_eval(what, note_name, &noting, &value) &&
                    expr_eval(bound + relation_of(bound), note_name, &noting, &value);
        if (read && !noting.full) continue;
        return fail_with("rubric line %d: %s", csv_line(lab->rubric, row),
                         read ? "too many given steps or metrics" : failure);
    }
    return true;
}

/* ---- Rows ---- */

/* Does the detail tell of a hidden case? */
static bool is_of_case(const struct step *step, const char *detail) {
    const char *const told[] = {step->wrong, step->order, step->unclean,
                                step->in_case ? step->reason : ""};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (told[i][0] != '\0' && strcmp(detail, told[i]) == 0) return true;
    return false;
}

static bool judge_row(struct score *score, const char *bound, int line, struct steps *steps,
                      const struct results *results) {
    const struct step *step = steps_find(steps, score->step);
    char buffer[REASON_SIZE + 32];
    const char *nothing = no_result(step, buffer, sizeof buffer);
    const struct run_row *run = find_run_row(score->what);
    if (judge_answer(step, score)) return true;
    if (nothing != NULL)
        snprintf(score->detail, sizeof score->detail, "%s", nothing);
    else if (run != NULL)
        score->good = judge_run(run, step, score);
    else if (step->wrong[0] != '\0' || step->launch[0] != '\0')
        needs_right_results(step, score);
    else
        return judge_metric(score, bound, line, steps, results);
    return true;
}

static bool read_points(double *points, const char *text) {
    char *end;
    *points = strtod(text, &end);
    return end != text && *end == '\0' && *points >= 0;
}

/* Judges what a step must do on the device, by the bound METRIC RELATION EXPRESSION, or that the
 * checker must find nothing, by the bound clean. Returns false if it cannot be read. */
static bool must_judge(struct step *step, const char *bound, struct steps *steps,
                       const struct results *results) {
    char metric[RESULTS_NAME * 2];
    struct row_names names = {{.results = results, .worst = RESULTS_VALUE}, step->name, steps};
    const char *relation = bound + strcspn(bound, "<>");
    double value = NAN, wanted = NAN;
    if (step->state != STEP_TAKEN) return true;
    if (strcmp(bound, "clean") == 0) {
        const bool leaks = strncmp(step->unclean, "Leaked", strlen("Leaked")) == 0;
        if (step->unclean[0] != '\0' && !leaks)
            snprintf(step->launch, sizeof step->launch, "%s", step->unclean);
        return true;
    }
    snprintf(metric, sizeof metric, "%.*s", (int)(relation - bound), bound);
    bool read = relation_of(relation) > 0 && expr_eval(metric, look_up, &names, &value) &&
                expr_eval(relation + relation_of(relation), look_up, &names, &wanted);
    if (!read || names.use.worst == RESULTS_UNKNOWN) return false;
    if (!holds(value, relation, wanted))
        snprintf(step->launch, sizeof step->launch, "not done as asked for");
    return true;
}

/* Judges first whose texts steps have, and the launches of all steps and what they must do, on
 * which every row of a step depends. */
static bool judge_steps(const struct lab_files *lab, struct steps *steps,
                        const struct results *results) {
    for (int row = 0; row < csv_rows(lab->rubric); row++) {
        struct step *step = steps_find(steps, csv_get(lab->rubric, row, "step"));
        bool idea;
        const char *what = what_of(lab, row, &idea), *bound = csv_get(lab->rubric, row, "bound");
        const bool must = strcmp(what, "must") == 0;
        if (step != NULL && step->state == STEP_TAKEN && strcmp(what, "unlike") == 0 &&
            steps_copies(steps, lab, step, bound))
            snprintf(step->copied, sizeof step->copied, "the text of %s", bound);
        if (step == NULL || (!must && strcmp(what, "launches") != 0)) continue;
        if (must ? must_judge(step, bound, steps, results) : launches_judge(step, bound, results))
            continue;
        return fail_with("rubric line %d: give %s", csv_line(lab->rubric, row),
                         must ? "a metric, a relation and an expression"
                              : "a kernel, and GRIDS/THREADS for each depth");
    }
    return true;
}

static bool is_of(const struct score *score, const char *step) {
    return step == NULL || strcmp(score->step, step) == 0;
}

static bool lacks_idea(const struct scores *scores, const char *step) {
    for (size_t i = 0; i < scores->n; i++) {
        const struct score *score = &scores->rows[i];
        if (is_of(score, step) && score->idea && !score->good) return true;
    }
    return false;
}

/* Without its idea a step earns at most this part of its points. */
static const double WITHOUT_IDEA = 0.2;

/* Limits the step's points for code, in the order of the rows. */
static void cap(struct scores *scores, const char *step) {
    double left = WITHOUT_IDEA * rubric_points(scores, step).possible;
    for (size_t i = 0; i < scores->n; i++) {
        struct score *score = &scores->rows[i];
        if (!is_of(score, step) || score->answer || score->earned == 0) continue;
        if (score->earned > left) {
            size_t n = strlen(score->detail);
            snprintf(score->detail + n, sizeof score->detail - n,
                     "; without the step's idea it counts for little");
            score->feedback = ""; /* the idea's row has the hint */
            score->earned = left;
        }
        left -= score->earned;
    }
}

bool rubric_judge(struct scores *scores, const struct lab_files *lab, struct steps *steps,
                  const struct results *results) {
    *scores = (struct scores){.n = 0};
    if (!judge_steps(lab, steps, results)) return false;
    for (int row = 0; row < csv_rows(lab->rubric) && scores->n < SCORE_ROWS; row++) {
        struct score *score = &scores->rows[scores->n++];
        int line = csv_line(lab->rubric, row);
        *score = (struct score){.step = csv_get(lab->rubric, row, "step"),
                                .feedback = csv_get(lab->rubric, row, "feedback")};
        score->what = what_of(lab, row, &score->idea);
        if (steps_find(steps, score->step) == NULL ||
            !read_points(&score->points, csv_get(lab->rubric, row, "points"))) {
            return fail_with("rubric line %d: no such step, or no number of points", line);
        }
        if (!judge_row(score, csv_get(lab->rubric, row, "bound"), line, steps, results))
            return false;
        score->of_case = is_of_case(steps_find(steps, score->step), score->detail);
        score->earned = score->good ? score->points : 0;
        scores->points += score->points;
    }
    for (size_t i = 0; i < steps->n; i++)
        if (lacks_idea(scores, steps->items[i].name)) cap(scores, steps->items[i].name);
    scores->earned = rubric_points(scores, NULL).earned;
    return true;
}

struct points rubric_points(const struct scores *scores, const char *step) {
    struct points sum = {0, 0};
    for (size_t i = 0; i < scores->n; i++) {
        if (!is_of(&scores->rows[i], step)) continue;
        sum.earned += scores->rows[i].earned;
        sum.possible += scores->rows[i].points;
    }
    return sum;
}
