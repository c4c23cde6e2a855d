/*
 * ptx/lex.c: splits PTX text into tokens. A dot belongs to the word after it, so ".f32" is one
 * token and "%tid.x" is two; "::" continues a suffix (.shared::cta). The text need not end in NUL:
 * char_ahead() bounds every access.
 */
#include "lex.h"

#include <stdlib.h>
#include <string.h>

/* Character classes: START may start a name, FOLLOW may continue it. */
enum { START = 1, FOLLOW = 2, DIGIT = 4, SPACE = 8 };

static const uint8_t classes[UINT8_MAX + 1] = {
    ['a' ... 'z'] = START | FOLLOW,
    ['A' ... 'Z'] = START | FOLLOW,
    ['_'] = START | FOLLOW,
    ['$'] = START | FOLLOW,
    ['0' ... '9'] = FOLLOW | DIGIT,
    ['%'] = START,
    [' '] = SPACE,
    ['\t' ... '\r'] = SPACE, /* these two, \n, \v and \f */
};

static uint8_t char_class(char c) {
    return classes[(unsigned char)c];
}

/* The character `offset` places ahead; NUL beyond the end. */
static char char_ahead(const struct lexer *lexer, size_t offset) {
    return (size_t)(lexer->end - lexer->at) > offset ? lexer->at[offset] : '\0';
}

void lexer_start(struct lexer *lexer, const char *text, size_t length) {
    *lexer = (struct lexer){.at = text, .end = text + length, .line = 1};
}

static void skip_line(struct lexer *lexer) {
    const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    lexer->at = newline ? newline : lexer->end;
}

static void skip_block_comment(struct lexer *lexer) {
    lexer->at += 2;
    while (lexer->at < lexer->end && !(char_ahead(lexer, 0) == '*' && char_ahead(lexer, 1) == '/'))
        lexer->line += *lexer->at++ == '\n';
    lexer->at += lexer->end - lexer->at < 2 ? lexer->end - lexer->at : 2;
}

/* Skips white space, comments and preprocessor lines. Returns whether there were any. */
static bool skip_space(struct lexer *lexer) {
    const char *start = lexer->at;
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (char_class(c) & SPACE) {
            lexer->line += c == '\n';
            lexer->at++;
        } else if ((c == '/' && char_ahead(lexer, 1) == '/') || c == '#') {
            skip_line(lexer);
        } else if (c == '/' && char_ahead(lexer, 1) == '*') {
            skip_block_comment(lexer);
        } else {
            break;
        }
    }
    return lexer->at != start;
}

static void skip_name(struct lexer *lexer) {
    while (lexer->at < lexer->end && char_class(*lexer->at) & FOLLOW) lexer->at++;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
}

/* Reads at most limit digits of a base, modulo 2^64. */
static uint64_t read_digits(struct lexer *lexer, int base, int limit) {
    uint64_t value = 0;
    while (limit-- > 0 && lexer->at < lexer->end && digit_value(*lexer->at) < base)
        value = value * (uint64_t)base + (uint64_t)digit_value(*lexer->at++);
    return value;
}

/* Is this a decimal floating-point number: digits, then a point or an exponent? */
static bool looks_decimal(const struct lexer *lexer) {
    size_t i = 0;
    while (char_class(char_ahead(lexer, i)) & DIGIT) i++;
    char c = char_ahead(lexer, i), next = char_ahead(lexer, i + 1);
    if (c == '.') return !(char_class(next) & START);
    if (c != 'e' && c != 'E') return false;
    return char_class(next) & DIGIT ||
           ((next == '+' || next == '-') && char_class(char_ahead(lexer, i + 2)) & DIGIT);
}

static void read_decimal(struct lexer *lexer, struct token *token) {
    char buffer[64];
    size_t n = 0;
    for (bool exponent = false; n < sizeof buffer - 1; n++) {
        char c = char_ahead(lexer, n);
        bool sign = (c == '+' || c == '-') && exponent;
        exponent = c == 'e' || c == 'E';
        if (!(char_class(c) & DIGIT || c == '.' || exponent || sign)) break;
        buffer[n] = c;
    }
    buffer[n] = '\0';
    double value = strtod(buffer, NULL);
    memcpy(&token->bits, &value, sizeof value);
    token->kind = TOKEN_DOUBLE;
    lexer->at += n;
}

static void lex_read_number(struct lexer *lexer, struct token *token) {
    char second = char_ahead(lexer, 0) == '0' ? char_ahead(lexer, 1) : '\0';
    bool hex_digit = digit_value(char_ahead(lexer, 2)) < 16;
    token->kind = TOKEN_INT;
    if ((second == 'f' || second == 'F' || second == 'd' || second == 'D') && hex_digit) {
        bool single = second == 'f' || second == 'F';
        lexer->at += 2;
        token->kind = single ? TOKEN_FLOAT : TOKEN_DOUBLE;
        token->bits = read_digits(lexer, 16, single ? 8 : 16);
    } else if ((second == 'x' || second == 'X') && hex_digit) {
        lexer->at += 2;
        token->bits = read_digits(lexer, 16, 64);
    } else if ((second == 'b' || second == 'B') && digit_value(char_ahead(lexer, 2)) < 2) {
        lexer->at += 2;
        token->bits = read_digits(lexer, 2, 64);
    } else if (looks_decimal(lexer)) {
        read_decimal(lexer, token);
    } else {
        token->bits = read_digits(lexer, second >= '0' && second <= '7' ? 8 : 10, 64);
    }
    if (token->kind == TOKEN_INT && (char_ahead(lexer, 0) == 'U' || char_ahead(lexer, 0) == 'u'))
        lexer->at++;
}

static void lex_read_string(struct lexer *lexer, struct token *token) {
    lexer->at++;
    token->text = lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
        lexer->at += *lexer->at == '\\' && lexer->end - lexer->at > 1 ? 2 : 1;
    token->length = (uint32_t)(lexer->at - token->text);
    token->kind = char_ahead(lexer, 0) == '"' ? TOKEN_STRING : TOKEN_BAD;
    if (token->kind == TOKEN_STRING) lexer->at++;
}

/* Reads the word after a dot, with its "::" continuations. */
static void read_dot(struct lexer *lexer, struct token *token) {
    lexer->at++;
    token->text = lexer->at;
    skip_name(lexer);
    while (char_ahead(lexer, 0) == ':' && char_ahead(lexer, 1) == ':' &&
           char_class(char_ahead(lexer, 2)) & FOLLOW) {
        lexer->at += 2;
        skip_name(lexer);
    }
    token->kind = TOKEN_DOT;
}

struct token lexer_next(struct lexer *lexer) {
    struct token token = {.after_space = skip_space(lexer), .line = lexer->line, .text = lexer->at};
    if (lexer->at >= lexer->end) return token;
    char c = *lexer->at, next = char_ahead(lexer, 1);
    if (c == '"') {
        lex_read_string(lexer, &token);
        return token;
    }
    if (char_class(c) & DIGIT) {
        lex_read_number(lexer, &token);
    } else if (char_class(c) & START && (c != '%' || char_class(next) & FOLLOW)) {
        lexer->at++;
        skip_name(lexer);
        token.kind = TOKEN_NAME;
    } else if (c == '.' && char_class(next) & FOLLOW) {
        read_dot(lexer, &token);
    } else {
        lexer->at++;
        token.kind = c > ' ' && c < 0x7f ? TOKEN_PUNCT : TOKEN_BAD;
    }
    token.length = (uint32_t)(lexer->at - token.text);
    return token;
}
