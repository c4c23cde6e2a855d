/*
 * ptx/parse_var.c: parses declarations of registers, variables and parameters, with initialisers.
 */
#include "parse.h"
#include "table.h"

#include <string.h>

#define MAX_VARIABLE_BYTES (1ull << 40)
#define MAX_INITIALISED_BYTES                                                                      \
    (1ull << 30) /* the simulator keeps an initialised variable's bytes                            \
                  */
#define MAX_FRAME_BYTES (1ull << 31)
#define MAX_ALIGNMENT   65536
#define MAX_DIMENSIONS  16

/* The attributes between the state space and the name. */
struct attributes {
    enum ptx_type type;
    unsigned vector;
    uint32_t align; /* 0: the type's own */
    bool is_managed;
};

static uint32_t parse_alignment(struct parser *parser) {
    int64_t align = parse_integer(parser);
    if (align < 1 || align > MAX_ALIGNMENT || (align & (align - 1)))
        parse_fail(parser, "an alignment is a power of two up to %d", MAX_ALIGNMENT);
    return (uint32_t)align;
}

/* .attribute(.managed, .unified(a, b)) */
static void parse_attribute(struct parser *parser, struct attributes *attributes) {
    int depth = 0;
    expect_punct(parser, '(');
    for (; depth > 0 || !at_punct(parser, ')'); advance(parser)) {
        if (parser->token.kind == TOKEN_END) parse_fail(parser, "')' expected");
        attributes->is_managed |= at_dot(parser, "managed");
        depth += at_punct(parser, '(') - at_punct(parser, ')');
    }
    advance(parser);
}

/* Skips .ptr .global .align 8, which describes the memory that a pointer parameter points to, not
 * the parameter. */
static void skip_pointee(struct parser *parser) {
    while (at_dot(parser, "global") || at_dot(parser, "shared") || at_dot(parser, "local") ||
           at_dot(parser, "const"))
        advance(parser);
    if (accept_dot(parser, "align")) parse_alignment(parser);
}

static enum ptx_type type_at(const struct parser *parser) {
    if (at_dot(parser, "texref") || at_dot(parser, "surfref") || at_dot(parser, "samplerref"))
        return PTX_B64;
    return ptx_type_find(parser->token.text, parser->token.length);
}

static void parse_attribute_word(struct parser *parser, struct attributes *attributes) {
    enum ptx_type type = type_at(parser);
    if (type != PTX_TYPE_NONE) {
        attributes->type = type;
        advance(parser);
    } else if (accept_dot(parser, "align")) {
        attributes->align = parse_alignment(parser);
    } else if (accept_dot(parser, "attribute")) {
        parse_attribute(parser, attributes);
    } else if (accept_dot(parser, "ptr")) {
        skip_pointee(parser);
    } else if (accept_dot(parser, "v2")) {
        attributes->vector = 2;
    } else if (accept_dot(parser, "v4")) {
        attributes->vector = 4;
    } else {
        parse_fail(parser, "unknown type or attribute '.%.*s'", (int)parser->token.length,
                   parser->token.text);
    }
}

static struct attributes parse_attributes(struct parser *parser) {
    struct attributes attributes = {.vector = 1};
    while (parser->token.kind == TOKEN_DOT) parse_attribute_word(parser, &attributes);
    if (attributes.type == PTX_TYPE_NONE) parse_fail(parser, "a declaration without a type");
    return attributes;
}

/* ---- Registers ---- */

void parse_registers(struct parser *parser) {
    struct attributes attributes = parse_attributes(parser);
    do {
        struct token name = expect_name(parser);
        if (accept_punct(parser, '<')) {
            int64_t count = parser->token.kind == TOKEN_INT ? (int64_t)parser->token.bits : -1;
            if (count < 0 || count > UINT32_MAX)
                parse_fail(parser, "a number of registers expected");
            advance(parser);
            symbol_add_range(parser, &name, (uint32_t)count, attributes.type);
            expect_punct(parser, '>');
        } else {
            enum symbol_kind kind = attributes.vector > 1 ? SYMBOL_VECTOR : SYMBOL_REG;
            int32_t reg = register_add(parser, name.text, name.length, attributes.type);
            for (uint32_t i = 1; i < attributes.vector; i++)
                register_add(parser, name.text, name.length, attributes.type);
            struct symbol *symbol = symbol_add(parser, &name, kind, reg);
            symbol->type = (uint8_t)attributes.type;
            symbol->count = attributes.vector;
        }
    } while (accept_punct(parser, ','));
    expect_punct(parser, ';');
}

