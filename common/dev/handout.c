/* handout.c: puts measured numbers into a handout.
 *
 *     handout fill   TEXT.md --source NAME=RUN.csv,METRICS.csv ... --out FILE.md
 *     handout update TEXT.md --source ...        writes the numbers into TEXT.md itself
 *     handout check  TEXT.md --source ...        says where TEXT.md has other numbers than the sources
 *
 * A number in the text stands between two comments, so that the source reads as text and shows as text where Markdown
 * is rendered, and yet nobody types it:
 *
 *     <!--= 1000 * h200.reduceUnroll8.time_ms ; 1 -->23.2<!--/-->    an expression (expr.h, results.h), decimals
 *     <!--@ h200.device -->NVIDIA H200<!--/-->                        the device of a source, or its .processor
 *     <!--table kernel | time = 1000 * h200.$.time_ms ; 1 -->         a table, a row for each kernel, named by $; n/a
 *     <!--/-->                                                        where a number is not available; with
 *                                      "kernel ~ sum" for "kernel", of the kernels whose names begin with sum;
 *                                      a * in it stands for any letters, as in "kernel ~ sum*(4)";
 *                                      "constant of NAME" lists what the source NAME has, else it is the first source
 *
 * The first two must not begin a line, which Markdown would take for HTML. `fill` leaves the comments out, and with
 * them the marks of claims (claimed.c). A name that the sources do not have, or a number that is not available, ends
 * the program with the marker's line: exit code 1. Bad calls and files: 2. NAME= alone is a source that has not been
 * recorded yet: its numbers are n/a. Files are written whole or not at all. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/expr.h"
#include "lib/outfile.h"
#include "lib/printed.h"
#include "lib/results.h"

enum { EXIT_MISMATCH = 1, EXIT_USAGE = 2, MESSAGE = 512, MARKER = 2048, DECIMALS_MAX = 6, COLUMNS_MAX = 16 };

static const char CLOSE[] = "<!--/-->";

enum mode { FILL, UPDATE, CHECK };

struct handout {
    enum mode mode;
    const char *path, *out_path;
    char *text;
    struct results results;
    int line;       /* of the marker at hand */
    int mismatches; /* found by check */
};

__attribute__((format(printf, 3, 4), noreturn)) static void stop(const struct handout *handout, int code,
                                                                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (handout != NULL)
        fprintf(stderr, "%s:%d: ", handout->path, handout->line);
    else
        fputs("handout: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(code);
}

/* ---- Values ---- */

/* The text without the blanks around it, in place. */
static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
    return text;
}

/* Cuts "EXPRESSION ; DECIMALS" in two, in place, and returns the decimals. */
static int cut_decimals(const struct handout *handout, char *marker) {
    char *semicolon = strrchr(marker, ';'), *end;
    if (semicolon == NULL)
        stop(handout, EXIT_USAGE, "%s: say how many decimals, as in `%s ; 1`", trim(marker), trim(marker));
    *semicolon = '\0';
    long decimals = strtol(semicolon + 1, &end, 10);
    if (end == semicolon + 1 || *trim(end) != '\0' || decimals < 0 || decimals > DECIMALS_MAX)
        stop(handout, EXIT_USAGE, "%s: decimals are a number from 0 to %d", trim(marker), DECIMALS_MAX);
    return (int)decimals;
}

/* The value of "EXPRESSION ; DECIMALS" as text. What is not available is "n/a" if that is allowed. */
static void put_number(const struct handout *handout, FILE *out, char *marker, bool may_be_na) {
    int decimals = cut_decimals(handout, marker);
    char error[MESSAGE];
    double value;
    struct results_use use = {.results = &handout->results, .worst = RESULTS_VALUE};
    marker = trim(marker);
    if (!expr_eval(marker, results_lookup, &use, &value, error, sizeof error))
        stop(handout, EXIT_MISMATCH, "%s: %s", marker, error);
    if (use.worst == RESULTS_UNKNOWN) stop(handout, EXIT_MISMATCH, "%s: the sources have no %s", marker, use.name);
    if (!isnan(value)) {
        fprintf(out, "%.*f", decimals, value);
        return;
    }
    if (!may_be_na && use.worst != RESULTS_ABSENT)
        stop(handout, EXIT_MISMATCH, "%s: %s is not available", marker, use.name[0] != '\0' ? use.name : "the value");
    fputs("n/a", out);
}

