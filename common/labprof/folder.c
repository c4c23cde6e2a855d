/* folder.c: a folder in TMPDIR. A lock marks it as long as its labprof runs. */
#include "folder.h"
#include "lib/die.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { NEW_SECONDS = 60 };

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

/* Locks the folder as long as labprof runs. Returns false if another labprof has locked it. */
static bool lock_folder(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0 && !locked) close(fd);
    return locked;
}

/* Removes folders that a killed labprof left, which are not locked. Spares new folders: their
 * labprof may not have locked them yet. */
static void remove_left_folders(const char *parent) {
    char pattern[PATH_MAX];
    struct stat status;
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/labprof.??????", parent);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        bool old = lstat(path, &status) == 0 && status.st_uid == geteuid() &&
                   time(NULL) - status.st_mtime > NEW_SECONDS;
        if (old && lock_folder(path)) nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
    globfree(&found);
}

bool folder_make(char *path, size_t size) {
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent) parent = "/tmp";
    remove_left_folders(parent);
    snprintf(path, size, "%s/labprof.XXXXXX", parent);
    if (mkdtemp(path)) {
        lock_folder(path);
        return true;
    }
    fail_with("cannot make a temporary folder %s: %s", path, strerror(errno));
    path[0] = '\0';
    return false;
}

void folder_remove(const char *path) {
    if (path[0]) nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
