/* lab3.c: draws the pictures of handouts/lab3.md into a folder.
 *
 * The program runs each kernel's indices on sixteen numbers and draws the additions and their
 * counts, so the pictures match the kernels.
 *
 * To fit a page, a warp has 4 lanes here instead of 32, and a block 16 threads instead of 1024. */
#include <stdio.h>
#include <string.h>

#include "svg.h"

static const char *folder;

/* ---- The rounds of one block: steps 1 to 3 ---- */

enum { ELEMENTS = 16, LANES = 4 };

/* Where thread tid adds in the round of this stride; -1 if it idles. The kernels differ in this. */
typedef int target_of(int tid, int stride);

static int neighbored(int tid, int stride) {
    return tid % (2 * stride) == 0 ? tid : -1;
}

static int neighbored_less(int tid, int stride) {
    int index = 2 * stride * tid;
    return index < ELEMENTS ? index : -1;
}

static int interleaved(int tid, int stride) {
    return tid < stride ? tid : -1;
}

static const int NUMBERS[ELEMENTS] = {3, 1, 7, 0, 4, 1, 6, 3, 2, 5, 8, 1, 0, 9, 2, 4};

enum {
    COLUMN = 46,
    GRID_X = 62,
    CELL = 34,
    ROUND_HEIGHT = 158,
    NOTES_X = GRID_X + ELEMENTS * COLUMN + 18
};

static double column_x(int i) {
    return GRID_X + (i + 0.5) * COLUMN;
}

/* The numbers in memory: cream if the round has written them, grey if no later round reads them. */
static void draw_elements(double y, const int *values, const bool *written, const bool *needed) {
    for (int i = 0; i < ELEMENTS; i++) {
        svg_rect(column_x(i) - CELL / 2.0, y, CELL, CELL - 6, 3,
                 written[i]  ? CREAM
                 : needed[i] ? WHITE
                             : PALE,
                 written[i] ? ORANGE : RULE);
        if (written[i])
            svg_bold(column_x(i), y + 20, 15, MIDDLE, INK, "%d", values[i]);
        else
            svg_text(column_x(i), y + 20, 15, MIDDLE, needed[i] ? INK : RULE, "%d", values[i]);
    }
}

/* The threads in their warps; target[t] is where thread t adds, -1 if it idles. Returns the number
 * of busy warps. */
static int draw_threads(double y, const int *target) {
    int busy = 0;
    for (int warp = 0; warp < ELEMENTS / LANES; warp++) {
        bool works = false;
        for (int lane = 0; lane < LANES; lane++) works |= target[warp * LANES + lane] >= 0;
        busy += works;
        double x = column_x(warp * LANES) - COLUMN / 2.0 + 3;
        if (works)
            svg_rect(x, y, LANES * COLUMN - 6, CELL, CELL / 2.0, PALEBLUE, BLUE);
        else
            svg_dashed(x, y, LANES * COLUMN - 6, CELL, CELL / 2.0, RULE);
    }
    for (int t = 0; t < ELEMENTS; t++) {
        bool works = target[t] >= 0;
        svg_circle(column_x(t), y + CELL / 2.0, 12, works ? BLUE : WHITE, works ? BLUE : RULE);
        svg_text(column_x(t), y + CELL / 2.0 + 5, 13, MIDDLE, works ? WHITE : QUIET, "%d", t);
    }
    return busy;
}

/* One round, y its top: the threads, what they load from the numbers above, and the numbers they
 * leave below. */
