/* simulator.c: draws the pictures of handouts/simulator.md into a folder. */
#include <stdio.h>

#include "svg.h"

static const char *folder;

/* A box with a heading and a line under it. */
static void box(double x, double y, double width, const char *fill, const char *heading,
                const char *below) {
    const double height = 62;
    svg_rect(x, y, width, height, 6, fill, RULE);
    svg_bold(x + width / 2, y + 26, 15, MIDDLE, INK, "%s", heading);
    svg_text(x + width / 2, y + 47, 12.5, MIDDLE, QUIET, "%s", below);
}

/* ---- From a program to its table ---- */

static void draw_way(void) {
    svg_open(folder, "simulator-way", 860, 330, "How the simulator runs a program and times it");
    box(16, 24, 170, PALE, "your program", "the same as for a GPU");
    box(236, 24, 190, PALE, "runtime library", "simt's, in place of CUDA's");
    box(476, 24, 170, PALE, "PTX", "found in the program");
    svg_arrow(186, 55, 232, 55, QUIET, 1.6);
    svg_arrow(426, 55, 472, 55, QUIET, 1.6);

    box(476, 134, 170, PALEBLUE, "warp interpreter", "32 lanes in step");
    svg_arrow(561, 86, 561, 130, QUIET, 1.6);
    box(236, 134, 190, PALEBLUE, "counters", "every access, every branch");
    svg_arrow(476, 165, 430, 165, QUIET, 1.6);
    box(16, 134, 170, PALEBLUE, "results, counts", "exact");
    svg_arrow(236, 165, 190, 165, QUIET, 1.6);

    box(476, 244, 170, CREAM, "traces", "of some blocks");
    svg_arrow(561, 196, 561, 240, QUIET, 1.6);
    box(236, 244, 190, CREAM, "replay", "on one multiprocessor");
    svg_arrow(476, 275, 430, 275, QUIET, 1.6);
    box(16, 244, 170, CREAM, "times, stalls", "modelled");
    svg_arrow(236, 275, 190, 275, QUIET, 1.6);
    svg_text(668, 160, 12.5, LEFT, QUIET, "all blocks, on all");
    svg_text(668, 177, 12.5, LEFT, QUIET, "of the CPU's cores");
    svg_text(668, 270, 12.5, LEFT, QUIET, "latencies and bandwidths");
    svg_text(668, 287, 12.5, LEFT, QUIET, "from gpus.tsv");
    svg_close();
}

/* ---- The modelled multiprocessor ---- */

enum { SCHEDULERS = 4, WARPS = 16, PER_ROW = 4, SLOT = 26 };

/* Warps 0, 4, 8 ... belong to scheduler 0, and so on. Orange: issues now; blue: ready; grey: waits.
 */
static void draw_scheduler(int scheduler, double x, double y) {
    svg_rect(x, y, 150, 158, 6, WHITE, RULE);
    svg_bold(x + 75, y + 22, 14, MIDDLE, INK, "scheduler %d", scheduler);
    for (int i = 0; i < WARPS; i++) {
        double wx = x + 23 + (i % PER_ROW) * SLOT, wy = y + 34 + (i / PER_ROW) * (SLOT - 4);
        int warp = scheduler + SCHEDULERS * i, state = (warp * 7) % 10;
        svg_rect(wx, wy, SLOT - 3, SLOT - 7, 3,
                 i == scheduler ? ORANGE
                 : state < 2    ? BLUE
                                : PALE,
                 RULE);
        svg_text(wx + (SLOT - 3) / 2.0, wy + 14, 10.5, MIDDLE,
                 state < 2 && i != scheduler ? WHITE : INK, "%d", warp);
    }
    svg_text(x + 75, y + 144, 12, MIDDLE, QUIET, "fp32  int  fp64  sfu");
}

static void draw_sm(void) {
    svg_open(folder, "simulator-sm", 860, 452,
             "The modelled multiprocessor, and what it shares with all others");
    box(16, 16, 180, PALE, "dispatcher", "blocks, one after another");
    svg_rect(16, 110, 660, 250, 8, PALEBLUE, RULE);
    svg_arrow(106, 78, 106, 106, QUIET, 1.6);
    svg_bold(30, 132, 15, LEFT, INK, "multiprocessor");
    svg_text(190, 132, 12.5, LEFT, QUIET,
             "orange: issues now. Blue: could. Grey: waits, and the model knows for what.");
    for (int s = 0; s < SCHEDULERS; s++) draw_scheduler(s, 30 + s * 160, 144);
    svg_rect(30, 312, 310, 38, 6, CREAM, RULE);
    svg_text(185, 336, 13.5, MIDDLE, INK, "load/store unit: passes, sectors");
    svg_rect(350, 312, 310, 38, 6, CREAM, RULE);
    svg_text(505, 336, 13.5, MIDDLE, INK, "L1 and shared memory");
    svg_arrow(340, 331, 348, 331, QUIET, 1.4);
    svg_arrow(505, 350, 505, 384, QUIET, 1.6);
    svg_rect(16, 388, 660, 48, 6, PALE, RULE);
    svg_text(346, 417, 14, MIDDLE, INK, "L2, then DRAM: bandwidth shared by all multiprocessors");
    svg_text(700, 180, 12.5, LEFT, QUIET, "each scheduler:");
    svg_text(700, 197, 12.5, LEFT, QUIET, "one instruction a cycle,");
    svg_text(700, 214, 12.5, LEFT, QUIET, "of a warp whose");
    svg_text(700, 231, 12.5, LEFT, QUIET, "operands are there");
    svg_text(700, 248, 12.5, LEFT, QUIET, "and whose pipe is free");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-simulator FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_way();
    draw_sm();
    return 0;
}
