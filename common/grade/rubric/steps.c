#include "steps.h"

#include "grade/student/split.h"
#include "guard/lex.h"
#include "lib/memory.h"
#include "lib/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct step *steps_find(struct steps *steps, const char *name) {
    for (size_t i = 0; i < steps->n; i++)
        if (strcmp(steps->items[i].name, name) == 0) return &steps->items[i];
    return NULL;
}

void step_fail(struct step *step, enum step_state state, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(step->reason, sizeof step->reason, format, arguments);
    va_end(arguments);
    utf8_tame(step->reason);
    step->state = state;
}

void steps_make(struct steps *steps, const struct lab_files *lab, const struct source *submission) {
    struct piece pieces[SOURCE_MAX_REGIONS + 1];
    steps->n = lab->solution.regions_n;
    steps->above = merge_above(submission, lab->program);
    pieces_cut(pieces, &lab->solution, submission);
    steps->helpers = pieces[steps->n];
    for (size_t i = 0; i < steps->n; i++) {
        const struct piece *piece = &pieces[i];
        steps->items[i] =
            (struct step){.name = piece->name, .text = piece->text, .line = piece->line};
        steps->items[i].state = piece->text == NULL ? STEP_MISSING
                                : piece->todo       ? STEP_TODO
                                                    : STEP_TAKEN;
    }
}

void steps_take_answers(struct steps *steps, const struct answers *answers) {
    for (size_t i = 0; i < steps->n; i++) {
        struct step *step = &steps->items[i];
        const struct answer *answer = answers_of(answers, step->name);
        double number;
        for (size_t k = 0; answer != NULL && k < answer->predictions_n; k++)
            step->predicted =
                step->predicted || prediction_number(answer->predictions[k].text, &number);
        step->answered = answer != NULL && answer->text[0] != '\0';
    }
}

void steps_free(struct steps *steps) {
    for (size_t i = 0; i < steps->n; i++) free(steps->items[i].text);
    free(steps->helpers.text);
    free(steps->above);
    steps->helpers = (struct piece){.name = NULL};
    steps->above = NULL;
    steps->n = 0;
}

void steps_drop_above(struct steps *steps, const char *why) {
    steps->above[0] = '\0';
    snprintf(steps->above_fails, sizeof steps->above_fails, "%.*s", (int)strcspn(why, "\n"), why);
    utf8_tame(steps->above_fails);
}

void steps_give_up(struct steps *steps, const struct lab_files *lab) {
    const bool clock = lab->budget->seconds <= 0;
    for (size_t i = 0; i < steps->n; i++) {
        if (steps->items[i].state == STEP_TAKEN)
            step_fail(&steps->items[i], STEP_BROKEN,
                      "not judged: the submission as a whole took more than %s s %s, compilation "
                      "included, and was stopped",
                      clock ? lab->paths.time_limit : lab->paths.cpu_limit,
                      clock ? "by the clock" : "of processor time");
    }
}

/* ---- Copies of another step ---- */

/* The text's tokens, to be freed, without brackets and semicolons, which do not change a copy. */
static struct token *words_of(const char *text, size_t *n) {
    struct token *words = need(malloc((strlen(text) + 1) * sizeof *words));
    struct lexer lexer = {text, true};
    *n = 0;
    for (struct token token; (token = lex(&lexer)).kind != TOKEN_END;) {
        if (token.kind == TOKEN_BAD) lexer.next = token.start + 1;
        if (strchr("(){};", *token.start) == NULL) words[(*n)++] = token;
    }
    return words;
}

static bool is_same(const struct token *a, const struct token *b) {
    return a->length == b->length && memcmp(a->start, b->start, a->length) == 0;
}

/* Are the n words the same, if each name of one text stands for one name of the other? */
static bool are_alike(const struct token *a, const struct token *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const bool name = a[i].kind == TOKEN_NAME && b[i].kind == TOKEN_NAME;
        if (!name && !is_same(&a[i], &b[i])) return false;
        for (size_t k = 0; name && k < i; k++)
            if (is_same(&a[i], &a[k]) != is_same(&b[i], &b[k])) return false;
    }
    return true;
}

static bool is_part(const char *text, const char *whole) {
    size_t n, whole_n;
    struct token *words = words_of(text, &n), *all = words_of(whole, &whole_n);
    bool found = false;
    for (size_t at = 0; !found && at + n <= whole_n; at++) found = are_alike(words, all + at, n);
    free(words);
    free(all);
    return found;
}

/* The function's text in the program, to be freed. Its head begins a line, and so does its end. */
static char *function_text(const struct source *source, const char *name) {
    char *text = NULL;
    size_t size = 0, n = strlen(name);
    FILE *out = need(open_memstream(&text, &size));
    bool inside = false;
    for (size_t i = 0; i < source->lines_n; i++) {
        const char *line = source->lines[i], *found = strstr(line, name);
        inside = inside || (found != NULL && found[n] == '(' && line[0] != ' ');
        if (inside) fprintf(out, "%s\n", line);
        if (inside && line[0] == '}') break;
    }
    fclose(out);
    return text;
}

bool steps_copies(struct steps *steps, const struct lab_files *lab, const struct step *step,
                  const char *earlier) {
    const struct step *other = steps_find(steps, earlier);
    char *text = function_text(&lab->solution, earlier);
    const bool copies = is_part(step->text, text) ||
                        (other != NULL && other->text != NULL && is_part(step->text, other->text));
    free(text);
    return copies;
}

/* ---- Merging ---- */

size_t steps_pieces(struct piece *pieces, const struct steps *steps, const struct lab_files *lab,
                    const struct step *only, bool on_host) {
    size_t n = 0;
    for (size_t i = 0; i < steps->n; i++) {
        const struct step *step = &steps->items[i];
        const bool wanted = step->state == STEP_TAKEN && (only == NULL || only == step) &&
                            source_on_host(&lab->solution, &lab->solution.regions[i]) == on_host;
        pieces[i] = (struct piece){
            .name = step->name, .text = wanted ? step->text : NULL, .line = step->line};
        n += wanted;
    }
    pieces[steps->n] = steps->helpers;
    return n;
}

char *steps_merge(const struct steps *steps, const struct lab_files *lab,
                  const struct piece *pieces, const char *mark, bool on_host) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    merge_put(out, &lab->solution, pieces, steps->above, lab->program, mark, true);
    if (on_host) split_put_student(out, &lab->solution);
    fclose(out);
    return text;
}
