/*
 * ptx/parse_func.c: parses functions: their headers, and the statements of their bodies except
 * instructions.
 */
#include "parse.h"

#include <string.h>

/* ---- Headers ---- */

/* Returns the function of that name; adds it at its first mention. */
static struct ptx_function *function_named(struct parser *parser, const struct token *name) {
    struct symbol *symbol = symbol_find_global(parser, name->text, name->length);
    if (symbol && symbol->kind == SYMBOL_FUNCTION) return parser->functions.items[symbol->index];
    struct ptx_function *function = arena_alloc(parser->scratch, sizeof *function);
    function->name = keep_text(parser, name);
    *LIST_ADD(parser, &parser->functions) = function;
    symbol_add_global(parser, name, SYMBOL_FUNCTION, parser->functions.used - 1);
    return function;
}

typedef LIST(struct declaration) declarations;

/* ( .param ..., .param ... ) */
static void parse_parameters(struct parser *parser, declarations *list) {
    expect_punct(parser, '(');
    while (!accept_punct(parser, ')')) {
        *LIST_ADD(parser, list) = parse_parameter(parser);
        if (!at_punct(parser, ')')) expect_punct(parser, ',');
    }
}

/* Declares a .reg parameter: a register, loaded from its frame variable on entry, or stored to it
 * before each return. */
static void declare_register(struct parser *parser, const struct declaration *declaration,
                             int32_t frame, bool is_return) {
    const struct token *name = &declaration->name;
    int32_t reg = register_add(parser, name->text, name->length, declaration->var.type);
    symbol_add(parser, name, SYMBOL_REG, reg)->type = declaration->var.type;
    if (is_return)
        *LIST_ADD(parser, &parser->returns) = (struct register_parameter){reg, frame};
    else
        append_param_load(parser, reg, frame);
}

static void declare_parameters(struct parser *parser, const declarations *list, bool is_return) {
    enum ptx_space space = parser->function->is_entry ? PTX_KPARAM : PTX_FRAME;
    for (int32_t i = 0; i < list->used; i++) {
        const struct declaration *declaration = &list->items[i];
        int32_t index = frame_add(parser, declaration->var, space);
        if (declaration->in_register)
            declare_register(parser, declaration, index, is_return);
        else
            symbol_add(parser, &declaration->name, SYMBOL_FRAME, index);
    }
}

/* Parses up to three numbers; missing ones are 1. */
static void parse_extent(struct parser *parser, uint32_t extent[3]) {
    int n = 0;
    do {
        int64_t value = parse_integer(parser);
        if (value < 0 || value > INT32_MAX || n == 3)
            parse_fail(parser, "up to three sizes expected");
        extent[n++] = (uint32_t)value;
    } while (accept_punct(parser, ','));
    while (n < 3) extent[n++] = 1;
}

/* Parses up to three numbers, and returns the first. */
static uint32_t parse_limit(struct parser *parser) {
    uint32_t extent[3];
    parse_extent(parser, extent);
    return extent[0];
}

/* Parses a directive between a header and its body: launch bounds, and others without effect
 * here. */
static void parse_performance_directive(struct parser *parser) {
    struct ptx_function *function = parser->function;
    if (accept_dot(parser, "maxntid"))
        parse_extent(parser, function->maxntid);
    else if (accept_dot(parser, "reqntid"))
        parse_extent(parser, function->reqntid);
    else if (accept_dot(parser, "minnctapersm"))
        function->minnctapersm = parse_limit(parser);
    else if (accept_dot(parser, "maxnreg"))
        function->maxnreg = parse_limit(parser);
    else if (accept_dot(parser, "noreturn"))
        function->noreturn = true;
    else if (!parse_debug_directive(parser)) {
        /* .maxnctapersm, .explicitcluster, .reqnctapercluster, .abi_preserve ... */
        advance(parser);
        if (parser->token.kind == TOKEN_INT) parse_limit(parser);
    }
}

/* ---- Bodies ---- */

