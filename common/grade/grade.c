/* grade.c: grade one submission.
 *
 *     grade --lab 3 --program reduction --solution S.cu --rubric R.tsv --cases C.tsv --common common --build build
 *           --toolkit CUDA_HOME --metrics A,B [--flags FLAGS] [--student NAME] [--out FOLDER [--resume]] [--quiet]
 *           [--cpu-limit SECONDS] [--time-limit SECONDS] SUBMISSION
 *
 * Prints the student's report and, as the last line, the points as Autolab reads them. With --out the folder gets
 * report.txt, results.json (Gradescope), autolab.json, row.csv, and regions.c, what the student has written; with
 * --resume nothing is done where it has them already, of the same submission and grader. UNSAFE=1 in the environment
 * grades without bubblewrap. The limits are those of the submission as a whole. Exit code 0: graded, whatever the
 * points; 1: the grader could not do its work. */
#include "report.h"
#include "submission.h"
#include "trial.h"

#include "lib/outfile.h"
#include "lib/printed.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct kit_paths paths;
    const char *student, *out, *submission;
    bool quiet, resume;
};

static void die(const char *what) {
    fprintf(stderr, "grade: %s\n", what);
    exit(EXIT_FAILURE);
}

/* ---- Command line ---- */

static const char **place_of(struct options *options, const char *flag) {
    struct kit_paths *paths = &options->paths;
    const struct {
        const char *flag, **place;
    } places[] = {{"--lab", &paths->lab},
                  {"--program", &paths->program},
                  {"--solution", &paths->solution},
                  {"--rubric", &paths->rubric},
                  {"--cases", &paths->cases},
                  {"--common", &paths->common},
                  {"--build", &paths->build},
                  {"--toolkit", &paths->toolkit},
                  {"--flags", &paths->flags},
                  {"--metrics", &paths->metrics},
                  {"--student", &options->student},
                  {"--out", &options->out},
                  {"--cpu-limit", &paths->cpu_limit},
                  {"--time-limit", &paths->time_limit}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(flag, places[i].flag) == 0) return places[i].place;
    }
    return NULL;
}

static struct options read_options(int argc, char **argv) {
    struct options options = {.paths = {.flags = "", .cpu_limit = "120", .time_limit = "300"}};
    for (int i = 1; i < argc; i++) {
        const char **place = place_of(&options, argv[i]);
        if (strcmp(argv[i], "--quiet") == 0)
            options.quiet = true;
        else if (strcmp(argv[i], "--resume") == 0)
            options.resume = true;
        else if (place != NULL && i + 1 < argc)
            *place = argv[++i];
        else if (argv[i][0] != '-' && options.submission == NULL)
            options.submission = argv[i];
        else
            die("unknown flag, or a second submission; see common/grade/grade.c");
    }
    const struct kit_paths *p = &options.paths;
    if (!p->lab || !p->program || !p->solution || !p->rubric || !p->cases || !p->common || !p->build || !p->toolkit ||
        !p->metrics || !options.submission)
        die("a flag is missing; `make grade-lab3 SUBMISSION=path` gives them all");
    if (options.student == NULL) options.student = "you";
    return options;
}

/* A limit of the command line, in seconds. */
static double seconds_of(const char *flag, const char *text) {
    char *end, why[128];
    double seconds = strtod(text, &end);
    if (end != text && *end == '\0' && seconds >= 1 && seconds <= 1e6) return seconds;
    snprintf(why, sizeof why, "%s %.32s: give a number of seconds, from 1 to 1000000", flag, text);
    die(why);
    return 0;
}

/* ---- Grading ---- */

static bool anything_to_run(const struct steps *steps) {
    for (size_t i = 0; i < steps->n; i++) {
        if (steps->items[i].state == STEP_TAKEN) return true;
    }
    return false;
}

/* One submission on its way. */
struct grading {
    struct graded graded;
    struct steps steps;
    struct source submission;
    char reason[REASON_SIZE]; /* why nothing can be graded */
};

/* Read the submission. One that cannot be read at all is one without regions. Returns a hash of it. */
static uint64_t read_submission(struct grading *grading, const char *path) {
    const struct kit *kit = grading->graded.kit;
    char *text = submission_read(kit, path, grading->reason, sizeof grading->reason);
    grading->graded.refused = text == NULL ? grading->reason : NULL;
    source_salvage(&grading->submission, text != NULL ? text : "", "submission");
    steps_make(&grading->steps, kit, &grading->submission);
    uint64_t hash = kit_hash_text(KIT_HASH_START, text != NULL ? text : grading->reason);
    free(text);
    return hash;
}

