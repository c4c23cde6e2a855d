/* submission.c: see submission.h. It follows no links: a link could lead to the solution or to
 * another student. */
#include "submission.h"

#include "find.h"
#include "grade/sandbox/limits.h"
#include "lib/answers.h"
#include "lib/memory.h"
#include "unpack.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- One file ---- */

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

/* Checks that the file is a text of allowed length. Removes carriage returns, so that line ends
 * become "\n". */
static bool is_text(struct sandbox_bytes *bytes, char *reason, size_t size) {
    size_t kept = 0, lines = 0;
    for (size_t i = 0; i < bytes->size; i++) {
        unsigned char c = (unsigned char)bytes->data[i];
        if (iscntrl(c) && !isspace(c)) {
            snprintf(reason, size, "the file is not a text: byte %zu is 0x%02x", i, c);
            return false;
        }
        lines += c == '\n';
        if (c != '\r') bytes->data[kept++] = (char)c;
    }
    bytes->data[kept] = '\0';
    bytes->size = kept;
    if (lines > SUBMISSION_LINES)
        snprintf(reason, size, "the file has more than %d lines", SUBMISSION_LINES);
    return lines <= SUBMISSION_LINES;
}

/* ---- An archive ---- */

static bool unpack(const struct lab_files *lab, const char *path, const char *wanted,
                   const char *other, struct sandbox_bytes *file, char *reason, size_t size) {
    struct sandbox_bytes archive = {NULL, 0};
    char why[256];
    const struct unpacker with = {"common/grade/submission/unpack.sh", lab->budget, lab->unsafe};
    if (!read_plain(path, ARCHIVE_BYTES, &archive, reason, size)) return false;
    bool done = unpack_file(&with, &archive, wanted, other, file, why, sizeof why);
    free(archive.data);
    if (!done) snprintf(reason, size, "the archive: %s", why);
    if (!done || file->size <= SUBMISSION_BYTES) return done;
    snprintf(reason, size, "the file is larger than the limit of %d KiB", SUBMISSION_BYTES >> 10);
    return false;
}

/* ---- The whole ---- */

char *submission_read(const struct lab_files *lab, const char *path, char *reason, size_t size) {
    char wanted[NAME_MAX + 8];
    struct stat status;
    struct sandbox_bytes bytes = {NULL, 0};
    snprintf(wanted, sizeof wanted, "%s.cu", lab->program);
    if (lstat(path, &status) != 0) {
        snprintf(reason, size, "nothing was handed in");
        return NULL;
    }
    if (S_ISDIR(status.st_mode)) path = find_program(path, wanted, reason, size);
    if (path == NULL) return NULL;
    bool read = find_is_archive(path)
                    ? unpack(lab, path, wanted, FIND_PROGRAM "$", &bytes, reason, size)
                    : read_plain(path, SUBMISSION_BYTES, &bytes, reason, size);
    if (read && is_text(&bytes, reason, size)) return bytes.data;
    free(bytes.data);
    return NULL;
}

/* ---- Answers ---- */

/* The path of answers.md in the folder of this file. */
static char *answers_beside(const char *path) {
    const char *slash = strrchr(path, '/');
    return need_text("%.*s" ANSWERS_NAME, slash != NULL ? (int)(slash - path) + 1 : 0, path);
}

/* The same in an archive: that of the lab's folder, such as lab3-reduction/answers.md, else the
 * only one. */
static char *answers_of_lab(const struct lab_files *lab) {
    char *beside = answers_beside(lab->paths.solution), *slash = strrchr(beside, '/');
    while (slash != NULL && slash > beside && slash[-1] != '/') slash--;
    char *name = need(strdup(slash != NULL ? slash : beside));
    free(beside);
    return name;
}

char *submission_answers(const struct lab_files *lab, const char *path) {
    char wanted[NAME_MAX + 8], reason[256];
    struct stat status;
    struct sandbox_bytes bytes = {NULL, 0};
    bool read = false;
    snprintf(wanted, sizeof wanted, "%s.cu", lab->program);
    const bool folder = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (folder) path = find_program(path, wanted, reason, sizeof reason);
    if (path != NULL && find_is_archive(path)) {
        char *name = answers_of_lab(lab);
        read = unpack(lab, path, name, ANSWERS_NAME "$", &bytes, reason, sizeof reason);
        free(name);
    } else if (path != NULL && folder) {
        char *name = answers_beside(path);
        read = read_plain(name, SUBMISSION_BYTES, &bytes, reason, sizeof reason);
        free(name);
    }
    if (read && is_text(&bytes, reason, sizeof reason)) return bytes.data;
    free(bytes.data);
    return NULL;
}

/* ---- What was left out ---- */

char *submission_left_out(const char *path) {
    char *name = need_text("%s/" UNPACK_LEFT_OUT, path), reason[256];
    struct sandbox_bytes bytes = {NULL, 0};
    bool read = read_plain(name, SUBMISSION_BYTES, &bytes, reason, sizeof reason) &&
                is_text(&bytes, reason, sizeof reason);
    free(name);
    if (read && bytes.size > 0) bytes.data[bytes.size - 1] = '\0';
    for (char *p = bytes.data; read && (p = strchr(p, '\n')) != NULL;) *p = ',';
    if (read) return bytes.data;
    free(bytes.data);
    return NULL;
}
