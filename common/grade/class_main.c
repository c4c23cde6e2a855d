/* class_main.c: grade a class.
 *
 *     grade-class grade --out FOLDER [--jobs N] [--task K --tasks T] SUBMISSIONS -- GRADER...
 *     grade-class collect --out FOLDER SUBMISSIONS
 *     grade-class unpack --out FOLDER --script unpack.sh ARCHIVE
 *
 * SUBMISSIONS is a folder with a file, folder or archive for each student; GRADER the command that grades one
 * (common/grade/grade.c). ARCHIVE is the one zip or tar of a whole class; the folder that it is unpacked into must be
 * empty, and UNSAFE=1 in the environment does it without bubblewrap. A cluster runs task K of T on each of its nodes
 * (from 0), and collects afterwards. Exit code 0: all have been graded; 1: some could not be, and grades.csv says
 * which; 2: a bad call. */
#include "class.h"
#include "class_unpack.h"
#include "lib/printed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

static void die(const char *what, const char *why) {
    fprintf(stderr, "grade: %s: %s\n", what, why);
    exit(EXIT_USAGE);
}

static size_t number(const char *flag, const char *text, size_t least) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || *text == '-' || value < least) die(flag, "give a number");
    return (size_t)value;
}

/* Returns the folder or archive of submissions. */
static const char *read_options(struct class *class, const char **script, int argc, char **argv) {
    const char *folder = NULL;
    *class = (struct class){.jobs = (size_t)sysconf(_SC_NPROCESSORS_ONLN), .tasks = 1};
    for (int i = 2; i < argc; i++) {
        bool last = i + 1 == argc;
        if (strcmp(argv[i], "--") == 0) {
            class->grader = argv + i + 1;
            break;
        }
        if (strcmp(argv[i], "--out") == 0 && !last)
            class->out = argv[++i];
        else if (strcmp(argv[i], "--script") == 0 && !last)
            *script = argv[++i];
        else if (strcmp(argv[i], "--jobs") == 0 && !last)
            i++, class->jobs = number("--jobs", argv[i], 1);
        else if (strcmp(argv[i], "--task") == 0 && !last)
            i++, class->task = number("--task", argv[i], 0);
        else if (strcmp(argv[i], "--tasks") == 0 && !last)
            i++, class->tasks = number("--tasks", argv[i], 1);
        else if (argv[i][0] != '-' && folder == NULL)
            folder = argv[i];
        else
            die(argv[i], "no such flag, or no value");
    }
    if (folder == NULL || class->out == NULL)
        die("usage", "grade-class grade|collect --out FOLDER SUBMISSIONS -- GRADER...");
    return folder;
}

static bool grade(const struct class *class) {
    size_t failed = class_grade(class);
    if (failed > 0) fprintf(stderr, "grade: %zu could not be graded; see grader.log in their folders\n", failed);
    return failed == 0;
}

/* Unpack, and say what went wrong. */
static bool unpack(const struct class *class, const char *archive, const char *script) {
    char why[PATH_MAX + 256];
    const char *unsafe = getenv("UNSAFE");
    bool done = class_unpack(archive, script, class->out, unsafe != NULL && strcmp(unsafe, "1") == 0, why, sizeof why);
    if (!done) fprintf(stderr, "grade: %s\n", why);
    return done;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    struct class class;
    const char *command = argc > 1 ? argv[1] : "", *script = NULL;
    const char *folder = read_options(&class, &script, argc, argv);
    if (strcmp(command, "unpack") == 0 && script != NULL)
        return unpack(&class, folder, script) ? EXIT_SUCCESS : EXIT_FAILURE;
    bool done = false;
    if (!class_list(&class, folder)) die(folder, strerror(errno));
    if (class.n == 0) die(folder, "there are no submissions in it");
    if (strcmp(command, "grade") == 0 && class.grader != NULL && class.grader[0] != NULL)
        done = grade(&class);
    else if (strcmp(command, "collect") == 0)
        done = class_collect(&class);
    else
        die(command, "give grade, with a grader's command, collect, or unpack with a script");
    class_free(&class);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
