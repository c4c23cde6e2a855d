/* class_unpack.h: a class's submissions out of the one archive that a learning platform exports. */
#ifndef GRADE_CLASS_UNPACK_H
#define GRADE_CLASS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

/* Write what students have handed in into the folder, which must be there and be empty: what was in the archive (zip or
 * tar), below a folder that all of it is in, without what platforms add. The script, unpack.sh, takes it apart in the
 * sandbox. A plain file beside the students' folders that is neither a program nor an archive is left out and named on
 * standard error. False with a reason: unreadable, damaged, too large, paths that lead out of it, links. */
bool class_unpack(const char *archive, const char *script, const char *folder, bool unsafe, char *why, size_t size);

#endif
