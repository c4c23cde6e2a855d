/* model.c: `compare model`: the time model and a GPU, launch by launch.
 *
 * The two files are tables of `compare collect`. Prints the shares of launches that must be within a limit, and those
 * that are. Writes the whole comparison as Markdown, the points of the plot, and the scores. REASONS.tsv (columns
 * quantity, lab, kernel, size, reason; "*" is any) explains misses. A reason does not excuse a miss. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#include "lib/memory.h"

#define POINTS_IN_WHOLE  100.0
#define LARGE_DRAM_BYTES 1048576.0 /* beside them a kernel's instructions and parameters do not matter */
#define SOME_STALL       1.0       /* percent: warps wait at barriers */
#define LEAST_ORDER      0.95      /* Spearman's rho of the times of a lab */

/* The quantities of a launch that are judged. */
enum value {
    TIME,       /* ms */
    OCCUPANCY,  /* achieved, in points: 0 to 100 */
    STALL_SYNC, /* percent */
    DRAM,       /* bytes, read and written */
    INSTRUCTIONS,
    VALUES
};

/* A launch that the GPU ran and timed. */
struct timed {
    int lab, step;
    const char *const *cell;   /* as struct launch has them; the size is small, medium or large */
    struct pair value[VALUES]; /* reference: the GPU's; other: the model's, NaN where it has no such launch */
};

/* The model was tuned with the odd steps; the even ones were held back. */
static inline bool is_tuned(const struct timed *launch) {
    return launch->step % 2 == 1;
}

enum { MOST_LABS = 64 };

struct joined {
    struct table gpu, model; /* launches point into them */
    struct csv *reasons;     /* NULL: none given */
    const char *gpu_device, *model_device;
    struct timed *launches;
    int count;
    int labs[MOST_LABS], lab_count;
};

/* ---- Reading ---- */

static bool is_timed(const struct csv *csv, int row) {
    return is_cell(csv, row, "status", "ok") && cell_number(csv, row, "time_ms") > 0;
}

static double value_of(const struct csv *csv, int row, enum value value) {
    switch (value) {
    case TIME: return cell_number(csv, row, "time_ms");
    case OCCUPANCY: return POINTS_IN_WHOLE * cell_number(csv, row, "achieved_occupancy");
    case STALL_SYNC: return cell_number(csv, row, "stall_sync");
    case DRAM: return cell_number(csv, row, "dram_read_bytes") + cell_number(csv, row, "dram_write_bytes");
    default: return cell_number(csv, row, "inst_executed");
    }
}

static struct timed join(const struct joined *j, int row) {
    const struct launch *launch = &j->gpu.launches[row];
    struct timed timed = {.lab = atoi(launch->cell[LAB]), .step = atoi(launch->cell[STEP]), .cell = launch->cell};
    int model = table_find(&j->model, launch, "");
    bool modelled = model >= 0 && is_timed(j->model.csv, model);
    for (int v = 0; v < VALUES; v++)
        timed.value[v] = (struct pair){value_of(j->gpu.csv, row, (enum value)v),
                                       modelled ? value_of(j->model.csv, model, (enum value)v) : NAN};
    return timed;
}

/* The table is sorted by lab. */
static void add_launch(struct joined *j, struct timed launch) {
    bool known = j->lab_count > 0 && j->labs[j->lab_count - 1] == launch.lab;
    if (!known && j->lab_count < MOST_LABS) j->labs[j->lab_count++] = launch.lab;
    j->launches[j->count++] = launch;
}

static bool read_tables(struct joined *j, const char *gpu, const char *model, const char *reasons) {
    static const char *const columns[] = {"lab",    "size",    "step",   "launch", "kernel",
                                          "status", "time_ms", "device", NULL};
    static const char *const reason_columns[] = {"quantity", "lab", "kernel", "size", "reason", NULL};
    if (!table_read(&j->gpu, gpu, columns) || !table_read(&j->model, model, columns)) return false;
    if (reasons) j->reasons = read_columns(reasons, &CSV_TABS, reason_columns);
    return !reasons || j->reasons;
}

