/* names.h: sets of identifiers, and which a C++ text declares. */
#ifndef GRADE_NAMES_H
#define GRADE_NAMES_H

#include "lex.h"

struct names;

struct names *names_make(void);
void names_free(struct names *names);
bool names_has(const struct names *names, const struct token *name);
void names_add(struct names *names, const char *name, size_t length);

/* All identifiers of the text. */
void names_add_all(struct names *names, const char *text);

/* What the text declares outside of functions and classes: functions, types, variables, macros. With `calls_only` only
 * functions, and of those not the ones that begin with __device__. */
void names_add_declared(struct names *names, const char *text, bool calls_only);

#endif
