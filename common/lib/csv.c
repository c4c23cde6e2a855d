/* csv.c: a table is one copy of the text, cut in place: every cell is a pointer into it, and a row
 * is a run of cells. */
#include "csv.h"

#include "die.h"
#include "file.h"
#include "memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct csv_format CSV_COMMAS = {',', NULL, false, false};
const struct csv_format CSV_TABS = {'\t', "#", false, false};

struct row {
    size_t first; /* index of its first cell */
    int width;
    int line;
};

struct csv {
    char *text;
    char **cells;
    size_t cell_count, cell_room;
    struct row *rows;
    size_t row_count, row_room;
};

/* Where the parser is. */
struct cursor {
    const char *name;
    const struct csv_format *format;
    char *at, *end; /* *end is a NUL of our own */
    int line;
};

static bool fail(const struct cursor *c, int line, const char *why) {
    return fail_with("%s:%d: %s", c->name, line, why);
}

/* Makes room for one more element of an array of *room elements. */
static void grow(void **array, size_t *room, size_t count, size_t element) {
    if (count < *room) return;
    *room = *room ? *room * 2 : 64;
    *array = need(realloc(*array, *room * element));
}

/* Takes the line end at the cursor, if there is one. */
static bool take_line_end(struct cursor *c) {
    if (*c->at == '\r' && c->at[1] == '\n') c->at++;
    if (*c->at != '\n') return false;
    c->at++;
    c->line++;
    return true;
}

static bool at_line_end(const struct cursor *c) {
    return c->at == c->end || *c->at == '\n' || (*c->at == '\r' && c->at[1] == '\n');
}

/* Does the quote at the cursor close its cell? A bare one does where another cell begins after it.
 */
static bool closes(const struct cursor *c) {
    if (!c->format->bare_quotes) return c->at[1] != '"';
    struct cursor after = *c;
    after.at++;
    return at_line_end(&after) || (*after.at == c->format->separator && after.at[1] == '"');
}

/* A quoted cell, its doubled quotes made single in place. Leaves the cursor after the closing
 * quote and sets *stop to where the cell's terminating NUL belongs. */
static bool take_quoted(struct cursor *c, char **stop) {
    int first_line = c->line;
    char *write = ++c->at;
    while (c->at < c->end) {
        if (*c->at == '"' && closes(c)) {
            c->at++;
            *stop = write;
            return true;
        }
        if (*c->at == '"' && !c->format->bare_quotes) c->at++;
        if (*c->at == '\n') c->line++;
        *write++ = *c->at++;
    }
    return fail(c, first_line, "a quote is opened and not closed");
}

/* One cell and what follows it. *last: the row ends here. */
static bool take_cell(struct csv *t, struct cursor *c, bool *last) {
    char *start = c->at, *stop = start;
    if (*c->at == '"') {
        start++;
        if (!take_quoted(c, &stop)) return false;
        if (!at_line_end(c) && *c->at != c->format->separator)
            return fail(c, c->line, "text follows a closing quote");
    } else {
        while (!at_line_end(c) && *c->at != c->format->separator) c->at++;
        stop = c->at;
    }
    *last = at_line_end(c);
    if (*last)
        take_line_end(c);
    else
        c->at++;
    *stop = '\0';
    grow((void **)&t->cells, &t->cell_room, t->cell_count, sizeof *t->cells);
    t->cells[t->cell_count++] = start;
    return true;
}

static bool take_row(struct csv *t, struct cursor *c) {
    grow((void **)&t->rows, &t->row_room, t->row_count, sizeof *t->rows);
    t->rows[t->row_count++] = (struct row){.first = t->cell_count, .width = 0, .line = c->line};
    struct row *row = &t->rows[t->row_count - 1];
    for (bool last = false; !last; row->width++) {
        if (row->width == CSV_MAX_COLUMNS)
            return fail(c, c->line, "more columns than the reader takes");
        if (!take_cell(t, c, &last)) return false;
    }
    return true;
}

/* Is the line at the cursor one that the format leaves out? */
static bool skipped_line(const struct cursor *c) {
    const char *comment = c->format->comment;
    if (comment && strncmp(c->at, comment, strlen(comment)) == 0) return true;
    return c->format->quoted_only && *c->at != '"';
}

static bool take_rows(struct csv *t, struct cursor *c) {
    while (c->at < c->end) {
        if (take_line_end(c)) continue;
        if (skipped_line(c))
            while (!at_line_end(c)) c->at++;
        else if (!take_row(t, c))
            return false;
    }
    return true;
}

