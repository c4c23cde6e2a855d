/* lex.c: see lex.h. */
#include "lex.h"

#include <ctype.h>
#include <string.h>

static struct token bad(const char *start, const char *problem) {
    return (struct token){TOKEN_BAD, start, 1, problem};
}

static struct token take(struct lexer *lexer, enum token_kind kind, size_t length) {
    struct token token = {kind, lexer->next, length, NULL};
    lexer->next += length;
    lexer->line_start = false;
    return token;
}

static bool is_name_letter(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Skips white space and comments. Returns false at a comment that does not end. */
static bool skip_space(struct lexer *lexer) {
    for (;;) {
        const char *p = lexer->next;
        if (isspace((unsigned char)*p)) {
            if (*p == '\n') lexer->line_start = true;
            lexer->next++;
        } else if (strncmp(p, "//", 2) == 0) {
            lexer->next += strcspn(p, "\n");
        } else if (strncmp(p, "/*", 2) == 0) {
            const char *end = strstr(p + 2, "*/");
            if (end == NULL) return false;
            lexer->next = end + 2;
        } else {
            return true;
        }
    }
}

/* Names a construct at p that hides text from a reader, whatever surrounds it. NULL: none. */
static const char *hidden(const char *p) {
    static const char TRIGRAPHS[] = "=/'()!<>-";
    if (strncmp(p, "??", 2) == 0 && p[2] != '\0' && strchr(TRIGRAPHS, p[2]) != NULL) return "a trigraph";
    /* Compilers ignore white space behind the backslash. */
    if (*p == '\\' && p[1 + strspn(p + 1, " \t\v\f\r")] == '\n') return "a line continuation (\\ at the end of a line)";
    return NULL;
}

/* Looks for hidden text in the whole token; returns a TOKEN_BAD for it. */
static struct token inspect(struct token token) {
    for (size_t i = 0; i < token.length; i++) {
        const char *problem = hidden(token.start + i);
        if (problem != NULL) return bad(token.start + i, problem);
    }
    return token;
}

/* Reads a string or character literal that begins with this quote. */
static struct token lex_text(struct lexer *lexer, char quote) {
    size_t n = 1;
    for (; lexer->next[n] != quote; n++) {
        if (lexer->next[n] == '\0' || lexer->next[n] == '\n')
            return bad(lexer->next, "a string or character that does not end on its line");
        const char *problem = hidden(lexer->next + n);
        if (problem != NULL) return bad(lexer->next, problem);
        if (lexer->next[n] == '\\') n++;
    }
    return take(lexer, TOKEN_TEXT, n + 1);
}

/* Reads a number with suffixes, single quotes between digits and signed exponents. */
static struct token lex_number(struct lexer *lexer) {
    const char *p = lexer->next;
    size_t n = 1;
    for (;; n++) {
        bool sign = (p[n] == '+' || p[n] == '-') && strchr("eEpP", p[n - 1]) != NULL && p[1] != 'x';
        bool apart = p[n] == '\'' && isalnum((unsigned char)p[n + 1]);
        if (!is_name_letter(p[n]) && p[n] != '.' && !sign && !apart) break;
    }
    return take(lexer, TOKEN_NUMBER, n);
}

static struct token lex_name(struct lexer *lexer) {
    size_t n = 0;
    while (is_name_letter(lexer->next[n])) n++;
    if (lexer->next[n] == '"' && lexer->next[n - 1] == 'R') return bad(lexer->next, "a raw string");
    return take(lexer, TOKEN_NAME, n);
}

static struct token lex_sign(struct lexer *lexer) {
    static const char *const digraphs[] = {"<%", "%>", "<:", ":>", "%:"};
    const char *p = lexer->next;
    for (size_t i = 0; i < sizeof digraphs / sizeof *digraphs; i++) {
        bool scope = strncmp(p, "<::", 3) == 0;
        if (!scope && strncmp(p, digraphs[i], 2) == 0) return bad(p, "a digraph");
    }
    if (!isprint((unsigned char)*p)) return bad(p, "a character that is neither ASCII nor in a comment or string");
    return take(lexer, TOKEN_SIGN, strncmp(p, "<<<", 3) == 0 ? 3 : 1);
}

static struct token lex_one(struct lexer *lexer) {
    const char *p = lexer->next;
    if (*p == '\0') return (struct token){TOKEN_END, p, 0, NULL};
    if (*p == '\\') return bad(p, "a backslash outside of a string");
    if (*p == '#' && lexer->line_start) return take(lexer, TOKEN_DIRECTIVE, strcspn(p, "\n"));
    if (*p == '"' || *p == '\'') return lex_text(lexer, *p);
    if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) return lex_number(lexer);
    if (is_name_letter(*p)) return lex_name(lexer);
    return lex_sign(lexer);
}

struct token lex(struct lexer *lexer) {
    struct token before = {TOKEN_SIGN, lexer->next, 0, NULL};
    if (!skip_space(lexer)) return bad(before.start, "a comment that does not end");
    before.length = (size_t)(lexer->next - before.start);
    before = inspect(before); /* a line continuation would extend a // comment into the next line */
    return before.kind == TOKEN_BAD ? before : inspect(lex_one(lexer));
}

bool token_is(const struct token *token, const char *text) {
    return token->length == strlen(text) && memcmp(token->start, text, token->length) == 0;
}