/* Launches that the GPU refused or did not time are left out. False with a message on stderr: a file that cannot be
 * read, has no launches, or lacks a column. */
static bool joined_read(struct joined *j, const char *gpu, const char *model, const char *reasons) {
    *j = (struct joined){0};
    if (!read_tables(j, gpu, model, reasons)) return false;
    j->launches = need(calloc((size_t)j->gpu.rows, sizeof *j->launches));
    for (int row = 0; row < j->gpu.rows; row++)
        if (is_timed(j->gpu.csv, row)) add_launch(j, join(j, row));
    j->gpu_device = csv_get(j->gpu.csv, 0, "device");
    j->model_device = csv_get(j->model.csv, 0, "device");
    if (j->count == 0) fprintf(stderr, "compare: %s has no launch that was timed\n", gpu);
    return j->count > 0;
}

static void joined_free(struct joined *j) {
    free(j->launches);
    table_free(&j->gpu);
    table_free(&j->model);
    csv_free(j->reasons);
}

/* ---- What is asked ---- */

/* A judged quantity: this share of the launches must be within the limit. */
struct quantity {
    const char *name;  /* in reasons and scores: time_1_25 */
    const char *title; /* in tables: time within 1.25 times */
    double asked;      /* share of the launches, 0 to 1; 0: shown, not judged */
    enum value value;
    enum measure measure; /* of the distance */
    double limit;         /* largest distance within the bound */
    double least;         /* launches with a smaller value on the GPU are left out */
};

enum { TIME_CLOSE, TIME_FAR, OCCUPANCY_NEAR, STALL_NEAR, STALL_NEAR_BARRIERS, DRAM_NEAR, DRAM_NEAR_LARGE, QUANTITIES };

static const struct quantity quantities[QUANTITIES] = {
    [TIME_CLOSE] = {"time_1_25", "time within 1.25 times", 0.5, TIME, FACTOR, 1.25, 0},
    [TIME_FAR] = {"time_1_6", "time within 1.6 times", 0.9, TIME, FACTOR, 1.6, 0},
    [OCCUPANCY_NEAR] = {"occupancy", "achieved_occupancy within 10 points", 0.8, OCCUPANCY, POINTS, 10, 0},
    [STALL_NEAR] = {"stall_sync", "stall_sync within 10 points", 0.8, STALL_SYNC, POINTS, 10, 0},
    [STALL_NEAR_BARRIERS] = {"stall_sync_some", "the same, where it is at least 1 %", 0, STALL_SYNC, POINTS, 10,
                             SOME_STALL},
    [DRAM_NEAR] = {"dram", "DRAM bytes within 10 %", 0.9, DRAM, PERCENT, 10, 0},
    [DRAM_NEAR_LARGE] = {"dram_large", "the same, from 1 MiB on", 0, DRAM, PERCENT, 10, LARGE_DRAM_BYTES},
};

/* NaN: the GPU has no value. Infinite: only the model has none. */
static double quantity_distance(const struct quantity *quantity, const struct timed *launch) {
    struct pair values = launch->value[quantity->value];
    if (!(values.reference >= quantity->least)) return NAN; /* so for NaN, too */
    double distance = distance_of(quantity->measure, values);
    return isnan(distance) ? INFINITY : distance;
}

/* Within the limit? A value that the model lacks is not. */
static bool is_within(const struct quantity *quantity, const struct timed *launch) {
    return quantity_distance(quantity, launch) <= quantity->limit;
}

/* ---- Shares and orders ---- */

/* A part of the launches. */
enum half { EVERY_STEP, TUNED, HELD_BACK, HALVES };
struct part {
    enum half half;
    int lab;          /* 0: all */
    const char *size; /* NULL: all */
};

struct score {
    int launches; /* with a value on the GPU */
    int within;   /* of these, within the limit */
};

