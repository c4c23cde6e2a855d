#include "merge.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

static char *region_text(const struct source *source, const struct region *region) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    for (size_t i = region->begin + 1; i < region->end; i++) fprintf(out, "%s\n", source->lines[i]);
    fclose(out);
    return text;
}

static void cut_helpers(struct piece *piece, const struct source *given,
                        const struct source *submission) {
    *piece = (struct piece){.name = given->helpers.name[0] != '\0' ? given->helpers.name : NULL};
    if (piece->name == NULL || submission->helpers.name[0] == '\0') return;
    char *text = region_text(submission, &submission->helpers), *code = source_code(text);
    if (code[0] != '\0') {
        piece->text = text;
        piece->line = submission->helpers.begin + 2;
    } else {
        free(text);
    }
    free(code);
}

/* Is the text what a student finds in the region? */
static bool is_untouched(const struct source *given, const struct region *region,
                         const char *text) {
    char *handed_out = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&handed_out, &size));
    const bool put = source_put_handed_out(out, given, region);
    fclose(out);
    const bool same = put && strcmp(handed_out, text) == 0;
    free(handed_out);
    return same;
}

void pieces_cut(struct piece *pieces, const struct source *given, const struct source *submission) {
    for (size_t i = 0; i < given->regions_n; i++) {
        const struct region *region = source_region(submission, given->regions[i].name);
        pieces[i] = (struct piece){.name = given->regions[i].name};
        if (region == NULL) continue;
        pieces[i].text = region_text(submission, region);
        pieces[i].line = region->begin + 2;
        pieces[i].todo = source_is_todo(submission, region) ||
                         is_untouched(given, &given->regions[i], pieces[i].text);
    }
    cut_helpers(&pieces[given->regions_n], given, submission);
}

/* The length of the part of the line that is about cooperative groups; 0: the line is about
 * something else. */
static int about_groups(const char *line) {
    int end = 0;
    sscanf(line, " # include %*1[<\"]cooperative_groups%*[a-z_/.]%*1[>\"]%n", &end);
    if (end == 0) sscanf(line, " namespace %*[A-Za-z0-9_] = cooperative_groups ;%n", &end);
    if (end == 0) sscanf(line, " using namespace cooperative_groups ;%n", &end);
    return end;
}

char *merge_above(const struct source *submission, const char *program) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    for (size_t i = 0, region = 0; i < submission->lines_n; i++) {
        if (submission->helpers.name[0] != '\0' && i == submission->helpers.begin)
            i = submission->helpers.end;
        while (region < submission->regions_n && i == submission->regions[region].begin)
            i = submission->regions[region++].end + 1;
        if (i < submission->lines_n && about_groups(submission->lines[i]) > 0)
            fprintf(out, "#line %zu \"%s.cu\"\n%.*s\n", i + 1, program,
                    about_groups(submission->lines[i]), submission->lines[i]);
    }
    fclose(out);
    return text;
}

/* Writes the lines of `given` from `line` on up to the region's mark, and the region; i is its
 * number. Returns the line of its end. */
static size_t put_region(FILE *out, const struct source *given, size_t line,
                         const struct region *region, size_t i, const struct piece *piece,
                         const char *program, const char *mark, bool todo) {
    for (; line <= region->begin; line++) fprintf(out, "%s\n", given->lines[line]);
    fprintf(out, MERGE_MARK, mark, 'b', i);
    if (piece->text != NULL)
        fprintf(out, "#line %zu \"%s.cu\"\n%s", piece->line, program, piece->text);
    else if (todo)
        source_put_todo(out, given, region);
    fprintf(out, MERGE_MARK, mark, 'e', i);
    fprintf(out, "#line %zu \"%s.cu of the instructor\"\n", region->end + 1, program);
    return region->end;
}

void merge_put(FILE *out, const struct source *given, const struct piece *pieces, const char *above,
               const char *program, const char *mark, bool todo) {
    size_t line = 0, n = given->regions_n;
    fprintf(out, "%s#line 1 \"%s.cu of the instructor\"\n", above, program);
    if (given->helpers.name[0] != '\0')
        line = put_region(out, given, line, &given->helpers, n, &pieces[n], program, mark, false);
    for (size_t i = 0; i < n; i++)
        line = put_region(out, given, line, &given->regions[i], i, &pieces[i], program, mark, todo);
    for (; line < given->lines_n; line++) fprintf(out, "%s\n", given->lines[line]);
    fprintf(out, MERGE_MARK, mark, 'z', n);
}
