/* class_unpack.c: see class_unpack.h. What the sandbox prints is a row of files:
 *
 *     SIZE NAME
 *     bytes ...
 *
 * Names have been looked at there, by a script that a hostile archive may have had in its hands; so they are looked at
 * again here, and nothing but new plain files is written. */
#include "class_unpack.h"

#include "find.h"
#include "folders.h"
#include "limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the archive, and of all that is of use in it. */
#define CLASS_BYTES (512 * MIB)

enum { MOST_FILES = 20000 };

struct file {
    const char *name, *data;
    size_t size;
};

struct files {
    struct file *items;
    size_t n;
};

/* ---- Reading ---- */

static bool read_archive(struct sandbox_file *file, const char *path, char *why, size_t size) {
    struct stat status;
    if (stat(path, &status) == 0 && (size_t)status.st_size > CLASS_BYTES) {
        snprintf(why, size, "%s is larger than %zu MiB: unpack it, and give the folder", path, CLASS_BYTES / MIB);
        return false;
    }
    bool read = sandbox_read(file, path, "archive");
    if (!read) snprintf(why, size, "%s: %s", path, strerror(errno));
    return read;
}

/* Take the archive apart in the sandbox; what it has printed is in the outcome. */
static bool run_script(const char *archive, const char *script, bool unsafe, struct sandbox_outcome *outcome, char *why,
                       size_t size) {
    struct sandbox_file files[2];
    if (!read_archive(&files[0], archive, why, size)) return false;
    if (!sandbox_read(&files[1], script, "unpack.sh")) {
        snprintf(why, size, "%s: %s", script, strerror(errno));
        free((void *)files[0].data);
        return false;
    }
    struct sandbox_limits limits = RUN_LIMITS;
    limits.seconds = 600;
    limits.memory = 2 * CLASS_BYTES;
    limits.output = CLASS_BYTES;
    limits.disk = 128 * MIB;
    struct sandbox_job job = {.command = (char *const[]){"bash", "../grade/unpack.sh", "../grade/archive", NULL},
                              .files = files,
                              .files_n = 2,
                              .limits = limits};
    sandbox_run(&job, unsafe, outcome);
    for (size_t i = 0; i < 2; i++) free((void *)files[i].data);
    const char *reason = sandbox_reason(outcome);
    bool done = outcome->end == SANDBOX_ENDED && outcome->status == 0;
    if (!done && reason == NULL) reason = outcome->error.data;
    if (outcome->end == SANDBOX_OUTPUT) reason = "too much is in it: unpack it, and give the folder";
    if (!done) snprintf(why, size, "%s: %.*s", archive, (int)strcspn(reason, "\n"), reason);
    return done;
}

/* ---- The row of files ---- */

/* A path of plain names, none of them hidden. */
static bool is_safe(const char *name) {
    if (*name == '\0' || strlen(name) >= PATH_MAX / 2) return false;
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += *part == '/' && part > name;
        if (*part == '/' || *part == '.' || *part == '\0') return false;
    }
    return true;
}

/* What platforms add, and systems. */
static bool is_added(const char *name) {
    static const char *const added[] = {"submission_metadata.yml", "_assignsubmission_onlinetext", "Thumbs.db"};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        if (strstr(name, added[i]) != NULL) return true;
    }
    return false;
}

/* Cut the text into files; their names become strings in it. */
static bool cut(struct sandbox_bytes *text, struct files *files) {
    char *at = text->data, *end = text->data + text->size;
    files->items = calloc(MOST_FILES, sizeof *files->items);
    for (char *line_end; at < end; at = line_end) {
        char *name;
        size_t bytes = strtoul(at, &name, 10);
        line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL || *name != ' ' || bytes > (size_t)(end - line_end - 1)) return false;
        *line_end++ = '\0';
        if (!is_safe(++name) || files->n == MOST_FILES) return false;
        if (!is_added(name)) files->items[files->n++] = (struct file){name, line_end, bytes};
        line_end += bytes;
    }
    return true;
}

/* Skip the folder that all files are in, if there is more than one thing in it. */
static void skip_common_folder(struct files *files) {
    const char *second = NULL;
    size_t n = files->n > 0 ? strcspn(files->items[0].name, "/") + 1 : 0;
    bool several = false;
    for (size_t i = 0; i < files->n; i++) {
        const char *name = files->items[i].name;
        if (strncmp(name, files->items[0].name, n) != 0) return;
        if (second == NULL) second = name + n;
        size_t length = strcspn(second, "/");
        several = several || strncmp(name + n, second, length) != 0 || strcspn(name + n, "/") != length;
    }
    for (size_t i = 0; i < files->n && several; i++) files->items[i].name += n;
}

/* ---- Writing ---- */

static bool write_file(const char *folder, const struct file *file) {
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, file->name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    bool made = folders_make(path);
    *slash = '/';
    int fd = made ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666) : -1;
    bool written = fd >= 0 && write(fd, file->data, file->size) == (ssize_t)file->size;
    return fd >= 0 && close(fd) == 0 && written;
}

static bool write_files(const struct files *files, const char *folder, char *why, size_t size) {
    for (size_t i = 0; i < files->n; i++) {
        const struct file *file = &files->items[i];
        bool outside = strchr(file->name, '/') == NULL;
        if (outside && !find_is_program(file->name) && !find_is_archive(file->name)) {
            fprintf(stderr, "grade: left out, neither a program nor an archive: %s\n", file->name);
        } else if (!write_file(folder, file)) {
            snprintf(why, size, "%s/%s: %s", folder, file->name, strerror(errno));
            return false;
        }
    }
    return true;
}

bool class_unpack(const char *archive, const char *script, const char *folder, bool unsafe, char *why, size_t size) {
    struct sandbox_outcome outcome = {0};
    struct files files = {NULL, 0};
    bool done = run_script(archive, script, unsafe, &outcome, why, size);
    if (done && !cut(&outcome.out, &files)) {
        snprintf(why, size, "%s: a name in it is strange, or it is damaged: unpack it, and give the folder", archive);
        done = false;
    }
    if (done) skip_common_folder(&files);
    done = done && write_files(&files, folder, why, size);
    free(files.items);
    sandbox_free(&outcome);
    return done;
}
