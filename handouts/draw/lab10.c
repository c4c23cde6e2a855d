/* lab10.c: draws the pictures of handouts/lab10.md into a folder.
 *
 * The program computes which words a warp touches. To fit a page, a warp has 8 lanes here instead
 * of 32, half a warp and a tile 4 instead of 16, a sector 4 words instead of 8, and shared memory 8
 * banks instead of 32. */
#include <stdio.h>

#include "svg.h"

enum { LANES = 8, TILE = 4, SECTOR = 4, BANKS = 8, COLS = 16, CELL = 24, GAP = 4 };

static const char *folder;

static void draw_word(double x, double y, const char *fill, const char *stroke, const char *ink,
                      const char *text) {
    svg_rect(x, y, CELL - 2, CELL - 2, 2, fill, stroke);
    if (text[0] != '\0') svg_text(x + CELL / 2.0 - 1, y + 16, 11, MIDDLE, ink, "%s", text);
}

/* ---- What a request touches: mv ---- */

/* The row and column that a lane of the warp reads. */
typedef void place_of(int lane, int *row, int *col);

static void one_each_row(int lane, int *row, int *col) {
    *row = lane;
    *col = 1;
}

static void half_a_row(int lane, int *row, int *col) {
    *row = lane / TILE * TILE; /* two half warps, each in its own tile */
    *col = lane % TILE;
}

static void along_a_row(int lane, int *row, int *col) {
    *row = 0;
    *col = lane;
}

/* LANES rows of the matrix: the words of one load are blue, the rest of their sectors cream. */
static void draw_load(double x, const char *kernel, const char *what, place_of *place) {
    bool wanted[LANES][COLS] = {{false}}, sector[LANES][COLS / SECTOR] = {{false}};
    int sectors = 0;
    for (int lane = 0; lane < LANES; lane++) {
        int row, col;
        place(lane, &row, &col);
        wanted[row][col] = sector[row][col / SECTOR] = true;
    }
    svg_bold(x, 26, 15, LEFT, INK, "%s", kernel);
    svg_text(x, 46, 13, LEFT, QUIET, "%s", what);
    for (int row = 0; row < LANES; row++)
        for (int col = 0; col < COLS / 2; col++) {
            bool moved = sector[row][col / SECTOR];
            sectors += moved && col % SECTOR == 0;
            draw_word(x + col * CELL + col / SECTOR * GAP, 60 + row * CELL,
                      wanted[row][col] ? BLUE
                      : moved          ? CREAM
                                       : WHITE,
                      moved ? ORANGE : RULE, INK, "");
        }
    svg_text(x, 60 + LANES * CELL + 20, 14, LEFT, INK, "%d sectors for %d words", sectors, LANES);
}

static void draw_loads(void) {
    svg_open(folder, "lab10-loads", 760, 320,
             "What one load of a warp touches in the matrix, in three kernels");
    draw_load(20, "mvNaive", "each lane in its own row", one_each_row);
    draw_load(270, "mvBlockMerge", "half a warp in a row of its tile", half_a_row);
    draw_load(520, "mvWarpRow", "a warp in one row", along_a_row);
    svg_text(20, 304, 13, LEFT, QUIET,
             "Drawn with 8 lanes a warp and 4 words a sector. Blue: a word that the load wants. "
             "Cream: moved with it.");
    svg_close();
}

/* ---- The tile's banks ---- */

/* The tiles of two half warps, one after the other, in rows of `width` words. The words of one
 * load, word 1 of each lane's row, are orange. Prints the load's passes over the banks. */
static void draw_tiles(double x, const char *declaration, int width) {
    int words_in_bank[BANKS] = {0}, passes = 0;
    svg_code(x, 28, 14, LEFT, INK, "%s", declaration);
    for (int bank = 0; bank < BANKS; bank++)
        svg_text(x + bank * CELL + CELL / 2.0 - 1, 54, 11, MIDDLE, QUIET, "%d", bank);
    for (int i = 0; i < 2 * TILE * width; i++) {
        int row = i / width, col = i % width;
        char text[16];
        bool wanted = col == 1, pad = col >= TILE;
        snprintf(text, sizeof text, "%d,%d", row % TILE, col);
        if (wanted) words_in_bank[i % BANKS]++;
        draw_word(x + i % BANKS * CELL, 62 + i / BANKS * CELL,
                  wanted                ? ORANGE
                  : pad                 ? PALE
                  : row / TILE % 2 == 0 ? WHITE
                                        : PALEBLUE,
                  wanted ? ORANGE : RULE, INK, pad ? "" : text);
    }
    for (int bank = 0; bank < BANKS; bank++)
        if (words_in_bank[bank] > passes) passes = words_in_bank[bank];
    svg_bold(x, 214, 14, LEFT, INK, "word 1 of each row: %d %s", passes,
             passes == 1 ? "pass" : "passes");
}