/* "SOURCE.device" or "SOURCE.processor". Of a source that has not been recorded yet, "n/a". */
static void put_word(const struct handout *handout, FILE *out, char *marker) {
    char *name = trim(marker), *dot = strchr(name, '.');
    bool processor = dot != NULL && strcmp(dot, ".processor") == 0;
    if (!processor && (dot == NULL || strcmp(dot, ".device") != 0))
        stop(handout, EXIT_USAGE, "%s: say SOURCE.device or SOURCE.processor", name);
    *dot = '\0';
    if (results_is_absent(&handout->results, name)) {
        fputs("n/a", out);
        return;
    }
    const char *device =
        processor ? results_processor(&handout->results, name) : results_device(&handout->results, name);
    if (device[0] == '\0') stop(handout, EXIT_MISMATCH, "%s: there is no such source", name);
    fputs(device, out);
}

/* ---- Tables ---- */

/* A column: its title, and the expression in which $ is the kernel; NULL in the column of the kernels' names. */
struct column {
    char *title, *expression;
};

/* Cuts "title | title = expression ; decimals | ..." in place; returns the number of columns. */
static int read_columns(const struct handout *handout, char *marker, struct column *columns) {
    int n = 0;
    char *rest = NULL;
    for (char *part = strtok_r(marker, "|", &rest); part != NULL; part = strtok_r(NULL, "|", &rest)) {
        if (n == COLUMNS_MAX) stop(handout, EXIT_USAGE, "a table has at most %d columns", COLUMNS_MAX);
        char *equals = strchr(part, '=');
        if (equals != NULL) *equals++ = '\0';
        columns[n].title = trim(part);
        columns[n++].expression = equals;
    }
    return n;
}

/* The expression with each $ replaced by the kernel. */
static void put_kernel(const struct handout *handout, const char *expression, const char *kernel, char *to,
                       size_t size) {
    size_t used = 0;
    to[0] = '\0';
    for (; *expression != '\0' && used < size; expression++)
        used += (size_t)(*expression == '$' ? snprintf(to + used, size - used, "%s", kernel)
                                            : snprintf(to + used, size - used, "%c", *expression));
    if (used >= size) stop(handout, EXIT_USAGE, "the table's expression is too long");
}

static void put_row(const struct handout *handout, FILE *out, const struct column *columns, int n, const char *kernel) {
    char expression[MARKER];
    for (int c = 0; c < n; c++) {
        fputs(c == 0 ? "| " : " | ", out);
        if (columns[c].expression == NULL) {
            fprintf(out, "`%s`", kernel);
            continue;
        }
        put_kernel(handout, columns[c].expression, kernel, expression, sizeof expression);
        put_number(handout, out, expression, true);
    }
    fputs(" |\n", out);
}

/* Cuts what follows the word in a title, in place, and returns it; "" where the word is not there. */
static char *cut_after(char *title, const char *word) {
    char *at = strstr(title, word);
    if (at == NULL) return title + strlen(title);
    *at = '\0';
    return trim(at + strlen(word));
}

static bool has_source(const struct handout *handout, const char *name) {
    for (int i = 0; i < handout->results.sources; i++)
        if (strcmp(handout->results.source[i].name, name) == 0) return true;
    return false;
}

