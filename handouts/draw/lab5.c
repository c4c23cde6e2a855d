/* lab5.c: draws the pictures of handouts/lab5.md into a folder. Each picture makes the kernel's
 * launches and draws their grids. */
#include <stdio.h>

#include "svg.h"

static const char *folder;

/* A grid: a box with a dot for each thread, as many as fit. */
enum { DOT = 8, MOST_DOTS = 16, BOX_HEIGHT = 26 };

static double box_width(int threads) {
    return (threads < MOST_DOTS ? threads : MOST_DOTS) * DOT + 10;
}

/* launches: this many of the first threads launch a grid. */
static void draw_block(double middle, double y, int threads, int launches) {
    double width = box_width(threads), left = middle - width / 2;
    int dots = threads < MOST_DOTS ? threads : MOST_DOTS;
    svg_rect(left, y, width, BOX_HEIGHT, 4, WHITE, RULE);
    for (int i = 0; i < dots; i++)
        svg_circle(left + 5 + DOT * (i + 0.5), y + BOX_HEIGHT / 2.0, 2.6,
                   i < launches ? ORANGE : BLUE, NONE);
}

static void draw_arrow(double x1, double y, double x2, double below) {
    svg_arrow(x1, y + BOX_HEIGHT, x2, below - 2, QUIET, 1.2);
}

/* ---- Step 1: 32 chains ---- */

enum { SIZE = 64, BLOCK = 2, SHOWN = 4, LEVEL = 52, CHAIN = 138, FIRST = 190 };

static void draw_chain(double x, double top) {
    int threads = BLOCK;
    double y = top;
    for (int size = SIZE; size >= 1; size /= 2, y += LEVEL) {
        if (size < SIZE) threads = size;
        draw_block(x, y, threads, size > 1 ? 1 : 0);
        if (size > 1) draw_arrow(x, y, x, y + LEVEL);
        if (threads > MOST_DOTS)
            svg_text(x + 7, y + BOX_HEIGHT + 15, 11, LEFT, QUIET, "%d threads", threads);
    }
}

/* Left of a level: its depth, and its numbers of grids and threads. */
static void draw_level(int depth, int size, double y) {
    int chains = SIZE / BLOCK, grids = depth ? chains : 1, threads = depth ? chains * size : SIZE;
    svg_bold(16, y + 12, 13, LEFT, INK, "depth %d", depth);
    svg_text(16, y + 27, 12, LEFT, QUIET, "%d grid%s, %d threads", grids, grids == 1 ? "" : "s",
             threads);
}

static void draw_hello(void) {
    const double top = 56;
    int depth = 0;
    svg_open(folder, "lab5-hello", 760, 452,
             "The launches of nestedHelloWorld: 32 chains, 7 levels");
    svg_code(16, 28, 14, LEFT, INK, "nestedHelloWorld<<<%d, %d>>>(%d, ...)", SIZE / BLOCK, BLOCK,
             SIZE);
    for (int size = SIZE; size >= 1; size /= 2, depth++)
        draw_level(depth, size, top + depth * LEVEL);
    for (int chain = 0; chain < SHOWN; chain++) {
        double x = FIRST + 70 + chain * CHAIN;
        svg_text(x, top - 8, 12, MIDDLE, QUIET, "block %d",
                 chain == SHOWN - 1 ? SIZE / BLOCK - 1 : chain);
        draw_chain(x, top);
        if (chain == SHOWN - 2) svg_bold(x + CHAIN / 2.0, top + 17, 14, MIDDLE, QUIET, "...");
    }
    svg_text(16, 440, 12, LEFT, QUIET,
             "Orange: the thread that launches. Wide grids are drawn with %d threads.", MOST_DOTS);
    svg_close();
}

/* ---- Step 2: a binary tree ---- */

enum { TREE_LEVELS = 4, TREE_TOP = 74, TREE_STEP = 70, TREE_WIDTH = 720 };

/* Grid number i of a level, the launch of thread i of the level above. */
static double grid_x(int level, int i) {
    return 20 + TREE_WIDTH * (i + 0.5) / (1 << level);
}

