/* truth_report.c: writes the truth table, every launch, the points of the plot and the scores. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

#include "lib/memory.h"

enum { WORST = 10 };
#define US_IN_MS 1000.0

static const struct part of_labs = {OF_LABS, NULL, ALL_THIRDS},
                         of_counted = {OF_COUNTED, NULL, ALL_THIRDS};

static void put_cell(FILE *out, double value, int decimals) {
    put_number(out, value, decimals);
    fputs(" | ", out);
}

static void put_both(FILE *out, struct pair values, double scale, int decimals) {
    put_cell(out, scale * values.reference, decimals);
    put_cell(out, scale * values.other, decimals);
}

/* ---- Labs and suites ---- */

static struct part third_of(struct part part, enum third third) {
    part.third = third;
    return part;
}

/* " (old)": a time of the part is from another model than the random kernels'. */
static const char *age_of(const struct truth *t, struct part part) {
    for (int i = 0; i < t->count; i++)
        if (truth_in_part(&t->launches[i], part) && truth_is_old(t, &t->launches[i]))
            return " (old)";
    return "";
}

/* A row: all launches of the part, then the tuned and the held-back ones. */
static void put_part(const struct truth *t, const char *suite, const char *name, struct part part,
                     FILE *out) {
    fprintf(out, "| %s%s | %s | %d | ", suite, age_of(t, part), name,
            truth_score(t, &quantities[TIME_FAR], part).launches);
    put_cell(out, truth_mean_error(t, part), 1);
    put_cell(out, truth_pearson(t, part), 3);
    put_cell(out, truth_spearman(t, part), 3);
    for (enum third third = ALL_THIRDS; third < THIRDS; third++) {
        struct score close = truth_score(t, &quantities[TIME_CLOSE], third_of(part, third));
        if (third != ALL_THIRDS) fprintf(out, "%d | ", close.launches);
        put_cell(out, close.share, 1);
        put_cell(out, truth_score(t, &quantities[TIME_FAR], third_of(part, third)).share, 1);
    }
    int missing = 0;
    for (int i = 0; i < t->count; i++) {
        struct timed there = t->launches[i];
        there.on_simt = true;
        missing += !t->launches[i].on_simt && truth_in_part(&there, part);
    }
    fprintf(out, "%d |\n", missing);
}

static const char *const suite_names[SUITES] = {"default size", "three sizes", "programs by others",
                                                "random kernels", "random kernels, PTX alone"};

/* The first suite of the part. */
static const char *suite_of(struct part part) {
    return suite_names[__builtin_ctz(part.suites)];
}

static void put_group(const struct truth *t, struct part part, void *out) {
    put_part(t, suite_of(part), part.group, part, out);
}

