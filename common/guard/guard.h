/* guard.h: decides whether a student's regions may go into the instructor's program.
 *
 * The student's code cannot reach the judge: kernels run in the simulator, functions for the CPU in
 * another process (grade/student/process.h). So a region may hold anything that stays in its place
 * and keeps nothing from one launch to the next: a later launch could then skip the measured work.
 *
 * The compiler's own preprocessor says what a region is. It reads the program twice, without the
 * regions and with them between marks. Between the marks only the region's tokens are left; what
 * comes after them must be the same in both. handouts/rules.md says for students what is refused.
 */
#pragma once

#include "merge.h"

#include <stdbool.h>
#include <stddef.h>

/* Room for a mark: a word that no student can know. */
enum { GUARD_MARK_SIZE = 40 };
void guard_make_mark(char mark[GUARD_MARK_SIZE]);

/* Returns a shell command, to be freed, that writes what guard_judge reads into the file `left`: of
 * what the preprocessor made of a program that merge_put has written with the mark, without pieces
 * (`given`) and with them
 * (`merged`). */
char *guard_script(const char *given, const char *merged, const char *left, const char *mark);

/* What the regions come to: as they should be; some are refused, with their reasons; one of them,
 * nobody can see which from this text, changes the program outside of the regions; or the
 * preprocessor gave up. */
enum guard_verdict { GUARD_ALLOWS, GUARD_REFUSES, GUARD_OUTSIDE, GUARD_INCOMPLETE };

/* Judges the n pieces of regions that have a text, and after them the helpers if they have a name,
 * by what the script has written. */
enum guard_verdict guard_judge(struct piece *pieces, size_t n, const char *left,
                               const char *program, const char *mark);

/* Why a piece is refused that changes the program outside. */
#define GUARD_REACHES "a `#define` or `#undef` changes the program outside of the region"

/* Judges one region by its tokens, which the preprocessor has left. given: what is left of the
 * program, for helpers; NULL: the region is in a function. */
bool guard_allows(struct piece *piece, const char *left, const char *program, const char *given);
