/* lab1.c: draws the pictures of lab 1's handout: warps and lanes over time, a selection, a quad,
 * loops of different length. Usage: draw-lab1 FOLDER */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "svg.h"

static const char *folder;

enum { LANES = 16, LANE_HEIGHT = 13 };

/* ---- Two bodies, by thread and by warp ---- */

/* One warp: which body each lane runs, one body after the other if lanes differ. */
static void draw_warp(double x, double y, const char *title, bool by_thread, bool second) {
    enum { BODY = 150 };
    svg_bold(x, y, 14, LEFT, INK, "%s", title);
    for (int lane = 0; lane < LANES; lane++) {
        double top = y + 12 + lane * LANE_HEIGHT;
        bool lower = by_thread ? lane % 2 == 1 : second;
        double start = x + (by_thread && lower ? BODY : 0);
        if (by_thread) svg_dashed(x + (lower ? 0 : BODY), top, BODY - 4, LANE_HEIGHT - 3, 2, RULE);
        svg_rect(start, top, BODY - 4, LANE_HEIGHT - 3, 2, lower ? ORANGE : BLUE, NONE);
    }
}

static void draw_bodies(void) {
    enum { LOW = 60 + LANES * LANE_HEIGHT };
    svg_open(folder, "lab1-bodies", 960, LOW + 70,
             "A warp whose threads go both ways, and two warps that go one way each");
    svg_code(40, 26, 15, LEFT, INK, "mathKernel4Parity");
    draw_warp(40, 52, "any warp", true, false);
    svg_code(480, 26, 15, LEFT, INK, "mathKernel4Warp");
    draw_warp(480, 52, "warp 0", false, false);
    draw_warp(700, 52, "warp 1", false, true);
    svg_arrow(40, LOW + 16, 340, LOW + 16, QUIET, 1.4);
    svg_text(346, LOW + 20, 13, LEFT, QUIET, "time");
    svg_text(40, LOW + 46, 13, LEFT, QUIET,
             "Drawn with 16 lanes a warp. Blue: settleDown, orange: settleRoot, dashed: the lane "
             "sits it out."
             "");
    svg_close();
}

/* ---- A short branch becomes a selection ---- */

/* A line of code in a box. SVG drops leading spaces. */
static void draw_line(double x, double y, const char *text, const char *fill, const char *stroke) {
    static const double LETTER = 8.4; /* width at this size */
    size_t indent = strspn(text, " ");
    svg_rect(x, y, 330, 28, 4, fill, stroke);
    svg_code(x + 12 + LETTER * (double)indent, y + 19, 14, LEFT, INK, "%s", text + indent);
}

static void draw_selection(void) {
    svg_open(folder, "lab1-selection", 900, 236,
             "An if in the program, a selection in the machine");
    svg_bold(30, 30, 15, LEFT, INK, "what you write");
    static const char *const WRITTEN[] = {"if (tid % 2 == 0)", "    a = 100.0f;", "else",
                                          "    b = 200.0f;", "c[tid] = a + b;"};
    for (int i = 0; i < 5; i++) draw_line(30, 44 + i * 32, WRITTEN[i], WHITE, RULE);
    svg_arrow(376, 124, 500, 124, ORANGE, 2);
    svg_text(438, 112, 13, MIDDLE, INK, "-O3");
    svg_bold(520, 30, 15, LEFT, INK, "what runs, in every lane");
    draw_line(520, 44, "p = (tid & 1) != 0", PALEBLUE, BLUE);
    draw_line(520, 76, "c = p ? 200 : 100", CREAM, ORANGE);
    svg_text(838, 95, 13, RIGHT, QUIET, "a selection");
    draw_line(520, 108, "store c", PALEBLUE, BLUE);
    svg_text(520, 164, 13, LEFT, QUIET, "No jump. All 32 lanes take part in each line.");
    svg_close();
}

/* ---- A quad and its two triangles ---- */

static void draw_point(double x, double y, const char *name, double dx, double dy, bool own) {
    svg_circle(x, y, 6, own ? ORANGE : BLUE, own ? ORANGE : BLUE);
    svg_code(x + dx, y + dy, 15, MIDDLE, INK, "%s", name);
}

