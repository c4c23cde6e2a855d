/* lab14.c: draws the pictures of handouts/lab14.md into a folder. The tree's sums are computed. */
#include <stdio.h>

#include "svg.h"

static const char *folder;

/* ---- The tree ---- */

enum { WORDS = 8, WORD_WIDTH = 62, LEFT_EDGE = 120, ROW_HEIGHT = 52 };

static double middle_of(int word) {
    return LEFT_EDGE + word * WORD_WIDTH + WORD_WIDTH / 2.0;
}

static void draw_row(int row, const int words[WORDS], const bool changed[WORDS], const char *fill) {
    const double y = 44 + row * ROW_HEIGHT;
    for (int w = 0; w < WORDS; w++) {
        svg_rect(LEFT_EDGE + w * WORD_WIDTH + 3, y, WORD_WIDTH - 6, 28, 3,
                 changed[w] ? fill : WHITE, RULE);
        svg_code(middle_of(w), y + 19, 15, MIDDLE, changed[w] ? INK : QUIET, "%d", words[w]);
    }
}

static void draw_arrow(int row, int from, int to, const char *color) {
    const double y = 44 + row * ROW_HEIGHT;
    svg_arrow(middle_of(from), y - ROW_HEIGHT + 30, middle_of(to), y - 2, color, 1.5);
}

static void draw_tree(void) {
    int words[WORDS] = {3, 1, 7, 0, 4, 1, 6, 3};
    const bool none[WORDS] = {false};
    int row = 0;
    svg_open(folder, "lab14-tree", 640, 470, "A tree of eight numbers, up and down");
    svg_bold(16, 63, 14, LEFT, INK, "numbers");
    draw_row(row, words, none, WHITE);
    for (int distance = 1; distance < WORDS; distance *= 2) {
        bool changed[WORDS] = {false};
        row++;
        for (int right = 2 * distance - 1; right < WORDS; right += 2 * distance) {
            words[right] += words[right - distance];
            changed[right] = true;
            draw_arrow(row, right - distance, right, BLUE);
            draw_arrow(row, right, right, BLUE);
        }
        svg_text(16, 63 + row * ROW_HEIGHT, 14, LEFT, BLUE, "up, %d", distance);
        draw_row(row, words, changed, PALEBLUE);
    }
    row++;
    words[WORDS - 1] = 0;
    bool top[WORDS] = {false};
    top[WORDS - 1] = true;
    svg_text(16, 63 + row * ROW_HEIGHT, 14, LEFT, INK, "0 to the top");
    draw_row(row, words, top, CREAM);
    for (int distance = WORDS / 2; distance > 0; distance /= 2) {
        bool changed[WORDS] = {false};
        row++;
        for (int right = 2 * distance - 1; right < WORDS; right += 2 * distance) {
            const int left = right - distance, before = words[right];
            words[right] += words[left];
            words[left] = before;
            changed[left] = changed[right] = true;
            draw_arrow(row, right, left, ORANGE);
            draw_arrow(row, left, right, ORANGE);
            draw_arrow(row, right, right, ORANGE);
        }
        svg_text(16, 63 + row * ROW_HEIGHT, 14, LEFT, RED, "down, %d", distance);
        draw_row(row, words, changed, CREAM);
    }
    svg_text(16, 456, 13, LEFT, QUIET, "In the end each word is the sum of the numbers before it.");
    svg_close();
}

/* ---- Looking back ---- */

static void draw_lookback(void) {
    static const struct {
        const char *state;
        int sum;
    } tiles[] = {{"up to", 5}, {"up to", 7}, {"own", 9}, {"own", 4}, {"nothing yet", 0}};
    enum { TILES = sizeof tiles / sizeof *tiles, WIDTH = 124 };
    svg_open(folder, "lab14-lookback", 660, 210, "Tile 4 looks back at the tiles before it");
    for (int t = 0; t < TILES; t++) {
        const double x = 20 + t * WIDTH;
        const bool whole = t < 2, said = t < TILES - 1;
        svg_bold(x + 56, 30, 14, MIDDLE, INK, "tile %d", t);
        svg_rect(x, 42, 112, 46, 4, !said ? PALE : whole ? PALEBLUE : CREAM, RULE);
        svg_text(x + 56, 61, 13, MIDDLE, QUIET, "%s", tiles[t].state);
        if (said) svg_code(x + 56, 80, 16, MIDDLE, INK, "%d", tiles[t].sum);
    }
    for (int t = 1; t < TILES - 1; t++) {
        const double x = 20 + t * WIDTH + 56;
        svg_line(x, 92, x, 126, t == 1 ? BLUE : ORANGE, 2);
    }
    svg_arrow(20 + 4 * WIDTH + 56, 126, 20 + WIDTH + 56, 126, INK, 2);
    svg_line(20 + 4 * WIDTH + 56, 92, 20 + 4 * WIDTH + 56, 126, INK, 2);
    svg_code(20 + 2.5 * WIDTH + 56, 152, 16, MIDDLE, INK, "4 + 9 + 7 = 20");
    svg_text(20, 180, 14, LEFT, INK,
             "Tile 4 adds own sums, until it meets a tile that knows the sum up to it.");
    svg_text(20, 200, 14, LEFT, INK, "Then it says \"up to: 20 and my own\" itself.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab14 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_tree();
    draw_lookback();
    return 0;
}