static void draw_round(double y, int stride, target_of *target_fn, int *values,
                       const bool *needed_after) {
    int target[ELEMENTS], adding = 0;
    bool written[ELEMENTS] = {false};
    for (int t = 0; t < ELEMENTS; t++) {
        target[t] = target_fn(t, stride);
        if (target[t] < 0) continue;
        adding++;
        written[target[t]] = true;
        double cx = column_x(t), top = y + 44, below = y + 44 + CELL;
        svg_line(column_x(target[t]), y, cx, top + 5, BLUE, 1.4);
        svg_line(column_x(target[t] + stride), y, cx, top + 5, BLUE, 1.4);
        svg_arrow(cx, below - 4, column_x(target[t]), y + ROUND_HEIGHT - CELL + 5, ORANGE, 1.6);
    }
    int busy = draw_threads(y + 44, target);
    for (int t = 0; t < ELEMENTS; t++)
        if (target[t] >= 0) values[target[t]] += values[target[t] + stride];
    draw_elements(y + ROUND_HEIGHT - CELL + 6, values, written, needed_after);
    svg_bold(NOTES_X, y + 56, 15, LEFT, INK, "stride %d", stride);
    svg_text(NOTES_X, y + 76, 14, LEFT, INK, "%d of %d threads add", adding, ELEMENTS);
    svg_text(NOTES_X, y + 95, 14, LEFT, busy == 1 ? INK : BLUE, "%d of %d warps busy", busy,
             ELEMENTS / LANES);
}

/* Which numbers the round of this stride reads. */
static void mark_needed(target_of *target_fn, int stride, bool *needed) {
    memset(needed, 0, ELEMENTS * sizeof *needed);
    for (int t = 0; t < ELEMENTS; t++) {
        int target = target_fn(t, stride);
        if (target >= 0) needed[target] = needed[target + stride] = true;
    }
}

/* All rounds of a kernel; strides end with 0. */
static void draw_rounds(const char *name, const char *title, target_of *target_fn,
                        const int *strides) {
    int values[ELEMENTS], rounds = 0;
    bool none[ELEMENTS] = {false}, needed[ELEMENTS];
    memcpy(values, NUMBERS, sizeof values);
    while (strides[rounds] != 0) rounds++;
    svg_open(folder, name, NOTES_X + 182, 56 + rounds * ROUND_HEIGHT + 44, title);
    mark_needed(target_fn, strides[0], needed);
    for (int i = 0; i < ELEMENTS; i++) svg_text(column_x(i), 18, 12, MIDDLE, QUIET, "%d", i);
    svg_code(GRID_X - 6, 18, 12, RIGHT, QUIET, "index");
    svg_code(GRID_X - 6, 46, 13, RIGHT, INK, "idata");
    draw_elements(26, values, none, needed);
    for (int r = 0; r < rounds; r++) {
        double y = 54 + r * ROUND_HEIGHT;
        svg_code(GRID_X - 6, y + 66, 13, RIGHT, BLUE, "tid");
        svg_code(GRID_X - 6, y + ROUND_HEIGHT - CELL + 26, 13, RIGHT, INK, "idata");
        if (strides[r + 1] != 0)
            mark_needed(target_fn, strides[r + 1], needed);
        else
            memset(needed, 0, sizeof needed);
        draw_round(y, strides[r], target_fn, values, needed);
    }
    svg_text(GRID_X, 56 + rounds * ROUND_HEIGHT + 28, 13, LEFT, QUIET,
             "Drawn with 4 lanes a warp. Blue: a thread that adds, a warp that has one. Cream: "
             "just written. Grey: never "
             "read again.");
    svg_close();
}

/* ---- What one warp's load touches ---- */

enum { WORDS_A_SECTOR = 8, SECTORS = 32, WORD_WIDTH = 3, WARP = 32, SECTOR_GAP = 3 };