static void draw_banks(void) {
    svg_open(folder, "lab10-banks", 720, 256,
             "The tiles of two half warps in the banks, without and with a padding word");
    draw_tiles(40, "float tiles[2][4][4]", TILE);
    draw_tiles(400, "float tiles[2][4][4 + 1]", TILE + 1);
    svg_text(20, 244, 13, LEFT, QUIET,
             "Drawn with 8 banks. White: the tile of the first half warp. Pale blue: of the "
             "second. Grey: padding.");
    svg_close();
}

/* ---- Merging ---- */

enum { BLOCK_W = 70, BLOCK_H = 34 };

static void draw_block(double x, double y, double width, double height, const char *text) {
    svg_rect(x, y, width - 4, height - 4, 3, PALEBLUE, BLUE);
    svg_text(x + width / 2 - 2, y + height / 2 + 3, 13, MIDDLE, INK, "%s", text);
}

static void draw_merge(void) {
    svg_open(folder, "lab10-merge", 900, 280,
             "Blocks of threads, merged blocks, and merged threads, and the part of C that each "
             "computes");
    svg_bold(20, 28, 15, LEFT, INK, "blocks of 16 threads");
    svg_bold(330, 28, 15, LEFT, INK, "blocks merged");
    svg_bold(640, 28, 15, LEFT, INK, "threads merged");
    for (int row = 0; row < 4; row++) {
        for (int col = 0; col < 3; col++)
            draw_block(20 + col * BLOCK_W, 44 + row * BLOCK_H, BLOCK_W, BLOCK_H, "block");
        draw_block(330, 44 + row * BLOCK_H, 3 * BLOCK_W, BLOCK_H, "block: one row of A for all");
    }
    draw_block(640, 44, 3 * BLOCK_W, 4 * BLOCK_H, "block: each thread 4 rows");
    svg_text(20, 206, 13, LEFT, QUIET, "every block reads its row of A,");
    svg_text(20, 224, 13, LEFT, QUIET, "and its columns of B");
    svg_text(330, 206, 13, LEFT, QUIET, "A is read a third as often");
    svg_text(640, 206, 13, LEFT, QUIET, "B is read a quarter as often,");
    svg_text(640, 224, 13, LEFT, QUIET, "by a twelfth of the blocks");
    svg_text(20, 264, 13, LEFT, QUIET,
             "Each box: a part of C, and the block of threads that computes it. In the lab, 8 "
             "blocks and 16 rows are "
             "merged.");
    svg_close();
}

/* ---- Partition offset ---- */

static void draw_partition(double x, const char *title, int step) {
    enum { PARTITIONS = 4, BLOCKS = 4 };
    svg_text(x, 28, 15, LEFT, INK, "%s", title);
    for (int p = 0; p < PARTITIONS; p++)
        svg_text(x + 66 + p * 60 + 28, 54, 12, MIDDLE, QUIET, "%d", p);
    svg_text(x + 58, 54, 12, RIGHT, QUIET, "partition");
    for (int block = 0; block < BLOCKS; block++) {
        svg_text(x + 58, 78 + block * 32, 13, RIGHT, INK, "block %d", block);
        for (int p = 0; p < PARTITIONS; p++) {
            bool first = block * step % PARTITIONS == p;
            svg_rect(x + 66 + p * 60, 62 + block * 32, 56, 24, 2, first ? ORANGE : WHITE,
                     first ? ORANGE : RULE);
        }
    }
}

static void draw_partitions(void) {
    svg_open(folder, "lab10-partition", 720, 240,
             "Where four blocks read first, without and with an offset");
    draw_partition(20, "all begin at column 0", 0);
    draw_partition(380, "block x begins at column 64 x", 1);
    svg_text(
        20, 222, 13, LEFT, QUIET,
        "A row of A in the partitions of a GPU's memory of 2010. Orange: where a block begins.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab10 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_loads();
    draw_banks();
    draw_merge();
    draw_partitions();
    return 0;
}
