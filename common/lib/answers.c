#include "answers.h"

#include "memory.h"
#include "utf8.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns a copy of the text without white space around it. */
static char *trimmed(const char *text, size_t length) {
    while (length > 0 && isspace((unsigned char)*text)) text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    return need_text("%.*s", (int)length, text);
}

bool answers_heading(const char *line, char step[SOURCE_NAME_SIZE]) {
    const char *name = strncmp(line, "## ", 3) == 0 ? line + 3 + strspn(line + 3, " ") : "";
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_') length++;
    bool alone = name[length + strspn(name + length, " \t\r")] == '\0';
    if (length == 0 || length >= SOURCE_NAME_SIZE || !alone) return false;
    memcpy(step, name, length);
    step[length] = '\0';
    return true;
}

/* Takes a line such as "- x before: 1.7". False: it is no prediction. */
static bool take_prediction(struct answer *answer, const char *line, size_t number) {
    const char *colon = strncmp(line, "- ", 2) == 0 ? strchr(line, ':') : NULL;
    if (colon == NULL || colon - line >= SOURCE_NAME_SIZE ||
        answer->predictions_n == ANSWER_PREDICTIONS)
        return false;
    for (const char *c = line + 2; c < colon; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != ' ') return false;
    struct prediction *prediction = &answer->predictions[answer->predictions_n++];
    char *quantity = trimmed(line + 2, (size_t)(colon - line - 2)),
         *value = trimmed(colon + 1, strlen(colon + 1));
    snprintf(prediction->quantity, sizeof prediction->quantity, "%s", quantity);
    prediction->text = utf8_valid(value);
    prediction->line = number;
    free(quantity);
    free(value);
    return true;
}

/* Takes the section's lines. Returns the line after its last. */
static size_t take_section(struct answer *answer, const struct source *file, size_t line) {
    char other[SOURCE_NAME_SIZE], *text = NULL;
    size_t size = 0;
    bool answering = false;
    FILE *out = need(open_memstream(&text, &size));
    for (; line < file->lines_n && !answers_heading(file->lines[line], other); line++) {
        const char *here = file->lines[line], *begin = line_after(here, "Answer:");
        bool question = !answering && here[0] == '>';
        if (question || (!answering && begin == NULL && take_prediction(answer, here, line + 1)))
            continue;
        fprintf(out, "%.*s\n", (int)strcspn(!answering && begin ? begin : here, "\r"),
                !answering && begin ? begin : here);
        answering = answering || begin != NULL;
    }
    fclose(out);
    char *bare = trimmed(text, size);
    answer->text = utf8_valid(bare);
    free(bare);
    free(text);
    return line;
}

void answers_parse(struct answers *answers, const char *text) {
    struct source file;
    *answers = (struct answers){.n = 0};
    source_salvage(&file, text, "answers.md"); /* cuts it into lines */
    for (size_t line = 0; line < file.lines_n && answers->n < SOURCE_MAX_REGIONS;) {
        struct answer *answer = &answers->items[answers->n];
        *answer = (struct answer){.line = line + 1};
        if (answers_heading(file.lines[line++], answer->step)) {
            line = take_section(answer, &file, line);
            answers->n++;
        }
    }
    source_free(&file);
}

void answers_free(struct answers *answers) {
    for (size_t i = 0; i < answers->n; i++) {
        for (size_t k = 0; k < answers->items[i].predictions_n; k++)
            free(answers->items[i].predictions[k].text);
        free(answers->items[i].text);
    }
    answers->n = 0;
}

const struct answer *answers_of(const struct answers *answers, const char *step) {
    for (size_t i = 0; i < answers->n; i++)
        if (strcmp(answers->items[i].step, step) == 0) return &answers->items[i];
    return NULL;
}

const char *answer_prediction(const struct answer *answer, const char *quantity) {
    for (size_t i = 0; answer != NULL && i < answer->predictions_n; i++)
        if (strcmp(answer->predictions[i].quantity, quantity) == 0)
            return answer->predictions[i].text;
    return "";
}

bool prediction_number(const char *text, double *number) {
    char digits[64], *end;
    snprintf(digits, sizeof digits, "%s", text + strspn(text, "~= "));
    char *comma = digits + strspn(digits, "+-0123456789");
    if (*comma == ',' && isdigit((unsigned char)comma[1])) *comma = '.';
    *number = strtod(digits, &end);
    return end != digits && isfinite(*number) && *end != '/' && *end != ',';
}
