/* lab7.c: draws the pictures of handouts/lab7.md into a folder.
 *
 * Each picture goes through the words of a warp's lanes and marks their sectors.
 *
 * To fit a page, a warp has 8 lanes here instead of 32, and a sector 4 words instead of 8. */
#include <stdio.h>
#include <string.h>

#include "svg.h"

enum { LANES = 8, SECTOR = 4, WORDS = 32, CELL = 22, GAP = 4, ROW_X = 190 };

static const char *folder;

/* The word of lane `lane`. */
typedef int word_of(int lane, int parameter);

static double word_x(int word) {
    return ROW_X + word * CELL + word / SECTOR * GAP;
}

static void draw_word(double x, double y, const char *fill, const char *stroke, const char *ink,
                      const char *text) {
    svg_rect(x, y, CELL - 2, CELL - 2, 2, fill, stroke);
    if (text[0] != '\0') svg_text(x + CELL / 2.0 - 1, y + 15, 11, MIDDLE, ink, "%s", text);
}

/* One request: the words from 0 to WORDS - 1. Requested words are blue, the rest of their sectors
 * cream. names has a letter for each word, or is NULL. */
static void draw_request(double y, const char *title, word_of *word, int parameter,
                         const char *names) {
    bool wanted[WORDS] = {false}, sector[WORDS / SECTOR] = {false};
    int sectors = 0;
    for (int lane = 0; lane < LANES; lane++)
        wanted[word(lane, parameter)] = sector[word(lane, parameter) / SECTOR] = true;
    for (int s = 0; s < WORDS / SECTOR; s++) sectors += sector[s];
    svg_code(ROW_X - 14, y + 15, 14, RIGHT, INK, "%s", title);
    for (int i = 0; i < WORDS; i++) {
        char text[2] = {names == NULL ? '\0' : names[i], '\0'};
        bool moved = sector[i / SECTOR];
        draw_word(word_x(i), y,
                  wanted[i] ? BLUE
                  : moved   ? CREAM
                            : WHITE,
                  moved ? ORANGE : RULE, wanted[i] ? WHITE : QUIET, text);
    }
    svg_text(word_x(WORDS) + 12, y + 15, 14, LEFT, INK, "%d sector%s", sectors,
             sectors == 1 ? "" : "s");
}

static void draw_note(double y, const char *more) {
    svg_text(20, y, 13, LEFT, QUIET,
             "Drawn with 8 lanes a warp and 4 words a sector. Blue: a word that the warp wants. "
             "Cream: moved with it.%s",
             more);
}

/* ---- Offsets and strides ---- */

static int from_offset(int lane, int offset) {
    return lane + offset;
}

static int by_stride(int lane, int stride) {
    return lane * stride;
}

/* Four requests, one below the other, each with another offset or stride. */
static void draw_requests(const char *name, const char *what, const char *title, word_of *word,
                          const int values[4]) {
    char row[24];
    svg_open(folder, name, 1060, 210, title);
    for (int k = 0; k < 4; k++) {
        snprintf(row, sizeof row, "%s %d", what, values[k]);
        draw_request(24 + k * 38, row, word, values[k], NULL);
    }
    draw_note(194, "");
    svg_close();
}

/* ---- Points ---- */

static int packed_x(int lane, int coordinate) {
    return 3 * lane + coordinate;
}

static int padded_x(int lane, int coordinate) {
    return 4 * lane + coordinate;
}

static int field_x(int lane, int coordinate) {
    return LANES * coordinate + lane;
}

/* The letters of the words: coordinate c of point p is at word(p, c). */
static void name_words(char names[WORDS + 1], word_of *word) {
    memset(names, ' ', WORDS);
    names[WORDS] = '\0';
    for (int point = 0; point < LANES; point++)
        for (int c = 0; c < 3; c++) names[word(point, c)] = "xyz"[c];
}

static void draw_points(void) {
    static const struct {
        const char *title;
        word_of *word;
    } layouts[] = {
        {"packed, load x", packed_x}, {"padded, load x", padded_x}, {"arrays, load x", field_x}};
    char names[WORDS + 1];
    svg_open(folder, "lab7-points", 1060, 176,
             "Three layouts of eight points, and what the load of all x touches");
    for (int k = 0; k < 3; k++) {
        name_words(names, layouts[k].word);
        draw_request(24 + k * 38, layouts[k].title, layouts[k].word, 0, names);
    }
    draw_note(158, " The loads of y and z touch as many.");
    svg_close();
}

/* ---- Vectors ---- */

