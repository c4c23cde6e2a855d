/* unpack.c: see unpack.h. A hostile archive may choose what unpack.sh prints, so its output is
 * checked. For a class the output is a sequence of files; only new plain files are made from it.
 *
 *     SIZE NAME
 *     bytes ...
 *     ! NAME       what must not be taken
 *     REASON
 */
#include "unpack.h"

#include "find.h"
#include "folders.h"
#include "grade/sandbox/limits.h"
#include "lib/answers.h"
#include "lib/die.h"
#include "lib/memory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The largest archive of a class, and the most bytes of its files. */
#define CLASS_BYTES (512 * MIB)

enum { MOST_FILES = 200000, NO_BSDTAR = 4 };

struct file {
    char *name;
    const char *data, *reason; /* reason: why it must not be taken; NULL: here are the bytes */
    size_t size;
};

struct files {
    struct file *items;
    size_t n;
};

/* ---- Running unpack.sh ---- */

/* Runs the job's command on the archive, which is ../grade/archive. Returns false with a reason;
 * the caller frees the outcome in any case. Ends the program if bsdtar is missing, which is not the
 * archive's fault. */
static bool run_script(const struct unpacker *with, const struct sandbox_bytes *archive,
                       struct sandbox_job *job, struct sandbox_outcome *outcome, char *why,
                       size_t size) {
    struct sandbox_file files[] = {{"archive", archive->data, archive->size, false},
                                   {.data = NULL}};
    *outcome = (struct sandbox_outcome){.status = 0};
    if (!sandbox_read(&files[1], with->script, "unpack.sh")) {
        snprintf(why, size, "%s: %s", with->script, strerror(errno));
        return false;
    }
    job->files = files;
    job->files_n = 2;
    job->budget = with->budget;
    sandbox_run(job, with->unsafe, outcome);
    free((void *)files[1].data);
    const char *reason =
        sandbox_reason(outcome) != NULL ? sandbox_reason(outcome) : outcome->error.data;
    bool done = outcome->end == SANDBOX_ENDED && outcome->status == 0;
    if (!done) snprintf(why, size, "%.*s", (int)strcspn(reason, "\n"), reason);
    if (outcome->end == SANDBOX_ENDED && outcome->status == NO_BSDTAR) {
        die(EXIT_FAILURE, "%s", why);
    }
    return done;
}

bool unpack_file(const struct unpacker *with, const struct sandbox_bytes *archive,
                 const char *wanted, const char *other, struct sandbox_bytes *file, char *why,
                 size_t size) {
    struct sandbox_job job = {
        .command = (char *const[]){"bash", "../grade/unpack.sh", "one", "../grade/archive",
                                   (char *)wanted, (char *)other, "taken", FIND_ARCHIVE "$", NULL},
        .take = "taken",
        .limits = RUN_LIMITS};
    struct sandbox_outcome outcome;
    bool done = run_script(with, archive, &job, &outcome, why, size);
    if (done) *file = outcome.taken, outcome.taken.data = NULL;
    sandbox_free(&outcome);
    return done;
}

/* Prints the files of a class's archive. Cuts programs, answers and archives one byte above the
 * limit, so that grading still sees that they are too large. */
static bool print_all(const struct unpacker *with, const struct sandbox_bytes *archive,
                      struct sandbox_outcome *outcome, char *why, size_t size) {
    char program_bytes[32], archive_bytes[32];
    snprintf(program_bytes, sizeof program_bytes, "%d", SUBMISSION_BYTES + 1);
    snprintf(archive_bytes, sizeof archive_bytes, "%d", ARCHIVE_BYTES + 1);
    struct sandbox_job job = {
        .command = (char *const[]){"bash", "../grade/unpack.sh", "all", "../grade/archive",
                                   FIND_PROGRAM "$|" ANSWERS_NAME "$", program_bytes,
                                   FIND_ARCHIVE "$", archive_bytes, NULL},
        .limits = RUN_LIMITS};
    job.limits.seconds = 600;
    job.limits.memory = 2 * CLASS_BYTES;
    job.limits.output = CLASS_BYTES;
    job.limits.disk = 128 * MIB;
    bool done = run_script(with, archive, &job, outcome, why, size);
    if (!done || outcome->out.size < job.limits.output) return done;
    snprintf(why, size, "too much is in it: unpack it, and give the folder");
    return false;
}

/* ---- The sequence of files ---- */

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
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        if (strstr(name, added[i]) != NULL) return true;
    }
    return false;
}

static void leave_out(const char *name, const char *reason) {
    fprintf(stderr, "grade: left out, %s: %s\n", reason, name);
}

