/* unpack.c: see unpack.h. A hostile archive may choose what unpack.sh prints, so its output is
 * checked: a sequence of files.
 *
 *     SIZE NAME
 *     bytes ...
 *     ! NAME       what must not be taken
 *     REASON */
#include "unpack.h"

#include "grade/sandbox/limits.h"
#include "lib/answers.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "submission.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT "common/grade/submission/unpack.sh"

enum { MOST_FILES = 200000, NO_BSDTAR = 4 };

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
static bool cut(struct unpacked *unpacked) {
    char *at = unpacked->text.data, *end = at + unpacked->text.size;
    unpacked->items = need(calloc(MOST_FILES, sizeof *unpacked->items));
    while (at < end) {
        struct unpacked_file file = {.reason = NULL};
        char *line = take_line(&at, end);
        if (line == NULL || unpacked->n == MOST_FILES) return false;
        file.name = line + 1;
        if (*line != '!') file.size = strtoul(line, &file.name, 10);
        if (*line == '!' && (file.reason = take_line(&at, end)) == NULL) return false;
        file.data = at;
        if (*file.name++ != ' ' || file.size > (size_t)(end - at)) return false;
        at += file.size;
        unpacked->items[unpacked->n++] = file;
    }
    return true;
}

bool unpack(struct sandbox_budget *budget, const struct sandbox_bytes *archive, bool of_class,
            struct unpacked *unpacked) {
    struct sandbox_file files[] = {{"archive", archive->data, archive->size, false},
                                   {.data = NULL}};
    char *programs = need_text("%d", SUBMISSION_BYTES + 1);
    char *archives = need_text("%d", of_class ? ARCHIVE_BYTES + 1 : 0);
    struct sandbox_outcome outcome = {.status = 0};
    struct sandbox_job job = {.command =
                                  (char *const[]){"bash", "../grade/unpack.sh", "../grade/archive",
                                                  ENDING_PROGRAM "$|" ANSWERS_NAME "$", programs,
                                                  ENDING_ARCHIVE "$", archives, NULL},
                              .files = files,
                              .files_n = 2,
                              .limits = RUN_LIMITS,
                              .budget = budget};
    job.limits.seconds = of_class ? 600 : job.limits.seconds;
    job.limits.memory = 2 * CLASS_BYTES;
    job.limits.output = of_class ? CLASS_BYTES : ARCHIVE_BYTES;
    job.limits.disk = 128 * MIB;
    *unpacked = (struct unpacked){.n = 0};
    bool done = sandbox_read(&files[1], SCRIPT, "unpack.sh");
    if (done) {
        sandbox_run(&job, &outcome);
        const char *reason = sandbox_reason(&outcome);
        if (reason == NULL) reason = outcome.error.data;
        done = outcome.end == SANDBOX_ENDED && outcome.status == 0;
        if (!done) fail_with("%.*s", (int)strcspn(reason, "\n"), reason);
        if (outcome.end == SANDBOX_ENDED && outcome.status == NO_BSDTAR)
            die(EXIT_FAILURE, "%s", failure);
        if (done && outcome.out.size >= job.limits.output)
            done = fail_with("too much is in it: unpack it, and give the folder");
        unpacked->text = outcome.out;
        outcome.out.data = NULL;
        sandbox_free(&outcome);
    } else {
        fail_with(SCRIPT ": %s", strerror(errno));
    }
    if (done && !cut(unpacked))
        done = fail_with("it is damaged, or holds too many files: unpack it, and give the folder");
    free((void *)files[1].data);
    free(programs);
    free(archives);
    return done;
}

void unpacked_free(struct unpacked *unpacked) {
    free(unpacked->text.data);
    free(unpacked->items);
}
