/* lab4.c: draws the pictures of handouts/lab4.md into a folder.
 *
 * The program runs each kernel's indices on a small matrix and marks the words, sectors, banks and
 * tiles.
 *
 * To fit a page, a warp has 8 lanes here instead of 32, a tile 8 by 8 words, shared memory 8 banks,
 * a sector 4 words.
 */
#include <stdio.h>
#include <string.h>

#include "svg.h"

enum { LANES = 8, BANKS = 8, SECTOR = 4, CELL = 26 };

static const char *folder;

/* One word of a picture: a box with a text. */
static void draw_word(double x, double y, const char *fill, const char *stroke, const char *ink,
                      const char *text) {
    svg_rect(x, y, CELL - 2, CELL - 2, 2, fill, stroke);
    if (text[0] != '\0') svg_text(x + CELL / 2.0 - 1, y + 17, 12, MIDDLE, ink, "%s", text);
}

/* ---- The problem: rows become columns ---- */

enum { ROWS = 3, COLS = 6 };

/* Word i of a matrix that lies in memory with rows of `cols` words, numbered as in the input; blue
 * is the input's row 1. */
static void draw_element(double x, double y, int i, int cols, bool turned) {
    char text[24];
    int row = turned ? i % cols : i / cols, col = turned ? i / cols : i % cols; /* in the input */
    bool marked = row == 1;
    snprintf(text, sizeof text, "%d", row * COLS + col);
    draw_word(x, y, marked ? BLUE : WHITE, marked ? BLUE : RULE, marked ? WHITE : INK, text);
}

/* A matrix in rows, and as it is in memory. */
static void draw_matrix(double y, const char *name, int rows, int cols, bool turned) {
    enum { MATRIX_X = 20, MEMORY_X = 270 };
    double middle = y + rows * CELL / 2.0;
    svg_code(MATRIX_X, y - 10, 14, LEFT, INK, "%s", name);
    svg_text(MATRIX_X + 36, y - 10, 14, LEFT, QUIET, "%d rows, %d columns", rows, cols);
    svg_text(MEMORY_X, middle - 22, 14, LEFT, QUIET, "in memory, row after row");
    svg_arrow(MEMORY_X - 72, middle, MEMORY_X - 12, middle, QUIET, 1.4);
    for (int i = 0; i < rows * cols; i++) {
        draw_element(MATRIX_X + i % cols * CELL, y + i / cols * CELL, i, cols, turned);
        draw_element(MEMORY_X + i * CELL, middle - CELL / 2.0, i, cols, turned);
    }
}

static void draw_layout(void) {
    svg_open(folder, "lab4-layout", 760, 370,
             "A matrix of 3 rows and 6 columns, its transpose, and both in memory");
    draw_matrix(40, "in", ROWS, COLS, false);
    draw_matrix(164, "out", COLS, ROWS, true);
    svg_text(20, 352, 13, LEFT, QUIET,
             "Blue: one row of the input. Its words, neighbours before, lie apart now.");
    svg_close();
}

/* ---- What a warp touches: steps 1 to 4 ---- */

/* The word of lane `lane` of one warp, as an index into a matrix of LANES by LANES. */
typedef int word_of(int lane);

static int along_row(int lane) {
    return 2 * LANES + lane;
}

static int down_column(int lane) {
    return lane * LANES + 2;
}

/* The matrix with the warp's words blue and the rest of their sectors cream. Prints the number of
 * sectors. */
static void draw_touched(double x, double y, const char *name, const char *verb, word_of *word) {
    bool touched[LANES * LANES] = {false}, sector[LANES * LANES / SECTOR] = {false};
    int sectors = 0;
    for (int lane = 0; lane < LANES; lane++)
        touched[word(lane)] = sector[word(lane) / SECTOR] = true;
    for (int s = 0; s < LANES * LANES / SECTOR; s++) sectors += sector[s];
    svg_code(x, y - 8, 14, LEFT, INK, "%s", name);
    for (int i = 0; i < LANES * LANES; i++) {
        bool moved = sector[i / SECTOR];
        draw_word(x + i % LANES * CELL + i % LANES / SECTOR * 3, y + i / LANES * CELL,
                  touched[i] ? BLUE
                  : moved    ? CREAM
                             : WHITE,
                  moved ? ORANGE : RULE, INK, "");
    }
    svg_text(x, y + LANES * CELL + 18, 13, LEFT, INK, "%s %d sectors,", verb, sectors);
    svg_text(x, y + LANES * CELL + 35, 13, LEFT, QUIET, "%d %% of their bytes wanted",
             100 * LANES / (sectors * SECTOR));
}

