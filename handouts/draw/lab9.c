/* lab9.c: draws the pictures of handouts/lab9.md into a folder. Shapes are to scale, by the
 * kernels' constants; numbers are computed from them. */
#include <stdio.h>

#include "svg.h"

static const char *folder;

/* ---- The problem ---- */

static void draw_grid(double x, double y, int rows, int cols, double cell) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            svg_rect(x + c * cell, y + r * cell, cell - 2, cell - 2, 2, WHITE, RULE);
}

static void draw_band(double x, double y, int row, int col, int rows, int cols, double cell,
                      const char *fill) {
    svg_rect(x + col * cell, y + row * cell, cols * cell - 2, rows * cell - 2, 2, fill, NONE);
}

/* Md to the left of Pd and Nd above it, so that a row and a column meet where their product goes.
 */
static void draw_product(void) {
    enum { N = 8, CELL = 22, ROW = 5, COL = 2, M_X = 30, P_X = 250, N_Y = 40, P_Y = 250 };
    svg_open(folder, "lab9-product", 800, 470,
             "A row of Md and a column of Nd meet in an element of Pd");
    draw_grid(P_X, N_Y, N, N, CELL);
    draw_grid(M_X, P_Y, N, N, CELL);
    draw_grid(P_X, P_Y, N, N, CELL);
    draw_band(P_X, N_Y, 0, COL, N, 1, CELL, ORANGE);
    draw_band(M_X, P_Y, ROW, 0, 1, N, CELL, BLUE);
    draw_band(P_X, P_Y, ROW, COL, 1, 1, CELL, INK);
    svg_code(P_X, N_Y - 10, 15, LEFT, INK, "Nd");
    svg_code(M_X, P_Y - 10, 15, LEFT, INK, "Md");
    svg_code(P_X, P_Y - 10, 15, LEFT, INK, "Pd");
    svg_arrow(M_X + N * CELL + 6, P_Y + (ROW + 0.5) * CELL, P_X + COL * CELL - 4,
              P_Y + (ROW + 0.5) * CELL, BLUE, 1.6);
    svg_arrow(P_X + (COL + 0.5) * CELL - 1, N_Y + N * CELL + 4, P_X + (COL + 0.5) * CELL - 1,
              P_Y + ROW * CELL - 4, ORANGE, 1.6);
    svg_text(460, 290, 15, LEFT, INK, "An element: %d words and %d words,", N, N);
    svg_text(460, 312, 15, LEFT, INK, "%d operations.", 2 * N);
    svg_text(460, 346, 15, LEFT, INK, "The product: %d words and %d words,", N * N, N * N);
    svg_text(460, 368, 15, LEFT, INK, "%d operations.", 2 * N * N * N);
    svg_text(460, 402, 15, LEFT, QUIET, "So each word is wanted %d times.", N);
    svg_close();
}

/* ---- What a block computes and loads ---- */

struct part {
    const char *kernel;
    int rows, cols;       /* of Pd, by a block */
    int my_rows, my_cols; /* by a thread */
};

static const struct part PARTS[] = {{"MatMulTiled", 16, 16, 1, 1},
                                    {"MatMulBlockMerge", 16, 64, 1, 1},
                                    {"MatMulThreadMerge", 64, 64, 16, 1},
                                    {"MatMulWarpTiles", 128, 128, 8, 16}};
enum { PARTS_N = sizeof PARTS / sizeof *PARTS };

/* The block's part of Pd with the strips of Md and Nd that it needs, and one thread's share of it.
 */
static void draw_part(double x, double base, const struct part *part) {
    const double SCALE = 1.2, STRIP = 10,
                 GAP = 4; /* pixels an element; thickness of the words loaded for one k */
    double width = part->cols * SCALE, height = part->rows * SCALE, left = x + STRIP + GAP,
           top = base - height;
    int words = part->rows + part->cols, operations = 2 * part->rows * part->cols;
    svg_rect(left, top, width, height, 0, PALEBLUE, BLUE);
    svg_rect(x, top, STRIP, height, 0, BLUE, NONE);
    svg_rect(left, top - STRIP - GAP, width, STRIP, 0, ORANGE, NONE);
    svg_rect(left, top, part->my_cols * SCALE, part->my_rows * SCALE, 0, INK, NONE);
    svg_code(x, base + 26, 14, LEFT, INK, "%s", part->kernel);
    svg_text(x, base + 48, 13, LEFT, INK, "%d x %d elements,", part->rows, part->cols);
    svg_text(x, base + 66, 13, LEFT, INK, "%d x %d a thread", part->my_rows, part->my_cols);
    svg_text(x, base + 92, 13, LEFT, QUIET, "for each k: %d words,", words);
    svg_text(x, base + 110, 13, LEFT, QUIET, "%d operations,", operations);
    svg_bold(x, base + 130, 14, LEFT, INK, "%.1f a byte", operations / (4.0 * words));
}

