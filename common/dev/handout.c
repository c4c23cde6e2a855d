/* handout.c: puts measured numbers into a handout.
 *
 *     handout fill   TEXT.md --numbers FILE.tsv --source NAME=RUN.csv,METRICS.csv ... --out FILE.md
 *     handout update TEXT.md --numbers ... --source ...    writes the numbers into TEXT.md
 *     handout check  TEXT.md --numbers ... --source ...    names the numbers that differ
 *
 * The text shows each number. A comment after it, which a rendered page does not show, has the
 * number's name:
 *
 *     takes 23.2<!--=unroll8_time--> µs           a number
 *     <!--@ h200.device-->NVIDIA H200<!--/-->     a source's device, or its .processor. Not at a
 *                                                 line's beginning: Markdown takes that for HTML
 *     <!--table ladder-->                         a table, on lines between these two
 *     <!--/-->
 *
 * The file of numbers defines the names. Its columns are name, column, expression and decimals.
 * expr.h has the grammar, results.h the names of measured numbers. A name without a dot is a number
 * defined above. A number has no column:
 *
 *     unroll8_time              1000 * h200.reduceUnroll8.time_ms                 1
 *     unroll8_share             100 * h200.reduceUnroll8.bandwidth_gbs / peak     0
 *
 * A table has a line for each column. The expression of the first one lists the rows. In the
 * others, $ stands for the row, and $before for the row before it, which the first row lacks:
 *
 *     ladder      kernel        kernels reduce* of h200
 *     ladder      time, µs      1000 * h200.$.time_ms                    1
 *     ladder      step          h200.$before.time_ms / h200.$.time_ms    2
 *     strides     stride        each 1 2 many=32
 *     strides     passes        simt.read($).shared_load_transactions    2
 *
 *     kernels PATTERN ... [of SOURCE]    kernels of a source (by default the first) by patterns
 *     each LABEL[=KEY] ...               these rows; KEY stands for $, LABEL is shown
 *
 * `fill` leaves these comments out, but not the marks of claims (handouts/marks.awk). A name that
 * nobody defines, and a number that is not available, end the program with the comment's line and
 * exit code 1; in a table such a number is n/a. Exit code 2: a bad call or file. NAME= alone is a
 * source that has not been recorded yet: its numbers are n/a. A definition that the text does not
 * use is an error of `check`. Files are written whole or not at all. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/die.h"
#include "lib/expr.h"
#include "lib/file.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "lib/printed.h"
#include "lib/results.h"

enum {
    EXIT_MISMATCH = 1,
    EXIT_USAGE = 2,
    TEXT = 512,
    DECIMALS_MAX = 6,
    COLUMNS_MAX = 16,
    ROWS_MAX = 128
};

static const char OPEN[] = "<!--", END[] = "-->", CLOSE[] = "<!--/-->";

enum mode { FILL, UPDATE, CHECK };
static const char *const MODES[] = {"fill", "update", "check"};

struct handout {
    enum mode mode;
    const char *path, *numbers_path, *out_path;
    char *text;
    struct csv *numbers; /* the definitions */
    bool *used;          /* by row of numbers */
    struct results results;
    int line;       /* of the comment at hand */
    int mismatches; /* found by check */
};

/* ---- Definitions ---- */

static const char *cell(const struct handout *handout, int row, const char *column) {
    return csv_get(handout->numbers, row, column);
}

static bool is_number(const struct handout *handout, int row) {
    return *cell(handout, row, "column") == '\0';
}

/* The row above `end` that defines this number, which is used from now on; -1: none. */
static int find_number(const struct handout *handout, const char *name, int end) {
    int found = -1;
    for (int row = 0; row < end; row++) {
        if (!is_number(handout, row) || strcmp(cell(handout, row, "name"), name) != 0) continue;
        if (found >= 0)
            die_at(EXIT_USAGE, handout->numbers_path, csv_line(handout->numbers, row),
                   "%s is defined twice", name);
        found = row;
    }
    if (found >= 0) handout->used[found] = true;
    return found;
}

/* Digits after the decimal point. */
static int read_decimals(const struct handout *handout, int row) {
    const char *text = cell(handout, row, "decimals");
    char *end;
    long decimals = strtol(text, &end, 10);
    if (end == text || *end != '\0' || decimals < 0 || decimals > DECIMALS_MAX)
        die_at(EXIT_USAGE, handout->numbers_path, csv_line(handout->numbers, row),
               "decimals: give a number from 0 to %d", DECIMALS_MAX);
    return (int)decimals;
}

/* ---- Values ---- */