static void draw_tree_grid(int level, int i) {
    double x = grid_x(level, i), y = TREE_TOP + level * TREE_STEP;
    int first = (1 << (level + 1)) - 1 + 2 * i;
    draw_block(x, y, 2, level + 1 < TREE_LEVELS ? 2 : 0);
    svg_text(x, y - 4, 11, MIDDLE, QUIET, "%d  %d", first, first + 1);
    if (level == 0) return;
    double parent = grid_x(level - 1, i / 2) + (i % 2 ? 1 : -1) * DOT / 2.0;
    svg_arrow(parent, y - TREE_STEP + BOX_HEIGHT, x, y - 16, QUIET, 1.2);
}

static void draw_tree(void) {
    svg_open(folder, "lab5-tree", 760, 356,
             "The launches of nestedTree: every thread launches two threads");
    svg_code(16, 26, 14, LEFT, INK, "nestedTree<<<1, 2>>>");
    for (int level = 0; level < TREE_LEVELS; level++)
        for (int i = 0; i < 1 << level; i++) draw_tree_grid(level, i);
    svg_text(16, 344, 12, LEFT, QUIET,
             "Thread i launches the threads 2i + 1 and 2i + 2; the host is number 0. Drawn: %d of "
             "7 levels.",
             TREE_LEVELS);
    svg_close();
}

/* ---- Steps 8 to 11: who launches the sums ---- */

enum { WAYS_CHUNKS = 4 };

static double way_x(double left, int chunk) {
    return left + 40 * chunk + 20;
}

/* Each block goes on by itself. */
static void draw_chains(double left, double y) {
    for (int chunk = 0; chunk < WAYS_CHUNKS; chunk++)
        for (int round = 0; round < 3; round++) {
            double at = y + round * LEVEL, x = way_x(left, chunk);
            draw_block(x, at, 1, round < 2 ? 1 : 0);
            if (round < 2) draw_arrow(x, at, x, at + LEVEL);
        }
}

/* One grid of all blocks after the other. */
static void draw_rounds(double left, double y) {
    for (int round = 0; round < 3; round++) {
        double at = y + round * LEVEL;
        svg_dashed(left - 2, at - 4, 164, BOX_HEIGHT + 8, 6, RULE);
        for (int chunk = 0; chunk < WAYS_CHUNKS; chunk++)
            draw_block(way_x(left, chunk), at, 1, round < 2 && !chunk);
        if (round < 2) draw_arrow(way_x(left, 0), at, way_x(left, 0), at + LEVEL - 4);
    }
}

/* The launching threads above, one child each, or one for all. */
static void draw_children(double left, double y, bool each) {
    double middle = left + 80;
    draw_block(middle, y, each ? WAYS_CHUNKS : 1, each ? WAYS_CHUNKS : 1);
    if (!each) svg_dashed(left - 2, y + 2 * LEVEL - 4, 164, BOX_HEIGHT + 8, 6, RULE);
    if (!each) svg_arrow(middle, y + BOX_HEIGHT, middle, y + 2 * LEVEL - 6, QUIET, 1.2);
    for (int chunk = 0; chunk < WAYS_CHUNKS; chunk++) {
        double x = way_x(left, chunk);
        draw_block(x, y + 2 * LEVEL, 1, 0);
        if (each)
            svg_arrow(middle + (chunk - 1.5) * DOT, y + BOX_HEIGHT, x, y + 2 * LEVEL - 2, QUIET,
                      1.2);
    }
}

static void draw_ways(void) {
    static const char *const names[] = {"gpuRecursiveReduce", "...ReduceTail", "reducePerThread",
                                        "reduceOneChild"};
    static const char *const notes[] = {"a chain for each chunk", "one grid a round",
                                        "a grid for each chunk", "one grid for all"};
    const double y = 84;
    svg_open(folder, "lab5-sums", 760, 270,
             "Four ways to launch the sums of four chunks from a kernel");
    for (int way = 0; way < 4; way++) {
        double left = 16 + 188 * way;
        svg_code(left, 28, 13, LEFT, INK, "%s", names[way]);
        svg_text(left, 48, 12, LEFT, QUIET, "%s", notes[way]);
    }
    draw_chains(16, y);
    draw_rounds(16 + 188, y);
    draw_children(16 + 188 * 2, y, true);
    draw_children(16 + 188 * 3, y, false);
    svg_text(16, 256, 12, LEFT, QUIET, "Orange: launches. Dashed: one grid of several blocks.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab5 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_hello();
    draw_tree();
    draw_ways();
    return 0;
}
