/*
 * ptx/parse.c: parses the module's directives; helpers for every part of the parser.
 */
#include "parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILES 65536 /* the largest index of .file, plus 1 */

void parse_fail(struct parser *parser, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = snprintf(parser->error, parser->error_size, "line %d: ", parser->token.line);
    if (n >= 0 && (size_t)n < parser->error_size)
        vsnprintf(parser->error + n, parser->error_size - (size_t)n, format, args);
    va_end(args);
    longjmp(*parser->on_error, 1);
}

void *list_grow(struct parser *parser, void *items, int32_t used, int32_t *capacity, size_t size) {
    if (used >= *capacity) {
        if (used > INT32_MAX / 2) parse_fail(parser, "the module is too large");
        *capacity = used ? used * 2 : 16;
        void *more = arena_array(parser->scratch, (size_t)*capacity, size);
        if (used) memcpy(more, items, (size_t)used * size);
        items = more;
    }
    memset((char *)items + (size_t)used * size, 0, size);
    return items;
}

void *list_keep(struct parser *parser, const void *items, int32_t used, size_t size) {
    void *copy = arena_array(parser->arena, (size_t)used, size);
    if (used) memcpy(copy, items, (size_t)used * size);
    return copy;
}

/* ---- Tokens ---- */

void advance(struct parser *parser) {
    parser->token = lexer_next(&parser->lexer);
}

bool token_is(const struct token *token, const char *text) {
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

bool at_punct(const struct parser *parser, char c) {
    return parser->token.kind == TOKEN_PUNCT && parser->token.text[0] == c;
}

bool at_dot(const struct parser *parser, const char *word) {
    return parser->token.kind == TOKEN_DOT && token_is(&parser->token, word);
}

bool accept_punct(struct parser *parser, char c) {
    bool found = at_punct(parser, c);
    if (found) advance(parser);
    return found;
}

bool accept_dot(struct parser *parser, const char *word) {
    bool found = at_dot(parser, word);
    if (found) advance(parser);
    return found;
}

/* Length of the token in a message: at most some 40 characters. */
static int shown_length(const struct token *token) {
    return token->length > 40 ? 40 : (int)token->length;
}

void expect_punct(struct parser *parser, char c) {
    if (!accept_punct(parser, c))
        parse_fail(parser, "'%c' expected before '%.*s'", c, shown_length(&parser->token),
                   parser->token.text);
}

struct token expect_name(struct parser *parser) {
    struct token token = parser->token;
    if (token.kind != TOKEN_NAME)
        parse_fail(parser, "a name expected before '%.*s'", shown_length(&token), token.text);
    advance(parser);
    return token;
}

char *keep_text(struct parser *parser, const struct token *token) {
    return arena_string(parser->arena, token->text, token->length);
}

void skip_statement(struct parser *parser) {
    while (!at_punct(parser, ';') && parser->token.kind != TOKEN_END) advance(parser);
    accept_punct(parser, ';');
}

void enter_nesting(struct parser *parser) {
    if (++parser->nesting > MAX_NESTING)
        parse_fail(parser, "nested more than %d deep", MAX_NESTING);
}

void leave_nesting(struct parser *parser) {
    parser->nesting--;
}

/* ---- Directives for debuggers, and others without effect ---- */

static uint64_t expect_integer(struct parser *parser) {
    uint64_t bits = parser->token.bits;
    if (parser->token.kind != TOKEN_INT)
        parse_fail(parser, "a number expected before '%.*s'", shown_length(&parser->token),
                   parser->token.text);
    advance(parser);
    return bits;
}

/* .file index "name" [, timestamp, size] */
static void parse_file(struct parser *parser) {
    uint64_t index = expect_integer(parser);
    struct token name = parser->token;
    if (name.kind != TOKEN_STRING || index >= MAX_FILES)
        parse_fail(parser, ".file needs an index and a name in quotes");
    advance(parser);
    while ((uint64_t)parser->files.used <= index) LIST_ADD(parser, &parser->files);
    parser->files.items[index] = keep_text(parser, &name);
    while (accept_punct(parser, ',')) expect_integer(parser);
}

#define INLINED_LOOK_BACK 256 /* earlier .loc directives searched for the call of inlined code */

/* inlined_at file line column. The call may itself lie in inlined code: then an earlier .loc names
 * its place. */
static void note_inlined(struct parser *parser) {
    struct ptx_inlined note = {parser->file, parser->line, parser->column, .parent = -1};
    note.at_file = (int32_t)expect_integer(parser);
    note.at_line = (int32_t)expect_integer(parser);
    int32_t column = parser->token.kind == TOKEN_INT ? (int32_t)expect_integer(parser) : 0,
            n = parser->inlined.used;
    for (int32_t i = n - 1; i >= 0 && i >= n - INLINED_LOOK_BACK && note.parent < 0; i--) {
        const struct ptx_inlined *call = &parser->inlined.items[i];
        if (call->file == note.at_file && call->line == note.at_line && call->column == column)
            note.parent = i;
    }
    parser->in = n;
    LIST_ADD(parser, &parser->inlined);
    parser->inlined.items[n] = note;
}

/* An attribute of .loc, after a comma: function_name symbol [+ offset], or inlined_at file line
 * column. */
static void skip_loc_attribute(struct parser *parser) {
    struct token word = expect_name(parser);
    if (token_is(&word, "function_name")) {
        expect_name(parser);
        if (accept_punct(parser, '+')) expect_integer(parser);
        return;
    }
    note_inlined(parser);
}

/* .loc file line column ... */
static void parse_loc(struct parser *parser) {
    parser->file = (int32_t)expect_integer(parser);
    parser->line = (int32_t)expect_integer(parser);
    parser->column = parser->token.kind == TOKEN_INT ? (int32_t)expect_integer(parser) : 0;
    parser->in = -1;
    while (accept_punct(parser, ',')) skip_loc_attribute(parser);
}

/* .section name { ... } */
static void skip_section(struct parser *parser) {
    while (!at_punct(parser, '{') && parser->token.kind != TOKEN_END) advance(parser);
    while (!at_punct(parser, '}') && parser->token.kind != TOKEN_END) advance(parser);
    expect_punct(parser, '}');
}

bool parse_debug_directive(struct parser *parser) {
    static const struct {
        const char *word;
        void (*parse)(struct parser *);
    } directives[] = {{"loc", parse_loc},
                      {"file", parse_file},
                      {"section", skip_section},
                      {"pragma", skip_statement}};
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++) {
        if (accept_dot(parser, directives[i].word)) {
            directives[i].parse(parser);
            return true;
        }
    }
    return false;
}