static void put_table(const struct handout *handout, FILE *out, char *marker) {
    struct column columns[COLUMNS_MAX];
    int n = read_columns(handout, marker, columns);
    if (n == 0) stop(handout, EXIT_USAGE, "a table without columns");
    char pattern[RESULTS_NAME + 1]; /* of names that begin as the marker says */
    snprintf(pattern, sizeof pattern, "%s*", cut_after(columns[0].title, "~"));
    const char *source = cut_after(columns[0].title, " of ");
    if (*source != '\0' && !has_source(handout, source)) stop(handout, EXIT_MISMATCH, "there is no source %s", source);
    columns[0].title = trim(columns[0].title);
    fputs("\n\n", out);
    for (int c = 0; c < n; c++) fprintf(out, "%s%s", c == 0 ? "| " : " | ", columns[c].title);
    fputs(" |\n|", out);
    for (int c = 0; c < n; c++) fputs(columns[c].expression == NULL ? "---|" : "---:|", out);
    fputc('\n', out);
    char kernel[RESULTS_NAME];
    for (int i = 0; results_kernel(&handout->results, source, i, kernel, sizeof kernel); i++)
        if (fnmatch(pattern, kernel, 0) == 0) put_row(handout, out, columns, n, kernel);
    fputc('\n', out);
}

/* ---- The text ---- */

/* What stands between a marker and its end, freshly made; the caller frees it. */
static char *make_value(const struct handout *handout, const char *marker, size_t length) {
    static const char TABLE[] = "table ";
    char copy[MARKER], *value = NULL;
    size_t size;
    if (length >= sizeof copy) stop(handout, EXIT_USAGE, "the marker is too long");
    memcpy(copy, marker, length);
    copy[length] = '\0';
    FILE *out = open_memstream(&value, &size);
    if (out == NULL) stop(NULL, EXIT_USAGE, "out of memory");
    if (copy[0] == '=')
        put_number(handout, out, copy + 1, false);
    else if (copy[0] == '@')
        put_word(handout, out, copy + 1);
    else
        put_table(handout, out, copy + sizeof TABLE - 1);
    fclose(out);
    return value;
}

/* The next marker from here on, or NULL. */
static const char *next_marker(const char *text) {
    static const char *const OPENINGS[] = {"<!--=", "<!--@", "<!--table "};
    const char *next = NULL;
    for (size_t i = 0; i < sizeof OPENINGS / sizeof *OPENINGS; i++) {
        const char *found = strstr(text, OPENINGS[i]);
        if (found != NULL && (next == NULL || found < next)) next = found;
    }
    return next;
}

static int count_lines(const char *from, const char *to) {
    int lines = 0;
    for (; from < to; from++) lines += *from == '\n';
    return lines;
}

/* Says that the text has something else than it should. */
static void note_mismatch(struct handout *handout, const char *old, size_t old_length, const char *value) {
    handout->mismatches++;
    if (strchr(value, '\n') != NULL)
        fprintf(stderr, "%s:%d: the table is not what was measured\n", handout->path, handout->line);
    else
        fprintf(stderr, "%s:%d: says %.*s, measured is %s\n", handout->path, handout->line, (int)old_length, old,
                value);
}

/* Writes one marker with its value as the mode has it. Returns where the text goes on. */
static const char *put_marker(struct handout *handout, FILE *out, const char *marker) {
    static const char OPEN[] = "<!--", END[] = "-->";
    const char *end = strstr(marker, END);
    const char *close = end == NULL ? NULL : strstr(end, CLOSE);
    const char *other = end == NULL ? NULL : next_marker(end);
    if (close == NULL || (other != NULL && other < close)) stop(handout, EXIT_USAGE, "a marker without its %s", CLOSE);
    const char *inside = marker + sizeof OPEN - 1, *old = end + sizeof END - 1;
    if (*inside != 't' && (marker == handout->text || marker[-1] == '\n'))
        stop(handout, EXIT_USAGE,
             "this marker begins a line, which Markdown would take for HTML: put a word before it");
    char *value = make_value(handout, inside, (size_t)(end - inside));
    size_t old_length = (size_t)(close - old);
    if (handout->mode == CHECK && (strlen(value) != old_length || memcmp(value, old, old_length) != 0))
        note_mismatch(handout, old, old_length, value);
    if (handout->mode != FILL) fwrite(marker, 1, (size_t)(old - marker), out);
    fputs(value, out);
    if (handout->mode != FILL) fputs(CLOSE, out);
    free(value);
    return close + sizeof CLOSE - 1;
}

