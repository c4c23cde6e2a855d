/* guard.c: see guard.h. */
#include "guard.h"

#include "lex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 200 /* brackets within brackets */ };

/* The region being judged. */
struct judge {
    const char *text;
    size_t first_line;
    char open[DEEPEST];
    size_t depth;
    char *reason;
    size_t size;
};

/* ---- Refusing ---- */

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

/* ---- Names ---- */

struct refused {
    const char *name, *why;
};

static const struct refused refused[] = {
#define REFUSED(name, why) {name, why},
#include "refused.def"
};

/* The token after this one. */
static struct token peek(const struct lexer *lexer) {
    struct lexer copy = *lexer;
    return lex(&copy);
}

/* Does `static const` declare only constants? A pointer could be changed. A declarator's * or & stands before its
 * value, and behind a comma for later declarators. */
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

/* Is this a harmless `static`: `static __shared__`, `static constexpr` or a constant? */
static bool harmless(const struct token *token, const struct token *next, const struct lexer *lexer) {
    if (!token_is(token, "static")) return false;
    return token_is(next, "__shared__") || token_is(next, "constexpr") ||
           (token_is(next, "const") && is_constant(*lexer));
}

/* Does the text begin with unroll or nounroll, also behind GCC? */
static bool is_about_unrolling(const char *text) {
    static const char *const words[] = {"unroll", "nounroll"};
    text += strspn(text, " \t");
    if (strncmp(text, "GCC", 3) == 0) text += 3 + strspn(text + 3, " \t");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (strncmp(text, words[i], n) == 0 && !isalnum((unsigned char)text[n]) && text[n] != '_') return true;
    }
    return false;
}

/* `_Pragma("unroll 4")`. */
static bool is_unroll_operator(struct lexer lexer) {
    struct token bracket = lex(&lexer), words = lex(&lexer), end = lex(&lexer);
    return token_is(&bracket, "(") && words.kind == TOKEN_TEXT && *words.start == '"' && token_is(&end, ")") &&
           is_about_unrolling(words.start + 1);
}

/* Could this be a macro of the system's headers? __END_DECLS, for example, is a closing brace. */
static bool is_system_macro(const struct token *token) {
    if (*token->start != '_' || token_is(token, "__CUDA_ARCH__")) return false;
    for (size_t i = 0; i < token->length; i++) {
        if (isupper((unsigned char)token->start[i])) return true;
    }
    return false;
}

static bool allows_name(struct judge *judge, const struct token *token, const struct lexer *lexer) {
    struct token next = peek(lexer);
    if (token_is(token, "_Pragma")) {
        return is_unroll_operator(*lexer) ||
               refuse(judge, token, "`_Pragma`: a pragma (only `unroll` and `nounroll` may stand in a region)");
    }
    if (is_system_macro(token))
        return refuse(judge, token, "`%.*s`: a macro of the system's headers", (int)token->length, token->start);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (token_is(token, refused[i].name) && !harmless(token, &next, lexer))
            return refuse(judge, token, "`%s`: %s", refused[i].name, refused[i].why);
    }
    return true;
}

/* ---- Directives and brackets ---- */

/* Does a comment begin in this line and end in a later one? */
static bool opens_comment(const char *line) {
    const char *begin = strstr(line, "/*"), *words = strstr(line, "//");
    if (begin == NULL || (words != NULL && words < begin)) return false;
    const char *end = strstr(begin + 2, "*/");
    return end == NULL || opens_comment(end + 2);
}

/* Allows `#pragma unroll`, with or without a number or name, and `#pragma nounroll`: they affect only the next loop.
 * Refuses all other directives. */
static bool allows_directive(struct judge *judge, const struct token *token) {
    char line[256];
    int words = 0;
    snprintf(line, sizeof line, "%.*s", (int)token->length, token->start);
    sscanf(line, " # pragma%n", &words);
    if (token->length < sizeof line && words > 0 && is_about_unrolling(line + words) && !opens_comment(line))
        return true;
    return refuse(judge, token,
                  "a preprocessor directive (only `#pragma unroll` and `#pragma nounroll` may stand in a region)");
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

static bool allows_token(struct judge *judge, const struct token *token, const struct lexer *lexer) {
    switch (token->kind) {
    case TOKEN_BAD: return refuse(judge, token, "%s", token->problem);
    case TOKEN_DIRECTIVE: return allows_directive(judge, token);
    case TOKEN_NAME: return allows_name(judge, token, lexer);
    case TOKEN_SIGN: return token->length > 1 || allows_bracket(judge, token, *token->start);
    default: return true;
    }
}

/* ---- The whole ---- */

bool guard_allows(const char *text, size_t first_line, char *reason, size_t size) {
    struct judge judge = {.text = text, .first_line = first_line, .reason = reason, .size = size};
    struct lexer lexer = {text, true};
    for (struct token t = lex(&lexer); t.kind != TOKEN_END; t = lex(&lexer)) {
        if (!allows_token(&judge, &t, &lexer)) return false;
    }
    struct token end = {TOKEN_END, lexer.next, 0, NULL};
    if (judge.depth == 0) return true;
    return refuse(&judge, &end, "a `%c` is not closed within the region", judge.open[judge.depth - 1]);
}