/* Ends a line, and returns it with control characters replaced; NULL: it has no end. */
static char *take_line(char **at, const char *end) {
    char *line = *at, *line_end = memchr(line, '\n', (size_t)(end - line));
    if (line_end == NULL) return NULL;
    *line_end = '\0';
    *at = line_end + 1;
    for (char *p = line; *p != '\0'; p++) *p = iscntrl((unsigned char)*p) ? '_' : *p;
    return line;
}

/* Cuts the text into files. Their names become strings inside the text. */
static bool cut(struct sandbox_bytes *text, struct files *files) {
    char *at = text->data, *end = text->data + text->size;
    files->items = need(calloc(MOST_FILES, sizeof *files->items));
    while (at < end) {
        struct file file = {.reason = NULL};
        char *line = take_line(&at, end);
        if (line == NULL) return false;
        file.name = line + 1;
        if (*line != '!') file.size = strtoul(line, &file.name, 10);
        if (*line == '!') file.reason = take_line(&at, end);
        file.data = at;
        if ((*line == '!' && file.reason == NULL) || *file.name++ != ' ' ||
            file.size > (size_t)(end - at))
            return false;
        at += file.size;
        if (files->n == MOST_FILES) return false;
        if (!is_safe(file.name))
            leave_out(file.name, file.reason != NULL ? file.reason : "its name is too long");
        else if (!is_added(file.name))
            files->items[files->n++] = file;
    }
    return true;
}

/* Removes the folder that contains all files from their names, if it has several entries. */
static void skip_common_folder(struct files *files) {
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
    bool made = folders_make(path);
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
static bool note_left_out(const char *folder, const struct file *file, const char *reason) {
    const char *slash = strchr(file->name, '/');
    int first = slash != NULL ? (int)(slash - file->name) : (int)strlen(file->name);
    char *note = need_text("%s: %s\n", slash != NULL ? slash + 1 : file->name, reason);
    char *name = need_text("%.*s/" UNPACK_LEFT_OUT, first, file->name);
    leave_out(file->name, reason);
    bool noted = write_file(folder, name, note, strlen(note), O_APPEND) || is_by_name(errno);
    free(name);
    free(note);
    return noted;
}

static bool write_files(const struct files *files, const char *folder, char *why, size_t size) {
    for (size_t i = 0; i < files->n; i++) {
        const struct file *file = &files->items[i];
        bool outside = strchr(file->name, '/') == NULL, done = true;
        if (file->reason != NULL)
            done = note_left_out(folder, file, file->reason);
        else if (outside && !find_is_program(file->name) && !find_is_archive(file->name))
            leave_out(file->name, "neither a program nor an archive");
        else if (!write_file(folder, file->name, file->data, file->size, O_EXCL))
            done = is_by_name(errno) && note_left_out(folder, file, strerror(errno));
        if (done) continue;
        snprintf(why, size, "%s/%s: %s", folder, file->name, strerror(errno));
        return false;
    }
    return true;
}

/* Writes the files that unpack.sh printed. */
static bool write_class(struct sandbox_bytes *printed, const char *folder, char *why, size_t size) {
    struct files files = {NULL, 0};
    bool done = cut(printed, &files);
    if (!done)
        snprintf(why, size,
                 "it is damaged, or holds too many files: unpack it, and give the folder");
    if (done) skip_common_folder(&files);
    done = done && write_files(&files, folder, why, size);
    free(files.items);
    return done;
}

/* Reads the archive. The caller frees its bytes. */
static bool read_class(const char *path, struct sandbox_bytes *archive, char *why, size_t size) {
    struct stat status;
    struct sandbox_file file;
    if (stat(path, &status) == 0 && (size_t)status.st_size > CLASS_BYTES) {
        snprintf(why, size, "it is larger than %zu MiB: unpack it, and give the folder",
                 CLASS_BYTES / MIB);
        return false;
    }
    bool read = sandbox_read(&file, path, "archive");
    if (read) *archive = (struct sandbox_bytes){(char *)file.data, file.size};
    if (!read) snprintf(why, size, "%s", strerror(errno));
    return read;
}

bool unpack_class(const struct unpacker *with, const char *archive, const char *folder, char *why,
                  size_t size) {
    struct sandbox_bytes bytes = {NULL, 0};
    struct sandbox_outcome outcome = {.status = 0};
    bool done = read_class(archive, &bytes, why, size) &&
                print_all(with, &bytes, &outcome, why, size) &&
                write_class(&outcome.out, folder, why, size);
    free(bytes.data);
    sandbox_free(&outcome);
    return done;
}
