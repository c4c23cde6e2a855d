/* model-notes: what lecture notes measured on other GPUs, beside what the model says of the same problems.
 *
 *   model-notes --output TABLE.md --scores SCORES.csv NOTES.tsv RUNS.tsv FOLDER
 *
 * NOTES.tsv has the figures (run, kernel, quantity, value, where), RUNS.tsv the runs they belong to (run, title, gpu);
 * FOLDER has RUN-run.csv and RUN-metrics.csv of each run that was made. Prints and writes, for each run, how many times
 * are within a factor of two and how well their order agrees; the scores also as a table of metrics, which texts can
 * name. Exit status: 0, or 2 for files that cannot be read or written; how good the model is, is for the reader to
 * judge. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/csv.h"
#include "lib/outfile.h"
#include "lib/printed.h"
#include "lib/results.h"
#include "lib/stats.h"

enum { EXIT_BAD_USE = 2, MOST_FIGURES = 1024, PATH_LENGTH = 4096, ERROR_LENGTH = 512, NAME_LENGTH = 256 };

#define CLOSE_FACTOR 2.0

struct notes {
    struct csv *figures, *runs;
    struct results results;
};

static const char TIME[] = "time_ms";

/* The figure as the notes have it, and as the model does: NaN where it does not. */
struct both {
    double notes, model;
};

static struct both figure(const struct notes *n, int row) {
    char name[NAME_LENGTH];
    struct both both = {atof(csv_get(n->figures, row, "value")), NAN};
    snprintf(name, sizeof name, "%s.%s.%s", csv_get(n->figures, row, "run"), csv_get(n->figures, row, "kernel"),
             csv_get(n->figures, row, "quantity"));
    results_number(&n->results, name, &both.model);
    return both;
}

static bool is_of(const struct notes *n, int row, const char *run) {
    return strcmp(csv_get(n->figures, row, "run"), run) == 0;
}

static bool is_time(const struct notes *n, int row) {
    return strcmp(csv_get(n->figures, row, "quantity"), TIME) == 0;
}

/* ---- The summary: a row a run ---- */

static void put_rho(FILE *out, double rho) {
    if (isnan(rho))
        fputs("NA", out);
    else
        fprintf(out, "%.2f", rho);
}

/* How the times of a run do. */
struct score {
    int told, close; /* times in the notes; of these, within the factor */
    double rho;      /* Spearman's, of those that the model has */
};

static struct score score_of(const struct notes *n, const char *run) {
    double notes[MOST_FIGURES], model[MOST_FIGURES];
    struct score score = {0, 0, NAN};
    int count = 0;
    for (int row = 0; row < csv_rows(n->figures) && count < MOST_FIGURES; row++) {
        if (!is_of(n, row, run) || !is_time(n, row)) continue;
        struct both both = figure(n, row);
        score.told++;
        score.close += stats_factor(both.notes, both.model) <= CLOSE_FACTOR; /* false for NaN */
        if (isnan(both.model)) continue;
        notes[count] = both.notes;
        model[count++] = both.model;
    }
    score.rho = stats_spearman(notes, model, count);
    return score;
}

static void put_run_summary(const struct notes *n, int run_row, FILE *out) {
    struct score score = score_of(n, csv_get(n->runs, run_row, "run"));
    fprintf(out, "| %s | %s | %d of %d | ", csv_get(n->runs, run_row, "title"), csv_get(n->runs, run_row, "gpu"),
            score.close, score.told);
    put_rho(out, score.rho);
    fputs(" |\n", out);
}

/* Rows of a table of metrics; the "kernel" is the run. */
static void put_scores(const struct notes *n, FILE *out) {
    fputs("lab,step,kernel,grid,block,metric,value,unit,backend,device\n", out);
    for (int row = 0; row < csv_rows(n->runs); row++) {
        const char *run = csv_get(n->runs, row, "run"), *gpu = csv_get(n->runs, row, "gpu");
        struct score score = score_of(n, run);
        fprintf(out, "0,0,%s,NA,NA,times,%d,times,notes,%s\n", run, score.told, gpu);
        fprintf(out, "0,0,%s,NA,NA,close,%d,times,notes,%s\n", run, score.close, gpu);
        fprintf(out, "0,0,%s,NA,NA,rho,", run);
        put_rho(out, score.rho);
        fprintf(out, ",0-1,notes,%s\n", gpu);
    }
}

