/*
 * ptx/parse_operand.c: parses an operand, and finds the meaning of its names. An unknown form
 * refuses the instruction, never the module.
 */
#include "parse.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

bool refuse(struct parser *parser, const char *problem) {
    parser->operands->problem = problem;
    return false;
}

bool refuse_symbol(struct parser *parser, const struct token *name) {
    char text[128];
    snprintf(text, sizeof text, "unknown symbol '%.*s'", name->length > 80 ? 80 : (int)name->length,
             name->text);
    return refuse(parser, arena_string(parser->scratch, text, strlen(text)));
}

struct ptx_operand *operand_add(struct parser *parser, enum ptx_operand_kind kind) {
    struct operands *operands = parser->operands;
    if (operands->n >= PTX_MAX_OPERANDS) {
        refuse(parser, "too many operands");
        return NULL;
    }
    struct ptx_operand *operand = &operands->at[operands->n++];
    *operand = (struct ptx_operand){
        .kind = (uint8_t)kind, .reg = -1, .reg2 = -1, .var = -1, .func = -1, .target = -1};
    return operand;
}

bool operand_set_symbol(struct parser *parser, struct ptx_operand *operand,
                        const struct symbol *symbol) {
    switch (symbol->kind) {
    case SYMBOL_REG:
        operand->kind = PTX_OPERAND_REG;
        operand->reg = symbol->index;
        return true;
    case SYMBOL_FRAME:
        operand->kind = PTX_OPERAND_VARIABLE;
        operand->var = symbol->index;
        operand->var_space = parser->frame.items[symbol->index].space;
        return true;
    case SYMBOL_VAR:
        operand->kind = PTX_OPERAND_VARIABLE;
        operand->var = symbol->index;
        operand->var_space = parser->vars.items[symbol->index].space;
        return true;
    case SYMBOL_FUNCTION:
        operand->kind = PTX_OPERAND_FUNCTION;
        operand->func = symbol->index;
        return true;
    default: return refuse(parser, "a label is no value");
    }
}

/* Does a component or selector (.x, .b0) follow the last name without a space? */
static bool at_component(const struct parser *parser) {
    return parser->token.kind == TOKEN_DOT && !parser->token.after_space;
}

/* ---- Special registers ---- */

static const char ENVREG[] = "%envreg";

/* The number of %envreg0 to %envreg31; -1: another name. */
static int envreg_number(const struct token *name) {
    size_t prefix = sizeof ENVREG - 1;
    if (name->length <= prefix || name->length > prefix + 2 ||
        memcmp(name->text, ENVREG, prefix) != 0)
        return -1;
    int number = 0;
    for (uint32_t i = (uint32_t)prefix; i < name->length; i++) {
        if (name->text[i] < '0' || name->text[i] > '9') return -1;
        number = number * 10 + name->text[i] - '0';
    }
    return number < 32 ? number : -1;
}

/* Sets the operand to the special register of this name; consumes the component. Returns false if
 * there is none. */
static bool set_special(struct parser *parser, struct ptx_operand *operand,
                        const struct token *name) {
    uint32_t length = name->length;
    int envreg = envreg_number(name);
    if (envreg >= 0) {
        operand->kind = PTX_OPERAND_SREG;
        operand->sreg = PTX_SREG_ENVREG;
        operand->sreg_index = (uint8_t)envreg;
        return true;
    }
    bool component = at_component(parser);
    if (component) length = (uint32_t)(parser->token.text + parser->token.length - name->text);
    const struct special_register *special = ptx_special_find(name->text, length);
    if (!special) return false;
    if (component) advance(parser);
    if (special->sreg >= 0) {
        operand->kind = PTX_OPERAND_SREG;
        operand->sreg = (uint8_t)special->sreg;
    } else {
        operand->kind = PTX_OPERAND_IMM;
        parser->operands->value[operand - parser->operands->at] =
            (struct constant){CONSTANT_INT, special->value};
    }
    return true;
}

