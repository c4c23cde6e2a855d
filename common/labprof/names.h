/* names.h: kernel names as nvprof spells them: void reduceCompleteUnroll<unsigned int=1024>(int*, int*, unsigned int).
 */
#ifndef LABPROF_NAMES_H
#define LABPROF_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* nvprof's spelling of a mangled name (_Z…), of the C++ compiler's demangled form or of ncu's; a name that is none of
 * these comes back as it is. The caller frees it. */
char *kernel_name(const char *name);

/* The bare name: without result type, namespace, template arguments and parameters. Writes at most size bytes. */
void kernel_base_name(const char *name, char *base, size_t size);

/* The first three numbers of "(16384 1 1)", "(16384, 1, 1)", "16384x1" or "16384"; missing ones are 1. False, and all
 * 0, if there is none. */
bool parse_dimensions(const char *text, unsigned dimensions[3]);

#endif
