/* lab12.c: draws the pictures of handouts/lab12.md into a folder. The schedules are computed: each
 * engine does one thing at a time, in the order in which the host has asked for it, and each stream
 * keeps its order. */
#include <stdio.h>

#include "svg.h"

static const char *folder;

/* ---- The path of the data ---- */

static void draw_array(double x, double y, const char *name, const char *fill) {
    svg_rect(x, y, 110, 34, 3, fill, RULE);
    svg_code(x + 55, y + 22, 15, MIDDLE, INK, "%s", name);
}

static void draw_path(void) {
    svg_open(folder, "lab12-path", 700, 300, "The path of a, b and c between host and device");
    svg_rect(16, 30, 668, 76, 6, PALE, RULE);
    svg_rect(16, 186, 668, 76, 6, PALE, RULE);
    svg_bold(32, 52, 14, LEFT, INK, "host");
    svg_bold(32, 208, 14, LEFT, INK, "device");
    const char *const names[] = {"a", "b", "c"}, *const there[] = {"d_a", "d_b", "d_c"};
    const double at[] = {110, 240, 540};
    for (int i = 0; i < 3; i++) {
        draw_array(at[i], 52, names[i], i < 2 ? PALEBLUE : CREAM);
        draw_array(at[i], 208, there[i], i < 2 ? PALEBLUE : CREAM);
    }
    for (int i = 0; i < 2; i++) svg_arrow(at[i] + 55, 90, at[i] + 55, 204, BLUE, 2);
    svg_arrow(595, 204, 595, 90, ORANGE, 2);
    svg_arrow(354, 225, 534, 225, INK, 2);
    svg_code(444, 216, 14, MIDDLE, INK, "vectorAdd");
    svg_text(310, 150, 14, LEFT, INK, "cudaMemcpy over PCI Express");
    svg_text(32, 288, 13, LEFT, QUIET,
             "The host allocates and frees on both sides, and asks for each arrow.");
    svg_close();
}

/* ---- Schedules ---- */

enum {
    STREAMS = 4,
    ENGINES = 3,
    COPY = 2,
    KERNEL = 1
}; /* a share's copy takes twice as long as its kernel */
enum engine { TO_DEVICE, COMPUTE, TO_HOST };

/* A schedule while it is drawn: when each engine and each stream is free. */
struct schedule {
    int engine_free[ENGINES], stream_free[STREAMS];
    double x, y;
};

static const double UNIT = 22, ROW = 34;

static void add_work(struct schedule *schedule, enum engine engine, int stream, int length,
                     const char *name) {
    const char *const fills[] = {PALEBLUE, WHITE, CREAM}, *const strokes[] = {BLUE, INK, ORANGE};
    int *engine_free = &schedule->engine_free[engine],
        *stream_free = &schedule->stream_free[stream];
    int begin = *engine_free > *stream_free ? *engine_free : *stream_free;
    svg_rect(schedule->x + begin * UNIT, schedule->y + engine * ROW, length * UNIT - 2, 28, 2,
             fills[engine], strokes[engine]);
    svg_text(schedule->x + (begin + length / 2.0) * UNIT - 1, schedule->y + engine * ROW + 19, 12,
             MIDDLE, INK, "%s%d", name, stream);
    *engine_free = *stream_free = begin + length;
}

static int end_of(const struct schedule *schedule) {
    int end = 0;
    for (int i = 0; i < STREAMS; i++)
        end = schedule->stream_free[i] > end ? schedule->stream_free[i] : end;
    return end;
}

static void draw_schedule(double y, const char *title, int streams, int copy, int kernel) {
    static const char *const engines[] = {"to device", "kernels", "to host"};
    struct schedule schedule = {.x = 110, .y = y};
    svg_bold(16, y - 10, 14, LEFT, INK, "%s", title);
    for (int i = 0; i < ENGINES; i++)
        svg_text(16, y + i * ROW + 19, 13, LEFT, INK, "%s", engines[i]);
    for (int i = 0; i < streams; i++) {
        add_work(&schedule, TO_DEVICE, i, copy, "a");
        add_work(&schedule, TO_DEVICE, i, copy, "b");
        add_work(&schedule, COMPUTE, i, kernel, "k");
        add_work(&schedule, TO_HOST, i, copy, "c");
    }
    svg_bold(schedule.x + end_of(&schedule) * UNIT + 10, y + 2 * ROW + 19, 14, LEFT, INK, "%d",
             end_of(&schedule));
}

static void draw_overlap(void) {
    svg_open(folder, "lab12-overlap", 800, 330,
             "The copies and kernels of one stream, and of four, in time");
    draw_schedule(40, "one stream", 1, STREAMS * COPY, STREAMS * KERNEL);
    draw_schedule(188, "four streams, depth first", STREAMS, COPY, KERNEL);
    svg_text(16, 316, 13, LEFT, QUIET,
             "Each engine does one thing at a time; each stream keeps its order. Time runs to the "
             "right.");
    svg_close();
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: draw-lab12 FOLDER\n");
        return 2;
    }
    folder = argv[1];
    draw_path();
    draw_overlap();
    return 0;
}