static void put_summary(const struct notes *n, FILE *out) {
    fprintf(out, "| problem | GPU | times within %g times | order: Spearman's rho |\n|---|---|--:|--:|\n",
            CLOSE_FACTOR);
    for (int row = 0; row < csv_rows(n->runs); row++) put_run_summary(n, row, out);
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
    const char *run = csv_get(n->runs, run_row, "run"), *flags = csv_get(n->runs, run_row, "nvcc flags");
    fprintf(out, "\n## %s\n\nLab %s%s%s, `%s`, on simt as %s.\n\n", csv_get(n->runs, run_row, "title"),
            csv_get(n->runs, run_row, "lab"), *flags ? " compiled with " : "", flags,
            csv_get(n->runs, run_row, "arguments"), csv_get(n->runs, run_row, "gpu"));
    fputs("| kernel | quantity | notes | model | model/notes | notes from |\n|---|---|--:|--:|--:|---|\n", out);
    for (int row = 0; row < csv_rows(n->figures); row++) {
        if (!is_of(n, row, run)) continue;
        struct both both = figure(n, row);
        fprintf(out, "| `%s` | %s | ", csv_get(n->figures, row, "kernel"), csv_get(n->figures, row, "quantity"));
        put_value(out, both.notes);
        put_value(out, both.model);
        put_value(out, both.model / both.notes);
        fprintf(out, "%s |\n", csv_get(n->figures, row, "where"));
    }
}

static void put_all(const struct notes *n, FILE *out) {
    fputs(
        "# The time model against lecture notes\n\nMade by `make model-notes`; do not edit. Figures that others "
        "measured "
        "on other GPUs, and what simt says of the same problems. The\nmodel was never fitted to them. Their times are "
        "the host's, around launch and synchronisation; what a profiler printed was measured in\nother runs, at lower "
        "clocks it seems: their throughputs times their times do not give the bytes of the problem.\n\n",
        out);
    put_summary(n, out);
    for (int row = 0; row < csv_rows(n->runs); row++) put_run(n, row, out);
}

/* ---- The whole ---- */

static struct csv *read_table(const char *path, const char *const columns[]) {
    char error[ERROR_LENGTH];
    struct csv *table = csv_read(path, &CSV_TABS, error, sizeof error);
    if (!table) fprintf(stderr, "model-notes: %s\n", error);
    for (int i = 0; table && columns[i]; i++) {
        if (csv_column(table, columns[i]) >= 0) continue;
        fprintf(stderr, "model-notes: %s has no column %s\n", path, columns[i]);
        csv_free(table);
        return NULL;
    }
    return table;
}

/* A run that was not made has no figures. */
static bool add_run(struct notes *n, const char *folder, const char *run) {
    char times[PATH_LENGTH], metrics[PATH_LENGTH], error[ERROR_LENGTH];
    snprintf(times, sizeof times, "%s/%s-run.csv", folder, run);
    snprintf(metrics, sizeof metrics, "%s/%s-metrics.csv", folder, run);
    bool made = access(times, F_OK) == 0;
    bool ok = made ? results_add(&n->results, run, times, metrics, error, sizeof error)
                   : results_add_absent(&n->results, run, error, sizeof error);
    if (!ok) fprintf(stderr, "model-notes: %s\n", error);
    return ok;
}

static bool read_all(struct notes *n, char **files) {
    static const char *const figure_columns[] = {"run", "kernel", "quantity", "value", "where", NULL};
    static const char *const run_columns[] = {"run", "title", "gpu", "lab", "arguments", NULL};
    n->figures = read_table(files[0], figure_columns);
    n->runs = n->figures ? read_table(files[1], run_columns) : NULL;
    bool ok = n->runs != NULL;
    for (int row = 0; ok && row < csv_rows(n->runs); row++) ok = add_run(n, files[2], csv_get(n->runs, row, "run"));
    return ok;
}

static bool write_file(const struct notes *n, const char *path, void (*put)(const struct notes *, FILE *)) {
    struct outfile out;
    bool ok = outfile_open(&out, path);
    if (ok) {
        put(n, out.file);
        ok = outfile_commit(&out);
    }
    if (!ok) fprintf(stderr, "model-notes: cannot write %s: %s\n", path, strerror(errno));
    return ok;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    static struct notes n;
    if (argc != 8 || strcmp(argv[1], "--output") != 0 || strcmp(argv[3], "--scores") != 0) {
        fprintf(stderr, "Usage: model-notes --output TABLE.md --scores SCORES.csv NOTES.tsv RUNS.tsv FOLDER\n");
        return EXIT_BAD_USE;
    }
    bool ok = read_all(&n, argv + 5) && write_file(&n, argv[2], put_all) && write_file(&n, argv[4], put_scores);
    if (ok) put_summary(&n, stdout);
    csv_free(n.figures);
    csv_free(n.runs);
    results_free(&n.results);
    return ok ? EXIT_SUCCESS : EXIT_BAD_USE;
}
