/* submission.c: see submission.h. It follows no links: a link could lead to the solution or to
 * another student. */
#include "submission.h"

#include "grade/sandbox/limits.h"
#include "lib/answers.h"
#include "lib/die.h"
#include "lib/memory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDERS_OPEN = 16 };

/* ---- Names ---- */

const char *submission_ending(const char *name, const char *endings) {
    regex_t pattern;
    regmatch_t match;
    char text[128];
    snprintf(text, sizeof text, "(%s)$", endings);
    if (regcomp(&pattern, text, REG_EXTENDED | REG_ICASE) != 0) abort();
    bool found = regexec(&pattern, name, 1, &match, 0) == 0;
    regfree(&pattern);
    return found ? name + match.rm_so : NULL;
}

/* Names to choose from. */
struct names {
    char **items;
    size_t n;
};

static void add_name(struct names *names, const char *name) {
    names->items = need(realloc(names->items, (names->n + 1) * sizeof *names->items));
    names->items[names->n++] = need(strdup(name));
}

static void free_names(struct names *names) {
    for (size_t i = 0; i < names->n; i++) free(names->items[i]);
    free(names->items);
    *names = (struct names){NULL, 0};
}

/* Chooses the name of the file called wanted, else the only .cu file, else the only archive.
 * inside: the names are an archive's, in which no other is opened. NULL: the reason says why. */
static const char *choose(const struct names *names, const char *wanted, bool inside, char *reason,
                          size_t size) {
    enum { EXACT, PROGRAM, ARCHIVE, KINDS };
    const char *first[KINDS] = {NULL, NULL, NULL};
    int n[KINDS] = {0, 0, 0};
    for (size_t i = 0; i < names->n; i++) {
        const char *name = names->items[i];
        const int kind = strcmp(basename(name), wanted) == 0               ? EXACT
                         : submission_ending(name, ENDING_PROGRAM) != NULL ? PROGRAM
                         : submission_ending(name, ENDING_ARCHIVE) != NULL ? ARCHIVE
                                                                           : KINDS;
        if (kind < KINDS && n[kind]++ == 0) first[kind] = name;
    }
    const int kind = n[EXACT] > 0 ? EXACT : n[PROGRAM] > 0 ? PROGRAM : ARCHIVE;
    if (n[kind] == 1 && !(inside && kind == ARCHIVE)) return first[kind];
    if (n[kind] == 0)
        snprintf(reason, size, "there is no %s", wanted);
    else if (kind == EXACT)
        snprintf(reason, size, "there are %d files called %s: hand in one", n[EXACT], wanted);
    else if (kind == PROGRAM)
        snprintf(reason, size, "there is no %s, but %d other .cu files: hand in one", wanted,
                 n[PROGRAM]);
    else if (inside)
        snprintf(reason, size,
                 "there is no %s in it, but another archive, %s, which is not opened: hand in %s, "
                 "or one archive with it",
                 wanted, first[ARCHIVE], wanted);
    else
        snprintf(reason, size, "there is no %s, but %d archives: hand in one", wanted, n[ARCHIVE]);
    return NULL;
}

/* ---- Texts ---- */

/* Reads a plain file of at most `most` bytes. Returns false with a reason. */
static bool read_plain(const char *path, size_t most, struct sandbox_bytes *bytes, char *reason,
                       size_t size) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool plain = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (!plain && errno == ELOOP)
        snprintf(reason, size, "the file is a symbolic link");
    else if (!plain)
        snprintf(reason, size, "cannot read the file");
    else if ((size_t)status.st_size > most)
        snprintf(reason, size, "the file is larger than the limit of %zu KiB", most >> 10),
            plain = false;
    if (plain) {
        bytes->data = need(calloc(1, (size_t)status.st_size + 1));
        ssize_t got = read(fd, bytes->data, (size_t)status.st_size);
        bytes->size = got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0) close(fd);
    return plain;
}

/* Returns the bytes as a text without carriage returns, to be freed; NULL with a reason: they are
 * no text, or too many. */
static char *text_of(const char *data, size_t n, char *reason, size_t size) {
    char *text = need(malloc(n + 1)), *end = text;
    size_t lines = 0;
    reason[0] = '\0';
    if (n > SUBMISSION_BYTES)
        snprintf(reason, size, "the file is larger than the limit of %d KiB",
                 SUBMISSION_BYTES >> 10);
    for (size_t i = 0; i < n && reason[0] == '\0'; i++) {
        const unsigned char c = (unsigned char)data[i];
        if (iscntrl(c) && !isspace(c))
            snprintf(reason, size, "the file is not a text: byte %zu is 0x%02x", i, c);
        lines += c == '\n';
        if (c != '\r') *end++ = (char)c;
    }
    *end = '\0';
    if (lines > SUBMISSION_LINES)
        snprintf(reason, size, "the file has more than %d lines", SUBMISSION_LINES);
    if (reason[0] == '\0') return text;
    free(text);
    return NULL;
}

/* The same of a file. */
static char *read_text(const char *path, char *reason, size_t size) {
    struct sandbox_bytes bytes = {NULL, 0};
    char *text = read_plain(path, SUBMISSION_BYTES, &bytes, reason, size)
                     ? text_of(bytes.data, bytes.size, reason, size)
                     : NULL;
    free(bytes.data);
    return text;
}

