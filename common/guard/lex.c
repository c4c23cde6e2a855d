#include "lex.h"

#include <ctype.h>
#include <stdlib.h>
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
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
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

/* Could a trigraph begin at p? */
static bool is_trigraph(const char *p) {
    return strncmp(p, "?\?", 2) == 0 && p[2] != '\0' && strchr("=/'()!<>-", p[2]) != NULL;
}

/* Reads a string or character literal that begins with this quote. */
static struct token lex_text(struct lexer *lexer, char quote) {
    size_t n = 1;
    for (; lexer->next[n] != quote; n++) {
        if (lexer->next[n] == '\0' || lexer->next[n] == '\n')
            return bad(lexer->next, "a string or character that does not end on its line");
        if (is_trigraph(lexer->next + n)) return bad(lexer->next, "a trigraph in a string");
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

/* The length of a letter of a name at p, as \u00e4 also, which preprocessors write; 0: none. */
static size_t name_letter(const char *p) {
    size_t digits = p[0] != '\\' ? 0 : p[1] == 'u' ? 4 : p[1] == 'U' ? 8 : 0;
    if (digits == 0) return is_name_letter(*p);
    char *end, hex[9] = "";
    strncpy(hex, p + 2, digits);
    return strtoul(hex, &end, 16) >= 0x80 && end == hex + digits ? 2 + digits : 0;
}

static struct token lex_name(struct lexer *lexer) {
    size_t n = 0, more;
    while ((more = name_letter(lexer->next + n)) > 0) n += more;
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
    if (!isprint((unsigned char)*p)) return bad(p, "a character that is no text");
    return take(lexer, TOKEN_SIGN, strncmp(p, "<<<", 3) == 0 ? 3 : 1);
}

static struct token lex_one(struct lexer *lexer) {
    const char *p = lexer->next;
    if (*p == '\0') return (struct token){TOKEN_END, p, 0, NULL};
    if (*p == '\\' && name_letter(p) == 0) return bad(p, "a backslash outside of a string");
    if (*p == '#' && lexer->line_start) return take(lexer, TOKEN_DIRECTIVE, strcspn(p, "\n"));
    if (*p == '"' || *p == '\'') return lex_text(lexer, *p);
    if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1])))
        return lex_number(lexer);
    if (name_letter(p) > 0) return lex_name(lexer);
    return lex_sign(lexer);
}

struct token lex(struct lexer *lexer) {
    const char *start = lexer->next;
    if (!skip_space(lexer)) return bad(start, "a comment that does not end");
    return lex_one(lexer);
}

bool token_is(const struct token *token, const char *text) {
    return token->length == strlen(text) && memcmp(token->start, text, token->length) == 0;
}
