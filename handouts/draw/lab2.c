/* lab2.c: draws the pictures of lab 2's handout: a warp's words in a matrix, a multiprocessor's
 * slots, waves. Usage: draw-lab2 FOLDER */
#include <stdbool.h>
#include <stdio.h>

#include "svg.h"

static const char *folder;

/* ---- A warp in the matrix ---- */

enum { SIDE = 16, CELL = 15, WORDS_A_SECTOR = 4, WARP = 8 };

/* A matrix and the words of one warp, going down a column or along a row; returns the sectors
 * touched. */
static int draw_matrix(double x, double y, const char *name, bool down) {
    int sectors = 0;
    svg_code(x, y - 12, 15, LEFT, INK, "%s", name);
    for (int row = 0; row < SIDE; row++) {
        for (int sector = 0; sector < SIDE / WORDS_A_SECTOR; sector++) {
            bool touched =
                down ? sector == 0 && row < WARP : row == 0 && sector < WARP / WORDS_A_SECTOR;
            sectors += touched;
            svg_rect(x + sector * (WORDS_A_SECTOR * CELL + 5), y + row * CELL,
                     WORDS_A_SECTOR * CELL, CELL - 2, 2, touched ? CREAM : WHITE,
                     touched ? ORANGE : RULE);
        }
    }
    for (int lane = 0; lane < WARP; lane++) {
        int row = down ? lane : 0, col = down ? 0 : lane;
        svg_rect(x + col * CELL + col / WORDS_A_SECTOR * 5 + 2, y + row * CELL + 2, CELL - 4,
                 CELL - 6, 1, BLUE, NONE);
    }
    return sectors;
}

static void draw_walk(void) {
    enum { TOP = 50, LOW = TOP + SIDE * CELL };
    svg_open(folder, "lab2-walk", 860, LOW + 70,
             "The words of a warp, down a column and along a row");
    int down = draw_matrix(40, TOP, "sumMatrix", true),
        along = draw_matrix(460, TOP, "sumMatrixRow", false);
    svg_text(40, LOW + 24, 14, LEFT, INK, "%d sectors, %d %% wanted", down,
             100 * WARP / (down * WORDS_A_SECTOR));
    svg_text(460, LOW + 24, 14, LEFT, INK, "%d sectors, %d %% wanted", along,
             100 * WARP / (along * WORDS_A_SECTOR));
    svg_text(
        40, LOW + 54, 13, LEFT, QUIET,
        "Drawn with %d lanes a warp and %d words a sector (a box). Blue: a word that a lane wants.",
        WARP, WORDS_A_SECTOR);
    svg_close();
}

/* ---- Room for warps ---- */

enum { SLOTS = 16, SLOT = 20 };

/* A multiprocessor's warp slots: blocks of some warps each, as many as fit. */
static void draw_room(double y, const char *what, int warps, int blocks, const char *limit) {
    svg_text(250, y + 16, 14, RIGHT, INK, "%s", what);
    for (int slot = 0; slot < SLOTS; slot++) {
        bool used = slot < warps * blocks;
        double x = 266 + slot * SLOT + (used ? slot / warps * 3 : blocks * 3);
        if (used)
            svg_rect(x, y, SLOT - 2, 22, 2, BLUE, BLUE);
        else
            svg_dashed(x, y, SLOT - 2, 22, 2, RULE);
    }
    svg_text(660, y + 16, 14, LEFT, QUIET, "%d %%: %s", 100 * warps * blocks / SLOTS, limit);
}

static void draw_limits(void) {
    svg_open(folder, "lab2-room", 960, 240, "What keeps a multiprocessor from holding more warps");
    draw_room(24, "blocks of 4 warps", 4, 4, "no warp slot is left");
    draw_room(62, "blocks of 1 warp", 1, 8, "no block slot is left");
    draw_room(100, "much shared memory", 4, 2, "no shared memory is left");
    draw_room(138, "many registers", 4, 1, "no registers are left");
    draw_room(176, "blocks of 6 warps", 6, 2, "a third one does not fit");
    svg_text(30, 226, 13, LEFT, QUIET,
             "Drawn with 16 warp slots and 8 block slots; an H200 has 64 and 32. Blocks come whole "
             "or not at all.");
    svg_close();
}

/* ---- Waves ---- */

static void draw_waves(void) {
    enum { SMS = 4, BLOCKS = 9, WIDTH = 150, HEIGHT = 34 };
    svg_open(folder, "lab2-tail", 760, 230,
             "Nine blocks on four multiprocessors: two waves and a tail");
    for (int sm = 0; sm < SMS; sm++)
        svg_text(150, 52 + sm * HEIGHT, 14, RIGHT, INK, "multiprocessor %d", sm);
    for (int block = 0; block < BLOCKS; block++) {
        double x = 164 + block / SMS * WIDTH, y = 32 + block % SMS * HEIGHT;
        bool tail = block >= BLOCKS - BLOCKS % SMS;
        svg_rect(x, y, WIDTH - 4, HEIGHT - 6, 3, tail ? ORANGE : BLUE, NONE);
        svg_text(x + WIDTH / 2.0, y + 19, 13, MIDDLE, tail ? INK : WHITE, "block %d", block);
    }
    for (int sm = BLOCKS % SMS; sm < SMS; sm++)
        svg_dashed(164 + BLOCKS / SMS * WIDTH, 32 + sm * HEIGHT, WIDTH - 4, HEIGHT - 6, 3, RULE);
    svg_arrow(164, 184, 640, 184, QUIET, 1.4);
    svg_text(648, 188, 13, LEFT, QUIET, "time");
    svg_text(40, 216, 13, LEFT, QUIET,
             "The ninth block costs as much time as four. Drawn with room for one block a "
             "multiprocessor.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab2 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_walk();
    draw_limits();
    draw_waves();
    return 0;
}