static void draw_access(void) {
    enum { PAIR_X = 500, PAIR_Y = 310 };
    static const struct {
        const char *kernel;
        word_of *read, *write;
    } kernels[] = {{"copyRow", along_row, along_row},
                   {"copyCol", down_column, down_column},
                   {"naiveRow", along_row, down_column},
                   {"naiveCol", down_column, along_row}};
    svg_open(folder, "lab4-access", 1000, 680,
             "What one warp of each of the first four kernels reads and writes");
    for (int k = 0; k < 4; k++) {
        double x = 20 + k % 2 * PAIR_X, y = 64 + k / 2 * PAIR_Y;
        svg_bold(x, y - 34, 16, LEFT, INK, "%s", kernels[k].kernel);
        draw_touched(x, y, "in", "reads", kernels[k].read);
        svg_arrow(x + 222, y + 104, x + 246, y + 104, QUIET, 1.6);
        draw_touched(x + 252, y, "out", "writes", kernels[k].write);
    }
    svg_text(20, 664, 13, LEFT, QUIET,
             "Drawn with 8 lanes a warp and 4 words a sector. Blue: a word that the warp wants. "
             "Cream: moved with it.");
    svg_close();
}

/* ---- A tile through shared memory: step 5 ---- */

/* A matrix of tiles with one of them marked, and one row of words in it. */
static void draw_tiles(double x, double y, const char *name, int rows, int cols, int tile_row,
                       int tile_col, const char *color) {
    enum { SIDE = 44 };
    svg_code(x, y - 8, 14, LEFT, INK, "%s", name);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++) {
            bool marked = row == tile_row && col == tile_col;
            svg_rect(x + col * SIDE, y + row * SIDE, SIDE - 2, SIDE - 2, 2,
                     marked ? PALEBLUE : WHITE, marked ? BLUE : RULE);
            if (!marked) continue;
            svg_rect(x + col * SIDE + 4, y + row * SIDE + 12, SIDE - 10, 7, 1, color, NONE);
        }
}

static void draw_smem(void) {
    enum { TILE_X = 330, TILE_Y = 52 };
    svg_open(folder, "lab4-smem", 800, 326,
             "A tile goes through shared memory: in by rows, out by columns");
    draw_tiles(20, TILE_Y, "in", 3, 5, 1, 3, BLUE);
    svg_arrow(250, 110, TILE_X - 14, 110, BLUE, 2);
    svg_text((250 + TILE_X - 14) / 2.0, 100, 13, MIDDLE, BLUE, "rows");
    svg_code(TILE_X, TILE_Y - 8, 14, LEFT, INK, "tile, in shared memory");
    for (int i = 0; i < LANES * LANES; i++) {
        bool row = i / LANES == 1, col = i % LANES == 5;
        draw_word(TILE_X + i % LANES * CELL, TILE_Y + i / LANES * CELL,
                  row   ? BLUE
                  : col ? ORANGE
                        : WHITE,
                  row   ? BLUE
                  : col ? ORANGE
                        : RULE,
                  INK, "");
    }
    svg_arrow(TILE_X + LANES * CELL + 12, 110, 630, 110, ORANGE, 2);
    svg_text(TILE_X + LANES * CELL + 52, 100, 13, MIDDLE, INK, "columns");
    draw_tiles(650, TILE_Y, "out", 5, 3, 3, 1, ORANGE);
    svg_text(20, 292, 13, LEFT, QUIET,
             "Blue: a warp's row on the way in. Orange: a warp's column on the way out, where it "
             "becomes a row.");
    svg_text(20, 311, 13, LEFT, QUIET, "Both matrices are touched along rows only.");
    svg_close();
}

/* ---- Banks: steps 5 and 6 ---- */

/* The tile in shared memory, in rows of `width` words, with the words of column 2 marked in their
 * banks. */
static void draw_banks(double x, double y, const char *declaration, int width) {
    int words_in_bank[BANKS] = {0}, passes = 0;
    char text[24];
    svg_code(x, y - 30, 14, LEFT, INK, "%s", declaration);
    for (int bank = 0; bank < BANKS; bank++)
        svg_text(x + bank * CELL + CELL / 2.0 - 1, y - 8, 11, MIDDLE, QUIET, "%d", bank);
    for (int i = 0; i < LANES * width; i++) {
        int row = i / width, col = i % width, bank = i % BANKS;
        bool wanted = col == 2, pad = col >= LANES;
        snprintf(text, sizeof text, "%d,%d", row, col);
        if (wanted) words_in_bank[bank]++;
        draw_word(x + bank * CELL, y + i / BANKS * CELL,
                  wanted ? ORANGE
                  : pad  ? PALE
                         : WHITE,
                  wanted ? ORANGE : RULE, INK, pad ? "" : text);
    }
    for (int bank = 0; bank < BANKS; bank++)
        if (words_in_bank[bank] > passes) passes = words_in_bank[bank];
    double low = y + (LANES * width + BANKS - 1) / BANKS * CELL + 20;
    svg_bold(x, low, 14, LEFT, INK, "a column takes %d %s over the banks,", passes,
             passes == 1 ? "pass" : "passes");
    svg_text(x, low + 19, 14, LEFT, QUIET, passes == 1 ? "no conflict" : "%d conflicts",
             passes - 1);
}

