/* main.c: grade a class; `grade-class --help` names the options.
 *
 *     grade-class grade --out FOLDER [--jobs N] [--task K --tasks T] SUBMISSIONS -- GRADER...
 *     grade-class collect --out FOLDER SUBMISSIONS
 *     grade-class unpack --out FOLDER ARCHIVE
 *     grade-class export --out FOLDER --for moodle|canvas --title NAME SUBMISSIONS
 *
 * SUBMISSIONS is a folder with a file, folder or archive for each student. GRADER is the command
 * that grades one submission (grade.c). ARCHIVE is one zip or tar of a whole class; FOLDER must
 * then be empty. UNSAFE=1 in the environment unpacks without a sandbox. A cluster runs task K of T
 * (from 0) on each of its nodes, and collects afterwards. Exit code 0: all submissions are graded;
 * 1: some could not be graded, and grades.csv names them; 2: a bad call. */
#include "class.h"
#include "lib/die.h"
#include "lib/printed.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

struct call {
    struct class class;
    const char *command, *submissions, *title;
    const struct platform *platform;
};

/* ---- Command line ---- */

static const struct argp_option OPTIONS[] = {
    {"out", 'o', "FOLDER", 0, "Put the results, or the files of an archive, into FOLDER", 0},
    {"jobs", 'j', "N", 0, "Grade N submissions at a time; default: as many as there are processors",
     0},
    {"task", 'k', "K", 0, "Grade only the share of task K, from 0", 0},
    {"tasks", 't', "T", 0, "Deal the submissions to T tasks", 0},
    {"for", 'f', "PLATFORM", 0, "Write what this learning platform reads: moodle or canvas", 0},
    {"title", 'n', "NAME", 0, "The assignment's name there", 0},
    {0}};

static size_t number(const struct argp_state *state, const char *option, const char *text,
                     size_t least) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || *text == '-' || value < least)
        argp_error(state, "--%s %s: give a whole number, at least %zu", option, text, least);
    return (size_t)value;
}

/* Takes a word that is not an option. */
static void take_word(struct call *call, char *word, struct argp_state *state) {
    if (state->quoted > 0 && state->next > state->quoted) {
        call->class.grader = state->argv + state->next - 1;
        state->next = state->argc;
    } else if (call->command == NULL)
        call->command = word;
    else if (call->submissions == NULL)
        call->submissions = word;
    else
        argp_error(state, "%s: one folder or archive of submissions has been given already", word);
}

static error_t take(int key, char *value, struct argp_state *state) {
    struct call *call = state->input;
    switch (key) {
    case 'o': call->class.out = value; return 0;
    case 'j': call->class.jobs = number(state, "jobs", value, 1); return 0;
    case 'k': call->class.task = number(state, "task", value, 0); return 0;
    case 't': call->class.tasks = number(state, "tasks", value, 1); return 0;
    case 'n': call->title = value; return 0;
    case 'f':
        call->platform = class_platform(value);
        if (call->platform == NULL) argp_error(state, "--for %s: give moodle or canvas", value);
        return 0;
    case ARGP_KEY_ARG: take_word(call, value, state); return 0;
    case ARGP_KEY_END:
        if (call->submissions == NULL || call->class.out == NULL)
            argp_error(state, "give a command, --out FOLDER, and the submissions");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = take,
    .args_doc =
        "grade SUBMISSIONS -- GRADER...\ncollect SUBMISSIONS\nunpack ARCHIVE\nexport SUBMISSIONS",
    .doc = "Grade a class's submissions, collect the results, or unpack a class's archive."};

int main(int argc, char **argv) {
    printed_check_at_exit();
    argp_err_exit_status = EXIT_USAGE;
    struct call call = {.class = {.jobs = (size_t)sysconf(_SC_NPROCESSORS_ONLN), .tasks = 1}};
    argp_parse(&ARGP, argc, argv, ARGP_IN_ORDER, NULL, &call);
    struct class *class = &call.class;
    bool done = false;
    if (strcmp(call.command, "unpack") == 0) {
        if (!class_unpack(call.submissions, class->out))
            die(EXIT_FAILURE, "%s: %s", call.submissions, failure);
        return EXIT_SUCCESS;
    }
    if (!class_list(class, call.submissions))
        die(EXIT_USAGE, "%s: %s", call.submissions, strerror(errno));
    if (class->n == 0) die(EXIT_USAGE, "%s: there are no submissions in it", call.submissions);
    if (strcmp(call.command, "grade") == 0 && class->grader != NULL)
        done = class_grade(class);
    else if (strcmp(call.command, "collect") == 0)
        done = class_collect(class);
    else if (strcmp(call.command, "export") == 0 && call.platform != NULL && call.title != NULL)
        done = class_export(class, call.platform, call.title);
    else
        die(EXIT_USAGE,
            "%s: give grade, with a grader's command, collect, unpack, or export with a platform "
            "and a title",
            call.command);
    class_free(class);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
