/* compare: sets measurements of labs side by side, launch by launch, and judges them: does the simulator say what the
 * hardware says?
 *
 *   compare [--overview ALL.md] [--reversals OPEN.tsv] COMPARISON...
 *   COMPARISON: [--reasons REASONS.tsv] [--output TABLE.md] REFERENCE_RUN.csv REFERENCE_METRICS.csv RUN.csv METRICS.csv
 *
 * The files are those of a lab: run.csv with the times, metrics.csv with the metrics. Prints a summary of each, and
 * writes the whole comparison as Markdown; the overview has a row for every kernel of all of them.
 *
 * A reason (columns metric, kernel or *, within, reason) explains a difference. If it has a number in `within`, a
 * difference up to that is no failure: in the terms of the metric's bound, such as percent. The first row that fits
 * counts. A reason without (-) is only printed.
 *
 * Two launches whose times differ by more than 10 % in the reference must be in the same order on the other side. No
 * reason excuses a reversal; those that are known stand in OPEN.tsv (compare.h), and one that is not, or is there and
 * none any more, is a failure. With an overview every row of OPEN.tsv must be about one of the recordings.
 *
 * Exit status: 0 all within their bounds or explained, 1 some not, 2 the files cannot be compared. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "labs.h"
#include "lib/outfile.h"
#include "lib/printed.h"

enum { EXIT_NOT_WITHIN = 1, EXIT_BAD_USE = 2, FILES = 4 };

struct arguments {
    int argc;
    char **argv;
    int next;
    const char *open; /* the list of open reversals; NULL: none */
};

/* The value of --NAME if that comes next, else NULL. */
static const char *option(struct arguments *a, const char *name) {
    if (a->next + 1 >= a->argc || strcmp(a->argv[a->next], name) != 0) return NULL;
    a->next += 2;
    return a->argv[a->next - 1];
}

/* Takes the next comparison's arguments. */
static bool take_files(struct arguments *a, struct compare_files *files, const char **output) {
    files->open = a->open;
    files->reasons = option(a, "--reasons");
    *output = option(a, "--output");
    if (a->next + FILES > a->argc) return false;
    for (int i = 0; i < FILES; i++)
        if (strncmp(a->argv[a->next + i], "--", 2) == 0) return false;
    files->reference_run = a->argv[a->next++];
    files->reference_metrics = a->argv[a->next++];
    files->run = a->argv[a->next++];
    files->metrics = a->argv[a->next++];
    return true;
}

/* Closes the file, whole at its place; ok false: something went wrong before. */
static bool finish(struct outfile *out, const char *path, bool ok) {
    ok = ok && outfile_commit(out);
    if (!ok) fprintf(stderr, "compare: cannot write %s: %s\n", path, strerror(errno));
    return ok;
}

static bool write_table(const struct comparison *c, const char *path) {
    struct outfile out;
    bool ok = outfile_open(&out, path);
    if (ok) compare_put_all(c, out.file);
    return finish(&out, path, ok);
}

static bool write_overview(const struct comparison *all, int count, const char *path) {
    struct outfile out;
    bool ok = outfile_open(&out, path);
    if (ok) compare_put_overview(all, count, out.file);
    return finish(&out, path, ok);
}

/* One lab: 0, EXIT_NOT_WITHIN or EXIT_BAD_USE. */
static int compare_one(struct comparison *c, const struct compare_files *files, const char *output) {
    int counts[BEYOND + 1];
    if (!compare_read(c, files)) return EXIT_BAD_USE;
    printf("%s\n\n", c->name);
    compare_put_summary(c, stdout);
    compare_put_wrong_order(c, stdout);
    printf("\n");
    if (output && !write_table(c, output)) return EXIT_BAD_USE;
    compare_count(c, counts);
    return counts[BEYOND] ? EXIT_NOT_WITHIN : EXIT_SUCCESS;
}

/* Is each row of the list of open reversals about one of the recordings? Says which is not. */
static bool list_is_used(const struct comparison *all, int count) {
    const struct csv *open = all[0].open;
    for (int row = 0; open && row < csv_rows(open); row++) {
        const char *recording = csv_get(open, row, "recording");
        bool found = false;
        for (int i = 0; i < count; i++) found = found || strcmp(all[i].name, recording) == 0;
        if (found) continue;
        printf("the list of open reversals is about %s, of which there is no recording\n", recording);
        return false;
    }
    return true;
}

static int usage(void) {
    fprintf(stderr, "Usage: compare [--overview ALL.md] [--reversals OPEN.tsv] {[--reasons REASONS.tsv] [--output "
                    "TABLE.md] REFERENCE_RUN.csv "
                    "REFERENCE_METRICS.csv RUN.csv METRICS.csv}...\n");
    return EXIT_BAD_USE;
}

/* All labs; what cannot be compared ends it. */
static int compare_all(struct arguments *a, struct comparison *all, int *count) {
    int status = EXIT_SUCCESS;
    while (a->next < a->argc) {
        struct compare_files files;
        const char *output;
        if (!take_files(a, &files, &output)) return usage();
        int one = compare_one(&all[(*count)++], &files, output);
        if (one == EXIT_BAD_USE) return one;
        if (one != EXIT_SUCCESS) status = one;
    }
    return *count ? status : usage();
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    struct arguments a = {argc, argv, 1, NULL};
    const char *overview = option(&a, "--overview");
    a.open = option(&a, "--reversals");
    struct comparison *all = calloc((size_t)argc / FILES + 1, sizeof *all);
    int count = 0;
    int status = compare_all(&a, all, &count);
    if (status != EXIT_BAD_USE && overview && !list_is_used(all, count)) status = EXIT_NOT_WITHIN;
    if (status != EXIT_BAD_USE && overview && !write_overview(all, count, overview)) status = EXIT_BAD_USE;
    for (int i = 0; i < count; i++) compare_free(&all[i]);
    free(all);
    return status;
}