/* What look_up needs to find a name of the expression in this row. */
struct lookup {
    const struct handout *handout;
    int row;
    struct results_use *use;
};

static double evaluate(const struct handout *handout, int row, const char *expression,
                       struct results_use *use);

/* An expr_lookup: a measured number, or one that a row above defines. */
static double look_up(void *context, const char *name) {
    const struct lookup *at = context;
    int row = strchr(name, '.') == NULL ? find_number(at->handout, name, at->row) : -1;
    if (row < 0) return results_lookup(at->use, name);
    return evaluate(at->handout, row, cell(at->handout, row, "expression"), at->use);
}

/* The value of an expression in this row; NaN where a number is not available. */
static double evaluate(const struct handout *handout, int row, const char *expression,
                       struct results_use *use) {
    struct lookup at = {.handout = handout, .row = row, .use = use};
    double value;
    if (!expr_eval(expression, look_up, &at, &value))
        die_at(EXIT_MISMATCH, handout->path, handout->line, "%s: %s", expression, failure);
    return value;
}

/* Prints the value of an expression in this row. */
static void put_value(const struct handout *handout, FILE *out, int row, const char *expression,
                      bool may_be_na) {
    struct results_use use = {.results = &handout->results, .worst = RESULTS_VALUE};
    int decimals = read_decimals(handout, row);
    double value = evaluate(handout, row, expression, &use);
    if (use.worst == RESULTS_UNKNOWN)
        die_at(EXIT_MISMATCH, handout->path, handout->line, "%s: the sources have no %s",
               expression, use.name);
    if (!isnan(value)) {
        fprintf(out, "%.*f", decimals, value);
        return;
    }
    if (!may_be_na && use.worst != RESULTS_ABSENT)
        die_at(EXIT_MISMATCH, handout->path, handout->line, "%s: %s is not available", expression,
               use.name[0] != '\0' ? use.name : "the value");
    fputs("n/a", out);
}

/* "SOURCE.device" or "SOURCE.processor". Of a source that has not been recorded yet, "n/a". */
static void put_word(const struct handout *handout, FILE *out, char *name) {
    char *dot = strchr(name, '.');
    bool processor = dot != NULL && strcmp(dot, ".processor") == 0;
    if (!processor && (dot == NULL || strcmp(dot, ".device") != 0))
        die_at(EXIT_USAGE, handout->path, handout->line,
               "%s: give SOURCE.device or SOURCE.processor", name);
    *dot = '\0';
    if (results_is_absent(&handout->results, name)) {
        fputs("n/a", out);
        return;
    }
    const char *device = processor ? results_processor(&handout->results, name)
                                   : results_device(&handout->results, name);
    if (device[0] == '\0')
        die_at(EXIT_MISMATCH, handout->path, handout->line, "there is no source %s", name);
    fputs(device, out);
}

/* ---- Tables ---- */

struct table {
    int column[COLUMNS_MAX]; /* rows of the definitions */
    int columns, rows;
    bool numbered; /* the first column has numbers, which stand on the right */
    struct {
        char label[RESULTS_NAME], key[RESULTS_NAME];
    } row[ROWS_MAX];
};

static void add_row(const struct handout *handout, struct table *table, const char *label,
                    const char *key) {
    if (table->rows == ROWS_MAX)
        die_at(EXIT_USAGE, handout->numbers_path, csv_line(handout->numbers, table->column[0]),
               "more than %d rows", ROWS_MAX);
    snprintf(table->row[table->rows].label, RESULTS_NAME, "%s", label);
    snprintf(table->row[table->rows++].key, RESULTS_NAME, "%s", key);
}

static bool has_source(const struct handout *handout, const char *name) {
    for (int i = 0; i < handout->results.sources; i++)
        if (strcmp(handout->results.source[i].name, name) == 0) return true;
    return false;
}