static void put_groups(const struct truth *t, FILE *out) {
    fputs("\n## Labs and suites\n\nLaunches; mean absolute error in percent; Pearson's correlation "
          "of the times' logarithms; Spearman's rank correlation; shares within 1.25 and "
          "1.6\ntimes in percent, of all, of those tuned with, and of those held back. Not on "
          "simt: launches that were recorded on the GPU only.\nWhere a lab's largest size is its "
          "default one, its launches were measured twice and count twice.\nRandom kernels: half is "
          "held back, by the SHA-256 of the seed. Old: from another model than theirs.\n\n"
          "| suite | | launches | error | Pearson | Spearman | 1.25 | 1.6 | tuned | 1.25 | 1.6 | "
          "held back | 1.25 | 1.6 | not on simt "
          "|\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          out);
    put_part(t, "labs", "all", of_labs, out);
    for (enum suite suite = DEFAULT_SIZE; suite < SUITES; suite++) {
        struct part part = {1u << suite, NULL, ALL_THIRDS};
        if (truth_score(t, &quantities[TIME_FAR], part).launches)
            put_part(t, suite_names[suite], "all", part, out);
    }
    truth_each_group(t, put_group, out);
}

/* ---- Metrics ---- */

static void put_metrics(const struct truth *t, FILE *out) {
    fputs(
        "\n## Counts and metrics\n\nIn percent of the launches: counts of the labs at three sizes "
        "and of random kernels, with machine code; metrics of the labs.\n\n"
        "| | all | of | tuned | of | held back | of |\n|---|--:|--:|--:|--:|--:|--:|\n",
        out);
    for (int q = INSTRUCTIONS_NEAR; q < QUANTITIES; q++) {
        struct part part = q <= FLOPS_NEAR ? of_counted : of_labs;
        fprintf(out, "| %s | ", quantities[q].title);
        for (enum third third = ALL_THIRDS; third < THIRDS; third++) {
            struct score score = truth_score(t, &quantities[q], third_of(part, third));
            put_cell(out, score.share, 1);
            fprintf(out, "%d | ", score.launches);
        }
        fputc('\n', out);
    }
}

/* ---- The worst ---- */

static const char *reason_for(const struct truth *t, const struct quantity *q,
                              const struct timed *l) {
    const char *reason = truth_reason(t, q->value, l);
    return reason ? reason : truth_distance(q, l) > q->limit ? "not known" : "";
}

/* The distances of all launches. qsort gets no argument. */
static const double *distances;

static int by_distance(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return distances[x] != distances[y] ? (distances[x] < distances[y] ? 1 : -1) : x - y;
}

static void put_launch_of(const char *whose, const struct timed *l, FILE *out) {
    fprintf(out, "| %s | `%s` | %s | %s | %s | %s | ", whose, l->cell[KERNEL], l->cell[GRID],
            l->cell[BLOCK], l->cell[SIZE], l->held_back ? "yes" : "");
}

static void put_launch_cells(const struct timed *l, FILE *out) {
    put_launch_of(l->program ? l->program : l->cell[STEP], l, out);
}

/* Prints the launches of the part that are farthest off: at most ten, and none with a smaller
 * distance than least. */
static void put_worst(const struct truth *t, const struct quantity *q, struct part part,
                      double least, FILE *out) {
    const bool time = q->value == TIME;
    double *of_launch = need(calloc((size_t)t->count, sizeof *of_launch));
    int *order = need(calloc((size_t)t->count, sizeof *order)), count = 0;
    for (int i = 0; i < t->count; i++) {
        of_launch[i] = truth_distance(q, &t->launches[i]);
        if (truth_in_part(&t->launches[i], part) && of_launch[i] > least) order[count++] = i;
    }
    distances = of_launch;
    qsort(order, (size_t)count, sizeof *order, by_distance);
    fprintf(out, "| %s | kernel | grid | block | size | held back | GPU%s | simt | %s | reason |\n",
            part.suites & OF_OTHERS ? "program" : "step", time ? ", µs" : "",
            time ? "simt/GPU" : "off by");
    fputs("|---|---|---|---|---|---|--:|--:|--:|---|\n", out);
    for (int i = 0; i < count && i < WORST; i++) {
        const struct timed *l = &t->launches[order[i]];
        struct pair values = l->value[q->value];
        put_launch_cells(l, out);
        put_both(out, values, time ? US_IN_MS : 1, time ? 2 : 1);
        put_cell(out, time ? values.other / values.reference : of_launch[order[i]], 2);
        fprintf(out, "%s |\n", reason_for(t, q, l));
    }
    free(of_launch);
    free(order);
}

static void put_worst_of_group(const struct truth *t, struct part part, void *out) {
    if (part.suites & (OF_RANDOM | OF_RANDOM_PTX)) return; /* nobody looks at those held back */
    fprintf(out, "\n### %s, %s\n\n", part.group, suite_of(part));
    put_worst(t, &quantities[TIME_CLOSE], part, 0, out);
}

/* ---- Counts ---- */

/* The first count of the launch that is beyond its limit; NULL: none is. */
static const struct quantity *count_beyond(const struct timed *l) {
    for (int q = INSTRUCTIONS_NEAR; q <= FLOPS_NEAR; q++)
        if (truth_distance(&quantities[q], l) > quantities[q].limit) return &quantities[q];
    return NULL;
}

/* Every launch with a count beyond its limit. */
static void put_counts(const struct truth *t, FILE *out) {
    int hidden = 0;
    fputs("\n## Counts beyond 2 %\n\nsimt's counts as parts of the GPU's.\n\n"
          "| | kernel | grid | block | size | held back | instructions | branches | operations | "
          "reason |\n|---|---|---|---|---|---|--:|--:|--:|---|\n",
          out);
    for (int i = 0; i < t->count; i++) {
        const struct timed *l = &t->launches[i];
        const struct quantity *beyond = truth_in_part(l, of_counted) ? count_beyond(l) : NULL;
        bool is_hidden = beyond && l->suite == RANDOM && l->held_back;
        hidden += is_hidden;
        if (!beyond || is_hidden) continue;
        put_launch_of(l->group, l, out);
        for (enum value v = INSTRUCTIONS; v <= FLOPS; v++)
            put_cell(out, l->value[v].reference ? l->value[v].other / l->value[v].reference : NAN,
                     3);
        fprintf(out, "%s |\n", reason_for(t, beyond, l));
    }
    fprintf(out, "\nAnd %d random kernels that are held back: nobody looks at those.\n", hidden);
}

/* ---- Neighbours ---- */

static void put_neighbour(const struct timed *l, FILE *out) {
    fprintf(out, "%s `%s` %s %s | ", l->cell[STEP], l->cell[KERNEL], l->cell[GRID], l->cell[BLOCK]);
}

static void put_reversed(const struct neighbours *n, void *with) {
    FILE *out = with;
    if (!truth_is_reversed(n)) return;
    fprintf(out, "| %s | %s | ", n->slower->group,
            n->slower->suite == DEFAULT_SIZE ? "default" : n->slower->cell[SIZE]);
    put_neighbour(n->slower, out);
    put_neighbour(n->faster, out);
    put_both(out, n->ratios, 1, 2);
    fputc('\n', out);
}

/* ---- Files ---- */

void truth_put_report(const void *truth, FILE *out) {
    const struct truth *t = truth;
    fprintf(out,
            "# Modelled times against measured ones: %s against %s\n\nHow far simt's times are "
            "from those of a GPU, launch by launch. Made by `make truth` from the recorded "
            "measurements; do not edit.\nLabs: their launches at the default size and at three "
            "sizes. A launch is held back from tuning where the SHA-256 of kernel, grid\nand "
            "block, as Nsight Compute prints them, is a multiple of 3.\n\n",
            t->simt_device, t->gpu_device);
    if (t->plot)
        fprintf(out, "![Modelled time against measured time of every launch](%s)\n\n", t->plot);
    if (t->model)
        fprintf(out,
                "Random kernels and programs by others: the model of commit %s, unless old.\n\n",
                t->model);
    fputs("## What is asked\n\n", out);
    truth_put_asked(t, out);
    put_groups(t, out);
    put_metrics(t, out);
    put_counts(t, out);
    fputs("\n## Neighbours in another order\n\nOne launch follows the other in the table of a run, "
          "or one step the other: then each is the fastest launch of its step. The slower takes "
          "over\n10 % longer on the GPU, and does not on simt. The ratios are of both times.\n\n"
          "| lab | size | slower | faster | GPU | simt |\n|---|---|---|---|--:|--:|\n",
          out);
    truth_each_order(t, OF_LABS, put_reversed, out);
    fputs("\n## The ten worst times of each\n\nWith what is known of the model that makes them so. "
          "Every launch counts, with a reason or without.\n",
          out);
    truth_each_group(t, put_worst_of_group, out);
    fputs("\n## The ten worst metrics beyond the limit\n", out);
    for (int q = OCCUPANCY_NEAR; q < QUANTITIES; q++) {
        fprintf(out, "\n### %s\n\n", quantities[q].title);
        put_worst(t, &quantities[q], of_labs, quantities[q].limit, out);
    }
}

void truth_put_launches(const void *truth, FILE *out) {
    const struct truth *t = truth;
    fprintf(out,
            "# Every launch of the labs: %s against %s\n\nMade by `make truth` from the recorded "
            "measurements; do not edit. Times in µs, with the launch; occupancy and stall_sync in "
            "points;\nDRAM in KiB, read and written; inst: the instructions that simt counts as a "
            "part of those the GPU executed.\n\n"
            "| lab | step | kernel | grid | block | size | held back | GPU | simt | simt/GPU | "
            "occ. GPU | simt | sync GPU | simt | DRAM GPU | simt | inst |\n"
            "|---|--:|---|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
            t->simt_device, t->gpu_device);
    for (int i = 0; i < t->count; i++)
        if (truth_in_part(&t->launches[i], of_labs)) {
            fprintf(out, "| %s ", t->launches[i].group);
            put_launch_cells(&t->launches[i], out);
            put_both(out, t->launches[i].value[TIME], US_IN_MS, 2);
            put_cell(out, t->launches[i].value[TIME].other / t->launches[i].value[TIME].reference,
                     2);
            put_both(out, t->launches[i].value[OCCUPANCY], 1, 1);
            put_both(out, t->launches[i].value[STALL_SYNC], 1, 1);
            put_both(out, t->launches[i].value[DRAM], 1 / 1024.0, 0);
            put_cell(out,
                     t->launches[i].value[INSTRUCTIONS].other /
                         t->launches[i].value[INSTRUCTIONS].reference,
                     2);
            fputc('\n', out);
        }
}

void truth_put_points(const void *truth, FILE *out) {
    static const char *const names[SUITES] = {"default", "sizes", "others", "random", "ptx"};
    const struct truth *t = truth;
    fputs("suite,half,gpu_ms,simt_ms\n", out);
    for (int i = 0; i < t->count; i++) {
        const struct timed *l = &t->launches[i];
        if (!l->on_simt) continue;
        fprintf(out, "%s,%s,", names[l->suite], l->held_back ? "held" : "tuned");
        put_number(out, l->value[TIME].reference, 6);
        fputc(',', out);
        put_number(out, l->value[TIME].other, 6);
        fputc('\n', out);
    }
}

/* ---- Scores: a "kernel" is all, tuned, held or others, or a recording at its default size ---- */

/* In expressions a - is a minus: lab1-debug is called lab1_debug. */
static void put_scores_of(const struct truth *t, const char *name, struct part part,
                          struct scores *scores) {
    char called[GROUP_NAME];
    snprintf(called, sizeof called, "%s", name);
    for (char *c = called; *c; c++)
        if (*c == '-') *c = '_';
    scores_begin(scores, 0, called, t->gpu_device);
    for (int q = 0; q < QUANTITIES; q++)
        scores_put(scores, quantities[q].name, truth_score(t, &quantities[q], part).share, 2, "%");
    scores_put(scores, "launches", truth_score(t, &quantities[TIME_CLOSE], part).launches, 0,
               "launches");
    scores_put(scores, "error", truth_mean_error(t, part), 2, "%");
    scores_put(scores, "rho", truth_spearman(t, part), 4, "0-1");
}

static void put_group_scores(const struct truth *t, struct part part, void *scores) {
    if (part.suites == 1u << DEFAULT_SIZE) put_scores_of(t, part.group, part, scores);
}

void truth_put_scores(const void *truth, struct scores *scores) {
    static const char *const names[THIRDS] = {"all", "tuned", "held"};
    for (enum third third = ALL_THIRDS; third < THIRDS; third++)
        put_scores_of(truth, names[third], third_of(of_labs, third), scores);
    put_scores_of(truth, "others", (struct part){OF_OTHERS, NULL, ALL_THIRDS}, scores);
    put_scores_of(truth, "random", (struct part){OF_RANDOM, NULL, HELD_BACK}, scores);
    put_scores_of(truth, "random_ptx", (struct part){OF_RANDOM_PTX, NULL, HELD_BACK}, scores);
    truth_each_group(truth, put_group_scores, scores);
}

/* ---- How far to trust a kernel's time, by what it does ---- */

static const struct kind {
    const char *id, *name;
    const char *families; /* NULL: all that no other kind has */
} kinds[] = {{"PLAIN", "of such kernels", NULL},
             {"LOCAL", "with local arrays", "local"},
             {"ATOMIC", "with atomics", "atomic"},
             {"BRANCH", "with divergent branches", "branch trips"},
             {"GATHER", "with scattered loads", "gather chase"},
             {"SHARED", "with shared memory", "shared"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct kind *kind_of(const struct timed *launch) {
    for (int k = 1; k < KINDS; k++)
        if (strstr(kinds[k].families, launch->group)) return &kinds[k];
    return &kinds[0];
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nine of ten launches of the kind are within so many times of the GPU's. */
static double within(const struct truth *t, const struct kind *kind, enum suite suite, int *count) {
    double *off = need(calloc((size_t)t->count + 1, sizeof *off));
    *count = 0;
    for (int i = 0; i < t->count; i++) {
        const struct timed *launch = &t->launches[i];
        const struct pair time = launch->value[TIME];
        if (launch->suite != suite || !launch->on_simt || kind_of(launch) != kind) continue;
        double ratio = time.other / time.reference;
        off[(*count)++] = ratio > 0 ? fmax(ratio, 1 / ratio) : INFINITY;
    }
    qsort(off, (size_t)*count, sizeof *off, by_value);
    double found = *count ? off[(*count * 9 + 9) / 10 - 1] : NAN;
    free(off);
    return found;
}

void truth_put_trust(const void *truth, FILE *out) {
    const struct truth *t = truth;
    fputs("/* Written by `make truth-report`: TRUST(kind, words, random kernels, nine of ten are "
          "within\n * so many times of an H200's: with machine code, from PTX alone) */\n",
          out);
    for (int k = 0; k < KINDS; k++) {
        int count;
        double machine = within(t, &kinds[k], RANDOM, &count),
               ptx = within(t, &kinds[k], RANDOM_PTX, &count);
        fprintf(out, "TRUST(%s, \"%s\", %d, %.2f, %.2f)\n", kinds[k].id, kinds[k].name, count,
                machine, ptx);
    }
}
