/* lex.h: splits C++ text into tokens, enough to see names and braces. It does not preprocess. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NAME, /* identifier or keyword */
    TOKEN_NUMBER,
    TOKEN_TEXT,      /* string or character literal */
    TOKEN_SIGN,      /* one character, or <<< */
    TOKEN_DIRECTIVE, /* a line that begins with #, whole */
    TOKEN_BAD,       /* problem says what is wrong */
};

struct token {
    enum token_kind kind;
    const char *start;
    size_t length;
    const char *problem; /* of TOKEN_BAD: what is wrong; else NULL */
};

struct lexer {
    const char *next;
    bool line_start; /* only white space so far on this line */
};

/* Returns the next token; at the end of the text TOKEN_END. Start with the lexer {text, true}.
 * Skips white space and comments. Text that a compiler may read differently is TOKEN_BAD: trigraphs
 * in strings, digraphs, raw strings, an open comment or string. Tokens point into the text. */
struct token lex(struct lexer *lexer);

/* Is the token exactly this text? */
bool token_is(const struct token *token, const char *text);