/* Reads what rows the table has. */
static void read_rows(const struct handout *handout, struct table *table) {
    char text[TEXT], *rest = NULL, *source;
    if ((size_t)snprintf(text, sizeof text, "%s", cell(handout, table->column[0], "expression")) >=
        sizeof text)
        die_at(EXIT_USAGE, handout->numbers_path, csv_line(handout->numbers, table->column[0]),
               "the list of rows is too long");
    if ((source = strstr(text, " of ")) != NULL) {
        *source = '\0';
        source += strlen(" of ");
        if (!has_source(handout, source))
            die_at(EXIT_MISMATCH, handout->path, handout->line, "there is no source %s", source);
    }
    const char *kind = strtok_r(text, " ", &rest);
    bool kernels = kind != NULL && strcmp(kind, "kernels") == 0;
    if (!kernels && (kind == NULL || strcmp(kind, "each") != 0))
        die_at(EXIT_USAGE, handout->numbers_path, csv_line(handout->numbers, table->column[0]),
               "a table's first column: give `kernels PATTERN` or `each LABEL`");
    for (char *word; (word = strtok_r(NULL, " ", &rest)) != NULL;) {
        if (kernels) {
            /* Add the kernels that match the pattern. */
            char kernel[RESULTS_NAME - 2], label[RESULTS_NAME];
            for (int i = 0; results_kernel(&handout->results, (source == NULL ? "" : source), i,
                                           kernel, sizeof kernel);
                 i++) {
                if (fnmatch(word, kernel, 0) != 0) continue;
                snprintf(label, sizeof label, "`%s`", kernel);
                add_row(handout, table, label, kernel);
            }
        } else {
            /* Add a row LABEL=KEY, or one that is both. */
            char *key = strchr(word, '='), *end;
            if (key != NULL) *key++ = '\0';
            strtod(word, &end);
            table->numbered = (table->rows == 0 || table->numbered) && *end == '\0';
            add_row(handout, table, word, key != NULL ? key : word);
        }
    }
}

static void read_table(const struct handout *handout, struct table *table, const char *name) {
    for (int row = 0; row < csv_rows(handout->numbers); row++) {
        if (is_number(handout, row) || strcmp(cell(handout, row, "name"), name) != 0) continue;
        if (table->columns == COLUMNS_MAX)
            die_at(EXIT_USAGE, handout->numbers_path, csv_line(handout->numbers, row),
                   "more than %d columns", COLUMNS_MAX);
        table->column[table->columns++] = row;
        handout->used[row] = true;
    }
    if (table->columns == 0)
        die_at(EXIT_MISMATCH, handout->path, handout->line, "%s has no table %s",
               handout->numbers_path, name);
    read_rows(handout, table);
}

/* A cell: the column's expression, with the keys of this row and the one before in place of $ and
 * $before. */
static void put_cell(const struct handout *handout, FILE *out, const struct table *table,
                     int column, int row) {
    static const char BEFORE[] = "$before";
    const char *from = cell(handout, column, "expression");
    char expression[TEXT];
    size_t used = 0;
    while (*from != '\0' && used < sizeof expression) {
        bool before = strncmp(from, BEFORE, sizeof BEFORE - 1) == 0;
        if (before && row == 0) return;
        const char *key = table->row[before ? row - 1 : row].key;
        used += (size_t)(*from == '$'
                             ? snprintf(expression + used, sizeof expression - used, "%s", key)
                             : snprintf(expression + used, sizeof expression - used, "%c", *from));
        from += before ? sizeof BEFORE - 1 : 1;
    }
    if (used >= sizeof expression)
        die_at(EXIT_USAGE, handout->numbers_path, csv_line(handout->numbers, column),
               "the expression is too long");
    put_value(handout, out, column, expression, true);
}

static void put_table(const struct handout *handout, FILE *out, const char *name) {
    struct table table = {0};
    read_table(handout, &table, name);
    fputs("\n\n|", out);
    for (int c = 0; c < table.columns; c++)
        fprintf(out, " %s |", cell(handout, table.column[c], "column"));
    fputs(table.numbered ? "\n|---:|" : "\n|---|", out);
    for (int c = 1; c < table.columns; c++) fputs("---:|", out);
    fputc('\n', out);
    for (int row = 0; row < table.rows; row++) {
        fprintf(out, "| %s |", table.row[row].label);
        for (int c = 1; c < table.columns; c++) {
            fputc(' ', out);
            put_cell(handout, out, &table, table.column[c], row);
            fputs(" |", out);
        }
        fputc('\n', out);
    }
    fputc('\n', out);
}

/* ---- The text ---- */

/* A comment of this program, and the value that belongs to it. */
struct mark {
    char kind; /* = @ t */
    const char *open, *end;
    const char *old,
        *old_end;     /* the value in the text: before the comment of a number, else after it */
    const char *next; /* where the text goes on */
};

/* The length of the block of code that begins at this line end, up to its last fence: what stands
 * there is no comment of this program. 0: none begins. */
static size_t block_length(const char *text) {
    static const char FENCE[] = "\n```";
    const char *end =
        strncmp(text, FENCE, sizeof FENCE - 1) == 0 ? strstr(text + sizeof FENCE - 1, FENCE) : NULL;
    return end != NULL ? (size_t)(end - text) + sizeof FENCE - 1 : 0;
}

/* Does the text begin with one of the words? */
static bool begins_with(const char *text, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0) return true;
    return false;
}

