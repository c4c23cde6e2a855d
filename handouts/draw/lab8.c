/* lab8.c: draws the pictures of handouts/lab8.md into a folder.
 *
 * Banks and passes are computed from the lanes' addresses.
 *
 * To fit a page, a warp has 8 lanes here instead of 32, and shared memory 8 banks. */
#include <stdio.h>
#include <string.h>

#include "svg.h"

enum { LANES = 8, BANKS = 8, CELL = 26, MOST_WORDS = 64 };

static const char *folder;

/* ---- The rule ---- */

/* The passes of lanes begin to end - 1, if lane l reads `width` words from word[l] on: the most
 * different words of one bank. */
static int passes_of(const int word[LANES], int begin, int end, int width) {
    bool wanted[MOST_WORDS] = {false};
    int most = 0;
    for (int lane = begin; lane < end; lane++)
        for (int w = 0; w < width; w++) wanted[word[lane] + w] = true;
    for (int bank = 0; bank < BANKS; bank++) {
        int different = 0;
        for (int w = bank; w < MOST_WORDS; w += BANKS) different += wanted[w];
        if (different > most) most = different;
    }
    return most;
}

static const char *plural(int passes) {
    return passes == 1 ? "pass" : "passes";
}

/* ---- Shared memory as rows of banks ---- */

/* Rows of words. The words of lanes begin to end - 1 have the lane's number, and a colour that
 * shows a conflict. */
static void draw_memory(double x, double y, int rows, const int word[LANES], int begin, int end,
                        int width, bool conflict) {
    const char *color = conflict ? ORANGE : BLUE;
    char text[8];
    for (int bank = 0; bank < BANKS; bank++)
        svg_text(x + bank * CELL + CELL / 2.0 - 1, y - 6, 11, MIDDLE, QUIET, "%d", bank);
    for (int w = 0; w < rows * BANKS; w++) {
        int reader = -1, readers = 0;
        for (int lane = begin; lane < end; lane++)
            if (w >= word[lane] && w < word[lane] + width && readers++ == 0) reader = lane;
        svg_rect(x + w % BANKS * CELL, y + w / BANKS * CELL, CELL - 2, CELL - 2, 2,
                 readers ? color : WHITE, readers ? color : RULE);
        if (readers == 0) continue;
        snprintf(text, sizeof text, readers > 1 ? "all" : "%d", reader);
        svg_text(x + w % BANKS * CELL + CELL / 2.0 - 1, y + w / BANKS * CELL + 17, 12, MIDDLE,
                 conflict ? INK : WHITE, "%s", text);
    }
}

/* ---- Strides: step 1 ---- */

static void draw_strides(void) {
    static const int STRIDES[] = {1, 2, 3, 4, 7, 8};
    svg_open(folder, "lab8-strides", 880, 640,
             "Where the words of eight lanes lie, for six strides");
    for (int k = 0; k < 6; k++) {
        double x = 30 + k % 3 * 288, y = 66 + k / 3 * 300;
        int word[LANES];
        for (int lane = 0; lane < LANES; lane++) word[lane] = lane * STRIDES[k];
        int passes = passes_of(word, 0, LANES, 1);
        svg_bold(x, y - 30, 16, LEFT, INK, "stride %d", STRIDES[k]);
        draw_memory(x, y, 8, word, 0, LANES, 1, passes > 1);
        svg_bold(x + 120, y - 30, 16, LEFT, INK, "%d %s", passes, plural(passes));
    }
    svg_text(30, 626, 13, LEFT, QUIET,
             "Drawn with 8 lanes and 8 banks (columns). Numbers: the lane that wants the word. "
             "Orange: two or more in one "
             "bank.");
    svg_close();
}

/* ---- Sharing a word: step 3 ---- */

static void draw_broadcast(void) {
    static const struct {
        const char *title;
        int word[LANES];
    } CASES[] = {{"one word for all", {3, 3, 3, 3, 3, 3, 3, 3}},
                 {"two lanes a word", {0, 0, 1, 1, 2, 2, 3, 3}},
                 {"one bank, two words", {3, 3, 3, 3, 11, 11, 11, 11}}};
    svg_open(folder, "lab8-broadcast", 880, 230,
             "Lanes that share a word share a pass; different words of a bank do not");
    for (int k = 0; k < 3; k++) {
        double x = 30 + k * 288;
        int passes = passes_of(CASES[k].word, 0, LANES, 1);
        svg_bold(x, 34, 16, LEFT, INK, "%s:", CASES[k].title);
        svg_bold(x, 56, 16, LEFT, INK, "%d %s", passes, plural(passes));
        for (int w = 0; w < 2 * BANKS; w++) {
            bool wanted = false;
            for (int lane = 0; lane < LANES; lane++) wanted |= CASES[k].word[lane] == w;
            const char *color = passes > 1 ? ORANGE : BLUE;
            svg_rect(x + w % BANKS * CELL, 130 + w / BANKS * CELL, CELL - 2, CELL - 2, 2,
                     wanted ? color : WHITE, wanted ? color : RULE);
        }
        for (int lane = 0; lane < LANES; lane++) {
            svg_circle(x + lane * CELL + 12, 80, 10, WHITE, BLUE);
            svg_text(x + lane * CELL + 12, 84, 12, MIDDLE, INK, "%d", lane);
            int w = CASES[k].word[lane];
            svg_line(x + lane * CELL + 12, 91, x + w % BANKS * CELL + 12, 133 + w / BANKS * CELL,
                     QUIET, 1);
        }
    }
    svg_text(30, 214, 13, LEFT, QUIET,
             "Drawn with 8 lanes and 8 banks. A pass serves one word of each bank, to any number "
             "of lanes.");
    svg_close();
}

/* ---- Wider words: steps 7 and 8 ---- */

/* The parts of the warp that are served together, each with its words. */
static void draw_width(double y, int width, int stride) {
    int word[LANES], together = LANES / width, total = 0;
    for (int lane = 0; lane < LANES; lane++) word[lane] = lane * stride * width;
    for (int begin = 0; begin < LANES; begin += together) {
        double x = 30 + begin / together * 240;
        int passes = passes_of(word, begin, begin + together, width);
        svg_text(x, y - 24, 13, LEFT, QUIET, "lanes %d to %d: %d %s", begin, begin + together - 1,
                 passes, plural(passes));
        draw_memory(x, y, 4, word, begin, begin + together, width, passes > 1);
        total += passes;
    }
    svg_bold(30, y - 48, 16, LEFT, INK, "%d bytes a lane, stride %d: %d passes", 4 * width, stride,
             total);
}

static void draw_wide(void) {
    svg_open(folder, "lab8-wide", 1000, 590,
             "Words of 8 and 16 bytes are served to half and to a quarter of the warp at a time");
    draw_width(76, 2, 1);
    draw_width(266, 2, 2);
    draw_width(456, 4, 1);
    svg_text(30, 580, 13, LEFT, QUIET,
             "Drawn with 8 lanes and 8 banks. All banks together give 32 bytes in a pass here, 128 "
             "in truth.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab8 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_strides();
    draw_broadcast();
    draw_wide();
    return 0;
}