/* ---- Names ---- */

/* %r|%p: the second destination */
static bool parse_second(struct parser *parser, struct ptx_operand *operand) {
    if (parser->token.kind != TOKEN_NAME) return refuse(parser, "a register expected after '|'");
    struct token name = parser->token;
    advance(parser);
    if (token_is(&name, "_")) return true;
    struct symbol *symbol = symbol_find(parser, name.text, name.length);
    if (!symbol || symbol->kind != SYMBOL_REG)
        return refuse(parser, "a register expected after '|'");
    operand->reg2 = symbol->index;
    return true;
}

/* sym + 4, sym - 8 */
static void parse_offset(struct parser *parser, struct ptx_operand *operand) {
    if (at_punct(parser, '+') || at_punct(parser, '-')) operand->offset = parse_integer(parser);
}

/* Takes a name without a declaration so far as a label, where the opcode allows one: scope_leave()
 * looks it up. Refuses it elsewhere. */
static bool set_label(struct parser *parser, struct ptx_operand *operand,
                      const struct token *name) {
    int number = (int)(operand - parser->operands->at);
    char letter = ptx_operand_letter(parser->insn, number);
    if (letter != 'l' && letter != 't') return refuse_symbol(parser, name);
    operand->kind = PTX_OPERAND_LABEL;
    parser->operands->symbol[number] = *name;
    return true;
}

/* The register of the name, or of the part of a vector that follows it (.x or .r); -1: none. */
static int32_t find_register(struct parser *parser, const struct token *name) {
    static const char parts[] = "xyzwrgba";
    const struct symbol *symbol = symbol_find(parser, name->text, name->length);
    if (symbol && symbol->kind == SYMBOL_REG) return symbol->index;
    if (!symbol || symbol->kind != SYMBOL_VECTOR || !at_component(parser)) return -1;
    const char *part = parser->token.length == 1 ? strchr(parts, *parser->token.text) : NULL;
    if (!part || (uint32_t)(part - parts) % 4 >= symbol->count) return -1;
    advance(parser);
    return symbol->index + (int32_t)(part - parts) % 4;
}

/* A vector of registers, whole or a part. */
static bool set_vector(struct parser *parser, struct ptx_operand *operand,
                       const struct symbol *symbol, const struct token *name) {
    int32_t *elements = parser->operands->vec[operand - parser->operands->at];
    bool whole = !at_component(parser);
    operand->kind = whole ? PTX_OPERAND_VECTOR : PTX_OPERAND_REG;
    for (uint32_t i = 0; whole && i < symbol->count; i++)
        elements[operand->nvec++] = symbol->index + (int32_t)i;
    if (!whole) operand->reg = find_register(parser, name);
    return whole || operand->reg >= 0 || refuse(parser, "a part of a vector expected");
}

static bool set_name(struct parser *parser, struct ptx_operand *operand, const struct token *name) {
    struct symbol *symbol = symbol_find(parser, name->text, name->length);
    if (symbol && symbol->kind == SYMBOL_VECTOR) return set_vector(parser, operand, symbol, name);
    if (!symbol) return set_special(parser, operand, name) || set_label(parser, operand, name);
    if (symbol->kind == SYMBOL_LABEL || symbol->kind == SYMBOL_TABLE ||
        symbol->kind == SYMBOL_PROTO)
        return set_label(parser, operand, name);
    if (!operand_set_symbol(parser, operand, symbol)) return false;
    if (operand->kind == PTX_OPERAND_VARIABLE) parse_offset(parser, operand);
    return !at_component(parser) || refuse(parser, "parts of registers are not supported");
}

static bool parse_name(struct parser *parser, struct ptx_operand *operand) {
    struct token name = expect_name(parser);
    if (token_is(&name, "_"))
        operand->kind = PTX_OPERAND_SINK;
    else if (!set_name(parser, operand, &name))
        return false;
    return !accept_punct(parser, '|') || parse_second(parser, operand);
}

