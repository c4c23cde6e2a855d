/* folders.h: a folder and those above it. */
#ifndef GRADE_FOLDERS_H
#define GRADE_FOLDERS_H

#include <stdbool.h>

/* Make the folder and those above it, as far as they are not there. False with errno. The path is changed on the way,
 * and put back. */
bool folders_make(char *path);

#endif
