/* lab13.c: draws the picture of handouts/lab13.md into a folder. The sums are computed. */
#include <stdio.h>

#include "svg.h"

/* Words 30 to 34 of the tile: the last two of warp 0, and the first of warp 1. */
enum { WORDS = 5, SUMS = WORDS - 1, MINE = 2, FIRST = 30 };
enum {
    LEFT_EDGE = 220,
    WORD_WIDTH = 76,
    ROW_HEIGHT = 58,
    BOX = 30,
    EDGE = LEFT_EDGE + MINE * WORD_WIDTH
};
static const int BEFORE[WORDS] = {3, 1, 4, 2, 5};

static double middle_of(int word) {
    return LEFT_EDGE + (word + 0.5) * WORD_WIDTH;
}

/* Words from..to - 1 have just got their value, or are sums in registers, for which `fill` is. */
static void draw_row(double y, const char *label, const int words[WORDS], int from, int to,
                     const char *fill) {
    svg_text(16, y + 20, 14, LEFT, INK, "%s", label);
    for (int w = 0; w < WORDS; w++) {
        const bool now = w >= from && w < to;
        svg_rect(LEFT_EDGE + w * WORD_WIDTH + 4, y, WORD_WIDTH - 8, BOX, 3, now ? fill : WHITE,
                 RULE);
        if (to > 0 && w == SUMS) /* its right neighbour is not in the picture */
            svg_code(middle_of(w), y + 20, 15, MIDDLE, QUIET, "...");
        else
            svg_code(middle_of(w), y + 20, 15, MIDDLE, now ? INK : QUIET, "%d", words[w]);
    }
}

/* The arrows of the two words that a thread reads, from the row above y. */
static void draw_reads(double y, int word, const char *own, const char *neighbour) {
    const double above = y - ROW_HEIGHT + BOX + 2;
    svg_arrow(middle_of(word), above, middle_of(word), y - 2, own, 1.5);
    svg_arrow(middle_of(word + 1), above, middle_of(word) + 12, y - 2, neighbour, 1.5);
}

static void draw_head(double y, const char *title) {
    svg_bold(16, y, 15, LEFT, INK, "%s", title);
    svg_line(EDGE, y + 6, EDGE, y + 16 + 2 * ROW_HEIGHT + BOX + 14, RULE, 2);
}

static void add_neighbours(int words[WORDS], int from, int to) {
    for (int w = from; w < to; w++) words[w] += words[w + 1];
}

static void draw_without(double y) {
    int words[WORDS];
    for (int w = 0; w < WORDS; w++) words[w] = BEFORE[w];
    draw_head(y, "Without a barrier, warp 1 ahead");
    draw_row(y += 16, "the tile", words, 0, 0, WHITE);
    add_neighbours(words, MINE, SUMS);
    y += ROW_HEIGHT;
    for (int w = MINE; w < SUMS; w++) draw_reads(y, w, BLUE, BLUE);
    draw_row(y, "warp 1 reads and writes", words, MINE, SUMS, CREAM);
    add_neighbours(words, 0, MINE);
    y += ROW_HEIGHT;
    for (int w = 0; w < MINE; w++) draw_reads(y, w, BLUE, w == MINE - 1 ? RED : BLUE);
    draw_row(y, "warp 0 reads and writes", words, 0, MINE, CREAM);
    svg_text(middle_of(MINE - 1), y + BOX + 18, 14, MIDDLE, RED, "%d, not %d", words[MINE - 1],
             BEFORE[MINE - 1] + BEFORE[MINE]);
}

static void draw_with(double y) {
    int words[WORDS];
    for (int w = 0; w < WORDS; w++) words[w] = BEFORE[w];
    draw_head(y, "With a barrier between the reads and the writes");
    draw_row(y += 16, "the tile", words, 0, 0, WHITE);
    add_neighbours(words, 0, SUMS);
    y += ROW_HEIGHT;
    for (int w = 0; w < SUMS; w++) draw_reads(y, w, BLUE, BLUE);
    draw_row(y, "both read: sums in registers", words, 0, SUMS, PALEBLUE);
    svg_line(LEFT_EDGE, y + BOX + 14, LEFT_EDGE + SUMS * WORD_WIDTH, y + BOX + 14, ORANGE, 4);
    svg_code(LEFT_EDGE + SUMS * WORD_WIDTH + 6, y + BOX + 18, 13, LEFT, INK, "__syncthreads()");
    draw_row(y + ROW_HEIGHT, "both write", words, 0, SUMS, CREAM);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab13 FOLDER\n");
        return 2;
    }
    svg_open(argv[1], "lab13-barrier", 660, 480,
             "A warp that is ahead overwrites a word that another warp has not read");
    for (int w = 0; w < WORDS; w++)
        svg_text(middle_of(w), 50, 13, MIDDLE, QUIET, "word %d", FIRST + w);
    svg_bold(LEFT_EDGE + MINE * WORD_WIDTH / 2.0, 28, 14, MIDDLE, INK, "warp 0");
    svg_bold(EDGE + (WORDS - MINE) * WORD_WIDTH / 2.0, 28, 14, MIDDLE, INK, "warp 1");
    draw_without(76);
    draw_with(290);
    svg_close();
    return 0;
}
