/* diff-lab.c: prints a student's kernels beside the solution's, region by region.
 *
 *     diff-lab LAB SOLUTION          LAB is a file, a folder with one in it, or an archive
 *
 * common/grade/submission/unpack.sh opens an archive in the sandbox, so the current folder must be
 * the project's.
 *
 * Lines are paired by their longest common subsequence; white space does not count. The student's
 * lines stand left, the solution's right. `<` marks a line that only the student has, `>` a line
 * that only the solution has. Each region's title says same, changed, todo, or missing (its marks
 * are gone or damaged). Last come the changes outside the regions, which grading ignores: harmless
 * if only comments and white space differ, else tampering. Exit code 1: bad use, or a file that
 * cannot be read. */
#include "grade/submission/submission.h"
#include "guard/lex.h"
#include "lib/die.h"
#include "lib/file.h"
#include "lib/linediff.h"
#include "lib/memory.h"
#include "lib/printed.h"
#include "lib/source.h"
#include "lib/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH_WITHOUT_TERMINAL = 250, MIN_COLUMN = 30 };

enum status { SAME, CHANGED, STILL_TODO, MISSING };
static const char *const STATUS_NAMES[] = {"same", "changed", "todo", "missing"};
static const char *const STATUS_COLOURS[] = {"\033[32m", "\033[36m", "\033[33m", "\033[31m"};

static bool colour; /* standard output is a terminal, and NO_COLOR is not set */
static int column;  /* width of either side, in characters */

static const char *paint(const char *code) {
    return colour ? code : "";
}

/* ---- Comparing ---- */

/* The lines between a region's marks, without a commented-out TODO at the top. */
static struct slice region_lines(const struct source *source, const struct region *region) {
    size_t first = region->begin + 1;
    if (line_after(source->lines[first], "// TODO(") != NULL) {
        while (first < region->end && strstr(source->lines[first], ");") == NULL) first++;
        first++;
    }
    return (struct slice){source->lines + first, first < region->end ? region->end - first : 0};
}

/* ---- Printing ---- */

/* Prints one row: left, mark, right. A side may be NULL. */
static void print_pair(const char *left, char mark, const char *right) {
    printf("  %s%-*.*s%s %c %s%.*s%s\n", paint(mark == '<' ? "\033[31m" : ""), column, column,
           left ? left : "", paint("\033[0m"), mark, paint(mark == '>' ? "\033[32m" : ""), column,
           right ? right : "", paint("\033[0m"));
}

static void print_line(void *unused, const char *left, const char *right) {
    (void)unused;
    print_pair(left, right == NULL ? '<' : left == NULL ? '>' : ' ', right);
}

/* ---- Outside the regions ---- */

/* The lines outside the regions, without marks. */
struct rest {
    struct slice slice;
    char **code;     /* of each line: its tokens */
    size_t *numbers; /* of each line: its number in the file, from 1 */
};

/* Returns the code of each line of the file: its tokens, separated by spaces. The caller frees the
 * lines and the array. */
static char **code_by_line(const struct source *source) {
    char **code = need(calloc(source->lines_n + 1, sizeof *code)), *text = NULL;
    size_t size = 0, line = 0;
    FILE *out = need(open_memstream(&text, &size));
    for (size_t i = 0; i < source->lines_n; i++) fprintf(out, "%s\n", source->lines[i]);
    fclose(out);
    for (size_t i = 0; i < source->lines_n; i++) code[i] = need(strdup(""));
    struct lexer lexer = {text, true};
    const char *here = text;
    for (struct token t = lex(&lexer); t.kind != TOKEN_END; t = lex(&lexer)) {
        for (; here < t.start; here++) line += *here == '\n';
        char *longer = need_text("%s%.*s ", code[line], (int)t.length, t.start);
        free(code[line]);
        code[line] = longer;
        if (t.kind == TOKEN_BAD) lexer.next = t.start + 1;
    }
    free(text);
    return code;
}

static struct rest outside(const struct source *source) {
    size_t n = source->lines_n + 1;
    struct rest rest = {{need(calloc(n, sizeof(char *))), 0},
                        need(calloc(n, sizeof(char *))),
                        need(calloc(n, sizeof(size_t)))};
    char **code = code_by_line(source);
    for (size_t i = 0, region = 0; i < source->lines_n; i++) {
        if (region < source->regions_n && i == source->regions[region].begin)
            i = source->regions[region++].end;
        if (line_after(source->lines[i], "// BEGIN SOLUTION") ||
            line_after(source->lines[i], "// END SOLUTION") ||
            line_after(source->lines[i], "// Handed out as "))
            continue;
        rest.numbers[rest.slice.n] = i + 1;
        rest.code[rest.slice.n] = need(strdup(code[i]));
        rest.slice.lines[rest.slice.n++] = source->lines[i];
    }
    for (size_t i = 0; i < source->lines_n; i++) free(code[i]);
    free(code);
    return rest;
}

static void free_rest(struct rest *rest) {
    for (size_t i = 0; i < rest->slice.n; i++) free(rest->code[i]);
    free(rest->slice.lines);
    free(rest->code);
    free(rest->numbers);
}

/* Lines begin to end - 1 outside the regions. */
struct hunk {
    const struct rest *rest;
    size_t begin, end;
};

