/* folders.h: makes a folder and its parents. */
#ifndef GRADE_FOLDERS_H
#define GRADE_FOLDERS_H

#include <stdbool.h>

/* Makes the folder and its missing parents. Returns false with errno. Changes the path meanwhile,
 * and restores it. */
bool folders_make(char *path);

#endif