/* ---- The module ---- */

/* .version 9.0 */
static void parse_version(struct parser *parser) {
    double version;
    if (parser->token.kind != TOKEN_DOUBLE && parser->token.kind != TOKEN_INT)
        parse_fail(parser, ".version needs a number");
    memcpy(&version, &parser->token.bits, sizeof version);
    if (parser->token.kind == TOKEN_INT) version = (double)(parser->token.bits & 0xffff);
    if (!(version >= 0 && version < 1000)) parse_fail(parser, ".version is out of range");
    parser->module->version_major = (int)version;
    parser->module->version_minor = (int)((version - (int)version) * 10 + 0.5);
    advance(parser);
}

/* .target sm_75, debug */
static void parse_target(struct parser *parser) {
    do {
        struct token word = expect_name(parser);
        if (word.length > 3 && memcmp(word.text, "sm_", 3) == 0) {
            int target = 0;
            for (uint32_t i = 3;
                 i < word.length && i < 7 && word.text[i] >= '0' && word.text[i] <= '9'; i++)
                target = target * 10 + word.text[i] - '0';
            parser->module->target = target;
        }
        if (word.length == 5 && memcmp(word.text, "debug", 5) == 0) parser->module->debug = true;
    } while (accept_punct(parser, ','));
}

static void parse_address_size(struct parser *parser) {
    if (expect_integer(parser) != 64)
        parse_fail(parser, "only 64-bit addresses are supported: build the program with -m64");
}

/* .extern, .visible, .weak, .common in any order */
static struct linkage parse_linkage(struct parser *parser) {
    struct linkage linkage = {0};
    for (;; advance(parser)) {
        if (at_dot(parser, "extern"))
            linkage.is_extern = true;
        else if (at_dot(parser, "visible"))
            linkage.is_visible = true;
        else if (at_dot(parser, "weak") || at_dot(parser, "common"))
            linkage.is_weak = linkage.is_visible = true;
        else
            return linkage;
    }
}