static void draw_load(double y, const char *kernel, const char *which, int words_apart) {
    bool sector_read[SECTORS] = {false}, word_read[SECTORS * WORDS_A_SECTOR] = {false};
    int sectors = 0;
    for (int lane = 0; lane < WARP; lane++) {
        word_read[lane * words_apart] = true;
        sector_read[lane * words_apart / WORDS_A_SECTOR] = true;
    }
    svg_code(20, y - 10, 14, LEFT, INK, "%s", kernel);
    svg_text(200, y - 10, 14, LEFT, QUIET, "%s", which);
    for (int s = 0; s < SECTORS; s++) {
        double x = 20 + s * (WORDS_A_SECTOR * WORD_WIDTH + SECTOR_GAP);
        sectors += sector_read[s];
        svg_rect(x, y, WORDS_A_SECTOR * WORD_WIDTH, 24, 2, sector_read[s] ? CREAM : WHITE,
                 sector_read[s] ? ORANGE : RULE);
        for (int w = 0; w < WORDS_A_SECTOR; w++)
            if (word_read[s * WORDS_A_SECTOR + w])
                svg_rect(x + w * WORD_WIDTH, y + 3, WORD_WIDTH - 0.6, 18, 0, BLUE, NONE);
    }
    double x = 20 + SECTORS * (WORDS_A_SECTOR * WORD_WIDTH + SECTOR_GAP) + 8;
    svg_bold(x, y + 11, 14, LEFT, INK, "%d sectors", sectors);
    svg_text(x, y + 28, 13, LEFT, QUIET, "%g %% wanted", 100.0 * WARP / (sectors * WORDS_A_SECTOR));
}

static void draw_sectors(void) {
    svg_open(folder, "lab3-sectors", 1020, 304,
             "Sectors that one load of a warp touches, neighbouring and apart");
    draw_load(40, "reduceInterleaved", "every stride of 32 or more: 32 neighbouring words", 1);
    draw_load(104, "reduceNeighboredLess", "          stride 1: every second word", 2);
    draw_load(168, "reduceNeighboredLess", "          stride 2: every fourth word", 4);
    draw_load(232, "reduceNeighboredLess",
              "          stride 4: every eighth word, and further apart from here on", 8);
    svg_text(20, 286, 13, LEFT, QUIET,
             "One load of a full warp of 32 lanes. A box is a 32-byte sector, the least that "
             "memory hands over: 8 "
             "words. Blue: a "
             "word that a lane asked for.");
    svg_close();
}

/* ---- Blocks and their sums ---- */

static void draw_blocks(void) {
    enum { BLOCKS = 4, SHORT = 5, CHUNK = 8, WORD = 24 };
    svg_open(folder, "lab3-blocks", 960, 250,
             "Each block adds up its chunk; the CPU adds up the blocks' sums");
    double width = CHUNK * WORD + 14;
    svg_code(84, 47, 14, RIGHT, INK, "g_idata");
    svg_code(84, 170, 14, RIGHT, INK, "g_odata");
    for (int b = 0; b < BLOCKS; b++) {
        double x = 100 + b * width, center = x + CHUNK * WORD / 2.0;
        int present = b == BLOCKS - 1 ? SHORT : CHUNK;
        for (int i = 0; i < CHUNK; i++) {
            if (i < present)
                svg_rect(x + i * WORD, 30, WORD - 2, 26, 2, WHITE, QUIET);
            else
                svg_dashed(x + i * WORD, 30, WORD - 2, 26, 2, RULE);
        }
        svg_arrow(x + 4, 60, center - 30, 92, BLUE, 1.4);
        svg_arrow(x + CHUNK * WORD - 6, 60, center + 30, 92, BLUE, 1.4);
        svg_rect(center - 52, 94, 104, 30, 15, BLUE, BLUE);
        svg_text(center, 114, 15, MIDDLE, WHITE, "block %d", b);
        svg_arrow(center, 126, center, 150, ORANGE, 1.6);
        svg_rect(center - 28, 152, 56, 26, 2, CREAM, ORANGE);
        svg_text(center, 170, 14, MIDDLE, INK, "sum %d", b);
        svg_line(center, 180, 100 + BLOCKS * width / 2 - 7, 214, QUIET, 1.2);
    }
    svg_text(100 + 3 * width + CHUNK * WORD - 2, 22, 13, RIGHT, QUIET, "beyond n: not there");
    svg_text(100 + BLOCKS * width / 2 - 7, 234, 15, MIDDLE, INK,
             "the CPU adds the blocks' sums: one number");
    svg_close();
}

