#include "source.h"

#include "die.h"
#include "file.h"
#include "memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BEGIN_MARK "// BEGIN SOLUTION"
#define END_MARK   "// END SOLUTION"

/* The marks of a line that is handed out, and of one that is not. */
#define WAS_MARK    "// WAS: "
#define MENDED_MARK "// MENDED"

/* Is the line a mark with these two words, such as BEGIN SOLUTION? Returns what follows, or NULL.
 * Students also write a mark as another comment, without or with more white space, or in small
 * letters. */
static const char *after_words(const char *line, const char *first, const char *second) {
    const char *const words[] = {first, second};
    while (isspace((unsigned char)*line)) line++;
    if (line[0] != '/' || (line[1] != '/' && line[1] != '*')) return NULL;
    line += 2;
    for (size_t i = 0; i < 2; i++) {
        const size_t n = strlen(words[i]);
        while (isspace((unsigned char)*line)) line++;
        if (strncasecmp(line, words[i], n) != 0 || isalnum((unsigned char)line[n])) return NULL;
        line += n;
    }
    return line + (*line == ':');
}

static const char *after_mark(const char *line, const char *word) {
    return after_words(line, word, "SOLUTION");
}

const char *line_after(const char *line, const char *words) {
    while (isspace((unsigned char)*line)) line++;
    size_t n = strlen(words);
    return strncmp(line, words, n) == 0 ? line + n : NULL;
}

static size_t count_lines(const char *text) {
    size_t n = 0;
    for (const char *p = text; *p != '\0'; n++) {
        p += strcspn(p, "\n");
        if (*p == '\n') p++;
    }
    return n;
}

/* Cut the text at its line ends. */
static void split_lines(struct source *source) {
    source->lines = need(calloc(count_lines(source->text) + 1, sizeof *source->lines));
    for (char *p = source->text; *p != '\0';) {
        source->lines[source->lines_n++] = p;
        p += strcspn(p, "\n");
        if (*p == '\n') *p++ = '\0';
    }
}

/* "PATH:LINE: why" as the failure; false. */
static bool fail(const struct source *source, size_t line, const char *format, ...) {
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return fail_with("%s:%zu: %s", source->path, line + 1, why);
}

/* The name after a BEGIN mark: the next word. */
static void copy_name(char name[SOURCE_NAME_SIZE], const char *text) {
    while (isspace((unsigned char)*text)) text++;
    size_t n = 0;
    while (n + 1 < SOURCE_NAME_SIZE && (isalnum((unsigned char)text[n]) || text[n] == '_')) n++;
    memcpy(name, text, n);
    name[n] = '\0';
}

static bool open_region(struct source *source, size_t line, const char *rest) {
    if (source->regions_n == SOURCE_MAX_REGIONS) return fail(source, line, "too many regions");
    struct region region = {.begin = line};
    copy_name(region.name, rest);
    if (region.name[0] == '\0') return fail(source, line, "`" BEGIN_MARK "` needs a name after it");
    if (source_region(source, region.name))
        return fail(source, line, "a second region %s", region.name);
    source->regions[source->regions_n++] = region;
    return true;
}

/* Find the place for helpers: the first of its marks, and the first one after that which ends it,
 * if no region begins between them. */
static void find_helpers(struct source *source) {
    size_t begin = 0;
    while (begin < source->lines_n && !after_words(source->lines[begin], "BEGIN", "HELPERS"))
        begin++;
    for (size_t i = begin + 1; i < source->lines_n && !after_mark(source->lines[i], "BEGIN"); i++) {
        if (!after_words(source->lines[i], "END", "HELPERS")) continue;
        source->helpers = (struct region){.name = "helpers", .begin = begin, .end = i};
        return;
    }
}

static bool find_regions(struct source *source) {
    bool inside = false;
    find_helpers(source);
    for (size_t i = 0; i < source->lines_n; i++) {
        const char *rest = after_mark(source->lines[i], "BEGIN");
        if (rest != NULL) {
            if (inside) return fail(source, i, "a region begins before the last one has ended");
            if (!open_region(source, i, rest)) return false;
            inside = true;
        } else if (after_mark(source->lines[i], "END") != NULL) {
            if (!inside) return fail(source, i, "`" END_MARK "` without a beginning");
            source->regions[source->regions_n - 1].end = i;
            inside = false;
        }
    }
    if (!inside) return true;
    const struct region *last = &source->regions[source->regions_n - 1];
    return fail(source, last->begin, "region %s has no `" END_MARK "`", last->name);
}

bool source_parse(struct source *source, const char *text, const char *path) {
    *source = (struct source){.path = path, .text = need(strdup(text))};
    split_lines(source);
    return find_regions(source);
}

/* ---- What the compiler sees of a text ---- */

/* Returns the end of the comment, string or character that begins here; the text itself: none
 * begins. */
static const char *skip_opaque(const char *text) {
    const char *end = text;
    if (strncmp(text, "//", 2) == 0) return text + strcspn(text, "\n");
    if (strncmp(text, "/*", 2) == 0)
        return (end = strstr(text + 2, "*/")) != NULL ? end + 2 : text + strlen(text);
    if (*text != '"' && *text != '\'') return text;
    for (end++; *end != '\0' && *end != *text && *end != '\n'; end++)
        end += *end == '\\' && end[1] != '\0';
    return end + (*end == *text);
}