static void draw_parts(void) {
    static const double X[PARTS_N] = {24, 196, 376, 570};
    svg_open(folder, "lab9-parts", 760, 430,
             "What a block computes in four of the kernels, to scale");
    for (int i = 0; i < PARTS_N; i++) draw_part(X[i], 250, &PARTS[i]);
    svg_text(24, 414, 13, LEFT, QUIET,
             "To scale. Pale blue: a block's part of Pd. Black: one thread's. Blue, orange: the "
             "words of Md and Nd for "
             "one k.");
    svg_close();
}

/* ---- Tiles ---- */

static void draw_tiles(void) {
    enum { N = 4, CELL = 40, M_X = 30, P_X = 230, N_Y = 40, P_Y = 226, ROUND_X = 440 };
    svg_open(folder, "lab9-tiles", 800, 420,
             "A block goes through the tiles of its rows and its columns");
    draw_grid(P_X, N_Y, N, N, CELL);
    draw_grid(M_X, P_Y, N, N, CELL);
    draw_grid(P_X, P_Y, N, N, CELL);
    for (int m = 0; m < N; m++) {
        draw_band(M_X, P_Y, 2, m, 1, 1, CELL, BLUE);
        draw_band(P_X, N_Y, m, 1, 1, 1, CELL, ORANGE);
        svg_bold(M_X + (m + 0.5) * CELL - 1, P_Y + 2.5 * CELL + 5, 15, MIDDLE, WHITE, "%d", m);
        svg_bold(P_X + 1.5 * CELL - 1, N_Y + (m + 0.5) * CELL + 5, 15, MIDDLE, INK, "%d", m);
    }
    draw_band(P_X, P_Y, 2, 1, 1, 1, CELL, INK);
    svg_code(P_X, N_Y - 10, 15, LEFT, INK, "Nd, in tiles");
    svg_code(M_X, P_Y - 10, 15, LEFT, INK, "Md, in tiles");
    svg_code(P_X, P_Y - 10, 15, LEFT, INK, "Pd");
    svg_bold(ROUND_X, 70, 15, LEFT, INK, "Round 0, then 1, 2, 3:");
    svg_text(ROUND_X, 98, 14, LEFT, INK, "each thread brings in a word of both tiles;");
    svg_text(ROUND_X, 122, 14, LEFT, QUIET, "barrier: all words are there;");
    svg_text(ROUND_X, 146, 14, LEFT, INK, "each thread adds 16 products to its sum;");
    svg_text(ROUND_X, 170, 14, LEFT, QUIET, "barrier: nobody needs the tiles any more.");
    svg_text(ROUND_X, 240, 14, LEFT, INK, "A word in shared memory is used 16 times:");
    svg_text(ROUND_X, 264, 14, LEFT, INK, "of Md by a row of threads, of Nd by a column.");
    svg_close();
}

/* ---- Who waits for whom: steps 6 to 8 ---- */

struct span {
    const char *what;
    double begin, length;
    enum { LOAD, STORE, MULTIPLY } kind;
};

static void draw_spans(double y, const char *title, const struct span *spans, int n) {
    enum { X = 200, UNIT = 52, HEIGHT = 26 };
    static const char *const FILL[] = {CREAM, PALE, PALEBLUE};
    svg_code(20, y + 18, 14, LEFT, INK, "%s", title);
    for (int i = 0; i < n; i++) {
        double row = spans[i].kind == LOAD ? HEIGHT + 3 : 0; /* loads are under the arithmetic */
        svg_rect(X + spans[i].begin * UNIT, y + row, spans[i].length * UNIT - 2, HEIGHT, 2,
                 FILL[spans[i].kind], RULE);
        svg_text(X + (spans[i].begin + spans[i].length / 2) * UNIT, y + row + 17, 12, MIDDLE, INK,
                 "%s", spans[i].what);
    }
}

