/* lab0.c: draws the pictures of handouts/lab0.md into a folder.
 *
 * The kernels' arithmetic computes the numbers and counts, so the pictures match the kernels. */
#include <stdio.h>

#include "svg.h"

static const char *folder;

/* ---- Numbers of threads in a plane: step 2 ---- */

enum { BLOCK_X = 4, BLOCK_Y = 2, GRID_X = 3, GRID_Y = 2 };

/* One block with its threads' numbers in the whole grid. */
static void draw_block(double x, double y, int block_x, int block_y) {
    enum { CELL = 34 };
    int block = block_y * GRID_X + block_x;
    svg_rect(x - 6, y - 26, BLOCK_X * CELL + 10, BLOCK_Y * CELL + 30, 6,
             block == 4 ? PALEBLUE : PALE, block == 4 ? BLUE : RULE);
    svg_text(x, y - 9, 12, LEFT, QUIET, "block (%d, %d): number %d", block_x, block_y, block);
    for (int thread = 0; thread < BLOCK_X * BLOCK_Y; thread++) {
        double left = x + thread % BLOCK_X * CELL, top = y + thread / BLOCK_X * CELL;
        svg_rect(left, top, CELL - 2, CELL - 2, 3, WHITE, block == 4 ? BLUE : RULE);
        svg_text(left + CELL / 2.0 - 1, top + 21, 14, MIDDLE, INK, "%d",
                 block * BLOCK_X * BLOCK_Y + thread);
    }
}

static void draw_numbers(void) {
    enum { WIDTH = 162, HEIGHT = 114 };
    svg_open(folder, "lab0-numbers", 540, 318,
             "Threads of a grid of 3 by 2 blocks of 4 by 2 threads, numbered");
    for (int y = 0; y < GRID_Y; y++)
        for (int x = 0; x < GRID_X; x++) draw_block(26 + x * WIDTH, 46 + y * HEIGHT, x, y);
    svg_text(20, 262, 13, LEFT, INK, "block 4: 4 x %d threads come before it, then x first, then y",
             BLOCK_X * BLOCK_Y);
    svg_text(20, 284, 13, LEFT, QUIET,
             "A row of pixels in the picture is not a row of numbers: 0 1 2 3, then 8 9 10 11,");
    svg_text(20, 302, 13, LEFT, QUIET, "because the next block has its own.");
    svg_close();
}

/* ---- Warps of a block: step 4 ---- */

static void draw_warps(void) {
    enum { WARP = 32, THREADS = 80, WARPS = (THREADS + WARP - 1) / WARP, CELL = 25, ROW = 62 };
    int idle = 0;
    svg_open(folder, "lab0-warps", 900, WARPS * ROW + 70,
             "A block of 80 threads is three warps; the last is half empty");
    for (int i = 0; i < WARPS * WARP; i++) {
        double x = 84 + i % WARP * CELL, y = 30 + i / WARP * ROW;
        idle += i >= THREADS;
        if (i % WARP == 0) svg_text(20, y + 16, 14, LEFT, INK, "warp %d", i / WARP);
        if (i < THREADS)
            svg_rect(x, y, CELL - 3, CELL - 3, 11, BLUE, BLUE);
        else
            svg_dashed(x, y, CELL - 3, CELL - 3, 11, RULE);
        if (i < THREADS) svg_text(x + CELL / 2.0 - 1.5, y + 15, 11, MIDDLE, WHITE, "%d", i);
    }
    svg_text(84, WARPS * ROW + 50, 13, LEFT, QUIET,
             "%d threads, %d warps of %d lanes: %d lanes have no thread, from the first "
             "instruction to the last.",
             THREADS, WARPS, WARP, idle);
    svg_close();
}

/* ---- The picture: step 5 ---- */