/* ---- Sizes ---- */

/* Array dimensions; 0 for a first one left out. */
struct shape {
    uint64_t dimension[MAX_DIMENSIONS];
    int n;
    uint64_t element; /* bytes of one vector element, or of a scalar */
};

static void parse_dimensions(struct parser *parser, struct shape *shape) {
    while (accept_punct(parser, '[')) {
        if (shape->n >= MAX_DIMENSIONS - 1)
            parse_fail(parser, "more than %d dimensions", MAX_DIMENSIONS - 1);
        int64_t n = at_punct(parser, ']') ? 0 : parse_integer(parser);
        if (n < 0) parse_fail(parser, "a negative array size");
        shape->dimension[shape->n++] = (uint64_t)n;
        expect_punct(parser, ']');
    }
}

/* Bytes of the subarray without the first `from` dimensions; fails above a terabyte. */
static uint64_t shape_bytes(struct parser *parser, const struct shape *shape, int from) {
    uint64_t bytes = shape->element;
    for (int i = from; i < shape->n; i++) {
        if (shape->dimension[i] > MAX_VARIABLE_BYTES / (bytes ? bytes : 1))
            parse_fail(parser, "a variable is larger than a terabyte");
        bytes *= shape->dimension[i];
    }
    return bytes;
}

static struct shape parse_shape(struct parser *parser, const struct attributes *attributes) {
    struct shape shape = {.element = ptx_type_size(attributes->type)};
    parse_dimensions(parser, &shape);
    if (attributes->vector > 1) shape.dimension[shape.n++] = attributes->vector;
    return shape;
}

static struct declaration declare(struct parser *parser, const struct attributes *attributes,
                                  struct token name, const struct shape *shape) {
    struct declaration declaration = {.name = name};
    struct ptx_var *var = &declaration.var;
    uint32_t natural = ptx_type_size(attributes->type) * attributes->vector;
    var->name = keep_text(parser, &name);
    var->type = (uint8_t)attributes->type;
    var->size = shape_bytes(parser, shape, 0);
    var->align = attributes->align ? attributes->align : natural ? natural : 1;
    var->is_managed = attributes->is_managed;
    return declaration;
}

/* ---- Initialisers ---- */

/* An initial value while it is parsed. */
struct initialiser {
    struct shape *shape;
    enum ptx_type type;
    uint64_t limit; /* bytes; UINT64_MAX where the first dimension is left out */
    LIST(uint8_t) bytes;
    LIST(struct ptx_reloc) relocs;
    LIST(struct pending_reloc *) pending;
};

/* Writes size bytes of value at offset, and grows the bytes. */
static void put_bytes(struct parser *parser, struct initialiser *initialiser, uint64_t offset,
                      uint64_t value, unsigned size) {
    if (offset > initialiser->limit || size > initialiser->limit - offset)
        parse_fail(parser, "more initial values than the variable has room for");
    while ((uint64_t)initialiser->bytes.used < offset + size) LIST_ADD(parser, &initialiser->bytes);
    for (unsigned i = 0; i < size; i++)
        initialiser->bytes.items[offset + i] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
}

static void put_reloc(struct parser *parser, struct initialiser *initialiser,
                      struct ptx_reloc reloc, const struct token *name) {
    struct pending_reloc *pending = arena_alloc(parser->scratch, sizeof *pending);
    *LIST_ADD(parser, &initialiser->relocs) = reloc;
    *pending =
        (struct pending_reloc){.name = name->text, .length = name->length, .line = name->line};
    *LIST_ADD(parser, &initialiser->pending) = pending;
}

/* symbol [+ offset], generic(symbol) [+ offset]; mask: the bytes of the address that are wanted, or
 * 0 for all. */
