/*
 * ptx/parse_expr.c: parses and evaluates constant expressions: C's operators over 64-bit integers,
 * and single floating-point constants with a sign.
 */
#include "parse.h"

#include <string.h>

static const struct binary {
    char first, second; /* second: '\0' for one-character operators */
    int precedence;
} binaries[] = {
    {'|', '|', 1}, {'&', '&', 2}, {'=', '=', 6}, {'!', '=', 6}, {'<', '=', 7}, {'>', '=', 7},
    {'<', '<', 8}, {'>', '>', 8}, {'|', 0, 3},   {'^', 0, 4},   {'&', 0, 5},   {'<', 0, 7},
    {'>', 0, 7},   {'+', 0, 9},   {'-', 0, 9},   {'*', 0, 10},  {'/', 0, 10},  {'%', 0, 10},
};

static struct constant integer(uint64_t bits) {
    return (struct constant){CONSTANT_INT, bits};
}

/* The binary operator at the token. Its second character is read from the text, because both must
 * touch. */
static const struct binary *binary_at(const struct parser *parser) {
    if (parser->token.kind != TOKEN_PUNCT) return NULL;
    const char *next = parser->token.text + 1;
    char second = next < parser->lexer.end ? *next : '\0';
    for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++) {
        if (binaries[i].first == parser->token.text[0] &&
            (!binaries[i].second || binaries[i].second == second))
            return &binaries[i];
    }
    return NULL;
}

static uint64_t divide(struct parser *parser, char operator, uint64_t a, uint64_t b) {
    if (b == 0) parse_fail(parser, "division by zero in a constant expression");
    if (b == UINT64_MAX) /* division by -1 must not trap on overflow */
        return operator== '/' ? 0 - a : 0;
    return operator== '/' ? (uint64_t)((int64_t)a / (int64_t)b)
                          : (uint64_t)((int64_t)a % (int64_t)b);
}

static uint64_t apply_pair(const struct binary *op, uint64_t a, uint64_t b) {
    switch (op->first) {
    case '|': return a || b;
    case '&': return a && b;
    case '=': return a == b;
    case '!': return a != b;
    case '<': return op->second == '=' ? (int64_t)a <= (int64_t)b : a << (b & 63);
    default:
        return op->second == '=' ? (uint64_t)((int64_t)a >= (int64_t)b)
                                 : (uint64_t)((int64_t)a >> (b & 63));
    }
}

static uint64_t apply(struct parser *parser, const struct binary *op, uint64_t a, uint64_t b) {
    if (op->second) return apply_pair(op, a, b);
    switch (op->first) {
    case '|': return a | b;
    case '^': return a ^ b;
    case '&': return a & b;
    case '<': return (int64_t)a < (int64_t)b;
    case '>': return (int64_t)a > (int64_t)b;
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    default: return divide(parser, op->first, a, b);
    }
}

static struct constant parse_ternary(struct parser *parser);

static struct constant negate(struct constant value) {
    if (value.kind == CONSTANT_INT) return integer(0 - value.bits);
    value.bits ^= value.kind == CONSTANT_FLOAT ? 1ull << 31 : 1ull << 63;
    return value;
}

/* (expression), or a cast (.s64) or (.u64) of what follows */
static struct constant parse_parenthesis(struct parser *parser);

static struct constant parse_unary(struct parser *parser) {
    struct constant value;
    struct token token = parser->token;
    enter_nesting(parser);
    if (accept_punct(parser, '-')) {
        value = negate(parse_unary(parser));
    } else if (accept_punct(parser, '+')) {
        value = parse_unary(parser);
    } else if (accept_punct(parser, '~')) {
        value = integer(~parse_unary(parser).bits);
    } else if (accept_punct(parser, '!')) {
        value = integer(!parse_unary(parser).bits);
    } else if (accept_punct(parser, '(')) {
        value = parse_parenthesis(parser);
    } else {
        if (token.kind != TOKEN_INT && token.kind != TOKEN_FLOAT && token.kind != TOKEN_DOUBLE)
            parse_fail(parser, "a constant expected before '%.*s'",
                       token.length > 40 ? 40 : (int)token.length, token.text);
        advance(parser);
        value.kind = token.kind == TOKEN_INT     ? CONSTANT_INT
                     : token.kind == TOKEN_FLOAT ? CONSTANT_FLOAT
                                                 : CONSTANT_DOUBLE;
        value.bits = token.bits;
    }
    leave_nesting(parser);
    return value;
}

static struct constant parse_parenthesis(struct parser *parser) {
    if (accept_dot(parser, "s64") || accept_dot(parser, "u64")) {
        expect_punct(parser, ')');
        return parse_unary(parser);
    }
    struct constant value = parse_ternary(parser);
    expect_punct(parser, ')');
    return value;
}

/* Parses by precedence climbing: takes operators that bind at least as tightly as `precedence`. */
static struct constant parse_binary(struct parser *parser, int precedence) {
    struct constant left = parse_unary(parser);
    for (const struct binary *op;
         left.kind == CONSTANT_INT && (op = binary_at(parser)) && op->precedence >= precedence;) {
        advance(parser);
        if (op->second) advance(parser);
        left = integer(apply(parser, op, left.bits, parse_binary(parser, op->precedence + 1).bits));
    }
    return left;
}

static struct constant parse_ternary(struct parser *parser) {
    enter_nesting(parser);
    struct constant value = parse_binary(parser, 1);
    if (accept_punct(parser, '?')) {
        struct constant yes = parse_ternary(parser);
        expect_punct(parser, ':');
        struct constant no = parse_ternary(parser);
        value = value.bits ? yes : no;
    }
    leave_nesting(parser);
    return value;
}

bool at_constant(const struct parser *parser) {
    enum token_kind kind = parser->token.kind;
    if (kind == TOKEN_PUNCT) return strchr("-+~!(", parser->token.text[0]) != NULL;
    return kind == TOKEN_INT || kind == TOKEN_FLOAT || kind == TOKEN_DOUBLE;
}

struct constant parse_constant(struct parser *parser) {
    return parse_ternary(parser);
}

int64_t parse_integer(struct parser *parser) {
    struct constant value = parse_ternary(parser);
    if (value.kind != CONSTANT_INT) parse_fail(parser, "an integer expected");
    return (int64_t)value.bits;
}

/* ---- Conversion to a type ---- */

static uint64_t float_bits(struct constant constant) {
    double d;
    float f;
    if (constant.kind == CONSTANT_FLOAT) return constant.bits;
    memcpy(&d, &constant.bits, sizeof d);
    f = constant.kind == CONSTANT_INT ? (float)(int64_t)constant.bits : (float)d;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint64_t double_bits(struct constant constant) {
    if (constant.kind == CONSTANT_DOUBLE) return constant.bits;
    double d = (double)(int64_t)constant.bits;
    if (constant.kind == CONSTANT_FLOAT) {
        uint32_t single = (uint32_t)constant.bits;
        float f;
        memcpy(&f, &single, sizeof f);
        d = (double)f;
    }
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

uint64_t constant_bits(struct constant constant, enum ptx_type type) {
    unsigned size = ptx_type_size(type);
    if (type == PTX_F32) return float_bits(constant);
    if (type == PTX_F64) return double_bits(constant);
    if (type == PTX_PRED) return constant.bits != 0;
    /* mov.b32 with a decimal */
    if (constant.kind == CONSTANT_DOUBLE && size == 4) return float_bits(constant);
    return size && size < 8 ? constant.bits & ((1ull << size * 8) - 1) : constant.bits;
}