/* label: .branchtargets L1, L2; or .calltargets f, g; */
static void parse_targets(struct parser *parser, const struct token *label, bool calls) {
    LIST(struct token) names = {0};
    do {
        *LIST_ADD(parser, &names) = expect_name(parser);
    } while (accept_punct(parser, ','));
    expect_punct(parser, ';');
    struct ptx_table *table = LIST_ADD(parser, &parser->tables);
    table->name = keep_text(parser, label);
    table->ntargets = names.used;
    table->targets = arena_array(parser->arena, (size_t)names.used, sizeof *table->targets);
    for (int32_t i = 0; i < names.used; i++) {
        const struct token *name = &names.items[i];
        struct symbol *symbol = calls ? symbol_find_global(parser, name->text, name->length) : NULL;
        if (calls && (!symbol || symbol->kind != SYMBOL_FUNCTION))
            parse_fail(parser, "no function '%.*s'", (int)name->length, name->text);
        if (calls) {
            table->targets[i] = symbol->index;
            continue;
        }
        struct pending *pending = arena_alloc(parser->scratch, sizeof *pending);
        *pending =
            (struct pending){parser->scope->pending, name->text, name->length, name->line, -1, 0,
                             &table->targets[i]};
        parser->scope->pending = pending;
    }
    symbol_add(parser, label, SYMBOL_TABLE, parser->tables.used - 1);
}

/* Parses what follows "label:". */
static void parse_label(struct parser *parser, const struct token *label) {
    if (accept_dot(parser, "branchtargets")) {
        parse_targets(parser, label, false);
    } else if (accept_dot(parser, "calltargets")) {
        parse_targets(parser, label, true);
    } else if (accept_dot(parser, "callprototype")) {
        symbol_add(parser, label, SYMBOL_PROTO, 0);
        skip_statement(parser);
    } else {
        symbol_add(parser, label, SYMBOL_LABEL, parser->insns.used);
        parser->last_label = parser->insns.used;
    }
}

/* Parses @p or @!p. Returns the guarding predicate's register. */
static int32_t parse_guard(struct parser *parser, bool *negated) {
    *negated = accept_punct(parser, '!');
    struct token name = expect_name(parser);
    struct symbol *symbol = symbol_find(parser, name.text, name.length);
    if (!symbol || symbol->kind != SYMBOL_REG || symbol->type != PTX_PRED)
        parse_fail(parser, "'%.*s' is not a predicate", (int)name.length, name.text);
    return symbol->index;
}

/* Parses a declaration in a body. */
static void parse_body_directive(struct parser *parser) {
    static const struct {
        const char *word;
        enum ptx_space space;
    } spaces[] = {{"local", PTX_LOCAL},
                  {"param", PTX_FRAME},
                  {"shared", PTX_SHARED},
                  {"global", PTX_GLOBAL},
                  {"const", PTX_CONST}};
    struct linkage linkage = {0};
    if (parse_debug_directive(parser)) return;
    if (accept_dot(parser, "reg")) {
        parse_registers(parser);
        return;
    }
    linkage.is_extern = accept_dot(parser, "extern");
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (accept_dot(parser, spaces[i].word)) {
            parse_variables(parser, spaces[i].space, linkage);
            return;
        }
    }
    parse_fail(parser, "unknown directive '.%.*s'", (int)parser->token.length, parser->token.text);
}

static void parse_named_statement(struct parser *parser) {
    struct token name = expect_name(parser);
    if (accept_punct(parser, ':'))
        parse_label(parser, &name);
    else
        parse_instruction(parser, &name, -1, false);
}

static void parse_block(struct parser *parser);

static void parse_statement(struct parser *parser) {
    if (accept_punct(parser, '{')) {
        scope_enter(parser);
        parse_block(parser);
        scope_leave(parser);
    } else if (accept_punct(parser, '@')) {
        bool negated;
        int32_t pred = parse_guard(parser, &negated);
        struct token opcode = expect_name(parser);
        parse_instruction(parser, &opcode, pred, negated);
    } else if (parser->token.kind == TOKEN_DOT) {
        parse_body_directive(parser);
    } else if (!accept_punct(parser, ';')) {
        parse_named_statement(parser);
    }
}