static void parse_address(struct parser *parser, struct initialiser *initialiser, uint64_t offset,
                          uint64_t mask) {
    struct ptx_reloc reloc = {
        .offset = offset, .var = -1, .func = -1, .size = (uint8_t)ptx_type_size(initialiser->type)};
    struct token name = expect_name(parser);
    if (token_is(&name, "generic") && accept_punct(parser, '(')) {
        reloc.generic = true;
        name = expect_name(parser);
        if (at_punct(parser, '+') || at_punct(parser, '-')) reloc.addend = parse_integer(parser);
        expect_punct(parser, ')');
    }
    if (at_punct(parser, '+') || at_punct(parser, '-')) reloc.addend += parse_integer(parser);
    if (mask) {
        reloc.shift = (uint8_t)__builtin_ctzll(mask);
        reloc.size = (uint8_t)((__builtin_popcountll(mask) + 7) / 8);
    }
    put_bytes(parser, initialiser, offset, 0, reloc.size);
    put_reloc(parser, initialiser, reloc, &name);
}

static char unescape(char c) {
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case '0': return '\0';
    default: return c;
    }
}

/* Writes a string's bytes and its NUL; a full array drops the NUL. Returns the offset after it. */
static uint64_t parse_string(struct parser *parser, struct initialiser *initialiser,
                             uint64_t offset) {
    const char *text = parser->token.text;
    for (uint32_t i = 0; i < parser->token.length; i++) {
        bool escape = text[i] == '\\' && i + 1 < parser->token.length;
        put_bytes(parser, initialiser, offset++, (uint8_t)(escape ? unescape(text[++i]) : text[i]),
                  1);
    }
    if (offset < initialiser->limit) put_bytes(parser, initialiser, offset++, 0, 1);
    advance(parser);
    return offset;
}

/* Parses one value for this offset. Returns the offset after it. */
static uint64_t parse_scalar(struct parser *parser, struct initialiser *initialiser,
                             uint64_t offset) {
    unsigned size = ptx_type_size(initialiser->type);
    if (parser->token.kind == TOKEN_STRING) return parse_string(parser, initialiser, offset);
    if (parser->token.kind == TOKEN_NAME) {
        parse_address(parser, initialiser, offset, 0);
        return offset + size;
    }
    struct constant value = parse_constant(parser);
    if (value.kind == CONSTANT_INT && accept_punct(parser, '(')) {
        parse_address(parser, initialiser, offset, value.bits);
        expect_punct(parser, ')');
    } else {
        put_bytes(parser, initialiser, offset, constant_bits(value, initialiser->type), size);
    }
    return offset + size;
}

/* Parses a value or a list in braces, `level` dimensions deep. Returns the offset after it. */
static uint64_t parse_values(struct parser *parser, struct initialiser *initialiser, int level,
                             uint64_t offset) {
    if (!accept_punct(parser, '{')) return parse_scalar(parser, initialiser, offset);
    enter_nesting(parser);
    int inner = level < initialiser->shape->n ? level + 1 : level;
    uint64_t stride = shape_bytes(parser, initialiser->shape, inner), start = offset;
    while (!accept_punct(parser, '}')) {
        if (at_punct(parser, '{') && stride) {
            offset = start + (offset - start + stride - 1) / stride * stride;
            parse_values(parser, initialiser, inner, offset);
            offset += stride;
        } else {
            offset = parse_values(parser, initialiser, inner, offset);
        }
        if (!at_punct(parser, '}')) expect_punct(parser, ',');
    }
    leave_nesting(parser);
    return offset;
}

/* Moves the relocations to the variable, and queues them for resolve_relocs(). */
static void keep_relocs(struct parser *parser, const struct initialiser *initialiser,
                        struct ptx_var *var) {
    var->nrelocs = initialiser->relocs.used;
    var->relocs = LIST_KEEP(parser, &initialiser->relocs);
    for (int32_t i = 0; i < initialiser->pending.used; i++) {
        struct pending_reloc *pending = initialiser->pending.items[i];
        pending->reloc = &var->relocs[i];
        pending->next = parser->relocs;
        parser->relocs = pending;
    }
}

/* = value: fill in the variable's init, and its size where the first dimension was left out. */
static void parse_initialiser(struct parser *parser, struct shape *shape, struct ptx_var *var) {
    bool open = shape->n && shape->dimension[0] == 0;
    struct initialiser initialiser = {
        .shape = shape, .type = var->type, .limit = open ? MAX_INITIALISED_BYTES : var->size};
    if (initialiser.limit > MAX_INITIALISED_BYTES)
        parse_fail(parser, "an initialised variable is larger than a gigabyte");
    parse_values(parser, &initialiser, 0, 0);
    if (open) {
        uint64_t stride = shape_bytes(parser, shape, 1);
        var->size = stride ? ((uint64_t)initialiser.bytes.used + stride - 1) / stride * stride : 0;
    }
    uint8_t *bytes = arena_alloc(parser->arena, var->size);
    if (initialiser.bytes.used)
        memcpy(bytes, initialiser.bytes.items, (size_t)initialiser.bytes.used);
    var->init = bytes;
    keep_relocs(parser, &initialiser, var);
}