static bool in_part(const struct timed *launch, struct part part) {
    if (part.half != EVERY_STEP && is_tuned(launch) != (part.half == TUNED)) return false;
    return (part.lab == 0 || part.lab == launch->lab) && (!part.size || strcmp(part.size, launch->cell[SIZE]) == 0);
}

static struct score score_of(const struct joined *joined, const struct quantity *quantity, struct part part) {
    struct score score = {0, 0};
    for (int i = 0; i < joined->count; i++) {
        const struct timed *launch = &joined->launches[i];
        if (!in_part(launch, part) || isnan(quantity_distance(quantity, launch))) continue;
        score.launches++;
        score.within += is_within(quantity, launch);
    }
    return score;
}

/* Percent; NaN where there is no launch. */
static double score_percent(struct score score) {
    return score.launches > 0 ? 100.0 * score.within / score.launches : NAN;
}

/* Spearman's rho of the times of a part. */
static double order_of(const struct joined *joined, struct part part) {
    struct pair *times = need(calloc((size_t)joined->count, sizeof *times));
    int count = 0;
    for (int i = 0; i < joined->count; i++)
        if (in_part(&joined->launches[i], part)) times[count++] = joined->launches[i].value[TIME];
    double rho = rank_correlation(times, count);
    free(times);
    return rho;
}

static const char *const sizes[] = {"small", "medium", "large"};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ---- Numbers as text ---- */

static void put_cell(FILE *out, double value, int decimals) {
    put_number(out, value, decimals);
    fputs(" | ", out);
}

static void put_both(FILE *out, struct pair values, double scale, int decimals) {
    put_cell(out, scale * values.reference, decimals);
    put_cell(out, scale * values.other, decimals);
}

static const char *verdict(bool ok) {
    return ok ? "reached" : "**not reached**";
}

/* ---- The summary ---- */

static bool reached(const struct joined *joined, const struct quantity *q) {
    return score_percent(score_of(joined, q, (struct part){EVERY_STEP, 0, NULL})) >= 100 * q->asked;
}

/* One row: the share of launches within the limit, of all and of the two halves. True if it is large enough. */
static bool put_quantity(const struct joined *j, const struct quantity *q, FILE *out) {
    fprintf(out, "| %s | ", q->title);
    if (q->asked > 0)
        fprintf(out, "%.0f %% | ", 100 * q->asked);
    else
        fputs(" | ", out);
    for (int half = 0; half < HALVES; half++) {
        struct score score = score_of(j, q, (struct part){half, 0, NULL});
        put_number(out, score_percent(score), 1);
        fprintf(out, " %% of %d | ", score.launches);
    }
    bool ok = q->asked == 0 || reached(j, q);
    fprintf(out, "%s |\n", q->asked > 0 ? verdict(ok) : "");
    return ok;
}

static bool put_order(const struct joined *j, FILE *out) {
    int above = 0;
    for (int i = 0; i < j->lab_count; i++)
        above += order_of(j, (struct part){EVERY_STEP, j->labs[i], NULL}) >= LEAST_ORDER;
    bool ok = above == j->lab_count;
    fprintf(out,
            "| order of the times within a lab: Spearman's rho at least %g | all labs | %d of %d labs | | | %s |\n",
            LEAST_ORDER, above, j->lab_count, verdict(ok));
    return ok;
}

/* True if all shares are large enough. */
static bool put_summary(const struct joined *j, FILE *out) {
    bool ok = true;
    fputs("| | asked | all launches | odd steps (tuned) | even steps (held back) | |\n|---|---|--:|--:|--:|---|\n",
          out);
    for (int q = 0; q < QUANTITIES; q++) ok &= put_quantity(j, &quantities[q], out);
    return put_order(j, out) && ok;
}

/* ---- Lab by lab ---- */

