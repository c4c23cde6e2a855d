/* model_report.c: `compare model`: the time model and a GPU, launch by launch.
 *
 * The two files are tables of `compare collect`. Prints what is asked of the model and what it reaches. Writes the
 * whole comparison as Markdown, the points of the plot, and the scores. A reason (columns quantity, lab, kernel, size,
 * reason;
 * * is any) explains a miss; it does not excuse one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "model.h"
#include "write.h"

enum { MOST_LABS = 64 };

#define LEAST_ORDER 0.95 /* Spearman's rho of the times of a lab */

static const char *const sizes[] = {"small", "medium", "large"};
enum { SIZES = sizeof sizes / sizeof *sizes };

struct report {
    struct joined joined;
    struct csv *reasons; /* NULL: none given */
    int labs[MOST_LABS], lab_count;
};

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

static void find_labs(struct report *r) {
    for (int i = 0; i < r->joined.count; i++) {
        int lab = r->joined.launches[i].lab;
        bool known = r->lab_count > 0 && r->labs[r->lab_count - 1] == lab; /* the table is in their order */
        if (!known && r->lab_count < MOST_LABS) r->labs[r->lab_count++] = lab;
    }
}

static bool reached(const struct joined *joined, const struct quantity *q) {
    return score_percent(score_of(joined, q, (struct part){EVERY_STEP, 0, NULL})) >= 100 * q->asked;
}

/* One row: the share of launches within the bound, of all and of the two halves. True if it is reached, or not asked.
 */
static bool put_quantity(const struct report *r, const struct quantity *q, FILE *out) {
    fprintf(out, "| %s | ", q->title);
    if (q->asked > 0)
        fprintf(out, "%.0f %% | ", 100 * q->asked);
    else
        fputs(" | ", out);
    for (int half = 0; half < HALVES; half++) {
        struct score score = score_of(&r->joined, q, (struct part){half, 0, NULL});
        put_number(out, score_percent(score), 1);
        fprintf(out, " %% of %d | ", score.launches);
    }
    bool ok = q->asked == 0 || reached(&r->joined, q);
    fprintf(out, "%s |\n", q->asked > 0 ? verdict(ok) : "");
    return ok;
}

static bool put_order(const struct report *r, FILE *out) {
    int above = 0;
    for (int i = 0; i < r->lab_count; i++)
        above += order_of(&r->joined, (struct part){EVERY_STEP, r->labs[i], NULL}) >= LEAST_ORDER;
    bool ok = above == r->lab_count;
    fprintf(out,
            "| order of the times within a lab: Spearman's rho at least %g | all labs | %d of %d labs | | | %s |\n",
            LEAST_ORDER, above, r->lab_count, verdict(ok));
    return ok;
}

/* True if all that is asked is reached. */
static bool put_summary(const struct report *r, FILE *out) {
    bool ok = true;
    fputs("| | asked | all launches | odd steps (tuned) | even steps (held back) | |\n|---|---|--:|--:|--:|---|\n",
          out);
    for (int q = 0; q < QUANTITIES; q++) ok &= put_quantity(r, &quantities[q], out);
    return put_order(r, out) && ok;
}

/* ---- Lab by lab ---- */

static void put_lab(const struct report *r, int lab, FILE *out) {
    static const int shown[] = {TIME_CLOSE, TIME_FAR, OCCUPANCY_NEAR, STALL_NEAR, DRAM_NEAR};
    struct part part = {EVERY_STEP, lab, NULL};
    fprintf(out, "| %d | %d | ", lab, score_of(&r->joined, &quantities[TIME_CLOSE], part).launches);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        put_cell(out, score_percent(score_of(&r->joined, &quantities[shown[i]], part)), 0);
    put_cell(out, order_of(&r->joined, part), 3);
    for (int s = 0; s < SIZES; s++) {
        part.size = sizes[s];
        put_cell(out, order_of(&r->joined, part), 3);
    }
    fputc('\n', out);
}

static void put_labs(const struct report *r, FILE *out) {
    fputs(
        "\n## Lab by lab\n\nShares in percent of the launches; rho of all times of the lab, and of each size alone.\n\n"
        "| lab | launches | time 1.25 | time 1.6 | occupancy | stall_sync | DRAM | rho | small | medium | large |\n"
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        out);
    for (int i = 0; i < r->lab_count; i++) put_lab(r, r->labs[i], out);
}

/* ---- What misses ---- */

static bool matches(const struct csv *reasons, int row, const char *column, const char *value) {
    return is_cell(reasons, row, column, "*") || is_cell(reasons, row, column, value);
}

static const char *reason_for(const struct report *r, const struct quantity *q, const struct timed *l) {
    char lab[16];
    snprintf(lab, sizeof lab, "%d", l->lab);
    for (int row = 0; r->reasons && row < csv_rows(r->reasons); row++)
        if (matches(r->reasons, row, "quantity", q->name) && matches(r->reasons, row, "lab", lab) &&
            matches(r->reasons, row, "kernel", l->cell[KERNEL]) && matches(r->reasons, row, "size", l->cell[SIZE]))
            return csv_get(r->reasons, row, "reason");
    return "";
}

/* A kernel at one size, however many launches. */
static bool same_group(const struct timed *a, const struct timed *b) {
    return a->lab == b->lab && a->step == b->step && strcmp(a->cell[SIZE], b->cell[SIZE]) == 0;
}

