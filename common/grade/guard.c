/* guard.c: see guard.h. */
#include "guard.h"

#include "names.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200 /* brackets within brackets */, MOST_DECLARED = 64 };

/* A word that the region has made a variable of its own, and how many brackets were open there. */
struct declared {
    struct token name;
    size_t depth;
};

/* One region being judged. */
struct judge {
    const struct guard *guard;
    struct names *allowed; /* what the solution's region uses */
    struct declared declared[MOST_DECLARED];
    size_t declared_n;
    const char *region, *text;
    size_t first_line;
    char open[DEEPEST];
    size_t depth;
    struct token last, last_but_one; /* those before */
    char *reason;
    size_t size;
};

/* ---- Setting up ---- */

/* Lines begin to end - 1 as one text, to be freed. */
static char *join(const struct source *source, size_t begin, size_t end) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = begin; i < end; i++) fprintf(out, "%s\n", source->lines[i]);
    fclose(out);
    return text;
}

struct guard guard_make(const struct source *solution, const char *const *headers, size_t headers_n) {
    struct guard guard = {names_make(), solution};
    char *program = join(solution, 0, solution->lines_n);
    for (size_t i = 0; i < headers_n; i++) names_add_declared(guard.reserved, headers[i], false);
    names_add_declared(guard.reserved, program, true);
    free(program);
    return guard;
}

void guard_free(struct guard *guard) {
    names_free(guard->reserved);
    guard->reserved = NULL;
}

/* ---- Saying why ---- */

static bool refuse(struct judge *judge, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct judge *judge, const struct token *at, const char *format, ...) {
    char what[256];
    size_t line = judge->first_line;
    va_list arguments;
    for (const char *p = judge->text; p < at->start; p++) line += *p == '\n';
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(judge->reason, judge->size, "line %zu: %s", line, what);
    return false;
}

/* ---- What is refused ---- */

enum when { ALWAYS, AS_CALL };

struct refused {
    const char *name, *why;
    enum when when;
};

static const struct refused refused[] = {
#define REFUSED(name, why) {name, why, ALWAYS},
#define CALL(name, why)    {name, why, AS_CALL},
#include "refused.def"
};

static bool matches(const struct token *token, const char *pattern) {
    size_t n = strlen(pattern);
    if (pattern[n - 1] != '*') return token_is(token, pattern);
    return token->length >= n - 1 && memcmp(token->start, pattern, n - 1) == 0;
}

/* The token after this one. */
static struct token peek(const struct lexer *lexer) {
    struct lexer copy = *lexer;
    return lex(&copy);
}

/* Does `static const` begin constants, and no pointer, which can be changed? A pointer's sign stands before its value
 * or, if it is not the first, behind a comma. */
static bool is_constant(struct lexer lexer) {
    bool before_value = true;
    for (struct token t = lex(&lexer); t.kind != TOKEN_END && !token_is(&t, ";"); t = lex(&lexer)) {
        bool points = token_is(&t, "*") || token_is(&t, "&");
        if (points && before_value) return false;
        if (token_is(&t, "=") || token_is(&t, "{") || token_is(&t, "(") || !before_value)
            before_value = token_is(&t, ",");
    }
    return true;
}

/* `extern __shared__`, `static const`: harmless uses of words that otherwise are not. */
static bool harmless(const struct token *token, const struct token *next, const struct lexer *lexer) {
    if (token_is(next, "__shared__")) return token_is(token, "extern") || token_is(token, "static");
    if (!token_is(token, "static")) return false;
    return token_is(next, "constexpr") || (token_is(next, "const") && is_constant(*lexer));
}

/* ---- Variables of the region ---- */

/* Words after which a name is used, not declared. */
static bool begins_statement(const struct token *token) {
    static const char *const words[] = {
        "return",   "else",     "do",        "case",      "goto",        "new",           "delete",   "throw",
        "sizeof",   "and",      "or",        "not",       "typeof",      "typename",      "xor",      "compl",
        "bitand",   "if",       "bitor",     "operator",  "alignof",     "__extension__", "using",    "class",
        "struct",   "union",    "enum",      "__alignof", "__alignof__", "__typeof__",    "__typeof", "friend",
        "co_await", "co_yield", "co_return", "__real__",  "__imag__",    "__real",        "__imag",   "template"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (token_is(token, words[i])) return true;
    }
    return false;
}

