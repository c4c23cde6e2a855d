#include "lesson.h"

#include "lib/csv.h"
#include "lib/die.h"
#include "lib/file.h"
#include "lib/memory.h"
#include "lib/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is this file's text the same code as the other text? Comments may differ. */
static bool is_code_of(const char *path, const char *other) {
    char *text = read_whole_file(path, NULL);
    char *code = source_code(text != NULL ? text : ""), *other_code = source_code(other);
    bool same = text != NULL && strcmp(code, other_code) == 0;
    free(other_code);
    free(code);
    free(text);
    return same;
}

/* What the last run says of a step: one wrong result makes it wrong, one finding of the checker
 * faulty. A launch that the lab expects to fail, such as one of an oversized block, does not. */
static enum lesson_state judged(const struct csv *run, const char *step) {
    bool launched = false, right = false, faulty = false, wrong = false;
    for (int row = 0; run != NULL && row < csv_rows(run); row++) {
        const char *status = csv_get(run, row, "status");
        if (!results_is_of(csv_get(run, row, "kernel"), step)) continue;
        launched = true;
        right = right || strcmp(status, "ok") == 0;
        faulty = faulty || *csv_get(run, row, "finding") != '\0';
        wrong = wrong || strncmp(status, "WRONG", strlen("WRONG")) == 0;
    }
    if (!launched) return LESSON_NEW;
    if (!right || wrong) return LESSON_WRONG;
    return faulty ? LESSON_FAULTY : LESSON_RIGHT;
}

void lesson_read(struct lesson *lesson, const char *source, const char *run) {
    char *text = read_whole_file(source, NULL);
    char *about = need_text("%.*s.source", (int)(strlen(run) - strlen(".csv")), run);
    struct csv *table = NULL;
    if (text == NULL) die(EXIT_FAILURE, "%s: %s", source, strerror(errno));
    if (!source_parse(&lesson->source, text, source)) die(EXIT_FAILURE, "%s", failure);
    lesson->is_current = access(run, R_OK) == 0 && is_code_of(about, text);
    if (lesson->is_current && !(table = csv_read(run, &CSV_COMMAS)))
        die(EXIT_FAILURE, "%s", failure);
    free(about);
    free(text);
    for (size_t i = 0; i < lesson->source.regions_n; i++) {
        const struct region *region = &lesson->source.regions[i];
        lesson->state[i] =
            source_is_todo(&lesson->source, region) ? LESSON_TODO : judged(table, region->name);
    }
    csv_free(table);
}

void lesson_free(struct lesson *lesson) {
    source_free(&lesson->source);
}

size_t lesson_count(const struct lesson *lesson, enum lesson_state state) {
    size_t count = 0;
    for (size_t i = 0; i < lesson->source.regions_n; i++) count += lesson->state[i] == state;
    return count;
}

size_t lesson_next(const struct lesson *lesson) {
    size_t i = 0;
    while (i < lesson->source.regions_n && lesson->state[i] == LESSON_RIGHT) i++;
    return i;
}
