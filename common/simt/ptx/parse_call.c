/*
 * ptx/parse_call.c: parses call (returns), callee, (arguments), prototype. Arguments are frame
 * variables. An argument in a register or a constant is first stored to a new frame variable; a
 * value returned to a register is loaded from one after the call.
 */
#include "parse.h"
#include "table.h"

#include <string.h>

/* One element of a list. */
struct argument {
    struct ptx_operand operand;
    struct constant value;
};

typedef LIST(struct argument) arguments;

static bool parse_argument(struct parser *parser, struct argument *argument) {
    argument->operand =
        (struct ptx_operand){.reg = -1, .reg2 = -1, .var = -1, .func = -1, .target = -1};
    if (at_constant(parser)) {
        argument->operand.kind = PTX_OPERAND_IMM;
        argument->value = parse_constant(parser);
        return true;
    }
    if (parser->token.kind != TOKEN_NAME) return refuse(parser, "a parameter expected");
    struct token name = expect_name(parser);
    if (token_is(&name, "_")) {
        argument->operand.kind = PTX_OPERAND_SINK;
        return true;
    }
    struct symbol *symbol = symbol_find(parser, name.text, name.length);
    if (!symbol || (symbol->kind != SYMBOL_REG && symbol->kind != SYMBOL_FRAME))
        return refuse(parser, "a parameter expected");
    return operand_set_symbol(parser, &argument->operand, symbol);
}

/* (a, b, ...), after its '(' */
static bool parse_list(struct parser *parser, arguments *list) {
    if (accept_punct(parser, ')')) return true;
    do {
        if (!parse_argument(parser, LIST_ADD(parser, list))) return false;
    } while (accept_punct(parser, ','));
    return accept_punct(parser, ')') || refuse(parser, "')' expected");
}

static enum ptx_type bits_type(unsigned size) {
    switch (size) {
    case 1: return PTX_B8;
    case 2: return PTX_B16;
    case 8: return PTX_B64;
    case 16: return PTX_B128;
    default: return PTX_B32;
    }
}

/* The type of the called function's frame[i]; NONE: not known, for an indirect call or too large an
 * i. */
static enum ptx_type formal_type(const struct parser *parser, const struct ptx_operand *callee,
                                 int32_t i) {
    const struct ptx_function *function =
        callee->kind == PTX_OPERAND_FUNCTION ? parser->functions.items[callee->func] : NULL;
    bool known = function && function->frame && i < function->nparams + function->nreturns;
    return known ? (enum ptx_type)function->frame[i].type : PTX_TYPE_NONE;
}

/* Adds a frame variable for an argument that is not one. Its type is the formal parameter's, else
 * that of the register's bits. */
static int32_t new_parameter(struct parser *parser, const struct argument *argument,
                             enum ptx_type formal) {
    enum ptx_type type = formal;
    if (type == PTX_TYPE_NONE)
        type = argument->operand.reg >= 0
                   ? bits_type(ptx_type_size(parser->regs.items[argument->operand.reg].type))
                   : PTX_B32;
    uint32_t size = ptx_type_size(type);
    struct ptx_var var = {
        .name = "_", .type = (uint8_t)type, .size = size, .align = size ? size : 1};
    return frame_add(parser, var, PTX_FRAME);
}

/* Returns the frame variable that passes an argument or return value; appends the store of an
 * argument. */
static int32_t pass_argument(struct parser *parser, const struct argument *argument,
                             enum ptx_type formal, bool is_return) {
    struct ptx_operand value = argument->operand;
    if (value.kind == PTX_OPERAND_VARIABLE) return value.var;
    int32_t frame = new_parameter(parser, argument, formal);
    if (value.kind == PTX_OPERAND_SINK) return frame;
    if (is_return) {
        *LIST_ADD(parser, &parser->call_returns) = (struct register_parameter){value.reg, frame};
        return frame;
    }
    if (value.kind == PTX_OPERAND_IMM)
        value.bits = constant_bits(argument->value, parser->frame.items[frame].type);
    append_param_store(parser, &value, frame);
    return frame;
}

/* Makes an operand of the list. first: index of the list's first formal parameter in the callee's
 * frame. */
static struct ptx_operand pass_list(struct parser *parser, const arguments *list,
                                    const struct ptx_operand *callee, bool is_return) {
    struct ptx_operand operand = {
        .kind = PTX_OPERAND_PARAMS, .reg = -1, .reg2 = -1, .var = -1, .func = -1, .target = -1};
    int32_t first =
        is_return && callee->func >= 0 ? parser->functions.items[callee->func]->nparams : 0;
    operand.nlist = list->used;
    operand.list = arena_array(parser->arena, (size_t)list->used, sizeof *operand.list);
    for (int32_t i = 0; i < list->used; i++)
        operand.list[i] = pass_argument(parser, &list->items[i],
                                        formal_type(parser, callee, first + i), is_return);
    return operand;
}

/* Parses the callee: a function's name, or a register with its address. */
static bool parse_callee(struct parser *parser, struct ptx_operand *callee) {
    *callee = (struct ptx_operand){.reg = -1, .reg2 = -1, .var = -1, .func = -1, .target = -1};
    if (parser->token.kind != TOKEN_NAME) return refuse(parser, "a function expected");
    struct token name = expect_name(parser);
    struct symbol *symbol = symbol_find(parser, name.text, name.length);
    if (!symbol || (symbol->kind != SYMBOL_FUNCTION && symbol->kind != SYMBOL_REG))
        return refuse(parser, "a function expected");
    return operand_set_symbol(parser, callee, symbol);
}

/* Refuses an immediate as a return value. */
static bool check_returns(struct parser *parser, const arguments *returns) {
    for (int32_t i = 0; i < returns->used; i++) {
        if (returns->items[i].operand.kind == PTX_OPERAND_IMM)
            return refuse(parser, "a constant cannot be returned to");
    }
    return true;
}

/* Parses the name of a prototype or a list of call targets, looked up when its scope is left. */
static bool parse_prototype(struct parser *parser, struct token *name) {
    if (parser->token.kind != TOKEN_NAME) return refuse(parser, "a prototype expected");
    *name = expect_name(parser);
    return true;
}

bool parse_call(struct parser *parser) {
    arguments returns = {0}, args = {0};
    struct ptx_operand callee;
    struct token prototype = {0};
    if (accept_punct(parser, '(')) {
        if (!parse_list(parser, &returns) || !check_returns(parser, &returns)) return false;
        if (!accept_punct(parser, ',')) return refuse(parser, "',' expected");
    }
    if (!parse_callee(parser, &callee)) return false;
    bool more = accept_punct(parser, ',');
    if (more && accept_punct(parser, '(')) {
        if (!parse_list(parser, &args)) return false;
        more = accept_punct(parser, ',');
    }
    if (more && !parse_prototype(parser, &prototype)) return false;
    if (!at_punct(parser, ';')) return refuse(parser, "';' expected");
    struct ptx_operand passed = pass_list(parser, &args, &callee, false);
    struct operands *operands = parser->operands;
    operands->at[0] = pass_list(parser, &returns, &callee, true);
    operands->at[1] = callee;
    operands->at[2] = passed;
    operands->n = 3;
    if (prototype.length) {
        operand_add(parser, PTX_OPERAND_PROTO);
        operands->symbol[3] = prototype;
    }
    return true;
}

void finish_call(struct parser *parser, const struct ptx_insn *call) {
    insn_append(parser, call);
    for (int32_t i = 0; i < parser->call_returns.used; i++)
        append_param_load(parser, parser->call_returns.items[i].reg,
                          parser->call_returns.items[i].frame);
}
