/* folders.c: see folders.h. */
#include "folders.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

bool folders_make(char *path) {
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made) return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}
