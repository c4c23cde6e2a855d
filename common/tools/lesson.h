/* lesson.h: how far a student is with a lab: which steps are written, and what the last run said of
 * them. */
#pragma once

#include "lib/source.h"

#include <stdbool.h>
#include <stddef.h>

/* Ordered by how much is left to do. */
enum lesson_state {
    LESSON_RIGHT,  /* the last run found no wrong result, and no mistake */
    LESSON_NEW,    /* written, and changed since the last run or never run */
    LESSON_FAULTY, /* the last run found right results, and a mistake beside them, such as a race */
    LESSON_WRONG,  /* the last run found a wrong result, or an error */
    LESSON_TODO,   /* as handed out */
};

struct lesson {
    struct source source;
    bool is_current; /* is there a last run, and was it of this code? */
    enum lesson_state
        state[SOURCE_MAX_REGIONS]; /* of each of the source's regions: a step to write */
};

/* Reads a lab's .cu file, and the run.csv of its last run where there is one. The source that it is
 * about lies beside it, as run.source: results count if that is the same code. Ends the program
 * with a sentence if the .cu file cannot be read or its marks are damaged, or if run.csv is no
 * table. Free with lesson_free. */
void lesson_read(struct lesson *lesson, const char *source, const char *run);
void lesson_free(struct lesson *lesson);

/* The steps in this state. */
size_t lesson_count(const struct lesson *lesson, enum lesson_state state);

/* The first step that is not right: an index into the source's regions, or their count if all are.
 */
size_t lesson_next(const struct lesson *lesson);