static void draw_quad(void) {
    enum { X = 60, Y = 190, SIDE = 140 };
    svg_open(
        folder, "lab1-quad", 960, 240,
        "A quad of two triangles that share two corners, and the work before and after hoisting");
    svg_line(X, Y, X + SIDE, Y, QUIET, 1.6);
    svg_line(X, Y - SIDE, X + SIDE, Y - SIDE, QUIET, 1.6);
    svg_line(X, Y, X, Y - SIDE, QUIET, 1.6);
    svg_line(X + SIDE, Y, X + SIDE, Y - SIDE, QUIET, 1.6);
    svg_line(X, Y - SIDE, X + SIDE, Y, BLUE, 2);
    draw_point(X, Y, "p1", -16, 18, true);
    draw_point(X + SIDE, Y, "p2", 18, 18, false);
    draw_point(X, Y - SIDE, "p3", -16, -8, false);
    draw_point(X + SIDE, Y - SIDE, "p4", 18, -8, true);
    svg_text(X + 42, Y - 32, 15, MIDDLE, INK, "1");
    svg_text(X + 98, Y - 96, 15, MIDDLE, INK, "2");
    svg_code(290, 40, 15, LEFT, INK, "quadBranch");
    svg_rect(290, 54, 230, 26, 3, BLUE, BLUE);
    svg_text(302, 72, 14, LEFT, WHITE, "brightness(p1, p2, p3)");
    svg_rect(526, 54, 230, 26, 3, ORANGE, ORANGE);
    svg_text(538, 72, 14, LEFT, INK, "brightness(p2, p3, p4)");
    svg_text(770, 72, 13, LEFT, QUIET, "each for half of the lanes");
    svg_code(290, 126, 15, LEFT, INK, "quadHoisted");
    svg_rect(290, 140, 60, 26, 3, CREAM, ORANGE);
    svg_text(300, 158, 14, LEFT, INK, "p = ?");
    svg_rect(356, 140, 230, 26, 3, BLUE, BLUE);
    svg_text(368, 158, 14, LEFT, WHITE, "brightness(p, p2, p3)");
    svg_text(600, 158, 13, LEFT, QUIET, "once, for all lanes");
    svg_text(290, 208, 13, LEFT, QUIET,
             "Blue corners belong to both triangles; only the orange one differs.");
    svg_close();
}

/* ---- Loops of different length ---- */

static const int TRIPS[2 * LANES] = {9, 3,  14, 6,  1, 11, 8,  16, 5,  2, 13, 10, 4, 15, 7, 12,
                                     3, 10, 6,  15, 9, 1,  12, 5,  16, 8, 2,  14, 7, 11, 4, 13};

/* A warp whose lanes take these numbers of rounds; returns the warp's rounds. */
static int draw_trips(double x, double y, const char *title, const int *trips) {
    enum { ROUND = 12 };
    int most = 0, all = 0;
    for (int lane = 0; lane < LANES; lane++) {
        most = trips[lane] > most ? trips[lane] : most;
        all += trips[lane];
    }
    for (int lane = 0; lane < LANES; lane++) {
        double top = y + 12 + lane * LANE_HEIGHT;
        svg_rect(x, top, trips[lane] * ROUND, LANE_HEIGHT - 3, 2, BLUE, NONE);
        if (trips[lane] < most)
            svg_dashed(x + trips[lane] * ROUND + 2, top, (most - trips[lane]) * ROUND - 3,
                       LANE_HEIGHT - 3, 2, RULE);
    }
    svg_bold(x, y, 14, LEFT, INK, "%s", title);
    svg_text(x, y + 30 + LANES * LANE_HEIGHT, 13, LEFT, INK, "%d rounds, %.0f %% of them used",
             most, 100.0 * all / (most * LANES));
    return most;
}

static void draw_loops(void) {
    int sorted[2 * LANES], n = 0;
    for (int trips = 1; trips <= LANES; trips++)
        for (int i = 0; i < 2 * LANES; i++)
            if (TRIPS[i] == trips) sorted[n++] = trips;
    svg_open(folder, "lab1-trips", 960, 60 + LANES * LANE_HEIGHT + 70,
             "Two warps with loops of different length, as given and sorted");
    svg_code(30, 26, 15, LEFT, INK, "tripsAsGiven");
    int given = draw_trips(30, 52, "warp 0", TRIPS) + draw_trips(256, 52, "warp 1", TRIPS + LANES);
    svg_code(510, 26, 15, LEFT, INK, "tripsSorted");
    int ordered =
        draw_trips(510, 52, "warp 0", sorted) + draw_trips(736, 52, "warp 1", sorted + LANES);
    svg_text(30, 60 + LANES * LANE_HEIGHT + 54, 13, LEFT, QUIET,
             "Drawn with 16 lanes a warp, and the same 32 jobs: %d rounds as given, %d sorted.",
             given, ordered);
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab1 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_selection();
    draw_bodies();
    draw_quad();
    draw_loops();
    return 0;
}
