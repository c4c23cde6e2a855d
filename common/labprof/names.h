/* names.h: kernel names as nvprof spells them: void reduceCompleteUnroll<unsigned int=1024>(int*,
 * int*, unsigned int). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Converts a mangled name (_Z…), the C++ library's demangled form or ncu's form to nvprof's
 * spelling. Any other name keeps its words. The caller frees the result. */
char *kernel_name(const char *name);

/* The same for tables, which may show names as the linker has them: kernel_names_mangled is set. */
char *kernel_shown_name(const char *name);
extern bool kernel_names_mangled;

/* Converts a mangled name to ncu's spelling: void reduce0<int>(const T1 *, T1 *, unsigned int).
 * Types that depend on a template's arguments are T1, T2 ... Another name stays as it is. The
 * caller frees the result. */
char *kernel_name_ncu(const char *name);

/* Writes the bare name to base, at most size bytes: no result type, namespace, template arguments
 * or parameters. */
void kernel_base_name(const char *name, char *base, size_t size);

/* Parses the first three numbers of "(16384 1 1)", "(16384, 1, 1)", "16384x1" or "16384"; missing
 * ones become 1. Returns false, with all three 0, if the text has no number. */
bool parse_dimensions(const char *text, unsigned dimensions[3]);

/* Writes the pattern with the number in place of each %i, or the number where pattern is NULL, cut
 * off where it does not fit. */
void name_numbered(const char *pattern, int number, char *name, size_t size);

/* What a program calls a host thread or a stream by NVTX: the number of one, and 0 for the other.
 * Streams of several processes that have one number have the last name. */
void name_keep(uint64_t thread, int stream, const char *name);
/* NULL: it has no name. Valid until the process ends. */
const char *name_kept(uint64_t thread, int stream);
/* As name_numbered, but for a stream that the program has named. */
void name_of_stream(const char *pattern, int stream, char *name, size_t size);