/* Returns the code of a hunk. The caller frees it. */
static char *code_of(struct hunk hunk) {
    char *code = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&code, &size));
    for (size_t i = hunk.begin; i < hunk.end; i++) fputs(hunk.rest->code[i], out);
    fclose(out);
    return code;
}

/* Prints lines that differ. Returns whether they are harmless. */
static bool show_hunk(struct hunk a, struct hunk b) {
    char *left = code_of(a), *right = code_of(b);
    bool harmless = strcmp(left, right) == 0;
    size_t line =
        a.begin < a.rest->slice.n ? a.rest->numbers[a.begin] : a.rest->numbers[a.begin - 1];
    printf("\n%sline %zu: %s%s\n", paint(harmless ? "\033[33m" : "\033[31m"), line,
           harmless ? "harmless (comments or white space)" : "tampering (not graded)",
           paint("\033[0m"));
    for (size_t i = a.begin; i < a.end; i++) print_pair(a.rest->slice.lines[i], '<', NULL);
    for (size_t i = b.begin; i < b.end; i++) print_pair(NULL, '>', b.rest->slice.lines[i]);
    free(left);
    free(right);
    return harmless;
}

/* Moves i and j to the next line that both sides have in common. */
static void next_hunk(struct slice a, struct slice b, const size_t *length, size_t *i, size_t *j) {
    size_t stride = b.n + 1;
    while ((*i < a.n || *j < b.n) &&
           !(*i < a.n && *j < b.n && linediff_same_line(a.lines[*i], b.lines[*j]))) {
        bool left = *i < a.n &&
                    (*j == b.n || length[(*i + 1) * stride + *j] >= length[*i * stride + *j + 1]);
        *(left ? i : j) += 1;
    }
}

/* Prints the changes outside the regions and counts them: [0] tampering, [1] harmless. */
static void show_outside(const struct source *lab, const struct source *solution, int count[2]) {
    struct rest a = outside(lab), b = outside(solution);
    size_t *length = linediff_lengths(a.slice, b.slice), i = 0, j = 0;
    while (a.slice.n > 0 && (i < a.slice.n || j < b.slice.n)) {
        struct hunk left = {&a, i, i}, right = {&b, j, j};
        next_hunk(a.slice, b.slice, length, &i, &j);
        left.end = i, right.end = j;
        if (left.begin < i || right.begin < j)
            count[show_hunk(left, right)]++;
        else
            i++, j++;
    }
    free(length);
    free_rest(&a);
    free_rest(&b);
}

/* ---- Regions ---- */

/* Prints the student's region beside the solution's. Returns its status. */
static enum status show_region(const struct source *lab, const struct source *solution,
                               const struct region *region) {
    const struct region *theirs = source_region(lab, region->name);
    struct slice left = {NULL, 0}, right = region_lines(solution, region);
    enum status status = MISSING;
    if (theirs != NULL) {
        left = region_lines(lab, theirs);
        status = source_is_todo(lab, theirs)  ? STILL_TODO
                 : linediff_same(left, right) ? SAME
                                              : CHANGED;
    }
    printf("\n%s%s%s: ", paint("\033[1m"), region->name, paint("\033[0m"));
    printf("%s%s%s", paint(STATUS_COLOURS[status]), STATUS_NAMES[status], paint("\033[0m"));
    if (theirs != NULL) printf("  (%s:%zu)", lab->path, theirs->begin + 1);
    putchar('\n');
    if (status != SAME) linediff_walk(left, right, print_line, NULL);
    return status;
}

/* ---- Setting up ---- */

/* Reads the student's file, however damaged its marks are. Ends the program if it cannot be read.
 */
static void salvage_or_die(struct source *source, const char *path, const char *solution) {
    struct submission submission;
    char why[1024];
    submission_read(&submission, path, solution, NULL, why, sizeof why);
    if (submission.program == NULL) die(EXIT_FAILURE, "%s: %s", path, why);
    source_salvage(source, submission.program, path);
    for (size_t i = 0; i < source->lines_n; i++) {
        /* Make a line harmless to a terminal. Tabs become spaces. */
        for (char *p = source->lines[i]; *p != '\0'; p++)
            if (isspace((unsigned char)*p)) *p = ' ';
        utf8_tame(source->lines[i]);
    }
    submission_free(&submission);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    if (argc != 3) die(EXIT_FAILURE, "usage: diff-lab LAB SOLUTION");
    struct source lab, solution;
    if (!source_read(&solution, argv[2])) die(EXIT_FAILURE, "%s", failure);
    salvage_or_die(&lab, argv[1], argv[2]);
    struct winsize size;
    colour = printed_in_colour();
    int width = WIDTH_WITHOUT_TERMINAL;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    column = (width - 6) / 2 > MIN_COLUMN ? (width - 6) / 2 : MIN_COLUMN;
    print_pair("yours", ' ', "solution");
    int count[4] = {0};
    for (size_t i = 0; i < solution.regions_n; i++)
        count[show_region(&lab, &solution, &solution.regions[i])]++;
    int elsewhere[2] = {0};
    show_outside(&lab, &solution, elsewhere);
    printf("\n%d same, %d changed, %d todo, %d missing; outside of the regions: %d tampering, %d "
           "harmless\n",
           count[SAME], count[CHANGED], count[STILL_TODO], count[MISSING], elsewhere[0],
           elsewhere[1]);
    source_free(&lab);
    source_free(&solution);
    return EXIT_SUCCESS;
}
