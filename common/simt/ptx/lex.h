/*
 * ptx/lex.h: splits PTX text into tokens. Tokens point into the text; nothing is copied.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,    /* end of the text */
    TOKEN_NAME,   /* opcode, symbol, register, label: foo, %r1, $L1, _ */
    TOKEN_DOT,    /* directive or suffix, without its dot: "reg" of .reg, "L2::128B" of .L2::128B */
    TOKEN_INT,    /* bits: the value modulo 2^64 */
    TOKEN_FLOAT,  /* 0f form; bits: the 32 bits */
    TOKEN_DOUBLE, /* 0d form or decimal; bits: the 64 bits */
    TOKEN_STRING, /* between the quotes, escapes not replaced */
    TOKEN_PUNCT,  /* one character, text[0] */
    TOKEN_BAD     /* a character that PTX does not have, or an unfinished string */
};

/* A token. text and length: its spelling, as the kind says. */
struct token {
    enum token_kind kind;
    bool after_space; /* white space or a comment precedes it */
    int32_t line;     /* from 1 */
    const char *text;
    uint32_t length;
    uint64_t bits;
};

/* A position in the text. */
struct lexer {
    const char *at, *end;
    int32_t line;
};

/* Starts at the text's beginning, line 1. The text must live as long as the tokens. */
void lexer_start(struct lexer *lexer, const char *text, size_t length);
/* Returns the next token. Never reads beyond the text; at the end, every call returns TOKEN_END. */
struct token lexer_next(struct lexer *lexer);
