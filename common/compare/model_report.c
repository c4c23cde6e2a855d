/* model-compare: the time model against a GPU, launch by launch.
 *
 *   model-compare [--reasons REASONS.tsv] [--output TABLE.md] [--points POINTS.csv] [--scores SCORES.csv] GPU.csv
 * MODEL.csv
 *
 * The two are tables of model-rows. Prints what is asked of the model and what it reaches; writes the whole comparison
 * as Markdown, the points of the plot, and the scores as a table of metrics, which texts
 * can name. A reason (columns quantity, lab, kernel, size, reason; * is any) explains a miss; it does not excuse
 * one. Exit status: 0 all that is asked is reached, 1 something is not, 2 the files cannot be compared or written. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_judge.h"
#include "lib/outfile.h"
#include "lib/printed.h"

enum { EXIT_NOT_REACHED = 1, EXIT_BAD_USE = 2, MOST_LABS = 64 };

#define LEAST_ORDER 0.95 /* Spearman's rho of the times of a lab */

static const char *const sizes[] = {"small", "medium", "large"};
enum { SIZES = sizeof sizes / sizeof *sizes };

struct report {
    struct joined joined;
    struct csv *reasons; /* NULL: none given */
    int labs[MOST_LABS], lab_count;
};

/* ---- Numbers as text ---- */

static void put_number(FILE *out, double value, int decimals) {
    if (isnan(value))
        fputs("NA", out);
    else if (isinf(value))
        fputs("none", out);
    else
        fprintf(out, "%.*f", decimals, value);
}

static void put_cell(FILE *out, double value, int decimals) {
    put_number(out, value, decimals);
    fputs(" | ", out);
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
    static const int shown[] = {TIME_CLOSE, TIME_FAR, OCCUPANCY, STALL_SYNC, DRAM};
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
    const char *cell = csv_get(reasons, row, column);
    return strcmp(cell, "*") == 0 || strcmp(cell, value) == 0;
}

static const char *reason_for(const struct report *r, const struct quantity *q, const struct launch *l) {
    char lab[16];
    snprintf(lab, sizeof lab, "%d", l->lab);
    for (int row = 0; r->reasons && row < csv_rows(r->reasons); row++)
        if (matches(r->reasons, row, "quantity", q->name) && matches(r->reasons, row, "lab", lab) &&
            matches(r->reasons, row, "kernel", l->kernel) && matches(r->reasons, row, "size", l->size))
            return csv_get(r->reasons, row, "reason");
    return "";
}

/* A kernel at one size, however many launches. */
static bool same_group(const struct launch *a, const struct launch *b) {
    return a->lab == b->lab && a->step == b->step && strcmp(a->size, b->size) == 0;
}

/* The row of the group whose first launch this is, if any of it misses. */
static void put_group(const struct report *r, const struct quantity *q, int first, FILE *out) {
    const struct launch *l = &r->joined.launches[first], *worst = NULL;
    int launches = 0, misses = 0;
    for (int i = first; i < r->joined.count && same_group(l, &r->joined.launches[i]); i++) {
        const struct launch *other = &r->joined.launches[i];
        if (isnan(q->distance(other))) continue;
        launches++;
        misses += !is_within(q, other);
        if (!worst || q->distance(other) > q->distance(worst)) worst = other;
    }
    if (misses == 0) return;
    fprintf(out, "| %d | %d | `%s` | %s | %s | %d of %d | ", l->lab, l->step, l->kernel, is_tuned(l) ? "" : "yes",
            l->size, misses, launches);
    put_cell(out, q->distance(worst), 2);
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
    static const int told[] = {TIME_FAR, OCCUPANCY, STALL_SYNC, DRAM};
    fputs("\n## What misses\n\nWorst: how many times as long or as short, points, or percent.\n", out);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) put_misses(r, &quantities[told[i]], out);
}

/* ---- Everything ---- */

