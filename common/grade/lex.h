/* lex.h: C++ text as tokens: enough to see what it names and where its braces are. Nothing is preprocessed. */
#ifndef GRADE_LEX_H
#define GRADE_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NAME, /* identifier or keyword */
    TOKEN_NUMBER,
    TOKEN_TEXT,      /* string or character literal */
    TOKEN_SIGN,      /* one character, or <<< */
    TOKEN_DIRECTIVE, /* a line that begins with #, whole */
    TOKEN_BAD,       /* see problem */
};

struct token {
    enum token_kind kind;
    const char *start;
    size_t length;
    const char *problem; /* of TOKEN_BAD: what is wrong */
};

struct lexer {
    const char *next;
    bool line_start; /* only white space so far on this line */
};

/* Begin with {text, true}. White space and comments are skipped. What could mean another thing to the compiler than it
 * seems to (line continuations, trigraphs, digraphs, raw strings, an open comment or string) is TOKEN_BAD. */
struct token lex(struct lexer *lexer);

bool token_is(const struct token *token, const char *text);

#endif