void resolve_relocs(struct parser *parser) {
    for (struct pending_reloc *pending = parser->relocs; pending; pending = pending->next) {
        struct symbol *symbol = symbol_find_global(parser, pending->name, pending->length);
        if (symbol && symbol->kind == SYMBOL_VAR) {
            pending->reloc->var = symbol->index;
        } else if (symbol && symbol->kind == SYMBOL_FUNCTION) {
            pending->reloc->func = symbol->index;
        } else {
            parser->token.line = pending->line;
            parse_fail(parser, "unknown symbol '%.*s'", (int)pending->length, pending->name);
        }
    }
}

/* ---- Places of variables ---- */

int32_t frame_add(struct parser *parser, struct ptx_var var, enum ptx_space space) {
    uint64_t *used = space == PTX_KPARAM ? &parser->function->param_bytes : &parser->frame_bytes;
    var.space = (uint8_t)space;
    var.offset = (*used + var.align - 1) & ~((uint64_t)var.align - 1);
    *used = var.offset + var.size;
    if (*used > MAX_FRAME_BYTES)
        parse_fail(parser, "a function's local variables are larger than two gigabytes");
    if (parser->frame_bytes > parser->function->frame_bytes)
        parser->function->frame_bytes = parser->frame_bytes;
    *LIST_ADD(parser, &parser->frame) = var;
    return parser->frame.used - 1;
}

/* Adds a variable to the module, and declares it in the innermost scope, because a function's
 * static variables are known only there. An extern declaration and a later definition are one
 * variable. */
static void module_add(struct parser *parser, const struct declaration *declaration) {
    struct symbol *symbol = NULL;
    if (parser->scope == parser->globals)
        symbol = symbol_find_global(parser, declaration->name.text, declaration->name.length);
    if (symbol && symbol->kind == SYMBOL_VAR) {
        struct ptx_var *old = &parser->vars.items[symbol->index];
        if (!old->is_extern && !declaration->var.is_extern && !declaration->var.is_weak)
            parse_fail(parser, "'%s' is defined twice", declaration->var.name);
        if (old->is_extern && !declaration->var.is_extern) *old = declaration->var;
        return;
    }
    *LIST_ADD(parser, &parser->vars) = declaration->var;
    symbol_add(parser, &declaration->name, SYMBOL_VAR, parser->vars.used - 1);
}

static void var_place(struct parser *parser, struct declaration *declaration, enum ptx_space space,
                      struct linkage linkage) {
    if (space == PTX_LOCAL || space == PTX_FRAME) {
        int32_t index = frame_add(parser, declaration->var, space);
        symbol_add(parser, &declaration->name, SYMBOL_FRAME, index);
        return;
    }
    declaration->var.space = (uint8_t)space;
    declaration->var.is_extern = linkage.is_extern;
    declaration->var.is_weak = linkage.is_weak;
    declaration->var.is_visible = linkage.is_visible;
    module_add(parser, declaration);
}

void parse_variables(struct parser *parser, enum ptx_space space, struct linkage linkage) {
    struct attributes attributes = parse_attributes(parser);
    do {
        struct token name = expect_name(parser);
        struct shape shape = parse_shape(parser, &attributes);
        struct declaration declaration = declare(parser, &attributes, name, &shape);
        if (accept_punct(parser, '=')) parse_initialiser(parser, &shape, &declaration.var);
        var_place(parser, &declaration, space, linkage);
    } while (accept_punct(parser, ','));
    expect_punct(parser, ';');
}

struct declaration parse_parameter(struct parser *parser) {
    bool in_register = at_dot(parser, "reg");
    if (!in_register && !at_dot(parser, "param")) parse_fail(parser, ".param or .reg expected");
    advance(parser);
    struct attributes attributes = parse_attributes(parser);
    struct token name = expect_name(parser);
    struct shape shape = parse_shape(parser, &attributes);
    struct declaration declaration = declare(parser, &attributes, name, &shape);
    declaration.in_register = in_register;
    return declaration;
}
