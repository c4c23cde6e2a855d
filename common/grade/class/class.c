/* class.c: lists and grades the submissions. collect.c makes the tables. */
#include "class.h"

#include "grade/submission/submission.h"
#include "lib/memory.h"
#include "lib/utf8.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BAR_WIDTH = 40, NAME_LONGEST = 200, EXIT_NOT_FOUND = 127 };

/* ---- The list ---- */

/* Joins the matches of groups 1 and 3; group 1 must begin at the name's start. Returns NULL without
 * a match. */
static char *parts_of(const char *name, const char *looks) {
    regex_t pattern;
    regmatch_t part[4];
    char *parts = NULL;
    if (regcomp(&pattern, looks, REG_EXTENDED) != 0) return NULL;
    if (regexec(&pattern, name, 4, part, 0) == 0)
        parts = need_text("%.*s%.*s", (int)part[1].rm_eo, name,
                          (int)(part[3].rm_eo - part[3].rm_so), name + part[3].rm_so);
    regfree(&pattern);
    return parts;
}

/* Replaces control characters, such as line ends, by _ and makes the name valid UTF-8, and short
 * enough for a file. Frees the name and returns another. */
static char *plain(char *name) {
    char *valid = utf8_valid(name);
    valid[utf8_fit(valid, NAME_LONGEST)] = '\0';
    for (char *p = valid; *p != '\0'; p++) *p = iscntrl((unsigned char)*p) ? '_' : *p;
    free(name);
    return valid;
}

/* Finds the student's name in the name that a learning platform gave the submission; else returns
 * that name without endings.
 *
 *     Moodle   Doe Jane_12345_assignsubmission_file_         Doe Jane_12345
 *     Canvas   doejane_LATE_12345_67890_reduction-1.cu       doejane_12345 */
static char *student_of(const char *name) {
    char *student = parts_of(name, "^(.*_[0-9]+)(_assignsubmission_file)()");
    if (student == NULL) student = parts_of(name, "^([^_]+)(_LATE)?(_[0-9]+)_[0-9]+_");
    if (student == NULL) student = need(strdup(name));
    /* Cut off the endings of programs and archives. A name that is only an ending keeps it. */
    const char *ending;
    while ((ending = submission_ending(student, ENDING_PROGRAM "|" ENDING_ARCHIVE
                                                               "|" ENDING_COMPRESSED)) != NULL &&
           ending > student)
        student[ending - student] = '\0';
    return plain(student);
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Compares bytes, so that the order is the same in every locale. */
static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_taken(const struct class *class, size_t entry) {
    for (size_t i = 0; i < class->n; i++)
        if (i != entry && strcmp(class->entries[i].student, class->entries[entry].student) == 0)
            return true;
    return false;
}

/* Makes students' names unique: alice.zip and alice/ may be two students. */
static void tell_apart(struct class *class, struct dirent **names) {
    bool *taken = need(calloc(class->n + 1, sizeof *taken));
    for (size_t i = 0; i < class->n; i++) taken[i] = is_taken(class, i);
    for (size_t i = 0; i < class->n; i++) {
        if (!taken[i]) continue;
        free(class->entries[i].student);
        class->entries[i].student = plain(need(strdup(names[i]->d_name)));
    }
    for (size_t i = 0; i < class->n; i++) {
        for (int number = 2; taken[i] && is_taken(class, i); number++) {
            char *name = plain(need(strdup(names[i]->d_name)));
            free(class->entries[i].student);
            class->entries[i].student = need_text("%s %d", name, number);
            free(name);
        }
    }
    free(taken);
}

bool class_list(struct class *class, const char *folder) {
    struct dirent **names;
    int n = scandir(folder, &names, is_visible, by_name);
    if (n < 0) return false;
    class->n = (size_t)n;
    class->entries = need(calloc(class->n + 1, sizeof *class->entries));
    for (size_t i = 0; i < class->n; i++) {
        class->entries[i].student = student_of(names[i]->d_name);
        class->entries[i].path = need_text("%s/%s", folder, names[i]->d_name);
    }
    tell_apart(class, names);
    for (size_t i = 0; i < class->n; i++) free(names[i]);
    free(names);
    return true;
}

void class_free(struct class *class) {
    for (size_t i = 0; i < class->n; i++) {
        free(class->entries[i].student);
        free(class->entries[i].path);
    }
    free(class->entries);
}

void class_folder(const struct class *class, const struct entry *entry, char folder[PATH_MAX]) {
    snprintf(folder, PATH_MAX, "%s/students/%s", class->out, entry->student);
}

bool class_make_folder(char *path) {
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made) return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* ---- Grading ---- */

/* Runs in the child: becomes the grader of this submission. Its output goes to grader.log. */
static void become_grader(const struct class *class, const struct entry *entry,
                          const char *folder) {
    size_t n = 0;
    while (class->grader[n] != NULL) n++;
    char **command = need(calloc(n + 8, sizeof *command)), log[PATH_MAX + 16];
    memcpy(command, class->grader, n * sizeof *command);
    char *const own[] = {"--quiet", "--resume",     "--student", entry->student,
                         "--out",   (char *)folder, entry->path, NULL};
    memcpy(command + n, own, sizeof own);
    snprintf(log, sizeof log, "%s/grader.log", folder);
    int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execvp(command[0], command);
    _exit(EXIT_NOT_FOUND);
}

/* Starts a grader. Returns its process, or -1. */
static pid_t start(const struct class *class, const struct entry *entry) {
    char folder[PATH_MAX];
    class_folder(class, entry, folder);
    if (!class_make_folder(folder)) return -1;
    pid_t child = fork();
    if (child == 0) become_grader(class, entry, folder);
    return child;
}

static void show_progress(size_t done, size_t all) {
    if (!isatty(STDERR_FILENO)) return;
    int filled = all > 0 ? (int)(BAR_WIDTH * done / all) : BAR_WIDTH;
    char bar[BAR_WIDTH + 1];
    memset(bar, ' ', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r  graded  [%s] %zu of %zu%s", bar, done, all, done == all ? "\n" : "");
}

/* Waits for one running grader. Returns whether it could grade its submission. */
static bool finish_one(void) {
    int status;
    while (waitpid(-1, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool class_grade(const struct class *class) {
    size_t running = 0, done = 0, failed = 0, all = 0;
    for (size_t i = class->task; i < class->n; i += class->tasks) all++;
    show_progress(0, all);
    for (size_t i = class->task; i < class->n || running > 0;) {
        if (i < class->n && running < class->jobs) {
            bool started = start(class, &class->entries[i]) > 0;
            running += started, failed += !started, done += !started;
            i += class->tasks;
        } else {
            failed += !finish_one();
            running--, done++;
            show_progress(done, all);
        }
    }
    if (failed > 0)
        fprintf(stderr, "grade: %zu could not be graded; see grader.log in their folders\n",
                failed);
    return failed == 0;
}