/* `::read` is not what the region calls read; `object.read` is nothing but a member. */
static bool is_global(const struct judge *judge) {
    return token_is(&judge->last, ":") && token_is(&judge->last_but_one, ":");
}

static bool is_member(const struct judge *judge) {
    bool arrow = token_is(&judge->last, ">") && token_is(&judge->last_but_one, "-");
    return token_is(&judge->last, ".") || arrow;
}

static bool is_declared(const struct judge *judge, const struct token *token) {
    for (size_t i = 0; i < judge->declared_n; i++) {
        const struct token *name = &judge->declared[i].name;
        if (name->length == token->length && memcmp(name->start, token->start, token->length) == 0) return true;
    }
    return false;
}

/* `int read = ...`: from here on the word is a variable of the region, whatever else it is elsewhere. */
static bool is_variable(struct judge *judge, const struct token *token, const struct token *next) {
    bool after_type = judge->last.kind == TOKEN_NAME && !begins_statement(&judge->last);
    bool declared = after_type && next->length == 1 && strchr("=;,[{:)", *next->start) != NULL;
    if (declared && judge->declared_n < MOST_DECLARED)
        judge->declared[judge->declared_n++] = (struct declared){*token, judge->depth};
    return is_declared(judge, token) && !is_global(judge) && !token_is(next, "(");
}

/* Behind the statement or the block for which they were declared the words mean again what they mean elsewhere. */
static void forget_declared(struct judge *judge, const struct token *token) {
    if (!token_is(token, ";") && !token_is(token, "}")) return;
    while (judge->declared_n > 0 && judge->declared[judge->declared_n - 1].depth > judge->depth) judge->declared_n--;
}

/* ---- Names ---- */

static bool allows_listed(struct judge *judge, const struct token *token, const struct token *next,
                          const struct lexer *lexer) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (!matches(token, refused[i].name)) continue;
        bool fine = refused[i].when == AS_CALL ? is_member(judge) || is_variable(judge, token, next)
                                               : harmless(token, next, lexer);
        if (!fine) return refuse(judge, token, "`%.*s`: %s", (int)token->length, token->start, refused[i].why);
    }
    return true;
}

/* Headers of the system define macros such as __END_DECLS, which is a closing brace. */
static bool is_system_macro(const struct token *token) {
    if (*token->start != '_') return false;
    for (size_t i = 0; i < token->length; i++) {
        if (isupper((unsigned char)token->start[i])) return true;
    }
    return false;
}

static bool allows_name(struct judge *judge, const struct token *token, const struct lexer *lexer) {
    struct token next = peek(lexer);
    if (names_has(judge->allowed, token) || token_is(token, "UNROLL")) return true;
    if (names_has(judge->guard->reserved, token) && !is_variable(judge, token, &next)) {
        return refuse(judge, token, "`%.*s` belongs to the harness or to another step", (int)token->length,
                      token->start);
    }
    if (is_system_macro(token))
        return refuse(judge, token, "`%.*s`: a macro of the system's headers", (int)token->length, token->start);
    return allows_listed(judge, token, &next, lexer);
}

/* Is the rest of a directive's line empty, or a comment that ends on it? */
static bool is_rest_of_line(const char *text) {
    text += strspn(text, " \t\r");
    if (*text == '\0' || strncmp(text, "//", 2) == 0) return true;
    const char *end = strncmp(text, "/*", 2) == 0 ? strstr(text + 2, "*/") : NULL;
    return end != NULL && is_rest_of_line(end + 2);
}

/* `#pragma unroll`, with a number or without, is about the loop that follows; no other directive stays inside. */
static bool allows_directive(struct judge *judge, const struct token *token) {
    char line[256];
    int words = 0, number = 0;
    bool fits = token->length < sizeof line;
    snprintf(line, sizeof line, "%.*s", (int)token->length, token->start);
    sscanf(line, " # pragma unroll%n", &words);
    if (words > 0) sscanf(line + words, " %*d%n", &number);
    if (fits && words > 0 && is_rest_of_line(line + words + number)) return true;
    return refuse(judge, token, "a preprocessor directive (only `#pragma unroll` may stand in a region)");
}

