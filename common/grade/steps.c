/* steps.c: see steps.h. */
#include "steps.h"

#include "guard.h"
#include "lib/memory.h"
#include "split.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct step *steps_find(struct steps *steps, const char *name) {
    for (size_t i = 0; i < steps->n; i++) {
        if (strcmp(steps->items[i].name, name) == 0) return &steps->items[i];
    }
    return NULL;
}

void step_fail(struct step *step, enum step_state state, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(step->reason, sizeof step->reason, format, arguments);
    va_end(arguments);
    step->state = state;
}

/* ---- Cutting ---- */

static char *region_text(const struct source *source, const struct region *region) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    for (size_t i = region->begin + 1; i < region->end; i++) fprintf(out, "%s\n", source->lines[i]);
    fclose(out);
    return text;
}

static void make_step(struct step *step, const struct source *submission, const char *name) {
    const struct region *region = source_region(submission, name);
    char why[REASON_SIZE / 2];
    *step = (struct step){.name = name, .state = STEP_MISSING};
    if (region == NULL) return;
    step->text = region_text(submission, region);
    step->line = region->begin + 2;
    step->state = source_is_todo(submission, region) ? STEP_TODO : STEP_TAKEN;
    if (step->state != STEP_TAKEN || guard_allows(step->text, step->line, why, sizeof why)) return;
    step_fail(step, STEP_REFUSED, "%s", why);
}

/* Does this line, outside the regions, include cooperative groups or name them cg, and nothing else? With clang they
 * are one header. */
static bool is_about_groups(const char *line, const struct kit *kit) {
    char header[SOURCE_NAME_SIZE];
    int end = 0;
    if (sscanf(line, " # include <cooperative_groups%63[a-z_/.]>%n", header, &end) == 1 && end > 0)
        return strcmp(header, ".h") == 0 ||
               (kit->paths.clang == NULL && header[0] == '/' && strchr(header + 1, '/') == NULL);
    sscanf(line, " namespace cg = cooperative_groups ;%n", &end);
    return end > 0;
}

/* Collects the lines about cooperative groups. Keeps the recognised part of each line, and drops the rest. */
static char *lines_above(const struct source *submission, const struct kit *kit) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    for (size_t i = 0; i < submission->lines_n; i++) {
        const char *line = submission->lines[i];
        if (is_about_groups(line, kit)) fprintf(out, "%.*s\n", (int)strcspn(line, ">;") + 1, line);
    }
    fclose(out);
    return text;
}

void steps_make(struct steps *steps, const struct kit *kit, const struct source *submission) {
    steps->n = kit->solution.regions_n;
    steps->above = lines_above(submission, kit);
    for (size_t i = 0; i < steps->n; i++) make_step(&steps->items[i], submission, kit->solution.regions[i].name);
}

void steps_take_answers(struct steps *steps, const struct answers *answers) {
    for (size_t i = 0; i < steps->n; i++) {
        struct step *step = &steps->items[i];
        const struct answer *answer = answers_of(answers, step->name);
        double number;
        for (size_t k = 0; answer != NULL && k < answer->predictions_n; k++)
            step->predicted = step->predicted || prediction_number(answer->predictions[k].text, &number);
        step->answered = answer != NULL && answer->text[0] != '\0';
    }
}

void steps_free(struct steps *steps) {
    for (size_t i = 0; i < steps->n; i++) free(steps->items[i].text);
    free(steps->above);
    steps->above = NULL;
    steps->n = 0;
}

void steps_give_up(struct steps *steps, const struct kit *kit) {
    const bool clock = kit->budget->seconds <= 0;
    for (size_t i = 0; i < steps->n; i++) {
        if (steps->items[i].state == STEP_TAKEN)
            step_fail(
                &steps->items[i], STEP_BROKEN,
                "not judged: the submission as a whole took more than %s s %s, compilation included, and was stopped",
                clock ? kit->paths.time_limit : kit->paths.cpu_limit, clock ? "by the clock" : "of processor time");
    }
}

/* ---- Merging ---- */

static void put_step(FILE *out, const struct step *step, const struct kit *kit, const struct region *region,
                     bool taken) {
    char error[REASON_SIZE];
    if (taken) {
        fprintf(out, "#line %zu \"%s.cu\"\n%s", step->line, kit->paths.program, step->text);
    } else {
        source_put_todo(out, &kit->solution, region, error, sizeof error);
    }
    fprintf(out, "#line %zu \"%s.cu of the instructor\"\n", region->end + 1, kit->paths.program);
}

/* Writes the solution with the taken steps for the CPU (on_host) or for the GPU; all other regions get their TODO. */
static void merge(FILE *out, const struct steps *steps, const struct kit *kit, const struct step *only, bool on_host) {
    const struct source *solution = &kit->solution;
    size_t line = 0;
    if (steps->above[0] != '\0')
        fprintf(out, "%s#line 1 \"%s.cu of the instructor\"\n", steps->above, kit->paths.program);
    for (size_t i = 0; i < steps->n; i++) {
        const struct step *step = &steps->items[i];
        const struct region *region = &solution->regions[i];
        bool wanted = (only == NULL || only == step) && split_on_host(solution, region) == on_host;
        for (; line <= region->begin; line++) fprintf(out, "%s\n", solution->lines[line]);
        put_step(out, step, kit, region, wanted && step->state == STEP_TAKEN);
        line = region->end;
    }
    for (; line < solution->lines_n; line++) fprintf(out, "%s\n", solution->lines[line]);
}

char *steps_merge(const struct steps *steps, const struct kit *kit, const struct step *only) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    merge(out, steps, kit, only, false);
    fclose(out);
    return text;
}

char *steps_merge_apart(const struct steps *steps, const struct kit *kit, const struct step *only) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    merge(out, steps, kit, only, true);
    split_put_student(out, &kit->solution);
    fclose(out);
    return text;
}