/* The row of the group whose first launch this is, if any of it misses. */
static void put_group(const struct report *r, const struct quantity *q, int first, FILE *out) {
    const struct timed *l = &r->joined.launches[first], *worst = NULL;
    int launches = 0, misses = 0;
    for (int i = first; i < r->joined.count && same_group(l, &r->joined.launches[i]); i++) {
        const struct timed *other = &r->joined.launches[i];
        if (isnan(quantity_distance(q, other))) continue;
        launches++;
        misses += !is_within(q, other);
        if (!worst || quantity_distance(q, other) > quantity_distance(q, worst)) worst = other;
    }
    if (misses == 0) return;
    fprintf(out, "| %d | %d | `%s` | %s | %s | %d of %d | ", l->lab, l->step, l->cell[KERNEL], is_tuned(l) ? "" : "yes",
            l->cell[SIZE], misses, launches);
    put_cell(out, quantity_distance(q, worst), 2);
    fprintf(out, "%s |\n", reason_for(r, q, worst));
}

static void put_misses(const struct report *r, const struct quantity *q, FILE *out) {
    fprintf(out,
            "\n### %s\n\n| lab | step | kernel | held back | size | launches that miss | worst | why |\n"
            "|--:|--:|---|---|---|--:|--:|---|\n",
            q->title);
    for (int i = 0; i < r->joined.count; i++)
        if (i == 0 || !same_group(&r->joined.launches[i - 1], &r->joined.launches[i])) put_group(r, q, i, out);
}

static void put_all_misses(const struct report *r, FILE *out) {
    static const int told[] = {TIME_FAR, OCCUPANCY_NEAR, STALL_NEAR, DRAM_NEAR};
    fputs("\n## What misses\n\nWorst: how many times as long or as short, points, or percent.\n", out);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) put_misses(r, &quantities[told[i]], out);
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

static void put_launches(const struct report *r, FILE *out) {
    fputs(
        "\n## Every launch\n\nTimes in µs, with the launch; occupancy and stall_sync in points; DRAM in KiB, read and "
        "written; inst: the instructions that simt counts\nas a part of those the GPU executed.\n\n"
        "| lab | size | step | kernel | grid | block | GPU | model | model/GPU | occ. GPU | model | sync GPU | model | "
        "DRAM GPU | model | inst |\n|--:|---|--:|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        out);
    for (int i = 0; i < r->joined.count; i++) put_launch(&r->joined.launches[i], out);
}

static void put_report(const void *report, FILE *out) {
    const struct report *r = report;
    fprintf(out,
            "# The time model: %s against %s\n\nMade by `make compare-model` from the recorded measurements; do not "
            "edit. Every launch of the labs at three sizes; the model's steps with\nodd numbers were looked at while "
            "it was "
            "built, those with even numbers were held back.\n\n",
            r->joined.model_device, r->joined.gpu_device);
    put_summary(r, out);
    put_labs(r, out);
    put_all_misses(r, out);
    put_launches(r, out);
}

static void put_points(const void *report, FILE *out) {
    const struct report *r = report;
    fputs("lab,size,half,gpu_ms,model_ms\n", out);
    for (int i = 0; i < r->joined.count; i++) {
        const struct timed *l = &r->joined.launches[i];
        fprintf(out, "%d,%s,%s,", l->lab, l->cell[SIZE], is_tuned(l) ? "tuned" : "held");
        put_number(out, l->value[TIME].reference, 6);
        fputc(',', out);
        put_number(out, l->value[TIME].other, 6);
        fputc('\n', out);
    }
}

/* ---- Scores: a "kernel" is all, tuned, held or lab1 ... ---- */

static void put_part(const struct report *r, const char *name, struct part part, struct scores *scores) {
    scores_begin(scores, part.lab, name, r->joined.gpu_device);
    for (int q = 0; q < QUANTITIES; q++)
        scores_put(scores, quantities[q].name, score_percent(score_of(&r->joined, &quantities[q], part)), 2, "%");
    scores_put(scores, "launches", score_of(&r->joined, &quantities[TIME_CLOSE], part).launches, 0, "launches");
    scores_put(scores, "rho", order_of(&r->joined, part), 4, "0-1");
}

static void put_scores(const void *report, struct scores *scores) {
    static const char *const names[HALVES] = {"all", "tuned", "held"};
    const struct report *r = report;
    for (int half = 0; half < HALVES; half++) put_part(r, names[half], (struct part){half, 0, NULL}, scores);
    for (int i = 0; i < r->lab_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "lab%d", r->labs[i]);
        put_part(r, name, (struct part){EVERY_STEP, r->labs[i], NULL}, scores);
    }
}

/* ---- The whole ---- */

static bool read_reasons(struct report *r, const char *path) {
    static const char *const columns[] = {"quantity", "lab", "kernel", "size", "reason", NULL};
    if (path) r->reasons = read_columns(path, &CSV_TABS, columns);
    return !path || r->reasons;
}

static bool write_all(const struct report *r, const struct arguments *a) {
    return write_file(a->output, put_report, r) && write_file(a->points, put_points, r) &&
           write_scores(a->scores, "model", put_scores, r);
}

int compare_model(const struct arguments *a, int count) {
    static struct report r;
    int status = CANNOT_COMPARE;
    (void)count;
    if (joined_read(&r.joined, a->files[0], a->files[1]) && read_reasons(&r, a->reasons)) {
        find_labs(&r);
        status = put_summary(&r, stdout) ? ALL_WITHIN : NOT_WITHIN;
        if (!write_all(&r, a)) status = CANNOT_COMPARE;
    }
    joined_free(&r.joined);
    csv_free(r.reasons);
    return status;
}