/* The next comment of this program, or NULL. */
static const char *next_open(const char *text) {
    static const char *const OPENINGS[] = {"<!--=", "<!--@", "<!--table "};
    while (*text != '\0' && !begins_with(text, OPENINGS, sizeof OPENINGS / sizeof *OPENINGS)) {
        size_t block = block_length(text);
        text += block > 0 ? block : 1;
    }
    return *text != '\0' ? text : NULL;
}

/* Where the number or the n/a that ends at `end` begins; `end` where there is none. */
static const char *number_start(const char *text, const char *end) {
    const char *start = end;
    if (end - text >= 3 && strncmp(end - 3, "n/a", 3) == 0) return end - 3;
    while (start > text && (isdigit((unsigned char)start[-1]) || start[-1] == '.')) start--;
    if (start > text && start < end && start[-1] == '-') start--;
    return start;
}

static struct mark read_mark(const struct handout *handout, const char *text, const char *open) {
    struct mark mark = {.kind = open[sizeof OPEN - 1], .open = open, .end = strstr(open, END)};
    if (mark.end == NULL)
        die_at(EXIT_USAGE, handout->path, handout->line, "a comment without its %s", END);
    mark.next = mark.end + sizeof END - 1;
    if (mark.kind == '=') {
        mark.old = number_start(text, open);
        mark.old_end = open;
        if (mark.old == open)
            die_at(EXIT_USAGE, handout->path, handout->line,
                   "%.*s: no number before it: write one, such as 0%.*s", (int)(mark.next - open),
                   open, (int)(mark.next - open), open);
        return mark;
    }
    const char *other = next_open(mark.next);
    mark.old = mark.next;
    mark.old_end = strstr(mark.next, CLOSE);
    if (mark.old_end == NULL || (other != NULL && other < mark.old_end))
        die_at(EXIT_USAGE, handout->path, handout->line, "a comment without its %s", CLOSE);
    mark.next = mark.old_end + sizeof CLOSE - 1;
    if (mark.kind == '@' && (open == handout->text || open[-1] == '\n'))
        die_at(EXIT_USAGE, handout->path, handout->line,
               "Markdown takes a line that begins with a comment for HTML: put a word before it");
    return mark;
}

/* The text without the blanks around it, in place. */
static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
    return text;
}

/* The value that belongs in the text; the caller frees it. */
static char *make_value(const struct handout *handout, const struct mark *mark) {
    char copy[TEXT], *value = NULL;
    size_t size, word = mark->kind == 't' ? strlen("table ") : 1;
    const char *inside = mark->open + sizeof OPEN - 1 + word;
    if (mark->end - inside >= TEXT)
        die_at(EXIT_USAGE, handout->path, handout->line, "the comment is too long");
    snprintf(copy, sizeof copy, "%.*s", (int)(mark->end - inside), inside);
    FILE *out = need(open_memstream(&value, &size));
    if (mark->kind == '=') {
        const char *name = trim(copy);
        int row = find_number(handout, name, csv_rows(handout->numbers));
        if (row < 0)
            die_at(EXIT_MISMATCH, handout->path, handout->line, "%s has no number %s",
                   handout->numbers_path, name);
        put_value(handout, out, row, cell(handout, row, "expression"), false);
    } else if (mark->kind == '@')
        put_word(handout, out, trim(copy));
    else
        put_table(handout, out, trim(copy));
    fclose(out);
    return value;
}

/* Compares the value in the text with the one that belongs there. */
static void check_value(struct handout *handout, const struct mark *mark, const char *value) {
    size_t length = (size_t)(mark->old_end - mark->old);
    if (strlen(value) == length && memcmp(value, mark->old, length) == 0) return;
    handout->mismatches++;
    if (mark->kind == 't')
        fprintf(stderr, "%s:%d: the table is not what was measured\n", handout->path,
                handout->line);
    else
        fprintf(stderr, "%s:%d: says %.*s, measured is %s\n", handout->path, handout->line,
                (int)length, mark->old, value);
}

static int count_lines(const char *from, const char *to) {
    int lines = 0;
    for (; from < to; from++) lines += *from == '\n';
    return lines;
}

static void put_span(FILE *out, const char *from, const char *to) {
    fwrite(from, 1, (size_t)(to - from), out);
}