static void put_launch(const struct launch *l, FILE *out) {
    fprintf(out, "| %d | %s | %d | `%s` | %s | %s | ", l->lab, l->size, l->step, l->kernel, l->grid, l->block);
    put_cell(out, 1000 * l->gpu.time_ms, 2);
    put_cell(out, 1000 * l->model.time_ms, 2);
    put_cell(out, l->model.time_ms / l->gpu.time_ms, 2);
    put_cell(out, l->gpu.occupancy, 1);
    put_cell(out, l->model.occupancy, 1);
    put_cell(out, l->gpu.stall_sync, 1);
    put_cell(out, l->model.stall_sync, 1);
    put_cell(out, l->gpu.dram_bytes / 1024, 0);
    put_cell(out, l->model.dram_bytes / 1024, 0);
    put_cell(out, l->model.instructions / l->gpu.instructions, 2);
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

static void put_report(const struct report *r, FILE *out) {
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

static void put_points(const struct report *r, FILE *out) {
    fputs("lab,size,half,gpu_ms,model_ms\n", out);
    for (int i = 0; i < r->joined.count; i++) {
        const struct launch *l = &r->joined.launches[i];
        fprintf(out, "%d,%s,%s,", l->lab, l->size, is_tuned(l) ? "tuned" : "held");
        put_number(out, l->gpu.time_ms, 6);
        fputc(',', out);
        put_number(out, l->model.time_ms, 6);
        fputc('\n', out);
    }
}

/* ---- Scores as metrics of a run: a "kernel" is all, tuned, held or lab1 ... ---- */

static void put_score(const struct report *r, const char *name, struct part part, FILE *out) {
    for (int q = 0; q < QUANTITIES; q++) {
        struct score score = score_of(&r->joined, &quantities[q], part);
        fprintf(out, "%d,0,%s,NA,NA,%s,", part.lab, name, quantities[q].name);
        put_number(out, score_percent(score), 2);
        fprintf(out, ",%%,model,%s\n", r->joined.gpu_device);
    }
    fprintf(out, "%d,0,%s,NA,NA,launches,%d,launches,model,%s\n", part.lab, name,
            score_of(&r->joined, &quantities[TIME_CLOSE], part).launches, r->joined.gpu_device);
    fprintf(out, "%d,0,%s,NA,NA,rho,", part.lab, name);
    put_number(out, order_of(&r->joined, part), 4);
    fprintf(out, ",0-1,model,%s\n", r->joined.gpu_device);
}

static void put_metrics(const struct report *r, FILE *out) {
    static const char *const names[HALVES] = {"all", "tuned", "held"};
    fputs("lab,step,kernel,grid,block,metric,value,unit,backend,device\n", out);
    for (int half = 0; half < HALVES; half++) put_score(r, names[half], (struct part){half, 0, NULL}, out);
    for (int i = 0; i < r->lab_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "lab%d", r->labs[i]);
        put_score(r, name, (struct part){EVERY_STEP, r->labs[i], NULL}, out);
    }
}

/* ---- The whole ---- */

static bool write_file(const struct report *r, const char *path, void (*put)(const struct report *, FILE *)) {
    struct outfile out;
    bool ok = outfile_open(&out, path);
    if (ok) {
        put(r, out.file);
        ok = outfile_commit(&out);
    }
    if (!ok) fprintf(stderr, "model-compare: cannot write %s: %s\n", path, strerror(errno));
    return ok;
}

struct arguments {
    const char *reasons, *output, *points, *scores;
    char **files; /* two */
};

static bool write_all(const struct report *r, const struct arguments *a) {
    return (!a->output || write_file(r, a->output, put_report)) &&
           (!a->points || write_file(r, a->points, put_points)) &&
           (!a->scores || write_file(r, a->scores, put_metrics));
}

static bool parse(struct arguments *a, int argc, char **argv) {
    const struct {
        const char *name, **place;
    } flags[] = {
        {"--reasons", &a->reasons}, {"--output", &a->output}, {"--points", &a->points}, {"--scores", &a->scores}};
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        size_t f = 0;
        while (f < sizeof flags / sizeof *flags && strcmp(argv[i], flags[f].name) != 0) f++;
        if (f == sizeof flags / sizeof *flags) return false;
        *flags[f].place = argv[i + 1];
    }
    a->files = argv + i;
    return argc - i == 2;
}

static bool read_all(struct report *r, const struct arguments *a) {
    char error[512] = "";
    bool ok = joined_read(&r->joined, a->files[0], a->files[1], error, sizeof error);
    if (ok && a->reasons) ok = (r->reasons = csv_read(a->reasons, &CSV_TABS, error, sizeof error)) != NULL;
    if (!ok) fprintf(stderr, "model-compare: %s\n", error);
    if (ok) find_labs(r);
    return ok;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    static struct report r;
    struct arguments a = {0};
    if (!parse(&a, argc, argv)) {
        fprintf(stderr,
                "Usage: model-compare [--reasons REASONS.tsv] [--output TABLE.md] [--points POINTS.csv] [--scores "
                "SCORES.csv] GPU.csv MODEL.csv\n");
        return EXIT_BAD_USE;
    }
    int status = EXIT_BAD_USE;
    if (read_all(&r, &a)) status = put_summary(&r, stdout) ? EXIT_SUCCESS : EXIT_NOT_REACHED;
    if (status != EXIT_BAD_USE && !write_all(&r, &a)) status = EXIT_BAD_USE;
    joined_free(&r.joined);
    csv_free(r.reasons);
    return status;
}