static bool allows_bracket(struct judge *judge, const struct token *token, char c) {
    static const char OPEN[] = "({[", CLOSE[] = ")}]";
    const char *closes = strchr(CLOSE, c);
    if (strchr(OPEN, c) != NULL) {
        if (judge->depth == DEEPEST) return refuse(judge, token, "brackets nested too deeply");
        judge->open[judge->depth++] = c;
    } else if (closes != NULL) {
        if (judge->depth == 0) return refuse(judge, token, "`%c` closes what the region has not opened", c);
        if (judge->open[--judge->depth] != OPEN[closes - CLOSE])
            return refuse(judge, token, "`%c` closes a `%c`", c, judge->open[judge->depth]);
    }
    return true;
}

/* Attributes of the language; others can place, rename and call things. */
static bool is_known_attribute(const struct token *token) {
    static const char *const known[] = {"maybe_unused", "fallthrough", "likely", "unlikely"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (token_is(token, known[i])) return true;
    }
    return false;
}

static bool allows_attribute(struct judge *judge, const struct token *token, struct lexer lexer) {
    if (!token_is(token, "[") || !token_is(&judge->last, "[")) return true;
    struct token word = lex(&lexer), behind = lex(&lexer);
    return (is_known_attribute(&word) && token_is(&behind, "]")) || refuse(judge, token, "an attribute, [[...]]");
}

static bool allows_sign(struct judge *judge, const struct token *token, const struct lexer *lexer) {
    struct token launch = {TOKEN_NAME, "<<<", 3, NULL};
    if (!allows_attribute(judge, token, *lexer)) return false;
    if (token->length == 3 && !names_has(judge->allowed, &launch))
        return refuse(judge, token, "a launch (<<<...>>>): this step launches no kernel");
    return token->length == 3 || allows_bracket(judge, token, *token->start);
}

static bool allows_token(struct judge *judge, const struct token *token, const struct lexer *lexer) {
    switch (token->kind) {
    case TOKEN_BAD: return refuse(judge, token, "%s", token->problem);
    case TOKEN_DIRECTIVE: return allows_directive(judge, token);
    case TOKEN_NAME: return allows_name(judge, token, lexer);
    case TOKEN_SIGN: return allows_sign(judge, token, lexer);
    default: return true;
    }
}

/* ---- The whole ---- */

static bool judge_text(struct judge *judge) {
    struct lexer lexer = {judge->text, true};
    for (struct token t = lex(&lexer); t.kind != TOKEN_END; t = lex(&lexer)) {
        if (!allows_token(judge, &t, &lexer)) return false;
        forget_declared(judge, &t);
        judge->last_but_one = judge->last;
        judge->last = t;
    }
    struct token end = {TOKEN_END, lexer.next, 0, NULL};
    if (judge->depth == 0) return true;
    return refuse(judge, &end, "a `%c` is not closed within the region", judge->open[judge->depth - 1]);
}

/* What the solution's region names; a launch counts as a name. */
static struct names *used_by_solution(const struct source *solution, const char *region) {
    struct names *names = names_make();
    const struct region *theirs = source_region(solution, region);
    if (theirs == NULL) return names;
    char *text = join(solution, theirs->begin + 1, theirs->end);
    names_add_all(names, text);
    if (strstr(text, "<<<") != NULL) names_add(names, "<<<", 3);
    free(text);
    return names;
}

bool guard_allows(const struct guard *guard, const char *region, const char *text, size_t first_line, char *reason,
                  size_t size) {
    struct judge judge = {.guard = guard,
                          .allowed = used_by_solution(guard->solution, region),
                          .region = region,
                          .text = text,
                          .first_line = first_line,
                          .reason = reason,
                          .size = size};
    bool allowed = judge_text(&judge);
    names_free(judge.allowed);
    return allowed;
}
