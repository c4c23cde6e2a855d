/* folder.h: the temporary folder of one run of labprof. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Makes a folder in TMPDIR (or /tmp) that only this user can read, and writes its path to path, at
 * most size bytes. Removes folders that killed runs left. Returns false with a message in failure,
 * and path empty. */
bool folder_make(char *path, size_t size);

/* Removes the folder with all that is in it. An empty path is allowed. */
void folder_remove(const char *path);