/* Ends the program when the grader cannot do its work. */
static void give_points(struct grading *grading) {
    const struct kit *kit = grading->graded.kit;
    struct results results = {.sources = 0};
    char error[REASON_SIZE];
    if (anything_to_run(&grading->steps) && !trial_run(&grading->steps, kit, &results, error, sizeof error)) die(error);
    if (!rubric_judge(&grading->graded.scores, kit, &grading->steps, &results, error, sizeof error)) die(error);
    results_free(&results);
}

/* ---- Results ---- */

static void put_report(const struct grading *grading, FILE *out) {
    report_text(&grading->graded, out, false);
}

static void put_gradescope(const struct grading *grading, FILE *out) {
    report_gradescope(&grading->graded, out);
}

static void put_autolab(const struct grading *grading, FILE *out) {
    report_autolab(&grading->graded, out);
}

static void put_row(const struct grading *grading, FILE *out) {
    report_row(&grading->graded, out);
}

/* What the student has written, for the comparison with others. */
static void put_regions(const struct grading *grading, FILE *out) {
    for (size_t i = 0; i < grading->steps.n; i++) {
        const struct step *step = &grading->steps.items[i];
        if (step->text != NULL && step->state != STEP_TODO) fputs(step->text, out);
    }
}

static void write_result(const struct grading *grading, const char *folder, const char *name,
                         void (*put)(const struct grading *, FILE *)) {
    char path[PATH_MAX];
    struct outfile out;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    bool written = outfile_open(&out, path);
    if (written) {
        put(grading, out.file);
        written = outfile_commit(&out);
    }
    if (written) return;
    fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
    exit(EXIT_FAILURE);
}

/* row.csv is written last, with the hash beside it: where both are, the others are, too. */
static void write_results(const struct grading *grading, const char *folder, uint64_t hash) {
    char path[PATH_MAX];
    write_result(grading, folder, "report.txt", put_report);
    write_result(grading, folder, "results.json", put_gradescope);
    write_result(grading, folder, "autolab.json", put_autolab);
    write_result(grading, folder, "regions.c", put_regions);
    write_result(grading, folder, "row.csv", put_row);
    snprintf(path, sizeof path, "%s/graded", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) die("cannot write into the folder of results");
    fprintf(file, "%016" PRIx64 "\n", hash);
    fclose(file);
}

/* Has this very submission been graded by this very grader? */
static bool is_graded(const char *folder, uint64_t hash) {
    char path[PATH_MAX];
    uint64_t kept = 0;
    snprintf(path, sizeof path, "%s/graded", folder);
    FILE *file = fopen(path, "r");
    bool read = file != NULL && fscanf(file, "%" SCNx64, &kept) == 1;
    if (file != NULL) fclose(file);
    if (read && kept == hash) return true;
    unlink(path);
    return false;
}

static bool use_colour(void) {
    const char *off = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (off == NULL || off[0] == '\0');
}

static void print_results(const struct grading *grading) {
    report_text(&grading->graded, stdout, use_colour());
    putchar('\n');
    report_autolab(&grading->graded, stdout);
}

static void free_grading(struct grading *grading) {
    steps_free(&grading->steps);
    source_free(&grading->submission);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    static struct kit kit;
    static struct grading grading;
    struct options options = read_options(argc, argv);
    char error[REASON_SIZE];
    const char *unsafe = getenv("UNSAFE");
    static struct sandbox_budget budget;
    budget.cpu_seconds = seconds_of("CPU_LIMIT", options.paths.cpu_limit);
    budget.seconds = seconds_of("TIME_LIMIT", options.paths.time_limit);
    if (!kit_read(&kit, &options.paths, error, sizeof error)) die(error);
    kit.budget = &budget;
    kit.unsafe = unsafe != NULL && strcmp(unsafe, "1") == 0;
    grading.graded = (struct graded){.kit = &kit, .student = options.student};
    uint64_t hash = kit_hash(&kit, read_submission(&grading, options.submission));
    if (!options.resume || options.out == NULL || !is_graded(options.out, hash)) {
        give_points(&grading);
        if (options.out != NULL) write_results(&grading, options.out, hash);
        if (!options.quiet) print_results(&grading);
    }
    free_grading(&grading);
    kit_free(&kit);
    return EXIT_SUCCESS;
}