/* ---- A folder ---- */

static struct names found; /* static, because nftw passes no context */

static int look_at(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    if (kind != FTW_D && path[walk->base] != '.' && strstr(path, "/__MACOSX/") == NULL)
        add_name(&found, path);
    return 0;
}

/* Returns the path of the program or the archive in the folder, to be freed, and reads what lies
 * beside it; NULL with a reason. */
static char *look_into(struct submission *submission, const char *folder, const char *wanted,
                       char *reason, size_t size) {
    char ignored[256], *left_out = need_text("%s/" SUBMISSION_LEFT_OUT, folder);
    submission->left_out = read_text(left_out, ignored, sizeof ignored);
    free(left_out);
    char *note = submission->left_out;
    if (note != NULL && note[0] != '\0') note[strlen(note) - 1] = '\0';
    for (char *p = note; p != NULL && (p = strchr(p, '\n')) != NULL;) *p = ',';
    nftw(folder, look_at, FOLDERS_OPEN, FTW_PHYS);
    const char *chosen = choose(&found, wanted, false, reason, size);
    char *path = chosen != NULL ? need(strdup(chosen)) : NULL;
    free_names(&found);
    if (path == NULL || submission_ending(path, ENDING_ARCHIVE) != NULL) return path;
    char *answers = need_text("%.*s" ANSWERS_NAME, (int)(basename(path) - path), path);
    submission->answers = read_text(answers, ignored, sizeof ignored);
    free(answers);
    return path;
}

/* ---- An archive ---- */

static const struct unpacked_file *file_called(const struct unpacked *unpacked, const char *name) {
    for (size_t i = 0; i < unpacked->n; i++)
        if (strcmp(unpacked->items[i].name, name) == 0) return &unpacked->items[i];
    return NULL;
}

/* The answers.md in the lab's folder, such as lab3-reduction/answers.md, else the only one. */
static const struct unpacked_file *find_answers(const struct unpacked *unpacked, const char *lab) {
    char *beside = need_text("%.*s" ANSWERS_NAME, (int)(basename(lab) - lab), lab);
    const struct unpacked_file *only = NULL, *exact = NULL;
    size_t n = 0;
    for (size_t i = 0; i < unpacked->n; i++) {
        const char *name = unpacked->items[i].name, *base = basename(name);
        if (strcmp(base, ANSWERS_NAME) != 0) continue;
        only = &unpacked->items[i];
        n++;
        const char *parent = base > name ? base - 1 : name;
        while (parent > name && parent[-1] != '/') parent--;
        const size_t length = strlen(parent), all = strlen(beside);
        if (base > name && all > length && strcmp(beside + all - length, parent) == 0 &&
            beside[all - length - 1] == '/')
            exact = only;
    }
    free(beside);
    return exact != NULL ? exact : n == 1 ? only : NULL;
}

/* Takes program and answers out of an archive. */
static void read_archive(struct submission *submission, const char *path, const char *lab,
                         struct sandbox_budget *budget, char *reason, size_t size) {
    struct sandbox_bytes archive = {NULL, 0};
    struct unpacked unpacked = {.n = 0};
    char why[512] = "", ignored[256];
    if (!read_plain(path, ARCHIVE_BYTES, &archive, reason, size)) return;
    if (!unpack(budget, &archive, false, &unpacked)) {
        snprintf(why, sizeof why, "%.500s", failure);
    } else {
        struct names names = {NULL, 0};
        for (size_t i = 0; i < unpacked.n; i++) {
            const struct unpacked_file *file = &unpacked.items[i];
            if (file->reason != NULL && why[0] == '\0')
                snprintf(why, sizeof why, "it holds %s: %.200s", file->reason, file->name);
            add_name(&names, file->name);
        }
        const char *chosen =
            why[0] == '\0' ? choose(&names, basename(lab), true, why, sizeof why) : NULL;
        const struct unpacked_file *program = chosen ? file_called(&unpacked, chosen) : NULL,
                                   *answers = find_answers(&unpacked, lab);
        if (program != NULL)
            submission->program = text_of(program->data, program->size, reason, size);
        if (program != NULL && answers != NULL)
            submission->answers = text_of(answers->data, answers->size, ignored, sizeof ignored);
        free_names(&names);
    }
    if (why[0] != '\0') snprintf(reason, size, "the archive: %s", why);
    unpacked_free(&unpacked);
    free(archive.data);
}

/* ---- The whole ---- */

void submission_read(struct submission *submission, const char *path, const char *lab,
                     struct sandbox_budget *budget, char *reason, size_t size) {
    struct stat status;
    *submission = (struct submission){.program = NULL};
    reason[0] = '\0';
    if (lstat(path, &status) != 0) {
        snprintf(reason, size, "nothing was handed in");
        return;
    }
    char *file = S_ISDIR(status.st_mode) ? look_into(submission, path, basename(lab), reason, size)
                                         : need(strdup(path));
    if (file != NULL && submission_ending(file, ENDING_ARCHIVE) != NULL)
        read_archive(submission, file, lab, budget, reason, size);
    else if (file != NULL)
        submission->program = read_text(file, reason, size);
    free(file);
}

void submission_free(struct submission *submission) {
    free(submission->program);
    free(submission->answers);
    free(submission->left_out);
}
