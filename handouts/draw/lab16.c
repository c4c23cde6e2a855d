/* lab16.c: draws the pictures of handouts/lab16.md into a folder. Softmax is computed. */
#include <math.h>
#include <stdio.h>

#include "svg.h"

static const char *folder;

/* ---- Online softmax ---- */

enum { SCORES = 5, CELL = 96, LEFT_EDGE = 110 };

static void draw_online(void) {
    static const double scores[SCORES] = {2, 1, 5, 3, 6};
    double most = -INFINITY, sum = 0;
    svg_open(folder, "lab16-online", 610, 196, "The largest score so far, and the sum of weights");
    svg_bold(16, 46, 14, LEFT, INK, "score");
    svg_bold(16, 98, 14, LEFT, INK, "most");
    svg_bold(16, 132, 14, LEFT, INK, "sum");
    for (int i = 0; i < SCORES; i++) {
        const double x = LEFT_EDGE + i * CELL, middle = x + CELL / 2.0 - 3;
        const int larger = scores[i] > most;
        sum = larger ? sum * exp(most - scores[i]) + 1 : sum + exp(scores[i] - most);
        most = larger ? scores[i] : most;
        svg_rect(x, 26, CELL - 6, 30, 3, PALE, RULE);
        svg_code(middle, 46, 16, MIDDLE, INK, "%g", scores[i]);
        svg_rect(x, 78, CELL - 6, 64, 3, larger ? CREAM : PALEBLUE, RULE);
        svg_code(middle, 98, 16, MIDDLE, INK, "%g", most);
        svg_code(middle, 132, 16, MIDDLE, INK, "%.3f", sum);
        svg_arrow(middle, 58, middle, 76, larger ? ORANGE : BLUE, 1.5);
    }
    svg_text(16, 170, 13, LEFT, RED,
             "A larger score: the sum so far shrinks by exp(old - new), "
             "and the weight is 1.");
    svg_text(16, 188, 13, LEFT, BLUE, "Another one: its weight, exp(score - most), is added.");
    svg_close();
}

/* ---- Tiles that pass by ---- */

enum { TILES = 4, SIDE = 70 };

static void draw_tile(double x, double y, const char *fill, const char *name) {
    svg_rect(x, y, SIDE, SIDE, 3, fill, RULE);
    svg_code(x + SIDE / 2.0, y + SIDE / 2.0 + 5, 15, MIDDLE, INK, "%s", name);
}

static void draw_tiles(void) {
    enum { TOP = 40, ROW = 150, BOTTOM = 260, FIRST = 150, STEP = 96, NOW = 1 };
    svg_open(folder, "lab16-tiles", 640, 360, "A block's queries meet one tile of keys at a time");
    svg_bold(FIRST, 26, 14, LEFT, INK, "keys and values, in tiles of 64");
    draw_tile(24, ROW, PALEBLUE, "Q");
    svg_text(24, ROW + SIDE + 18, 13, LEFT, QUIET, "64 queries");
    draw_tile(560, ROW, CREAM, "O");
    svg_text(560, ROW + SIDE + 18, 13, LEFT, QUIET, "stored once");
    for (int t = 0; t < TILES; t++) {
        const double x = FIRST + t * STEP;
        const char *fill = t == NOW ? PALEBLUE : t < NOW ? PALE : WHITE;
        draw_tile(x, TOP, fill, "K'");
        draw_tile(x, BOTTOM, fill, "V");
        if (t == NOW) {
            draw_tile(x, ROW, CREAM, "scores");
            svg_arrow(x + SIDE / 2.0, TOP + SIDE, x + SIDE / 2.0, ROW - 3, BLUE, 2);
            svg_arrow(x + SIDE / 2.0, ROW + SIDE, x + SIDE / 2.0, BOTTOM - 3, ORANGE, 2);
        } else {
            svg_dashed(x, ROW, SIDE, SIDE, 3, RULE);
        }
    }
    svg_arrow(24 + SIDE, ROW + SIDE / 2.0, FIRST + NOW * STEP - 3, ROW + SIDE / 2.0, BLUE, 2);
    svg_text(24, 352, 13, LEFT, INK,
             "Only one tile's scores exist, in registers. O is the sum so far.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab16 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_online();
    draw_tiles();
    return 0;
}
