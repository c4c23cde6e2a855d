/* lab15.c: draws the picture of handouts/lab15.md into a folder: which lanes meet in which word. */
#include <stdio.h>

#include "svg.h"

/* A warp of eight lanes, for the width of a page, and the numbers that its lanes count. */
enum { LANES = 8, BINS = 4, COPIES = 2, LANE_WIDTH = 62, LEFT_EDGE = 130, PANEL = 126 };
static const int NUMBERS[LANES] = {3, 3, 1, 0, 3, 1, 3, 3};

static double lane_x(int lane) {
    return LEFT_EDGE + (lane + 0.5) * LANE_WIDTH;
}

static double word_x(int copy, int copies, int bin) {
    return LEFT_EDGE + (copy * BINS + bin + 0.5) * LANE_WIDTH * LANES / (BINS * copies);
}

/* How many lanes hold the number of this one, and is it the first of them? */
static int same_numbers(int lane, bool *first) {
    int same = 0;
    *first = true;
    for (int other = 0; other < LANES; other++) {
        same += NUMBERS[other] == NUMBERS[lane];
        if (other < lane && NUMBERS[other] == NUMBERS[lane]) *first = false;
    }
    return same;
}

/* The words of so many histograms at y; how much is added to each, and by how many additions. */
static void draw_words(double y, int copies, int added[COPIES][BINS], int additions[COPIES][BINS]) {
    for (int c = 0; c < copies; c++) {
        for (int b = 0; b < BINS; b++) {
            const double width = 50, x = word_x(c, copies, b);
            svg_rect(x - width / 2, y, width, 26, 3,
                     additions[c][b] > 1 ? CREAM
                     : additions[c][b]   ? PALEBLUE
                                         : WHITE,
                     RULE);
            svg_code(x, y + 18, 15, MIDDLE, added[c][b] ? INK : QUIET, "%d", added[c][b]);
            svg_code(x, y + 41, 12, MIDDLE, QUIET, "bin %d", b);
        }
    }
}

/* One way to count: the lanes with an addition of their own, and the words that they add to. */
static void draw_way(int panel, const char *name, const char *words, int copies, bool match) {
    const double y = 26 + panel * PANEL;
    int added[COPIES][BINS] = {{0}}, additions[COPIES][BINS] = {{0}};
    svg_bold(14, y + 16, 14, LEFT, INK, "%s", name);
    svg_text(14, y + 34, 13, LEFT, QUIET, "%s", words);
    for (int lane = 0; lane < LANES; lane++) {
        bool first;
        const int same = same_numbers(lane, &first), copy = lane % copies, bin = NUMBERS[lane];
        const bool adds = !match || first;
        svg_circle(lane_x(lane), y + 12, 13, adds ? BLUE : PALE, RULE);
        svg_code(lane_x(lane), y + 17, 14, MIDDLE, adds ? WHITE : QUIET, "%d", bin);
        if (!adds) continue;
        added[copy][bin] += match ? same : 1;
        additions[copy][bin]++;
        svg_arrow(lane_x(lane), y + 26, word_x(copy, copies, bin), y + 60, BLUE, 1.5);
    }
    draw_words(y + 62, copies, added, additions);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab15 FOLDER\n");
        return 2;
    }
    svg_open(argv[1], "lab15-meet", 640, 418, "A warp of eight lanes: who adds to which word");
    draw_way(0, "countShared", "one histogram", 1, false);
    draw_way(1, "countCopies", "two of them", COPIES, false);
    draw_way(2, "countMatch", "equal ones once", 1, true);
    svg_text(14, 408, 13, LEFT, QUIET,
             "Circles: the numbers of eight lanes; blue ones add. Orange: several additions to one "
             "word.");
    svg_close();
    return 0;
}
