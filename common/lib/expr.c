/* expr.c: evaluates straight from the text, one function for each line of the grammar. Both
 * branches of a condition are evaluated: with NA in place of errors that is harmless, and it shows
 * the lookup every name an expression may need. */
#include "expr.h"

#include "die.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME    128 /* bytes in a name; ncu's longest has 97 */
#define MAX_NESTING 64  /* parentheses, signs and conditions inside each other */

struct parser {
    const char *text, *at;
    expr_lookup *lookup;
    void *context;
    int nesting;
    bool failed;
};

static double expression(struct parser *p);

/* Reports the first mistake and puts the parser at the end, so that every loop stops. */
static double fail(struct parser *p, const char *format, ...) {
    char why[256];
    if (p->failed) return NAN;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    fail_with("\"%s\", column %d: %s", p->text, (int)(p->at - p->text) + 1, why);
    p->failed = true;
    p->at += strlen(p->at);
    return NAN;
}

/* Takes the word if it comes next. */
static bool take(struct parser *p, const char *word) {
    while (*p->at == ' ') p->at++;
    size_t length = strlen(word);
    if (strncmp(p->at, word, length) != 0) return false;
    p->at += length;
    return true;
}

static void expect(struct parser *p, const char *word) {
    if (!take(p, word)) fail(p, "'%s' expected", word);
}

/* first(...), the first that is not NA; or max(...), NA if one is. */
static double of_list(struct parser *p, bool first) {
    expect(p, "(");
    double found = expression(p);
    while (take(p, ",")) {
        double value = expression(p);
        if (first ? isnan(found) : isnan(value) || value > found) found = value;
    }
    expect(p, ")");
    return found;
}

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '@';
}

/* The length of "(ARGUMENT)" in a name, which goes on after it; 0 if there is none at text. */
static size_t argument_length(const char *text) {
    size_t length = 1;
    if (text[0] != '(') return 0;
    while (isalnum((unsigned char)text[length])) length++;
    return length > 1 && text[length] == ')' && (text[length + 1] == '.' || text[length + 1] == '@')
               ? length + 1
               : 0;
}

static size_t name_length(const char *text) {
    size_t length = 0, argument = 0;
    while (is_name_char(text[length]) ||
           (length > 0 && (argument = argument_length(text + length)) > 0)) {
        length += argument > 0 ? argument : 1;
        argument = 0;
    }
    return length;
}

static double name(struct parser *p) {
    char word[MAX_NAME];
    size_t length = name_length(p->at);
    if (length == 0) return fail(p, "a number or a name expected");
    if (length >= sizeof word) return fail(p, "a name is longer than %d bytes", MAX_NAME - 1);
    memcpy(word, p->at, length);
    word[length] = '\0';
    p->at += length;
    if (strcmp(word, "NA") == 0) return NAN;
    bool first = strcmp(word, "first") == 0;
    if (first || strcmp(word, "max") == 0) return of_list(p, first);
    return p->lookup(p->context, word);
}

static double number(struct parser *p) {
    char *end;
    double value = strtod(p->at, &end);
    if (is_name_char(*end)) return fail(p, "not a number");
    p->at = end;
    return value;
}

static double factor(struct parser *p) {
    if (p->nesting == MAX_NESTING) return fail(p, "nested too deep");
    p->nesting++;
    double value;
    if (take(p, "-")) {
        value = -factor(p);
    } else if (take(p, "(")) {
        value = expression(p);
        expect(p, ")");
    } else {
        value = isdigit((unsigned char)*p->at) ? number(p) : name(p);
    }
    p->nesting--;
    return value;
}

static double product(struct parser *p) {
    double value = factor(p);
    for (;;)
        if (take(p, "*"))
            value *= factor(p);
        else if (take(p, "/")) {
            double divisor = factor(p);
            value = divisor == 0 ? NAN : value / divisor;
        } else
            return value;
}

static double sum(struct parser *p) {
    double value = product(p);
    for (;;)
        if (take(p, "+"))
            value += product(p);
        else if (take(p, "-"))
            value -= product(p);
        else
            return value;
}

static double comparison(struct parser *p) {
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    double a = sum(p);
    size_t which = 0, count = sizeof operators / sizeof *operators;
    while (which < count && !take(p, operators[which])) which++;
    if (which == count) return a;
    double b = sum(p);
    const bool holds[] = {a == b, a != b, a <= b, a >= b, a<b, a> b};
    return isnan(a) || isnan(b) ? NAN : holds[which];
}

static double expression(struct parser *p) {
    double condition = comparison(p);
    if (!take(p, "?")) return condition;
    if (p->nesting == MAX_NESTING) return fail(p, "nested too deep");
    p->nesting++;
    double yes = expression(p);
    expect(p, ":");
    double no = expression(p);
    p->nesting--;
    if (isnan(condition)) return NAN;
    return condition != 0 ? yes : no;
}

bool expr_eval(const char *text, expr_lookup *lookup, void *context, double *value) {
    struct parser p = {.text = text, .at = text, .lookup = lookup, .context = context};
    double result = expression(&p);
    take(&p, "");
    if (!p.failed && *p.at) fail(&p, "not expected here");
    if (!p.failed) *value = isinf(result) ? NAN : result;
    return !p.failed;
}