char *source_code(const char *text) {
    char *code = need(malloc(strlen(text) + 1)), *out = code, space = '\0';
    while (*text != '\0') {
        const char *end = skip_opaque(text);
        if (isspace((unsigned char)*text) || (end > text && *text == '/')) {
            space = *text == '\n' || space == '\n' ? '\n' : ' ';
            text = end > text ? end : text + 1;
            continue;
        }
        if (space != '\0' && out > code) *out++ = space;
        space = '\0';
        do {
            *out++ = *text++;
        } while (text < end);
    }
    *out = '\0';
    return code;
}

/* ---- Files with damaged marks ---- */

static bool is_alone(const struct region *regions, size_t n, const char *name) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) found += strcmp(regions[i].name, name) == 0;
    return found == 1;
}

void source_salvage(struct source *source, const char *text, const char *path) {
    struct region open = {.name = ""}, found[SOURCE_MAX_REGIONS];
    size_t n = 0;
    *source = (struct source){.path = path, .text = need(strdup(text))};
    split_lines(source);
    find_helpers(source);
    for (size_t i = 0; i < source->lines_n; i++) {
        const char *rest = after_mark(source->lines[i], "BEGIN");
        if (rest != NULL) {
            open.begin = i;
            copy_name(open.name, rest);
        } else if (after_mark(source->lines[i], "END") != NULL && open.name[0] != '\0' &&
                   n < SOURCE_MAX_REGIONS) {
            open.end = i;
            found[n++] = open;
            open.name[0] = '\0';
        }
    }
    /* Of regions of the same name none is kept: nobody can tell which one counts. */
    for (size_t i = 0; i < n; i++)
        if (is_alone(found, n, found[i].name)) source->regions[source->regions_n++] = found[i];
}

/* ---- Skeletons ---- */

bool source_is_todo(const struct source *source, const struct region *region) {
    for (size_t i = region->begin + 1; i < region->end; i++)
        if (line_after(source->lines[i], "TODO(") != NULL) return true;
    return false;
}

bool source_put_todo(FILE *out, const struct source *source, const struct region *region) {
    size_t line = region->begin + 1;
    if (line_after(source->lines[line], "// TODO(") == NULL)
        return fail(source, line, "region %s must begin with its TODO, as a comment", region->name);
    for (;; line++) {
        const char *text = line_after(source->lines[line], "// ");
        if (line == region->end || text == NULL)
            return fail(source, line, "the TODO of %s does not end with `);`", region->name);
        fprintf(out, "%*s%s\n", (int)(text - source->lines[line] - 3), "", text);
        size_t length = strlen(text);
        if (length >= 2 && strcmp(text + length - 2, ");") == 0) return true;
    }
}

static bool ends_with(const char *line, const char *mark) {
    const size_t n = strlen(line), length = strlen(mark);
    return n >= length && strcmp(line + n - length, mark) == 0;
}

static bool has_fault(const struct source *source, const struct region *region) {
    for (size_t i = region->begin + 1; i < region->end; i++)
        if (ends_with(source->lines[i], MENDED_MARK) || line_after(source->lines[i], WAS_MARK))
            return true;
    return false;
}

bool source_put_handed_out(FILE *out, const struct source *source, const struct region *region) {
    size_t line = region->begin + 1;
    if (!has_fault(source, region)) return source_put_todo(out, source, region);
    while (line < region->end && !ends_with(source->lines[line], ");")) line++;
    for (line++; line < region->end; line++) {
        const char *text = source->lines[line], *was = line_after(text, WAS_MARK);
        if (was != NULL)
            fprintf(out, "%*s%s\n", (int)(was - text - (ptrdiff_t)strlen(WAS_MARK)), "", was);
        else if (!ends_with(text, MENDED_MARK))
            fprintf(out, "%s\n", text);
    }
    return true;
}

/* ---- Heads of functions ---- */

/* The head follows the last blank line above the region's mark. */
size_t source_head(const struct source *source, const struct region *region) {
    size_t line = region->begin;
    while (line > 0 && source->lines[line - 1][0] != '\0') line--;
    return line;
}

static bool head_says(const struct source *source, const struct region *region, const char *word) {
    for (size_t i = source_head(source, region); i < region->begin; i++)
        if (strstr(source->lines[i], word) != NULL) return true;
    return false;
}

bool source_on_host(const struct source *source, const struct region *region) {
    return !head_says(source, region, "__global__") && !head_says(source, region, "__device__");
}

/* ---- The whole ---- */

bool source_read(struct source *source, const char *path) {
    *source = (struct source){.path = path, .text = read_whole_file(path, NULL)};
    if (source->text == NULL) return fail_with("%s: %s", path, strerror(errno));
    split_lines(source);
    return find_regions(source);
}

void source_free(struct source *source) {
    free(source->text);
    free(source->lines);
    *source = (struct source){0};
}

const struct region *source_region(const struct source *source, const char *name) {
    for (size_t i = 0; i < source->regions_n; i++)
        if (strcmp(source->regions[i].name, name) == 0) return &source->regions[i];
    return NULL;
}
