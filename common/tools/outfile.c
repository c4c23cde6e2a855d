/* outfile.c: temporary file, then rename. */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* mkstemp makes private files; give this one the rights any new file would have. */
static void give_usual_rights(int fd) {
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
}

bool outfile_open(struct outfile *out, const char *path) {
    struct stat status;
    memset(out, 0, sizeof *out);
    if (strlen(path) >= sizeof out->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(out->path, path);
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (exists && !S_ISREG(status.st_mode)) {
        out->file = fopen(path, "w");
        return out->file != NULL;
    }
    if (exists && access(path, W_OK) != 0) return false;
    snprintf(out->temporary, sizeof out->temporary, "%s.XXXXXX", path);
    int fd = mkostemp(out->temporary, O_CLOEXEC);
    if (fd < 0) return false;
    give_usual_rights(fd);
    out->file = fdopen(fd, "w");
    return out->file != NULL;
}

bool outfile_commit(struct outfile *out) {
    bool written = !ferror(out->file);
    written = fclose(out->file) == 0 && written;
    out->file = NULL;
    if (written && (!out->temporary[0] || rename(out->temporary, out->path) == 0)) {
        out->temporary[0] = '\0';
        return true;
    }
    int reason = errno;
    outfile_drop(out);
    errno = reason;
    return false;
}

void outfile_drop(struct outfile *out) {
    if (out->file) fclose(out->file);
    if (out->temporary[0]) unlink(out->temporary);
    out->file = NULL;
    out->temporary[0] = '\0';
}
