#include "questions.h"

#include "memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Finds the line that defines the kernel or host function: the first unindented line with its name,
 * after a space or the star of a pointer, and a bracket. lines_n: none. */
static size_t find_function(const struct source *source, const char *name) {
    char call[SOURCE_NAME_SIZE + 1];
    snprintf(call, sizeof call, "%.*s(", SOURCE_NAME_SIZE - 1, name);
    for (size_t i = 0; i < source->lines_n; i++) {
        const char *line = source->lines[i], *found = strstr(line, call);
        const bool unindented = isalpha((unsigned char)line[0]) != 0 || line[0] == '_';
        if (unindented && found != NULL && found > line && (found[-1] == ' ' || found[-1] == '*'))
            return i;
    }
    return source->lines_n;
}

/* The first line of the step's comment above this line; the line itself if there is none. */
static size_t find_comment(const struct source *source, size_t line) {
    size_t i = line;
    while (i > 0 && strncmp(source->lines[i], "/* ---- Step", strlen("/* ---- Step")) != 0) i--;
    return strncmp(source->lines[i], "/*", 2) == 0 ? i : line;
}

/* The text after the word, such as "Question:", up to the comment's next field or its end, on one line. The formatter may
 * have moved a field to the end of the line above. */
static char *comment_field(const struct source *source, size_t begin, size_t end,
                           const char *word) {
    char *text = NULL;
    size_t size = 0;
    bool inside = false;
    FILE *out = need(open_memstream(&text, &size));
    for (size_t i = begin + 1; i < end; i++) {
        const char *line = line_after(source->lines[i], "*"),
                   *field = line != NULL ? strstr(line, word) : NULL;
        if (line == NULL || *line == '/') break;
        const char *from = inside || field == NULL ? line : field + strlen(word);
        const char *other = strstr(from, "Metric:");
        inside = inside || field != NULL;
        if (!inside) continue;
        from += strspn(from, " ");
        fprintf(out, "%s%.*s", ftell(out) > 0 ? " " : "",
                other != NULL ? (int)(other - from) : (int)strlen(from), from);
        if (other != NULL) break;
    }
    fclose(out);
    for (char *last = text + strlen(text); last > text && last[-1] == ' ';) *--last = '\0';
    return text;
}

bool question_find(struct question *question, const struct source *source, const char *name) {
    *question = (struct question){.begin = find_function(source, name)};
    if (question->begin == source->lines_n) return false;
    snprintf(question->name, sizeof question->name, "%s", name);
    question->comment = find_comment(source, question->begin);
    question->text = comment_field(source, question->comment, question->begin, "Question:");
    char *metric = comment_field(source, question->comment, question->begin, "Metric:");
    snprintf(question->metric, sizeof question->metric, "%.*s", (int)strcspn(metric, " "), metric);
    free(metric);
    question->end = question->begin;
    while (question->end < source->lines_n && source->lines[question->end][0] != '}')
        question->end++;
    question->end += question->end < source->lines_n;
    if (question->begin > 0 && line_after(source->lines[question->begin - 1], "template ") != NULL)
        question->begin--;
    return true;
}

void question_free(struct question *question) {
    free(question->text);
    question->text = NULL;
}

/* The name in a row of the table, such as {"reduceUnroll2", ...; false: the line is no such row. */
static bool name_of_row(const char *line, char name[SOURCE_NAME_SIZE]) {
    const char *text = line_after(line, "{\"");
    size_t length = text != NULL ? strcspn(text, "\"") : 0;
    if (length == 0 || length >= SOURCE_NAME_SIZE) return false;
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

void questions_find(struct questions *questions, const struct source *source) {
    size_t i = 0;
    questions->n = 0;
    while (i < source->lines_n && strstr(source->lines[i], " STEPS[] = {") == NULL) i++;
    /* its own line may begin with the end of the rows' structure */
    for (i++;
         i < source->lines_n && source->lines[i][0] != '}' && questions->n < SOURCE_MAX_REGIONS;
         i++) {
        char name[SOURCE_NAME_SIZE];
        if (name_of_row(source->lines[i], name) &&
            question_find(&questions->items[questions->n], source, name))
            questions->n++;
    }
}

void questions_free(struct questions *questions) {
    for (size_t i = 0; i < questions->n; i++) question_free(&questions->items[i]);
    questions->n = 0;
}