static void draw_picture(void) {
    enum { COLS = 76, ROWS = 62, SIDE = 16, SCALE = 5, X = 40, Y = 40 };
    const int across = (COLS + SIDE - 1) / SIDE, down = (ROWS + SIDE - 1) / SIDE;
    svg_open(folder, "lab0-picture", 800, 400,
             "A picture of 76 by 62 pixels under 5 by 4 blocks of 16 by 16 threads");
    svg_rect(X, Y, COLS * SCALE, ROWS * SCALE, 0, PALEBLUE, BLUE);
    for (int b = 0; b < across * down; b++) {
        int left = b % across * SIDE, top = b / across * SIDE;
        int wide = COLS - left < SIDE ? COLS - left : SIDE,
            high = ROWS - top < SIDE ? ROWS - top : SIDE;
        svg_dashed(X + left * SCALE, Y + top * SCALE, SIDE * SCALE, SIDE * SCALE, 0, ORANGE);
        svg_text(X + (left + SIDE / 2) * SCALE, Y + (top + SIDE / 2) * SCALE + 5, 13, MIDDLE, INK,
                 "%d", wide * high);
    }
    double x = X + across * SIDE * SCALE + 24;
    svg_bold(x, Y + 24, 15, LEFT, INK, "%d columns, %d rows", COLS, ROWS);
    svg_text(x, Y + 48, 14, LEFT, INK, "%d pixels", COLS * ROWS);
    svg_text(x, Y + 72, 14, LEFT, INK, "%d x %d blocks of %d x %d threads", across, down, SIDE,
             SIDE);
    svg_text(x, Y + 96, 14, LEFT, INK, "%d threads", across * down * SIDE * SIDE);
    svg_text(x, Y + 120, 14, LEFT, INK,
             "%d threads without a pixel:", across * down * SIDE * SIDE - COLS * ROWS);
    svg_text(x, Y + 140, 14, LEFT, INK, "the guard stops them");
    svg_text(
        X, 386, 13, LEFT, QUIET,
        "Blue: the picture. Orange: a block, with the number of its threads that have a pixel.");
    svg_close();
}

/* ---- Little's law ---- */

/* Instructions of `warps` warps, one started in each clock, each LATENCY clocks long; a warp waits
 * for its own. */
static void draw_pipe(double y, int warps, const char *title) {
    enum { LATENCY = 4, CLOCKS = 16, CELL = 34, ROW = 24, X = 90 };
    int ready[8] = {0}, started = 0;
    svg_bold(20, y - 12, 15, LEFT, INK, "%s", title);
    for (int warp = 0; warp < warps; warp++)
        svg_text(X - 12, y + 16 + warp * ROW, 13, RIGHT, INK, "warp %d", warp);
    for (int clock = 0; clock < CLOCKS; clock++) {
        int next = -1;
        for (int warp = 0; warp < warps; warp++)
            if (ready[warp] <= clock && (next < 0 || ready[warp] < ready[next])) next = warp;
        svg_rect(X + clock * CELL, y + warps * ROW + 4, CELL - 3, 10, 2, next < 0 ? WHITE : BLUE,
                 next < 0 ? RULE : BLUE);
        if (next < 0) continue;
        started++;
        ready[next] = clock + LATENCY;
        int shown = clock + LATENCY <= CLOCKS ? LATENCY : CLOCKS - clock;
        svg_rect(X + clock * CELL, y + next * ROW, shown * CELL - 3, ROW - 5, 3, PALEBLUE, BLUE);
    }
    svg_text(X + CLOCKS * CELL + 12, y + warps * ROW + 14, 13, LEFT, INK,
             "started in %d of %d clocks", started, CLOCKS);
}

static void draw_little(void) {
    svg_open(folder, "lab0-little", 840, 394,
             "With a latency of four clocks, four warps keep the arithmetic busy");
    draw_pipe(44, 1, "1 warp: each instruction waits for the one before");
    draw_pipe(134, 2, "2 warps");
    draw_pipe(242, 4, "4 warps = latency 4 clocks x 1 instruction a clock");
    svg_text(
        20, 378, 13, LEFT, QUIET,
        "One clock a column. Light: an instruction in flight. Dark: one starts in this clock.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab0 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_numbers();
    draw_warps();
    draw_picture();
    draw_little();
    return 0;
}
