/*
 * outfile.h: a file that is either written whole or not at all. The text goes to a temporary file in the same folder,
 * which takes the name at the end.
 *
 * A link is followed: the file behind it is replaced, and the link stays. What is no plain file (/dev/null, a pipe, a
 * terminal) cannot be replaced: it is written to.
 *
 * All of it is in this header, in what C and C++ have in common, as a lab's program is compiled from one file.
 */
#ifndef TOOLS_OUTFILE_H
#define TOOLS_OUTFILE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTFILE_SUFFIX ".XXXXXX" /* mkostemp puts letters in place of the X */

struct outfile {
    FILE *file;
    char path[PATH_MAX];                               /* of the file itself, where the name given is a link */
    char temporary[PATH_MAX + sizeof(OUTFILE_SUFFIX)]; /* "" when path is written directly */
};

/* mkostemp makes private files; give this one the rights any new file would have. */
static inline void outfile_give_usual_rights(int fd) {
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) != 0) return; /* then it stays private */
}

/* stdout or stderr, where that is the file; -1: neither is. */
static inline int outfile_printed_to(const struct stat *status) {
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat own;
        if (fstat(fd, &own) == 0 && own.st_dev == status->st_dev && own.st_ino == status->st_ino) return fd;
    }
    return -1;
}

/* A descriptor for what path names as it is, or -1 and errno. What the program prints to is written by the same
 * descriptor: two would overwrite each other's text. */
static inline int outfile_open_directly(const char *path, const struct stat *status) {
    int printed = status ? outfile_printed_to(status) : -1;
    if (printed >= 0) return fcntl(printed, F_DUPFD_CLOEXEC, 0);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* A descriptor for a new file beside path, or -1 and errno. */
static inline int outfile_open_beside(struct outfile *out) {
    strcpy(out->temporary, out->path);
    strcat(out->temporary, OUTFILE_SUFFIX);
    int fd = mkostemp(out->temporary, O_CLOEXEC);
    if (fd < 0)
        out->temporary[0] = '\0';
    else
        outfile_give_usual_rights(fd);
    return fd;
}

/* May another file take the place of what path names? status: what is there, NULL if nothing. */
static inline bool outfile_is_replaceable(const char *path, const struct stat *status) {
    struct stat link;
    if (!status) return lstat(path, &link) != 0; /* a link to what is not there yet is written through */
    return S_ISREG(status->st_mode) && outfile_printed_to(status) < 0;
}

static inline int outfile_descriptor(struct outfile *out) {
    struct stat found;
    const struct stat *status = stat(out->path, &found) == 0 ? &found : NULL;
    if (status && S_ISDIR(status->st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (status && access(out->path, W_OK) != 0) return -1;
    bool beside = outfile_is_replaceable(out->path, status);
    return beside ? outfile_open_beside(out) : outfile_open_directly(out->path, status);
}

/* Opens the temporary file. False with errno set when path cannot be written. */
static inline bool outfile_open(struct outfile *out, const char *path) {
    memset(out, 0, sizeof *out);
    if (strlen(path) >= sizeof out->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!realpath(path, out->path)) strcpy(out->path, path);
    int fd = outfile_descriptor(out);
    out->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    return out->file != NULL;
}

/* Gives the temporary file its name, once all is in it. False with errno set when that cannot be. Safe in a signal
 * handler. */
static inline bool outfile_place(struct outfile *out) {
    if (out->temporary[0] && rename(out->temporary, out->path) != 0) return false;
    out->temporary[0] = '\0';
    return true;
}

/* Closes and removes the temporary file; path is as it was. Harmless after a commit. */
static inline void outfile_drop(struct outfile *out) {
    if (out->file) fclose(out->file);
    if (out->temporary[0]) unlink(out->temporary);
    out->file = NULL;
    out->temporary[0] = '\0';
}

/* Closes it and gives it its name. False with errno set, and nothing changed at path, when something went wrong (a full
 * disk). */
static inline bool outfile_commit(struct outfile *out) {
    bool written = !ferror(out->file);
    written = fclose(out->file) == 0 && written;
    out->file = NULL;
    if (written && outfile_place(out)) return true;
    int reason = errno;
    outfile_drop(out);
    errno = reason;
    return false;
}

#endif
