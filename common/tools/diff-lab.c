/* diff-lab.c: a student's kernels beside the solution's, region by region.
 *
 *     diff-lab LAB SOLUTION
 *
 * Lines are paired by their longest common subsequence; white space does not count. Left what the student wrote, right
 * the solution: `<` marks a line that only the left has, `>` one that only the right has. Then one line a region: same,
 * changed, todo, or missing (its marks are gone). Exit code 1 only if a file cannot be read. */
#include "source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_WITHOUT_TERMINAL = 250, MIN_COLUMN = 30 };

enum status { SAME, CHANGED, STILL_TODO, MISSING };
static const char *const STATUS_NAMES[] = {"same", "changed", "todo", "missing"};
static const char *const STATUS_COLOURS[] = {"\033[32m", "\033[36m", "\033[33m", "\033[31m"};

/* Some lines of a file. */
struct slice {
    char **lines;
    size_t n;
};

static bool colour; /* standard output is a terminal, and NO_COLOR does not forbid it */
static int column;  /* width of either side, in characters */

static const char *paint(const char *code) {
    return colour ? code : "";
}

/* ---- Comparing ---- */

/* Are two lines the same but for white space? */
static bool same_line(const char *a, const char *b) {
    for (;;) {
        while (isspace((unsigned char)*a)) a++;
        while (isspace((unsigned char)*b)) b++;
        if (*a != *b) return false;
        if (*a == '\0') return true;
        a++, b++;
    }
}

static bool same_lines(struct slice a, struct slice b) {
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        if (!same_line(a.lines[i], b.lines[i])) return false;
    }
    return a.n == b.n;
}

/* The lines between a region's marks, without the solution's own TODO comment at the top. */
static struct slice region_lines(const struct source *source, const struct region *region) {
    size_t first = region->begin + 1;
    if (line_after(source->lines[first], "// TODO(") != NULL) {
        while (first < region->end && strstr(source->lines[first], ");") == NULL) first++;
        first++;
    }
    return (struct slice){source->lines + first, first < region->end ? region->end - first : 0};
}

static bool has_todo(struct slice slice) {
    for (size_t i = 0; i < slice.n; i++) {
        if (line_after(slice.lines[i], "TODO(") != NULL) return true;
    }
    return false;
}

/* length[i][j]: how many lines a[i..] and b[j..] have in common, in order. One row of b.n + 1 for each line of a, and
 * one more. */
static size_t *common_lengths(struct slice a, struct slice b) {
    size_t stride = b.n + 1;
    size_t *length = calloc((a.n + 1) * stride, sizeof *length);
    for (size_t i = a.n; i-- > 0;) {
        for (size_t j = b.n; j-- > 0;) {
            size_t skip_a = length[(i + 1) * stride + j], skip_b = length[i * stride + j + 1];
            bool same = same_line(a.lines[i], b.lines[j]);
            length[i * stride + j] = same ? length[(i + 1) * stride + j + 1] + 1 : skip_a > skip_b ? skip_a : skip_b;
        }
    }
    return length;
}

/* ---- Printing ---- */

/* One row: left, mark, right; either may be NULL. */
static void print_pair(const char *left, char mark, const char *right) {
    printf("  %s%-*.*s%s %c %s%.*s%s\n", paint(mark == '<' ? "\033[31m" : ""), column, column, left ? left : "",
           paint("\033[0m"), mark, paint(mark == '>' ? "\033[32m" : ""), column, right ? right : "", paint("\033[0m"));
}

static void print_side_by_side(struct slice a, struct slice b) {
    size_t *length = common_lengths(a, b), stride = b.n + 1, i = 0, j = 0;
    while (i < a.n || j < b.n) {
        if (i < a.n && j < b.n && same_line(a.lines[i], b.lines[j])) {
            print_pair(a.lines[i++], ' ', b.lines[j++]);
        } else if (i < a.n && (j == b.n || length[(i + 1) * stride + j] >= length[i * stride + j + 1])) {
            print_pair(a.lines[i++], '<', NULL);
        } else {
            print_pair(NULL, '>', b.lines[j++]);
        }
    }
    free(length);
}

static void print_title(const char *path, const struct region *theirs, const char *name, enum status status) {
    printf("\n%s%s%s: ", paint("\033[1m"), name, paint("\033[0m"));
    printf("%s%s%s", paint(STATUS_COLOURS[status]), STATUS_NAMES[status], paint("\033[0m"));
    if (theirs != NULL) printf("  (%s:%zu)", path, theirs->begin + 1);
    putchar('\n');
}

/* Print one region of the solution beside the student's, and say how it stands. */
static enum status show_region(const struct source *lab, const struct source *solution, const struct region *region) {
    const struct region *theirs = source_region(lab, region->name);
    struct slice left = {NULL, 0}, right = region_lines(solution, region);
    enum status status = MISSING;
    if (theirs != NULL) {
        left = (struct slice){lab->lines + theirs->begin + 1, theirs->end - theirs->begin - 1};
        status = has_todo(left) ? STILL_TODO : same_lines(left, right) ? SAME : CHANGED;
    }
    print_title(lab->path, theirs, region->name, status);
    if (status != SAME) print_side_by_side(left, right);
    return status;
}

/* ---- Setting up ---- */

/* Colour and width, as the output allows. */
static void look_at_output(void) {
    const char *no_colour = getenv("NO_COLOR");
    struct winsize size;
    bool terminal = isatty(STDOUT_FILENO);
    colour = terminal && (no_colour == NULL || no_colour[0] == '\0');
    int width = WIDTH_WITHOUT_TERMINAL;
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width = size.ws_col;
    column = (width - 6) / 2 > MIN_COLUMN ? (width - 6) / 2 : MIN_COLUMN;
}

static void read_or_die(struct source *source, const char *path) {
    char error[512];
    if (source_read(source, path, error, sizeof error)) return;
    fprintf(stderr, "diff-lab: %s\n", error);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: diff-lab LAB SOLUTION\n");
        return EXIT_FAILURE;
    }
    struct source lab, solution;
    read_or_die(&lab, argv[1]);
    read_or_die(&solution, argv[2]);
    look_at_output();
    print_pair("yours", ' ', "solution");
    int count[4] = {0};
    for (size_t i = 0; i < solution.regions_n; i++) count[show_region(&lab, &solution, &solution.regions[i])]++;
    printf("\n%d same, %d changed, %d todo, %d missing\n", count[SAME], count[CHANGED], count[STILL_TODO],
           count[MISSING]);
    source_free(&lab);
    source_free(&solution);
    return EXIT_SUCCESS;
}
