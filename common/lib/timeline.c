/* timeline.c: one list of columns serves the writer and the reader. */
#include "timeline.h"

#include "csv.h"
#include "die.h"
#include "memory.h"
#include "rowfile.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const record_names[] = {"kernel", "memcpy", "memset", "host", "pages",
                                           "api",    "range",  "name",   "trust"};
enum { RECORDS = sizeof record_names / sizeof *record_names };

enum {
    KERNEL = 1 << TIMELINE_KERNEL,
    MEMCPY = 1 << TIMELINE_MEMCPY,
    MEMSET = 1 << TIMELINE_MEMSET
};
enum { HOST = 1 << TIMELINE_HOST, PAGES = 1 << TIMELINE_PAGES, API = 1 << TIMELINE_API };
enum { COPIES = MEMCPY | MEMSET, WORK = KERNEL | COPIES | HOST, TIMED = WORK | PAGES | API };
enum { RANGE = 1 << TIMELINE_RANGE, NAME = 1 << TIMELINE_NAME };
enum { ALL = TIMED | RANGE | NAME | 1 << TIMELINE_TRUST };

enum type { TEXT, INTEGER, COUNT, SIZE };

/* The columns after the record, in the file's order, and the records that have them. */
static const struct column {
    const char *name;
    enum type type;
    size_t offset; /* of the member in struct timeline_row */
    int records;
} columns[] = {
#define COLUMN(name, type, records)                                                                \
    { #name, type, offsetof(struct timeline_row, name), records }
    COLUMN(name, TEXT, ALL),
    COLUMN(start_ns, COUNT, TIMED | RANGE),
    COLUMN(end_ns, COUNT, TIMED | RANGE),
    COLUMN(device, INTEGER, WORK | PAGES),
    COLUMN(context, INTEGER, WORK),
    COLUMN(stream, INTEGER, WORK | NAME),
    COLUMN(correlation, COUNT, TIMED),
    COLUMN(bytes, COUNT, COPIES | PAGES),
    COLUMN(source, TEXT, MEMCPY | RANGE),
    COLUMN(target, TEXT, COPIES),
    COLUMN(grid, SIZE, KERNEL),
    COLUMN(block, SIZE, KERNEL),
    COLUMN(registers, INTEGER, KERNEL),
    COLUMN(static_shared, COUNT, KERNEL),
    COLUMN(dynamic_shared, COUNT, KERNEL),
    COLUMN(thread, COUNT, API | RANGE | NAME),
    COLUMN(status, INTEGER, API),
#undef COLUMN
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- Writing ---- */

static struct rowfile *file;

static void put_header(FILE *out, const void *unused) {
    (void)unused;
    fputs("record", out);
    for (int i = 0; i < COLUMNS; i++) fprintf(out, ",%s", columns[i].name);
    putc('\n', out);
}

static void put_cell(FILE *out, enum type type, const void *member) {
    const char *text;
    const uint32_t *size = member;
    switch (type) {
    case TEXT: text = *(const char *const *)member; return csv_put(out, text ? text : "", ',');
    case INTEGER: fprintf(out, "%d", *(const int *)member); return;
    case COUNT: fprintf(out, "%" PRIu64, *(const uint64_t *)member); return;
    case SIZE: fprintf(out, "(%u %u %u)", size[0], size[1], size[2]); return;
    }
}

static void put_row(FILE *out, const void *context) {
    const struct timeline_row *row = context;
    fputs(record_names[row->record], out);
    for (int i = 0; i < COLUMNS; i++) {
        putc(',', out);
        if (columns[i].records & 1 << row->record)
            put_cell(out, columns[i].type, (const char *)row + columns[i].offset);
    }
    putc('\n', out);
}

bool timeline_open(const char *path) {
    file = rowfile_open("timeline", path, put_header);
    return file;
}

void timeline_write(const struct timeline_row *row) {
    rowfile_add(file, put_row, row);
}

void timeline_close(void) {
    rowfile_close(file);
}

/* ---- Reading ---- */

/* Reads a number from 0 to UINT64_MAX, and nothing else. */
static bool take_count(const char *text, uint64_t *count) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *count = value;
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool take_integer(const char *text, int *integer) {
    uint64_t count;
    bool negative = *text == '-';
    if (!take_count(text + negative, &count) || count > INT_MAX) return false;
    *integer = negative ? -(int)count : (int)count;
    return true;
}

static bool take_size(const char *text, uint32_t size[3]) {
    int used = 0;
    return sscanf(text, "(%" SCNu32 " %" SCNu32 " %" SCNu32 ")%n", &size[0], &size[1], &size[2],
                  &used) == 3 &&
           used && !text[used];
}

/* Reads a cell into a member of a row. */
static bool take_cell(const char *text, enum type type, void *member) {
    switch (type) {
    case TEXT: *(const char **)member = text; return true;
    case INTEGER: return take_integer(text, member);
    case COUNT: return take_count(text, member);
    case SIZE: return take_size(text, member);
    }
    return false;
}

/* Reads row i of the table. Returns the name of the first column that is wrong; NULL: none. */
static const char *take_row(const struct csv *table, int i, struct timeline_row *row) {
    /* The record of that name; RECORDS if there is none. */
    int record = 0;
    while (record < RECORDS && strcmp(record_names[record], csv_get(table, i, "record"))) record++;
    if (record == RECORDS) return "record";
    *row =
        (struct timeline_row){.record = (enum timeline_record)record, .source = "", .target = ""};
    for (int c = 0; c < COLUMNS; c++) {
        if (!(columns[c].records & 1 << record)) continue;
        const char *text = csv_at(table, i, c + 1);
        if (!take_cell(text, columns[c].type, (char *)row + columns[c].offset))
            return columns[c].name;
    }
    return row->end_ns < row->start_ns ? "end_ns" : NULL;
}

static bool take_rows(struct timeline *timeline, const char *path) {
    /* Does the table have the columns of a timeline, in order? */
    bool same = csv_columns(timeline->table) == COLUMNS + 1 &&
                !strcmp(csv_header(timeline->table, 0), "record");
    for (int i = 0; same && i < COLUMNS; i++)
        same = !strcmp(csv_header(timeline->table, i + 1), columns[i].name);
    if (!same) return fail_with("%s: not a timeline: its columns are others", path);
    timeline->rows = need(calloc((size_t)csv_rows(timeline->table) + 1, sizeof *timeline->rows));
    for (; timeline->count < (size_t)csv_rows(timeline->table); timeline->count++) {
        int i = (int)timeline->count;
        const char *wrong = take_row(timeline->table, i, &timeline->rows[i]);
        if (!wrong) continue;
        return fail_with("%s:%d: the cell in column %s is not valid", path,
                         csv_line(timeline->table, i), wrong);
    }
    return true;
}

bool timeline_read(struct timeline *timeline, const char *path) {
    *timeline = (struct timeline){.table = csv_read(path, &CSV_COMMAS)};
    if (!timeline->table) return false;
    if (take_rows(timeline, path)) return true;
    timeline_free(timeline);
    return false;
}

void timeline_free(struct timeline *timeline) {
    free(timeline->rows);
    csv_free(timeline->table);
    *timeline = (struct timeline){0};
}