/* Writes the text with today's values. */
static void put_text(struct handout *handout, FILE *out) {
    const char *at = handout->text, *open;
    bool comments = handout->mode != FILL;
    handout->line = 1;
    for (; (open = next_open(at)) != NULL;) {
        handout->line += count_lines(at, open);
        struct mark mark = read_mark(handout, at, open);
        char *value = make_value(handout, &mark);
        if (handout->mode == CHECK) check_value(handout, &mark, value);
        put_span(out, at, mark.kind == '=' ? mark.old : open);
        if (comments && mark.kind != '=') put_span(out, open, mark.old);
        fputs(value, out);
        if (comments) put_span(out, mark.old_end, mark.next);
        handout->line += count_lines(open, mark.next);
        at = mark.next;
        free(value);
    }
    fputs(at, out);
}

/* ---- The call ---- */

static const struct argp_option OPTIONS[] = {
    {"numbers", 'n', "FILE.tsv", 0, "The definitions of the numbers", 0},
    {"source", 's', "NAME=RUN.csv,METRICS.csv", 0,
     "Results that numbers come from; NAME= alone: not recorded yet", 0},
    {"out", 'o', "FILE", 0, "Where `fill` writes the text", 0},
    {0}};

/* The first word is the mode, the second the text. */
static error_t take_word(struct handout *handout, const char *word,
                         const struct argp_state *state) {
    if (state->arg_num == 1) handout->path = word;
    if (state->arg_num > 0) return state->arg_num == 1 ? 0 : ARGP_ERR_UNKNOWN;
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
        if (strcmp(word, MODES[i]) == 0) return handout->mode = (enum mode)i, 0;
    argp_error(state, "%s: give fill, update or check", word);
    return 0;
}

static void check_call(struct handout *handout, const struct argp_state *state) {
    if (handout->path == NULL) argp_error(state, "give fill, update or check, and a text");
    if (handout->mode == UPDATE) handout->out_path = handout->path;
    if (handout->mode == FILL && handout->out_path == NULL)
        argp_error(state, "fill needs --out FILE");
    if (handout->numbers_path == NULL)
        argp_error(state, "give the definitions: --numbers FILE.tsv");
}

static error_t take(int key, char *value, struct argp_state *state) {
    struct handout *handout = state->input;
    switch (key) {
    case 'n': handout->numbers_path = value; return 0;
    case 's':
        if (!results_add_argument(&handout->results, value))
            die(EXIT_USAGE, "--source %s", failure);
        return 0;
    case 'o': handout->out_path = value; return 0;
    case ARGP_KEY_ARG: return take_word(handout, value, state);
    case ARGP_KEY_END: check_call(handout, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp ARGP = {.options = OPTIONS,
                                 .parser = take,
                                 .args_doc = "fill TEXT.md\nupdate TEXT.md\ncheck TEXT.md",
                                 .doc = "Put measured numbers into a handout."};

int main(int argc, char **argv) {
    printed_check_at_exit();
    argp_err_exit_status = EXIT_USAGE;
    struct handout handout = {.path = NULL};
    argp_parse(&ARGP, argc, argv, 0, NULL, &handout);
    char *made = NULL;
    size_t size;
    static const char *const COLUMNS[] = {"name", "column", "expression", "decimals", NULL};
    handout.numbers = csv_read_columns(handout.numbers_path, &CSV_TABS, COLUMNS);
    if (handout.numbers == NULL) die(EXIT_USAGE, "%s", failure);
    handout.used = need(calloc((size_t)csv_rows(handout.numbers) + 1, sizeof *handout.used));
    handout.text = read_whole_file(handout.path, NULL);
    if (handout.text == NULL) die(EXIT_USAGE, "%s: %s", handout.path, strerror(errno));
    FILE *memory = need(open_memstream(&made, &size)); /* all of it before any file is touched */
    put_text(&handout, memory);
    fclose(memory);
    if (handout.mode == CHECK) {
        /* Name the definitions that the text does not use. */
        for (int row = 0; row < csv_rows(handout.numbers); row++) {
            if (handout.used[row]) continue;
            handout.mismatches++;
            fprintf(stderr, "%s:%d: %s does not use %s\n", handout.numbers_path,
                    csv_line(handout.numbers, row), handout.path, cell(&handout, row, "name"));
        }
    } else {
        struct outfile out;
        if (!outfile_open(&out, handout.out_path) || fwrite(made, 1, size, out.file) != size ||
            !outfile_commit(&out))
            die(EXIT_USAGE, "%s: %s", handout.out_path, strerror(errno));
    }
    if (handout.mismatches > 0)
        fprintf(stderr, "%s: `make handouts-update` writes the measured numbers\n", handout.path);
    results_free(&handout.results);
    csv_free(handout.numbers);
    free(handout.used);
    free(handout.text);
    free(made);
    return handout.mismatches == 0 ? 0 : EXIT_MISMATCH;
}