/* Parses text of size bytes, which the table takes over; text[size] is a NUL. */
static struct csv *parse_owned(char *text, size_t size, const char *name,
                               const struct csv_format *format) {
    struct csv *t = need(calloc(1, sizeof *t));
    struct cursor c = {name, format, text, text + size, 1};
    t->text = text;
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) c.at += 3;
    bool ok = memchr(text, '\0', size) ? fail(&c, 1, "holds a NUL byte: not a text table")
                                       : take_rows(t, &c);
    if (ok) return t;
    csv_free(t);
    return NULL;
}

struct csv *csv_parse(const char *text, size_t size, const char *name,
                      const struct csv_format *format) {
    if (size > CSV_MAX_BYTES) {
        fail_with("%s: too large to read", name);
        return NULL;
    }
    char *copy = need(malloc(size + 1));
    memcpy(copy, text, size);
    copy[size] = '\0';
    return parse_owned(copy, size, name, format);
}

struct csv *csv_read(const char *path, const struct csv_format *format) {
    size_t size = 0;
    char *text = read_whole_file(path, &size);
    if (text && size <= CSV_MAX_BYTES) return parse_owned(text, size, path, format);
    fail_with("%s: %s", path, strerror(text ? EFBIG : errno));
    free(text);
    return NULL;
}

bool csv_has_columns(const struct csv *t, const char *path, const char *const columns[]) {
    for (; *columns; columns++)
        if (csv_column(t, *columns) < 0) return fail_with("%s has no column %s", path, *columns);
    return true;
}

struct csv *csv_read_columns(const char *path, const struct csv_format *format,
                             const char *const columns[]) {
    struct csv *t = csv_read(path, format);
    if (!t || csv_has_columns(t, path, columns)) return t;
    csv_free(t);
    return NULL;
}

void csv_free(struct csv *t) {
    if (!t) return;
    free(t->text);
    free(t->cells);
    free(t->rows);
    free(t);
}

/* A cell counted from the header (row 0). */
static const char *cell(const struct csv *t, long row, int column) {
    if (row < 0 || (size_t)row >= t->row_count || column < 0 || column >= t->rows[row].width)
        return "";
    return t->cells[t->rows[row].first + (size_t)column];
}

int csv_rows(const struct csv *t) {
    return t->row_count ? (int)t->row_count - 1 : 0;
}

int csv_columns(const struct csv *t) {
    return t->row_count ? t->rows[0].width : 0;
}

const char *csv_header(const struct csv *t, int column) {
    return cell(t, 0, column);
}

int csv_column(const struct csv *t, const char *header) {
    for (int i = 0; i < csv_columns(t); i++)
        if (strcmp(csv_header(t, i), header) == 0) return i;
    return -1;
}

const char *csv_at(const struct csv *t, int row, int column) {
    return row < 0 ? "" : cell(t, (long)row + 1, column);
}

const char *csv_get(const struct csv *t, int row, const char *header) {
    return csv_at(t, row, csv_column(t, header));
}

bool csv_is(const struct csv *t, int row, const char *header, const char *text) {
    return strcmp(csv_get(t, row, header), text) == 0;
}

double csv_number(const char *cell) {
    char digits[64], *end;
    size_t used = 0;
    for (; *cell && used < sizeof digits - 1; cell++)
        if (*cell != ',') digits[used++] = *cell;
    digits[used] = '\0';
    double value = strtod(digits, &end);
    return end == digits || *end || isinf(value) ? NAN : value;
}

int csv_width(const struct csv *t, int row) {
    return row >= 0 && row < csv_rows(t) ? t->rows[row + 1].width : 0;
}

int csv_line(const struct csv *t, int row) {
    return row >= 0 && row < csv_rows(t) ? t->rows[row + 1].line : 0;
}

void csv_put_quoted(FILE *out, const char *before, const char *text) {
    fprintf(out, "\"%s", before);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

void csv_put(FILE *out, const char *text, char separator) {
    if (strchr(text, separator) || strpbrk(text, "\"\r\n") || *text == ' ' || *text == '#')
        csv_put_quoted(out, "", text);
    else
        fputs(text, out);
}

static bool begins_formula(const char *text) {
    static const char *const full_width[] = {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    bool begins = *text && strchr("=+-@\t\r\n", *text);
    for (size_t i = 0; i < sizeof full_width / sizeof *full_width; i++)
        begins = begins || strncmp(text, full_width[i], strlen(full_width[i])) == 0;
    return begins;
}

void csv_put_text(FILE *out, const char *text, char separator) {
    if (begins_formula(text))
        csv_put_quoted(out, "'", text);
    else
        csv_put(out, text, separator);
}