static void draw_padding(void) {
    svg_open(folder, "lab4-banks", 760, 400,
             "The words of a column in one bank, and with padding each in its own");
    svg_text(54, 62, 11, RIGHT, QUIET, "bank");
    draw_banks(60, 70, "float tile[8][8]", LANES);
    draw_banks(420, 70, "float tile[8][8 + 1]", LANES + 1);
    svg_text(20, 386, 13, LEFT, QUIET,
             "Drawn with 8 banks. Orange: the words that a warp reads when it takes column 2. "
             "Grey: padding.");
    svg_close();
}

/* ---- Four words a thread: step 7 ---- */

static void draw_unroll(void) {
    enum { WORDS = 4, THREAD_ROWS = LANES / WORDS };
    static const char *const FILL[THREAD_ROWS] = {PALEBLUE, CREAM};
    static const char *const STROKE[THREAD_ROWS] = {BLUE, ORANGE};
    svg_open(folder, "lab4-unroll", 640, 300,
             "Each row of threads takes every second row of the tile");
    svg_code(20, 36, 14, LEFT, INK, "threads");
    svg_code(330, 36, 14, LEFT, INK, "tile");
    for (int row = 0; row < LANES; row++)
        for (int col = 0; col < LANES; col++) {
            int by = row % THREAD_ROWS;
            draw_word(330 + col * CELL, 46 + row * CELL, FILL[by], STROKE[by], INK, "");
        }
    for (int row = 0; row < THREAD_ROWS; row++)
        for (int lane = 0; lane < LANES; lane++)
            svg_circle(32 + lane * CELL, 120 + row * 60, 11, FILL[row], STROKE[row]);
    for (int row = 0; row < LANES; row++)
        svg_arrow(32 + LANES * CELL - 4, 120 + row % THREAD_ROWS * 60, 324, 58 + row * CELL,
                  STROKE[row % THREAD_ROWS], 1.4);
    svg_text(20, 284, 13, LEFT, QUIET,
             "Drawn with 2 rows of 8 threads: each thread moves 4 words.");
    svg_close();
}

/* ---- The order of the blocks: step 9 ---- */

enum { TILES = 8, PARTITIONS = 4 };

/* Where block `number` of a square grid works. */
typedef void place_of(int number, int *tile_row, int *tile_col);

static void row_by_row(int number, int *tile_row, int *tile_col) {
    *tile_row = number / TILES;
    *tile_col = number % TILES;
}

static void along_diagonals(int number, int *tile_row, int *tile_col) {
    *tile_row = number % TILES;
    *tile_col = (number / TILES + *tile_row) % TILES;
}

/* The tiles of `out` with their partitions and the first TILES blocks marked. Prints how many
 * partitions those blocks use. Partitions take turns along a row, and a row is a multiple of all of
 * them. */
static void draw_partitions(double x, double y, const char *title, place_of *place) {
    enum { SIDE = 30 };
    int number_at[TILES][TILES], in_use = 0;
    bool used[PARTITIONS] = {false};
    for (int number = 0; number < TILES * TILES; number++) {
        int row, col;
        place(number, &row, &col);
        number_at[col][row] = number; /* of out: mirrored */
    }
    svg_text(x, y - 26, 15, LEFT, INK, "%s", title);
    for (int col = 0; col < TILES; col++)
        svg_text(x + col * SIDE + SIDE / 2.0 - 1, y - 6, 11, MIDDLE, QUIET, "%d", col % PARTITIONS);
    for (int row = 0; row < TILES; row++)
        for (int col = 0; col < TILES; col++) {
            bool first = number_at[row][col] < TILES;
            used[col % PARTITIONS] |= first;
            svg_rect(x + col * SIDE, y + row * SIDE, SIDE - 2, SIDE - 2, 2, first ? ORANGE : WHITE,
                     first ? ORANGE : RULE);
            svg_text(x + col * SIDE + SIDE / 2.0 - 1, y + row * SIDE + 19, 12, MIDDLE,
                     first ? INK : QUIET, "%d", number_at[row][col]);
        }
    for (int p = 0; p < PARTITIONS; p++) in_use += used[p];
    svg_bold(x, y + TILES * SIDE + 20, 14, LEFT, INK, "blocks 0 to %d write to %d of %d partitions",
             TILES - 1, in_use, PARTITIONS);
}

static void draw_diagonal(void) {
    svg_open(folder, "lab4-diagonal", 760, 400,
             "Which blocks write where, in row order and along diagonals");
    draw_partitions(40, 76, "out, blocks row by row", row_by_row);
    draw_partitions(430, 76, "out, blocks along diagonals", along_diagonals);
    svg_text(40, 380, 13, LEFT, QUIET,
             "Drawn with 4 partitions. Small numbers: the partition of a column of tiles. Orange: "
             "blocks that start "
             "together.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab4 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_layout();
    draw_access();
    draw_smem();
    draw_padding();
    draw_unroll();
    draw_diagonal();
    return 0;
}
