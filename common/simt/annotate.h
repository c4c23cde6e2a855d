/* annotate.h: what a run reported, as files that services for continuous integration read. */
#pragma once

/* Runs the program at path with its arguments, and writes what simt reported about it, and about
 * programs that it started, as JUnit XML and as SARIF 2.1.0; NULL: not that file. Returns the
 * program's exit status, or 128 plus the signal that ended it. Dies before the program runs if a
 * file cannot be written. */
int annotate_run(const char *path, char **program, const char *junit, const char *sarif);