static void draw_prefetch(void) {
    static const struct span MERGE[] = {
        {"load 0", 0, 2, LOAD},   {"s", 2, 0.4, STORE},   {"multiply 0", 2.4, 2, MULTIPLY},
        {"load 1", 4.4, 2, LOAD}, {"s", 6.4, 0.4, STORE}, {"multiply 1", 6.8, 2, MULTIPLY}};
    static const struct span PREFETCH[] = {
        {"load 0", 0, 2, LOAD},           {"s", 2, 0.4, STORE},   {"load 1", 2.4, 2, LOAD},
        {"multiply 0", 2.4, 2, MULTIPLY}, {"s", 4.4, 0.4, STORE}, {"load 2", 4.8, 2, LOAD},
        {"multiply 1", 4.8, 2, MULTIPLY}, {"s", 6.8, 0.4, STORE}, {"multiply 2", 7.2, 2, MULTIPLY}};
    svg_open(folder, "lab9-prefetch", 760, 210,
             "Loading and multiplying, one after the other and at the same time");
    draw_spans(20, "MatMulThreadMerge", MERGE, sizeof MERGE / sizeof *MERGE);
    draw_spans(104, "MatMulPrefetch", PREFETCH, sizeof PREFETCH / sizeof *PREFETCH);
    svg_text(20, 194, 13, LEFT, QUIET,
             "One block. s: words go from registers into shared memory, with a barrier before and "
             "after.");
    svg_close();
}

/* ---- A warp's part: step 8 ---- */

enum { LANE_ROWS = 8, LANE_COLS = 4, MY_ROWS = 8, MY_COLS = 16, FOUR = 4 };

/* The lane that computes an element of its warp's part. */
static int lane_of(int row, int col) {
    return row / FOUR % LANE_ROWS * LANE_COLS + col / FOUR % LANE_COLS;
}

static void draw_warp(void) {
    enum {
        ROWS = LANE_ROWS * MY_ROWS,
        COLS = LANE_COLS * MY_COLS,
        MARKED = 13,
        PIECE = 24,
        X = 60,
        Y = 60
    };
    int pieces = 0;
    svg_open(folder, "lab9-warp", 760, 500,
             "A warp's 64 by 64 elements in pieces of 4 by 4, and which lane has them");
    for (int row = 0; row < ROWS; row += FOUR)
        for (int col = 0; col < COLS; col += FOUR) {
            int lane = lane_of(row, col);
            double x = X + col / FOUR * PIECE, y = Y + row / FOUR * PIECE;
            pieces += lane == MARKED;
            svg_rect(x, y, PIECE - 2, PIECE - 2, 2, lane == MARKED ? BLUE : WHITE,
                     lane == MARKED ? BLUE : RULE);
            svg_text(x + PIECE / 2.0 - 1, y + 16, 11, MIDDLE, lane == MARKED ? WHITE : QUIET, "%d",
                     lane);
            if (lane != MARKED) continue;
            svg_rect(X - 20, y, 12, PIECE - 2, 2, BLUE, NONE);
            svg_rect(x, Y - 20, PIECE - 2, 12, 2, ORANGE, NONE);
        }
    svg_code(X, Y - 30, 14, LEFT, INK, "Nd, one row of the tile");
    svg_text(480, 110, 14, LEFT, INK, "Lane %d has %d pieces of 4 x 4.", MARKED, pieces);
    svg_text(480, 144, 14, LEFT, INK, "For each k it loads, by fours,");
    svg_text(480, 166, 14, LEFT, BLUE, "%d words of Md and", MY_ROWS);
    svg_text(480, 188, 14, LEFT, "#8A5A00", "%d words of Nd:", MY_COLS);
    svg_text(480, 210, 14, LEFT, INK, "%d instructions.", (MY_ROWS + MY_COLS) / FOUR);
    svg_text(480, 244, 14, LEFT, INK, "It multiplies and adds %d times.", MY_ROWS * MY_COLS);
    svg_text(480, 290, 14, LEFT, QUIET, "Four neighbouring lanes read");
    svg_text(480, 310, 14, LEFT, QUIET, "%d neighbouring words of Nd,", LANE_COLS * FOUR);
    svg_text(480, 330, 14, LEFT, QUIET, "each in its own bank.");
    svg_text(X, 474, 13, LEFT, QUIET,
             "Each square is 4 x 4 elements of Pd; the number is the lane that computes them.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab9 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_product();
    draw_tiles();
    draw_parts();
    draw_prefetch();
    draw_warp();
    return 0;
}