/* ---- Unrolling by chunks: steps 4 to 6 ---- */

/* The start of one thread in time: its loads, all in flight together, then the sum and the store.
 */
static void draw_timeline(double x, double y, int chunks) {
    enum { WAIT = 150, BAR = 12, ROW = 17 };
    svg_bold(x, y, 15, LEFT, INK, "one thread, in time");
    for (int c = 0; c < chunks; c++) {
        double start = x + 14 * c, top = y + 16 + c * ROW;
        svg_rect(start, top, WAIT, BAR, 2, PALEBLUE, BLUE);
        svg_rect(start, top, 10, BAR, 2, BLUE, BLUE);
        svg_text(start + 18, top + 10, 11, LEFT, BLUE, "load %d in flight", c + 1);
    }
    double end = x + 14 * (chunks - 1) + WAIT, low = y + 16 + chunks * ROW;
    svg_rect(end, low, 26, BAR, 2, ORANGE, ORANGE);
    svg_text(end - 8, low + 10, 12, RIGHT, INK, "add, store");
    svg_text(x, low + 36, 13, LEFT, QUIET, "%d loads take little longer than one", chunks);
}

/* A block of eight threads and its chunks, one under the other: a column has a thread's words. Only
 * the first `present` words exist; a thread with a gap in its column is orange. */
static void draw_chunks(double x, double y, int chunks, int present, const char *title) {
    enum { THREADS = 8, WORD = 32, ROW = 32 };
    svg_bold(x, y, 15, LEFT, INK, "%s", title);
    for (int c = 0; c < chunks; c++) {
        svg_text(x - 8, y + 34 + c * ROW, 12, RIGHT, QUIET, "chunk %d", c);
        for (int t = 0; t < THREADS; t++) {
            double left = x + t * WORD, top = y + 14 + c * ROW;
            if (c * THREADS + t < present) {
                svg_rect(left, top, WORD - 4, ROW - 6, 3, c == 0 ? CREAM : WHITE,
                         c == 0 ? ORANGE : QUIET);
                svg_text(left + WORD / 2.0 - 2, top + 18, 13, MIDDLE, INK, "%d", c * THREADS + t);
            } else {
                svg_dashed(left, top, WORD - 4, ROW - 6, 3, RULE);
            }
        }
    }
    double low = y + 14 + chunks * ROW + 12;
    for (int t = 0; t < THREADS; t++) {
        double center = x + t * WORD + WORD / 2.0 - 2;
        bool whole = (chunks - 1) * THREADS + t < present;
        svg_circle(center, low + 14, 12, whole ? BLUE : ORANGE, whole ? BLUE : ORANGE);
        svg_text(center, low + 19, 13, MIDDLE, whole ? WHITE : INK, "%d", t);
    }
    svg_code(x - 8, low + 19, 13, RIGHT, BLUE, "tid");
}

static void draw_unroll(int chunks) {
    enum { SHORT_BY = 5, HEIGHT = 124, LEAST = 190 };
    char name[32], title[96];
    double height = chunks * 32 + HEIGHT > LEAST ? chunks * 32 + HEIGHT : LEAST;
    snprintf(name, sizeof name, "lab3-unroll%d", chunks);
    snprintf(title, sizeof title, "Each thread first adds its words of %d chunks", chunks);
    svg_open(folder, name, 1060, height, title);
    draw_chunks(80, 28, chunks, chunks * 8, "a full block");
    draw_chunks(430, 28, chunks, chunks * 8 - SHORT_BY, "the last block");
    draw_timeline(740, 28, chunks);
    svg_text(80, height - 14, 13, LEFT, QUIET,
             "Drawn with 8 threads a block. Each adds its column into chunk 0 (cream). Orange "
             "threads lack a word, and "
             "add what "
             "there is.");
    svg_close();
}

