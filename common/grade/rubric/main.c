/* main.c: grade one submission; `grade --help` names the options.
 *
 * Prints the student's report and, as the last line, the points in Autolab's format. With --out the
 * folder gets report.txt, results.json (Gradescope), autolab.json, row.csv, regions.c with the
 * student's code, and the answers.md. UNSAFE=1 in the environment grades without a sandbox. Exit
 * code 0: graded, whatever the points; 1: the grader failed; 2: a bad call. */
#include "grade/submission/submission.h"
#include "lib/die.h"
#include "lib/file.h"
#include "report.h"
#include "trial.h"

#include "lib/memory.h"
#include "lib/outfile.h"
#include "lib/printed.h"

#include <argp.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

struct options {
    struct lab_paths paths;
    const char *student, *out, *submission;
    struct sandbox_budget budget;
    bool quiet, resume;
    const char *metadata; /* Gradescope's submission_metadata.json; NULL: none */
    long hints_per_day;   /* so many submissions a day have hints; -1: all */
    long long due; /* seconds since 1970: until then hidden cases are not told of; 0: they are */
};

/* ---- Command line ---- */

enum {
    LAB = 256,
    SOLUTION,
    BUILD,
    TOOLKIT,
    CLANG,
    FLAGS,
    PTX,
    CPU_LIMIT,
    TIME_LIMIT,
    HINTS_PER_DAY,
    METADATA,
    DUE
};

static const struct argp_option OPTIONS[] = {
    {"lab", LAB, "NUMBER", 0, "The lab, such as 3", 0},
    {"solution", SOLUTION, "FILE", 0, "The complete program", 0},
    {"build", BUILD, "FOLDER", 0, "The folder build/", 0},
    {"toolkit", TOOLKIT, "FOLDER", 0, "The compiler's folder: the CUDA toolkit's, or clang's", 0},
    {"clang", CLANG, "NAME", 0, "Compile with this clang++, not with the toolkit's nvcc", 0},
    {"flags", FLAGS, "FLAGS", 0, "More flags for nvcc", 0},
    {"ptx", PTX, "CAPABILITY", 0, "The compute capability of the PTX; default: 75", 0},
    {"cpu-limit", CPU_LIMIT, "SECONDS", 0,
     "Processor time that the submission as a whole may take; default: 120", 0},
    {"time-limit", TIME_LIMIT, "SECONDS", 0, "The same by the clock; default: 300", 0},
    {"hints-per-day", HINTS_PER_DAY, "N", 0, "Give hints with the first N submissions of a day", 0},
    {"metadata", METADATA, "FILE", 0,
     "Gradescope's submission_metadata.json, which has the earlier submissions", 0},
    {"due", DUE, "SECONDS", 0, "Until then, since 1970, do not say which hidden cases are wrong",
     0},
    {"student", 's', "NAME", 0, "Whose submission it is", 0},
    {"out", 'o', "FOLDER", 0, "Write the results into FOLDER, too", 0},
    {"resume", 'r', NULL, 0,
     "Do nothing where FOLDER has the results of the same submission and grader", 0},
    {"quiet", 'q', NULL, 0, "Print nothing", 0},
    {0}};

/* Parses a limit in seconds. */
static double seconds_of(const struct argp_state *state, const char *name, const char *text) {
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds >= 1 && seconds <= 1e6))
        argp_error(state, "%s %.32s: give a number of seconds, from 1 to 1000000", name, text);
    return seconds;
}

static long long whole(const struct argp_state *state, const char *name, const char *text) {
    char *end;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || value < 0)
        argp_error(state, "%s %.32s: give a whole number", name, text);
    return value;
}

static void check_options(const struct argp_state *state, struct options *options) {
    const struct lab_paths *p = &options->paths;
    if (!p->lab || !p->solution || !p->build || !p->toolkit || !options->submission)
        argp_error(state, "an option is missing; `make grade-lab3 SUBMISSION=path` gives them all");
    options->budget.cpu_seconds = seconds_of(state, "CPU_LIMIT", p->cpu_limit);
    options->budget.seconds = seconds_of(state, "TIME_LIMIT", p->time_limit);
}