/* ---- Other forms ---- */

static bool parse_operand(struct parser *parser);

/* [texture, {x, y}]: the coordinates become the next operand. */
static bool parse_coordinates(struct parser *parser) {
    return !parser->insn->geometry ||
           (accept_punct(parser, ',') ? parse_operand(parser) : refuse(parser, "',' expected"));
}

/* [base], [base+offset], [address], [base, coordinates] */
static bool parse_memory(struct parser *parser, struct ptx_operand *operand) {
    if (parser->token.kind != TOKEN_NAME) {
        if (!at_constant(parser)) return refuse(parser, "an address expected");
        operand->offset = parse_integer(parser);
    } else {
        struct token name = expect_name(parser);
        struct symbol *symbol = symbol_find(parser, name.text, name.length);
        if (!symbol) return refuse_symbol(parser, &name);
        if (!operand_set_symbol(parser, operand, symbol)) return false;
        if (operand->kind == PTX_OPERAND_FUNCTION)
            return refuse(parser, "the address of a function");
        parse_offset(parser, operand);
    }
    operand->kind = PTX_OPERAND_MEMORY;
    return parse_coordinates(parser) &&
           (accept_punct(parser, ']') || refuse(parser, "']' expected"));
}

static bool parse_element(struct parser *parser, struct ptx_operand *operand, int number) {
    int i = operand->nvec++;
    parser->operands->vec[number][i] = -1;
    if (parser->token.kind != TOKEN_NAME) {
        if (!at_constant(parser)) return refuse(parser, "a register expected in a vector");
        operand->vec_is_imm |= (uint8_t)(1u << i);
        parser->operands->elements[number][i] = parse_constant(parser);
        return true;
    }
    struct token name = expect_name(parser);
    if (token_is(&name, "_")) return true;
    int32_t reg = parser->operands->vec[number][i] = find_register(parser, &name);
    return reg >= 0 || refuse(parser, "a register expected in a vector");
}

/* {a, b, ...} */
static bool parse_vector(struct parser *parser, struct ptx_operand *operand) {
    int number = (int)(operand - parser->operands->at);
    operand->kind = PTX_OPERAND_VECTOR;
    do {
        if (operand->nvec == PTX_MAX_VECTOR)
            return refuse(parser, "more than 8 elements in a vector");
        if (!parse_element(parser, operand, number)) return false;
    } while (accept_punct(parser, ','));
    if (!accept_punct(parser, '}')) return refuse(parser, "'}' expected");
    return !accept_punct(parser, '|') || parse_second(parser, operand);
}

/* Is the token '!', with a name after it? */
static bool at_negated_name(const struct parser *parser) {
    struct lexer lexer = parser->lexer;
    return at_punct(parser, '!') && lexer_next(&lexer).kind == TOKEN_NAME;
}

static bool parse_operand(struct parser *parser) {
    struct ptx_operand *operand = operand_add(parser, PTX_OPERAND_NONE);
    if (!operand) return false;
    if (accept_punct(parser, '[')) return parse_memory(parser, operand);
    if (accept_punct(parser, '{')) return parse_vector(parser, operand);
    if (at_negated_name(parser)) {
        advance(parser);
        operand->neg = true;
        return parse_name(parser, operand);
    }
    if (parser->token.kind == TOKEN_NAME) return parse_name(parser, operand);
    if (!at_constant(parser)) return refuse(parser, "an operand expected");
    operand->kind = PTX_OPERAND_IMM;
    parser->operands->value[operand - parser->operands->at] = parse_constant(parser);
    return true;
}

bool parse_operands(struct parser *parser) {
    if (at_punct(parser, ';')) return true;
    do {
        if (!parse_operand(parser)) return false;
    } while (accept_punct(parser, ','));
    return at_punct(parser, ';') || refuse(parser, "';' expected");
}