/* ---- Who waits for whom: step 7 ---- */

enum { ROUNDS = 11, WARPS = 32, BAR_WIDTH = 36, WARP_HEIGHT = 8 };

#define WAITING "#F3D592"

static const char *const ROUND_NAMES[ROUNDS] = {"fold", "512", "256", "128", "64", "32",
                                                "16",   "8",   "4",   "2",   "1"};

/* Warps with a working thread in round r of a block of 1024. */
static int warps_adding(int r) {
    int threads = r == 0 ? 1024 : 1024 >> r;
    return threads < WARP ? 1 : threads / WARP;
}

/* All warps of a block over its rounds. From round `last_warp` on, only warp 0 runs. Returns the
 * arrivals at barriers of warps that have added nothing. */
static int draw_warps(double x, double y, int last_warp) {
    int waits = 0;
    for (int r = 0; r < ROUNDS; r++) {
        svg_text(x + (r + 0.5) * BAR_WIDTH, y - 6, 12, MIDDLE, r >= last_warp ? BLUE : INK, "%s",
                 ROUND_NAMES[r]);
        for (int w = 0; w < WARPS; w++) {
            bool adds = w < warps_adding(r), lives = r < last_warp || w == 0;
            if (!lives) continue;
            waits += !adds;
            svg_rect(x + r * BAR_WIDTH + 1, y + w * WARP_HEIGHT, BAR_WIDTH - 3, WARP_HEIGHT - 2, 1,
                     adds ? BLUE : WAITING, NONE);
        }
        if (r < last_warp)
            svg_line(x + (r + 1) * BAR_WIDTH - 0.5, y - 2, x + (r + 1) * BAR_WIDTH - 0.5,
                     y + WARPS * WARP_HEIGHT, RED, 1.6);
    }
    return waits;
}

static void draw_last_warp(void) {
    enum { TOP = 70, LEFT_X = 90, RIGHT_X = 540 };
    double low = TOP + WARPS * WARP_HEIGHT;
    svg_open(folder, "lab3-warp8", 960, low + 88,
             "Which warps of a block add, wait or have ended, round by round");
    svg_code(LEFT_X, 26, 16, LEFT, INK, "reduceUnroll8");
    svg_code(RIGHT_X, 26, 16, LEFT, INK, "reduceUnrollWarp8");
    svg_text(LEFT_X - 12, TOP - 6, 12, RIGHT, QUIET, "stride");
    svg_text(LEFT_X - 12, TOP + 8, 12, RIGHT, QUIET, "warp 0");
    svg_text(LEFT_X - 12, low - 2, 12, RIGHT, QUIET, "warp 31");
    int before = draw_warps(LEFT_X, TOP, ROUNDS), after = draw_warps(RIGHT_X, TOP, 5);
    svg_text(LEFT_X, low + 24, 14, LEFT, INK, "%d block barriers, %d waits for nothing", ROUNDS,
             before);
    svg_text(RIGHT_X, low + 24, 14, LEFT, INK, "5 block barriers, %d waits for nothing", after);
    svg_text(RIGHT_X + 5 * BAR_WIDTH + 10, TOP + 60, 14, LEFT, QUIET, "warps 1 to 31 have ended:");
    svg_text(RIGHT_X + 5 * BAR_WIDTH + 10, TOP + 80, 14, LEFT, QUIET, "their slots stay empty");
    svg_text(RIGHT_X + 5 * BAR_WIDTH + 10, TOP + 100, 14, LEFT, QUIET, "until warp 0 ends, too");
    svg_text(LEFT_X, low + 62, 13, LEFT, QUIET,
             "A block of 1024 threads; fold: eight chunks into one. Blue: the warp adds. Yellow: "
             "it only waits at the "
             "barrier. Red "
             "line: a block barrier.");
    svg_close();
}

/* ---- What the loop costs: steps 8 and 9 ---- */