/* The words of one request by threads of `width` words, numbered by lane. */
static void draw_vector(double y, const char *title, int width) {
    svg_code(ROW_X - 14, y + 15, 14, RIGHT, INK, "%s", title);
    for (int i = 0; i < WORDS; i++) {
        char text[12];
        int lane = i / width;
        bool wanted = lane < LANES;
        snprintf(text, sizeof text, "%d", lane);
        draw_word(word_x(i), y,
                  !wanted         ? WHITE
                  : lane % 2 == 0 ? PALEBLUE
                                  : CREAM,
                  !wanted         ? RULE
                  : lane % 2 == 0 ? BLUE
                                  : ORANGE,
                  INK, wanted ? text : "");
    }
    svg_text(word_x(WORDS) + 12, y + 15, 14, LEFT, INK, "%d sectors", LANES * width / SECTOR);
}

static void draw_vectors(void) {
    svg_open(folder, "lab7-vector", 1060, 176,
             "One request of threads that take one, two and four words");
    draw_vector(24, "float", 1);
    draw_vector(62, "float2", 2);
    draw_vector(100, "float4", 4);
    svg_text(20, 158, 13, LEFT, QUIET,
             "Drawn with 8 lanes a warp and 4 words a sector. The number in a word: the lane that "
             "wants it. Every byte "
             "moved "
             "is wanted.");
    svg_close();
}

/* ---- The table ---- */

/* The number of different words of the lanes, or passes of the constant cache. */
static int distinct_words(word_of *word, int parameter) {
    bool wanted[WORDS] = {false};
    int words = 0;
    for (int lane = 0; lane < LANES; lane++) wanted[word(lane, parameter)] = true;
    for (int i = 0; i < WORDS; i++) words += wanted[i];
    return words;
}

static int from_five(int lane, int spread) {
    return (5 + lane * spread) % WORDS;
}

static void draw_table(void) {
    static const int SPREADS[] = {0, 1, 4};
    svg_open(folder, "lab7-table", 1180, 206,
             "What the lanes of a warp read of a table with three spreads");
    svg_text(word_x(WORDS) + 12, 18, 13, LEFT, QUIET, "global");
    svg_text(word_x(WORDS) + 110, 18, 13, LEFT, QUIET, "constant memory");
    for (int k = 0; k < 3; k++) {
        char title[24];
        int passes = distinct_words(from_five, SPREADS[k]);
        snprintf(title, sizeof title, "spread %d", SPREADS[k]);
        draw_request(30 + k * 38, title, from_five, SPREADS[k], NULL);
        svg_text(word_x(WORDS) + 110, 30 + k * 38 + 15, 14, LEFT, INK, "%d %s", passes,
                 passes == 1 ? "pass" : "passes");
    }
    draw_note(170, "");
    svg_text(20, 190, 13, LEFT, QUIET,
             "Global memory is charged by the sector, constant memory by the word.");
    svg_close();
}

/* ---- Two levels ---- */

enum { BINS = 6, BIN = 30 };

static void draw_bins(double x, double y, const char *fill, const char *stroke) {
    for (int bin = 0; bin < BINS; bin++) svg_rect(x + bin * BIN, y, BIN - 3, 22, 2, fill, stroke);
}

static void draw_histogram(void) {
    enum { BLOCKS = 3, PITCH = 250, TOP = 40 };
    svg_open(folder, "lab7-histogram", 800, 320,
             "Words are counted in shared memory first, then each counter goes to global memory");
    for (int block = 0; block < BLOCKS; block++) {
        double x = 40 + block * PITCH;
        svg_text(x, TOP - 12, 14, LEFT, INK, "the words of block %d", block);
        for (int word = 0; word < 8; word++) {
            svg_rect(x + word * CELL, TOP, CELL - 2, CELL - 2, 2, PALE, RULE);
            svg_arrow(x + word * CELL + 10, TOP + 22, x + (word * 5 + block) % BINS * BIN + 13,
                      TOP + 76, BLUE, 1.2);
        }
        draw_bins(x, TOP + 80, PALEBLUE, BLUE);
        for (int bin = 0; bin < BINS; bin++)
            svg_arrow(x + bin * BIN + 13, TOP + 104, 290 + bin * BIN + 13, TOP + 196, ORANGE, 1.2);
    }
    svg_text(40 + 6 * BIN + 6, TOP + 60, 13, LEFT, BLUE, "in shared");
    svg_text(40 + 6 * BIN + 6, TOP + 76, 13, LEFT, BLUE, "memory");
    draw_bins(290, TOP + 200, CREAM, ORANGE);
    svg_text(290 + BINS * BIN + 10, TOP + 216, 14, LEFT, INK, "the result, in global memory");
    svg_text(20, 304, 13, LEFT, QUIET,
             "Blue: an addition for each word. Orange: one for each counter of a block, however "
             "many words it has counted.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab7 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_requests("lab7-offset", "offset",
                  "A warp's words from several offsets on, and the sectors they lie in",
                  from_offset, (const int[]){0, 1, 3, 4});
    draw_requests("lab7-stride", "stride",
                  "A warp's words with several strides, and the sectors they lie in", by_stride,
                  (const int[]){1, 2, 3, 4});
    draw_points();
    draw_vectors();
    draw_table();
    draw_histogram();
    return 0;
}
