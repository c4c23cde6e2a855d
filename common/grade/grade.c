/* grade.c: grade one submission.
 *
 *     grade --lab 3 --program reduction --solution S.cu --rubric R.tsv --cases C.tsv --common common --build build
 *           --toolkit CUDA_HOME --metrics A,B [--flags FLAGS] [--student NAME] [--out FOLDER] [--quiet] SUBMISSION
 *
 * Prints the student's report and, as the last line, the points as Autolab reads them. With --out the folder gets
 * report.txt, results.json (Gradescope), autolab.json and row.csv. UNSAFE=1 in the environment grades without
 * bubblewrap. Exit code 0: graded, whatever the points; 1: the grader could not do its work. */
#include "report.h"
#include "submission.h"
#include "trial.h"

#include "tools/outfile.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct kit_paths paths;
    const char *student, *out, *submission;
    bool quiet;
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
    } places[] = {{"--lab", &paths->lab},         {"--program", &paths->program},   {"--solution", &paths->solution},
                  {"--rubric", &paths->rubric},   {"--cases", &paths->cases},       {"--common", &paths->common},
                  {"--build", &paths->build},     {"--toolkit", &paths->toolkit},   {"--flags", &paths->flags},
                  {"--metrics", &paths->metrics}, {"--student", &options->student}, {"--out", &options->out}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(flag, places[i].flag) == 0) return places[i].place;
    }
    return NULL;
}

static struct options read_options(int argc, char **argv) {
    struct options options = {.paths = {.flags = ""}};
    for (int i = 1; i < argc; i++) {
        const char **place = place_of(&options, argv[i]);
        if (strcmp(argv[i], "--quiet") == 0)
            options.quiet = true;
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

/* ---- Grading ---- */

static bool anything_to_run(const struct steps *steps) {
    for (size_t i = 0; i < steps->n; i++) {
        if (steps->items[i].state == STEP_TAKEN) return true;
    }
    return false;
}

/* The points for this text. Ends the program when the grader cannot do its work. */
static void grade_text(struct graded *graded, const char *text) {
    static struct steps steps;
    struct source submission;
    struct results results = {.sources = 0};
    char error[REASON_SIZE];
    source_salvage(&submission, text, "submission");
    steps_make(&steps, graded->kit, &submission);
    if (anything_to_run(&steps) && !trial_run(&steps, graded->kit, &results, error, sizeof error)) die(error);
    if (!rubric_judge(&graded->scores, graded->kit, &steps, &results, error, sizeof error)) die(error);
    results_free(&results);
    steps_free(&steps);
    source_free(&submission);
}

/* A submission that cannot be read at all is one without regions. */
static void grade_submission(struct graded *graded, const char *path, char *reason, size_t size) {
    char *text = submission_read(graded->kit, path, reason, size);
    graded->refused = text == NULL ? reason : NULL;
    grade_text(graded, text != NULL ? text : "");
    free(text);
}

/* ---- Results ---- */

static void report_plain(const struct graded *graded, FILE *out) {
    report_text(graded, out, false);
}

static void write_result(const struct graded *graded, const char *folder, const char *name,
                         void (*report)(const struct graded *, FILE *)) {
    char path[PATH_MAX];
    struct outfile out;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    bool written = outfile_open(&out, path);
    if (written) {
        report(graded, out.file);
        written = outfile_commit(&out);
    }
    if (written) return;
    fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
    exit(EXIT_FAILURE);
}

/* The row is written last: where it is, the others are. */
static void write_results(const struct graded *graded, const char *folder) {
    write_result(graded, folder, "report.txt", report_plain);
    write_result(graded, folder, "results.json", report_gradescope);
    write_result(graded, folder, "autolab.json", report_autolab);
    write_result(graded, folder, "row.csv", report_row);
}

static bool use_colour(void) {
    const char *off = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (off == NULL || off[0] == '\0');
}

int main(int argc, char **argv) {
    static struct kit kit;
    static struct graded graded;
    struct options options = read_options(argc, argv);
    char error[REASON_SIZE], reason[REASON_SIZE];
    const char *unsafe = getenv("UNSAFE");
    if (!kit_read(&kit, &options.paths, error, sizeof error)) die(error);
    kit.unsafe = unsafe != NULL && strcmp(unsafe, "1") == 0;
    graded = (struct graded){.kit = &kit, .student = options.student};
    grade_submission(&graded, options.submission, reason, sizeof reason);
    if (options.out != NULL) write_results(&graded, options.out);
    if (!options.quiet) {
        report_text(&graded, stdout, use_colour());
        putchar('\n');
        report_autolab(&graded, stdout);
    }
    kit_free(&kit);
    return EXIT_SUCCESS;
}
