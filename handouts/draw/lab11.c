/* lab11.c: draws the pictures of handouts/lab11.md into a folder. The lines of words and records
 * are computed from their addresses. */
#include <stdio.h>

#include "svg.h"

static const char *folder;

enum { CELL = 26 };

static void draw_word(double x, double y, const char *fill, const char *ink, int number) {
    svg_rect(x, y, CELL - 2, CELL - 2, 2, fill, RULE);
    if (number >= 0) svg_text(x + CELL / 2.0 - 1, y + 17, 11, MIDDLE, ink, "%d", number);
}

/* ---- Rows and columns ---- */

enum { SIDE = 8, LINE = 4, KEPT = 4 }; /* words a side, words a line, lines in the cache */

/* The order in which a word is visited, along rows or down columns. */
static int visit_of(int row, int col, bool by_rows) {
    return by_rows ? row * SIDE + col : col * SIDE + row;
}

/* The number of loaded lines, if the cache keeps the KEPT lines used last. */
static int count_fetches(bool by_rows) {
    int kept[KEPT] = {-1, -1, -1, -1}, fetches = 0;
    for (int visit = 0; visit < SIDE * SIDE; visit++) {
        int row = by_rows ? visit / SIDE : visit % SIDE,
            col = by_rows ? visit % SIDE : visit / SIDE;
        int line = (row * SIDE + col) / LINE, at = 0;
        while (at < KEPT - 1 && kept[at] != line) at++;
        fetches += kept[at] != line;
        for (; at > 0; at--) kept[at] = kept[at - 1];
        kept[0] = line;
    }
    return fetches;
}

static void draw_walk(double x, double y, const char *title, bool by_rows) {
    svg_code(x, y - 12, 15, LEFT, INK, "%s", title);
    for (int row = 0; row < SIDE; row++)
        for (int col = 0; col < SIDE; col++) {
            int visit = visit_of(row, col, by_rows);
            bool early = visit < SIDE;
            draw_word(x + col * CELL + col / LINE * 6, y + row * CELL, early ? BLUE : WHITE,
                      early ? WHITE : QUIET, visit);
        }
    svg_bold(x, y + SIDE * CELL + 24, 14, LEFT, INK, "%d lines fetched", count_fetches(by_rows));
}

static void draw_walks(void) {
    svg_open(folder, "lab11-walks", 640, 340,
             "The order in which a matrix is visited along rows and down columns");
    draw_walk(20, 44, "sumRows", true);
    draw_walk(340, 44, "sumCols", false);
    svg_text(
        20, 308, 13, LEFT, QUIET,
        "Numbers: the order of the visits; blue: the first %d. A line is %d words here, and the",
        SIDE, LINE);
    svg_text(20, 326, 13, LEFT, QUIET, "cache keeps the %d lines that were used last.", KEPT);
    svg_close();
}

/* ---- Records and lines ---- */

enum { BYTES_A_LINE = 64, PACKED = 60, ALIGNED = 64, RECORDS = 6 };

/* A row of records of this size on lines; a record in two lines is orange. */
static void draw_records(double y, const char *title, int stride) {
    const double SCALE = 1.55, X = 150;
    int split = 0;
    svg_code(20, y + 20, 14, LEFT, INK, "%s", title);
    for (int i = 0; i < RECORDS; i++) {
        int begin = i * stride, end = begin + PACKED - 1;
        bool two = begin / BYTES_A_LINE != end / BYTES_A_LINE;
        split += two;
        svg_rect(X + begin * SCALE, y, PACKED * SCALE - 2, 30, 2, two ? CREAM : PALEBLUE,
                 two ? ORANGE : BLUE);
        svg_text(X + (begin + PACKED / 2.0) * SCALE, y + 20, 13, MIDDLE, INK, "%d", i);
    }
    for (int line = 0; line <= RECORDS; line++)
        svg_line(X + line * BYTES_A_LINE * SCALE, y - 10, X + line * BYTES_A_LINE * SCALE, y + 40,
                 INK, 1.4);
    svg_text(X, y + 60, 13, LEFT, QUIET, "%d of %d records lie in two lines", split, RECORDS);
}

static void draw_lines(void) {
    svg_open(folder, "lab11-records", 780, 220,
             "Records of 60 bytes on cache lines of 64, packed and aligned");
    draw_records(30, "gatherPacked", PACKED);
    draw_records(134, "gatherAligned", ALIGNED);
    svg_close();
}

/* ---- Chains of additions ---- */

enum { LATENCY = 4, NUMBERS = 12 };

/* Additions in time: addition i joins sum i mod sums, and begins when that sum is ready, one begin
 * a cycle. */
static void draw_chain(double y, const char *title, int sums) {
    const double UNIT = 11.5, X = 150;
    int ready[4] = {0}, last = 0;
    svg_code(20, y + 17, 14, LEFT, INK, "%s", title);
    for (int i = 0; i < NUMBERS; i++) {
        int sum = i % sums, begin = ready[sum] > i ? ready[sum] : i;
        ready[sum] = begin + LATENCY;
        last = ready[sum] > last ? ready[sum] : last;
        svg_rect(X + begin * UNIT, y + sum * 24, LATENCY * UNIT - 2, 22, 2, PALEBLUE, BLUE);
        svg_text(X + (begin + LATENCY / 2.0) * UNIT, y + sum * 24 + 16, 12, MIDDLE, INK, "x%d", i);
    }
    svg_bold(X + last * UNIT + 12, y + 16, 14, LEFT, INK, "%d cycles", last);
}

static void draw_chains(void) {
    svg_open(folder, "lab11-chains", 800, 210,
             "Twelve additions to one sum, and to four sums, in time");
    draw_chain(24, "one sum", 1);
    draw_chain(76, "four sums", 4);
    svg_text(20, 196, 13, LEFT, QUIET,
             "An addition takes %d cycles, and one can begin in each. Time runs to the right.",
             LATENCY);
    svg_close();
}

/* ---- Three clocks ---- */

static void draw_bar(double x, double y, double width, const char *fill, const char *text) {
    svg_rect(x, y, width, 26, 2, fill, RULE);
    svg_text(x + width / 2, y + 17, 12, MIDDLE, INK, "%s", text);
}

static void draw_span(double x, double y, double width, const char *text) {
    svg_line(x, y - 5, x, y + 5, INK, 1.4);
    svg_line(x + width, y - 5, x + width, y + 5, INK, 1.4);
    svg_line(x, y, x + width, y, INK, 1.4);
    svg_code(x + width + 10, y + 5, 14, LEFT, INK, "%s", text);
}

static void draw_clocks(void) {
    enum { X = 70, LAUNCH = 90, KERNEL_X = 190, KERNEL = 240, WAIT_END = 480 };
    svg_open(folder, "lab11-clocks", 700, 240, "What three clocks measure of one launch");
    svg_text(20, 42, 14, LEFT, INK, "CPU");
    svg_text(20, 82, 14, LEFT, INK, "GPU");
    draw_bar(X, 24, LAUNCH, PALE, "launch");
    draw_bar(X + LAUNCH + 2, 24, WAIT_END - X - LAUNCH - 2, WHITE, "wait");
    draw_bar(KERNEL_X, 64, KERNEL, PALEBLUE, "fillWords");
    draw_span(X, 126, LAUNCH, "launchOnly");
    draw_span(X, 162, WAIT_END - X, "launchAndWait");
    draw_span(KERNEL_X, 198, KERNEL, "fillWords, by events");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab11 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_walks();
    draw_lines();
    draw_chains();
    draw_clocks();
    return 0;
}
