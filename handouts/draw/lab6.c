/* lab6.c: draws the pictures of handouts/lab6.md into a folder.
 *
 * The counts are computed: banks and passes from a kernel's indices, roundings from the drawn
 * additions.
 *
 * To fit a page, a warp has 8 lanes here instead of 32, shared memory 8 banks, a block 8 threads.
 */
#include <stdio.h>
#include <string.h>

#include "svg.h"

enum { LANES = 8, BANKS = 8, CELL = 30 };

static const char *folder;

static void draw_box(double x, double y, double width, const char *fill, const char *stroke,
                     const char *text) {
    svg_rect(x, y, width - 3, CELL - 4, 3, fill, stroke);
    if (text[0] != '\0') svg_text(x + width / 2 - 1.5, y + 18, 13, MIDDLE, INK, "%s", text);
}

/* ---- Several passes ---- */

static void draw_passes(void) {
    enum { NUMBERS = 24, PER_BLOCK = 4, X = 130, WIDE = 34, ROW = 86 };
    svg_open(folder, "lab6-passes", 980, 366,
             "24 numbers, then 6 sums, then 2, then one: three passes of one kernel");
    int left = NUMBERS;
    for (int pass = 0; left > 0; pass++) {
        double y = 36 + pass * ROW, step = (double)NUMBERS / left * WIDE;
        if (pass == 0)
            svg_code(20, y + 18, 13, LEFT, INK, "g_idata");
        else
            svg_text(20, y + 18, 13, LEFT, INK, "after pass %d: %d", pass, left);
        for (int i = 0; i < left; i++) {
            double x = X + i * step;
            draw_box(x + (step - WIDE) / 2, y, WIDE, pass == 0 ? WHITE : CREAM,
                     pass == 0 ? RULE : ORANGE, "");
            if (left == 1) continue;
            int block = i / PER_BLOCK, blocks = (left + PER_BLOCK - 1) / PER_BLOCK;
            double below = X + (block + 0.5) * ((double)NUMBERS / blocks * WIDE);
            svg_line(x + step / 2, y + CELL - 2, below, y + ROW - 4, RULE, 1);
        }
        left = left == 1 ? 0 : (left + PER_BLOCK - 1) / PER_BLOCK;
    }
    svg_text(20, 352, 13, LEFT, QUIET,
             "Drawn with blocks that add up 4 numbers. Every pass is a launch of its own.");
    svg_close();
}

/* ---- Banks: steps 2 and 3 ---- */

/* The word of lane `lane` in the round of this s; -1: the lane has none. */
typedef int word_of(int lane, int s);

static int strided(int lane, int s) {
    return 2 * s * lane;
}

static int sequential(int lane, int s) {
    return lane < s ? lane : -1;
}

/* The load's passes over the banks; counts[b] becomes the number of lanes in bank b. */
static int count_passes(word_of *word, int s, int block, int counts[BANKS]) {
    int passes = 0;
    memset(counts, 0, BANKS * sizeof counts[0]);
    for (int lane = 0; lane < LANES; lane++) {
        int at = word(lane, s);
        if (at < 0 || at >= block) continue;
        if (++counts[at % BANKS] > passes) passes = counts[at % BANKS];
    }
    return passes;
}

/* One round: a column for each bank, with a box for each lane that reads a word of it, up to
 * `most`. */
static void draw_round(double x, double y, word_of *word, int s, int block, int most) {
    enum { HIGH = 13 };
    int counts[BANKS], passes = count_passes(word, s, block, counts);
    svg_code(x, y - most * HIGH - 10, 14, LEFT, INK, "s = %d", s);
    for (int b = 0; b < BANKS; b++) {
        for (int i = 0; i < counts[b]; i++)
            svg_rect(x + b * 22, y - (i + 1) * HIGH, 19, HIGH - 2, 2, passes > 1 ? ORANGE : BLUE,
                     NONE);
        svg_text(x + b * 22 + 9.5, y + 15, 11, MIDDLE, QUIET, "%d", b);
    }
    svg_line(x - 3, y, x + BANKS * 22, y, RULE, 1);
    svg_text(x, y + 36, 14, LEFT, INK, "%d %s", passes, passes == 1 ? "pass" : "passes");
}

