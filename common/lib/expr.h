/* expr.h: the little arithmetic of metrics.tsv.
 *
 *   expression := comparison [ "?" expression ":" expression ]
 *   comparison := sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
 *   sum        := product { ("+" | "-") product }
 *   product    := factor { ("*" | "/") factor }
 *   factor     := "-" factor | number | "NA" | name | ( "first" | "max" ) "(" expression { ","
 * expression } ")" | "(" expression ")"
 *
 * A name is letters, digits, "_", "." and "@" (counters of simt, metrics of ncu); inside it may be
 * a kernel's argument, as in strideLoad(4).time_ms. NA, not available, is carried as NaN: it comes
 * from a name that nobody knows, from NA itself and from a division by zero, and passes through
 * every operation. first(a, b) is the first that is not NA, max(a, b) the larger. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The value of a name, NaN where there is none. Called once for every name in the expression, also
 * in the branch not taken. */
typedef double expr_lookup(void *context, const char *name);

/* Evaluates text. False with a message in failure if it is not an expression; *value is then
 * untouched. */
bool expr_eval(const char *text, expr_lookup *lookup, void *context, double *value);