/* Parses statements up to and including '}'. */
static void parse_block(struct parser *parser) {
    while (!accept_punct(parser, '}')) parse_statement(parser);
}

/* Appends a return if control can run off the end, or if a label stands there: the end is never a
 * target. All labels are known by now; a branch to an unknown label does not end the body. */
static void close_body(struct parser *parser) {
    const struct ptx_insn *last =
        parser->insns.used ? &parser->insns.items[parser->insns.used - 1] : NULL;
    bool ends = last && last->pred < 0 &&
                (ptx_kind(last) == PTX_KIND_END || ptx_kind(last) == PTX_KIND_BRANCH);
    if (!ends || parser->last_label == parser->insns.used) append_return(parser);
}

static void parse_body(struct parser *parser) {
    if (parser->function->insns)
        parse_fail(parser, "'%s' is defined twice", parser->function->name);
    parse_block(parser);
}

/* Resets the parser for a new function, and forgets an earlier declaration of it. */
static void start_function(struct parser *parser, struct ptx_function *function) {
    parser->function = function;
    parser->insns.used = parser->regs.used = parser->frame.used = parser->tables.used = 0;
    parser->returns.used = parser->call_returns.used = 0;
    parser->frame_bytes = 0;
    parser->file = parser->in = -1;
    parser->line = 0;
    parser->last_label = -1;
    if (!function->insns) function->frame_bytes = function->param_bytes = 0;
}

#define FRAME_ALIGNMENT 16u

static void finish_function(struct parser *parser, bool has_body) {
    struct ptx_function *function = parser->function;
    function->frame_bytes =
        (function->frame_bytes + FRAME_ALIGNMENT - 1) & ~(uint64_t)(FRAME_ALIGNMENT - 1);
    function->nframe = parser->frame.used;
    function->frame = LIST_KEEP(parser, &parser->frame);
    if (!has_body) return;
    function->ninsns = parser->insns.used;
    function->insns = LIST_KEEP(parser, &parser->insns);
    function->nregs = parser->regs.used;
    function->regs = LIST_KEEP(parser, &parser->regs);
    function->ntables = parser->tables.used;
    function->tables = LIST_KEEP(parser, &parser->tables);
}

/* Parses the parameters, and the body or ';'. */
static void parse_definition(struct parser *parser, const declarations *params,
                             const declarations *returns) {
    bool known = parser->function->insns != NULL;
    struct ptx_function kept = *parser->function;
    scope_enter(parser);
    parser->function->nparams = params->used;
    parser->function->nreturns = returns->used;
    declare_parameters(parser, params, false);
    declare_parameters(parser, returns, true);
    bool has_body = accept_punct(parser, '{');
    if (has_body)
        parse_body(parser);
    else
        expect_punct(parser, ';');
    scope_leave(parser);
    if (has_body) close_body(parser);
    if (known) /* a declaration after the definition */
        *parser->function = kept;
    else
        finish_function(parser, has_body);
    parser->function = NULL;
}

void parse_function(struct parser *parser, bool is_entry, struct linkage linkage) {
    declarations params = {0}, returns = {0};
    int32_t line = parser->token.line;
    if (!is_entry && at_punct(parser, '(')) parse_parameters(parser, &returns);
    struct token name = expect_name(parser);
    struct ptx_function *function = function_named(parser, &name);
    start_function(parser, function);
    function->is_entry = is_entry;
    function->is_extern = linkage.is_extern && !function->insns;
    function->is_weak |= linkage.is_weak;
    function->is_visible |= linkage.is_visible;
    function->ptx_line = line;
    if (at_punct(parser, '(')) parse_parameters(parser, &params);
    while (parser->token.kind == TOKEN_DOT) parse_performance_directive(parser);
    parse_definition(parser, &params, &returns);
}

/* .alias a, b; a is another name of the function b */
void parse_alias(struct parser *parser) {
    struct token name = expect_name(parser);
    expect_punct(parser, ',');
    struct token target = expect_name(parser);
    expect_punct(parser, ';');
    struct ptx_function *alias = function_named(parser, &name);
    alias->definition = function_named(parser, &target);
}
