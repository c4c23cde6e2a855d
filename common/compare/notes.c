/* notes.c: `compare notes`: what lecture notes measured on other GPUs, and what the model says of
 * the same problems.
 *
 * NOTES.tsv has the figures (run, kernel, quantity, value, where), RUNS.tsv simt's runs (run,
 * figures: which run of NOTES.tsv they repeat, title, gpu). FOLDER has RUN-run.csv and
 * RUN-metrics.csv of each run that was made. Prints, for each run, how many times are within a
 * factor of two, and how well the order of the times agrees. Nothing is judged: the status is 0. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/results.h"

enum { PATH_LENGTH = 4096, NAME_LENGTH = 256 };

#define CLOSE_FACTOR 2.0

struct notes {
    struct csv *figures, *runs;
    struct results results;
};

/* A figure of the notes, and the model's in that run; NaN if the model has none. */
static struct pair figure(const struct notes *n, int run_row, int row) {
    char name[NAME_LENGTH];
    struct pair both = {atof(csv_get(n->figures, row, "value")), NAN};
    snprintf(name, sizeof name, "%s.%s.%s", csv_get(n->runs, run_row, "run"),
             csv_get(n->figures, row, "kernel"), csv_get(n->figures, row, "quantity"));
    results_number(&n->results, name, &both.other);
    return both;
}

/* Is this figure one that the run repeats? */
static bool is_of(const struct notes *n, int row, int run_row) {
    return csv_is(n->figures, row, "run", csv_get(n->runs, run_row, "figures"));
}

/* ---- The summary: a row a run ---- */

/* How the times of a run do. */
struct score {
    int told, close; /* times in the notes; of these, within the factor */
    double rho;      /* Spearman's, of those that the model has */
};

static struct score score_of(const struct notes *n, int run_row) {
    struct pair *times = need(calloc((size_t)csv_rows(n->figures), sizeof *times));
    struct score score = {0, 0, NAN};
    for (int row = 0; row < csv_rows(n->figures); row++) {
        if (!is_of(n, row, run_row) || !csv_is(n->figures, row, "quantity", "time_ms")) continue;
        struct pair both = figure(n, run_row, row);
        times[score.told++] = both;
        score.close += distance_of(FACTOR, both) <= CLOSE_FACTOR; /* false for NaN */
    }
    score.rho = rank_correlation(times, score.told);
    free(times);
    return score;
}

/* The "kernel" is the run. */
static void put_scores(const void *notes, struct scores *scores) {
    const struct notes *n = notes;
    for (int row = 0; row < csv_rows(n->runs); row++) {
        const char *run = csv_get(n->runs, row, "run");
        struct score score = score_of(n, row);
        scores_begin(scores, 0, run, csv_get(n->runs, row, "gpu"));
        scores_put(scores, "times", score.told, 0, "times");
        scores_put(scores, "close", score.close, 0, "times");
        scores_put(scores, "rho", score.rho, 2, "0-1");
    }
}

static void put_summary(const struct notes *n, FILE *out) {
    fprintf(
        out,
        "| problem | GPU | times within %g times | order: Spearman's rho |\n|---|---|--:|--:|\n",
        CLOSE_FACTOR);
    for (int row = 0; row < csv_rows(n->runs); row++) {
        struct score score = score_of(n, row);
        fprintf(out, "| %s | %s | %d of %d | ", csv_get(n->runs, row, "title"),
                csv_get(n->runs, row, "gpu"), score.close, score.told);
        put_number(out, score.rho, 2);
        fputs(" |\n", out);
    }
}

/* ---- Every figure ---- */

static void put_value(FILE *out, double value) {
    if (isnan(value))
        fputs("NA | ", out);
    else if (fabs(value) >= 1e6)
        fprintf(out, "%.3fe9 | ", value / 1e9);
    else
        fprintf(out, "%.4g | ", value);
}

static void put_run(const struct notes *n, int run_row, FILE *out) {
    const char *flags = csv_get(n->runs, run_row, "nvcc flags");
    fprintf(out, "\n## %s\n\nLab %s%s%s, `%s`, on simt as %s.\n\n",
            csv_get(n->runs, run_row, "title"), csv_get(n->runs, run_row, "lab"),
            *flags ? " compiled with " : "", flags, csv_get(n->runs, run_row, "arguments"),
            csv_get(n->runs, run_row, "gpu"));
    fputs("| kernel | quantity | notes | model | model/notes | notes from "
          "|\n|---|---|--:|--:|--:|---|\n",
          out);
    for (int row = 0; row < csv_rows(n->figures); row++) {
        if (!is_of(n, row, run_row)) continue;
        struct pair both = figure(n, run_row, row);
        fprintf(out, "| `%s` | %s | ", csv_get(n->figures, row, "kernel"),
                csv_get(n->figures, row, "quantity"));
        put_value(out, both.reference);
        put_value(out, both.other);
        put_value(out, both.other / both.reference);
        fprintf(out, "%s |\n", csv_get(n->figures, row, "where"));
    }
}

static void put_all(const void *notes, FILE *out) {
    const struct notes *n = notes;
    fputs("# The time model against lecture notes\n\nMade by `make model-notes`; do not edit. "
          "Figures that others measured on other GPUs, and what simt says of the same problems. "
          "The\nmodel was never fitted to them. Their times are the host's, around launch and "
          "synchronisation; what a profiler printed is of\nother runs, which took longer.\n\n",
          out);
    put_summary(n, out);
    for (int row = 0; row < csv_rows(n->runs); row++) put_run(n, row, out);
}

/* ---- The whole ---- */

/* A run that was not made has no figures. */
static bool add_run(struct notes *n, const char *folder, const char *run) {
    char times[PATH_LENGTH], metrics[PATH_LENGTH];
    snprintf(times, sizeof times, "%s/%s-run.csv", folder, run);
    snprintf(metrics, sizeof metrics, "%s/%s-metrics.csv", folder, run);
    bool made = access(times, F_OK) == 0;
    return made ? results_add(&n->results, run, times, metrics)
                : results_add_absent(&n->results, run);
}

static bool read_all(struct notes *n, char **files) {
    static const char *const figure_columns[] = {"run",   "kernel", "quantity",
                                                 "value", "where",  NULL};
    static const char *const run_columns[] = {"run", "figures",   "title", "gpu",
                                              "lab", "arguments", NULL};
    n->figures = csv_read_columns(files[0], &CSV_TABS, figure_columns);
    n->runs = n->figures ? csv_read_columns(files[1], &CSV_TABS, run_columns) : NULL;
    bool ok = n->runs != NULL;
    for (int row = 0; ok && row < csv_rows(n->runs); row++)
        ok = add_run(n, files[2], csv_get(n->runs, row, "run"));
    return ok;
}

int compare_notes(const struct arguments *a, int count) {
    static struct notes n;
    (void)count;
    bool ok = read_all(&n, a->files) && write_file(a->output, put_all, &n) &&
              write_scores(a->scores, "notes", put_scores, &n);
    if (ok) put_summary(&n, stdout);
    csv_free(n.figures);
    csv_free(n.runs);
    results_free(&n.results);
    return ok ? ALL_WITHIN : CANNOT_COMPARE;
}