static void put_lab(const struct joined *j, int lab, FILE *out) {
    static const int shown[] = {TIME_CLOSE, TIME_FAR, OCCUPANCY_NEAR, STALL_NEAR, DRAM_NEAR};
    struct part part = {EVERY_STEP, lab, NULL};
    fprintf(out, "| %d | %d | ", lab, score_of(j, &quantities[TIME_CLOSE], part).launches);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        put_cell(out, score_percent(score_of(j, &quantities[shown[i]], part)), 0);
    put_cell(out, order_of(j, part), 3);
    for (int s = 0; s < SIZES; s++) {
        part.size = sizes[s];
        put_cell(out, order_of(j, part), 3);
    }
    fputc('\n', out);
}

static void put_labs(const struct joined *j, FILE *out) {
    fputs(
        "\n## Lab by lab\n\nShares in percent of the launches; rho of all times of the lab, and of each size alone.\n\n"
        "| lab | launches | time 1.25 | time 1.6 | occupancy | stall_sync | DRAM | rho | small | medium | large |\n"
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        out);
    for (int i = 0; i < j->lab_count; i++) put_lab(j, j->labs[i], out);
}

/* ---- What misses ---- */

static bool matches(const struct csv *reasons, int row, const char *column, const char *value) {
    return is_cell(reasons, row, column, "*") || is_cell(reasons, row, column, value);
}

static const char *reason_for(const struct joined *j, const struct quantity *q, const struct timed *l) {
    char lab[16];
    snprintf(lab, sizeof lab, "%d", l->lab);
    for (int row = 0; j->reasons && row < csv_rows(j->reasons); row++)
        if (matches(j->reasons, row, "quantity", q->name) && matches(j->reasons, row, "lab", lab) &&
            matches(j->reasons, row, "kernel", l->cell[KERNEL]) && matches(j->reasons, row, "size", l->cell[SIZE]))
            return csv_get(j->reasons, row, "reason");
    return "";
}

/* The launches of one step at one size are a group. */
static bool same_group(const struct timed *a, const struct timed *b) {
    return a->lab == b->lab && a->step == b->step && strcmp(a->cell[SIZE], b->cell[SIZE]) == 0;
}

/* The row of a group, by its first launch, if any of its launches misses. */
static void put_group(const struct joined *j, const struct quantity *q, int first, FILE *out) {
    const struct timed *l = &j->launches[first], *worst = NULL;
    int launches = 0, misses = 0;
    for (int i = first; i < j->count && same_group(l, &j->launches[i]); i++) {
        const struct timed *other = &j->launches[i];
        if (isnan(quantity_distance(q, other))) continue;
        launches++;
        misses += !is_within(q, other);
        if (!worst || quantity_distance(q, other) > quantity_distance(q, worst)) worst = other;
    }
    if (misses == 0) return;
    fprintf(out, "| %d | %d | `%s` | %s | %s | %d of %d | ", l->lab, l->step, l->cell[KERNEL], is_tuned(l) ? "" : "yes",
            l->cell[SIZE], misses, launches);
    put_cell(out, quantity_distance(q, worst), 2);
    fprintf(out, "%s |\n", reason_for(j, q, worst));
}

static void put_misses(const struct joined *j, const struct quantity *q, FILE *out) {
    fprintf(out,
            "\n### %s\n\n| lab | step | kernel | held back | size | launches that miss | worst | why |\n"
            "|--:|--:|---|---|---|--:|--:|---|\n",
            q->title);
    for (int i = 0; i < j->count; i++)
        if (i == 0 || !same_group(&j->launches[i - 1], &j->launches[i])) put_group(j, q, i, out);
}

static void put_all_misses(const struct joined *j, FILE *out) {
    static const int told[] = {TIME_FAR, OCCUPANCY_NEAR, STALL_NEAR, DRAM_NEAR};
    fputs("\n## What misses\n\nWorst: how many times as long or as short, points, or percent.\n", out);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) put_misses(j, &quantities[told[i]], out);
}

/* ---- Everything ---- */