static void parse_declaration(struct parser *parser) {
    static const struct {
        const char *word;
        enum ptx_space space;
    } spaces[] = {
        {"global", PTX_GLOBAL}, {"const", PTX_CONST}, {"shared", PTX_SHARED}, {"tex", PTX_GLOBAL}};
    struct linkage linkage = parse_linkage(parser);
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (accept_dot(parser, spaces[i].word)) {
            parse_variables(parser, spaces[i].space, linkage);
            return;
        }
    }
    if (accept_dot(parser, "entry"))
        parse_function(parser, true, linkage);
    else if (accept_dot(parser, "func"))
        parse_function(parser, false, linkage);
    else
        parse_fail(parser, "unknown directive '.%.*s'", shown_length(&parser->token),
                   parser->token.text);
}

static void parse_module_item(struct parser *parser) {
    if (accept_dot(parser, "version"))
        parse_version(parser);
    else if (accept_dot(parser, "target"))
        parse_target(parser);
    else if (accept_dot(parser, "address_size"))
        parse_address_size(parser);
    else if (accept_dot(parser, "alias"))
        parse_alias(parser);
    else if (accept_punct(parser, ';') || parse_debug_directive(parser))
        return;
    else if (parser->token.kind == TOKEN_DOT)
        parse_declaration(parser);
    else
        parse_fail(parser, "a directive expected before '%.*s'", shown_length(&parser->token),
                   parser->token.text);
}

/* The place of a listed function in the module's array; NULL for NULL. */
static struct ptx_function *final_place(const struct parser *parser,
                                        const struct ptx_function *function) {
    for (int32_t i = 0; function && i < parser->functions.used; i++) {
        if (parser->functions.items[i] == function) return &parser->module->functions[i];
    }
    return NULL;
}

static void finish_functions(struct parser *parser) {
    struct ptx_module *module = parser->module;
    module->nfunctions = parser->functions.used;
    module->functions =
        arena_array(parser->arena, (size_t)module->nfunctions, sizeof *module->functions);
    for (int32_t i = 0; i < module->nfunctions; i++) {
        struct ptx_function *function = &module->functions[i];
        *function = *parser->functions.items[i];
        function->module = module;
        function->definition =
            function->insns ? function : final_place(parser, function->definition);
    }
}

/* Moves the lists to the module's arrays, and links their elements to the module. */
static void finish_module(struct parser *parser) {
    struct ptx_module *module = parser->module;
    finish_functions(parser);
    module->nvars = parser->vars.used;
    module->vars = LIST_KEEP(parser, &parser->vars);
    for (int32_t i = 0; i < module->nvars; i++) {
        struct ptx_var *var = &module->vars[i];
        var->module = module;
        var->definition = var->is_extern && var->space != PTX_SHARED ? NULL : var;
    }
    module->nfiles = parser->files.used;
    module->files = LIST_KEEP(parser, &parser->files);
    module->ninlined = parser->inlined.used;
    module->inlined = LIST_KEEP(parser, &parser->inlined);
}

static void parse_module(struct parser *parser) {
    scope_enter(parser);
    parser->globals = parser->scope;
    parser->operands = arena_alloc(parser->scratch, sizeof *parser->operands);
    advance(parser);
    while (parser->token.kind != TOKEN_END) parse_module_item(parser);
    resolve_relocs(parser);
    finish_module(parser);
}

struct ptx_module *ptx_parse(const char *text, size_t length, char *error, size_t error_size) {
    jmp_buf failed;
    struct parser parser = {
        .error = error, .error_size = error_size, .file = -1, .in = -1, .on_error = &failed};
    parser.arena = arena_new();
    parser.scratch = arena_new();
    if (setjmp(failed) == 0) {
        parser.module = arena_alloc(parser.arena, sizeof *parser.module);
        parser.module->arena = parser.arena;
        parser.module->text = arena_string(parser.arena, text, length);
        lexer_start(&parser.lexer, parser.module->text, length);
        parse_module(&parser);
        arena_free(parser.scratch);
        return parser.module;
    }
    arena_free(parser.arena);
    arena_free(parser.scratch);
    return NULL;
}

void ptx_free(struct ptx_module *module) {
    if (module) arena_free(module->arena);
}
