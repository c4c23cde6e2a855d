/* csv.h: read and write small tables, CSV or TSV, by RFC 4180. A cell may be quoted; then it may
 * hold separators, line ends and doubled quotes. Lines end in LF or CRLF. The reader skips empty
 * lines and a UTF-8 mark at the start. The first row is the header. A table beyond the limits below
 * is refused, never cut. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    CSV_MAX_BYTES = 256 << 20, /* of one file */
    CSV_MAX_COLUMNS = 4096,    /* in one row */
};

/* How a file is written. */
struct csv_format {
    char separator;      /* ',' or '\t' */
    const char *comment; /* lines that begin with this are skipped; NULL: none */
    bool quoted_only; /* skip lines that do not begin with a quote: what ncu mixes with its messages
                       */
    bool bare_quotes; /* all cells are quoted, and quotes within one are not doubled: ncu's source
                         page */
};

extern const struct csv_format CSV_COMMAS; /* commas, no comments */
extern const struct csv_format CSV_TABS;   /* tabs, lines that begin with # are comments */

struct csv; /* a table in memory; row 0 is the first row after the header */

/* The table in the file, or NULL with "PATH: why" or "PATH:LINE: why" in failure. Free with
 * csv_free. */
struct csv *csv_read(const char *path, const struct csv_format *format);
/* The same where the table has all columns of the list, which ends with NULL; else NULL, and the
 * failure names the first that it lacks. */
struct csv *csv_read_columns(const char *path, const struct csv_format *format,
                             const char *const columns[]);
bool csv_has_columns(const struct csv *table, const char *path, const char *const columns[]);

/* The same from memory; text is copied; name stands for the path in messages. */
struct csv *csv_parse(const char *text, size_t size, const char *name,
                      const struct csv_format *format);

void csv_free(struct csv *table);

/* Rows after the header (0 for a table with no rows at all). */
int csv_rows(const struct csv *table);

/* Cells in the header, and the header of a column ("" outside). */
int csv_columns(const struct csv *table);
const char *csv_header(const struct csv *table, int column);

/* The column with that header, or -1. */
int csv_column(const struct csv *table, const char *header);

/* A cell; "" where the row is shorter or there is no such row or column (a column of -1 included).
 */
const char *csv_at(const struct csv *table, int row, int column);

/* csv_at by header; and whether the cell is this text. */
const char *csv_get(const struct csv *table, int row, const char *header);
bool csv_is(const struct csv *table, int row, const char *header, const char *text);

/* A cell as a number, with or without thousands separators; NaN for any other text, such as NA. */
double csv_number(const char *cell);

/* Cells in a row, and the line of the file on which it begins: for messages. */
int csv_width(const struct csv *table, int row);
int csv_line(const struct csv *table, int row);

/* Write one cell, quoted if its text needs quotes. The caller writes separators and line ends. */
void csv_put(FILE *out, const char *text, char separator);

/* Writes the text after `before`, all in quotes. */
void csv_put_quoted(FILE *out, const char *before, const char *text);

/* csv_put for text from outside in a table that people open in a spreadsheet. An apostrophe goes
 * before what would begin a formula there: = + - @, also at full width, a tab, a line end (OWASP,
 * "CSV Injection"). */
void csv_put_text(FILE *out, const char *text, char separator);