static void put_launch(const struct timed *l, FILE *out) {
    fprintf(out, "| %d | %s | %d | `%s` | %s | %s | ", l->lab, l->cell[SIZE], l->step, l->cell[KERNEL], l->cell[GRID],
            l->cell[BLOCK]);
    put_both(out, l->value[TIME], 1000, 2);
    put_cell(out, l->value[TIME].other / l->value[TIME].reference, 2);
    put_both(out, l->value[OCCUPANCY], 1, 1);
    put_both(out, l->value[STALL_SYNC], 1, 1);
    put_both(out, l->value[DRAM], 1 / 1024.0, 0);
    put_cell(out, l->value[INSTRUCTIONS].other / l->value[INSTRUCTIONS].reference, 2);
    fputc('\n', out);
}

static void put_launches(const struct joined *j, FILE *out) {
    fputs(
        "\n## Every launch\n\nTimes in µs, with the launch; occupancy and stall_sync in points; DRAM in KiB, read and "
        "written; inst: the instructions that simt counts\nas a part of those the GPU executed.\n\n"
        "| lab | size | step | kernel | grid | block | GPU | model | model/GPU | occ. GPU | model | sync GPU | model | "
        "DRAM GPU | model | inst |\n|--:|---|--:|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        out);
    for (int i = 0; i < j->count; i++) put_launch(&j->launches[i], out);
}

static void put_report(const void *joined, FILE *out) {
    const struct joined *j = joined;
    fprintf(out,
            "# The time model: %s against %s\n\nMade by `make compare-model` from the recorded measurements; do not "
            "edit. Every launch of the labs at three sizes; the model's steps with\nodd numbers were looked at while "
            "it was built, those with even numbers were held back.\n\n",
            j->model_device, j->gpu_device);
    put_summary(j, out);
    put_labs(j, out);
    put_all_misses(j, out);
    put_launches(j, out);
}

static void put_points(const void *joined, FILE *out) {
    const struct joined *j = joined;
    fputs("lab,size,half,gpu_ms,model_ms\n", out);
    for (int i = 0; i < j->count; i++) {
        const struct timed *l = &j->launches[i];
        fprintf(out, "%d,%s,%s,", l->lab, l->cell[SIZE], is_tuned(l) ? "tuned" : "held");
        put_number(out, l->value[TIME].reference, 6);
        fputc(',', out);
        put_number(out, l->value[TIME].other, 6);
        fputc('\n', out);
    }
}

/* ---- Scores: a "kernel" is all, tuned, held or lab1 ... ---- */

static void put_part(const struct joined *j, const char *name, struct part part, struct scores *scores) {
    scores_begin(scores, part.lab, name, j->gpu_device);
    for (int q = 0; q < QUANTITIES; q++)
        scores_put(scores, quantities[q].name, score_percent(score_of(j, &quantities[q], part)), 2, "%");
    scores_put(scores, "launches", score_of(j, &quantities[TIME_CLOSE], part).launches, 0, "launches");
    scores_put(scores, "rho", order_of(j, part), 4, "0-1");
}

static void put_scores(const void *joined, struct scores *scores) {
    static const char *const names[HALVES] = {"all", "tuned", "held"};
    const struct joined *j = joined;
    for (int half = 0; half < HALVES; half++) put_part(j, names[half], (struct part){half, 0, NULL}, scores);
    for (int i = 0; i < j->lab_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "lab%d", j->labs[i]);
        put_part(j, name, (struct part){EVERY_STEP, j->labs[i], NULL}, scores);
    }
}

/* ---- The whole ---- */

int compare_model(const struct arguments *a, int count) {
    struct joined joined;
    int status = CANNOT_COMPARE;
    (void)count;
    if (joined_read(&joined, a->files[0], a->files[1], a->reasons)) {
        status = put_summary(&joined, stdout) ? ALL_WITHIN : NOT_WITHIN;
        if (!write_file(a->output, put_report, &joined) || !write_file(a->points, put_points, &joined) ||
            !write_scores(a->scores, "model", put_scores, &joined))
            status = CANNOT_COMPARE;
    }
    joined_free(&joined);
    return status;
}