static void draw_banks(void) {
    enum { BLOCK = 64 };
    svg_open(folder, "lab6-banks", 860, 430,
             "How many lanes want a word of each bank, in reduce1 and in reduce2");
    svg_bold(20, 30, 16, LEFT, INK, "reduce1: lane t loads word 2 * s * t");
    for (int k = 0; k < 4; k++) draw_round(30 + k * 208, 180, strided, 1 << k, BLOCK, LANES);
    svg_bold(20, 266, 16, LEFT, INK, "reduce2: lane t loads word t");
    for (int k = 0; k < 4; k++) draw_round(30 + k * 208, 334, sequential, BLOCK / 2 >> k, BLOCK, 1);
    svg_text(20, 412, 13, LEFT, QUIET,
             "Drawn with 8 lanes, 8 banks and blocks of 64. A bank serves one word at a time: the "
             "highest column decides.");
    svg_close();
}

/* ---- Shuffles: step 8 ---- */

static void draw_shuffle(void) {
    enum { X = 130, WIDE = 76, ROW = 74 };
    static const int NUMBERS[LANES] = {3, 1, 7, 0, 4, 1, 6, 3};
    int value[LANES];
    char text[16];
    memcpy(value, NUMBERS, sizeof value);
    svg_open(folder, "lab6-shuffle", 780, 350, "Eight lanes add by shuffles: offsets 4, 2 and 1");
    svg_text(20, 54, 13, LEFT, INK, "sum");
    for (int lane = 0; lane < LANES; lane++)
        svg_text(X + lane * WIDE + 20, 26, 12, MIDDLE, QUIET, "lane %d", lane);
    for (int offset = LANES, row = 0; offset > 0; offset /= 2, row++) {
        double y = 36 + row * ROW;
        if (offset < LANES) {
            svg_code(20, y + 18, 13, LEFT, INK, "offset %d", offset);
            for (int lane = 0; lane < offset; lane++) value[lane] += value[lane + offset];
        }
        for (int lane = 0; lane < LANES; lane++) {
            bool needed = lane < offset;
            snprintf(text, sizeof text, "%d", value[lane]);
            draw_box(X + lane * WIDE, y, 43,
                     offset == LANES ? WHITE
                     : needed        ? CREAM
                                     : PALE,
                     needed && offset < LANES ? ORANGE : RULE, needed ? text : "");
        }
        for (int lane = 0; lane < offset / 2; lane++)
            svg_arrow(X + (lane + offset / 2.0) * WIDE + 20, y + CELL - 2, X + lane * WIDE + 34,
                      y + ROW - 2, BLUE, 1.4);
    }
    svg_text(20, 338, 13, LEFT, QUIET,
             "Drawn with 8 lanes. Grey: lanes whose sums nobody looks at any more; they shuffle "
             "along all the same.");
    svg_close();
}

/* ---- Tiles: step 9 ---- */

static void draw_tile(void) {
    enum { LOADS = 4, X = 20, WIDE = 27 };
    static const char *const FILL[LOADS] = {PALEBLUE, CREAM, PALE, WHITE};
    char text[16];
    svg_open(folder, "lab6-tile", 920, 236,
             "A tile of four times eight quads, and tiles dealt out to three blocks");
    svg_text(X, 28, 14, LEFT, INK, "one tile: who loads which quad (16 bytes)");
    for (int i = 0; i < LOADS * LANES; i++) {
        snprintf(text, sizeof text, "%d", i % LANES);
        draw_box(X + i * WIDE, 40, WIDE, FILL[i / LANES], i / LANES == 0 ? BLUE : RULE, text);
    }
    for (int k = 0; k < LOADS; k++)
        svg_text(X + (k + 0.5) * LANES * WIDE, 86, 13, MIDDLE, QUIET, "load %d of threads 0 to %d",
                 k + 1, LANES - 1);
    svg_text(X, 130, 14, LEFT, INK, "the input in tiles, and the block that takes each");
    for (int i = 0; i < 10; i++) {
        bool last = i == 9;
        snprintf(text, sizeof text, last ? "%d, partly" : "block %d", i % 3);
        draw_box(X + i * 88, 142, last ? 72 : 88, i % 3 == 0 ? PALEBLUE : WHITE,
                 i % 3 == 0 ? BLUE : RULE, text);
    }
    svg_text(X, 208, 13, LEFT, QUIET,
             "Drawn with blocks of 8 threads. In each load, neighbouring threads take neighbouring "
             "quads; the four loads");
    svg_text(X, 226, 13, LEFT, QUIET, "of a thread do not wait for one another.");
    svg_close();
}

