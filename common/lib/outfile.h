/* outfile.h: write a file whole or not at all. The text goes to a temporary file in the same
 * folder, which is renamed at the end. A killed program leaves its temporary file; the next program
 * that writes to the same path removes it. A lock marks a temporary file that is still being
 * written.
 *
 * A link is followed: the file that it names is replaced, and the link stays. /dev/null, a pipe or
 * a terminal cannot be replaced; it is written directly.
 *
 * Everything is in this header, in the common part of C and C++: a lab's program is compiled from
 * one file. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTFILE_END    ".tmp"
#define OUTFILE_SUFFIX ".XXXXXX" OUTFILE_END /* mkostemps puts letters in place of the X */

struct outfile {
    FILE *file;
    char path[PATH_MAX]; /* of the file itself, where the name given is a link */
    char temporary[PATH_MAX + sizeof(OUTFILE_SUFFIX)]; /* "" when path is written directly */
    int lock; /* a descriptor that keeps the temporary file's lock; -1: none */
};

/* Is that a temporary file of the file called base? */
static inline bool outfile_is_temporary(const char *name, const char *base) {
    size_t length = strlen(base), end = length + strlen(OUTFILE_SUFFIX) - strlen(OUTFILE_END);
    return strlen(name) == length + strlen(OUTFILE_SUFFIX) && strncmp(name, base, length) == 0 &&
           name[length] == '.' && strcmp(name + end, OUTFILE_END) == 0;
}

/* Remove the file unless somebody is writing it. */
static inline void outfile_remove_unlocked(int folder, const char *name) {
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
    close(fd);
}

/* Remove the temporary files that killed programs have left for this path. */
static inline void outfile_clean(const char *path) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;)
        if (outfile_is_temporary(entry->d_name, base))
            outfile_remove_unlocked(dirfd(listing), entry->d_name);
    if (listing) closedir(listing);
}

/* Lock a new temporary file. False: another program has removed it already. */
static inline bool outfile_lock(int fd) {
    struct stat status;
    bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return !taken && (fstat(fd, &status) != 0 || status.st_nlink > 0);
}

/* mkostemps makes private files; give this one the rights any new file would have. */
static inline void outfile_give_usual_rights(int fd) {
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) != 0) return; /* then it stays private */
}

/* The descriptor of stdout or stderr if that is the same file; else -1. */
static inline int outfile_printed_to(const struct stat *status) {
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat own;
        if (fstat(fd, &own) == 0 && own.st_dev == status->st_dev && own.st_ino == status->st_ino)
            return fd;
    }
    return -1;
}

/* A descriptor that writes to path directly; -1 with errno. If stdout or stderr is the same file,
 * its descriptor is shared: two would overwrite each other's text. */
static inline int outfile_open_directly(const char *path, const struct stat *status) {
    int printed = status ? outfile_printed_to(status) : -1;
    if (printed >= 0) return fcntl(printed, F_DUPFD_CLOEXEC, 0);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* A descriptor for a new file beside path, or -1 and errno. */
static inline int outfile_open_beside(struct outfile *out) {
    int fd;
    outfile_clean(out->path);
    do {
        strcpy(out->temporary, out->path);
        strcat(out->temporary, OUTFILE_SUFFIX);
        fd = mkostemps(out->temporary, (int)strlen(OUTFILE_END), O_CLOEXEC);
    } while (fd >= 0 && !outfile_lock(fd) && close(fd) == 0);
    if (fd < 0) {
        out->temporary[0] = '\0';
        return -1;
    }
    outfile_give_usual_rights(fd);
    out->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return fd;
}

/* May another file take the place of what path names? status: what is there, NULL if nothing. */
static inline bool outfile_is_replaceable(const char *path, const struct stat *status) {
    struct stat link;
    if (!status)
        return lstat(path, &link) != 0; /* a link to what is not there yet is written through */
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

/* Open the temporary file. False with errno: path cannot be written. */
static inline bool outfile_open(struct outfile *out, const char *path) {
    memset(out, 0, sizeof *out);
    out->lock = -1;
    if (strlen(path) >= sizeof out->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!realpath(path, out->path)) strcpy(out->path, path);
    int fd = outfile_descriptor(out);
    out->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    return out->file != NULL;
}

static inline void outfile_unlock(struct outfile *out) {
    if (out->lock >= 0) close(out->lock);
    out->lock = -1;
}

/* Rename the temporary file, which must be complete. False with errno. Safe in a signal handler. */
static inline bool outfile_place(struct outfile *out) {
    if (out->temporary[0] && rename(out->temporary, out->path) != 0) return false;
    out->temporary[0] = '\0';
    outfile_unlock(out);
    return true;
}

/* Close and remove the temporary file; path stays unchanged. Does nothing after a commit. */
static inline void outfile_drop(struct outfile *out) {
    if (out->file) fclose(out->file);
    if (out->temporary[0]) unlink(out->temporary);
    outfile_unlock(out);
    out->file = NULL;
    out->temporary[0] = '\0';
}

/* Close the temporary file and rename it. False with errno (a full disk, for example): path stays
 * unchanged. */
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