/* A round as a row of boxes, about one for each instruction; the loop's are orange. Returns the
 * right end. */
static double draw_box(double x, double y, const char *text, bool overhead) {
    double width = 8.6 * (double)strlen(text) + 14;
    svg_rect(x, y, width, 28, 4, overhead ? CREAM : PALEBLUE, overhead ? ORANGE : BLUE);
    svg_code(x + width / 2, y + 19, 14, MIDDLE, INK, "%s", text);
    return x + width + 6;
}

static void draw_row(double y, const char *label, const char *const *boxes, unsigned overhead) {
    double x = 220;
    svg_text(204, y + 19, 14, RIGHT, INK, "%s", label);
    for (int i = 0; boxes[i] != NULL; i++) x = draw_box(x, y, boxes[i], overhead >> i & 1);
}

static void draw_complete(void) {
    static const char *const LOOP[] = {"stride > 32?", "tid < stride?", "load",       "load", "add",
                                       "store",        "barrier",       "stride / 2", NULL};
    static const char *const LINE[] = {"block >= 512?", "tid < 256?", "load",    "load",
                                       "add",           "store",      "barrier", NULL};
    static const char *const TEMPLATE[] = {"tid < 256?", "load",    "load", "add",
                                           "store",      "barrier", NULL};
    svg_open(folder, "lab3-complete", 960, 176, "What is left of one round when the loop goes");
    draw_row(16, "loop (step 7)", LOOP, 0x81);
    draw_row(60, "written out (step 8)", LINE, 0x01);
    draw_row(104, "template (step 9)", TEMPLATE, 0);
    svg_text(220, 160, 13, LEFT, QUIET,
             "One round for one warp. Orange adds no numbers and is the same for every thread: "
             "work for a compiler.");
    svg_close();
}

static void draw_template(void) {
    enum { LINES = 4 };
    static const int AT_LEAST[LINES] = {1024, 512, 256, 128};
    static const int BLOCKS[] = {1024, 256, 64};
    svg_open(folder, "lab3-template", 960, 222,
             "Rounds that the compiler keeps for three block sizes");
    for (int b = 0; b < 3; b++) {
        double x = 20 + b * 316;
        svg_code(x, 30, 15, LEFT, INK, "reduceCompleteUnroll<%d>", BLOCKS[b]);
        for (int i = 0; i < LINES; i++) {
            bool kept = BLOCKS[b] >= AT_LEAST[i];
            double y = 62 + i * 30;
            if (kept)
                svg_rect(x, y - 18, 290, 26, 4, PALEBLUE, BLUE);
            else
                svg_dashed(x, y - 18, 290, 26, 4, RULE);
            svg_code(x + 10, y, 13, LEFT, kept ? INK : QUIET, "round of stride %d",
                     AT_LEAST[i] / 2);
            svg_text(x + 280, y, 12, RIGHT, kept ? BLUE : QUIET,
                     kept ? "kept, no question" : "not compiled");
        }
    }
    svg_text(20, 206, 13, LEFT, QUIET,
             "blockSize is a constant when the template is compiled: blockSize >= 512 is true or "
             "false there, once for all.");
    svg_close();
}

int main(int argc, char **argv) {
    static const int UP[] = {1, 2, 4, 8, 0}, DOWN[] = {8, 4, 2, 1, 0};
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab3 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_blocks();
    draw_rounds("lab3-neighbored", "Rounds of reduceNeighbored on 16 numbers", neighbored, UP);
    draw_rounds("lab3-neighboredless", "Rounds of reduceNeighboredLess on 16 numbers",
                neighbored_less, UP);
    draw_rounds("lab3-interleaved", "Rounds of reduceInterleaved on 16 numbers", interleaved, DOWN);
    draw_sectors();
    draw_unroll(2);
    draw_unroll(4);
    draw_unroll(8);
    draw_last_warp();
    draw_complete();
    draw_template();
    return 0;
}
