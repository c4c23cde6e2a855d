/* find.c: see find.h. */
#include "find.h"

#include <ftw.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDERS_OPEN = 16 };

const char *find_ending(const char *name, const char *endings) {
    regex_t pattern;
    regmatch_t match;
    char text[128];
    snprintf(text, sizeof text, "(%s)$", endings);
    if (regcomp(&pattern, text, REG_EXTENDED | REG_ICASE) != 0) abort();
    bool found = regexec(&pattern, name, 1, &match, 0) == 0;
    regfree(&pattern);
    return found ? name + match.rm_so : NULL;
}

bool find_is_archive(const char *path) {
    return find_ending(path, FIND_ARCHIVE) != NULL;
}

bool find_is_program(const char *path) {
    return find_ending(path, FIND_PROGRAM) != NULL;
}

/* What the walk through a folder has found. It is static, because nftw passes no context. */
static struct {
    const char *wanted; /* PROGRAM.cu */
    char exact[PATH_MAX], other[PATH_MAX], archive[PATH_MAX];
    int exact_n, other_n, archive_n;
} found;

static int look_at(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    const char *name = path + walk->base;
    (void)status;
    if (kind == FTW_D || *name == '.' || strstr(path, "/__MACOSX/") != NULL) return 0;
    if (strcmp(name, found.wanted) == 0) {
        snprintf(found.exact, sizeof found.exact, "%s", path);
        found.exact_n++;
    } else if (find_is_program(name)) {
        snprintf(found.other, sizeof found.other, "%s", path);
        found.other_n++;
    } else if (find_is_archive(name)) {
        snprintf(found.archive, sizeof found.archive, "%s", path);
        found.archive_n++;
    }
    return 0;
}

const char *find_program(const char *folder, const char *wanted, char *reason, size_t size) {
    memset(&found, 0, sizeof found);
    found.wanted = wanted;
    nftw(folder, look_at, FOLDERS_OPEN, FTW_PHYS);
    if (found.exact_n == 1) return found.exact;
    if (found.exact_n == 0 && found.other_n == 1) return found.other;
    if (found.exact_n == 0 && found.other_n == 0 && found.archive_n == 1) return found.archive;
    if (found.exact_n > 1)
        snprintf(reason, size, "there are %d files called %s: hand in one", found.exact_n, wanted);
    else if (found.other_n > 1)
        snprintf(reason, size, "there is no %s, but %d other .cu files: hand in one", wanted,
                 found.other_n);
    else if (found.archive_n > 1)
        snprintf(reason, size, "there is no %s, but %d archives: hand in one", wanted,
                 found.archive_n);
    else
        snprintf(reason, size, "there is no %s", wanted);
    return NULL;
}