static error_t take(int key, char *value, struct argp_state *state) {
    struct options *options = state->input;
    switch (key) {
    case LAB: options->paths.lab = value; return 0;
    case SOLUTION: options->paths.solution = value; return 0;
    case BUILD: options->paths.build = value; return 0;
    case TOOLKIT: options->paths.toolkit = value; return 0;
    case CLANG: options->paths.clang = value; return 0;
    case FLAGS: options->paths.flags = value; return 0;
    case PTX: options->paths.ptx = value; return 0;
    case CPU_LIMIT: options->paths.cpu_limit = value; return 0;
    case TIME_LIMIT: options->paths.time_limit = value; return 0;
    case HINTS_PER_DAY:
        options->hints_per_day = (long)whole(state, "HINTS_PER_DAY", value);
        return 0;
    case METADATA: options->metadata = value; return 0;
    case DUE: options->due = whole(state, "DUE", value); return 0;
    case 's': options->student = value; return 0;
    case 'o': options->out = value; return 0;
    case 'r': options->resume = true; return 0;
    case 'q': options->quiet = true; return 0;
    case ARGP_KEY_ARG:
        if (options->submission != NULL)
            argp_error(state, "%s: one submission has been given already", value);
        options->submission = value;
        return 0;
    case ARGP_KEY_END: check_options(state, options); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = take,
    .args_doc = "SUBMISSION",
    .doc = "Grade one submission: a file, a folder, or a zip or tar archive."};

/* ---- Grading ---- */

static bool anything_to_run(const struct steps *steps) {
    for (size_t i = 0; i < steps->n; i++)
        if (steps->items[i].state == STEP_TAKEN) return true;
    return false;
}

/* One submission while it is graded. */
struct grading {
    struct graded graded;
    struct steps steps;
    struct submission files;
    struct source source; /* of the program */
    char note[2 * REASON_SIZE], no_hints[128];
};

/* Writes after what the note says already, after "; ". */
static void add_note(struct grading *grading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_note(struct grading *grading, const char *format, ...) {
    size_t used = strlen(grading->note);
    if (used > 0) used += (size_t)snprintf(grading->note + used, sizeof grading->note - used, "; ");
    va_list values;
    va_start(values, format);
    if (used < sizeof grading->note)
        vsnprintf(grading->note + used, sizeof grading->note - used, format, values);
    va_end(values);
}

/* Notes whose steps' marks are missing. */
static void note_marks(struct grading *grading) {
    const struct steps *steps = &grading->steps;
    char *names = need(strdup(""));
    size_t missing = 0;
    for (size_t i = 0; i < steps->n; i++) {
        if (steps->items[i].state != STEP_MISSING) continue;
        char *more = need_text("%s%s%s", names, missing++ > 0 ? ", " : "", steps->items[i].name);
        free(names);
        names = more;
    }
    if (missing == steps->n)
        add_note(grading,
                 "no step's marks, BEGIN SOLUTION and END SOLUTION, are in the file: hand in the "
                 "lab's %s.cu, with your code between its marks",
                 grading->graded.lab->program);
    else if (missing > 0)
        add_note(grading, "marks missing or damaged: %s", names);
    free(names);
}

/* ---- Brakes on submissions ---- */

/* The number of this submission among the student's of its day, from 1. Times are as
 * 2026-12-01T09:30:00-08:00. */
static long number_of_day(const char *metadata) {
    char *text = metadata != NULL ? read_whole_file(metadata, NULL) : NULL;
    cJSON *tree = text != NULL ? cJSON_Parse(text) : NULL;
    const cJSON *before;
    const char *now = cJSON_GetStringValue(cJSON_GetObjectItem(tree, "created_at"));
    long number = 1;
    if (metadata != NULL && now == NULL)
        fprintf(stderr, "grade: %s: no metadata of Gradescope's\n", metadata);
    cJSON_ArrayForEach(before, cJSON_GetObjectItem(tree, "previous_submissions")) {
        const char *then = cJSON_GetStringValue(cJSON_GetObjectItem(before, "submission_time"));
        number += now != NULL && then != NULL && strncmp(then, now, strlen("2026-12-01")) == 0;
    }
    cJSON_Delete(tree);
    free(text);
    return number;
}

/* Sets what the report leaves out. Returns the hash, which changes with it. */
static uint64_t brake(struct grading *grading, const struct options *options, uint64_t hash) {
    long number = options->hints_per_day >= 0 ? number_of_day(options->metadata) : 0;
    grading->graded.hide_cases = time(NULL) < options->due;
    if (number > options->hints_per_day && number > 0) {
        snprintf(grading->no_hints, sizeof grading->no_hints,
                 "No hints: the first %ld submissions of a day have them, and this is number %ld.",
                 options->hints_per_day, number);
        grading->graded.no_hints = grading->no_hints;
    }
    return lab_files_hash_text(lab_files_hash_text(hash, grading->graded.hide_cases ? "hide" : ""),
                               grading->no_hints);
}

/* Reads the submission. An unreadable one counts as a submission without regions. Returns its hash.
 */
static uint64_t read_submission(struct grading *grading, const char *path) {
    const struct lab_files *lab = grading->graded.lab;
    struct submission *files = &grading->files;
    submission_read(files, path, lab->paths.solution, lab->budget, grading->note, REASON_SIZE);
    const char *text = files->program != NULL ? files->program : "";
    grading->graded.refused = files->program == NULL;
    grading->graded.note = grading->note;
    grading->graded.steps = &grading->steps;
    grading->graded.answers = files->answers;
    if (files->left_out != NULL) add_note(grading, "left out: %s", files->left_out);
    source_salvage(&grading->source, text, "submission");
    steps_make(&grading->steps, lab, &grading->source);
    if (files->program != NULL) note_marks(grading);
    if (files->answers != NULL) {
        struct answers answers;
        answers_parse(&answers, files->answers);
        steps_take_answers(&grading->steps, &answers);
        answers_free(&answers);
    }
    uint64_t hash = lab_files_hash_text(lab_files_hash_text(HASH_START, text), grading->note);
    return files->answers != NULL ? lab_files_hash_text(hash, files->answers) : hash;
}

/* Runs and judges the steps. Ends the program if the grader fails. */
static void give_points(struct grading *grading) {
    const struct lab_files *lab = grading->graded.lab;
    struct results results = {.sources = 0};
    if (anything_to_run(&grading->steps) && !trial_run(&grading->steps, lab, &results))
        die(EXIT_FAILURE, "%s", failure);
    if (grading->steps.above_fails[0] != '\0')
        add_note(grading, "the lines above the regions are left out: %s",
                 grading->steps.above_fails);
    if (!rubric_judge(&grading->graded.scores, lab, &grading->steps, &results))
        die(EXIT_FAILURE, "%s", failure);
    results_free(&results);
    if (grading->steps.helpers.reason[0] != '\0')
        add_note(grading, "helpers are left out: %s", grading->steps.helpers.reason);
}

/* ---- Results ---- */

/* Writes the student's code, for the comparison with other students. */
static void put_regions(const struct graded *graded, FILE *out) {
    for (size_t i = 0; i < graded->steps->n; i++) {
        const struct step *step = &graded->steps->items[i];
        if (step->text != NULL && step->state != STEP_TODO) fputs(step->text, out);
    }
}

/* Writes the student's answers, for the instructor. */
static void put_answers(const struct graded *graded, FILE *out) {
    if (graded->answers != NULL) fputs(graded->answers, out);
}

/* Writes row.csv, and then the hash, last: where both exist, the other files exist too. */
static void write_results(const struct graded *graded, const char *folder, uint64_t hash) {
    static const struct {
        const char *name;
        void (*put)(const struct graded *, FILE *);
    } results[] = {{"report.txt", report_text},      {"results.json", report_gradescope},
                   {"autolab.json", report_autolab}, {"regions.c", put_regions},
                   {ANSWERS_NAME, put_answers},      {"row.csv", report_row}};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        struct outfile out;
        snprintf(path, sizeof path, "%s/%s", folder, results[i].name);
        bool written = outfile_open(&out, path);
        if (written) results[i].put(graded, out.file);
        if (!written || !outfile_commit(&out))
            die(EXIT_FAILURE, "cannot write %s: %s", path, strerror(errno));
    }
    snprintf(path, sizeof path, "%s/graded", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) die(EXIT_FAILURE, "cannot write into the folder of results");
    fprintf(file, "%016" PRIx64 "\n", hash);
    fclose(file);
}

/* Has this grader graded this submission before? If not, removes the old hash. */
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

int main(int argc, char **argv) {
    printed_check_at_exit();
    static struct lab_files lab;
    static struct grading grading;
    argp_err_exit_status = EXIT_USAGE;
    struct options options = {
        .paths = {.flags = "", .ptx = "75", .cpu_limit = "120", .time_limit = "300"},
        .student = "you",
        .hints_per_day = -1};
    argp_parse(&ARGP, argc, argv, 0, NULL, &options);
    if (!lab_files_read(&lab, &options.paths)) die(EXIT_FAILURE, "%s", failure);
    lab.budget = &options.budget;
    grading.graded = (struct graded){.lab = &lab, .student = options.student};
    uint64_t hash = lab_files_hash(
        &lab, brake(&grading, &options, read_submission(&grading, options.submission)));
    if (!options.resume || options.out == NULL || !is_graded(options.out, hash)) {
        give_points(&grading);
        if (options.out != NULL) write_results(&grading.graded, options.out, hash);
        if (!options.quiet) {
            (printed_in_colour() ? report_in_colour : report_text)(&grading.graded, stdout);
            putchar('\n');
            report_autolab(&grading.graded, stdout);
        }
    }
    steps_free(&grading.steps);
    source_free(&grading.source);
    submission_free(&grading.files);
    lab_files_free(&lab);
    return EXIT_SUCCESS;
}
