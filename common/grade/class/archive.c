/* archive.c: the one archive of a class that a learning platform exports. Only new plain files are
 * made from it. */
#include "class.h"

#include "grade/sandbox/limits.h"
#include "grade/submission/submission.h"
#include "lib/die.h"
#include "lib/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Which files ---- */

/* Is it a relative path without empty, hidden or .. parts? */
static bool is_safe(const char *name) {
    if (*name == '\0' || strlen(name) >= PATH_MAX / 2) return false;
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += *part == '/' && part > name;
        if (*part == '/' || *part == '.' || *part == '\0') return false;
    }
    return true;
}

/* Did a platform or an operating system add this file? */
static bool is_added(const char *name) {
    static const char *const added[] = {"submission_metadata.yml", "_assignsubmission_onlinetext",
                                        "Thumbs.db"};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        if (strstr(name, added[i]) != NULL) return true;
    return false;
}

static void leave_out(const char *name, const char *reason) {
    fprintf(stderr, "grade: left out, %s: %s\n", reason, name);
}

/* Drops what may not be written, and what nobody handed in. */
static void drop_others(struct unpacked *files) {
    size_t kept = 0;
    for (size_t i = 0; i < files->n; i++) {
        const struct unpacked_file *file = &files->items[i];
        if (!is_safe(file->name))
            leave_out(file->name, file->reason != NULL ? file->reason : "its name is too long");
        else if (!is_added(file->name))
            files->items[kept++] = *file;
    }
    files->n = kept;
}

/* Removes the folder that contains all files from their names, if it has several entries. */
static void skip_common_folder(struct unpacked *files) {
    const char *second = NULL;
    size_t n = files->n > 0 ? strcspn(files->items[0].name, "/") + 1 : 0;
    bool several = false;
    for (size_t i = 0; i < files->n; i++) {
        const char *name = files->items[i].name;
        if (strncmp(name, files->items[0].name, n) != 0) return;
        if (second == NULL) second = name + n;
        size_t length = strcspn(second, "/");
        several =
            several || strncmp(name + n, second, length) != 0 || strcspn(name + n, "/") != length;
    }
    for (size_t i = 0; i < files->n && several; i++) files->items[i].name += n;
}

/* ---- Writing ---- */

/* Writes into a file in the folder, which is made. Returns false with errno: with EEXIST if it is
 * there. */
static bool write_file(const char *folder, const char *name, const char *data, size_t size,
                       int how) {
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    bool made = class_make_folder(path);
    *slash = '/';
    int fd = made ? open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | how, 0666) : -1;
    bool written = fd >= 0 && write(fd, data, size) == (ssize_t)size;
    return fd >= 0 && close(fd) == 0 && written;
}

/* Is it the matter of this one name that the file could not be written? */
static bool is_by_name(int error) {
    return error == EEXIST || error == EISDIR || error == ENOTDIR || error == ENAMETOOLONG ||
           error == EILSEQ;
}

/* Tells the instructor what is left out, and by a file in the student's folder the student's
 * report. */
static bool note_left_out(const char *folder, const struct unpacked_file *file,
                          const char *reason) {
    const char *slash = strchr(file->name, '/');
    int first = slash != NULL ? (int)(slash - file->name) : (int)strlen(file->name);
    char *note = need_text("%s: %s\n", slash != NULL ? slash + 1 : file->name, reason);
    char *name = need_text("%.*s/" SUBMISSION_LEFT_OUT, first, file->name);
    leave_out(file->name, reason);
    bool noted = write_file(folder, name, note, strlen(note), O_APPEND) || is_by_name(errno);
    free(name);
    free(note);
    return noted;
}

static bool write_files(const struct unpacked *files, const char *folder) {
    for (size_t i = 0; i < files->n; i++) {
        const struct unpacked_file *file = &files->items[i];
        bool outside = strchr(file->name, '/') == NULL, done = true;
        if (file->reason != NULL)
            done = note_left_out(folder, file, file->reason);
        else if (outside &&
                 submission_ending(file->name, ENDING_PROGRAM "|" ENDING_ARCHIVE) == NULL)
            leave_out(file->name, "neither a program nor an archive");
        else if (!write_file(folder, file->name, file->data, file->size, O_EXCL))
            done = is_by_name(errno) && note_left_out(folder, file, strerror(errno));
        if (done) continue;
        return fail_with("%s/%s: %s", folder, file->name, strerror(errno));
    }
    return true;
}

/* ---- The whole ---- */

/* Reads the archive. The caller frees its bytes. */
static bool read_class(const char *path, struct sandbox_bytes *archive) {
    struct stat status;
    struct sandbox_file file;
    if (stat(path, &status) == 0 && (size_t)status.st_size > CLASS_BYTES) {
        return fail_with("it is larger than %zu MiB: unpack it, and give the folder",
                         CLASS_BYTES / MIB);
    }
    bool read = sandbox_read(&file, path, "archive");
    if (read) *archive = (struct sandbox_bytes){(char *)file.data, file.size};
    if (!read) fail_with("%s", strerror(errno));
    return read;
}

bool class_unpack(const char *archive, const char *folder) {
    struct sandbox_bytes bytes = {NULL, 0};
    struct unpacked files = {.n = 0};
    bool done = read_class(archive, &bytes) && unpack(NULL, &bytes, true, &files);
    if (done) {
        drop_others(&files);
        skip_common_folder(&files);
        done = write_files(&files, folder);
    }
    free(bytes.data);
    unpacked_free(&files);
    return done;
}