static void put_text(struct handout *handout, FILE *out) {
    const char *at = handout->text, *marker;
    handout->line = 1;
    while ((marker = next_marker(at)) != NULL) {
        fwrite(at, 1, (size_t)(marker - at), out);
        handout->line += count_lines(at, marker);
        at = put_marker(handout, out, marker);
        handout->line += count_lines(marker, at);
    }
    fputs(at, out);
}

/* Is this a mark of claimed.c? */
static bool is_mark(const char *text) {
    static const char *const MARKS[] = {"<!--claim:", "<!--tested:", "<!--cited:", "<!--rule:"};
    for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
        if (strncmp(text, MARKS[i], strlen(MARKS[i])) == 0) return true;
    return false;
}

/* Leaves the marks out, in place, each with the blank before it. Returns the text's new length. */
static size_t drop_marks(char *text) {
    static const char END[] = "-->";
    char *const begin = text, *to = text, *end;
    while (*text != '\0') {
        if (is_mark(text) && (end = strstr(text, END)) != NULL) {
            text = end + sizeof END - 1;
            if (to > begin && to[-1] == ' ') to--;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
    return (size_t)(to - begin);
}

/* The whole file as a string. */
static char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (file == NULL) stop(NULL, EXIT_USAGE, "%s: %s", path, strerror(errno));
    ssize_t length = getdelim(&text, &size, '\0', file);
    if (length < 0 || !feof(file)) stop(NULL, EXIT_USAGE, "%s: empty, or not a text", path);
    fclose(file);
    return text;
}

/* ---- The call ---- */

static const char USAGE[] =
    "usage: handout fill|update|check TEXT.md --source NAME=RUN.csv,METRICS.csv ... [--out FILE]";

static void add_source(struct handout *handout, char *argument) {
    char error[MESSAGE];
    if (!results_add_argument(&handout->results, argument, error, sizeof error))
        stop(NULL, EXIT_USAGE, "--source %s", error);
}

static enum mode read_mode(const char *word) {
    if (strcmp(word, "fill") == 0) return FILL;
    if (strcmp(word, "update") == 0) return UPDATE;
    if (strcmp(word, "check") == 0) return CHECK;
    stop(NULL, EXIT_USAGE, "%s", USAGE);
}

static struct handout read_call(int argc, char **argv) {
    if (argc < 3) stop(NULL, EXIT_USAGE, "%s", USAGE);
    struct handout handout = {.mode = read_mode(argv[1]), .path = argv[2]};
    for (int i = 3; i < argc; i += 2) {
        if (i + 1 == argc) stop(NULL, EXIT_USAGE, "%s", USAGE);
        if (strcmp(argv[i], "--source") == 0)
            add_source(&handout, argv[i + 1]);
        else if (strcmp(argv[i], "--out") == 0)
            handout.out_path = argv[i + 1];
        else
            stop(NULL, EXIT_USAGE, "%s", USAGE);
    }
    if (handout.mode == UPDATE) handout.out_path = handout.path;
    if (handout.mode == FILL && handout.out_path == NULL) stop(NULL, EXIT_USAGE, "fill needs --out FILE");
    if (handout.mode == CHECK) handout.out_path = "/dev/null";
    return handout;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    struct handout handout = read_call(argc, argv);
    struct outfile out;
    char *made = NULL;
    size_t size;
    handout.text = read_text(handout.path);
    FILE *memory = open_memstream(&made, &size); /* all of it before any file is touched */
    if (memory == NULL) stop(NULL, EXIT_USAGE, "out of memory");
    put_text(&handout, memory);
    fclose(memory);
    if (handout.mode == FILL) size = drop_marks(made);
    if (!outfile_open(&out, handout.out_path) || fwrite(made, 1, size, out.file) != size || !outfile_commit(&out))
        stop(NULL, EXIT_USAGE, "%s: %s", handout.out_path, strerror(errno));
    if (handout.mismatches > 0)
        fprintf(stderr, "%s: `make handouts-update` writes the measured numbers\n", handout.path);
    results_free(&handout.results);
    free(handout.text);
    free(made);
    return handout.mismatches == 0 ? 0 : EXIT_MISMATCH;
}