/* ---- The last block: step 10 ---- */

static void draw_ticket(void) {
    enum { BLOCKS = 4, X = 90, ROW = 52 };
    static const int ENDS[BLOCKS] = {300, 500, 220, 400}; /* when each block's sum is ready */
    svg_open(folder, "lab6-ticket", 900, 310,
             "Four blocks take tickets as they end; the one with the last adds their sums");
    for (int b = 0; b < BLOCKS; b++) {
        int ticket = 0;
        double y = 40 + b * ROW;
        for (int other = 0; other < BLOCKS; other++) ticket += ENDS[other] <= ENDS[b];
        bool last = ticket == BLOCKS;
        svg_text(20, y + 18, 14, LEFT, INK, "block %d", b);
        svg_rect(X, y, ENDS[b] - X, CELL - 4, 3, PALEBLUE, BLUE);
        svg_text(X + 8, y + 18, 13, LEFT, INK, "adds its numbers");
        svg_rect(ENDS[b] + 2, y, 44, CELL - 4, 3, PALE, RULE);
        svg_text(ENDS[b] + 24, y + 18, 12, MIDDLE, INK, "fence");
        svg_circle(ENDS[b] + 64, y + 13, 14, last ? ORANGE : CREAM, ORANGE);
        svg_bold(ENDS[b] + 64, y + 18, 14, MIDDLE, INK, "%d", ticket);
        if (!last) continue;
        svg_rect(ENDS[b] + 84, y, 210, CELL - 4, 3, CREAM, ORANGE);
        svg_text(ENDS[b] + 92, y + 18, 13, LEFT, INK, "adds the %d blocks' sums", BLOCKS);
    }
    svg_arrow(X, 262, 880, 262, QUIET, 1.2);
    svg_text(880, 280, 13, RIGHT, QUIET, "time");
    svg_text(20, 300, 13, LEFT, QUIET,
             "Circles: tickets. Which block has the last one is another story in every run; that "
             "there is one is not.");
    svg_close();
}

/* ---- Rounding: a chain and a tree ---- */

/* An addition: a small circle with lines from both numbers. */
static void draw_addition(double x1, double y1, double x2, double y2, double x, double y) {
    svg_line(x1, y1 + 11, x, y - 10, QUIET, 1.2);
    svg_line(x2, y2 + 11, x, y - 10, QUIET, 1.2);
    svg_circle(x, y, 11, CREAM, ORANGE);
    svg_text(x, y + 5, 14, MIDDLE, INK, "+");
}

static void draw_rounding(void) {
    enum { TOP = 70, DOWN = 40, APART = 44, TREE_X = 480 };
    int roundings = 0;
    svg_open(folder, "lab6-rounding", 880, 410, "Eight numbers added in a chain and in a tree");
    svg_bold(20, 32, 16, LEFT, INK, "one after the other");
    for (int i = 0; i < LANES; i++) svg_circle(40 + i * APART, TOP, 11, WHITE, BLUE);
    for (int i = 1; i < LANES; i++, roundings++)
        draw_addition(i == 1 ? 40 : 40 + (i - 1) * APART, i == 1 ? TOP : TOP + (i - 1) * DOWN,
                      40 + i * APART, TOP, 40 + i * APART, TOP + i * DOWN);
    svg_text(20, 392, 14, LEFT, INK, "the first number is rounded %d times on its way", roundings);
    svg_bold(TREE_X, 32, 16, LEFT, INK, "in a tree");
    for (int i = 0; i < LANES; i++) svg_circle(TREE_X + 20 + i * APART, TOP, 11, WHITE, BLUE);
    roundings = 0;
    for (int width = 1; width < LANES; width *= 2, roundings++)
        for (int i = 0; i + width < LANES; i += 2 * width) {
            double left = TREE_X + 20 + (i + (width - 1) / 2.0) * APART,
                   high = TOP + roundings * 70;
            draw_addition(left, high, left + width * APART, high, left + width * APART / 2.0,
                          high + 70);
        }
    svg_text(TREE_X, 392, 14, LEFT, INK, "each number is rounded %d times", roundings);
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab6 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_passes();
    draw_banks();
    draw_shuffle();
    draw_tile();
    draw_ticket();
    draw_rounding();
    return 0;
}
